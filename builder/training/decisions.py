"""Replanning decisions: the states that an episode went through, and what was answered there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from plan.execution import Observation
from plan.json_text import Json
from plan.state import Round, State
from plan.task import Plan
from scoring.answer import Answer, plan_json, read_parts, read_text


@dataclass(frozen=True, slots=True)
class Decision:
    """One state and the answer to it.

    Attributes:
        state: what the agent saw.
        answer: what it answered, as read.
        output: the answer's raw text; None where thought and plan came apart.
        sent: what executing the answer's frontier sent and returned; None if not recorded.
    """

    state: State
    answer: Answer
    output: str | None
    sent: tuple[Observation, ...] | None


def first_decision(state: State, prediction: Mapping[str, Json]) -> Decision:
    """Return a prediction's answer to its row's own state."""
    steps = _steps(prediction)
    sent = _observations(steps[0]["observations"]) if steps else None
    output = prediction.get("output")
    if isinstance(output, str):
        return Decision(state, read_text(output), output, sent)
    answer = read_parts(prediction.get("thought", ""), prediction.get("plan"))
    return Decision(state, answer, None, sent)


def later_decisions(first: Decision, prediction: Mapping[str, Json]) -> Iterator[Decision]:
    """Yield an episode's further decisions, each with the state that the last one led to.

    An answer without a plan that can be read spends its round: the plan stays.
    """
    last = first
    for step in _steps(prediction)[1:]:
        state = next_state(last)
        output = step["output"]
        last = Decision(state, read_text(output), output, _observations(step["observations"]))
        yield last


def next_state(decision: Decision) -> State:
    """Return the state that a decision leads to; its observations must be recorded."""
    state = decision.state
    plan = decision.answer.plan
    return State(
        round=state.round + 1,
        query=state.query,
        tools=state.tools,
        plan=state.plan if plan is None else Plan.from_json(plan_json(plan)),
        observations=decision.sent or (),
        history=(*state.history, Round(state.round, state.plan, state.observations)),
    )


def is_solved(prediction: Mapping[str, Json]) -> bool:
    """Tell whether a prediction's episode is recorded and was solved."""
    episode = prediction.get("episode")
    return isinstance(episode, dict) and episode.get("solved") is True


def _steps(prediction: Mapping[str, Json]) -> Sequence[Mapping[str, Json]]:
    episode = prediction.get("episode")
    steps: Sequence[Mapping[str, Json]] = episode.get("steps", []) if episode else []
    return steps


def _observations(values: Sequence[Mapping[str, Json]]) -> tuple[Observation, ...]:
    return tuple(map(Observation.from_json, values))
