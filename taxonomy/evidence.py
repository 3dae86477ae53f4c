"""What a state shows about a value: whether anything explains where it comes from."""

from __future__ import annotations

import re
from collections.abc import Iterator

from plan.json_text import Json, escape, walk
from plan.reference import is_expression
from plan.state import State
from plan.task import Task
from taxonomy.literal import CODE, shape
from taxonomy.words import text_words

_THOUSANDS = re.compile(r"(?<=\d)[,\u202f](?=\d{3})")


class Evidence:
    """Words of a state's query, observations and arguments."""

    __slots__ = ("_said", "_state", "_written")

    def __init__(self, state: State) -> None:
        self._state = state
        self._said: frozenset[str] | None = None
        self._written: dict[str, frozenset[str]] = {}

    def unexplained(self, task: Task) -> Iterator[str]:
        """Yield the places of literals that neither the query nor any other call explains.

        Places are JSON Pointers into the arguments. Only what can hardly be an agent's own
        words is asked about: numbers of ten and more, and codes with digits in them.
        """
        for key, argument in task.arguments.items():
            if is_expression(argument):
                continue
            for pointer, value in walk(argument, f"/{escape(key)}"):
                if _is_telling(value) and not self._explains(task, key, text_words(str(value))):
                    yield pointer

    def _explains(self, task: Task, key: str, words: frozenset[str]) -> bool:
        if self._said is None:
            self._read()
        assert self._said is not None
        rest = words - self._said
        if not rest:
            return True
        tool = self._state.tools.get(task.name)
        if tool is not None and rest <= text_words(str(tool.properties.get(key, ""))):
            return True
        return any(rest <= written for id, written in self._written.items() if id != task.id)

    def _read(self) -> None:
        state = self._state
        said = set(text_words(_THOUSANDS.sub("", state.query)))
        for round in state.history:
            for seen in round.observations:
                said |= text_words(str(seen.results))
        self._said = frozenset(said)
        for task in state.plan.calls():
            self._written[task.id] = text_words(str(list(task.arguments.values())))


def _is_telling(value: Json) -> bool:
    if isinstance(value, (bool, list, dict)) or value is None:
        return False
    if isinstance(value, (int, float)):
        return abs(value) >= 10
    return shape(value) == CODE
