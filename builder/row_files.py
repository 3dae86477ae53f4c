"""Rows from whatever holds them: a build, a release, a file of JSON Lines or Parquet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path

from builder.parquet import read_rows as read_parquet
from builder.refusal import Refusal
from plan.json_text import dump_bytes
from plan.row import Row
from scoring.refusal import Problem
from scoring.rows import RowFile, find_files
from scoring.rows import read_rows as read_records


def choose_rows(
    path: Path, *, level: str | None = None, split: str | None = None, limit: int | None = None
) -> Iterator[Row]:
    """Yield rows in the files' order, one row group in memory at a time.

    Args:
        path: a build's or a release's folder, or a file of rows.
        level: level1 or level2; None for both.
        split: train, validation or test; None for all.
        limit: the most rows of each level; None for all.

    Raises:
        Refusal: there are none, one can't be read, or an id stands twice.
    """
    taken: dict[str, int] = {}
    known: set[str] = set()
    for file in find_files(path, level=level, split=split):
        for row in _read(file):
            if level not in (None, row.level):
                continue
            taken[row.level] = taken.get(row.level, 0) + 1
            if limit is not None and taken[row.level] > limit:
                continue
            if row.instance_id in known:
                raise Refusal(
                    str(file.path),
                    f"the id {row.instance_id} stands twice",
                    "each id once",
                    "build the rows again, or get them again",
                )
            known.add(row.instance_id)
            yield row
    if not known:
        raise Refusal(
            str(path),
            f"no rows of {level or 'any level'} in {split or 'any split'}",
            "at least one row",
            "give another --level or --split, or build more rows",
        )


class Hashed:
    """Rows as they pass, and a hash of them, labels included."""

    __slots__ = ("_rows", "_state")

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows = rows
        self._state = sha256()

    def __iter__(self) -> Iterator[Row]:
        for row in self._rows:
            self._state.update(dump_bytes(row.to_record()) + b"\n")
            yield row

    def digest(self) -> str:
        """Return the hash of the rows that have passed."""
        return self._state.hexdigest()[:32]


def _read(file: RowFile) -> Iterator[Row]:
    if file.is_parquet:
        try:
            yield from read_parquet(file.path)
        except ValueError as error:
            raise Refusal(
                str(file.path),
                str(error),
                "rows as a build writes them",
                "build the rows again, or get them again",
            ) from None
        return
    for where, record in read_records(file):
        if isinstance(record, Problem):
            raise Refusal(
                record.where, record.found, record.expected, "repair the file, or get it again"
            )
        try:
            yield Row.from_record(record)
        except (KeyError, TypeError) as error:
            raise Refusal(
                where,
                f"no row: {error}",
                "all columns of docs/rows.md",
                "give rows with their labels; without them nothing can be executed",
            ) from None
