"""Version numbers (Semantic Versioning 2.0.0), as far as releases of rows need them."""

from __future__ import annotations

import re
from dataclasses import dataclass

NONE = "none"
PATCH = "patch"
MINOR = "minor"
MAJOR = "major"
STEPS = (NONE, PATCH, MINOR, MAJOR)
"""From the smallest to the largest."""

_SPELLING = re.compile(
    r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)"
    r"(?:-((?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*))*))?"
    r"(?:\+[\dA-Za-z-]+(?:\.[\dA-Za-z-]+)*)?",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Version:
    """A version; ``early`` is the text after the hyphen, "" for a final one."""

    major: int
    minor: int
    patch: int
    early: str = ""

    @classmethod
    def parse(cls, text: str) -> Version:
        """Read a version.

        Raises:
            ValueError: it isn't spelled as Semantic Versioning spells them.
        """
        found = _SPELLING.fullmatch(text)
        if found is None:
            raise ValueError(f"{text!r} is no version such as 1.0.0")
        major, minor, patch, early = found.groups()
        return cls(int(major), int(minor), int(patch), early or "")

    def __str__(self) -> str:
        return ".".join(map(str, self.core)) + (f"-{self.early}" if self.early else "")

    @property
    def core(self) -> tuple[int, int, int]:
        """Return the three numbers."""
        return self.major, self.minor, self.patch

    def is_later(self, other: Version) -> bool:
        """Tell whether this version comes after another one."""
        return self._order() > other._order()

    def _order(self) -> tuple[tuple[int, int, int], bool, list[tuple[bool, int, str]]]:
        # Numbers stand before words, fewer parts before more, and a final version last.
        parts = [
            (False, int(part), "") if part.isdecimal() else (True, 0, part)
            for part in self.early.split(".")
            if part
        ]
        return self.core, not self.early, parts

    def after(self, step: str) -> Version:
        """Return the next final version after a step, such as 1.1.0 after 1.0.3 and `MINOR`."""
        if step == NONE:
            return self
        if step == MAJOR:
            # Before 1.0.0 nothing is promised: a minor step may break anything.
            return Version(self.major + 1, 0, 0) if self.major else Version(0, self.minor + 1, 0)
        if step == MINOR:
            return Version(self.major, self.minor + 1, 0)
        return Version(self.major, self.minor, self.patch + 1)


def step_between(old: Version, new: Version) -> str:
    """Return the step from one version to a later or equal one."""
    for step, a, b in zip((MAJOR, MINOR, PATCH), old.core, new.core, strict=True):
        if a != b:
            return step
    return PATCH if new.early != old.early else NONE


def suffices(old: Version, new: Version, demanded: str) -> bool:
    """Tell whether the step between two versions is as large as what is demanded.

    From and to an early version such as 2.0.0-rc.1 of one number, everything may change.
    """
    if demanded == NONE:
        return not old.is_later(new)
    if not new.is_later(old):
        return False
    if old.early and old.core == new.core:
        return True
    made = STEPS.index(step_between(old, new))
    needed = STEPS.index(demanded)
    return made >= (min(needed, STEPS.index(MINOR)) if old.major == 0 else needed)
