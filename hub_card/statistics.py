"""What is counted over the rows of a release, in one pass and little memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from plan.graph import layers
from plan.json_text import loads
from plan.row import EXPLICIT, INJECTED, LATENT, MASKED, SILENT, Row
from plan.task import RESPONSE, ROOT

Key = TypeVar("Key", str, int, tuple[int, int])

VISIBILITIES = (EXPLICIT, SILENT, LATENT, MASKED)
CONTROL = "control"


@dataclass(frozen=True, slots=True)
class Cells:
    """Counts of one group of rows, such as a split.

    Attributes:
        rows: all of them, control rows included.
        controls: rows without any error.
        queries: different queries among them.
        kinds: injected errors by kind.
    """

    rows: int
    controls: int
    queries: int
    kinds: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ConfigStatistics:
    """Counts of one config's rows.

    Attributes:
        all: the whole config.
        splits: by split.
        sources: by ``source_kind``.
        rounds: injected errors by kind: of the rows' first error, of their second, and so on.
        lengths: rows by the number of injected errors; 0 for control rows.
        visibility: injected errors by kind and visibility.
        propagated: propagated errors by the kind that they go back to.
        t, round_gt, recovery_round_gt, calls: rows by the round of the state, the clean plan's
            rounds, the fewest total rounds, and the clean plan's calls.
        shapes: rows by the clean plan's depth (layers of calls) and width (most calls in one).
        downstream: rows by the column of that name, where it says anything.
    """

    all: Cells
    splits: Mapping[str, Cells]
    sources: Mapping[str, Cells]
    rounds: tuple[Mapping[str, int], ...]
    lengths: Mapping[int, int]
    visibility: Mapping[str, Mapping[str, int]]
    propagated: Mapping[str, int]
    t: Mapping[int, int]
    round_gt: Mapping[int, int]
    recovery_round_gt: Mapping[int, int]
    calls: Mapping[int, int]
    shapes: Mapping[tuple[int, int], int]
    downstream: Mapping[str, int]

    @property
    def injected(self) -> int:
        """Return the number of injected errors."""
        return sum(self.all.kinds.values())


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counts by config, in the order in which configs came.

    Attributes:
        configs: by config.
    """

    configs: Mapping[str, ConfigStatistics]


def collect(rows: Iterable[tuple[str, str, Row]]) -> Statistics:
    """Count rows, each given with its config and its split.

    Raises:
        ValueError: a clean plan isn't JSON text, or its tasks go round in a circle.
    """
    collector = Collector()
    for config, split, row in rows:
        collector.add(config, split, row)
    return collector.statistics()


class Collector:
    """Counts rows one at a time, for who passes over them for other ends as well."""

    def __init__(self) -> None:
        self._configs: dict[str, _Config] = {}

    def add(self, config: str, split: str, row: Row) -> None:
        """Count one row."""
        self._configs.setdefault(config, _Config()).add(split, row)

    def statistics(self) -> Statistics:
        """Return what was counted so far."""
        return Statistics({name: config.freeze() for name, config in self._configs.items()})


def shape(clean_plan: str) -> tuple[int, int]:
    """Return a clean plan's depth, in layers of calls, and its width, in calls.

    Raises:
        ValueError: it isn't JSON text, or its tasks go round in a circle.
    """
    calls = {
        task["id"]: task["dep"]
        for task in loads(clean_plan)["tasks"]
        if task["id"] not in (ROOT, RESPONSE)
    }
    depths = layers(calls)
    if len(depths) < len(calls):
        raise ValueError(f"the tasks {', '.join(sorted({*calls} - {*depths}))} wait for each other")
    widths = Counter(depths.values())
    return len(widths), max(widths.values(), default=0)


@dataclass(slots=True)
class _Group:
    rows: int = 0
    controls: int = 0
    queries: set[str] = field(default_factory=set)
    kinds: Counter[str] = field(default_factory=Counter)

    def add(self, row: Row) -> None:
        self.rows += 1
        self.controls += not row.error_kinds
        self.queries.add(row.query_id)
        self.kinds.update(row.error_kinds)

    def freeze(self) -> Cells:
        return Cells(self.rows, self.controls, len(self.queries), _sorted(self.kinds))


@dataclass(slots=True)
class _Config:
    all: _Group = field(default_factory=_Group)
    splits: dict[str, _Group] = field(default_factory=dict)
    sources: dict[str, _Group] = field(default_factory=dict)
    rounds: list[Counter[str]] = field(default_factory=list)
    lengths: Counter[int] = field(default_factory=Counter)
    visibility: dict[str, Counter[str]] = field(default_factory=dict)
    propagated: Counter[str] = field(default_factory=Counter)
    t: Counter[int] = field(default_factory=Counter)
    round_gt: Counter[int] = field(default_factory=Counter)
    recovery: Counter[int] = field(default_factory=Counter)
    calls: Counter[int] = field(default_factory=Counter)
    shapes: Counter[tuple[int, int]] = field(default_factory=Counter)
    downstream: Counter[str] = field(default_factory=Counter)

    def add(self, split: str, row: Row) -> None:
        self.all.add(row)
        self.splits.setdefault(split, _Group()).add(row)
        self.sources.setdefault(row.source_kind, _Group()).add(row)
        while len(self.rounds) < len(row.error_kinds):
            self.rounds.append(Counter())
        for counts, kind in zip(self.rounds, row.error_kinds, strict=False):
            counts[kind] += 1
        self.lengths[len(row.error_kinds)] += 1
        for error in row.errors:
            if error.origin == INJECTED:
                self.visibility.setdefault(error.kind, Counter())[error.visibility] += 1
            else:
                self.propagated[error.kind] += 1
        self.t[row.t] += 1
        self.round_gt[row.round_gt] += 1
        self.recovery[row.recovery_round_gt] += 1
        self.calls[row.funcall_times_gt] += 1
        self.shapes[shape(row.clean_plan)] += 1
        if row.downstream:
            self.downstream[row.downstream] += 1

    def freeze(self) -> ConfigStatistics:
        return ConfigStatistics(
            all=self.all.freeze(),
            splits={name: group.freeze() for name, group in self.splits.items()},
            sources={name: self.sources[name].freeze() for name in sorted(self.sources)},
            rounds=tuple(_sorted(counts) for counts in self.rounds),
            lengths=_sorted(self.lengths),
            visibility={kind: _sorted(self.visibility[kind]) for kind in sorted(self.visibility)},
            propagated=_sorted(self.propagated),
            t=_sorted(self.t),
            round_gt=_sorted(self.round_gt),
            recovery_round_gt=_sorted(self.recovery),
            calls=_sorted(self.calls),
            shapes=_sorted(self.shapes),
            downstream=_sorted(self.downstream),
        )


def _sorted(counts: Mapping[Key, int]) -> dict[Key, int]:
    return {key: counts[key] for key in sorted(counts)}
