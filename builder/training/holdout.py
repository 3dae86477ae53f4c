"""What must never be trained on: the test split, and whatever shares a group with it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path

from builder.refusal import Refusal
from builder.splits import NAMES, group
from plan.json_text import loads
from plan.task import RESPONSE, ROOT

TEST = "test"
KIN = "group of test"


@dataclass(frozen=True, slots=True)
class Rows:
    """A build's or release's rows, and where each may go.

    Attributes:
        files: (split, Parquet file), in order.
        place: for each instance id its split, or `KIN` where a row of its group, in whichever
            file and level, stands in the test split.
    """

    files: tuple[tuple[str, Path], ...]
    place: dict[str, str]


def split_of(path: Path) -> str:
    """Return the split that a Parquet file's name tells.

    Raises:
        Refusal: it tells none, so that its rows might be anybody's test split.
    """
    name = path.name.split("-")[0].removesuffix(".parquet")
    if name not in NAMES:
        raise Refusal(
            str(path),
            "its name tells no split",
            f"{', '.join(NAMES)} before the first hyphen, as builds name their files",
            "rename it, or give the folder that a build wrote",
        )
    return name


def read_places(files: Sequence[Path], advance: Callable[[int], None]) -> Rows:
    """Read which rows there are and which of them are held out.

    Two rows are of one group if they share the query or the set of called tools, transitively,
    over all files.

    Args:
        files: Parquet files of rows.
        advance: told the number of rows read.

    Raises:
        Refusal: a file's name tells no split, or a file is no Parquet of rows.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    named = sorted(((split_of(path), path) for path in files), key=_order)
    ids: list[str] = []
    splits: list[str] = []
    keys: list[tuple[Hashable, ...]] = []
    for split, path in named:
        try:
            table = pq.ParquetFile(path)
            for batch in table.iter_batches(200, columns=list(_COLUMNS)):
                advance(batch.num_rows)
                for record in batch.to_pylist():
                    ids.append(record["instance_id"])
                    splits.append(split)
                    keys.append(
                        (
                            ("id", record["query_id"]),
                            ("query", record["query"]),
                            ("tools", _called(record["clean_plan"])),
                        )
                    )
        except (pa.ArrowException, KeyError, TypeError, ValueError) as error:
            raise Refusal(
                str(path), f"no rows: {error}", "Parquet as builds write it", "build it again"
            ) from None
    groups = group(keys)
    held = {own for own, split in zip(groups, splits, strict=True) if split == TEST}
    place: dict[str, str] = {}
    for id, own, split in zip(ids, groups, splits, strict=True):
        found = KIN if own in held and split != TEST else split
        # An id that stands in two splits counts as what is stricter.
        if place.get(id) not in (TEST, KIN):
            place[id] = found
    return Rows(tuple(named), place)


_COLUMNS = ("instance_id", "query_id", "query", "clean_plan")


def _order(named: tuple[str, Path]) -> tuple[int, str]:
    split, path = named
    return NAMES.index(split), str(path)


def _called(clean_plan: str) -> tuple[str, ...]:
    tasks = loads(clean_plan)["tasks"]
    return tuple(sorted({task["name"] for task in tasks if task["id"] not in (ROOT, RESPONSE)}))
