"""Agents that diagnose nothing: do-nothing, restart, blind retry.

They see what any agent sees, no label among it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from environment.agents.agent import spell
from environment.careless import advance
from plan.execution import OK, Execution, Observation, is_empty
from plan.json_text import Json
from plan.state import State
from plan.task import ROOT, Plan


class DoNothing:
    """Notes what came back, and goes on with the plan as it stands."""

    def answer(self, state: State) -> str:
        """Return the plan with statuses and results written down, nothing else changed."""
        return spell("I go on with the plan as it stands.", noted(state))


class Restart:
    """Throws everything away once: makes every call of the first plan again, then goes on."""

    __slots__ = ("_has_begun",)

    def __init__(self) -> None:
        self._has_begun = False

    def answer(self, state: State) -> str:
        """Return the first plan with nothing sent; in later rounds, what do-nothing would."""
        if self._has_begun:
            return spell("I go on with the plan as it stands.", noted(state))
        self._has_begun = True
        first = state.history[0].plan if state.history else state.plan
        plan = Plan.of(task.changed(status=task.id == ROOT) for task in first.tasks.values())
        return spell("Something went wrong. I begin again with the first plan.", plan)


class BlindRetry:
    """Calls again, unchanged, whatever seems to have failed in the last round."""

    def answer(self, state: State) -> str:
        """Return the plan with failed calls of the round unsent again, nothing else changed."""
        plan = noted(state)
        again = failures(state.observations)
        if not again:
            return spell("I see no failed call, so I go on with the plan.", plan)
        changes = {id: state.plan.tasks[id].changed(status=False) for id in again}
        names = ", ".join(f"node {id} ({plan.tasks[id].name})" for id in again)
        return spell(f"I call again what failed: {names}.", plan.replaced(changes))


def noted(state: State) -> Plan:
    """Return the plan as a careless agent leaves it, who takes every result for usable."""
    seen = [
        Execution(state.round, one.id, one.name, one.arguments, OK, one.results)
        for one in state.observations
    ]
    return advance(state.plan, seen)


def failures(observations: Sequence[Observation]) -> list[str]:
    """Return the ids of calls that came back empty or, by their words, failed."""
    return [one.id for one in observations if seems_failed(one.results)]


def seems_failed(result: Json) -> bool:
    """Tell whether a result is empty or reads like an error of an API."""
    if is_empty(result):
        return True
    if isinstance(result, str):
        return bool(_ERROR.search(result))
    if not isinstance(result, dict) or len(result) > 3:
        return False
    if "error" in result or result.get("success") is False or result.get("status") == "error":
        return True
    return "code" in result and bool(result.keys() & {"detail", "message"})


_ERROR = re.compile(
    r"""\A(?:error|bad\ request|invalid|unknown|unexpected|unsupported|missing|validation\ failed
        |cannot|unable|could\ not|request\ rejected|gateway|deadline|no\ function)\b
    |timed\ out|\btimeout\b|did\ not\ respond|not\ found|does\ not\ exist|not\ an\ available
    |is\ required|must\ be|should\ be|was\ not\ supplied|needs\ '|not\ (?:recognised|permitted)
    |unexpected\ argument|is\ not\ a(?:n)?\ (?:valid|acceptable)|is\ not\ valid
    |failed\ validation|out\ of\ bounds|unprocessable|has\ no\ value|is\ unresolved
    |is\ not\ (?:available|set)\b""",
    re.IGNORECASE | re.VERBOSE,
)
