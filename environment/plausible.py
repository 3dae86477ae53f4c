"""Plausible values where nothing was recorded: results of wrong calls, made-up inputs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from random import Random

from plan.json_text import Json, dumps, equal

_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_CODE = re.compile(r"(?=[^\s]*\d)[A-Za-z]*[-_#]?[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*")
_DIGIT = re.compile(r"\d")

_WORDS = (
    "standard", "regular", "central", "main", "north", "primary", "basic", "family",
    "daily", "classic", "shared", "general", "local", "extended",
)  # fmt: skip
_NAMES = (
    "Mara Olsen", "Theo Brandt", "Ines Duarte", "Jonah Reid", "Priya Nair", "Lena Fischer",
    "Omar Haddad", "Chloe Martin", "Kenji Sato", "Ruth Adeyemi",
)  # fmt: skip
_CITIES = ("Lyon", "Porto", "Leeds", "Denver", "Graz", "Osaka", "Turin", "Halifax", "Bergen")
_STATUSES = ("confirmed", "completed", "active", "pending", "accepted", "open", "done")


def vary(value: Json, lots: Random, known: Mapping[str, Json]) -> Json:
    """Return a value like another: same shape and types, other content.

    Args:
        value: the model.
        lots: the generator that decides.
        known: canonical text of a scalar to what stands in its place, for echoes.
    """
    if isinstance(value, dict):
        return {key: vary(item, lots, known) for key, item in value.items()}
    if isinstance(value, list):
        return [vary(item, lots, known) for item in value]
    if value is None or isinstance(value, bool):
        return value
    if known:
        text = dumps(value)
        if text in known:
            return known[text]
    if isinstance(value, str):
        return _vary_text(value, lots)
    return _vary_number(value, lots)


def _vary_number(value: float, lots: Random) -> float:
    if isinstance(value, int):
        if abs(value) < 10:
            return value + lots.choice((1, 2, 3))
        change = round(value * lots.uniform(-0.25, 0.25))
        return value + (change or 1)
    text = repr(value)
    places = len(text.partition(".")[2]) if "e" not in text else 6
    changed = round(value * lots.uniform(0.75, 1.25), places)
    return changed if changed != value else round(value + 10.0**-places, places)


def _vary_text(value: str, lots: Random) -> str:
    match = _DATE.match(value)
    if match:
        try:
            day = date(int(match[1]), int(match[2]), int(match[3]))
            moved = day + timedelta(days=lots.choice((-9, -4, -2, 1, 3, 5, 8, 12)))
        except (ValueError, OverflowError):
            return value
        return moved.isoformat() + value[10:]
    if _CODE.fullmatch(value) and len(value) <= 40:
        return _DIGIT.sub(lambda digit: lots.choice("0123456789"), value)
    return value


def made_up(value: Json, lots: Random) -> Json:
    """Return a literal that a careless agent would write in place of a value it lacks.

    Same JSON type and shape, never equal to the value; None where nothing plausible differs.
    """
    for _ in range(4):
        guess = vary(value, lots, {})
        if not equal(guess, value):
            return guess
    if isinstance(value, str) and value.strip():
        words = value.split()
        if len(words) > 1:
            return " ".join(words[:-1])
        return f"{value} {lots.choice(_WORDS)}"
    return None


def result(
    arguments: Mapping[str, Json],
    returns: Mapping[str, Json] | None,
    recordings: Sequence[tuple[Mapping[str, Json], Json]],
    lots: Random,
) -> Json:
    """Return a plausible result of a call that was never recorded.

    Modelled on a recording of the same tool where there is one (what echoed its arguments
    echoes these), else on the tool's result schema, else on the arguments alone.
    """
    if recordings:
        sent, recorded = recordings[lots.randrange(len(recordings))]
        known = {}
        for key, old in sent.items():
            if isinstance(old, str) or (isinstance(old, (int, float)) and abs(old) >= 10):
                known[dumps(old)] = arguments.get(key, old)
        return vary(recorded, lots, known)
    if returns:
        made = _of_schema(returns, "", arguments, lots, 0)
        if made not in (None, {}, [], ""):
            return made
    echo = {
        key: value
        for key, value in list(arguments.items())[:3]
        if isinstance(value, (str, int, float))
    }
    return {"status": lots.choice(_STATUSES), **echo, "reference": _code("R", lots)}


def _code(letter: str, lots: Random) -> str:
    return f"{letter.upper()}{lots.choice('ABCDEFGHKLMNPQRSTVWXZ')}-{lots.randrange(1000, 99999)}"


def _of_schema(
    schema: Mapping[str, Json], name: str, arguments: Mapping[str, Json], lots: Random, depth: int
) -> Json:
    if depth > 6:
        return None
    if name in arguments and isinstance(arguments[name], (str, int, float)):
        return arguments[name]
    choices = schema.get("enum")
    if isinstance(choices, list) and choices:
        return lots.choice(choices)
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = kind[0] if kind else None
    if kind == "object" or "properties" in schema:
        properties = schema.get("properties") or {}
        return {
            key: _of_schema(item if isinstance(item, dict) else {}, key, arguments, lots, depth + 1)
            for key, item in properties.items()
        }
    if kind == "array":
        items = schema.get("items")
        inner = items if isinstance(items, dict) else {"type": "string"}
        size = lots.choice((1, 2, 2, 3))
        return [_of_schema(inner, name, {}, lots, depth + 1) for _ in range(size)]
    if kind == "boolean":
        return lots.random() < 0.7
    if kind in ("integer", "number"):
        return _number(schema, name, kind == "integer", lots)
    return _text(schema, name, lots)


def _number(schema: Mapping[str, Json], name: str, whole: bool, lots: Random) -> float:
    low, high = schema.get("minimum", 1), schema.get("maximum")
    if high is None:
        high = low + (40 if "count" in name or "num" in name else 400)
    value = lots.uniform(low, high)
    return round(value) if whole else round(value, 2)


def _text(schema: Mapping[str, Json], name: str, lots: Random) -> str:
    key = name.casefold()
    form = schema.get("format") or ""
    day = date(2025, 1, 6) + timedelta(days=lots.randrange(500))
    if form == "date" or key.endswith("date"):
        return day.isoformat()
    if form == "date-time" or key.endswith(("_at", "timestamp")):
        return (
            f"{day.isoformat()}T{lots.randrange(7, 21):02d}:{lots.choice((0, 15, 30, 45)):02d}:00Z"
        )
    if form == "time" or key.endswith("time"):
        return f"{lots.randrange(7, 21):02d}:{lots.choice((0, 15, 30, 45)):02d}"
    if form == "email" or "email" in key:
        first = lots.choice(_NAMES).split()
        return f"{first[0].casefold()}.{first[1].casefold()}@example.com"
    if form == "uri" or "url" in key or "link" in key:
        return f"https://example.com/{lots.choice(_WORDS)}/{lots.randrange(1000, 9999)}"
    if key.endswith(("id", "number", "code", "ref", "reference")):
        return _code(key[:1] or "r", lots)
    if "status" in key or "state" in key:
        return lots.choice(_STATUSES)
    if "city" in key or "location" in key:
        return lots.choice(_CITIES)
    if "currency" in key:
        return lots.choice(("EUR", "USD", "GBP"))
    if "name" in key or "contact" in key:
        return lots.choice(_NAMES)
    return f"{lots.choice(_WORDS)} {key.replace('_', ' ') or 'entry'}"
