"""JSON values, their one canonical text, and JSON Pointers (RFC 6901)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

type_names = {
    dict: "object",
    list: "array",
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    type(None): "null",
}

# A recursive alias costs mypy more than it gives here: foreign JSON is checked by code.
Json = Any


def dumps(value: Json) -> str:
    """Return the canonical text of a JSON value: sorted keys, no blanks, UTF-8.

    Raises:
        TypeError: the value isn't JSON, holds a lone surrogate, or an integer over 64 bits.
    """
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()


def dump_bytes(value: Json) -> bytes:
    """Return the canonical text of a JSON value as UTF-8 bytes."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def loads(text: str | bytes) -> Json:
    """Parse JSON text (RFC 8259; NaN and Infinity are refused).

    Raises:
        ValueError: the text is no JSON.
    """
    return orjson.loads(text)


def type_name(value: Json) -> str:
    """Return the JSON Schema type name of a value ("integer" for 3, "number" for 3.5)."""
    return type_names[type(value)]


def equal(a: Json, b: Json) -> bool:
    """Tell whether two JSON values are the same; 1 and 1.0 are, 1 and true are not."""
    if type(a) is not type(b):
        if isinstance(a, bool) or isinstance(b, bool):
            return False
        return isinstance(a, (int, float)) and isinstance(b, (int, float)) and a == b
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(equal(value, b[key]) for key, value in a.items())
    if isinstance(a, list):
        return len(a) == len(b) and all(equal(x, y) for x, y in zip(a, b, strict=True))
    return bool(a == b)


def escape(token: str) -> str:
    """Escape one reference token of a JSON Pointer."""
    return token.replace("~", "~0").replace("/", "~1")


def split_pointer(pointer: str) -> list[str]:
    """Split a JSON Pointer into its unescaped reference tokens.

    Raises:
        ValueError: the text is neither empty nor begins with "/".
    """
    if not pointer:
        return []
    if not pointer.startswith("/"):
        raise ValueError(f"a JSON Pointer begins with '/', found {pointer!r}")
    if "~" not in pointer:
        return pointer[1:].split("/")
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer[1:].split("/")]


def overlap(a: str, b: str) -> bool:
    """Tell whether one JSON Pointer names the same place as another, or one inside or around it."""
    return f"{a}/".startswith(f"{b}/") or f"{b}/".startswith(f"{a}/")


def lookup(document: Json, pointer: str) -> Json:
    """Return the value that a JSON Pointer names.

    Where a token falls on a string that holds JSON text, the pointer goes on into the
    decoded text.

    Raises:
        LookupError: nothing stands there.
    """
    value = document
    for token in split_pointer(pointer):
        if isinstance(value, str):
            try:
                value = orjson.loads(value)
            except ValueError:
                raise LookupError(pointer) from None
        if isinstance(value, dict):
            if token not in value:
                raise LookupError(pointer)
            value = value[token]
        elif isinstance(value, list):
            if not token.isdecimal() or (token[0] == "0" and token != "0"):
                raise LookupError(pointer)
            if int(token) >= len(value):
                raise LookupError(pointer)
            value = value[int(token)]
        else:
            raise LookupError(pointer)
    return value


def replaced(document: Json, pointer: str, value: Json) -> Json:
    """Return a copy of a document with another value at a JSON Pointer.

    Only the containers on the way are copied.

    Raises:
        LookupError: the pointer's parent isn't there.
    """
    tokens = split_pointer(pointer)
    if not tokens:
        return value
    head, rest = tokens[0], pointer[len(escape(tokens[0])) + 1 :]
    if isinstance(document, dict):
        if rest and head not in document:
            raise LookupError(pointer)
        return {**document, head: replaced(document.get(head), rest, value)}
    if isinstance(document, list) and head.isdecimal() and int(head) < len(document):
        copy = list(document)
        copy[int(head)] = replaced(copy[int(head)], rest, value)
        return copy
    raise LookupError(pointer)


def walk(value: Json, pointer: str = "") -> Iterator[tuple[str, Json]]:
    """Yield (JSON Pointer, value) for a value and everything inside it, outermost first."""
    yield pointer, value
    if isinstance(value, dict):
        for key, item in value.items():
            yield from walk(item, f"{pointer}/{escape(key)}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from walk(item, f"{pointer}/{index}")
