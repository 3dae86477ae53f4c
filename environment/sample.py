"""A value that a JSON Schema describes, in the way of the values that it gives as examples."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from random import Random

from faker import Faker

from plan.json_text import Json

_DIGITS = re.compile(r"\d{2,}")
_CLOCK = re.compile(r"\d:\d\d")
_FIRM = re.compile(r"compan|firm|carrier|shop|store|pharmacy|party|merchant|business|agency", re.I)
STATUSES = ("confirmed", "completed", "active", "pending", "accepted", "open", "done")
_WORDS = (
    "standard", "regular", "central", "main", "north", "primary", "basic", "family",
    "daily", "classic", "shared", "general", "local", "extended",
)  # fmt: skip
_CITIES = (
    "Lyon", "Porto", "Leeds", "Denver", "Graz", "Osaka", "Turin", "Halifax", "Bergen",
    "Lisbon", "Vienna", "Dublin", "Boston", "Toronto", "Hamburg", "Seville",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Situation:
    """What values are drawn for.

    Attributes:
        arguments: of the call; a value of the same name is repeated.
        day: a day around which the story plays.
        lots: the generator that decides.
    """

    arguments: Mapping[str, Json]
    day: date
    lots: Random


def sample(schema: Mapping[str, Json], situation: Situation) -> Json:
    """Return a value of a result's schema; empty where the schema says nothing."""
    return _value(schema, "", situation, 0)


def _value(schema: Mapping[str, Json], name: str, situation: Situation, depth: int) -> Json:
    lots, given = situation.lots, situation.arguments.get(name)
    if depth > 6:
        return None
    if isinstance(given, (str, int, float)):
        return given
    choices = schema.get("enum")
    if isinstance(choices, list) and choices:
        return lots.choice(choices)
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = kind[0] if kind else None
    if kind == "object" or "properties" in schema:
        properties = schema.get("properties") or {}
        return {
            key: _value(item if isinstance(item, dict) else {}, key, situation, depth + 1)
            for key, item in properties.items()
        }
    if kind == "array":
        items = schema.get("items")
        inner = items if isinstance(items, dict) else {"type": "string"}
        row = Situation({}, situation.day, lots)
        return [_value(inner, name, row, depth + 1) for _ in range(lots.choice((2, 3, 3, 4)))]
    if kind == "boolean":
        return lots.random() < 0.7
    if kind in ("integer", "number"):
        return _number(schema, name, kind == "integer", lots)
    return _text(schema, name, situation)


def _number(schema: Mapping[str, Json], name: str, whole: bool, lots: Random) -> float:
    low, high = schema.get("minimum"), schema.get("maximum")
    shown = [one for one in _examples(schema) if isinstance(one, (int, float))]
    if shown:
        model = lots.choice(shown)
        value = model * lots.uniform(0.7, 1.4)
        places = 0 if whole else max(1, len(repr(model).partition(".")[2]))
    else:
        least = 1 if low is None else low
        value = lots.uniform(
            least, least + (40 if "count" in name else 400) if high is None else high
        )
        places = 0 if whole else 2
    if low is not None:
        value = max(value, low)
    if high is not None:
        value = min(value, high)
    return round(value) if whole else round(value, places)


def _examples(schema: Mapping[str, Json]) -> list[Json]:
    found = schema.get("examples")
    if isinstance(found, list):
        return found
    return [schema["example"]] if "example" in schema else []


def _text(schema: Mapping[str, Json], name: str, situation: Situation) -> str:
    lots = situation.lots
    key, form = name.casefold(), schema.get("format") or ""
    day = situation.day + timedelta(days=lots.randrange(1, 45))
    shown = [one for one in _examples(schema) if isinstance(one, str)]
    if form == "date" or (not form and key.endswith("date")):
        return day.isoformat()
    if form == "date-time" or (not form and key.endswith(("_at", "timestamp"))):
        return f"{day.isoformat()}T{lots.randrange(7, 20):02d}:{lots.randrange(12) * 5:02d}:00Z"
    if form == "time":
        return f"{lots.randrange(7, 21):02d}:{lots.choice((0, 15, 30, 45)):02d}"
    if form == "email" or "email" in key:
        host = lots.choice(shown).rpartition("@")[2] if shown else "example.com"
        first, last = lots.choice(_pools().people).casefold().split(" ", 1)
        user = lots.choice((f"{first}.{last}", f"{first[0]}{last}", f"{first}_{last}"))
        return f"{user.replace(' ', '')}@{host}"
    if form == "ipv4":
        return f"10.{lots.randrange(10, 250)}.{lots.randrange(1, 250)}.{lots.randrange(2, 250)}"
    pattern = schema.get("pattern")
    if isinstance(pattern, str) and (made := of_pattern(pattern, lots)) is not None:
        return made
    if shown:
        return like(lots.choice(shown), lots)
    return _named(f"{key} {schema.get('description') or ''}", key, form, situation)


