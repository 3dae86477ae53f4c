"""Lines of JSONL sources: files or standard input, plain, gzip or zstd, in flat memory."""

from __future__ import annotations

import os
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import zstandard

STDIN = "-"
MAX_LINE = 64 * 1024 * 1024
"""Bytes of the longest line that is read whole, unless the caller says otherwise."""

_BLOCK = 1 << 18
# A zstd block of four bytes may stand for 128 KiB, so small bites keep memory flat.
_ZSTD_BLOCK = 1 << 12
_GZIP_MAGIC = b"\x1f\x8b"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_ZSTD_WINDOW = 1 << 27


class SourceError(Exception):
    """A source cannot be read, or not to its end.

    Attributes:
        file: the source as the user gave it.
        line: the line at which reading stopped, from 1; 0 if nothing was read.
        message: what was found, what was expected, and what to do.
    """

    def __init__(self, file: str, line: int, message: str) -> None:
        super().__init__(f"{file}: {message}" if not line else f"{file}, line {line}: {message}")
        self.file = file
        self.line = line
        self.message = message


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a source.

    Attributes:
        file: the source as the user gave it.
        number: from 1 in each file; lines end at line feeds only.
        data: the bytes without its line feed; None where the line is longer than allowed.
        size: the line's length in bytes, whether it was kept or not.
    """

    file: str
    number: int
    data: bytes | None
    size: int


def check_sources(sources: Sequence[str]) -> list[SourceError]:
    """Return what keeps sources from being opened, one error for each, nothing read."""
    errors = []
    for source in sources:
        if source == STDIN:
            if list(sources).count(STDIN) > 1:
                errors.append(SourceError(source, 0, "standard input can be read only once"))
                break
            continue
        path = Path(source)
        if path.is_dir():
            errors.append(
                SourceError(source, 0, "is a folder; expected a JSONL file, give its files by name")
            )
        elif not path.exists():
            errors.append(SourceError(source, 0, "no such file; check the path"))
        elif not os.access(path, os.R_OK):
            errors.append(SourceError(source, 0, "may not be read; check its permissions"))
    return errors


def read_lines(
    source: str,
    *,
    max_line: int = MAX_LINE,
    stdin: BinaryIO | None = None,
    progress: Callable[[int], None] | None = None,
) -> Iterator[Line]:
    """Yield the lines of a source.

    A line longer than ``max_line`` bytes is passed over without being held; its ``data`` is
    None. What is compressed is told by its first bytes, not by its name. ``stdin`` stands
    for ``-``; by default the process's standard input. ``progress`` is called with the
    number of bytes read from the source (compressed ones where it is compressed).

    Raises:
        SourceError: the source can't be opened or read, or is broken or cut off.
    """
    if max_line < 1:
        raise ValueError(f"max_line must be 1 or more, found {max_line!r}")
    number = 0
    try:
        if source == STDIN:
            stream = sys.stdin.buffer if stdin is None else stdin
            for number, line in enumerate(_lines(_decoded(stream, progress), max_line), 1):
                yield Line(source, number, *line)
        else:
            with open(source, "rb") as stream:
                for number, line in enumerate(_lines(_decoded(stream, progress), max_line), 1):
                    yield Line(source, number, *line)
    except OSError as error:
        raise SourceError(source, number, f"can't be read: {error.strerror or error}") from None
    except (zlib.error, zstandard.ZstdError, EOFError) as error:
        raise SourceError(
            source,
            number + 1,
            f"the compressed data is broken ({_fault(error)}); expected a whole gzip or zstd file,"
            " get it again or unpack what is left yourself",
        ) from None


def _fault(error: Exception) -> str:
    """Return what is wrong with compressed data, whatever the library's words for it."""
    words = str(error)
    if isinstance(error, EOFError):
        return words
    if "checksum" in words or "incorrect data check" in words:
        return "its checksum doesn't fit what it holds"
    if "too much memory" in words:
        return f"it takes a window of more than {_ZSTD_WINDOW >> 20} MiB to unpack"
    return "some of its bytes are garbled"


def _lines(blocks: Iterator[bytes], limit: int) -> Iterator[tuple[bytes | None, int]]:
    """Yield (line or None if too long, its length) of a stream of bytes."""
    held: list[bytes] = []
    size = 0
    for block in blocks:
        pieces = block.split(b"\n")
        last = pieces.pop()
        for piece in pieces:
            if held or size:
                size += len(piece)
                held.append(piece)
                yield (b"".join(held) if size <= limit else None), size
                held, size = [], 0
            else:
                yield (piece if len(piece) <= limit else None), len(piece)
        size += len(last)
        if size > limit:
            held = []
        elif last:
            held.append(last)
    if size:
        yield (b"".join(held) if size <= limit else None), size


def _decoded(stream: BinaryIO, progress: Callable[[int], None] | None) -> Iterator[bytes]:
    """Return a stream's blocks, unpacked if its first bytes say that it is packed."""
    head = b""
    while len(head) < 4:
        more = stream.read(4 - len(head))
        if not more:
            break
        head += more
    if head[:2] == _GZIP_MAGIC:
        return _gunzip(_blocks(head, stream, _BLOCK, progress))
    if head == _ZSTD_MAGIC:
        return _unzstd(_blocks(head, stream, _ZSTD_BLOCK, progress))
    return _blocks(head, stream, _BLOCK, progress)


def _blocks(
    head: bytes, stream: BinaryIO, size: int, progress: Callable[[int], None] | None
) -> Iterator[bytes]:
    block = head
    while block:
        if progress is not None:
            progress(len(block))
        yield block
        block = stream.read(size)


def _gunzip(blocks: Iterator[bytes]) -> Iterator[bytes]:
    inflate = zlib.decompressobj(31)
    fresh = True
    first = True
    for block in blocks:
        full = False
        while block or full:
            if fresh and not first:
                # Padding with zeros between and after members is allowed.
                block = block.lstrip(b"\0")
                if not block:
                    break
            out = inflate.decompress(block, _BLOCK)
            fresh = first = False
            full = len(out) == _BLOCK
            if out:
                yield out
            if inflate.eof:
                block = inflate.unused_data
                inflate = zlib.decompressobj(31)
                fresh = True
                full = False
            else:
                block = inflate.unconsumed_tail
    if not fresh:
        raise EOFError("it ends in the middle")


def _unzstd(blocks: Iterator[bytes]) -> Iterator[bytes]:
    packed = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW)
    frame = packed.decompressobj()
    fresh = True
    for block in blocks:
        while block:
            out = frame.decompress(block)
            fresh = False
            if out:
                yield out
            block = b""
            if frame.eof:
                block = frame.unused_data
                frame = packed.decompressobj()
                fresh = True
    if not fresh:
        raise EOFError("it ends in the middle")
