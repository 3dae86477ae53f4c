"""Faults: results of the coming round that the environment is asked to spoil."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from plan.clean import CleanPlan
from plan.damage import Damage
from plan.execution import Observation
from plan.json_text import type_name
from plan.state import State
from taxonomy.intact import is_intact


def asked_faults(
    state: State, clean: CleanPlan, fault: str, only: Collection[str] | None
) -> Iterator[Damage]:
    """Yield the fault for each clean call of the coming round; the way is its result's type."""
    tasks = state.plan.tasks
    for id in state.plan.frontier():
        call = clean.calls.get(id)
        if call is None or (only is not None and id not in only) or not is_intact(tasks[id], call):
            continue
        yield Damage(id, "/results", call.result, None, type_name(call.result), {}, fault)


def observations(state: State) -> Iterator[Observation]:
    """Yield what has been observed, the latest round first."""
    yield from state.observations
    for round in reversed(state.history):
        yield from round.observations
