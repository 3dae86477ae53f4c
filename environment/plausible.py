"""Plausible results of calls that were never recorded."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from random import Random

from environment.sample import STATUSES, Situation, code, sample
from plan.guess import other_figures, other_integer, other_number
from plan.json_text import Json, dumps

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_CODE = re.compile(r"(?=[^\s]*\d)[A-Za-z]*[-_#]?[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*")


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
    return other_integer(value, lots) if isinstance(value, int) else other_number(value, lots)


def _vary_text(value: str, lots: Random) -> str:
    if _DAY.match(value) or (_CODE.fullmatch(value) and len(value) <= 40):
        return other_figures(value, lots)
    return value


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
    return {"status": lots.choice(STATUSES), **echo, "reference": code("R", lots)}
