"""References: arguments that stand for earlier results.

Three spellings, and no other text refers to anything:

- ``{"$ref": "3#/price"}``: node 3's result at JSON Pointer ``/price``;
- ``{"$concat": ["Room ", {"$ref": "2#/room"}]}``: a text with results inside it;
- ``{"$computed": [{"$ref": "1#/a"}, {"$ref": "2#/b"}]}``: a value worked out from results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from plan.json_text import Json, dumps, escape, lookup

REF = "$ref"
CONCAT = "$concat"
COMPUTED = "$computed"


@dataclass(frozen=True, slots=True)
class Reference:
    """A node's result, at a JSON Pointer, and how its value reaches the argument.

    ``argument`` is the JSON Pointer, into the arguments, of the outermost expression.
    """

    node: str
    pointer: str
    kind: str
    argument: str


class UnresolvedError(LookupError):
    """A reference names a result that isn't there."""

    def __init__(self, node: str, pointer: str, argument: str) -> None:
        super().__init__(f"{argument}: nothing at {node}#{pointer}")
        self.node = node
        self.pointer = pointer
        self.argument = argument


def spell(node: str, pointer: str) -> Json:
    """Return the JSON spelling of a reference."""
    return {REF: f"{node}#{pointer}"}


def target(value: Json) -> tuple[str, str] | None:
    """Return (node, pointer) if the value is a ``$ref``, else None."""
    if isinstance(value, dict) and len(value) == 1:
        text = value.get(REF)
        if isinstance(text, str):
            node, mark, pointer = text.partition("#")
            if mark and node and (not pointer or pointer[0] == "/"):
                return node, pointer
    return None


def parts(value: Json, operator: str) -> list[Json] | None:
    """Return the list inside a ``$concat`` or ``$computed``, else None."""
    if isinstance(value, dict) and len(value) == 1:
        inside = value.get(operator)
        if isinstance(inside, list):
            return inside
    return None


def is_expression(value: Json) -> bool:
    """Tell whether a value is a reference expression (not a literal)."""
    if not isinstance(value, dict) or len(value) != 1:
        return False
    return (
        target(value) is not None
        or parts(value, CONCAT) is not None
        or parts(value, COMPUTED) is not None
    )


def references(value: Json, argument: str = "", kind: str = "data") -> Iterator[Reference]:
    """Yield every reference inside a value, in order."""
    found: list[Reference] = []
    _collect(value, argument, kind, found)
    return iter(found)


def _collect(value: Json, argument: str, kind: str, found: list[Reference]) -> None:
    if isinstance(value, dict):
        if len(value) == 1:
            source = target(value)
            if source is not None:
                found.append(Reference(source[0], source[1], kind, argument))
                return
            for operator, inner in ((CONCAT, kind), (COMPUTED, "computed")):
                inside = parts(value, operator)
                if inside is not None:
                    here: list[Reference] = []
                    for item in inside:
                        _collect(item, argument, inner, here)
                    found += [Reference(one.node, one.pointer, inner, argument) for one in here]
                    return
        for key, item in value.items():
            if isinstance(item, (dict, list)):
                _collect(item, f"{argument}/{escape(key)}", kind, found)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, (dict, list)):
                _collect(item, f"{argument}/{index}", kind, found)


def has_reference(value: Json) -> bool:
    """Tell whether any reference stands inside a value."""
    if isinstance(value, dict):
        return is_expression(value) or any(map(has_reference, value.values()))
    if isinstance(value, list):
        return any(map(has_reference, value))
    return False


def text_of(value: Json) -> str:
    """Return how a result's value stands inside a longer text."""
    return value if isinstance(value, str) else dumps(value)


def resolve(
    value: Json,
    results: Mapping[str, Json],
    compute: Callable[[str, list[Json]], Json],
    argument: str = "",
) -> Json:
    """Return a value with every reference replaced by what it stands for.

    Args:
        value: literals and reference expressions.
        results: each usable node's result.
        compute: called with the argument's JSON Pointer and the input values of a
            ``$computed``; returns its value.
        argument: JSON Pointer of the value inside the arguments.

    Raises:
        UnresolvedError: a node has no usable result, or nothing stands at the pointer.
    """
    if isinstance(value, dict):
        if len(value) == 1:
            found = target(value)
            if found is not None:
                node, pointer = found
                if node not in results:
                    raise UnresolvedError(node, pointer, argument)
                if not pointer:
                    return results[node]
                try:
                    return lookup(results[node], pointer)
                except LookupError:
                    raise UnresolvedError(node, pointer, argument) from None
            inside = parts(value, CONCAT)
            if inside is not None:
                return "".join(
                    text_of(resolve(item, results, compute, argument)) for item in inside
                )
            inside = parts(value, COMPUTED)
            if inside is not None:
                inputs = [resolve(item, results, compute, argument) for item in inside]
                return compute(argument, inputs)
        return {
            key: resolve(item, results, compute, f"{argument}/{escape(key)}")
            if isinstance(item, (dict, list))
            else item
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [
            resolve(item, results, compute, f"{argument}/{index}")
            if isinstance(item, (dict, list))
            else item
            for index, item in enumerate(value)
        ]
    return value


def renamed(value: Json, names: Mapping[str, str]) -> Json:
    """Return a value whose references name nodes by their new ids.

    Nodes that ``names`` doesn't know keep theirs.
    """
    if isinstance(value, dict):
        found = target(value)
        if found is not None:
            node, pointer = found
            return spell(names.get(node, node), pointer)
        return {key: renamed(item, names) for key, item in value.items()}
    if isinstance(value, list):
        return [renamed(item, names) for item in value]
    return value


def in_short(value: Json) -> str:
    """Return a value for people, with its references in short: ⟨3/price⟩ for node 3's /price."""
    found = target(value)
    if found is not None:
        return f"⟨{found[0]}{found[1]}⟩"
    for operator, sign in ((CONCAT, "+"), (COMPUTED, "~")):
        inside = parts(value, operator)
        if inside is not None:
            return f" {sign} ".join(map(in_short, inside))
    if isinstance(value, list):
        return f"[{', '.join(map(in_short, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {in_short(item)}" for key, item in value.items()) + "}"
    return dumps(value)
