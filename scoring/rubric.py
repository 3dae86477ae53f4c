"""The SDE rubric: fifteen items in three dimensions (ParaRecover, section 2.1.4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isnan, nan

STRUCTURE = "si"
DIAGNOSIS = "dr"
STRATEGY = "es"


@dataclass(frozen=True, slots=True)
class Item:
    """One item of the rubric.

    Attributes:
        key: ``s1`` … ``e5``, as the results are keyed.
        name: the paper's name.
        dimension: ``si``, ``dr`` or ``es``.
        criterion: the question that it answers, in one sentence.
        levels: the scores it can take; None for E5, a number between 0 and 1.
    """

    key: str
    name: str
    dimension: str
    criterion: str
    levels: tuple[float, ...] | None = (1.0, 0.5, 0.0)


ITEMS: tuple[Item, ...] = (
    Item("s1", "Thought-DAG Consistency", STRUCTURE, "Does the plan do what the thought says?"),
    Item(
        "s2",
        "Topological Dependency",
        STRUCTURE,
        "Do pending calls wait for what they need, and for nothing that is independent of them?",
    ),
    Item(
        "s3",
        "Tool Call Legality",
        STRUCTURE,
        "Are the tools of pending calls listed, and their parameters valid?",
    ),
    Item(
        "s4",
        "State Advancement Correctness",
        STRUCTURE,
        "Does each task's status say whether its call was sent?",
    ),
    Item(
        "s5",
        "Topological Parsability",
        STRUCTURE,
        "Can the plan be read, strictly, as a DAG of tasks?",
        (1.0, 0.0),
    ),
    Item(
        "d1",
        "Plan Evidence Anchoring",
        DIAGNOSIS,
        "Does the thought refer to the previous plan, and rightly?",
    ),
    Item(
        "d2",
        "Tool Evidence Anchoring",
        DIAGNOSIS,
        "Does the thought read the calls' results rightly?",
    ),
    Item(
        "d3",
        "Root Cause Localization Depth",
        DIAGNOSIS,
        "Does the thought name the root cause and not only a symptom?",
    ),
    Item(
        "d4",
        "Impact Scope Recognition",
        DIAGNOSIS,
        "Does the thought name what the error affects downstream?",
    ),
    Item(
        "d5",
        "Evidence Sufficiency",
        DIAGNOSIS,
        "Does the thought give evidence for what it claims, and invent nothing?",
    ),
    Item(
        "e1",
        "Modification Minimality",
        STRATEGY,
        "Does the new plan leave alone what was sound?",
    ),
    Item(
        "e2",
        "Recovery Closure",
        STRATEGY,
        "Does the new plan repair the fault and everything that came of it?",
    ),
    Item(
        "e3",
        "Goal Persistence",
        STRATEGY,
        "Does the new plan still serve the whole query?",
    ),
    Item(
        "e4",
        "Strategy Necessity",
        STRATEGY,
        "Is every pending call of the new plan needed?",
    ),
    Item(
        "e5",
        "Problem-Solving Efficacy",
        STRATEGY,
        "How near does the new plan, executed, come to the fewest rounds?",
        None,
    ),
)

KEYS: tuple[str, ...] = tuple(item.key for item in ITEMS)

DIMENSIONS: Mapping[str, tuple[str, ...]] = {
    dimension: tuple(item.key for item in ITEMS if item.dimension == dimension)
    for dimension in (STRUCTURE, DIAGNOSIS, STRATEGY)
}

DIMENSION_NAMES: Mapping[str, str] = {
    STRUCTURE: "Structural Integrity",
    DIAGNOSIS: "Diagnostic Reasoning",
    STRATEGY: "Evolutionary Strategy",
}

Scores = Mapping[str, float]
"""A score for each of `KEYS`, between 0 and 1; NaN where an item doesn't apply."""


def efficacy(solved: bool, optimal: int, taken: int | None) -> float:
    """Return E5 = S · min(1, G/T) (ParaRecover, equation 4).

    Args:
        solved: S.
        optimal: G, the optimal number of rounds.
        taken: T, the rounds taken, those already spent included; None if it never ended.
    """
    if not solved or not taken:
        return 0.0
    return min(1.0, optimal / taken)


def mean(values: list[float]) -> float:
    """Return the mean of the values that are not NaN; NaN if there is none."""
    known = [value for value in values if not isnan(value)]
    return sum(known) / len(known) if known else nan


def dimension_scores(scores: Scores) -> dict[str, float]:
    """Return ``si``, ``dr``, ``es`` and ``avg`` of one answer, from 0 to 100.

    The items of a dimension weigh the same, and so do the dimensions in ``avg``.
    """
    found = {
        dimension: 100 * mean([scores[key] for key in keys])
        for dimension, keys in DIMENSIONS.items()
    }
    return {**found, "avg": mean(list(found.values()))}


def points(scores: Scores) -> float:
    """Return the sum of the fifteen scores (0 to 15), an item without a score counting 0."""
    return sum(scores[key] for key in KEYS if not isnan(scores[key]))
