"""How a careless agent goes on: it takes whatever came back for a usable result."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from environment.world import World
from plan.clean import CleanPlan
from plan.execution import OK, Execution
from plan.guess import guess
from plan.json_text import Json, lookup, replaced
from plan.reference import references, text_of
from plan.task import Plan, Task

RESULT_LENGTH = 240
"""Characters of a result that go into a task's description; the observation has all."""


@dataclass(frozen=True, slots=True)
class MadeUp:
    """A literal written in place of a reference to a failed call.

    ``pointer`` is a JSON Pointer into the consumer's arguments.
    """

    node: str
    pointer: str
    before: Json
    after: Json
    failed: str


def result_text(result: Json) -> str:
    """Return a result as a description carries it: its text, cut where it is long."""
    text = text_of(result)
    if len(text) <= RESULT_LENGTH:
        return text
    return text[: RESULT_LENGTH - 1].rstrip() + "…"


def advance(plan: Plan, executions: Sequence[Execution]) -> Plan:
    """Return the plan with the round's calls marked as sent and their results noted.

    This is all that the do-nothing agent does.
    """
    changes: dict[str, Task | None] = {}
    for seen in executions:
        task = plan.tasks[seen.node]
        changes[seen.node] = task.changed(
            description=f"{task.description}\n{result_text(seen.result)}", status=True
        )
    return plan.replaced(changes)


def invent(
    plan: Plan,
    executions: Sequence[Execution],
    world: World,
    lots: Random,
    *,
    skip: Collection[str] = (),
) -> tuple[Plan, list[MadeUp]]:
    """Replace references to the round's failed calls by made-up literals.

    Only in pending calls that are the clean plan's own, only where a plausible value
    differs from the recorded one and breaks no rule; about half of the failures are
    treated so, the others' dependants run on what isn't there. Nodes in ``skip`` stay.
    """
    failed = {seen.node for seen in executions if seen.outcome != OK and lots.random() < 0.5}
    if not failed:
        return plan, []
    changes: dict[str, Task | None] = {}
    inventions: list[MadeUp] = []
    for task in plan.pending():
        call = world.clean.calls.get(task.id)
        if call is None or task.id in skip or task.name != call.name:
            continue
        for pointer, node in _places(task.arguments, failed).items():
            current = changes.get(task.id) or task
            made = _invention(world.clean, task.id, pointer, lots)
            if made is None:
                continue
            arguments = replaced(current.arguments, pointer, made)
            if not _is_legal(world, task.name, call.sent, pointer, made):
                continue
            before = lookup(current.arguments, pointer)
            inventions.append(MadeUp(task.id, pointer, before, made, node))
            changes[task.id] = current.changed(arguments=arguments)
    return plan.replaced(changes), inventions


def _places(arguments: Mapping[str, Json], failed: set[str]) -> dict[str, str]:
    """Return the argument places that refer to a failed node, with that node."""
    places: dict[str, str] = {}
    for found in references(arguments):
        if found.node in failed:
            places.setdefault(found.argument, found.node)
    return places


def _invention(clean: CleanPlan, id: str, pointer: str, lots: Random) -> Json:
    try:
        recorded = lookup(clean.calls[id].sent, pointer)
    except LookupError:
        return None
    return guess(recorded, lots)


def _is_legal(world: World, name: str, sent: Mapping[str, Json], pointer: str, made: Json) -> bool:
    try:
        arguments = replaced(sent, pointer, made)
    except LookupError:
        return False
    return world.check(name, arguments) is None
