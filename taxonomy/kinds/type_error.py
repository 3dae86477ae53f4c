"""A literal argument has another JSON type than the parameter declares.

What it is
----------
The schema names a type for the place and the value has another: the text "16" for the number
16, a list of one for a scalar, an object for a list, JSON text for an object, null for a
required value.

Why agents make it
------------------
Arguments are written as text, so numbers and flags end up in quotes and ids lose theirs;
single values are wrapped as if several could be given, and structures are pasted as text.

How it is injected
------------------
A literal of the declared type is written in another type that keeps all of its content: a
text becomes a number only if it is that number and nothing else, and a list only if it is
the one item or is parted at commas or semicolons. A required value may also be null.
Items of lists and fields of objects count where the schema declares them; places without a
declared type never do.

How it is told apart
--------------------
The type itself fails. A right type with an impossible content is Parameter_Invalid; a choice
of another type than the listed ones is a Type_Error.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache

from plan.clean import CleanPlan
from plan.damage import Damage, Finding
from plan.json_text import Json, dumps, escape, type_name
from plan.state import State
from taxonomy.examples import evening, order, trip
from taxonomy.intact import intact_tasks
from taxonomy.kind import PARAMETER, ErrorKind, Example
from taxonomy.parameter_examples import delivery
from taxonomy.places import (
    declared_types,
    has_type,
    literal_places,
    literals_inside,
    with_values,
)

NAME = "Type_Error"

_NUMBER_WORDS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve",
)  # fmt: skip
_NUMBER = re.compile(r"[+-]?(?:0|[1-9]\d{0,14})(?:\.\d+)?")


def damages(
    state: State, clean: CleanPlan, *, only: Collection[str] | None = None
) -> Iterator[Damage]:
    """Yield every retyping of each literal whose place declares a type."""
    for task, call in intact_tasks(state, clean, only):
        tool = clean.tools.get(task.name)
        if tool is None:
            continue
        required = {f"/{escape(key)}" for key in tool.required}
        for pointer, schema, value in literal_places(task, call, tool):
            kinds = declared_types(schema)
            if not kinds or not has_type(kinds, value):
                continue
            made = _retyped(value, pointer, kinds, pointer in required)
            yield from with_values(task, pointer, value, made)


def _retyped(
    value: Json, pointer: str, kinds: tuple[str, ...], needed: bool
) -> Iterator[tuple[str, Json]]:
    """Yield (way, value) in types that aren't declared, no value twice."""
    made = tuple(_container(value)) if isinstance(value, (dict, list)) else _scalar(value, pointer)
    for way, new in made:
        if not has_type(kinds, new):
            yield way, new
    if needed and not has_type(kinds, None):
        yield "null", None


@lru_cache(maxsize=1 << 13, typed=True)
def _scalar(value: str | float | bool | None, pointer: str) -> tuple[tuple[str, Json], ...]:
    name = pointer.rpartition("/")[2].replace("~1", "/").replace("~0", "~")
    found: list[tuple[str, Json]] = []
    if isinstance(value, bool):
        text = "true" if value else "false"
        found += [("text", text), ("text", text.capitalize())]
        found += [("word", "yes" if value else "no"), ("number", int(value))]
    elif isinstance(value, str):
        number = _number_of(value)
        if number is not None:
            found.append(("number", number))
        # "NO" may be Norway.
        if value.casefold() in ("true", "false"):
            found.append(("flag", value.casefold() == "true"))
    elif value is not None:
        found += [("text", dumps(value)), *_texts_of(value, name)]
    if value is not None:
        found += [("list", [value]), ("object", {"value": value})]
        if not name.isdecimal() and name != "value":
            found.append(("object", {name: value}))
        if isinstance(value, str):
            found += _parts_of(value)
    return tuple(found)


def _number_of(text: str) -> float | None:
    """Return the number that a whole text is, if it is written as that number is."""
    if not _NUMBER.fullmatch(text):
        return None
    number = float(text) if "." in text else int(text)
    return number if dumps(number) == text else None


def _parts_of(text: str) -> Iterator[tuple[str, Json]]:
    """Yield a text in its parts, nothing left out: a list's items, the fields of a day."""
    for mark in (", ", "; ", ",", ";"):
        parts = text.split(mark)
        if 1 < len(parts) < _MOST_PARTS and all(part == part.strip() != "" for part in parts):
            yield "parts", parts
            break
    for form, names in _FIELDS:
        match = form.fullmatch(text)
        if match:
            yield (
                "fields",
                {name: int(part) for name, part in zip(names, match.groups(), strict=True)},
            )


