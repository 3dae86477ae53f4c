"""Results of 5 MB: one long text, and two hundred thousand small values."""

from pathlib import Path

good = Path("good.jsonl").read_text(encoding="utf-8")
many = "[" + ", ".join(str(1000 + n * 7) for n in range(600_000)) + "]"
with open("input.jsonl", "w", encoding="utf-8") as file:
    file.write(good.replace('\\"08:11\\"', '\\"' + "departs soon " * 400_000 + '\\"'))
    file.write(good.replace('\\"08:11\\"', many))
