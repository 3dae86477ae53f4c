"""Literals that an agent makes up in place of a value it should have fetched."""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import blake2b
from random import Random

from plan.guess import guess
from plan.json_text import Json, dump_bytes

_DATE = re.compile(r"\d{4}-\d\d-\d\d(?!\d)")
_TIME = re.compile(r"([01]\d|2[0-3]):([0-5]\d)((?::[0-5]\d)?)")
_CODE = re.compile(r"(?=\D*\d)\S+")

DATE = "date"
NUMBER = "number"
CODE = "code"
TEXT = "text"
FLAG = "flag"
COLLECTION = "collection"


GUESSES = 8


def made_up(value: Json) -> Iterator[Json]:
    """Yield guesses of a value, of the same JSON type and never equal to it.

    The same value always gives the same ones; none where nothing plausible differs (null,
    empty containers, single words).
    """
    text = dump_bytes(value)
    seen = {text}
    for number in range(GUESSES):
        digest = blake2b(text, digest_size=8, salt=bytes([number])).digest()
        made = guess(value, Random(int.from_bytes(digest, "big")))
        if made is None:
            return
        spelled = dump_bytes(made)
        if spelled not in seen:
            seen.add(spelled)
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
