"""Ids: one seeded bijection with gaps a row, so that no id tells anything."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random

from plan.clean import Call, CleanPlan, Edge
from plan.damage import Damage
from plan.reference import renamed
from plan.task import RESPONSE, ROOT, Task


def draw_names(clean: CleanPlan, lots: Random, extra: int) -> dict[str, str]:
    """Return new ids for the clean calls: rising numbers with gaps, in call order.

    Args:
        clean: the clean plan.
        lots: the row's generator.
        extra: how many tasks may join the plan later; there is room for them in the gaps.
    """
    size = len(clean.calls)
    numbers = sorted(lots.sample(range(1, 2 * size + extra + 2), size))
    return {id: str(number) for id, number in zip(clean.calls, numbers, strict=True)}


def free_name(used: Iterable[str], after: Iterable[str], lots: Random) -> str:
    """Return an unused id for a new task that depends on ``after``.

    It lies among the ids in use wherever a gap is left behind the task's dependencies.
    """
    taken = {int(id) for id in used if id.isdecimal()}
    lowest = max((int(id) for id in after if id.isdecimal()), default=0)
    highest = max(taken, default=0)
    gaps = [number for number in range(lowest + 1, highest) if number not in taken]
    return str(lots.choice(gaps) if gaps else highest + lots.choice((1, 1, 2)))


def rename_task(task: Task, names: Mapping[str, str]) -> Task:
    """Return a task with its own id, its dependencies and its references renamed."""
    return Task(
        names.get(task.id, task.id),
        task.name,
        {key: renamed(value, names) for key, value in task.arguments.items()},
        task.description,
        tuple(names.get(other, other) for other in task.depends_on),
        task.status,
    )


def rename_clean(clean: CleanPlan, names: Mapping[str, str]) -> CleanPlan:
    """Return a clean plan under new ids."""
    return CleanPlan(
        clean.query,
        clean.tools,
        {
            names[id]: Call(
                names[id],
                call.turn,
                call.name,
                {key: renamed(value, names) for key, value in call.arguments.items()},
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


def settle(damage: Damage, used: Iterable[str], lots: Random) -> Damage:
    """Return a damage whose new task, if it has one, bears an id of the row's own kind."""
    known = set(used)
    new = next((id for id, task in damage.changes.items() if id not in known and task), None)
    if new is None:
        return damage
    task = damage.changes[new]
    assert task is not None
    name = free_name(known, task.depends_on, lots)
    names = {new: name}
    changes: dict[str, Task | None] = {}
    for id, changed in damage.changes.items():
        changes[names.get(id, id)] = None if changed is None else rename_task(changed, names)
    made = changes[name]
    assert made is not None
    response = changes.get(RESPONSE)
    assert response is not None
    return Damage(
        name,
        damage.pointer,
        damage.before,
        made.to_json(),
        damage.way,
        changes,
        damage.fault,
    )
