"""A gzip file that breaks off after its first thousand bytes of rows."""

import gzip
import random

noise = random.Random(1)
text = b"".join(b'{"messages": [%d]}\n' % noise.getrandbits(256) for _ in range(200))
with open("input.jsonl.gz", "wb") as file:
    file.write(gzip.compress(text, mtime=0)[:1000])
