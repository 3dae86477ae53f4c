"""Words in names and descriptions, and how alike they make two tools or parameters."""

from __future__ import annotations

import re
from functools import lru_cache

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")

# Words that say what sort of value a parameter holds, not whose value it is.
_SORTS = frozenset(
    (
        "id", "name", "number", "code", "value", "type", "key", "text", "string", "list",
        "data", "info", "max", "min", "maximum", "minimum", "total", "start", "end", "from",
        "to", "new", "first", "last", "kg", "km", "cm", "gb", "usd", "eur", "percent",
    )
)  # fmt: skip
_COMMON = frozenset(
    (
        "a", "an", "the", "of", "for", "to", "in", "on", "by", "from", "with", "at", "and",
        "or", "its", "is", "are", "be", "as", "into", "given", "specific", "particular",
        "using", "use", "used", "based", "all", "any", "one", "this", "that", "it", "get",
        "return",
    )
)  # fmt: skip
_ASKING = frozenset(
    (
        "get", "find", "search", "list", "check", "lookup", "fetch", "retrieve", "view",
        "estimate", "compare", "read", "show", "query", "calculate", "compute", "convert",
        "track", "geocode", "locate",
    )
)  # fmt: skip


@lru_cache(maxsize=8192)
def name_words(name: str) -> frozenset[str]:
    """Return the words of a tool's or parameter's name, case folded, in the singular."""
    return frozenset(_singular(word.casefold()) for word in _WORD.findall(name))


@lru_cache(maxsize=8192)
def last_word(name: str) -> str:
    """Return the last word of a name, which says what it holds, in the singular."""
    words = _WORD.findall(name)
    return _singular(words[-1].casefold()) if words else ""


@lru_cache(maxsize=8192)
def text_words(text: str) -> frozenset[str]:
    """Return the words and numbers of a text that say something, in the singular."""
    return name_words(text) - _COMMON


@lru_cache(maxsize=8192)
def acts(tool: str) -> bool:
    """Tell whether a tool of this name does something, rather than asks for something."""
    return _ASKING.isdisjoint(name_words(tool))


def subjects(tool: str) -> frozenset[str]:
    """Return the words of a tool's name that say what it is about."""
    return name_words(tool) - _ASKING - _COMMON


@lru_cache(maxsize=8192)
def are_alike(a: str, b: str) -> bool:
    """Tell whether two parameters' names speak of the same thing.

    They share a word that isn't just a sort of value, or one holds all words of the other
    ("city" and "city_name"); an id only stands for an id.
    """
    left, right = name_words(a), name_words(b)
    shared = left & right
    if ("id" in left) != ("id" in right):
        return False
    return bool(shared - _SORTS) or (bool(shared) and shared in (left, right))


@lru_cache(maxsize=8192)
def correspondence(keys: tuple[str, ...], others: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return the pairs of parameters that may stand for each other, the same names first."""
    equal = [(key, key) for key in keys if key in others]
    similar = [
        (key, other) for key in keys for other in others if key != other and are_alike(key, other)
    ]
    return (*equal, *similar)


@lru_cache(maxsize=8192)
def likeness(name: str, purpose: str, other_name: str, other_purpose: str) -> float:
    """Return how easily one tool is taken for another by name and description, 0 to 1."""
    names, other_names = name_words(name), name_words(other_name)
    words, other_words = text_words(purpose), text_words(other_purpose)
    by_name = len(names & other_names) / (len(names | other_names) or 1)
    by_text = len(words & other_words) / (min(len(words), len(other_words)) or 1)
    return (by_name + by_text) / 2


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
