"""Typed fields: a JSON Schema, a way to draw a value of it, a way to say the value.

A tool's parameters and results are written with these. Drawing looks at the scene only,
so that a trajectory depends on its own generator and nothing else.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from source_button.synthesis.scene import Json, Scene
from source_button.synthesis.words import (
    CITIES,
    COUNTRIES,
    CURRENCIES,
    LANGUAGES,
    MAIL_HOSTS,
    MONTHS,
)

_FIRST_DAY = datetime.date(2023, 1, 1)
DAYS = tuple((_FIRST_DAY + datetime.timedelta(days=n)).isoformat() for n in range(1700))
_DAY_NUMBERS = {day: n for n, day in enumerate(DAYS)}
NUMBER_WORDS = ("zero", "one", "two", "three", "four", "five")


def say_plain(value: Json, scene: Scene) -> str:
    """Text as it is; lists joined the way people write them."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return join_words([say_plain(part, scene) for part in value])
    if isinstance(value, dict):
        return join_words(
            [f"{k.replace('_', ' ')} {say_plain(v, scene)}" for k, v in value.items()]
        )
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def join_words(words: list[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    if len(words) < 2:
        return words[0] if words else ""
    return f"{', '.join(words[:-1])} and {words[-1]}"


def _say_spaced(value: Json, scene: Scene) -> str:
    return str(value).replace("_", " ")


def _say_date(value: Json, scene: Scene) -> str:
    text = str(value)
    if scene.style == 3:
        return text
    year, month, day = text[:4], MONTHS[int(text[5:7]) - 1], int(text[8:10])
    if scene.style == 0:
        return f"{day} {month} {year}"
    if scene.style == 1:
        return f"{month} {day}, {year}"
    return f"{day} {month[:3] if len(month) > 4 else month} {year}"


@dataclass(frozen=True, slots=True)
class Field:
    """One parameter or one part of a result.

    `schema` is JSON Schema with its description; `draw` gives a value it accepts;
    `speak` words a value as a user would. An `echo` repeats the argument of that name.
    `options` are all the values there are, where the schema does not list them; `exemplary`
    values may be shown as examples.
    """

    schema: Mapping[str, Any]
    draw: Callable[[Scene], Json]
    speak: Callable[[Json, Scene], str] = say_plain
    optional: bool = False
    echo: str | None = None
    parts: Mapping[str, Field] | None = None
    least: int = 1
    options: tuple[str, ...] = ()
    exemplary: bool = False


_EXAMPLES = 3


def show(field: Field, scene: Scene) -> dict[str, Any]:
    """The schema of a part of a result, with examples where it says little on its own."""
    schema = dict(field.schema)
    if field.parts:
        parts = {name: show(part, scene) for name, part in field.parts.items()}
        if schema["type"] == "array":
            schema["items"] = {**schema["items"], "properties": parts}
        else:
            schema["properties"] = parts
        return schema
    if field.options:
        schema["examples"] = list(field.options)
    elif field.exemplary:
        # What is worked out from a call's arguments has no value without a call.
        with suppress(LookupError, ValueError):
            schema["examples"] = [field.draw(scene) for _ in range(_EXAMPLES)]
    return schema


def opt(field: Field) -> Field:
    """The same field, not required."""
    return replace(field, optional=True)


def _string(description: str, **keywords: Any) -> dict[str, Any]:
    return {"type": "string", "description": description, **keywords}


def choice(description: str, *options: str) -> Field:
    """Free text drawn from `options`; the schema does not list them."""
    return Field(_string(description), lambda s: s.pick(options), options=options)


def unique(description: str, *options: str) -> Field:
    """Like choice, but no two equal values in one trajectory."""
    return Field(_string(description), lambda s: s.take(options), options=options)


def enum(description: str, *values: str) -> Field:
    """One of the values that the schema lists."""
    return Field(_string(description, enum=list(values)), lambda s: s.pick(values), _say_spaced)


def person(description: str = "Full name of the person") -> Field:
    """A person's full name, new in the trajectory."""
    return Field(_string(description), lambda s: s.take(s.pools.people))


def company(description: str = "Name of the company") -> Field:
    """A firm's name, new in the trajectory."""
    return Field(_string(description), lambda s: s.take(s.pools.companies))


def _draw_address(scene: Scene) -> str:
    # Homes found in a city stand in that city.
    place = scene.arguments.get("city") or scene.pick(CITIES)
    return f"{scene.take(scene.pools.streets)}, {place}"


def address(description: str = "Street address") -> Field:
    """A street with its city."""
    return Field(_string(description), _draw_address)


def city(description: str = "Name of the city") -> Field:
    """A city, new in the trajectory."""
    return Field(_string(description), lambda s: s.take(CITIES))


def _mail_of(name: str, scene: Scene) -> str:
    first, last = name.lower().split(" ", 1)
    last = last.replace(" ", "").replace("'", "")
    form = (f"{first}.{last}", f"{first[0]}{last}", f"{first}_{last}", f"{last}.{first}")
    return f"{scene.pick(form)}@{scene.pick(MAIL_HOSTS)}"


def email(description: str = "E-mail address", of: str | None = None) -> Field:
    """An address made from the user's value `of` if that is drawn, else from a new name."""

    def draw(scene: Scene) -> str:
        name = scene.slots.get(of) if of else None
        return _mail_of(name or scene.take(scene.pools.people), scene)

    return Field(_string(description, format="email"), draw, exemplary=True)


def own_email(description: str = "E-mail address") -> Field:
    """In a result row: the address of the row's `name`."""
    return Field(_string(description, format="email"), lambda s: _mail_of(str(s.row["name"]), s))


def phone(description: str = "Phone number in international format") -> Field:
    """A number in E.164 form."""

    def draw(scene: Scene) -> str:
        return f"+1{scene.whole(201, 989)}555{scene.whole(1000, 9999)}"

    return Field(_string(description, pattern=r"^\+[1-9]\d{6,14}$"), draw)


def ident(description: str, prefix: str, digits: int = 6) -> Field:
    """An id such as ORD-204417, never twice the same in one trajectory."""
    low, high = 10 ** (digits - 1), 10**digits - 1

    def draw(scene: Scene) -> str:
        while True:
            value = f"{prefix}-{scene.whole(low, high)}"
            if value not in scene.used:
                scene.used.add(value)
                return value

    return Field(_string(description, pattern=rf"^{prefix}-\d{{{digits}}}$"), draw)


def code(description: str, prefix: str, length: int = 6) -> Field:
    """A short mixed id such as bk_7f3a9c."""
    alphabet = "23456789abcdefghjkmnpqrstuvwxyz"

    def draw(scene: Scene) -> str:
        while True:
            value = prefix + "".join([scene.pick(alphabet) for _ in range(length)])
            if value not in scene.used:
                scene.used.add(value)
                return value

    return Field(_string(description, pattern=rf"^{prefix}[0-9a-z]{{{length}}}$"), draw)


def template(description: str, *forms: Callable[[Scene], str]) -> Field:
    """Result text made by one of `forms`."""
    return Field(_string(description), lambda s: s.pick(forms)(s), exemplary=True)


def calc(schema: Mapping[str, Any], make: Callable[[Scene], Json]) -> Field:
    """A result part worked out from `scene.arguments` and the `scene.row` so far."""
    return Field(schema, make, exemplary=True)


def integer(description: str, low: int, high: int) -> Field:
    """An integer of low..high; the schema has a lower bound only."""
    return Field(
        {
            "type": "integer",
            "description": description,
            "minimum": min(low, 1) if low >= 0 else low,
        },
        lambda s: s.whole(low, high),
        exemplary=True,
    )


def count(description: str, low: int, high: int, limit: int) -> Field:
    """A positive count with an upper limit in the schema."""
    return Field(
        {"type": "integer", "description": description, "minimum": 1, "maximum": limit},
        lambda s: s.whole(low, high),
    )


def number(description: str, low: float, high: float, digits: int = 1, **keywords: Any) -> Field:
    """A number of low..high; `keywords` go into the schema."""
    return Field(
        {"type": "number", "description": description, **keywords},
        lambda s: round(low + s.random() * (high - low), digits),
        exemplary=True,
    )


def price(description: str, low: int, high: int) -> Field:
    """An amount with odd cents, so that equal amounts are no accident."""

    def draw(scene: Scene) -> float:
        cents = scene.whole(low, high) * 100 + scene.whole(0, 9) * 10 + scene.whole(1, 9)
        return cents / 100

    schema = {"type": "number", "description": description, "minimum": 0}
    return Field(schema, draw, exemplary=True)


def budget(description: str, low: int, high: int, step: int = 50) -> Field:
    """A round amount that a person would name."""

    def speak(value: Json, scene: Scene) -> str:
        return f"${value:,}" if scene.style % 2 else f"{value} dollars"

    return Field(
        {"type": "number", "description": description, "minimum": 0},
        lambda s: s.whole(low // step, high // step) * step,
        speak,
    )


def dollars(description: str, low: int, high: int) -> Field:
    """An amount as text, '$1,245.37'."""

    def draw(scene: Scene) -> str:
        return f"${scene.whole(low, high):,}.{scene.whole(0, 9)}{scene.whole(1, 9)}"

    return Field(_string(description), draw, exemplary=True)


def percent(description: str, low: float, high: float, digits: int = 0) -> Field:
    """A share of 100."""

    def draw(scene: Scene) -> Json:
        value = low + scene.random() * (high - low)
        return round(value, digits) if digits else int(value)

    return Field(
        {"type": "number", "description": description, "minimum": 0, "maximum": 100},
        draw,
        lambda v, s: f"{v}%" if s.style % 2 else f"{v} percent",
        exemplary=True,
    )


def latitude(description: str = "Latitude in decimal degrees") -> Field:
    """Degrees from -90 to 90."""
    return number(description, -44, 66, 5, minimum=-90, maximum=90)


def longitude(description: str = "Longitude in decimal degrees") -> Field:
    """Degrees from -180 to 180."""
    return number(description, -120, 150, 5, minimum=-180, maximum=180)


def boolean(description: str, likely: float = 0.5) -> Field:
    """True with the given likelihood."""
    return Field({"type": "boolean", "description": description}, lambda s: s.random() < likely)


def day_at(number: int) -> str:
    """The ISO date `number` days after the first one."""
    return DAYS[number]


def shift_day(day: str, by: int) -> str:
    """The ISO date `by` days after `day` (a date or the date of a date-time)."""
    return DAYS[_DAY_NUMBERS[day[:10]] + by]


def _workday(number: int) -> int:
    # The first day is a Sunday, so remainder 6 is a Saturday.
    rest = number % 7
    return number + (2 if rest == 6 else 1 if rest == 0 else 0)


def date(description: str, low: int = 4, high: int = 60) -> Field:
    """A working day from `low` to `high` days after the trajectory's own today.

    One that the trajectory has not used yet, so that no two results share it by chance.
    """

    def draw(scene: Scene) -> str:
        used = scene.used
        for _ in range(12):
            day = DAYS[_workday(scene.day + scene.whole(low, high))]
            if day not in used:
                used.add(day)
                return day
        return day

    return Field(_string(description, format="date"), draw, _say_date)


def past_date(description: str, low: int = 5, high: int = 60) -> Field:
    """A day from `low` to `high` days before today."""

    def draw(scene: Scene) -> str:
        return DAYS[scene.day - scene.whole(low, high)]

    return Field(_string(description, format="date"), draw, _say_date)


def date_after(description: str, other: str, low: int = 2, high: int = 7) -> Field:
    """A day after the user's or the call's own `other`."""

    def draw(scene: Scene) -> str:
        start = scene.slots.get(other) or scene.arguments.get(other)
        if start is None:
            return DAYS[scene.day + scene.whole(10, 70)]
        return shift_day(start, scene.whole(low, high))

    return Field(_string(description, format="date"), draw, _say_date)


def clock(description: str, low: int = 8, high: int = 19) -> Field:
    """A time of day, HH:MM."""

    def draw(scene: Scene) -> str:
        return f"{scene.whole(low, high):02d}:{scene.pick(('00', '15', '30', '45'))}"

    def speak(value: Json, scene: Scene) -> str:
        if scene.style != 1:
            return str(value)
        hour = int(value[:2])
        return f"{(hour - 1) % 12 + 1}:{value[3:]} {'am' if hour < 12 else 'pm'}"

    return Field(_string(description, pattern=r"^([01]\d|2[0-3]):[0-5]\d$"), draw, speak)


def moment(
    description: str,
    low: int = 1,
    high: int = 40,
    on: str | None = None,
    hours: tuple[int, int] = (8, 18),
    shift: int = 0,
    within: int = 0,
) -> Field:
    """A date-time, from `low` to `high` days after today.

    Where the call has the argument `on`, `shift` to `shift + within` days after that.
    """

    def draw(scene: Scene) -> str:
        day = scene.arguments.get(on) if on else None
        if day is None:
            day = DAYS[_workday(scene.day + scene.whole(low, high))]
        elif shift or within:
            day = shift_day(day, shift + scene.whole(0, within))
        return f"{day[:10]}T{scene.whole(*hours):02d}:{scene.whole(0, 11) * 5:02d}:00Z"

    return Field(_string(description, format="date-time"), draw)


def day_or_moment(description: str) -> Field:
    """A date or a date-time."""
    return Field(
        _string(description, pattern=r"^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}Z)?$"),
        lambda s: DAYS[_workday(s.day + s.whole(4, 60))],
        _say_date,
    )


def language(description: str = "ISO 639-1 language code") -> Field:
    """A language code, said as the language."""
    names = {code: name for name, code in LANGUAGES}
    codes = tuple(names)
    return Field(
        _string(description, pattern="^[a-z]{2}$"),
        lambda s: s.pick(codes),
        lambda v, s: names.get(v, str(v)),
    )


def country(description: str = "ISO 3166-1 alpha-2 country code") -> Field:
    """A country code, said with the country."""
    names = {code: name for name, code in COUNTRIES}
    codes = tuple(names)
    return Field(
        _string(description, pattern="^[A-Z]{2}$"),
        lambda s: s.pick(codes),
        lambda v, s: f"{names[v]} ({v})" if v in names else v,
    )


def currency(description: str = "ISO 4217 currency code") -> Field:
    """A currency code, at times said with the currency."""
    names = {code: name for name, code in CURRENCIES}
    codes = tuple(names)
    return Field(
        _string(description, pattern="^[A-Z]{3}$"),
        lambda s: s.pick(codes),
        lambda v, s: f"{names[v]} ({v})" if v in names and s.style % 2 else v,
    )


def ip(description: str = "IPv4 address") -> Field:
    """A private IPv4 address."""
    return Field(
        _string(description, format="ipv4"),
        lambda s: f"10.{s.whole(10, 250)}.{s.whole(1, 250)}.{s.whole(2, 250)}",
    )


def url(description: str, form: str, prefix: str = "", digits: int = 6) -> Field:
    """A URL; `{}` in `form` becomes a fresh number with `prefix`."""

    def draw(scene: Scene) -> str:
        return form.format(f"{prefix}{scene.whole(10 ** (digits - 1), 10**digits - 1)}")

    return Field(_string(description, format="uri"), draw, exemplary=True)


def file_path(description: str, *paths: str) -> Field:
    """A path; `{}` becomes a fresh number."""
    return Field(
        _string(description, pattern="^/[^ ]+$"),
        lambda s: s.pick(paths).format(s.whole(1000, 9999)),
        exemplary=True,
    )


def list_of(description: str, part: Field, low: int = 2, high: int = 3) -> Field:
    """A list of different values."""

    def draw(scene: Scene) -> list[Json]:
        wanted = scene.whole(low, high)
        values: list[Json] = []
        while len(values) < wanted:
            value = part.draw(scene)
            if value not in values:
                values.append(value)
        return values

    def speak(value: Json, scene: Scene) -> str:
        return join_words([part.speak(v, scene) for v in value])

    items = {k: v for k, v in part.schema.items() if k != "description"}
    return Field({"type": "array", "description": description, "items": items}, draw, speak)


def record(description: str, /, **parts: Field) -> Field:
    """An object with the given parts, drawn in order; later ones may read `scene.row`."""
    plain = tuple(parts.items())

    def draw(scene: Scene) -> dict[str, Json]:
        outer = scene.row
        row: dict[str, Json] = {}
        scene.row = row
        for name, field in plain:
            row[name] = field.draw(scene)
        scene.row = outer
        return row

    schema = {
        "type": "object",
        "description": description,
        "properties": {name: field.schema for name, field in parts.items()},
    }
    return Field(schema, draw, parts=parts)


def rows(description: str, part: Field, low: int = 3, high: int = 4) -> Field:
    """A list of records."""

    def draw(scene: Scene) -> list[Json]:
        return [part.draw(scene) for _ in range(scene.whole(low, high))]

    return Field(
        {"type": "array", "description": description, "items": part.schema},
        draw,
        parts=part.parts,
        least=low,
    )


def array_of(description: str, part: Field) -> Field:
    """A list parameter whose entries come from earlier results; never drawn."""
    items = {k: v for k, v in part.schema.items() if k != "description"}

    def draw(scene: Scene) -> Json:
        raise LookupError(f"{description!r} has no values of its own; bind it")

    return Field({"type": "array", "description": description, "items": items}, draw)


def echo(parameter: str) -> Field:
    """The argument of that name, repeated in the result."""
    return Field({}, lambda s: s.arguments[parameter], echo=parameter)


def selected(description: str, parameter: str, best: str) -> Field:
    """The entry of the list `parameter` that is `best`, such as 'max score'.

    It is what a tool that chooses returns.
    """
    rule, key = best.split(" ")
    choose = max if rule == "max" else min

    def draw(scene: Scene) -> Json:
        return choose(scene.arguments[parameter], key=lambda entry: entry[key])

    return Field({"type": "object", "description": description}, draw)


def known(scene: Scene, path: str, otherwise: float) -> float:
    """A number that the story has already: `known(s, "flight.price", 200.0)`.

    For results that must agree with earlier ones; where the pool is empty, `otherwise`.
    """
    pool, key = path.split(".")
    item = (scene.lane.get(pool) if scene.lane else None) or scene.chosen.get(pool)
    if item is None:
        return otherwise
    value = item.value[key]
    if isinstance(value, str):
        return float("".join([c for c in value if c.isdigit() or c == "."]))
    return float(value)


def as_dollars(amount: float) -> str:
    """'$1,245.30'."""
    return f"${amount:,.2f}"


def days_between(first: str, last: str) -> int:
    """Whole days from one ISO date to another."""
    return _DAY_NUMBERS[last[:10]] - _DAY_NUMBERS[first[:10]]
