"""JSON values: their canonical text, JSON Pointers (RFC 6901), and tolerant reading."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

Json = Any


def dumps(value: Json) -> str:
    """Return the canonical text of a JSON value: sorted keys, no blanks."""
    return _ENCODER.encode(value)


# Asked for all the time; `json.dumps` would make one for each.
_ENCODER = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def loads(text: str) -> Json:
    """Parse JSON text strictly (RFC 8259, no NaN, no key twice in an object).

    Raises:
        ValueError: the text is no such JSON, or nested too deep to read.
    """
    try:
        return json.loads(text, parse_constant=_refused, object_pairs_hook=_unique)
    except RecursionError:
        raise ValueError("nested too deep") from None


def loads_lenient(text: str) -> Json:
    """Parse JSON text; of a key that stands twice in an object the last wins.

    Raises:
        ValueError: the text is no JSON, or nested too deep to read.
    """
    try:
        return json.loads(text, parse_constant=_refused)
    except RecursionError:
        raise ValueError("nested too deep") from None


def _refused(constant: str) -> Json:
    raise ValueError(f"{constant} is no JSON")


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice in an object")
    return found


def is_deep(value: Json, most: int) -> bool:
    """Tell whether objects and arrays are nested more than so many levels."""
    level = [value]
    for _ in range(most + 1):
        level = [
            item
            for one in level
            if isinstance(one, (dict, list))
            for item in (one.values() if isinstance(one, dict) else one)
        ]
        if not level:
            return False
    return True


def escape(token: str) -> str:
    """Escape one reference token of a JSON Pointer."""
    return token.replace("~", "~0").replace("/", "~1")


def split_pointer(pointer: str) -> list[str]:
    """Split a JSON Pointer into its unescaped reference tokens."""
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


def lookup(document: Json, pointer: str) -> Json:
    """Return the value at a JSON Pointer, going on into strings that hold JSON text.

    Raises:
        LookupError: nothing stands there.
    """
    value = document
    for token in split_pointer(pointer):
        if isinstance(value, str):
            try:
                value = loads_lenient(value)
            except ValueError:
                raise LookupError(pointer) from None
        if isinstance(value, dict) and token in value:
            value = value[token]
        elif isinstance(value, list) and token.isdecimal() and str(int(token)) == token:
            if int(token) >= len(value):
                raise LookupError(pointer)
            value = value[int(token)]
        else:
            raise LookupError(pointer)
    return value


COMMENT = "comment"
TRAILING_COMMA = "trailing_comma"
PYTHON_LITERAL = "python_literal"

_WORDS = {"True": "true", "False": "false", "None": "null"}


def repaired(text: str) -> tuple[str, list[str]]:
    """Rewrite near-JSON as JSON: comments, trailing commas, Python's literals and quotes.

    What stands inside a string stays as it is.

    Returns:
        The text, and which of `COMMENT`, `TRAILING_COMMA`, `PYTHON_LITERAL` were undone.
    """
    out: list[str] = []
    undone: dict[str, None] = {}
    comma: int | None = None
    place = 0
    while place < len(text):
        char = text[place]
        if char.isspace():
            out.append(char)
            place += 1
            continue
        after = _after_comment(text, place)
        if after is not None:
            undone[COMMENT] = None
            place = after
            continue
        if char in "}]" and comma is not None:
            out[comma] = ""
            undone[TRAILING_COMMA] = None
        comma = len(out) if char == "," else None
        if char in "\"'":
            string, place = _string(text, place)
            if char == "'":
                undone[PYTHON_LITERAL] = None
            out.append(string)
        elif char.isalpha():
            end = place
            while end < len(text) and (text[end].isalnum() or text[end] == "_"):
                end += 1
            word = text[place:end]
            if word in _WORDS:
                undone[PYTHON_LITERAL] = None
            out.append(_WORDS.get(word, word))
            place = end
        else:
            out.append(char)
            place += 1
    return "".join(out), list(undone)


def _after_comment(text: str, start: int) -> int | None:
    """Return where a comment that begins at ``start`` ends, or None if none does."""
    if text[start] == "#" or text.startswith("//", start):
        end = text.find("\n", start)
        return len(text) if end < 0 else end
    if text.startswith("/*", start):
        end = text.find("*/", start + 2)
        return len(text) if end < 0 else end + 2
    return None


def _string(text: str, start: int) -> tuple[str, int]:
    """Return the JSON spelling of the string that begins at ``start``, and its end."""
    quote = text[start]
    place = start + 1
    out = ['"']
    while place < len(text) and text[place] != quote:
        char = text[place]
        if char == "\\" and place + 1 < len(text):
            pair = text[place : place + 2]
            out.append("'" if pair == "\\'" else pair)
            place += 2
            continue
        out.append('\\"' if char == '"' else char)
        place += 1
    out.append('"')
    return "".join(out), place + 1


def values(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each outermost object or array of a text begins and ends.

    Brackets inside strings and comments don't count. What is never closed ends with the
    text.
    """
    start = _FIRST.search(text)
    while start is not None:
        end = _end(text, start.start())
        yield start.start(), end
        start = _FIRST.search(text, end)


_FIRST = re.compile(r"[{\[]")


def _end(text: str, start: int) -> int:
    place, depth = start, 0
    while place < len(text):
        char = text[place]
        after = _after_comment(text, place)
        if after is not None:
            place = after
            continue
        if char in "\"'":
            place = _string(text, place)[1]
            continue
        depth += (char in "{[") - (char in "}]")
        place += 1
        if depth == 0:
            break
    return place
