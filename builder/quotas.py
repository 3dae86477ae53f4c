"""Quotas: how many rows of each kind, and which seat gets which kind.

A seat is a place for one row (a plan and a variant); kinds are numbered, and a seat's mask
has the bits of the kinds that it can take.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from random import Random

# Of the paper's 6,593 LEVEL-2 rows with two errors, 2,750 go on to a third (table 11).
GOES_ON = Fraction(2750, 6593)
NOBODY = -1


def apportion(weights: Sequence[int | Fraction], total: int) -> list[int]:
    """Share out a total in proportion to weights by the largest remainder.

    The parts add up to the total, and each differs from its exact share by less than one.
    Equal remainders go to the larger weight, then to the earlier place.
    """
    whole = sum(weights)
    exact = [Fraction(weight) * total / whole for weight in weights]
    parts = [int(share) for share in exact]
    left = total - sum(parts)
    order = sorted(
        range(len(weights)), key=lambda i: (parts[i] - exact[i], -Fraction(weights[i]), i)
    )
    for index in order[:left]:
        parts[index] += 1
    return parts


def rows_by_rounds(total: int, rounds: int) -> dict[int, int]:
    """Return how many LEVEL-2 rows have 2, 3, … ``rounds`` errors.

    Of the rows with k errors or more, the same share goes on to k + 1 as in the paper from
    two to three; ``rounds`` = 3 gives 3843 : 2750.
    """
    weights = [(1 - GOES_ON) * GOES_ON ** (k - 2) for k in range(2, rounds)]
    weights.append(GOES_ON ** (rounds - 2))
    return dict(zip(range(2, rounds + 1), apportion(weights, total), strict=True))


def match(masks: Sequence[int], quotas: Sequence[int], lots: Random) -> list[int]:
    """Give each seat a kind that it can take, filling as many quotas as can be filled.

    Kinds are dealt at random first; a seat that can't take its kind then gets one by the
    shortest chain of swaps. As every seat is tried, what stays open can't be filled by any
    other dealing.

    Args:
        masks: each seat's kinds, as bits.
        quotas: each kind's number of seats; their sum is at most the number of seats.
        lots: deals the kinds.

    Returns:
        Each seat's kind, or ``NOBODY``.
    """
    deal = [kind for kind, quota in enumerate(quotas) for _ in range(quota)]
    deal += [NOBODY] * (len(masks) - len(deal))
    lots.shuffle(deal)
    return _Matching(masks, quotas, deal).settled()


class _Matching:
    """Seats with kinds, and for each pair of kinds the seats that could change over."""

    def __init__(self, masks: Sequence[int], quotas: Sequence[int], deal: Sequence[int]) -> None:
        self.masks = masks
        self.open = list(quotas)
        self.kinds = len(quotas)
        self.given = [NOBODY] * len(masks)
        self.movable: list[list[list[int]]] = [
            [[] for _ in range(self.kinds)] for _ in range(self.kinds)
        ]
        for seat, kind in enumerate(deal):
            if kind != NOBODY and masks[seat] >> kind & 1:
                self.open[kind] -= 1
                self.give(seat, kind)

    def give(self, seat: int, kind: int) -> None:
        self.given[seat] = kind
        mask = self.masks[seat]
        for other in range(self.kinds):
            if other != kind and mask >> other & 1:
                self.movable[kind][other].append(seat)

    def mover(self, kind: int, other: int) -> int | None:
        """Return a seat of one kind that could take another; entries go stale, so look."""
        seats = self.movable[kind][other]
        while seats and self.given[seats[-1]] != kind:
            seats.pop()
        return seats[-1] if seats else None

    def settled(self) -> list[int]:
        for seat, kind in enumerate(self.given):
            if not any(self.open):
                break
            if kind == NOBODY:
                self.settle(seat)
        return self.given

    def settle(self, seat: int) -> None:
        start = [kind for kind in range(self.kinds) if self.masks[seat] >> kind & 1]
        start.sort(key=lambda kind: (-self.open[kind], kind))
        came: dict[int, int] = dict.fromkeys(start, NOBODY)
        queue = list(start)
        for kind in queue:
            if self.open[kind]:
                self.shift(seat, kind, came)
                return
            for other in range(self.kinds):
                if other not in came and self.mover(kind, other) is not None:
                    came[other] = kind
                    queue.append(other)

    def shift(self, seat: int, kind: int, came: dict[int, int]) -> None:
        self.open[kind] -= 1
        while came[kind] != NOBODY:
            before = came[kind]
            moved = self.mover(before, kind)
            assert moved is not None
            self.give(moved, kind)
            kind = before
        self.give(seat, kind)
