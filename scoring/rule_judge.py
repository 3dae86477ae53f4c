"""The rule judge: scores an answer by the row's labels; free, and the same every time."""

from __future__ import annotations

from scoring.answer import Answer
from scoring.case import Case
from scoring.plan_items import plan_scores, read_plan
from scoring.rubric import KEYS, efficacy
from scoring.simulation import run_static
from scoring.thought_items import thought_scores

NAME = "rule"


def judge(case: Case, answer: Answer) -> dict[str, float]:
    """Score an answer by all fifteen items, each from 0 to 1."""
    reading = read_plan(case, answer)
    outcome = reading.outcome if reading else run_static(case, answer)
    scores = {
        **thought_scores(case, answer, reading),
        **plan_scores(case, answer, reading),
        "e5": efficacy(outcome.solved, case.round_gt, outcome.response_round),
    }
    return {key: scores[key] for key in KEYS}


def efficacy_star(case: Case, answer: Answer) -> float:
    """Return E5*: E5 against `recovery_round_gt`, which a perfect recovery makes 1."""
    outcome = run_static(case, answer)
    return efficacy(outcome.solved, case.recovery_round_gt, outcome.response_round)
