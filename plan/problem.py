"""Problems found in a record: collected, never raised one at a time."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong, where, and what would be right.

    ``path`` is a JSON Pointer into the record; ``code`` a stable word for scripts;
    ``message`` says what was found and what was expected.
    """

    code: str
    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path or '/'}: {self.message} [{self.code}]"
