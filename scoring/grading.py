"""Scores one answer after another: what each judge says, and what comes of the plan."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan

from scoring import rule_judge
from scoring.answer import Answer
from scoring.case import Case
from scoring.json_text import Json
from scoring.judgements import Judgements
from scoring.metrics import UNJUDGED, ZERO, Result, kinds_of, measure, measure_missing
from scoring.predictions import FIRST_EPOCH, Episode, Predictions
from scoring.rubric import KEYS, Scores, dimension_scores
from scoring.simulation import Outcome, run_static

Score = Callable[[Case, Answer, int], Scores | None]
"""Scores an answer to a row in an epoch; None if nothing is known of it."""

READ = "read"
UNPARSABLE = "unparsable"
MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Judge:
    """A judge under the name that tables give it."""

    name: str
    score: Score


def by_rules() -> Judge:
    """Return the rule judge."""
    return Judge(rule_judge.NAME, lambda case, answer, epoch: rule_judge.judge(case, answer))


def by_file(judgements: Judgements) -> Judge:
    """Return a judge that says again what a file says that it said."""

    def score(case: Case, answer: Answer, epoch: int) -> Scores | None:
        found = judgements.scores(case.instance_id, epoch)
        if found is None and epoch == FIRST_EPOCH:
            found = judgements.scores(case.instance_id)
        return found

    return Judge(", ".join(judgements.judges) or "nobody", score)


@dataclass(frozen=True, slots=True)
class Grade:
    """An answer with all that was found about it.

    Attributes:
        case: the row.
        epoch: which of several answers to the row.
        state: `READ`; `UNPARSABLE`, no plan could be read; or `MISSING`, there is no answer.
        answer, outcome, episode: None where there is none.
        scores: by judge.
        unjudged: judges that say nothing of the answer.
        results: by judge.
    """

    case: Case
    epoch: int
    state: str
    answer: Answer | None
    outcome: Outcome | None
    episode: Episode | None
    scores: Mapping[str, Scores]
    unjudged: Sequence[str]
    results: Mapping[str, Result]

    def to_json(self, judge: str) -> dict[str, Json]:
        """Return the grade by one judge as a record; it is a judgement too."""
        scores = self.scores[judge]
        return {
            "instance_id": self.case.instance_id,
            "epoch": self.epoch,
            "level": self.case.level,
            "error_kinds": list(self.case.error_kinds),
            "judge": judge,
            "scores": _plain({key: scores[key] for key in KEYS}),
            **_plain(dimension_scores(scores)),
            "prediction": self.state,
            "tolerated": list(self.answer.tolerated) if self.answer else [],
            "problem": self.answer.problem if self.answer else "no prediction",
            "static": None
            if self.outcome is None
            else {
                "reached": self.outcome.reached,
                "solved": self.outcome.solved,
                "response_round": self.outcome.response_round,
                "calls": self.outcome.calls,
            },
            "episode": self.episode.to_json() if self.episode else None,
        }


def _plain(values: Mapping[str, float]) -> dict[str, float | None]:
    return {key: None if isnan(value) else value for key, value in values.items()}


def grade(case: Case, predictions: Predictions, judges: Sequence[Judge]) -> Iterator[Grade]:
    """Yield the grade of a row's answer in each epoch."""
    kinds = kinds_of(case)

    def result(values: tuple[float, ...]) -> Result:
        return Result(case.level, case.query_id, kinds, values)

    for epoch in predictions.epochs:
        prediction = predictions.by_key.get((case.instance_id, epoch))
        if prediction is None:
            worst = result(measure_missing(case, has_episodes=predictions.has_episodes))
            yield Grade(
                case,
                epoch,
                MISSING,
                None,
                None,
                None,
                {judge.name: ZERO for judge in judges},
                (),
                {judge.name: worst for judge in judges},
            )
            continue
        answer = prediction.read()
        outcome = run_static(case, answer)
        scores: dict[str, Scores] = {}
        unjudged = []
        for judge in judges:
            found = judge.score(case, answer, epoch)
            if found is None:
                unjudged.append(judge.name)
            scores[judge.name] = UNJUDGED if found is None else found
        yield Grade(
            case,
            epoch,
            READ if answer.plan is not None else UNPARSABLE,
            answer,
            outcome,
            prediction.episode,
            scores,
            unjudged,
            {
                name: result(measure(case, own, outcome, prediction.episode))
                for name, own in scores.items()
            },
        )
