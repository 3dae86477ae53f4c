"""JSON text read without silent loss: nothing is dropped, rounded or replaced unseen.

orjson keeps the last of two equal keys and turns integers over 64 bits into floats; both
are refused here. NaN, Infinity, lone surrogates and broken UTF-8 it refuses itself.
"""

from __future__ import annotations

import json
import re

import orjson

from plan.json_text import Json, escape

_LONG_NUMBER = re.compile(rb"\d{19}")
# orjson writes floats past 1e16 with an exponent; an integer over 64 bits becomes one.
_EXPONENT = b"e+"
_NO_NUMBER = re.compile(r"-?(?:nan|inf(?:inity)?)\b", re.IGNORECASE)
_HALF = "not valid Unicode: half of a surrogate pair{}; expected both halves"


class JsonError(ValueError):
    """A text is no JSON that can be kept as it is.

    Attributes:
        code: json, encoding, duplicate_key, integer_range or nesting.
        path: JSON Pointer inside the text.
        message: what was found and what was expected.
    """

    def __init__(self, code: str, path: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.path = path
        self.message = message


def parse(text: str | bytes) -> Json:
    """Parse JSON text.

    Raises:
        JsonError: the text is no JSON, holds a key twice, an integer over 64 bits, or is
            nested more than 250 deep.
    """
    try:
        raw = text.encode() if isinstance(text, str) else text
        value = orjson.loads(raw)
    except ValueError as error:
        raise JsonError(*_explain(error, text)) from None
    try:
        dumped = orjson.dumps(value)
    except TypeError:
        raise JsonError("nesting", "", "the JSON is nested more than 250 deep") from None
    # Each key brings a colon, and those inside strings stand on both sides alike unless escaped:
    # as many colons, then no key was dropped.
    if (
        dumped.count(b":") != raw.count(b":")
        or (b"\\u003" in raw and (b"\\u003a" in raw or b"\\u003A" in raw))
        or (b"+" in dumped and _EXPONENT in dumped and _LONG_NUMBER.search(raw))
    ):
        _check(raw)
    return value


def _explain(error: ValueError, text: str | bytes) -> tuple[str, str, str]:
    """Return code, path and message of text that orjson refused."""
    if isinstance(error, UnicodeEncodeError):
        return "encoding", "", _HALF.format(f" at character {error.start + 1:,}")
    if isinstance(text, bytes):
        try:
            text = text.decode()
        except UnicodeDecodeError as broken:
            found = f"byte 0x{text[broken.start]:02x} at byte {broken.start + 1:,}"
            return "encoding", "", f"not valid UTF-8: {found}; expected text in UTF-8"
    words, place = str(error), ""
    if isinstance(error, json.JSONDecodeError):
        words, place = error.msg.partition(": line ")[0], f" at character {error.pos + 1:,}"
        number = _NO_NUMBER.match(text, max(error.pos - 1, 0)) or _NO_NUMBER.match(text, error.pos)
        if number is not None:
            found = f"{number.group()} at character {number.start() + 1:,} is no JSON"
            return "json", "", f"not valid JSON: {found}; expected a number or null"
    if "depth limit" in words or "ecursion" in words:
        return "nesting", "", "the JSON is nested more than 1,000 deep"
    if "surrogate" in words:
        return "encoding", "", _HALF.format(place)
    if "infinity" in words:
        return "json", "", f"not valid JSON: the number{place} is too large for a float of 64 bits"
    found, comma, expected = words.partition(",")
    return "json", "", f"not valid JSON: {found}{place}{comma}{expected}"


class _Pairs(dict[str, Json]):
    """An object that remembers the first key given twice."""

    __slots__ = ("twice",)
    twice: str | None


def _pairs(items: list[tuple[str, Json]]) -> _Pairs:
    pairs = _Pairs(items)
    pairs.twice = None
    if len(pairs) != len(items):
        seen = set()
        for key, _ in items:
            if key in seen:
                pairs.twice = key
                break
            seen.add(key)
    return pairs


def _check(raw: bytes) -> None:
    """Find the first key given twice or integer over 64 bits, the slow and sure way."""
    try:
        value = json.loads(raw, object_pairs_hook=_pairs)
    except RecursionError:
        raise JsonError("nesting", "", "the JSON is nested more than 250 deep") from None
    except ValueError:
        # Python refuses integers of more than 4,300 digits; orjson has found it to be JSON.
        raise JsonError("integer_range", "", "an integer doesn't fit 64 bits") from None
    stack: list[tuple[str, Json]] = [("", value)]
    while stack:
        path, value = stack.pop()
        if isinstance(value, _Pairs):
            if value.twice is not None:
                raise JsonError(
                    "duplicate_key",
                    f"{path}/{escape(value.twice)}",
                    f"the key {value.twice!r} stands twice in one object",
                )
            stack.extend((f"{path}/{escape(key)}", item) for key, item in value.items())
        elif isinstance(value, list):
            stack.extend((f"{path}/{index}", item) for index, item in enumerate(value))
        elif (
            isinstance(value, int) and not isinstance(value, bool) and not -(2**63) <= value < 2**64
        ):
            raise JsonError("integer_range", path, f"the integer {value} doesn't fit 64 bits")
