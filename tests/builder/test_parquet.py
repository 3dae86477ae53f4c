"""Rows come out of shard files in the order asked for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from builder.parquet import BATCH_ROWS, take_rows, write_shard
from plan.row import COLUMNS, Row


def row(name: str) -> Row:
    """Return a row that is nothing but a name."""
    numbers = {"round_gt", "recovery_round_gt", "funcall_times_gt", "t", "rounds", "seed"}
    empty = {column: 0 if column in numbers else "" for column in COLUMNS}
    return replace(Row(**{**empty, "error_kinds": [], "errors": []}), instance_id=name)


def test_rows_of_several_files_and_batches_in_order(tmp_path: Path) -> None:
    first, second = tmp_path / "first.arrow", tmp_path / "second.arrow"
    write_shard(first, [row(f"a{number}") for number in range(3 * BATCH_ROWS)])
    write_shard(second, [row(f"b{number}") for number in range(5)])
    places = [
        (first, (0, 1, BATCH_ROWS)),
        (second, (3,)),
        (first, tuple(range(BATCH_ROWS + 1, 2 * BATCH_ROWS + 9))),
        (second, (1, 4)),
        (first, (3 * BATCH_ROWS - 1,)),
    ]
    found = [name for table in take_rows(places) for name in table["instance_id"].to_pylist()]
    assert found == [
        f"{'a' if path == first else 'b'}{index}" for path, own in places for index in own
    ]
