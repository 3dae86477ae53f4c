"""Tasks that may be damaged: pending, and still as the clean plan has them."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from plan.clean import Call, CleanPlan
from plan.json_text import equal
from plan.state import State
from plan.task import Task


def intact_tasks(
    state: State, clean: CleanPlan, only: Collection[str] | None = None
) -> Iterator[tuple[Task, Call]]:
    """Yield each pending task that has its clean name and dependencies, with its call.

    Arguments may differ: after a failure they may hold made-up values.
    """
    for id, task in state.plan.tasks.items():
        if task.status or (only is not None and id not in only):
            continue
        call = clean.calls.get(id)
        if call is not None and is_intact(task, call):
            yield task, call


def is_intact(task: Task, call: Call) -> bool:
    """Tell whether a task has its clean name and dependencies."""
    return task.name == call.name and (
        task.depends_on == call.depends_on or set(task.depends_on) == set(call.depends_on)
    )


def has_clean_arguments(task: Task, call: Call) -> bool:
    """Tell whether a task's arguments are the clean ones."""
    return task.arguments is call.arguments or equal(task.arguments, call.arguments)
