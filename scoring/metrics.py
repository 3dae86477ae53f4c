"""From scored answers to figures: over all rows, by level, and by kind within a level."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan, nan
from random import Random

from scoring.bootstrap import Packing, intervals
from scoring.case import Case
from scoring.json_text import Json
from scoring.predictions import Episode
from scoring.rubric import KEYS, Scores, dimension_scores, efficacy
from scoring.simulation import MAXIMUM_ROUNDS, Outcome

DIMENSION_KEYS = ("si", "dr", "es", "avg")
RUN_KEYS = (
    "e5_star",
    "pass_at_1",
    "reached",
    "episode_e5",
    "episode_e5_star",
    "tool_use_efficiency",
    "episode_tool_use_efficiency",
)
_EPISODE_KEYS = (
    "pass_at_1",
    "reached",
    "episode_e5",
    "episode_e5_star",
    "episode_tool_use_efficiency",
)
RATE_KEYS = ("invalid_dag_rate", "false_alarm_rate")
COVERAGE_KEYS = ("coverage", "episode_coverage")

METRICS = (*DIMENSION_KEYS, *KEYS, *RUN_KEYS, *RATE_KEYS, *COVERAGE_KEYS)
"""Keys of all figures. Each is a mean over answers, from 0 to 100; of those in `RATE_KEYS`
less is better."""

ZERO: Scores = dict.fromkeys(KEYS, 0.0)
"""What a row without a prediction scores."""

UNJUDGED: Scores = dict.fromkeys(KEYS, nan)
"""What an answer scores of which a file of judgements says nothing."""


@dataclass(frozen=True, slots=True)
class Result:
    """One answer, scored.

    Attributes:
        level, query_id: the row's.
        kinds: the row's kinds of injected errors, each once, with their dimensions.
        values: by `METRICS`, from 0 to 1; NaN where a metric doesn't apply.
    """

    level: str
    query_id: str
    kinds: Mapping[str, str]
    values: tuple[float, ...]


def kinds_of(case: Case) -> dict[str, str]:
    """Return the dimension of each kind of injected error in a row."""
    dimensions = {error["kind"]: error["dimension"] for error in case.errors}
    return {kind: dimensions.get(kind, "") for kind in case.error_kinds}


def efficiency(solved: bool, fewest: int, calls: int) -> float:
    """Return tool-use efficiency: S · min(1, calls of the clean plan / calls sent)."""
    return min(1.0, fewest / calls) if solved and calls else 0.0


def measure(
    case: Case, scores: Scores, outcome: Outcome, episode: Episode | None
) -> tuple[float, ...]:
    """Return an answer's value for each of `METRICS`.

    Args:
        case: the row.
        scores: what the judge gave.
        outcome: what comes of the answer executed as it stands.
        episode: how its episode ended; without one, what needs it is NaN.
    """
    static = _run(case, outcome.solved, outcome.response_round, outcome.calls)
    played = dict.fromkeys(_EPISODE_KEYS, nan)
    if episode is not None:
        taken = episode.response_round
        reached = taken is not None and taken <= MAXIMUM_ROUNDS
        solved = episode.solved and reached
        run = _run(case, solved, taken, episode.calls)
        played = {
            "pass_at_1": float(solved),
            "reached": float(reached),
            **{f"episode_{key}": value for key, value in run.items()},
        }
    return _ordered(
        {
            **_judged(case, scores),
            "e5_star": static["e5_star"],
            "tool_use_efficiency": static["tool_use_efficiency"],
            **played,
            "coverage": 1.0,
            "episode_coverage": float(episode is not None),
        }
    )


def measure_missing(case: Case, *, has_episodes: bool) -> tuple[float, ...]:
    """Return the values of a row without a prediction: the worst that each metric knows.

    Args:
        case: the row.
        has_episodes: whether the agent's other answers have episode records; if none has,
            what needs one is NaN.
    """
    return _ordered(
        {
            **dict.fromkeys(METRICS, 0.0),
            **_judged(case, ZERO),
            **dict.fromkeys(_EPISODE_KEYS, 0.0 if has_episodes else nan),
        }
    )


def _run(case: Case, solved: bool, taken: int | None, calls: int) -> dict[str, float]:
    return {
        "e5": efficacy(solved, case.round_gt, taken),
        "e5_star": efficacy(solved, case.recovery_round_gt, taken),
        "tool_use_efficiency": efficiency(solved, case.funcall_times_gt, calls),
    }


def _judged(case: Case, scores: Scores) -> dict[str, float]:
    invalid, alarm = scores["s5"], scores["d3"]
    return {
        **{key: value / 100 for key, value in dimension_scores(scores).items()},
        **scores,
        "invalid_dag_rate": nan if isnan(invalid) else float(invalid == 0),
        "false_alarm_rate": nan if case.error_kinds or isnan(alarm) else float(alarm == 0),
    }


def _ordered(values: Mapping[str, float]) -> tuple[float, ...]:
    return tuple([values[key] for key in METRICS])


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures over some answers.

    Attributes:
        answers: how many; with several epochs a row has several.
        values: by `METRICS`, from 0 to 100, NaN where no answer has a value.
        intervals: (low, high) by `METRICS`; empty if they weren't asked for.
    """

    answers: int
    values: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]

    def to_json(self) -> dict[str, Json]:
        """Return the figures with NaN as None, rounded to six decimals."""
        found: dict[str, Json] = {key: _plain(value) for key, value in self.values.items()}
        found["n"] = self.answers
        if self.intervals:
            found["intervals"] = {
                key: [_plain(low), _plain(high)] for key, (low, high) in self.intervals.items()
            }
        return found


