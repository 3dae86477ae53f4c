"""Whether a call is legal by its tool's schema: keys, types and choices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import jsonschema_rs

from plan.json_text import Json, escape, loads, type_name


@dataclass(frozen=True, slots=True)
class Broken:
    """What is wrong with a call.

    ``keyword`` is missing, unknown, type or value; ``at`` the JSON Pointer of the argument.
    """

    keyword: str
    at: str
    expected: str
    found: str
    value: Json


class Checker:
    """A tool's parameters, compiled once."""

    __slots__ = ("_open", "_properties", "_required", "_validator")

    def __init__(self, parameters: Mapping[str, Json]) -> None:
        self._properties: Mapping[str, Json] = parameters.get("properties") or {}
        self._required: list[str] = parameters.get("required") or []
        extra = parameters.get("additionalProperties", False)
        self._open = extra is True or isinstance(extra, dict)
        # Keys are checked here; what is left for the compiled schema are the values.
        values = {key: item for key, item in parameters.items() if key != "required"}
        self._validator = jsonschema_rs.validator_for(values)

    def accepts(self, arguments: Mapping[str, Json]) -> bool:
        """Tell whether the schema allows the arguments, references resolved."""
        return (
            all(key in arguments for key in self._required)
            and (self._open or all(key in self._properties for key in arguments))
            and self._validator.is_valid(arguments)
        )

    def broken(self, arguments: Mapping[str, Json]) -> list[Broken]:
        """Return everything that the schema forbids, keys first."""
        found = [
            Broken("missing", f"/{escape(key)}", "a value", "nothing", None)
            for key in self._required
            if key not in arguments
        ]
        if not self._open:
            found += [
                Broken("unknown", f"/{escape(key)}", "no such key", key, arguments[key])
                for key in arguments
                if key not in self._properties
            ]
        if not self._validator.is_valid(arguments):
            values: dict[str, Broken] = {}
            for error in self._validator.iter_errors(arguments):
                path = "".join(f"/{escape(str(part))}" for part in error.instance_path)
                # Of a wrong type it is no news that it is no valid choice either.
                keyword = "type" if error.kind.name == "type" else "value"
                if path and (keyword == "type" or path not in values):
                    value = error.instance
                    expected = _expected(self._properties, path)
                    values[path] = Broken(keyword, path, expected, type_name(value), value)
            found += values.values()
        return found


def _expected(properties: Mapping[str, Json], path: str) -> str:
    schema = properties.get(path.split("/")[1].replace("~1", "/").replace("~0", "~"), {})
    if not isinstance(schema, dict):
        return "a valid value"
    choices = schema.get("enum")
    if choices and len(choices) <= 6 and path.count("/") == 1:
        return "one of " + ", ".join(str(choice) for choice in choices)
    kind = schema.get("type")
    if isinstance(kind, str) and path.count("/") == 1:
        return kind
    return "a valid value"


@lru_cache(maxsize=8192)
def checker(parameters: str) -> Checker:
    """Return the checker of a tool's parameters, given as canonical JSON text.

    Raises:
        ValueError: the text is no JSON Schema.
    """
    return Checker(loads(parameters))
