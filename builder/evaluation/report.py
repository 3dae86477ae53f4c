"""What an evaluation found, as numbers and as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan, nan, sqrt

from plan.json_text import Json
from scoring.answer import read_text
from scoring.rubric import DIMENSION_NAMES, DIMENSIONS, ITEMS, KEYS, dimension_scores, mean

E5_STAR = "e5_star"
PASS_AT_1 = "pass_at_1"
EFFICIENCY = "tool_use_efficiency"
EXTRA_KEYS = (E5_STAR, PASS_AT_1, EFFICIENCY)
"""Named scores beside the fifteen items."""

EXTRA_NAMES = {
    E5_STAR: "E5 against the fewest rounds from this state",
    PASS_AT_1: "Pass@1 (solved within 40 rounds)",
    EFFICIENCY: "Tool-use efficiency",
}


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens as an endpoint counts them, over some answers.

    Attributes:
        answers: how many answers.
        counted: for how many of them the endpoint said a number.
        input: tokens of prompts, those that the endpoint had cached included.
        cached: those of them that the endpoint read from its cache.
        output: tokens of answers, reasoning included.
    """

    answers: int = 0
    counted: int = 0
    input: int = 0
    cached: int = 0
    output: int = 0

    def plus(self, other: Tokens) -> Tokens:
        """Return the sum."""
        return Tokens(
            self.answers + other.answers,
            self.counted + other.counted,
            self.input + other.input,
            self.cached + other.cached,
            self.output + other.output,
        )

    def to_json(self) -> dict[str, int]:
        """Return the numbers by name."""
        return {
            "answers": self.answers,
            "counted": self.counted,
            "input": self.input,
            "cached": self.cached,
            "output": self.output,
        }


@dataclass(frozen=True, slots=True)
class Prices:
    """Money for a million tokens; the currency is the user's."""

    input: float
    output: float

    def cost(self, tokens: Tokens) -> float | None:
        """Return what answers cost; None where an endpoint didn't count all of them.

        Tokens that the endpoint had cached count in full, so it may be less.
        """
        if tokens.counted < tokens.answers:
            return None
        return (tokens.input * self.input + tokens.output * self.output) / 1e6


