"""What a state shows about a value: whether anything explains where it comes from."""

from __future__ import annotations

from collections.abc import Iterator

from plan.json_text import Json, escape, walk
from plan.reference import is_expression, references
from plan.state import State
from plan.task import Task
from taxonomy.words import text_words


def unexplained(state: State, task: Task) -> Iterator[str]:
    """Yield the places of literals that neither the query nor any other call explains.

    Places are JSON Pointers into the arguments. Only values that say something are asked
    about: numbers of ten and more, and texts with a digit or a capital letter in them.
    """
    known: frozenset[str] | None = None
    tool = state.tools.get(task.name)
    for key, argument in task.arguments.items():
        if is_expression(argument):
            continue
        for pointer, value in walk(argument, f"/{escape(key)}"):
            if not _says_something(value):
                continue
            if known is None:
                known = _known_words(state, task.id)
            words = text_words(str(value))
            if not words or words <= known:
                continue
            if tool is not None and words <= text_words(str(tool.properties.get(key, ""))):
                continue
            yield pointer


def _says_something(value: Json) -> bool:
    if isinstance(value, bool):
        return False
    if isinstance(value, (int, float)):
        return abs(value) >= 10
    return isinstance(value, str) and any(sign.isdigit() or sign.isupper() for sign in value)


def _known_words(state: State, id: str) -> frozenset[str]:
    known = set(text_words(state.query))
    for task in state.plan.calls():
        if task.id != id and not any(found.node == id for found in references(task.arguments)):
            known |= text_words(task.description)
            for value in task.arguments.values():
                known |= text_words(str(value))
    for round in state.history:
        for seen in round.observations:
            known |= text_words(str(seen.results))
    return frozenset(known)
