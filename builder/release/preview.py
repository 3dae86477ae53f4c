"""The preview: a few rows of all levels, every kind among them, none from a test split."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from builder.release.data import Written
from hub_card.facts import PREVIEW, SplitFacts

if TYPE_CHECKING:
    import pyarrow as pa

Place = tuple[int, int]
"""A row: the index of its piece, and its own index there."""

ROWS = 30
SPLIT = "train"
NAME = f"data/{PREVIEW}/{SPLIT}-00000-of-00001.parquet"


def write_preview(
    written: Sequence[Written], folder: Path, kinds: Sequence[str]
) -> SplitFacts | None:
    """Write the preview and return what is told of it; None where no split is for training.

    Args:
        written: the release's pieces.
        folder: the release.
        kinds: every kind's name.
    """
    from builder.parquet import write_parquet
    from hub_card.facts import measure

    training = [one for one in written if one.piece.split == SPLIT]
    levels = sorted({one.piece.config for one in training})
    if not levels:
        return None
    tables = []
    for level in levels:
        own = [one for one in training if one.piece.config == level]
        tables += [
            _take(folder / own[file].piece.name, place)
            for file, place in choose(own, ROWS // len(levels), kinds)
        ]
    target = folder / NAME
    target.parent.mkdir(parents=True)
    write_parquet(target, tables)
    return measure(folder, [NAME])


def choose(written: Sequence[Written], rows: int, kinds: Sequence[str]) -> list[Place]:
    """Return rows, at most so many: one of each kind in turn, then a control row, and again.

    Of the rows that fit, the least id is taken: ids are hashes, so that is as good as a draw.
    """
    ordered = sorted(
        (sight.id, (file, place), sight.kinds)
        for file, one in enumerate(written)
        for place, sight in enumerate(one.sights)
    )
    waiting: list[Iterator[Place]] = [
        iter([spot for _, spot, own in ordered if kind in own]) for kind in kinds
    ]
    waiting.append(iter([spot for _, spot, own in ordered if not own]))
    chosen: dict[Place, None] = {}
    while waiting:
        for one in tuple(waiting):
            spot = next((spot for spot in one if spot not in chosen), None)
            if spot is None:
                waiting.remove(one)
                continue
            chosen[spot] = None
            if len(chosen) == rows:
                return list(chosen)
    return list(chosen)


def _take(path: Path, place: int) -> pa.Table:
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        for group in range(file.num_row_groups):
            rows = file.metadata.row_group(group).num_rows
            if place < rows:
                # Taken, not sliced: a slice would keep its whole group in memory.
                return file.read_row_group(group).take([place])
            place -= rows
    raise IndexError(place)
