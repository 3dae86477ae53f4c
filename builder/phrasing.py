"""Rewords plans without changing their meaning.

Every plan of a row is written out anew: descriptions in other words, dependencies in
another order. Damaged and clean tasks are treated alike, so a comparison of two texts
tells nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

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
    """Return the same plan in other words, tasks in the order of their ids."""
    tasks = []
    for task in sorted(plan.tasks.values(), key=_place):
        if task.id == ROOT:
            tasks.append(task)
            continue
        before = list(task.depends_on)
        if len(before) > 1:
            lots.shuffle(before)
        text = lots.choice(_LAST) if task.id == RESPONSE else describe(task.description, lots)
        tasks.append(task.changed(description=text, depends_on=before))
    return Plan.of(tasks)


def _place(task: Task) -> tuple[int, int]:
    if task.id == ROOT:
        return (0, 0)
    if task.id == RESPONSE:
        return (2, 0)
    return (1, int(task.id))
