"""Reads JSON Lines, gzipped or not: one object a line, whatever stands in the others."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path

from scoring.json_text import Json, loads_lenient
from scoring.refusal import Problem, Refusal

Read = tuple[str, dict[str, Json] | Problem]
"""Where a record stands, and the record or why there is none."""


def read_lines(path: Path) -> Iterator[Read]:
    """Yield each line that isn't blank, as an object or as a problem; one is in memory.

    Raises:
        Refusal: the file can't be read, or its compressed data is broken.
    """
    number = 0
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if not line.isspace():
                    where = f"{path}:{number}"
                    yield where, _record(where, line)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise Refusal(
            f"{path}, after line {number}",
            f"the compressed data is broken ({str(error).rstrip('.').lower()})",
            "a whole gzip file",
            "get it again, or unpack what is left of it yourself",
        ) from None
    except OSError as error:
        raise refuse_os_error(error, path) from None


def _record(where: str, line: bytes) -> dict[str, Json] | Problem:
    try:
        value = loads_lenient(line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        found = f"byte 0x{line[error.start]:02x} at byte {error.start} is no UTF-8"
        return Problem(where, found, "text in UTF-8")
    except ValueError as error:
        return Problem(where, f"no JSON: {error}", "one JSON object")
    if not isinstance(value, dict):
        return Problem(where, f"a JSON {_KINDS[type(value)]}", "one JSON object")
    return value


_KINDS = {
    list: "array",
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    type(None): "null",
}


def refuse_os_error(error: OSError, path: Path) -> Refusal:
    """Word an operating system's error."""
    return Refusal(
        str(error.filename or path),
        (error.strerror or str(error) or type(error).__name__).lower(),
        "a file or folder that can be read, or written with enough room left",
        "check the path, its permissions and the free space",
    )