_MOST_PARTS = 10
_FIELDS = (
    (re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})"), ("year", "month", "day")),
    (re.compile(r"([0-9]{2}):([0-9]{2})"), ("hour", "minute")),
)


def _texts_of(value: float, name: str) -> list[tuple[str, Json]]:
    """Return a number as people write it: in words, grouped, with its unit."""
    found: list[tuple[str, Json]] = []
    if isinstance(value, int):
        if 0 <= value < len(_NUMBER_WORDS):
            found.append(("word", _NUMBER_WORDS[value]))
        if abs(value) >= 1000:
            found.append(("text", f"{value:,}"))
        found.append(("text", f"{value}.0"))
    elif "." in (text := dumps(value)) and text[-4:-3] != ".":
        # With three digits after it, a comma would part thousands.
        found.append(("text", text.replace(".", ",")))
    unit = _UNITS.get(name.rpartition("_")[2].casefold())
    if unit is not None:
        found.append(("unit", f"{dumps(value)}{unit}"))
    return found


# Only units that the name tells: a price may be in any currency.
_UNITS: Mapping[str, str] = {
    **{
        word: f" {word}"
        for word in (
            "adults", "bags", "bedrooms", "calories", "children", "days", "guests", "hours",
            "items", "kg", "km", "meters", "miles", "minutes", "months", "nights", "passengers",
            "people", "persons", "rooms", "seats", "seconds", "servings", "tickets", "visitors",
            "weeks", "years",
        )
    },
    "eur": " EUR",
    "percent": "%",
    "percentage": "%",
    "usd": " USD",
}  # fmt: skip


def _container(value: list[Json] | dict[str, Json]) -> Iterator[tuple[str, Json]]:
    text = dumps(value)
    yield "json_text", text
    if isinstance(value, dict):
        yield "list", [value]
        if value:
            yield "pairs", [{"key": key, "value": item} for key, item in value.items()]
            plain = all(isinstance(item, (str, int, float)) for item in value.values())
            if plain:
                yield "text", ", ".join(f"{key}: {_plain(item)}" for key, item in value.items())
                yield "text", "; ".join(f"{key}={_plain(item)}" for key, item in value.items())
        return
    yield "object", {"items": value}
    if value:
        yield "object", {str(index): item for index, item in enumerate(value)}
        if all(isinstance(item, (str, int, float)) for item in value):
            items = [_plain(item) for item in value]
            for mark in (", ", ";") if len(value) > 1 else ():
                if not any(mark.strip() in item for item in items):
                    yield "text", mark.join(items)
        if len(value) == 1:
            yield "item", value[0]


def _plain(value: Json) -> str:
    return value if isinstance(value, str) else dumps(value)


def detect(state: State) -> Iterator[Finding]:
    """Find literals whose type isn't the declared one."""
    for task in state.plan.pending():
        tool = state.tools.get(task.name)
        if tool is None:
            continue
        for key, argument in task.arguments.items():
            schema = tool.properties.get(key)
            if not isinstance(schema, Mapping):
                continue
            for pointer, inner, value in literals_inside(f"/{escape(key)}", schema, argument):
                kinds = declared_types(inner)
                if kinds and not has_type(kinds, value):
                    reason = f"expected {' or '.join(kinds)}, found {type_name(value)}"
                    yield Finding(NAME, task.id, f"/para{pointer}", 0.95, reason)


KIND = ErrorKind(
    name=NAME,
    dimension=PARAMETER,
    doc=__doc__,
    damages=damages,
    detect=detect,
    examples=(
        Example("a number in quotes", trip(), 2, "3", "/para/nights", 3, "3"),
        Example("a number in words", order(), 3, "5", "/para/quantity", 2, "two"),
        Example("a list of one", evening(), 1, "1", "/para/cuisine", "thai", ["thai"]),
        Example("null for a required value", trip(), 1, "1", "/para/city", "Lisbon", None),
        Example("a flag in quotes", delivery(), 1, "1", "/para/fragile", True, "true"),
        Example(
            "a list written as text",
            delivery(),
            1,
            "1",
            "/para/labels",
            ["glass", "this side up"],
            "glass, this side up",
        ),
        Example(
            "an object as JSON text",
            delivery(),
            1,
            "1",
            "/para/window",
            {"start_date": "2026-06-09", "end_date": "2026-06-12"},
            '{"end_date":"2026-06-12","start_date":"2026-06-09"}',
        ),
        Example("a flag in words", delivery(), 1, "1", "/para/fragile", True, "yes"),
        Example(
            "a date in its fields",
            trip(),
            1,
            "2",
            "/para/date",
            "2026-05-14",
            {"year": 2026, "month": 5, "day": 14},
        ),
    ),
)
