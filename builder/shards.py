"""Shards of rows: built, certified and written by one process, whatever the others do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import zstandard

from builder.corpus import restore
from builder.levels import Masks, Recipe, Shortfall, Source, build_row
from builder.resume.files import digest, whole, write_whole
from plan.clean import CleanPlan
from plan.json_text import Json, dump_bytes, loads
from plan.row import INJECTED, Row


@dataclass(frozen=True, slots=True)
class Order:
    """One row to build.

    ``shard``, ``offset`` and ``length`` say where its plan is stored.
    """

    shard: int
    offset: int
    length: int
    source_id: str
    query_id: str
    masks: Masks
    kinds: tuple[str, ...]
    variant: int


@dataclass(frozen=True, slots=True)
class RowShard:
    """A stretch of trials: for each the candidates in turn, each a few rows to build.

    The first candidate whose rows can all be built counts.
    """

    work: Path
    name: str
    level: str
    seed: int
    source_kind: str
    certify: bool
    trials: tuple[tuple[tuple[Order, ...], ...], ...]

    @property
    def rows(self) -> Path:
        """The Arrow file of built rows."""
        return self.work / "rows" / f"{self.name}.arrow"

    @property
    def contents(self) -> Path:
        """The index of outcomes; where it stands, the shard is done."""
        return self.work / "rows" / f"{self.name}.json"


@dataclass(frozen=True, slots=True)
class Fact:
    """What the report needs to know of a row.

    ``place`` is its index in the shard's file; ``visibility`` that of its injected errors.
    """

    place: int
    t: int
    round_gt: int
    recovery_round_gt: int
    downstream: str
    visibility: tuple[str, ...]
    propagated: int


@dataclass(frozen=True, slots=True)
class Failure:
    """A row that couldn't be built: which of the trial's candidates and orders, and why."""

    candidate: int
    order: int
    kind: str
    reason: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """A trial's outcome: the candidate that was built (or None), its rows, and failures."""

    chosen: int | None
    facts: tuple[Fact, ...]
    failures: tuple[Failure, ...]


@dataclass(frozen=True, slots=True)
class Built:
    """A shard's outcomes in the order of its trials, and what must never happen."""

    outcomes: tuple[Outcome, ...]
    bugs: tuple[str, ...]


def build_shard(shard: RowShard) -> Built:
    """Build a shard's rows, unless that has been done.

    A row that fails its certificate, or whose building raises, is a bug: it is left out and
    named in ``bugs``.
    """
    try:
        return _read(loads(shard.contents.read_bytes()))
    except FileNotFoundError:
        pass
    # Arrow is slow to load, and a pool's main process doesn't need it.
    from builder.parquet import write_shard

    builder = _Builder(shard)
    outcomes = tuple(builder.attempt(trial) for trial in shard.trials)
    with whole(shard.rows) as temporary:
        write_shard(temporary, builder.rows)
    built = Built(outcomes, tuple(builder.bugs))
    write_whole(shard.contents, dump_bytes(_spell(built)))
    return built


class _Builder:
    """Builds one shard's rows."""

    def __init__(self, shard: RowShard) -> None:
        self.shard = shard
        self.unpack = zstandard.ZstdDecompressor()
        self.rows: list[Row] = []
        self.bugs: list[str] = []

    def attempt(self, trial: Sequence[Sequence[Order]]) -> Outcome:
        failures: list[Failure] = []
        for number, orders in enumerate(trial):
            start = len(self.rows)
            facts: list[Fact] = []
            for place, order in enumerate(orders):
                found = self.build(order)
                if isinstance(found, Fact):
                    facts.append(found)
                else:
                    failures.append(Failure(number, place, *found))
                    break
            else:
                return Outcome(number, tuple(facts), tuple(failures))
            del self.rows[start:]
        return Outcome(None, (), tuple(failures))

    def build(self, order: Order) -> Fact | tuple[str, str]:
        from certify.row import certify_row

        shard = self.shard
        source = Source(
            self.plan(order), shard.source_kind, order.source_id, order.query_id, order.masks
        )
        recipe = Recipe(shard.level, order.kinds, order.variant, shard.seed)
        first = order.kinds[0] if order.kinds else ""
        try:
            row = build_row(source, recipe)
            if isinstance(row, Shortfall):
                return row.kind, row.reason
            problems = certify_row(row) if shard.certify else []
        except Exception as error:  # One row's bug must not cost a user all the others.
            self.bugs.append(f"{_name(order)}: {type(error).__name__}: {error}")
            return first, f"a bug: {type(error).__name__}"
        if problems:
            self.bugs.append(f"{_name(order)}: {'; '.join(map(str, problems[:3]))}")
            return first, "a bug: the certificate refuses the row"
        self.rows.append(row)
        injected = [error for error in row.errors if error.origin == INJECTED]
        return Fact(
            place=len(self.rows) - 1,
            t=row.t,
            round_gt=row.round_gt,
            recovery_round_gt=row.recovery_round_gt,
            downstream=row.downstream,
            visibility=tuple(error.visibility for error in injected),
            propagated=len(row.errors) - len(injected),
        )

    def plan(self, order: Order) -> CleanPlan:
        path = self.shard.work / "plans" / f"{order.shard:06d}.plans"
        with path.open("rb") as file:
            file.seek(order.offset)
            return restore(self.unpack.decompress(file.read(order.length)))


def _name(order: Order) -> str:
    return f"{order.source_id} variant {order.variant} {'+'.join(order.kinds) or 'control'}"


def _spell(built: Built) -> Json:
    return {
        "outcomes": [
            [
                outcome.chosen,
                [[getattr(fact, field) for field in Fact.__slots__] for fact in outcome.facts],
                [[getattr(one, field) for field in Failure.__slots__] for one in outcome.failures],
            ]
            for outcome in built.outcomes
        ],
        "bugs": built.bugs,
    }


def _read_fact(place: int, t: int, *rest: Json) -> Fact:
    round_gt, recovery_round_gt, downstream, visibility, propagated = rest
    return Fact(place, t, round_gt, recovery_round_gt, downstream, tuple(visibility), propagated)


def _read(value: Json) -> Built:
    return Built(
        tuple(
            Outcome(
                chosen,
                tuple(_read_fact(*fact) for fact in facts),
                tuple(Failure(*failure) for failure in failures),
            )
            for chosen, facts, failures in value["outcomes"]
        ),
        tuple(value["bugs"]),
    )


@dataclass(frozen=True, slots=True)
class Publication:
    """One Parquet file to write: its path, and the rows of shard files in order."""

    path: Path
    work: Path
    places: tuple[tuple[str, tuple[int, ...]], ...]


def publish(publication: Publication) -> tuple[str, int]:
    """Write a Parquet file and return its SHA-256 and size in bytes."""
    from builder.parquet import take_rows, write_parquet

    rows = publication.work / "rows"
    places = ((rows / f"{name}.arrow", indices) for name, indices in publication.places)
    with whole(publication.path, publication.work) as temporary:
        write_parquet(temporary, take_rows(places))
        return digest(temporary)
