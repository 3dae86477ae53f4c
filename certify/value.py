"""Whether values are legal: schemas and value rules, checked with code of its own.

Which rule a place has is asked of `plan.rules`; whether a value keeps it is decided here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from certify.rule import holds
from plan.clean import CleanPlan
from plan.json_text import Json, dump_bytes, escape, lookup, replaced, split_pointer
from plan.reference import has_reference, is_expression
from plan.rules import Rule

TYPE = "type"
CONTENT = "content"

_DEPTH = 24


@dataclass(frozen=True, slots=True)
class Fault:
    """What a schema forbids: ``sort`` is type or content, ``pointer`` where in the value."""

    sort: str
    pointer: str

    def __str__(self) -> str:
        return f"a wrong {self.sort} at {self.pointer or '/'}"


def has_type(value: Json, name: str) -> bool:
    """Tell whether a value has a type of JSON Schema; 3.0 is an integer there."""
    match name:
        case "object":
            return isinstance(value, dict)
        case "array":
            return isinstance(value, list)
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "null":
            return value is None
        case "integer":
            if isinstance(value, bool):
                return False
            return isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        case "number":
            return isinstance(value, (int, float)) and not isinstance(value, bool)
        case _:
            return True


def schema_fault(schema: Json, value: Json, root: Json, depth: int = 0) -> Fault | None:
    """Return the first thing that a JSON Schema forbids in a value, types before contents.

    References of plans are legal anywhere. Keywords that say nothing about types or
    contents are ignored, and so is ``format``: value rules take its place.
    """
    found: Fault | None = None
    for fault in _faults(schema, value, root, depth):
        if fault.sort == TYPE:
            return fault
        found = found or fault
    return found


def _faults(schema: Json, value: Json, root: Json, depth: int) -> list[Fault]:
    if schema is False:
        return [Fault(CONTENT, "")]
    if not isinstance(schema, dict) or is_expression(value) or depth > _DEPTH:
        return []
    target = schema.get("$ref")
    if isinstance(target, str):
        try:
            return _faults(lookup(root, target.removeprefix("#")), value, root, depth + 1)
        except (LookupError, ValueError):
            return []
    names = schema.get("type")
    names = [names] if isinstance(names, str) else names
    if isinstance(names, list) and names and not any(has_type(value, name) for name in names):
        return [Fault(TYPE, "")]
    faults: list[Fault] = []
    choices = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if isinstance(choices, list):
        texts = {dump_bytes(choice) for choice in choices}
        if dump_bytes(value) not in texts:
            same = any(type(choice) is type(value) for choice in choices)
            faults.append(Fault(CONTENT if same else TYPE, ""))
    for keyword in ("anyOf", "oneOf"):
        branches = schema.get(keyword)
        if isinstance(branches, list) and branches:
            tried = [_faults(branch, value, root, depth + 1) for branch in branches]
            if all(tried):
                fits = any(all(fault.sort == CONTENT for fault in found) for found in tried)
                faults.append(Fault(CONTENT if fits else TYPE, ""))
    for branch in schema.get("allOf") or ():
        faults += _faults(branch, value, root, depth + 1)
    if isinstance(value, dict):
        faults += _object_faults(schema, value, root, depth)
    elif isinstance(value, list):
        faults += _array_faults(schema, value, root, depth)
    elif isinstance(value, str):
        faults += _text_faults(schema, value)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        faults += _number_faults(schema, value)
    return faults


def _object_faults(
    schema: Mapping[str, Json], value: Mapping[str, Json], root: Json, depth: int
) -> list[Fault]:
    faults: list[Fault] = []
    properties = schema.get("properties") or {}
    if any(key not in value for key in schema.get("required") or ()):
        faults.append(Fault(CONTENT, ""))
    extra = schema.get("additionalProperties", True)
    for key, item in value.items():
        inner = _faults(properties.get(key, extra), item, root, depth + 1)
        faults += [Fault(fault.sort, f"/{escape(key)}{fault.pointer}") for fault in inner]
    return faults


def _array_faults(
    schema: Mapping[str, Json], value: Sequence[Json], root: Json, depth: int
) -> list[Fault]:
    faults: list[Fault] = []
    for index, item in enumerate(value):
        inner = _faults(schema.get("items"), item, root, depth + 1)
        faults += [Fault(fault.sort, f"/{index}{fault.pointer}") for fault in inner]
    if len(value) < schema.get("minItems", 0) or len(value) > schema.get("maxItems", len(value)):
        faults.append(Fault(CONTENT, ""))
    if schema.get("uniqueItems") is True and len({dump_bytes(item) for item in value}) < len(value):
        faults.append(Fault(CONTENT, ""))
    return faults


def _text_faults(schema: Mapping[str, Json], value: str) -> list[Fault]:
    size = len(value)
    if size < schema.get("minLength", 0) or size > schema.get("maxLength", size):
        return [Fault(CONTENT, "")]
    pattern = schema.get("pattern")
    if isinstance(pattern, str):
        try:
            if re.search(pattern, value) is None:
                return [Fault(CONTENT, "")]
        except re.error:
            return []
    return []


def _number_faults(schema: Mapping[str, Json], value: float) -> list[Fault]:
    low, high = _number(schema, "minimum"), _number(schema, "maximum")
    above, below = _number(schema, "exclusiveMinimum"), _number(schema, "exclusiveMaximum")
    step = _number(schema, "multipleOf")
    wrong = (
        (low is not None and value < low)
        or (high is not None and value > high)
        or (above is not None and value <= above)
        or (below is not None and value >= below)
        or (step is not None and step > 0 and abs(value / step - round(value / step)) > 1e-9)
    )
    return [Fault(CONTENT, "")] if wrong else []


def _number(schema: Mapping[str, Json], keyword: str) -> float | None:
    value = schema.get(keyword)
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


class Legality:
    """What is legal for the tools of one clean plan."""

    __slots__ = ("_clean",)

    def __init__(self, clean: CleanPlan) -> None:
        self._clean = clean

    def rules(self, name: str) -> tuple[Rule, ...]:
        """Return a listed tool's value rules; its clean calls are the examples."""
        return self._clean.laws.rules(name)

    def fault(self, name: str, key: str, value: Json) -> Fault | None:
        """Return what a listed tool's schema forbids in one argument."""
        parameters = self._clean.tools[name].parameters
        return schema_fault(self._clean.tools[name].properties.get(key), value, parameters)

    def broken(
        self, name: str, sent: Mapping[str, Json], arguments: Mapping[str, Json], pointer: str
    ) -> tuple[str, ...]:
        """Return the places of the value rules that a literal breaks and the original held.

        Args:
            name: the tool.
            sent: the arguments as recorded.
            arguments: the arguments now.
            pointer: the changed place.
        """
        try:
            changed = replaced(sent, pointer, lookup(arguments, pointer))
        except LookupError:
            return ()
        return tuple(
            rule.pointer
            for rule in self.rules(name)
            if holds(rule, sent) and not holds(rule, changed)
        )

    def problem(self, name: str, arguments: Mapping[str, Json]) -> str | None:
        """Return what makes a call illegal, or None; references are legal anywhere."""
        tool = self._clean.tools.get(name)
        if tool is None:
            return f"an unlisted tool {name!r}"
        for key in tool.required:
            if key not in arguments:
                return f"no {key!r}, which is required"
        properties, is_open = tool.properties, tool.is_open
        for key, value in arguments.items():
            if key not in properties:
                if not is_open:
                    return f"an unknown argument {key!r}"
                continue
            fault = schema_fault(properties[key], value, tool.parameters)
            if fault is not None:
                return f"a wrong {fault.sort} at /{escape(key)}{fault.pointer}"
        for rule in self.rules(name):
            if not holds(rule, arguments) and not _reads(rule, arguments):
                return f"an impossible {rule.name} at {rule.pointer}"
        return None


def _reads(rule: Rule, arguments: Mapping[str, Json]) -> bool:
    """Tell whether a reference stands at or above a place that a rule looks at."""
    for pointer in (rule.pointer, rule.partner):
        value: Json = arguments
        for token in split_pointer(pointer or ""):
            if isinstance(value, dict) and not is_expression(value):
                value = value.get(token)
            elif isinstance(value, list) and token.isdecimal() and int(token) < len(value):
                value = value[int(token)]
            else:
                break
        if pointer and has_reference(value):
            return True
    return False
