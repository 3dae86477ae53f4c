"""What a release says is new: notes of its makers, and what the rows themselves say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from builder.refusal import Refusal
from builder.release.request import Previous
from plan.json_text import Json

FIRST = "First version."

Entry = Mapping[str, Json]
"""A version's ``version``, ``date`` (or None) and ``lines``."""


def read_notes(path: Path) -> list[str]:
    """Return a file's notes, one for each item or paragraph.

    Raises:
        Refusal: there is no such file, it is no text, or it says nothing.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise Refusal(
            f"--notes {path}",
            f"byte {error.start} is no UTF-8",
            "text in UTF-8",
            "save it as UTF-8",
        ) from None
    notes: list[str] = []
    goes_on = False
    for line in text.splitlines():
        words = line.strip()
        is_item = words[:2] in ("- ", "* ")
        if not words:
            goes_on = False
        elif goes_on and not is_item:
            notes[-1] += f" {words}"
        else:
            notes.append(words[2:].strip() if is_item else words)
            goes_on = True
    if not notes:
        raise Refusal(
            f"--notes {path}",
            "nothing stands there",
            "a line for each thing that users notice",
            "write some, or leave --notes out",
        )
    return notes


def entries(new: Entry, previous: Previous | None) -> list[Entry]:
    """Return the entries of all versions, the newest first."""
    return [new, *(previous.manifest["changelog"] if previous else ())]


def spell(name: str, versions: Iterable[Entry]) -> bytes:
    """Return the text of ``CHANGELOG.md``."""
    parts = [
        f"# Changes of {name}",
        "Versions follow [Semantic Versioning](https://semver.org/): rows that change ask for a "
        "major step, rows that come or go for a minor one.",
    ]
    for entry in versions:
        day = f" ({entry['date']})" if entry.get("date") else ""
        parts.append(f"## {entry['version']}{day}")
        parts.append(_items(entry["lines"]))
    return ("\n\n".join(parts) + "\n").encode()


def _items(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
