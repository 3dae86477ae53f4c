"""Guesses: literals that an agent writes in place of a value it never saw.

A guess has the value's JSON type and shape and none of its content: figures, ids, days and
names are others, and a sentence that would carry them carries others too. So a guess is
never right by accident, and never tells what a call would have returned.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from random import Random

from plan.json_text import Json, equal

_DAY = re.compile(r"(?<!\d)(\d{4})-(\d\d)-(\d\d)(?!\d)")
_CLOCK = re.compile(r"(?<!\d)([01]\d|2[0-3]):([0-5]\d)(?!\d)")
_FIGURE = re.compile(r"\d+")
_PRIVATE = re.compile("[\ue000-\uf8ff]")
_EMAIL = re.compile(r"[^@\s]+@([^@\s]+\.[^@\s]+)")
_NAME = re.compile(r"[A-Z][\w'-]+(?: [A-Z][\w'.-]*)+")
_PLACE = re.compile(r"[A-Z][a-zà-ÿ'-]+")

_PEOPLE = (
    "Mara Olsen", "Theo Brandt", "Ines Duarte", "Jonah Reid", "Priya Nair", "Lena Fischer",
    "Omar Haddad", "Chloe Martin", "Kenji Sato", "Ruth Adeyemi", "Paul Novak", "Elena Rossi",
    "Diego Morales", "Hannah Weiss", "Samuel Osei", "Ivy Chen", "Nora Lindqvist", "Adam Clarke",
    "Sofia Petrov", "Lucas Meyer", "Amina Diallo", "Grace Turner", "Felix Bauer", "Julia Costa",
)  # fmt: skip
_PLACES = (
    "Lyon", "Porto", "Leeds", "Denver", "Graz", "Osaka", "Turin", "Halifax", "Bergen", "Seville",
    "Bristol", "Ghent", "Austin", "Malmo", "Zagreb", "Perth", "Nantes", "Tampa", "Basel", "Riga",
)  # fmt: skip
_SENTENCES = (
    "Please find the details below.",
    "Here is the summary that was asked for.",
    "This is to let you know that everything has been arranged.",
    "The details are as discussed earlier.",
    "Please see the information from the last step.",
    "All of it is in order, nothing else is needed.",
    "The result is as expected; more will follow soon.",
    "This covers what was agreed on.",
)


def guess(value: Json, lots: Random) -> Json:
    """Return a guess of a value that isn't known, or None where none is plausible."""
    for _ in range(6):
        made = _guess(value, lots)
        if made is None:
            return None
        if not equal(made, value):
            return made
    return None


def _guess(value: Json, lots: Random) -> Json:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return other_integer(value, lots)
    if isinstance(value, float):
        return other_number(value, lots)
    if isinstance(value, str):
        return _other_text(value, lots)
    if isinstance(value, list):
        return [_part(item, lots) for item in value] or None
    if isinstance(value, dict):
        return {key: _part(item, lots) for key, item in value.items()} or None
    return None


def _part(value: Json, lots: Random) -> Json:
    """Return a guess of a part; what can't be guessed stays, being no news (a unit, a word)."""
    made = _guess(value, lots)
    return value if made is None else made


def other_integer(value: int, lots: Random) -> int:
    """Return another whole number of the same size."""
    if abs(value) < 10:
        return value + lots.choice((1, 2, 3))
    change = round(value * lots.uniform(-0.25, 0.25))
    return value + (change or 1)


def other_number(value: float, lots: Random) -> float:
    """Return another number of the same size and with as many places."""
    text = repr(value)
    places = len(text.partition(".")[2]) if "e" not in text else 6
    changed = round(value * lots.uniform(0.75, 1.25), places)
    return changed if changed != value else round(value + 10.0**-places, places)


def _other_text(value: str, lots: Random) -> str | None:
    match = _EMAIL.fullmatch(value)
    if match:
        first, last = lots.choice(_PEOPLE).casefold().split()
        return f"{lots.choice((first[0], first + '.'))}{last}@{match[1]}"
    if _FIGURE.search(value):
        return other_figures(value, lots)
    if _NAME.fullmatch(value):
        return lots.choice(_PEOPLE)
    if _PLACE.fullmatch(value):
        return lots.choice(_PLACES)
    return lots.choice(_SENTENCES) if value.count(" ") >= 3 else None


def other_figures(value: str, lots: Random) -> str:
    """Return a text with other days, times, ids and figures in it, each of the same form."""
    spare: list[str] = []

    def keep(text: str) -> str:
        spare.append(text)
        # A private character each, which no digit stands in.
        return chr(0xE000 + len(spare) - 1)

    def day(match: re.Match[str]) -> str:
        try:
            known = date(int(match[1]), int(match[2]), int(match[3]))
            moved = known + timedelta(days=lots.choice((-9, -4, -2, 1, 3, 5, 8, 12)))
        except (ValueError, OverflowError):
            return keep(match[0])
        return keep(moved.isoformat())

    def clock(match: re.Match[str]) -> str:
        return keep(f"{lots.randrange(7, 21):02d}:{lots.randrange(12) * 5:02d}")

    def figure(match: re.Match[str]) -> str:
        digits = match[0]
        first = digits[0] if digits[0] == "0" else lots.choice("123456789")
        return first + "".join(lots.choice("0123456789") for _ in digits[1:])

    if len(value) > 2000 or _PRIVATE.search(value):
        return _FIGURE.sub(figure, value)
    text = _FIGURE.sub(figure, _CLOCK.sub(clock, _DAY.sub(day, value)))
    if not spare:
        return text
    return "".join(
        spare[ord(sign) - 0xE000] if "\ue000" <= sign <= "\uf8ff" else sign for sign in text
    )
