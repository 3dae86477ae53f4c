"""Reads rows from Parquet; the one module that needs pyarrow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from scoring.json_text import Json
from scoring.refusal import Refusal

BATCH_ROWS = 64


def require_pyarrow(path: Path) -> None:
    """Do nothing if pyarrow is there.

    Raises:
        Refusal: it isn't, so the file can't be read.
    """
    try:
        import pyarrow.parquet  # noqa: F401  # whether it can be imported is the question
    except ImportError:
        raise Refusal(
            str(path),
            "reading Parquet needs pyarrow, which isn't installed",
            "pyarrow, or the rows as JSON Lines",
            "`pip install pyarrow`, or give the .jsonl.gz files of a release",
        ) from None


def read_records(path: Path, columns: Sequence[str]) -> Iterator[dict[str, Json]]:
    """Yield a file's rows as mappings from column to value, a small batch in memory.

    Args:
        path: the file.
        columns: those wanted; one that the file lacks is left out.

    Raises:
        Refusal: pyarrow isn't there, or the file is no Parquet.
    """
    require_pyarrow(path)
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            wanted = [name for name in columns if name in file.schema_arrow.names]
            for batch in file.iter_batches(batch_size=BATCH_ROWS, columns=wanted):
                yield from batch.to_pylist()
    except pa.ArrowInvalid as error:
        raise Refusal(
            str(path),
            f"no Parquet that can be read ({str(error).splitlines()[0]})",
            "a whole Parquet file",
            "get it again, or build it again",
        ) from None