@dataclass(frozen=True, slots=True)
class Summary:
    """All figures of one agent by one judge.

    Attributes:
        overall: over all answers.
        levels: by level, sorted.
        kinds: by level and kind; an answer to a row with several kinds counts for each.
        dimensions: the dimension of each kind, sorted by dimension and kind.
    """

    overall: Figures
    levels: Mapping[str, Figures]
    kinds: Mapping[str, Mapping[str, Figures]]
    dimensions: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Json]:
        """Return the overall figures, with ``levels`` and in them ``kinds`` below."""
        return {
            **self.overall.to_json(),
            "levels": {
                level: {
                    **figures.to_json(),
                    "kinds": {
                        kind: own.to_json() for kind, own in self.kinds.get(level, {}).items()
                    },
                }
                for level, figures in self.levels.items()
            },
        }


def _plain(value: float) -> float | None:
    return None if isnan(value) else round(value, 6)


def summarize(
    results: Sequence[Result],
    *,
    resamples: int = 0,
    seed: int = 0,
    advance: Callable[[int, int], None] = lambda done, total: None,
) -> Summary:
    """Return the figures over scored answers.

    Args:
        results: the answers, in any order: it doesn't move a figure, nor an interval.
        resamples: draws for each interval; 0 for none.
        seed: of the draws, begun anew for each interval's rows: equal rows, equal intervals.
        advance: is told how many groups of answers are done, and of how many.
    """
    packing = Packing([result.values for result in results])
    cells: dict[tuple[str, ...], dict[str, int]] = {(): {}}
    sizes: dict[tuple[str, ...], int] = {}
    dimensions: dict[str, str] = {}
    for place, result in enumerate(results):
        packed = packing.pack(result.values, place)
        level, query = result.level, result.query_id
        dimensions.update(result.kinds)
        for name in ((), (level,), *((level, kind) for kind in result.kinds)):
            cell = cells.setdefault(name, {})
            cell[query] = cell.get(query, 0) + packed
            sizes[name] = sizes.get(name, 0) + 1
    figures: dict[tuple[str, ...], Figures] = {}
    for done, name in enumerate(sorted(cells)):
        advance(done, len(cells))
        figures[name] = _figures(cells[name], sizes.get(name, 0), packing, resamples, seed)
    dimensions = dict(sorted(dimensions.items(), key=lambda item: (item[1], item[0])))
    levels = [name[0] for name in figures if len(name) == 1]
    return Summary(
        figures[()],
        {level: figures[(level,)] for level in levels},
        {
            level: {kind: figures[(level, kind)] for kind in dimensions if (level, kind) in figures}
            for level in levels
        },
        dimensions,
    )


def _figures(
    groups: Mapping[str, int], size: int, packing: Packing, resamples: int, seed: int
) -> Figures:
    ordered = [groups[query] for query in sorted(groups)]
    found = [100 * value for value in packing.means(sum(ordered))]
    bounds: Iterable[tuple[float, float]] = ()
    if resamples:
        bounds = intervals(ordered, packing, resamples=resamples, lots=Random(seed))
    return Figures(
        size,
        dict(zip(METRICS, found, strict=True)),
        {key: (100 * low, 100 * high) for key, (low, high) in zip(METRICS, bounds, strict=False)},
    )
