"""Refusals: what a user meets instead of a traceback."""

from __future__ import annotations


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


def refuse_os_error(error: OSError, where: str, *, resumes: bool = False) -> Refusal:
    """Word an operating system's error; ``resumes`` if the same command goes on afterwards."""
    place = str(error.filename) if error.filename else where
    then = "; the same command then goes on where it stopped" if resumes else ""
    return Refusal(
        place,
        (error.strerror or str(error) or type(error).__name__).lower(),
        "a file or folder that can be read, or written with enough room left",
        f"check the path, its permissions and the free space{then}",
    )
