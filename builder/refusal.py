"""Refusals: what a user meets instead of a traceback."""

from __future__ import annotations

from scoring.refusal import Refusal

__all__ = ["Refusal", "refuse_os_error"]


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
