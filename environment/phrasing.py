"""Rewords plans without changing their meaning.

Every plan of a row is written out anew: descriptions in other words, dependencies in
another order, tasks in another order. Damaged and clean tasks are treated alike, so a
comparison of two texts tells nothing. What was written so can be recognised again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
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


def is_wording(text: str, sentence: str, result: str | None) -> bool:
    """Tell whether a text is one that `describe` can make.

    Args:
        text: a task's description.
        sentence: what the task is for, in the words of its tool.
        result: the text of what came back, or None while the task is pending.
    """
    if result is None:
        return text in _wordings(sentence)
    return text.endswith(result) and text[: len(text) - len(result)] in _beginnings(sentence)


def is_last_wording(text: str) -> bool:
    """Tell whether a text is one that `reword` gives the response."""
    return text in _LAST


@lru_cache(maxsize=4096)
def _wordings(sentence: str) -> frozenset[str]:
    return frozenset(head(sentence) for head in _HEADS)


@lru_cache(maxsize=4096)
def _beginnings(sentence: str) -> frozenset[str]:
    """Return what can stand before a result's text."""
    marks = [f" {marker.format('')}" for marker in _MARKERS]
    return frozenset(head + mark for head in _wordings(sentence) for mark in marks)


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
