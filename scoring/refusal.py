"""What a user meets instead of a traceback: refusals, and lines that can't be used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

SHOWN = 10
"""Problems that a message names one by one; the others are counted."""


class Refusal(Exception):
    """An input, a folder or an option that can't be worked with.

    Attributes:
        where: file, line, option or folder.
        found: what stands there.
        expected: what should stand there.
        remedy: what the user can do.
    """

    def __init__(self, where: str, found: str, expected: str, remedy: str) -> None:
        super().__init__(where, found, expected, remedy)
        self.where = where
        self.found = found
        self.expected = expected
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.where}: {self.found}\n  expected: {self.expected}\n  to do:    {self.remedy}"


@dataclass(frozen=True, slots=True)
class Problem:
    """A record that can't be used: where it stands, what was found, what was expected."""

    where: str
    found: str
    expected: str

    def __str__(self) -> str:
        return f"{self.where}: {self.found}; expected {self.expected}"


def listed(problems: Sequence[object]) -> str:
    """Return the first problems, one a line, and how many more there are."""
    lines = [f"  {problem}" for problem in problems[:SHOWN]]
    if len(problems) > SHOWN:
        lines.append(f"  … and {len(problems) - SHOWN:,} more")
    return "\n".join(lines)


def short(value: object) -> str:
    """Return a value's spelling, cut where it is long."""
    text = ascii(value)
    return text if len(text) <= 60 else text[:57] + "..."
