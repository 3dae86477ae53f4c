"""Confidence intervals: a percentile bootstrap over groups of rows.

Rows of one query are no independent draws, so whole queries are drawn. Drawing a thousand
times from thousands of queries is mostly adding, which `Packing` makes one addition of two
integers for all metrics at once.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from math import floor, isnan, nan
from random import Random

CONFIDENCE = 0.95

_SCALE = 1 << 32
# 64 bits a number: 32 for its fraction, 32 for how many of them may be added.
_BITS = 64


class Packing:
    """Spells lists of numbers from 0 to 1 as integers, so that means can be read off sums.

    Numbers are rounded to 32 binary places, so sums are exact whatever their order. A number
    may be NaN: it has no part in its column's mean.
    """

    __slots__ = ("_counter", "_format", "_masks", "_width")

    def __init__(self, rows: Sequence[Sequence[float]]) -> None:
        columns = [bytes(map(isnan, column)) for column in zip(*rows, strict=True)]
        # Columns that lack the same numbers share one count.
        masks = {column: place for place, column in enumerate(dict.fromkeys(columns))}
        self._counter = [masks[column] for column in columns]
        self._masks = list(masks)
        self._width = len(columns)
        self._format = f"<{self._width + len(masks)}Q"

    def pack(self, row: Sequence[float], place: int) -> int:
        """Return the integer for the row that stood at ``place`` when this was made."""
        fields = [0 if isnan(value) else round(value * _SCALE) for value in row]
        counts = [not mask[place] for mask in self._masks]
        return int.from_bytes(struct.pack(self._format, *fields, *counts), "little")

    def means(self, total: int) -> list[float]:
        """Return each column's mean from a sum of integers; NaN where nothing was added."""
        length = (self._width + len(self._masks)) * _BITS // 8
        fields = struct.unpack(self._format, total.to_bytes(length, "little"))
        counts = fields[self._width :]
        return [
            field / (counts[counter] * _SCALE) if counts[counter] else nan
            for field, counter in zip(fields, self._counter, strict=False)
        ]


def intervals(
    groups: Sequence[int], packing: Packing, *, resamples: int, lots: Random
) -> list[tuple[float, float]]:
    """Return each column's 95 % interval of the mean.

    Args:
        groups: the sum of integers of each group of rows, in an order of their own.
        packing: what made the integers.
        resamples: how often as many groups as there are are drawn with replacement.
        lots: the generator to draw from.

    Returns:
        (low, high) by column; NaN where there are fewer than two groups, or no numbers.
    """
    if len(groups) < 2 or resamples < 1:
        return [(nan, nan)] * len(packing.means(0))
    drawn = [packing.means(sum(lots.choices(groups, k=len(groups)))) for _ in range(resamples)]
    return [
        _middle(sorted(mean for mean in column if not isnan(mean)))
        for column in zip(*drawn, strict=True)
    ]


def _middle(values: Sequence[float]) -> tuple[float, float]:
    if not values:
        return nan, nan
    tail = (1 - CONFIDENCE) / 2
    return _quantile(values, tail), _quantile(values, 1 - tail)


def _quantile(values: Sequence[float], share: float) -> float:
    place = share * (len(values) - 1)
    below = floor(place)
    above = min(below + 1, len(values) - 1)
    return values[below] + (place - below) * (values[above] - values[below])
