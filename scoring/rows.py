"""Reads the rows of a benchmark: a file of them, or the folder of a build or release."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from scoring.json_text import Json
from scoring.lines import Read, read_lines, refuse_os_error
from scoring.parquet import read_records, require_pyarrow
from scoring.refusal import Problem, Refusal, short

SPLITS = ("train", "validation", "test")
PREVIEW = "preview"
"""The folder of a release that repeats a few rows of the others."""

TEXTS = (
    "instance_id",
    "level",
    "query_id",
    "query",
    "tools",
    "history",
    "plan",
    "observations",
    "clean_plan",
    "gold_plan",
)
NUMBERS = ("round_gt", "recovery_round_gt", "funcall_times_gt", "t")
LISTS = ("error_kinds", "errors")
COLUMNS = (*TEXTS, *NUMBERS, *LISTS)
"""The columns that scoring reads; see ``docs/rows.md``."""

_FORMATS = (".jsonl", ".jsonl.gz", ".parquet")
_FILE = re.compile(
    rf"(?P<split>{'|'.join(SPLITS)})(?:-\d+-of-\d+)?(?P<format>{'|'.join(_FORMATS)})"
)


@dataclass(frozen=True, slots=True)
class RowFile:
    """A file of rows; ``split`` and ``level`` are "" where its name doesn't tell."""

    path: Path
    split: str
    level: str

    @property
    def is_parquet(self) -> bool:
        """Whether pyarrow is needed."""
        return self.path.suffix == ".parquet"


def find_files(path: Path, *, split: str | None = None, level: str | None = None) -> list[RowFile]:
    """Return the files that hold the rows asked for, in order of level and split.

    Args:
        path: a file (``.jsonl``, ``.jsonl.gz``, ``.parquet``) or a folder with
            ``data/LEVEL/SPLIT-*.parquet``, ``SPLIT.jsonl`` or ``SPLIT.jsonl.gz``. Where a
            split is there in several formats, JSON Lines are read. A release's preview is
            left out: its rows stand in the levels, too.
        split: train, validation or test; None for all.
        level: ``level1`` or ``level2``; None for all.

    Raises:
        Refusal: there are none.
    """
    if path.is_dir():
        return _find_in_folder(path, split, level)
    if not path.exists():
        raise Refusal(
            str(path),
            "no such file or folder",
            "rows: a file, or the folder of a build or release",
            "check the path; `build-level1` makes such a folder",
        )
    if not path.name.endswith(_FORMATS):
        raise Refusal(
            str(path), "a file of an unknown format", f"one of {', '.join(_FORMATS)}", "convert it"
        )
    named = _FILE.fullmatch(path.name)
    own_split = named["split"] if named else ""
    if split is not None and own_split != split:
        raise Refusal(
            str(path),
            f"no rows of the split {split}" if own_split else "its name doesn't tell its split",
            f"a folder of splits, or a file named {split}.jsonl, {split}.jsonl.gz or "
            f"{split}-*.parquet",
            "leave --split out, or give the folder",
        )
    return [RowFile(path, own_split, "")]


def _find_in_folder(folder: Path, split: str | None, level: str | None) -> list[RowFile]:
    try:
        found = _list_files(folder)
    except OSError as error:
        raise refuse_os_error(error, folder) from None
    if not found:
        raise Refusal(
            str(folder),
            "no rows",
            "files such as data/level1/test-00000-of-00001.parquet or data/level1/test.jsonl.gz",
            "give the folder that a build wrote",
        )
    files = [
        file
        for file in found
        if split in (None, file.split) and (level is None or file.level in ("", level))
    ]
    if not files:
        there = ", ".join(dict.fromkeys(f"{file.level or '?'}/{file.split}" for file in found))
        raise Refusal(
            str(folder),
            f"no rows of {level or 'any level'}, {split or 'any split'}",
            f"one of {there}",
            "give another --level or --split",
        )
    for file in files:
        if file.is_parquet:
            require_pyarrow(file.path)
    return files


def _list_files(folder: Path) -> list[RowFile]:
    base = folder / "data" if (folder / "data").is_dir() else folder
    by_format: dict[tuple[str, str], dict[str, list[Path]]] = {}
    for path in sorted([*base.iterdir(), *base.glob("*/*")]):
        named = _FILE.fullmatch(path.name)
        level = path.parent.name if path.parent != base else ""
        if named and level != PREVIEW and path.is_file():
            formats = by_format.setdefault((level, named["split"]), {})
            formats.setdefault(named["format"], []).append(path)
    return [
        RowFile(path, split, level)
        for (level, split), formats in sorted(
            by_format.items(), key=lambda item: (item[0][0], SPLITS.index(item[0][1]))
        )
        for path in formats[next(format for format in _FORMATS if format in formats)]
    ]


def read_rows(file: RowFile, *, level: str | None = None) -> Iterator[Read]:
    """Yield a file's rows of a level (None for all), each as a record or as a problem.

    Raises:
        Refusal: the file can't be read.
    """
    for where, record in _read(file):
        problem = record if isinstance(record, Problem) else _check(where, record)
        if problem is not None:
            yield where, problem
        elif isinstance(record, dict) and level in (None, record["level"]):
            yield where, record


def _read(file: RowFile) -> Iterator[Read]:
    if not file.is_parquet:
        yield from read_lines(file.path)
        return
    for number, record in enumerate(read_records(file.path, COLUMNS), 1):
        yield f"{file.path}, row {number}", record


def _check(where: str, record: dict[str, Json]) -> Problem | None:
    missing = [column for column in COLUMNS if column not in record]
    if missing:
        return Problem(where, f"lacks {', '.join(missing)}", "the columns of docs/rows.md")
    for columns, kind, expected in _KINDS:
        for column in columns:
            if not isinstance(record[column], kind):
                return Problem(where, f"/{column} is {short(record[column])}", expected)
    return None


_KINDS: tuple[tuple[tuple[str, ...], type, str], ...] = (
    (TEXTS, str, "a text"),
    (NUMBERS, int, "an integer"),
    (LISTS, list, "a list"),
)
