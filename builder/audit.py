"""A sheet for people who audit rows by hand."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from hashlib import blake2b
from io import StringIO
from pathlib import Path

from builder.inspect import draw
from builder.parquet import read_rows
from builder.resume.files import write_whole

WIDTH = 110
HEADER = (
    "instance_id",
    "declared_kinds",
    "row",
    "labels_right (yes/no)",
    "other_errors (what, where)",
    "gold_recovers (yes/no)",
    "remarks",
)


def write_sheet(path: Path, files: Sequence[Path], number: int, seed: int) -> int:
    """Write a CSV of rows drawn by the seed; return how many there are."""
    import pyarrow.parquet as pq

    ids = [
        id for file in files for id in pq.read_table(file, columns=["instance_id"])[0].to_pylist()
    ]
    chosen = set(sorted(ids, key=lambda id: blake2b(f"{seed}:{id}".encode()).digest())[:number])
    sheet = StringIO()
    writer = csv.writer(sheet, lineterminator="\n")
    writer.writerow(HEADER)
    for file in files:
        for row in read_rows(file):
            if row.instance_id in chosen:
                kinds = ", ".join(row.error_kinds) or "none"
                writer.writerow((row.instance_id, kinds, draw(row, WIDTH), "", "", "", ""))
    # The mark lets spreadsheet programs know that this is UTF-8.
    write_whole(path, b"\xef\xbb\xbf" + sheet.getvalue().encode())
    return len(chosen)
