"""Whether a call is legal by its tool's parameters: the part of JSON Schema that tools use.

References are legal anywhere: what they stand for isn't known yet.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from scoring.json_text import Json, dumps
from scoring.reference import is_expression


def is_legal(tool: Mapping[str, Json], arguments: Mapping[str, Json]) -> bool:
    """Tell whether a tool's parameters allow the arguments.

    Keys outside ``properties`` are allowed only where the schema says so.
    """
    schema = tool.get("parameters")
    if not isinstance(schema, dict):
        return True
    properties = schema.get("properties")
    properties = properties if isinstance(properties, dict) else {}
    required = schema.get("required")
    extra = schema.get("additionalProperties", False)
    is_open = extra is True or isinstance(extra, dict)
    if isinstance(required, list) and any(key not in arguments for key in required):
        return False
    if not is_open and any(key not in properties for key in arguments):
        return False
    return all(
        is_valid(value, properties.get(key, extra if isinstance(extra, dict) else True))
        for key, value in arguments.items()
    )


def is_valid(value: Json, schema: Json) -> bool:
    """Tell whether a value fits a schema; keywords that aren't known here allow anything."""
    if schema is False:
        return False
    if not isinstance(schema, dict) or is_expression(value):
        return True
    return all(
        check(value, schema[keyword], schema)
        for keyword, check in _CHECKS.items()
        if keyword in schema
    )


def _number(value: Json) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


_TYPES: Mapping[str, Callable[[Json], bool]] = {
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: _number(value) and value % 1 == 0,
    "number": _number,
    "boolean": lambda value: isinstance(value, bool),
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "null": lambda value: value is None,
}


def _type(value: Json, kinds: Json, schema: Any) -> bool:
    names = kinds if isinstance(kinds, list) else [kinds]
    return any(name not in _TYPES or _TYPES[name](value) for name in names)


def _enum(value: Json, choices: Json, schema: Any) -> bool:
    return not isinstance(choices, list) or any(_equal(value, choice) for choice in choices)


def _equal(a: Json, b: Json) -> bool:
    if _number(a) and _number(b):
        return bool(a == b)
    return type(a) is type(b) and dumps(a) == dumps(b)


def _pattern(value: Json, pattern: Json, schema: Any) -> bool:
    if not isinstance(value, str) or not isinstance(pattern, str):
        return True
    try:
        return re.search(pattern, value) is not None
    except re.error:
        return True


def _properties(value: Json, properties: Json, schema: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(properties, dict):
        return True
    return all(is_valid(value[key], inner) for key, inner in properties.items() if key in value)


def _extra(value: Json, extra: Json, schema: Mapping[str, Json]) -> bool:
    if not isinstance(value, dict):
        return True
    known = schema.get("properties")
    known = known if isinstance(known, dict) else {}
    patterns = schema.get("patternProperties")
    if isinstance(patterns, dict) and patterns:
        return True
    return all(is_valid(item, extra) for key, item in value.items() if key not in known)


def _required(value: Json, keys: Json, schema: Any) -> bool:
    return not isinstance(value, dict) or all(key in value for key in keys)


def _items(value: Json, inner: Json, schema: Any) -> bool:
    return not isinstance(value, list) or all(is_valid(item, inner) for item in value)


_CHECKS: Mapping[str, Callable[[Json, Json, Any], bool]] = {
    "type": _type,
    "enum": _enum,
    "const": lambda value, only, _: _equal(value, only),
    "minimum": lambda value, least, _: not _number(value) or value >= least,
    "maximum": lambda value, most, _: not _number(value) or value <= most,
    "exclusiveMinimum": lambda value, least, _: not _number(value) or value > least,
    "exclusiveMaximum": lambda value, most, _: not _number(value) or value < most,
    "minLength": lambda value, least, _: not isinstance(value, str) or len(value) >= least,
    "maxLength": lambda value, most, _: not isinstance(value, str) or len(value) <= most,
    "minItems": lambda value, least, _: not isinstance(value, list) or len(value) >= least,
    "maxItems": lambda value, most, _: not isinstance(value, list) or len(value) <= most,
    "pattern": _pattern,
    "properties": _properties,
    "additionalProperties": _extra,
    "required": _required,
    "items": _items,
    "anyOf": lambda value, options, _: any(is_valid(value, option) for option in options),
    "oneOf": lambda value, options, _: sum(is_valid(value, option) for option in options) == 1,
    "allOf": lambda value, options, _: all(is_valid(value, option) for option in options),
}
