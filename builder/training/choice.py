"""The choice: answers are scored, and those that qualify become examples, row by row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from builder.training.decisions import Decision, first_decision, is_solved, later_decisions
from builder.training.examples import (
    TEXT,
    UNSPELLABLE,
    Message,
    bad_turn,
    function_tools,
    good_turn,
    prompt,
)
from builder.training.files import Example
from builder.training.request import BEST, MESSAGES, SAVED, SFT, Request
from builder.training.tally import Tally
from environment.episode import read_state
from plan.json_text import Json, dumps
from plan.row import Row
from plan.state import State
from scoring.answer import Answer
from scoring.case import Case
from scoring.rubric import Scores, points

Judge = Callable[[Case, Answer], Scores]


@dataclass(frozen=True, slots=True)
class Given:
    """One prediction of a row, who made it, and what a judge said of it if that is saved."""

    agent: str
    prediction: Mapping[str, Json]
    scores: Scores | None


Entry = tuple[Row, tuple[Given, ...]]


@dataclass(frozen=True, slots=True)
class Shard:
    """A few rows with their predictions, to be made examples of by one process."""

    request: Request
    judge: Judge
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Made:
    """A shard's examples, what was counted, and the number of answers that were looked at."""

    examples: list[Example]
    tally: Tally
    answers: int


@dataclass(frozen=True, slots=True)
class Scored:
    """An answer to a row's own state, and its points."""

    prediction: Mapping[str, Json]
    agent: str
    decision: Decision
    points: float


@dataclass(frozen=True, slots=True)
class Contender:
    """An answer that may stand in a pair: as the turn to prefer, if it can be, and to avoid."""

    scored: Scored
    good: Message | None
    bad: Message


def make(shard: Shard) -> Made:
    """Score a shard's answers and make examples of those that qualify."""
    maker = _Maker(shard.request, shard.judge, Tally())
    examples = [one for row, given in shard.entries for one in maker.examples(row, given)]
    return Made(examples, maker.tally, sum(len(given) for _, given in shard.entries))


NOT_JUDGED = "not judged"
BELOW = "too few points"
SAME = "the same answer again"
USED = "used"

ALONE = "fewer than two answers with enough points"
NO_GAP = "no two answers that far apart"
PAIRED = "paired"


@dataclass(frozen=True, slots=True)
class _Maker:
    """Makes the examples of one row after another."""

    request: Request
    judge: Judge
    tally: Tally

    def examples(self, row: Row, given: Sequence[Given]) -> Iterator[Example]:
        answers = list(self._scored(row, given))
        chosen = self._sft(row, answers) if self.request.kind == SFT else self._dpo(row, answers)
        for example in chosen:
            self.tally.kinds.update(set(row.error_kinds) or {"none"})
            yield example

    def _scored(self, row: Row, given: Sequence[Given]) -> Iterator[Scored]:
        state = read_state(row)
        case = Case.from_record(row.to_record())
        for one in given:
            self.tally.note(one.agent, "answers")
            if one.scores is None and self.request.judge == SAVED:
                self.tally.answers[NOT_JUDGED] += 1
                continue
            decision = first_decision(state, one.prediction)
            scores = self.judge(case, decision.answer) if one.scores is None else one.scores
            # Halves and E5's thirds add up with a little dust, which mustn't pass a threshold.
            total = round(points(scores), 6)
            self.tally.points.setdefault(one.agent, Counter())[int(total)] += 1
            yield Scored(one.prediction, one.agent, decision, total)

    def _sft(self, row: Row, answers: Sequence[Scored]) -> Iterator[Example]:
        seen: set[str] = set()
        for one in answers:
            if one.points <= self.request.above:
                self.tally.answers[BELOW] += 1
                continue
            decisions = [one.decision]
            if self.request.all_steps and is_solved(one.prediction):
                decisions += later_decisions(one.decision, one.prediction)
            for number, decision in enumerate(decisions):
                tally = self.tally.later if number else self.tally.answers
                turn = good_turn(decision, self.request.style)
                if turn == UNSPELLABLE:
                    # Nor can the states be that it leads to.
                    tally[turn] += 1
                    break
                before = prompt(decision.state, self.request.style)
                text = dumps([before, turn])
                what = turn if isinstance(turn, str) else SAME if text in seen else USED
                tally[what] += 1
                if isinstance(turn, str) or what == SAME:
                    continue
                seen.add(text)
                self.tally.note(one.agent, "examples")
                yield {
                    **self._content(before, turn),
                    **self._tools(decision.state),
                    "instance_id": row.instance_id,
                    "round": decision.state.round,
                    "agent": one.agent,
                    "score": one.points,
                }

    def _content(self, before: list[Message], turn: Message) -> dict[str, Json]:
        if self.request.shape == MESSAGES:
            return {"messages": [*before, turn]}
        return {"prompt": before, "completion": [turn]}

    def _tools(self, state: State) -> dict[str, Json]:
        if self.request.style == TEXT:
            return {}
        return {"tools": function_tools(state.tools.values())}

    def _dpo(self, row: Row, answers: Sequence[Scored]) -> Iterator[Example]:
        playing: dict[str, Contender] = {}
        for one in answers:
            bad = bad_turn(one.decision, self.request.style)
            text = dumps(bad)
            if one.points < self.request.minimum:
                what = BELOW
            elif isinstance(bad, str):
                what = bad
            elif text in playing:
                what = SAME
            else:
                good = good_turn(one.decision, self.request.style)
                playing[text] = Contender(one, None if isinstance(good, str) else good, bad)
                what = USED
            self.tally.answers[what] += 1
        pairs = self._pairs(list(playing.values()))
        if len(playing) < 2:
            self.tally.states[ALONE] += 1
        else:
            self.tally.states[PAIRED if pairs else NO_GAP] += 1
        for better, worse in pairs:
            self.tally.note(better.scored.agent, "chosen")
            self.tally.note(worse.scored.agent, "rejected")
            state = better.scored.decision.state
            yield {
                "prompt": prompt(state, self.request.style),
                "chosen": [better.good],
                "rejected": [worse.bad],
                **self._tools(state),
                "instance_id": row.instance_id,
                "round": state.round,
                "agent_chosen": better.scored.agent,
                "agent_rejected": worse.scored.agent,
                "score_chosen": better.scored.points,
                "score_rejected": worse.scored.points,
            }

    def _pairs(self, playing: Sequence[Contender]) -> list[tuple[Contender, Contender]]:
        """Return (better, worse); among equals the first counts, by source and line."""
        better = sorted(
            (one for one in playing if one.good is not None), key=lambda one: -one.scored.points
        )
        worse = sorted(playing, key=lambda one: one.scored.points)
        if self.request.pairs == BEST:
            better, worse = better[:1], worse[:1]
        return [
            (a, b)
            for a, b in product(better, worse)
            if round(a.scored.points - b.scored.points, 6) > self.request.gap
            and dumps(a.good) != dumps(b.bad)
        ]
