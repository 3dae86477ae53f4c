"""Ids: one seeded bijection with gaps a row, so that no id tells anything."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random

from plan.clean import Call, CleanPlan, Edge
from plan.damage import Damage
from plan.json_text import Json
from plan.reference import renamed
from plan.task import ROOT, Plan, Task

ROOM = 4
"""How many times more ids than clean calls there are at least."""


def draw_names(clean: CleanPlan, lots: Random) -> dict[str, str]:
    """Return new ids for the clean calls: numbers in no order, with gaps.

    They come from a range that doesn't depend on how many there are, so that a lost call
    leaves no gap that others don't leave, and a new one fills none.
    """
    size = len(clean.calls)
    numbers = lots.sample(range(1, _end(ROOM * size)), size)
    return {id: str(number) for id, number in zip(clean.calls, numbers, strict=True)}


def free_name(used: Iterable[str], lots: Random) -> str:
    """Return an unused id for a new task, from the range of those in use."""
    (name,) = free_names(used, 1, lots)
    return name


def free_names(used: Iterable[str], count: int, lots: Random) -> list[str]:
    """Return unused ids for new tasks, as `free_name` gives them one after the other."""
    taken = {int(id) for id in used if id.isdecimal()}
    names = []
    for _ in range(count):
        end = _end(max(taken, default=0))
        while (number := lots.randrange(1, end)) in taken:
            pass
        taken.add(number)
        names.append(str(number))
    return names


def _end(least: int) -> int:
    """Return the end of the range of ids: all numbers of two digits, or of as many as needed."""
    return int(10 ** max(2, len(str(least))))


def rename_task(task: Task, names: Mapping[str, str]) -> Task:
    """Return a task with its own id, its dependencies and its references renamed."""
    return Task(
        names.get(task.id, task.id),
        task.name,
        _renamed(task.arguments, names),
        task.description,
        tuple(names.get(other, other) for other in task.depends_on),
        task.status,
    )


def _renamed(arguments: Mapping[str, Json], names: Mapping[str, str]) -> dict[str, Json]:
    return {
        key: renamed(value, names) if isinstance(value, (dict, list)) else value
        for key, value in arguments.items()
    }


def rename_clean(clean: CleanPlan, names: Mapping[str, str]) -> CleanPlan:
    """Return a clean plan under new ids."""
    return clean.relabelled(
        {
            names[id]: Call(
                names[id],
                call.turn,
                call.name,
                _renamed(call.arguments, names),
                call.sent,
                call.description,
                tuple(names.get(other, ROOT) for other in call.depends_on),
                call.result,
            )
            for id, call in clean.calls.items()
        },
        tuple(
            Edge(names[edge.before], names[edge.after], edge.kind, edge.argument, edge.source)
            for edge in clean.edges
        ),
    )


def settle(damage: Damage, plan: Plan, clean: CleanPlan, lots: Random) -> Damage:
    """Return a damage whose new task, if it has one, bears an id of the row's own kind.

    That is one which neither the plan nor the clean plan has.
    """
    new = next(
        (
            id
            for id, task in damage.changes.items()
            if task and id not in plan.tasks and id not in clean.calls
        ),
        None,
    )
    if new is None:
        return damage
    name = free_name({*plan.tasks, *clean.calls}, lots)
    names = {new: name}
    changes: dict[str, Task | None] = {}
    for id, changed in damage.changes.items():
        changes[names.get(id, id)] = None if changed is None else rename_task(changed, names)
    made = changes[name]
    assert made is not None
    return Damage(
        name,
        damage.pointer,
        damage.before,
        made.to_json(),
        damage.way,
        changes,
        damage.fault,
    )
