"""Rows in files: Arrow for a build's own shards, Parquet for what is published.

There is one way to write Parquet, so that a file's bytes depend on its rows and on the
versions of the libraries, never on the route that the rows took.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, islice
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from plan.row import COLUMNS, ERROR_FIELDS, Row

ROW_GROUP_ROWS = 500
# Rows may hold results of several megabytes; a group ends early rather than fill memory.
ROW_GROUP_BYTES = 64 << 20
# Repaired rows are fetched one by one: small batches keep that cheap.
BATCH_ROWS = 64

_INTEGERS = frozenset(
    {"round_gt", "recovery_round_gt", "funcall_times_gt", "t", "rounds", "seed", "round", "root"}
)
# Long texts hardly ever repeat: a dictionary of them is built only to be thrown away, and
# their least and greatest values help nobody to skip anything.
_REPEATED = [
    "level",
    "query_id",
    "source_kind",
    "downstream",
    "error_kinds.list.element",
    "errors.list.element.kind",
    "errors.list.element.dimension",
    "errors.list.element.visibility",
    "errors.list.element.origin",
]
_COMPARED = [
    "instance_id",
    "query_id",
    "source_id",
    "error_kinds.list.element",
    *sorted(_INTEGERS - {"round", "root"}),
]


def _type(column: str) -> pa.DataType:
    if column in _INTEGERS:
        return pa.int64()
    if column in ("error_kinds", "affected"):
        return pa.list_(pa.string())
    if column == "errors":
        return pa.list_(pa.struct([(field, _type(field)) for field in ERROR_FIELDS]))
    return pa.string()


def schema() -> pa.Schema:
    """Return the columns' types: text, 64-bit integers, lists of text, list of structs."""
    return pa.schema([(column, _type(column)) for column in COLUMNS])


def tabulate(rows: Sequence[Row]) -> pa.Table:
    """Return rows as a table of one chunk."""
    columns = schema()
    arrays = [
        _errors(rows, field.type)
        if field.name == "errors"
        else pa.array([getattr(row, field.name) for row in rows], type=field.type)
        for field in columns
    ]
    return pa.Table.from_arrays(arrays, schema=columns)


def _errors(rows: Sequence[Row], kind: pa.DataType) -> pa.Array:
    # Column by column: Arrow takes ten times as long over a dictionary for each error.
    errors = [error for row in rows for error in row.errors]
    fields = list(kind.value_type)
    structs = pa.StructArray.from_arrays(
        [
            pa.array([getattr(error, field.name) for error in errors], type=field.type)
            for field in fields
        ],
        fields=fields,
    )
    offsets = [0, *accumulate(len(row.errors) for row in rows)]
    return pa.ListArray.from_arrays(pa.array(offsets, type=pa.int32()), structs, type=kind)


def write_shard(path: Path, rows: Sequence[Row]) -> None:
    """Write rows as an Arrow file, to be read by `take_rows`."""
    table = tabulate(rows)
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    with (
        pa.OSFile(str(path), "wb") as sink,
        pa.ipc.new_file(sink, table.schema, options=options) as writer,
    ):
        writer.write_table(table, max_chunksize=BATCH_ROWS)


def take_rows(places: Iterable[tuple[Path, Sequence[int]]]) -> Iterator[pa.Table]:
    """Yield tables of the rows at the given indices of Arrow files, in order."""
    batches = _Batches()
    rows = ((path, index) for path, indices in places for index in indices)
    while chunk := list(islice(rows, BATCH_ROWS)):
        yield _gathered(chunk, batches)


def _gathered(rows: Sequence[tuple[Path, int]], batches: _Batches) -> pa.Table:
    """Return a table of rows, each given by its file and its index there."""
    wanted: dict[tuple[Path, int], list[int]] = {}
    for place, (path, index) in enumerate(rows):
        wanted.setdefault((path, index // BATCH_ROWS), []).append(place)
    taken = [
        batches.get(path, number).take(
            pa.array([rows[place][1] % BATCH_ROWS for place in own], type=pa.int64())
        )
        for (path, number), own in wanted.items()
    ]
    table = pa.Table.from_batches(taken)
    order = [place for own in wanted.values() for place in own]
    if len(taken) > 1:
        back = sorted(range(len(order)), key=order.__getitem__)
        table = table.combine_chunks().take(pa.array(back, type=pa.int64()))
    return table


class _Batches:
    """Batches of Arrow files; the latest are kept, as long as they fit into a row group's bytes.

    Rows that were built in a repairing pass stand between rows of the first.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[Path, int], pa.RecordBatch] = {}
        self._size = 0

    def get(self, path: Path, number: int) -> pa.RecordBatch:
        batch = self._kept.pop((path, number), None)
        if batch is None:
            with pa.OSFile(str(path), "rb") as source:
                batch = pa.ipc.open_file(source).get_batch(number)
            self._size += batch.nbytes
        self._kept[path, number] = batch  # the latest stands last
        while self._size > ROW_GROUP_BYTES and len(self._kept) > 1:
            oldest = next(iter(self._kept))
            self._size -= self._kept.pop(oldest).nbytes
        return batch


def write_parquet(path: Path, tables: Iterable[pa.Table]) -> None:
    """Write tables' rows as one Parquet file.

    zstd level 3, row groups of ``ROW_GROUP_ROWS`` rows (fewer where they would pass
    ``ROW_GROUP_BYTES``), page index, statistics.
    """
    with pq.ParquetWriter(
        path,
        schema(),
        version="2.6",
        compression="zstd",
        compression_level=3,
        use_dictionary=_REPEATED,
        write_page_index=True,
        write_statistics=_COMPARED,
    ) as writer:
        waiting: list[pa.Table] = []
        rows = size = 0
        for table in tables:
            start = 0
            for place, length in enumerate(_lengths(table)):
                if rows == ROW_GROUP_ROWS or (rows and size + length > ROW_GROUP_BYTES):
                    waiting.append(table.slice(start, place - start))
                    _flush(writer, waiting)
                    waiting, start, rows, size = [], place, 0, 0
                rows += 1
                size += length
            waiting.append(table.slice(start))
        if rows:
            _flush(writer, waiting)


def _lengths(table: pa.Table) -> list[int]:
    """Return the bytes of text in each row's plain text columns."""
    total = None
    for field in table.schema:
        if field.type == pa.string():
            length = pc.binary_length(table[field.name])
            total = length if total is None else pc.add(total, length)
    return [] if total is None else total.to_pylist()


def _flush(writer: pq.ParquetWriter, tables: Sequence[pa.Table]) -> None:
    table = pa.concat_tables(tables).combine_chunks()
    writer.write_table(table, row_group_size=ROW_GROUP_ROWS)


def read_rows(path: Path) -> Iterator[Row]:
    """Yield a Parquet file's rows, one row group in memory at a time.

    Raises:
        OSError: the file can't be read.
        ValueError: the file is no Parquet, or lacks columns.
    """
    with pq.ParquetFile(path) as file:
        missing = [column for column in COLUMNS if column not in file.schema_arrow.names]
        if missing:
            raise ValueError(f"lacks the columns {', '.join(missing)}")
        for group in range(file.num_row_groups):
            for record in file.read_row_group(group, columns=list(COLUMNS)).to_pylist():
                yield Row.from_record(record)
