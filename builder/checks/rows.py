"""A release's rows: the same in both formats, each once, groups in one split, none too large."""

from __future__ import annotations

import gzip
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from builder.checks.files import AGAIN
from builder.checks.manifest import CONFIGS, PREVIEW
from builder.checks.outcome import Check, Findings
from builder.parquet import schema
from builder.release.data import MOST_ROW_BYTES
from builder.splits import NAMES
from plan.json_text import Json, dump_bytes, loads

if TYPE_CHECKING:
    from builder.pipeline import Advance, Progress

# Where a whole file has slipped by one row, its first rows say so.
MOST_DIFFERENT = 5

BATCH_ROWS = 64

_PARQUET = re.compile(r"(?P<split>\w+)-(?P<number>\d{5})-of-(?P<of>\d{5})\.parquet", re.ASCII)
_LINES = re.compile(r"(?P<split>\w+)\.jsonl\.gz", re.ASCII)


@dataclass(frozen=True, slots=True)
class Part:
    """The files of one split of one config, by their paths in the release."""

    config: str
    split: str
    parquet: tuple[str, ...]
    lines: str | None


def list_parts(names: Sequence[str], findings: Findings) -> list[Part]:
    """Return the splits of all configs; what doesn't belong under ``data/`` is a problem."""
    pieces: dict[tuple[str, str], list[tuple[int, int, str]]] = {}
    lines: dict[tuple[str, str], str] = {}
    for name in names:
        folder, *rest = name.split("/")
        if folder != "data":
            continue
        config, file = (rest[0], rest[1]) if len(rest) == 2 else ("", "")
        table, text = _PARQUET.fullmatch(file), _LINES.fullmatch(file)
        found = table or text
        if config not in CONFIGS or found is None or found["split"] not in NAMES:
            findings.add(
                name,
                "it is no file of rows",
                "CONFIG/SPLIT-00000-of-00001.parquet or CONFIG/SPLIT.jsonl.gz, of the configs "
                f"{', '.join(CONFIGS)} and the splits {', '.join(NAMES)}",
                AGAIN,
            )
        elif table:
            own = pieces.setdefault((config, table["split"]), [])
            own.append((int(table["number"]), int(table["of"]), name))
        else:
            lines[config, found["split"]] = name
    parts = []
    for config, split in sorted(
        pieces.keys() | lines.keys(), key=lambda key: (CONFIGS.index(key[0]), NAMES.index(key[1]))
    ):
        own = sorted(pieces.get((config, split), ()))
        if [(number, of) for number, of, _ in own] != [(i, len(own)) for i in range(len(own))]:
            findings.add(
                f"data/{config}/{split}-*.parquet",
                ", ".join(name.rpartition("/")[2] for _, _, name in own),
                "all of one series, numbered from 00000",
                AGAIN,
            )
        text_file = lines.get((config, split))
        if not own or (text_file is None and config != PREVIEW):
            findings.add(
                f"data/{config}/{split}{'.jsonl.gz' if own else '-*.parquet'}",
                "there is no such file",
                "every split as Parquet and as JSON Lines",
                AGAIN,
            )
        parts.append(Part(config, split, tuple(name for _, _, name in own), text_file))
    return parts


@dataclass(slots=True)
class Seen:
    """What is kept of the rows: a few short hashes of each.

    Attributes:
        counts: rows by config and split, as Parquet holds them.
        ids: where each id stands, the preview's left out.
        trained: digests of the rows of all ``train`` splits, for the preview.
        queries: by config and query, its split.
        lines: rows compared with JSON Lines.
    """

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    ids: dict[str, str] = field(default_factory=dict)
    trained: set[bytes] = field(default_factory=set)
    queries: dict[tuple[str, bytes], tuple[str, str]] = field(default_factory=dict)
    lines: int = 0


def check_rows(
    folder: Path, names: Sequence[str], progress: Progress
) -> tuple[Check, Mapping[tuple[str, str], int]]:
    """Read all rows in both formats; return also how many stand where."""
    findings, seen = Findings(), Seen()
    parts = list_parts(names, findings)
    total = sum(_rows_said(folder / name) for part in parts for name in part.parquet)
    with progress("reading rows", total, "row") as advance:
        # The preview stands last: it is compared with the rows before it.
        for part in parts:
            _check_part(folder, part, seen, findings, advance)
    _note_shared(seen, findings)
    if not seen.counts:
        findings.add("data/", "no rows", "at least one row", AGAIN)
    words = f"{sum(seen.counts.values())} rows, {seen.lines} of them in both formats"
    return Check.of("rows", words, findings), seen.counts


def _rows_said(path: Path) -> int:
    try:
        return int(pq.read_metadata(path).num_rows)
    except (OSError, pa.ArrowException):
        return 0  # The reading itself says what is wrong.


