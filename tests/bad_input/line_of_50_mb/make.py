"""A line of 50 MB that is no trajectory, before one that is."""

from pathlib import Path

good = Path("good.jsonl").read_text(encoding="utf-8")
with open("input.jsonl", "w", encoding="utf-8") as file:
    file.write('{"messages": "' + "x" * 50_000_000 + '"}\n')
    file.write(good)
