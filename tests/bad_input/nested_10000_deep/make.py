"""JSON nested 10,000 deep: as a line, as an argument, and as a result."""

from pathlib import Path

good = Path("good.jsonl").read_text(encoding="utf-8")
deep = "[" * 10_000 + "]" * 10_000
with open("input.jsonl", "w", encoding="utf-8") as file:
    file.write('{"messages": ' + deep + "}\n")
    file.write(good.replace('\\"Moira Kessler\\"', deep))
    file.write(good.replace('\\"RS-20931\\"', deep))
    file.write(good)