def _check_part(folder: Path, part: Part, seen: Seen, findings: Findings, advance: Advance) -> None:
    records = _records(folder, part.parquet, findings)
    different = 0
    lines = _lines(folder, part.lines, findings) if part.lines is not None else None
    if lines is None:
        for file, number, record in records:
            _take(part, f"{file}, row {number}", record, seen, findings)
            advance(1)
        return
    for row, line in zip_longest(records, lines):
        if row is None or line is None:
            name = part.lines if row is None else row[0]
            number = line[0] if row is None else row[1]
            findings.add(
                f"{name}, row {number}",
                f"it has no counterpart in {part.parquet[0] if part.parquet else 'Parquet'}…"
                if row is None
                else f"it has no counterpart in {part.lines}",
                "the same rows in both formats, in the same order",
                AGAIN,
            )
            break
        file, number, record = row
        text = dump_bytes(record)
        where = f"{part.lines}, line {line[0]}"
        if text != line[1] and different < MOST_DIFFERENT:
            problem = _difference(record, line[1])
            if problem:
                different += 1
                findings.add(where, problem, f"the same as {file}, row {number}", AGAIN)
        if len(text) > MOST_ROW_BYTES:
            findings.add(
                f"{file}, row {number}: {record['instance_id']}",
                f"{len(text):,} bytes of JSON",
                f"{MOST_ROW_BYTES:,} at most",
                "leave the row's trajectory out of the source, and build again",
            )
        seen.lines += 1
        _take(part, f"{file}, row {number}", record, seen, findings)
        advance(1)
    for file, number, record in records:
        _take(part, f"{file}, row {number}", record, seen, findings)
        advance(1)


def _difference(record: Mapping[str, Json], line: bytes) -> str:
    """Return how a line differs from a row; "" if only its spelling does."""
    try:
        other = loads(line)
    except ValueError as error:
        return f"no JSON: {error}"
    if not isinstance(other, dict):
        return "no object"
    columns = [
        column
        for column in {**record, **other}
        if column not in record
        or column not in other
        or dump_bytes(record[column]) != dump_bytes(other[column])
    ]
    if not columns:
        return ""
    return f"{other.get('instance_id')}: another {', '.join(columns)}"


def _records(
    folder: Path, names: Sequence[str], findings: Findings
) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """Yield (file, number from 1, record) of a split's rows, few of them in memory."""
    expected = schema()
    for name in names:
        try:
            with pq.ParquetFile(folder / name) as file:
                if not file.schema_arrow.equals(expected):
                    findings.add(
                        name,
                        _other_columns(file.schema_arrow, expected),
                        "the columns of docs/rows.md",
                        AGAIN,
                    )
                    continue
                number = 0
                for batch in file.iter_batches(BATCH_ROWS):
                    for record in batch.to_pylist():
                        number += 1
                        yield name, number, record
        except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
            findings.add(name, f"it can't be read: {_first_line(error)}", "Parquet", AGAIN)


def _other_columns(found: pa.Schema, expected: pa.Schema) -> str:
    said = {column.name: str(column.type) for column in found}
    wanted = {column.name: str(column.type) for column in expected}
    words = [f"no {name}" for name in wanted if name not in said]
    words += [f"{name}, which no row has" for name in said if name not in wanted]
    words += [
        f"{name} of type {kind}" for name, kind in said.items() if wanted.get(name, kind) != kind
    ]
    return "; ".join(words) or "the columns in another order"


def _lines(folder: Path, name: str, findings: Findings) -> Iterator[tuple[int, bytes]]:
    number = 0
    try:
        with gzip.open(folder / name, "rb") as file:
            for line in file:
                number += 1
                yield number, line.rstrip(b"\n")
    except (OSError, EOFError, zlib.error) as error:
        findings.add(
            f"{name}, line {number + 1}",
            f"it can't be read: {_first_line(error)}",
            "JSON Lines, compressed by gzip",
            AGAIN,
        )


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def _take(
    part: Part, where: str, record: Mapping[str, Any], seen: Seen, findings: Findings
) -> None:
    """Compare a row with all rows before it."""
    seen.counts[part.config, part.split] += 1
    id = record["instance_id"]
    if part.config == PREVIEW:
        if _digest(dump_bytes(record)) not in seen.trained:
            findings.add(
                f"{where}: {id}",
                "no train split has this row",
                "rows of the train splits, as they stand there",
                AGAIN,
            )
        return
    if part.split == NAMES[0]:
        seen.trained.add(_digest(dump_bytes(record)))
    first = seen.ids.setdefault(id, where)
    if first != where:
        findings.add(f"{where}: {id}", f"it stands in {first} already", "each row once", AGAIN)
    query = _digest(str(record["query"]).encode())
    split, other = seen.queries.setdefault((part.config, query), (part.split, where))
    if split != part.split:
        findings.add(
            f"{where}: {id}",
            f"its query stands in {split} too: {other}",
            "all rows of a query in one split",
            AGAIN,
        )


def _note_shared(seen: Seen, findings: Findings) -> None:
    """Note queries that stand in other splits of another config."""
    splits: dict[bytes, set[str]] = {}
    for (_, query), (split, _) in seen.queries.items():
        splits.setdefault(query, set()).add(split)
    shared = sum(len(own) > 1 for own in splits.values())
    if shared:
        findings.notes.append(
            f"{shared} queries stand in different splits of different configs: who trains on one "
            "config must not test on another"
        )


def _digest(text: bytes) -> bytes:
    return blake2b(text, digest_size=16).digest()
