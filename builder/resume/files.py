"""Files and folders that appear whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from builder.refusal import Refusal

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


@contextmanager
def whole_folder(out: Path) -> Iterator[Path]:
    """Yield a folder beside ``out`` that takes its place once the block has gone well.

    Raises:
        Refusal: ``out`` is no folder, or holds something; it is ``--out`` in the message.
    """
    if out.exists() and not out.is_dir():
        raise Refusal(f"--out {out}", "not a folder", "a new or empty folder", "choose another")
    names = sorted(path.name for path in out.iterdir()) if out.is_dir() else []
    if names:
        raise Refusal(
            f"--out {out}",
            f"holds {', '.join(names[:3])}{', …' if len(names) > 3 else ''}",
            "a new or empty folder",
            "choose another folder; nothing was touched",
        )
    out = out.absolute()
    out.parent.mkdir(parents=True, exist_ok=True)
    folder = out.parent / f".{out.name}.{os.getpid()}.tmp"
    folder.mkdir()
    try:
        yield folder
        os.replace(folder, out)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def digest(path: Path) -> tuple[str, int]:
    """Return a file's SHA-256 in hexadecimal and its size in bytes."""
    state, size = sha256(), 0
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            state.update(block)
            size += len(block)
    return state.hexdigest(), size