@dataclass(frozen=True, slots=True)
class Play:
    """One row played once, as the log holds it.

    ``prediction`` is the line of the predictions file, ``scores`` those of `KEYS` and
    `EXTRA_KEYS`, from 0 to 1, NaN where an item doesn't apply.
    """

    id: str
    epoch: int
    level: str
    query_id: str
    prediction: Mapping[str, Json]
    scores: Mapping[str, float]
    reasons: Mapping[str, str]
    agent: Tokens
    judge: Tokens


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean over rows from 0 to 100, its standard error, and the rows that it is over.

    Rows of one query count as one draw in the standard error.
    """

    mean: float
    stderr: float
    rows: int

    def to_json(self) -> dict[str, Json]:
        """Return the figure, NaN as null."""
        return {"mean": _number(self.mean), "stderr": _number(self.stderr), "rows": self.rows}


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of an evaluation.

    Attributes:
        arguments: what it depended on.
        asked: how many plays there are to be.
        plays: those that were played and scored.
        failures: by instance_id, why a row couldn't be.
        prices: what tokens cost, if that is known.
    """

    arguments: Mapping[str, Json]
    asked: int
    plays: Sequence[Play]
    failures: Mapping[str, str]
    prices: Prices | None = None
    agent: Tokens = field(init=False)
    judge: Tokens = field(init=False)

    def __post_init__(self) -> None:
        for name in ("agent", "judge"):
            total = Tokens()
            for play in self.plays:
                total = total.plus(getattr(play, name))
            object.__setattr__(self, name, total)

    @property
    def is_complete(self) -> bool:
        """Whether every row has been played and scored."""
        return len(self.plays) == self.asked

    @property
    def unreadable(self) -> int:
        """How many first answers hold no plan that can be read."""
        return sum(read_text(play.prediction["output"]).plan is None for play in self.plays)

    def figures(self, level: str | None = None) -> dict[str, Figure]:
        """Return a figure for ``si``, ``dr``, ``es``, ``avg``, each item and each extra score."""
        rows: dict[str, list[Mapping[str, float]]] = {}
        query: dict[str, str] = {}
        for play in self.plays:
            if level in (None, play.level):
                shown = {key: 100 * play.scores[key] for key in (*KEYS, *EXTRA_KEYS)}
                rows.setdefault(play.id, []).append({**dimension_scores(play.scores), **shown})
                query[play.id] = play.query_id
        keys = (*DIMENSIONS, "avg", *KEYS, *EXTRA_KEYS)
        return {
            key: _figure(
                {id: mean([epoch[key] for epoch in epochs]) for id, epochs in rows.items()}, query
            )
            for key in keys
        }

    @property
    def levels(self) -> list[str]:
        """The levels that were played."""
        return sorted({play.level for play in self.plays})

    def to_json(self) -> dict[str, Json]:
        """Return everything but the answers."""
        return {
            "arguments": self.arguments,
            "asked": self.asked,
            "answered": len(self.plays),
            "unreadable": self.unreadable,
            "failures": dict(self.failures),
            "scores": {key: one.to_json() for key, one in self.figures().items()},
            "levels": {
                level: {key: one.to_json() for key, one in self.figures(level).items()}
                for level in self.levels
            },
            "tokens": {"agent": self.agent.to_json(), "judge": self.judge.to_json()},
            "cost": self.prices.cost(self.agent) if self.prices else None,
        }

    def to_text(self) -> str:
        """Return a table for people."""
        columns = [None, *self.levels] if len(self.levels) > 1 else [None]
        found = [self.figures(level) for level in columns]
        heads = ["all" if level is None else level for level in columns]
        lines = [f"{'':<48}" + "".join(f"{head:>16}" for head in heads)]

        def line(name: str, key: str) -> None:
            cells = [_cell(figures[key]) for figures in found]
            lines.append(f"{name:<48}" + "".join(f"{cell:>16}" for cell in cells))

        for dimension, keys in DIMENSIONS.items():
            line(f"{dimension.upper()}  {DIMENSION_NAMES[dimension]}", dimension)
            for item in ITEMS:
                if item.key in keys:
                    line(f"  {item.key.upper()}  {item.name}", item.key)
        line("Avg", "avg")
        for key, name in EXTRA_NAMES.items():
            line(name, key)
        lines.append("")
        lines.append(
            f"{len(self.plays)} of {self.asked} played and scored, "
            f"{self.unreadable} with an unreadable first answer"
        )
        lines += [self._money("agent", self.agent)]
        if self.judge.answers:
            lines.append(self._money("judge", self.judge))
        if self.failures:
            lines.append(f"{len(self.failures)} failed; the same command asks for them again:")
            lines += [f"  {id}: {why}" for id, why in list(self.failures.items())[:5]]
            if len(self.failures) > 5:
                lines.append("  …")
        return "\n".join(lines)

    def _money(self, who: str, tokens: Tokens) -> str:
        text = f"{who}: {tokens.answers:,} answers"
        if tokens.counted:
            text += (
                f", {tokens.input:,} tokens in ({tokens.cached:,} cached), {tokens.output:,} out"
            )
        if tokens.counted < tokens.answers:
            text += f", {tokens.answers - tokens.counted:,} without a count of tokens"
        cost = self.prices.cost(tokens) if self.prices and who == "agent" else None
        return text if cost is None else f"{text}, cost {cost:,.4f}"


def _figure(values: Mapping[str, float], query: Mapping[str, str]) -> Figure:
    """Return the mean over rows, with a standard error that is clustered by query.

    Cluster-robust, with the factor C/(C-1) for C queries (Liang and Zeger, 1986).
    """
    known = {id: value for id, value in values.items() if not isnan(value)}
    if not known:
        return Figure(nan, nan, 0)
    middle = mean(list(known.values()))
    sums: dict[str, float] = {}
    for id, value in known.items():
        sums[query[id]] = sums.get(query[id], 0.0) + value - middle
    if len(sums) < 2:
        return Figure(middle, nan, len(known))
    factor = len(sums) / (len(sums) - 1)
    error = sqrt(factor * sum(one * one for one in sums.values())) / len(known)
    return Figure(middle, error, len(known))


def _cell(figure: Figure) -> str:
    if isnan(figure.mean):
        return "-"
    error = "" if isnan(figure.stderr) else f" ± {figure.stderr:.1f}"
    return f"{figure.mean:.2f}{error}"


def _number(value: float) -> float | None:
    return None if isnan(value) else value
