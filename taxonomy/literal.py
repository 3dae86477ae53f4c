"""Literals that an agent makes up in place of a value it should have fetched."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import islice

from plan.json_text import Json, dumps, replaced, walk

_DATE = re.compile(r"(?<![\w-])(\d{4})-(\d\d)-(\d\d)(?!\d)")
_TIME = re.compile(r"([01]\d|2[0-3]):([0-5]\d)((?::[0-5]\d)?)")
_EMAIL = re.compile(r"([^@\s]+)@([^@\s]+\.[^@\s]+)")
_CODE = re.compile(r"(?=\D*\d)\S+")

DATE = "date"
NUMBER = "number"
CODE = "code"
TEXT = "text"
FLAG = "flag"
COLLECTION = "collection"


def made_up(value: Json) -> Iterator[Json]:
    """Yield plausible values of the same JSON type that differ from the given one.

    The same value always gives the same ones, the most plausible first; none where nothing
    plausible differs (null, empty containers and texts).
    """
    seen = {dumps(value)}
    for made in _variants(value):
        text = dumps(made)
        if text not in seen:
            seen.add(text)
            yield made


def shape(value: Json) -> str:
    """Return what sort of literal a value is, as the constants above name them."""
    if isinstance(value, bool):
        return FLAG
    if isinstance(value, (int, float)):
        return NUMBER
    if isinstance(value, str):
        if _DATE.match(value) or _TIME.fullmatch(value):
            return DATE
        return CODE if _CODE.fullmatch(value) else TEXT
    return COLLECTION


def _variants(value: Json) -> Iterator[Json]:
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from _integers(value)
    elif isinstance(value, float):
        yield from _numbers(value)
    elif isinstance(value, str):
        yield from _texts(value)
    elif isinstance(value, list):
        if len(value) > 1:
            yield value[:-1]
        yield from _leaves(value)
    elif isinstance(value, dict):
        yield from _leaves(value)


def _integers(value: int) -> Iterator[int]:
    if abs(value) < 10:
        yield value + 1
        yield value + 2
        if value > 1:
            yield value - 1
        return
    for percent in (4, -3, 7):
        yield value + (value * percent // 100 or percent)


def _numbers(value: float) -> Iterator[float]:
    text = repr(value)
    places = 6 if "e" in text else len(text.partition(".")[2])
    for factor in (1.04, 0.97, 1.07):
        yield round(value * factor, places)
    yield round(value + 1, places)


def _texts(value: str) -> Iterator[str]:
    if match := _DATE.search(value):
        yield from _dates(value, match)
    elif match := _TIME.fullmatch(value):
        hour, minute = int(match[1]), int(match[2])
        for later in (30, 60, -15):
            moment = (hour * 60 + minute + later) % 1440
            yield f"{moment // 60:02d}:{moment % 60:02d}{match[3]}"
    elif match := _EMAIL.fullmatch(value):
        name, domain = match[1], match[2]
        parts = name.split(".")
        if len(parts) > 1:
            yield f"{parts[0][:1]}.{parts[-1]}@{domain}"
            yield f"{parts[-1]}.{parts[0]}@{domain}"
        yield f"{name}1@{domain}"
    elif _CODE.fullmatch(value) or any(sign.isdigit() for sign in value):
        yield from _codes(value)
    elif value.strip():
        yield from _phrases(value)


def _dates(value: str, match: re.Match[str]) -> Iterator[str]:
    for days in (1, 3, -2, 7):
        try:
            day = date(int(match[1]), int(match[2]), int(match[3])) + timedelta(days=days)
        except (ValueError, OverflowError):
            return
        yield value[: match.start()] + day.isoformat() + value[match.end() :]


def _codes(value: str) -> Iterator[str]:
    """Yield the text with its last digit, its last two, and all but its first moved on."""
    places = [place for place, sign in enumerate(value) if sign in "0123456789"]
    for count, step in ((1, 1), (2, 3), (max(len(places) - 1, 1), 4)):
        signs = list(value)
        for place in places[-count:]:
            moved = (int(signs[place]) + step) % 10
            leads = place == 0 or not value[place - 1].isalnum()
            signs[place] = str(moved or 1) if leads else str(moved)
        yield "".join(signs)


def _phrases(value: str) -> Iterator[str]:
    words = value.split()
    if len(words) > 2:
        yield " ".join(words[:-1])
        yield " ".join(words[1:])
    elif len(words) == 2:
        yield words[0]
    yield value.lower()
    yield value.title()
    yield value.upper()


def _leaves(value: Json) -> Iterator[Json]:
    """Yield a container with one of its scalars made up, then another, then all of them."""
    places: Sequence[tuple[str, Json]] = [
        (pointer, leaf) for pointer, leaf in walk(value) if not isinstance(leaf, (dict, list))
    ]
    everywhere = value
    changed = 0
    for pointer, leaf in places:
        made = next(islice(_different(leaf), 1), None)
        if made is None:
            continue
        changed += 1
        everywhere = replaced(everywhere, pointer, made)
        if changed <= 2:
            yield replaced(value, pointer, made)
    if changed > 1:
        yield everywhere


def _different(leaf: Json) -> Iterator[Json]:
    return (made for made in _variants(leaf) if made != leaf)
