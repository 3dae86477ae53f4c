"""Rewords plans without changing their meaning.

Every plan of a row is written out anew: descriptions in other words, dependencies in
another order, tasks in another order. Damaged and clean tasks are treated alike, so a
comparison of two texts tells nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from plan.graph import layers
from plan.task import RESPONSE, ROOT, Plan, Task


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


def _bare(text: str) -> str:
    return text.rstrip(".")


_HEADS: Sequence[Callable[[str], str]] = (
    lambda text: text,
    lambda text: text,
    _bare,
    lambda text: f"Next: {_lower(_bare(text))}",
    lambda text: f"To do: {_lower(_bare(text))}",
    lambda text: f"Goal: {_lower(text)}",
    lambda text: f"This step: {_lower(text)}",
    lambda text: f"For the user: {_lower(text)}",
    lambda text: f"Call for this purpose: {_lower(text)}",
)
_MARKERS = (
    "Result: {}",
    "Execution result: {}",
    "Returned: {}",
    "Output: {}",
    "Got {}",
    "-> {}",
    "Response received: {}",
)
_LAST = (
    "Summarise the results and answer the user.",
    "Analyse the results and reply.",
    "Put everything together and answer the request.",
    "Write the final answer.",
    "Report back to the user.",
)


def describe(description: str, lots: Random) -> str:
    """Reword a description; what follows a line break is a result's text."""
    head, mark, result = description.partition("\n")
    text = lots.choice(_HEADS)(head)
    return f"{text} {lots.choice(_MARKERS).format(result)}" if mark else text


def reword(plan: Plan, lots: Random) -> Plan:
    """Return the same plan in other words, tasks in a random order of their own.

    No task stands before one that it depends on, so where a task stands tells no more than
    its dependencies do.
    """
    depth = layers(plan.dependencies)
    order = [task for id, task in plan.tasks.items() if id not in (ROOT, RESPONSE)]
    lots.shuffle(order)
    order.sort(key=lambda task: depth[task.id])
    tasks = [plan.tasks[ROOT]]
    tasks += [_reworded(task, describe(task.description, lots), lots) for task in order]
    tasks.append(_reworded(plan.tasks[RESPONSE], lots.choice(_LAST), lots))
    return Plan.of(tasks)


def _reworded(task: Task, description: str, lots: Random) -> Task:
    before = list(task.depends_on)
    if len(before) > 1:
        lots.shuffle(before)
    return Task(task.id, task.name, task.arguments, description, tuple(before), task.status)
