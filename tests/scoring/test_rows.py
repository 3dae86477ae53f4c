"""Rows are read alike from every format, and what can't be read is said."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from builder.parquet import tabulate, write_parquet
from plan.row import Row
from scoring.refusal import Problem, Refusal
from scoring.rows import COLUMNS, RowFile, find_files, read_rows
from tests.builder.rows import cascades, rows_of

Record = dict[str, Any]


def scored_columns(row: Row) -> Record:
    return {column: value for column, value in row.to_record().items() if column in COLUMNS}


def write_lines(path: Path, rows: Sequence[Row]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(row.to_record()) + "\n" for row in rows)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text)
    return path


def read_all(files: Sequence[RowFile], level: str | None = None) -> list[Record]:
    """The columns that scoring reads, of rows that must all be readable."""
    found = []
    for file in files:
        for _, record in read_rows(file, level=level):
            assert isinstance(record, dict), record
            found.append({column: record[column] for column in COLUMNS})
    return found


@pytest.fixture
def rows() -> tuple[Row, ...]:
    return (*rows_of("Type_Error", 2), *cascades(2, 2))


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.jsonl.gz", "rows.parquet"])
def test_a_file_of_any_format_gives_the_same_records(
    name: str, rows: tuple[Row, ...], tmp_path: Path
) -> None:
    path = tmp_path / name
    if name.endswith("parquet"):
        write_parquet(path, [tabulate(rows)])
    else:
        write_lines(path, rows)
    assert read_all(find_files(path)) == [scored_columns(row) for row in rows]


def test_a_file_of_both_levels_can_be_narrowed_to_one(
    rows: tuple[Row, ...], tmp_path: Path
) -> None:
    files = find_files(write_lines(tmp_path / "rows.jsonl", rows))
    assert read_all(files, "level2") == [scored_columns(row) for row in rows[2:]]


def test_a_folder_is_read_in_order_of_level_and_split(
    rows: tuple[Row, ...], tmp_path: Path
) -> None:
    data = tmp_path / "data"
    write_lines(data / "level2" / "train.jsonl.gz", rows[2:3])
    write_lines(data / "level2" / "test.jsonl", rows[3:])
    (data / "level1").mkdir()
    write_parquet(data / "level1" / "test-00000-of-00002.parquet", [tabulate(rows[:1])])
    write_parquet(data / "level1" / "test-00001-of-00002.parquet", [tabulate(rows[1:2])])
    # A build's own notes are no rows.
    write_lines(tmp_path / "rejects.jsonl", rows)
    assert read_all(find_files(tmp_path)) == [scored_columns(row) for row in rows]
    assert read_all(find_files(tmp_path, split="test")) == [
        scored_columns(row) for row in (*rows[:2], rows[3])
    ]
    assert read_all(find_files(tmp_path, split="test", level="level2")) == [scored_columns(rows[3])]
    assert find_files(data) == find_files(tmp_path)


def test_a_release_holds_each_row_twice_but_it_is_read_once(
    rows: tuple[Row, ...], tmp_path: Path
) -> None:
    folder = tmp_path / "data" / "level1"
    write_lines(folder / "test.jsonl.gz", rows[:2])
    write_parquet(folder / "test-00000-of-00001.parquet", [tabulate(rows[:2])])
    (file,) = find_files(tmp_path)
    assert not file.is_parquet
    assert len(read_all([file])) == 2


def test_parquet_without_pyarrow_says_what_to_do(
    rows: tuple[Row, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "data" / "level1" / "test-00000-of-00001.parquet"
    path.parent.mkdir(parents=True)
    write_parquet(path, [tabulate(rows)])
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(Refusal, match=r"pip install pyarrow.*jsonl") as caught:
        find_files(tmp_path)
    assert str(path) in str(caught.value)
    with pytest.raises(Refusal, match="pyarrow"):
        list(read_rows(RowFile(path, "test", "level1")))


@pytest.mark.parametrize(
    ("column", "value", "found"),
    [
        ("clean_plan", None, "lacks clean_plan"),
        ("clean_plan", {"tasks": []}, "/clean_plan is {'tasks': []}; expected a text"),
        ("round_gt", "6", "/round_gt is '6'; expected an integer"),
        ("errors", "[]", "/errors is '[]'; expected a list"),
    ],
)
def test_a_record_that_is_no_row_is_named_and_the_others_are_read(
    column: str, value: object, found: str, rows: tuple[Row, ...], tmp_path: Path
) -> None:
    bad = rows[0].to_record()
    if value is None:
        del bad[column]
    else:
        bad[column] = value
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(bad) + "\n\n" + json.dumps(rows[1].to_record()) + "\n")
    (where, problem), (_, good) = read_rows(find_files(path)[0])
    assert where == f"{path}:1"
    assert isinstance(problem, Problem)
    assert found in str(problem)
    assert isinstance(good, dict)
    assert good["instance_id"] == rows[1].instance_id


def test_lines_that_are_no_objects_are_problems_and_byte_order_marks_are_not(
    rows: tuple[Row, ...], tmp_path: Path
) -> None:
    path = tmp_path / "rows.jsonl"
    row = json.dumps(rows[0].to_record()).encode()
    deep = b"[" * 100_000
    path.write_bytes(b"\xef\xbb\xbf" + row + b"\n[1]\n{\n\xff\n" + deep + b'\n{"a":NaN}\n' + row)
    records = [record for _, record in read_rows(find_files(path)[0])]
    assert [isinstance(record, Problem) for record in records] == [False, *[True] * 5, False]
    said = [str(record) for record in records[1:-1]]
    for words, problem in zip(
        ("a JSON array", "no JSON", "byte 0xff at byte 0", "nested too deep", "NaN"),
        said,
        strict=True,
    ):
        assert words in problem


def test_broken_gzip_is_refused_with_its_place(rows: tuple[Row, ...], tmp_path: Path) -> None:
    path = write_lines(tmp_path / "rows.jsonl.gz", rows * 20)
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(Refusal, match=r"after line \d+: the compressed data is broken"):
        list(read_rows(find_files(path)[0]))


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("nowhere", {}, "no such file or folder"),
        ("", {}, "no rows"),
        ("notes.txt", {}, "unknown format"),
        ("rows.jsonl", {"split": "test"}, "doesn't tell its split"),
        ("train.jsonl", {"split": "test"}, "no rows of the split test"),
        ("folder", {"split": "test"}, "one of level1/train"),
        ("folder", {"level": "level2"}, "one of level1/train"),
    ],
)
def test_what_holds_no_rows_is_refused(
    name: str, options: dict[str, str], words: str, rows: tuple[Row, ...], tmp_path: Path
) -> None:
    write_lines(tmp_path / "folder" / "data" / "level1" / "train.jsonl", rows[:1])
    for file in ("notes.txt", "rows.jsonl"):
        write_lines(tmp_path / file, rows)
    if name == "train.jsonl":
        write_lines(tmp_path / name, rows)
    with pytest.raises(Refusal, match=words):
        find_files(tmp_path / name, **options)
