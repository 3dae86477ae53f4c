"""Examples in files: JSON Lines and Parquet, neither with a null that no example has.

Arrow gives all objects of a column the same keys and fills what is missing with nulls, and a
chat template would print them. So in Parquet whatever has keys of its own, a turn with tool
calls or a tool, is JSON text of Arrow's own JSON type, which `datasets` reads back as objects.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from builder.training.examples import TEXT
from plan.json_text import Json

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

JSONL = "jsonl"
PARQUET = "parquet"
FORMATS = (JSONL, PARQUET)

Example = Mapping[str, Json]

PROMPT = "prompt"
TOOLS = "tools"
_TURNS = ("completion", "chosen", "rejected", "messages")
_BATCH = 200


class Writer:
    """Writes one split's examples, in one pass, to a file of each format.

    The columns are those of the first example; a file is made once there is one.
    """

    def __init__(self, folder: Path, split: str, formats: Sequence[str], style: str) -> None:
        self.folder = folder
        self.split = split
        self.formats = formats
        self.style = style
        self.files: list[Path] = []
        self._waiting: list[Example] = []
        self._open = ExitStack()
        self._lines: BinaryIO | None = None
        self._table: pq.ParquetWriter | None = None

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *error: object) -> None:
        self._flush()
        self._open.close()

    def write(self, example: Example) -> None:
        """Write one example."""
        self._waiting.append(example)
        if len(self._waiting) == _BATCH:
            self._flush()

    def _flush(self) -> None:
        if not self._waiting:
            return
        if not self.files:
            self._start(self._waiting[0])
        if self._lines is not None:
            self._lines.writelines(_text(example) + b"\n" for example in self._waiting)
        if self._table is not None:
            self._table.write_table(tabulate(self._waiting, self.style))
        self._waiting = []

    def _start(self, first: Example) -> None:
        if JSONL in self.formats:
            path = self.folder / f"{self.split}.jsonl"
            self._lines = self._open.enter_context(path.open("wb"))
            self.files.append(path)
        if PARQUET in self.formats:
            import pyarrow.parquet as pq

            path = self.folder / f"{self.split}.parquet"
            self._table = self._open.enter_context(
                pq.ParquetWriter(
                    path,
                    tabulate([first], self.style).schema,
                    version="2.6",
                    compression="zstd",
                    compression_level=3,
                )
            )
            self.files.append(path)


def tabulate(examples: Sequence[Example], style: str) -> pa.Table:
    """Return examples of one shape as a table."""
    import pyarrow as pa

    arrays = {}
    for column in examples[0]:
        values = [example[column] for example in examples]
        if column == TOOLS or (column in _TURNS and style != TEXT):
            arrays[column] = _json_lists(values)
        elif column == PROMPT or column in _TURNS:
            message = pa.struct([("role", pa.string()), ("content", pa.string())])
            arrays[column] = pa.array(values, type=pa.list_(message))
        elif isinstance(values[0], str):
            arrays[column] = pa.array(values, type=pa.string())
        elif isinstance(values[0], int):
            arrays[column] = pa.array(values, type=pa.int64())
        else:
            arrays[column] = pa.array(values, type=pa.float64())
    return pa.table(arrays)


def _json_lists(values: Sequence[Sequence[Json]]) -> pa.Array:
    import pyarrow as pa

    texts = pa.array([_text(item).decode() for items in values for item in items], pa.string())
    offsets = [0, *accumulate(map(len, values))]
    items = pa.ExtensionArray.from_storage(pa.json_(), texts)
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), items)


def _text(value: Json) -> bytes:
    """Return JSON text with the keys in their own order, which chat templates show."""
    import orjson

    return orjson.dumps(value)
