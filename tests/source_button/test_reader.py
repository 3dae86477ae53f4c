"""Lines of plain and packed sources."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from source_button.reader import Line, SourceError, check_sources, read_lines

TEXT = b'{"a": 1}\n\n{"b": "\xe2\x80\xa8"}\r\nlast'
LINES = [b'{"a": 1}', b"", b'{"b": "\xe2\x80\xa8"}\r', b"last"]


def _read(path: Path, max_line: int = 1000) -> list[Line]:
    return list(read_lines(str(path), max_line=max_line))


@pytest.mark.parametrize("packed", ["plain", "gzip", "zstd", "two gzips", "two zstds"])
def test_packed_files_are_told_by_their_first_bytes(tmp_path: Path, packed: str) -> None:
    path = tmp_path / "corpus.jsonl"
    pack = zstandard.ZstdCompressor().compress
    path.write_bytes(
        {
            "plain": TEXT,
            "gzip": gzip.compress(TEXT),
            "zstd": pack(TEXT),
            "two gzips": gzip.compress(TEXT[:11]) + gzip.compress(TEXT[11:]) + b"\0" * 512,
            "two zstds": pack(TEXT[:11]) + pack(TEXT[11:]),
        }[packed]
    )
    assert [line.data for line in _read(path)] == LINES
    assert [line.number for line in _read(path)] == [1, 2, 3, 4]


def test_standard_input_is_read() -> None:
    lines = read_lines("-", stdin=io.BytesIO(gzip.compress(TEXT)))
    assert [line.data for line in lines] == LINES


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.ZstdCompressor().compress])
@pytest.mark.parametrize("how", ["cut off", "garbled"])
def test_broken_packed_files_are_reported(
    tmp_path: Path, pack: Callable[[bytes], bytes], how: str
) -> None:
    path = tmp_path / "broken"
    data = pack(bytes(range(256)) * 4000)
    middle = len(data) // 2
    path.write_bytes(data[:middle] if how == "cut off" else data[:middle] + b"x" * 99)
    with pytest.raises(SourceError, match="compressed data is broken"):
        _read(path)


def test_a_line_that_is_too_long_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    path.write_bytes(b"short\n" + b"x" * 3_000_000 + b"\nshort again\n" + b"y" * 300_000)
    assert [(line.data, line.size) for line in _read(path)] == [
        (b"short", 5),
        (None, 3_000_000),
        (b"short again", 11),
        (None, 300_000),
    ]


def test_sources_that_cannot_be_opened_are_all_reported(tmp_path: Path) -> None:
    errors = check_sources([str(tmp_path), str(tmp_path / "gone"), "-", "-"])
    assert [error.message.split(";")[0] for error in errors] == [
        "is a folder",
        "no such file",
        "standard input can be read only once",
    ]
    with pytest.raises(SourceError):
        _read(tmp_path / "gone")


@given(
    lines=st.lists(st.binary(max_size=40).map(lambda b: b.replace(b"\n", b"")), max_size=8),
    size=st.integers(1, 50),
    last=st.booleans(),
)
def test_lines_are_what_stands_between_line_feeds(
    lines: list[bytes], size: int, last: bool
) -> None:
    class Slow(io.BytesIO):
        def read(self, count: int | None = -1, /) -> bytes:
            return super().read(min(count or 0, 7))

    text = b"\n".join(lines) + (b"\n" if last and lines else b"")
    if text[:2] == b"\x1f\x8b" or text[:4] == b"\x28\xb5\x2f\xfd":
        return
    found = list(read_lines("-", stdin=Slow(text), max_line=size))
    expected = text.split(b"\n")
    if not expected[-1]:
        expected.pop()
    assert [line.size for line in found] == [len(line) for line in expected]
    assert [line.data for line in found] == [
        line if len(line) <= size else None for line in expected
    ]
