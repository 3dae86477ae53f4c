"""How real APIs word their failures.

Every cause has several messages and every message several envelopes, so that neither the
words nor the shape of an observation stand for one kind of error.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from plan.json_text import Json, dumps

_ENVELOPES = (
    "text",
    "text",
    "error",
    "error",
    "status",
    "nested",
    "success",
    "detail",
)

# What is wrong with an input never shows in the code: APIs use one for all of it.
_REFUSED: tuple[int | str, ...] = (
    400,
    422,
    "BAD_REQUEST",
    "INVALID_ARGUMENT",
    "validation_failed",
)
_CODES: Mapping[str, tuple[int | str, ...]] = {
    "unknown_tool": (404, "NOT_FOUND", "unknown_function", 400, "BAD_REQUEST"),
    "reference": _REFUSED,
    "missing": _REFUSED,
    "unknown": _REFUSED,
    "type": _REFUSED,
    "value": _REFUSED,
    "timeout": (504, "DEADLINE_EXCEEDED", "timeout", 408),
}

_UNKNOWN_TOOL = (
    "Tool '{name}' not found.",
    "No function named '{name}' is registered.",
    "Unknown function: {name}",
    "'{name}' is not an available tool.",
    "Function '{name}' does not exist.",
    "Cannot dispatch call: {name} is undefined.",
)
_REFERENCE = (
    "Could not resolve input '{place}': nothing available at {source}.",
    "Input '{place}' refers to {source}, which has no value.",
    "Argument '{place}' is unresolved ({source} holds no result).",
    "Unable to read {source} for '{place}'.",
    "'{place}': upstream value {source} is not available.",
    "Request rejected: input '{place}' is not set ({source}).",
)
_MISSING = (
    "Missing required parameter: '{place}'.",
    "Field '{place}' is required.",
    "'{place}' must be provided.",
    "Required argument '{place}' was not supplied.",
    "Bad request: no value given for '{place}'.",
    "{tool}() needs '{place}'.",
)
_UNKNOWN = (
    "Unexpected parameter '{place}'.",
    "'{place}' is not a recognised field.",
    "Unknown argument: {place}",
    "{tool}() got an unexpected argument '{place}'.",
    "Field '{place}' is not permitted.",
    "Unsupported option '{place}'.",
)
_TYPE = (
    "Invalid type for '{place}': expected {expected}, got {found}.",
    "'{place}' should be {expected}.",
    "Field '{place}' must be of type {expected}.",
    "Cannot parse '{place}' as {expected}.",
    "{value} is not a valid {expected} for '{place}'.",
    "Validation failed: '{place}' is not of type {expected}.",
)
_VALUE = (
    "Invalid value for '{place}': {value}.",
    "'{place}' is not valid.",
    "{value} is not an acceptable value for '{place}'.",
    "Field '{place}' failed validation.",
    "Value of '{place}' is out of bounds or malformed: {value}.",
    "Unprocessable '{place}'.",
)
_TIMEOUT = (
    "Request timed out after {seconds} seconds.",
    "The operation timed out.",
    "Upstream service did not respond within {seconds}s.",
    "Gateway timeout.",
    "Read timed out (read timeout={seconds}).",
    "Deadline exceeded while waiting for {tool}.",
    "Connection to the service timed out; no response received.",
)
_NO_DATA = (
    "No data",
    "No results found.",
    "No data available.",
    "No matching records.",
    "Nothing found.",
    "No records found",
)


def _envelope(message: str, cause: str, lots: Random) -> Json:
    code = lots.choice(_CODES[cause])
    match lots.choice(_ENVELOPES):
        case "error":
            return {"error": message}
        case "status":
            return {"status": "error", "message": message}
        case "nested":
            return {"error": {"code": code, "message": message}}
        case "success":
            return {"success": False, "message": message}
        case "detail":
            return {"detail": message, "code": code}
        case _:
            return lots.choice(("Error: {}", "{}")).format(message)


def _short(value: Json) -> str:
    text = dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def unknown_tool(name: str, lots: Random) -> Json:
    """Word a call of a tool that isn't listed."""
    return _envelope(lots.choice(_UNKNOWN_TOOL).format(name=name), "unknown_tool", lots)


def reference(place: str, source: str, lots: Random) -> Json:
    """Word an input that names a missing or failed result."""
    text = lots.choice(_REFERENCE).format(place=place, source=source)
    return _envelope(text, "reference", lots)


def schema(
    tool: str, keyword: str, place: str, expected: str, found: str, value: Json, lots: Random
) -> Json:
    """Word a broken schema; ``keyword`` is missing, unknown or type."""
    templates = {"missing": _MISSING, "unknown": _UNKNOWN, "type": _TYPE}[keyword]
    text = lots.choice(templates).format(
        tool=tool, place=place, expected=expected, found=found, value=_short(value)
    )
    return _envelope(text, keyword, lots)


def value(place: str, value: Json, lots: Random) -> Json:
    """Word a value of the right type that can't be."""
    text = lots.choice(_VALUE).format(place=place, value=_short(value))
    return _envelope(text, "value", lots)


def timeout(tool: str, lots: Random) -> Json:
    """Word a call that timed out."""
    seconds = lots.choice((5, 10, 15, 20, 30, 45, 60, 90, 120))
    return _envelope(lots.choice(_TIMEOUT).format(seconds=seconds, tool=tool), "timeout", lots)


def empty(recorded: Json, lots: Random) -> Json:
    """Return an empty result, of the recorded result's shape as often as not."""
    if isinstance(recorded, dict):
        choices: tuple[Json, ...] = ({}, {}, None, [], lots.choice(_NO_DATA))
    elif isinstance(recorded, list):
        choices = ([], [], None, {}, lots.choice(_NO_DATA))
    else:
        choices = ("", "", None, {}, lots.choice(_NO_DATA))
    return lots.choice(choices)
