"""Plausible values where nothing was recorded: results of wrong calls, made-up inputs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from random import Random

from environment.sample import Situation, code, sample
from plan.json_text import Json, dumps, equal

_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_CODE = re.compile(r"(?=[^\s]*\d)[A-Za-z]*[-_#]?[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*")
_DIGIT = re.compile(r"\d")

_WORDS = (
    "standard", "regular", "central", "main", "north", "primary", "basic", "family",
    "daily", "classic", "shared", "general", "local", "extended",
)  # fmt: skip
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
    day: date,
    lots: Random,
) -> Json:
    """Return a plausible result of a call that was never recorded.

    Modelled on a recording of the same tool where there is one (what echoed its arguments
    echoes these), else on the tool's result schema, else on the arguments alone. ``day`` is
    one around which the story plays.
    """
    if recordings:
        sent, recorded = recordings[lots.randrange(len(recordings))]
        known = {}
        for key, old in sent.items():
            if isinstance(old, str) or (isinstance(old, (int, float)) and abs(old) >= 10):
                known[dumps(old)] = arguments.get(key, old)
        return vary(recorded, lots, known)
    if returns:
        made = sample(returns, Situation(arguments, day, lots))
        if made not in (None, {}, [], ""):
            return made
    echo = {
        key: value
        for key, value in list(arguments.items())[:3]
        if isinstance(value, (str, int, float))
    }
    return {"status": lots.choice(_STATUSES), **echo, "reference": code("R", lots)}
