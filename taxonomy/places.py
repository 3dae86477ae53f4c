"""Places of a call's arguments that may be damaged, and how a value there is replaced."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from plan.clean import Call
from plan.damage import Damage
from plan.json_text import Json, equal, escape, replaced, split_pointer
from plan.reference import has_reference, is_expression
from plan.task import Task
from plan.tool import Tool

TYPES = frozenset({"object", "array", "string", "boolean", "integer", "number", "null"})

# More items of one list would only repeat what damage to the first ones shows.
_ITEMS = 3
_DEPTH = 2


def kept(task: Task, call: Call, key: str) -> bool:
    """Tell whether a task has a parameter with its clean value, reference or literal."""
    arguments = task.arguments
    return key in arguments and (
        arguments[key] is call.arguments[key] or equal(arguments[key], call.arguments[key])
    )


def literal_places(
    task: Task, call: Call, tool: Tool
) -> Iterator[tuple[str, Mapping[str, Json], Json]]:
    """Yield (JSON Pointer, JSON Schema, value) of every literal that still is the clean one.

    Pointers go into the arguments. Items of lists and fields of objects count where the
    schema declares them.
    """
    properties = tool.properties
    for key, value in call.arguments.items():
        schema = properties.get(key)
        if isinstance(schema, dict) and kept(task, call, key):
            yield from literals_inside(f"/{escape(key)}", schema, value)


def literals_inside(
    pointer: str, schema: Mapping[str, Json], value: Json, depth: int = 0
) -> Iterator[tuple[str, Mapping[str, Json], Json]]:
    """Yield (JSON Pointer, JSON Schema, value) of a value and what is declared inside it."""
    if not isinstance(value, (dict, list)):
        yield pointer, schema, value
        return
    if not has_reference(value):
        yield pointer, schema, value
    elif is_expression(value):
        return
    if depth >= _DEPTH:
        return
    if isinstance(value, list):
        inner = schema.get("items")
        if isinstance(inner, dict):
            for index, item in enumerate(value[:_ITEMS]):
                yield from literals_inside(f"{pointer}/{index}", inner, item, depth + 1)
        return
    fields = schema.get("properties")
    if isinstance(fields, dict):
        for name, item in value.items():
            inner = fields.get(name)
            if isinstance(inner, dict):
                yield from literals_inside(f"{pointer}/{escape(name)}", inner, item, depth + 1)


_NOTHING = object()


def literal_at(task: Task, call: Call, pointer: str) -> tuple[bool, Json]:
    """Return whether the clean literal still stands at a place of the arguments, and it."""
    mine: Json = task.arguments
    clean: Json = call.arguments
    for token in split_pointer(pointer):
        if isinstance(clean, dict) and isinstance(mine, dict) and not is_expression(clean):
            mine, clean = mine.get(token, _NOTHING), clean.get(token, _NOTHING)
        elif isinstance(clean, list) and isinstance(mine, list):
            at = int(token)
            if at >= len(clean) or at >= len(mine):
                return False, None
            mine, clean = mine[at], clean[at]
        else:
            return False, None
    if clean is _NOTHING or mine is _NOTHING or has_reference(clean):
        return False, None
    return mine is clean or equal(mine, clean), clean


def with_values(
    task: Task, pointer: str, before: Json, made: Iterable[tuple[str, Json]]
) -> Iterator[Damage]:
    """Yield the damages that put other values, given as (way, value), at one place."""
    arguments, place = task.arguments, f"/para{pointer}"
    key = unescape(pointer[1:]) if pointer.count("/") == 1 else None
    for way, after in made:
        changed = replaced(arguments, pointer, after) if key is None else {**arguments, key: after}
        yield Damage(task.id, place, before, after, way, {task.id: changed_task(task, changed)})


def unescape(token: str) -> str:
    """Undo the escapes of one token of a JSON Pointer."""
    return token.replace("~1", "/").replace("~0", "~") if "~" in token else token


def changed_task(task: Task, arguments: Mapping[str, Json]) -> Task:
    """Return a task with other arguments."""
    return Task(task.id, task.name, arguments, task.description, task.depends_on, task.status)


def declared_types(schema: Mapping[str, Json]) -> tuple[str, ...]:
    """Return the JSON Schema types that a schema declares; none where it declares no known.

    An OpenAPI ``nullable`` counts as null.
    """
    kind = schema.get("type")
    kinds = (kind,) if isinstance(kind, str) else tuple(kind) if isinstance(kind, list) else ()
    if not kinds or not all(isinstance(one, str) and one in TYPES for one in kinds):
        return ()
    return (*kinds, "null") if schema.get("nullable") is True else kinds


def has_type(kinds: tuple[str, ...], value: Json) -> bool:
    """Tell whether a value has one of the given JSON Schema types (16.0 is an integer)."""
    if isinstance(value, str):
        return "string" in kinds
    if isinstance(value, bool):
        return "boolean" in kinds
    if isinstance(value, int):
        return "integer" in kinds or "number" in kinds
    if isinstance(value, float):
        return "number" in kinds or ("integer" in kinds and value.is_integer())
    if value is None:
        return "null" in kinds
    return ("object" if isinstance(value, dict) else "array") in kinds
