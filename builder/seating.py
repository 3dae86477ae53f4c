"""Who sits where: which plan and variant is to carry which kinds.

Everything here is decided in one process from the survey alone, so it can't depend on the
number of workers. A *wanted* row is a tuple of kinds; a *seat* is a plan and a variant.
Whether a seat can really take a tuple is known only once the row is built: what fails is
given another seat, or changes seats with a row that was built.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from itertools import islice, zip_longest
from random import Random
from typing import TypeVar

from builder.corpus import Entry
from builder.distribution import Distribution
from builder.levels import Masks, last_rounds
from builder.quotas import NOBODY, apportion, match, rows_by_rounds

T = TypeVar("T")

Seat = tuple[int, int]  # the plan's number in the source, and the variant
Kinds = tuple[int, ...]

# Late passes have few rows left and cost little.
PASSES = 20
CANDIDATES = 3
PROBES = 60
# How much more than its fair number of rows a deep plan may carry.
CROWDING = 8


@dataclass(frozen=True, slots=True)
class Placing:
    """A wanted row (its number) to be built on a seat."""

    row: int
    seat: Seat


Candidate = tuple[Placing, ...]  # all must be built, or none counts
Trial = tuple[Candidate, ...]  # the first that can be built counts


@dataclass(frozen=True, slots=True)
class Demand:
    """What is asked for.

    Attributes:
        lengths: number of rows by number of errors.
        quotas: for each error round, the rows of each kind.
        dealt: whether every plan has one row at most.
    """

    lengths: Mapping[int, int]
    quotas: tuple[tuple[int, ...], ...]
    dealt: bool

    @property
    def rows(self) -> int:
        """The number of rows asked for."""
        return sum(self.lengths.values())


def demand(distribution: Distribution, rows: int, rounds: int, *, dealt: bool) -> Demand:
    """Return the quotas of a number of rows with up to ``rounds`` errors."""
    lengths = {1: rows} if rounds == 1 else rows_by_rounds(rows, rounds)
    quotas = tuple(
        tuple(
            apportion(
                distribution.column(index),
                sum(count for length, count in lengths.items() if length > index),
            )
        )
        for index in range(rounds)
    )
    return Demand(lengths, quotas, dealt)


def lots_for(seed: int, *purpose: str | int) -> Random:
    """Return the generator that belongs to a purpose of this build."""
    text = ":".join(map(str, (seed, *purpose)))
    return Random(int.from_bytes(blake2b(text.encode(), digest_size=16).digest(), "big"))


def reach(masks: Masks, length: int, index: int) -> int:
    """Return the kinds that a row's k-th error (``index`` from 0) of ``length`` can have.

    Errors stand in consecutive rounds, so the k-th can't stand before round k, nor so late
    that no rounds are left for the others.
    """
    found = 0
    for row in masks[index : max(len(masks) - length + 1, 0) + index]:
        found |= row[length - 1 - index]
    return found


class Seating:
    """The wanted rows, the seats they have, and the seats that are free."""

    def __init__(
        self, entries: Sequence[Entry], names: Sequence[str], wanted: Demand, seed: int
    ) -> None:
        self.entries = entries
        self.names = names
        self.seed = seed
        self.kinds: list[Kinds] = []
        self.seats: list[Seat | None] = []
        self.free: set[Seat] = set()
        self._proposed: list[tuple[Seat, int]] = []
        self._tried: set[tuple[Seat, Kinds]] = set()
        self._deal(wanted, self._choose(wanted))

    @property
    def open(self) -> list[int]:
        """The rows that have no seat."""
        return [row for row, seat in enumerate(self.seats) if seat is None]

    def _choose(self, wanted: Demand) -> dict[int, list[Seat]]:
        """Choose the seats of the rows of each length, the longest first."""
        plans = len(self.entries)
        seats: dict[int, list[Seat]] = {length: [] for length in sorted(wanted.lengths)}
        variants = 1 if wanted.dealt else CROWDING * max(1, -(-wanted.rows // max(plans, 1)))
        for variant in range(variants):
            if all(len(seats[length]) == count for length, count in wanted.lengths.items()):
                break
            order = list(range(plans))
            lots_for(self.seed, "order", variant).shuffle(order)
            self.free.update((plan, variant) for plan in order)
            for length in sorted(seats, reverse=True):
                missing = wanted.lengths[length] - len(seats[length])
                deep = (plan for plan in order if self.entries[plan].depth >= length)
                chosen = list(islice(deep, missing))
                seats[length] += [(plan, variant) for plan in chosen]
                taken = set(chosen)
                order = [plan for plan in order if plan not in taken]
        return seats

    def _deal(self, wanted: Demand, seats: Mapping[int, Sequence[Seat]]) -> None:
        """Deal each error round's kinds to the seats that are deep enough."""
        rows = [
            (length, seats[length][place] if place < len(seats[length]) else None)
            for length in sorted(wanted.lengths, reverse=True)
            for place in range(wanted.lengths[length])
        ]
        columns: list[list[int]] = []
        for index, quotas in enumerate(wanted.quotas):
            masks = [
                reach(self.entries[seat[0]].masks, length, index) if seat else 0
                for length, seat in rows
                if length > index
            ]
            given = match(masks, quotas, lots_for(self.seed, "deal", index))
            counts = Counter(given)
            left = [
                kind
                for kind, quota in enumerate(quotas)
                for _ in range(quota - counts.get(kind, 0))
            ]
            columns.append([left.pop() if kind == NOBODY else kind for kind in given])
        for row, (length, seat) in enumerate(rows):
            kinds = tuple(columns[index][row] for index in range(length))
            self.kinds.append(kinds)
            self.seats.append(None)
            if seat is not None and self.allows(seat, kinds):
                self._proposed.append((seat, row))

    def allows(self, seat: Seat, kinds: Kinds) -> bool:
        """Tell whether some rounds of a seat's plan, one after the other, allow the kinds."""
        masks = self.entries[seat[0]].masks
        return bool(last_rounds(masks, [self.names[kind] for kind in kinds]))

    def first_trials(self) -> list[Trial]:
        """Return one trial for each row that was dealt a seat, in the order of the seats."""
        return [((Placing(row, seat),),) for seat, row in sorted(self._proposed)]

    def next_trials(self, number: int) -> list[Trial]:
        """Return a repairing pass's trials: other seats, or swaps with built rows.

        Within a pass no row and no seat stands in two trials, so that their outcomes don't
        depend on each other.
        """
        lots = lots_for(self.seed, "pass", number)
        rows = self.open
        lots.shuffle(rows)
        free = sorted(self.free)
        lots.shuffle(free)
        built = [row for row, seat in enumerate(self.seats) if seat is not None]
        lots.shuffle(built)
        # One free seat for each row is kept for swaps: the other row needs a place.
        own_seats, spare = free[: len(rows)], free[len(rows) :]
        trials: list[Trial] = []
        for row, own in zip_longest(rows, own_seats):
            candidates: list[Candidate] = []
            if own is not None and self._may_try(row, own):
                candidates.append((Placing(row, own),))
            candidates.extend(
                (Placing(row, seat),) for seat in _pick(spare, partial(self._may_try, row))
            )
            if own is not None:
                for other in _pick(built, partial(self._may_swap, row, own)):
                    taken = self.seats[other]
                    assert taken is not None
                    candidates.append((Placing(row, taken), Placing(other, own)))
            if candidates:
                trials.append(tuple(candidates))
        return trials

    def _may_try(self, row: int, seat: Seat) -> bool:
        kinds = self.kinds[row]
        return self.allows(seat, kinds) and (seat, kinds) not in self._tried

    def _may_swap(self, row: int, own: Seat, other: int) -> bool:
        seat = self.seats[other]
        return (
            seat is not None
            and self.kinds[other] != self.kinds[row]
            and self._may_try(row, seat)
            and self._may_try(other, own)
        )

    def settle(self, chosen: Candidate | None, failed: Sequence[Placing]) -> None:
        """Take in a trial's outcome.

        Args:
            chosen: the placings that were built, or None.
            failed: the placings that couldn't be built; they aren't tried again.
        """
        self._tried.update((placing.seat, self.kinds[placing.row]) for placing in failed)
        if chosen is None:
            return
        for placing in chosen:
            before = self.seats[placing.row]
            if before is not None:
                self.free.add(before)
        for placing in chosen:
            self.seats[placing.row] = placing.seat
            self.free.discard(placing.seat)


def _pick(pool: list[T], fits: Callable[[T], bool]) -> list[T]:
    """Take up to a few fitting items out of a pool, looking at a limited number from its end."""
    found: list[T] = []
    for place in range(len(pool) - 1, max(len(pool) - 1 - PROBES, -1), -1):
        if fits(pool[place]):
            # The last item fills the gap, so that the rest needn't move up.
            found.append(pool[place])
            pool[place] = pool[-1]
            pool.pop()
            if len(found) == CANDIDATES:
                break
    return found


def control_seats(plans: int, rows: int, first_variant: int, seed: int) -> list[Seat]:
    """Return the seats of undamaged rows: plans in turn, variants that no other row has."""
    order = list(range(plans))
    lots_for(seed, "controls").shuffle(order)
    return sorted((order[place % plans], first_variant + place // plans) for place in range(rows))
