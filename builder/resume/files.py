"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

BLOCK = 1 << 20


@contextmanager
def whole(path: Path, folder: Path | None = None) -> Iterator[Path]:
    """Yield a temporary path that takes the file's place once the block has gone well.

    Args:
        path: the file.
        folder: where the temporary file stands, on the same file system; else beside it.
    """
    temporary = (folder or path.parent) / f".{path.name}.{os.getpid()}.tmp"
    try:
        yield temporary
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_whole(path: Path, data: bytes, folder: Path | None = None) -> None:
    """Write a file so that it is never seen half written."""
    with whole(path, folder) as temporary:
        temporary.write_bytes(data)


def digest(path: Path) -> tuple[str, int]:
    """Return a file's SHA-256 in hexadecimal and its size in bytes."""
    state, size = sha256(), 0
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            state.update(block)
            size += len(block)
    return state.hexdigest(), size