def _named(words: str, key: str, form: str, situation: Situation) -> str:
    """Return a text that fits no more than a name."""
    lots = situation.lots
    if form == "uri" or "url" in key or "link" in key:
        return f"https://example.com/{lots.choice(_WORDS)}/{lots.randrange(1000, 9999)}"
    if key.endswith(("id", "number", "code", "ref", "reference")):
        return code(key[:1] or "r", lots)
    if "status" in key or "state" in key:
        return lots.choice(STATUSES)
    if "address" in key or "street" in key:
        city = situation.arguments.get("city")
        place = city if isinstance(city, str) else lots.choice(_CITIES)
        return f"{lots.choice(_pools().streets)}, {place}"
    if "city" in key or "location" in key:
        return lots.choice(_CITIES)
    if "currency" in key:
        return lots.choice(("EUR", "USD", "GBP"))
    if _FIRM.search(words):
        return lots.choice(_pools().firms)
    if _PERSON.search(words):
        return lots.choice(_pools().people)
    return f"{lots.choice(_WORDS)} {key.replace('_', ' ') or 'entry'}"


_PERSON = re.compile(r"name|contact|person|lead|host|agent|artist|author|lecturer|who|title", re.I)


def like(example: str, lots: Random) -> str:
    """Return a text like an example: other digits where it has numbers; times stay."""
    if _CLOCK.search(example):
        return example
    return _DIGITS.sub(lambda match: _other(match[0], lots), example)


def _other(digits: str, lots: Random) -> str:
    first = lots.choice("123456789") if digits[0] != "0" else "0"
    return first + "".join(lots.choice("0123456789") for _ in digits[1:])


def code(letter: str, lots: Random) -> str:
    """Return an id such as RK-20417."""
    return f"{letter.upper()}{lots.choice('ABCDEFGHKLMNPQRSTVWXZ')}-{lots.randrange(1000, 99999)}"


@dataclass(frozen=True, slots=True)
class _Pools:
    people: tuple[str, ...]
    firms: tuple[str, ...]
    streets: tuple[str, ...]


@cache
def _pools() -> _Pools:
    """Draw names once per process; they depend on the version of Faker only."""
    fake = Faker("en_US")
    fake.seed_instance(90210)
    return _Pools(
        tuple(f"{fake.first_name()} {fake.last_name()}" for _ in range(400)),
        tuple(fake.company() for _ in range(200)),
        tuple(fake.street_address() for _ in range(200)),
    )


# Patterns ---------------------------------------------------------------------------------

_CLASSES = {"d": "0123456789", "w": "abcdefghijklmnopqrstuvwxyz0123456789", "s": " "}
_TIMES = re.compile(r"\{(\d+)(?:(,)(\d*))?\}|[?*+]")


def of_pattern(pattern: str, lots: Random) -> str | None:
    """Return a text that a regular expression matches; None where it is too clever.

    Known are literals, escapes, classes, groups, alternatives and repetition.
    """
    try:
        text, rest = _alternatives(pattern.removeprefix("^").removesuffix("$"), lots)
    except (_TooClever, IndexError):
        return None
    return text if not rest and re.search(pattern, text) else None


class _TooClever(Exception):
    pass


def _alternatives(rest: str, lots: Random) -> tuple[str, str]:
    """Return one of the alternatives up to a closing parenthesis, and what is left."""
    found = []
    while True:
        text, rest = _sequence(rest, lots)
        found.append(text)
        if not rest.startswith("|"):
            return lots.choice(found), rest
        rest = rest[1:]


def _sequence(rest: str, lots: Random) -> tuple[str, str]:
    out: list[str] = []
    while rest and rest[0] not in "|)":
        piece, after = _piece(rest, lots)
        low = high = 1
        match = _TIMES.match(after)
        if match:
            low, high = _times(match)
            source, after = rest[: len(rest) - len(after)], after[match.end() :]
            out += [_piece(source, lots)[0] for _ in range(lots.randint(low, high))]
        else:
            out.append(piece)
        rest = after
    return "".join(out), rest


def _times(match: re.Match[str]) -> tuple[int, int]:
    if match[1] is None:
        return {"?": (0, 1), "*": (0, 3), "+": (1, 4)}[match[0]]
    low = int(match[1])
    if match[2] is None:
        return low, low
    return low, min(int(match[3]), low + 4) if match[3] else low + 4


def _piece(rest: str, lots: Random) -> tuple[str, str]:
    """Return a text for the first piece of a pattern, and what is left."""
    sign = rest[0]
    if sign == "(":
        inner = rest[1:].removeprefix("?:")
        if inner.startswith("?"):
            raise _TooClever
        text, after = _alternatives(inner, lots)
        if not after.startswith(")"):
            raise _TooClever
        return text, after[1:]
    if sign == "[":
        end = rest.index("]", 1) if "]" in rest else -1
        if end < 0 or rest[1] == "^":
            raise _TooClever
        return lots.choice("".join(_members(rest[1:end]))), rest[end + 1 :]
    if sign == "\\":
        letter = rest[1]
        if letter in _CLASSES:
            return lots.choice(_CLASSES[letter]), rest[2:]
        if letter.isalnum():
            raise _TooClever
        return letter, rest[2:]
    if sign in ".^$*+?{":
        raise _TooClever
    return sign, rest[1:]


def _members(inside: str) -> Iterator[str]:
    at = 0
    while at < len(inside):
        if inside[at] == "\\":
            yield _CLASSES.get(inside[at + 1], inside[at + 1])
            at += 2
        elif inside[at + 1 : at + 2] == "-" and at + 2 < len(inside):
            yield "".join(map(chr, range(ord(inside[at]), ord(inside[at + 2]) + 1)))
            at += 3
        else:
            yield inside[at]
            at += 1
