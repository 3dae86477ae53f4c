"""References in arguments: ``$ref``, ``$concat`` and ``$computed`` (docs/ingest.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from scoring.json_text import Json, dumps, escape, lookup

REF = "$ref"
CONCAT = "$concat"
COMPUTED = "$computed"

Compute = Callable[[str, list[Json]], Json]


class UnresolvedError(LookupError):
    """A reference names a result that isn't there."""


def target(value: Json) -> tuple[str, str] | None:
    """Return (node, pointer) of a ``$ref``, else None."""
    if isinstance(value, dict) and len(value) == 1 and isinstance(value.get(REF), str):
        node, mark, pointer = value[REF].partition("#")
        if mark and node and (not pointer or pointer[0] == "/"):
            return node, pointer
    return None


def operands(value: Json, operator: str) -> list[Json] | None:
    """Return the list inside a ``$concat`` or ``$computed``, else None."""
    if isinstance(value, dict) and len(value) == 1 and isinstance(value.get(operator), list):
        inside: list[Json] = value[operator]
        return inside
    return None


def is_expression(value: Json) -> bool:
    """Tell whether a value stands for results (is no literal)."""
    return (
        target(value) is not None
        or operands(value, CONCAT) is not None
        or operands(value, COMPUTED) is not None
    )


def targets(value: Json) -> Iterator[tuple[str, str]]:
    """Yield (node, pointer) of every reference inside a value."""
    found = target(value)
    if found is not None:
        yield found
    elif isinstance(value, dict):
        for item in value.values():
            yield from targets(item)
    elif isinstance(value, list):
        for item in value:
            yield from targets(item)


def nodes_in(value: Json) -> Iterator[str]:
    """Yield the node of every reference inside a value."""
    return (node for node, _ in targets(value))


def stands(result: Json, pointer: str) -> bool:
    """Tell whether a result has something at a JSON Pointer."""
    try:
        lookup(result, pointer)
    except LookupError:
        return False
    return True


def computed_in(value: Json, place: str = "") -> Iterator[tuple[str, list[Json]]]:
    """Yield (JSON Pointer, inputs) of every outermost ``$computed`` inside a value."""
    inside = operands(value, COMPUTED)
    if inside is not None:
        yield place, inside
    elif is_expression(value):
        return
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from computed_in(item, f"{place}/{escape(key)}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from computed_in(item, f"{place}/{index}")


def resolve(value: Json, results: Mapping[str, Json], compute: Compute, place: str = "") -> Json:
    """Return a value with every reference replaced by what it stands for.

    Args:
        value: literals and references.
        results: each node's result.
        compute: called with the argument's JSON Pointer and the inputs of a ``$computed``.
        place: JSON Pointer of the value inside the arguments.

    Raises:
        UnresolvedError: a result isn't there.
    """
    found = target(value)
    if found is not None:
        node, pointer = found
        try:
            return lookup(results[node], pointer)
        except LookupError:
            raise UnresolvedError(f"{node}#{pointer}") from None
    inside = operands(value, CONCAT)
    if inside is not None:
        texts = [resolve(item, results, compute, place) for item in inside]
        return "".join(text if isinstance(text, str) else dumps(text) for text in texts)
    inside = operands(value, COMPUTED)
    if inside is not None:
        return compute(place, [resolve(item, results, compute, place) for item in inside])
    if isinstance(value, dict):
        return {
            key: resolve(item, results, compute, f"{place}/{escape(key)}")
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [
            resolve(item, results, compute, f"{place}/{index}") for index, item in enumerate(value)
        ]
    return value


def renamed(value: Json, names: Mapping[str, str]) -> Json:
    """Return a value whose references name nodes by other ids; unknown ones stay."""
    found = target(value)
    if found is not None:
        node, pointer = found
        return {REF: f"{names.get(node, node)}#{pointer}"}
    if isinstance(value, dict):
        return {key: renamed(item, names) for key, item in value.items()}
    if isinstance(value, list):
        return [renamed(item, names) for item in value]
    return value
