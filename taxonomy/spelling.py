"""How names are spelled: their words, their style, and the same words in another."""

from __future__ import annotations

import re
from collections.abc import Sequence

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")


def words_of(name: str) -> list[str]:
    """Return a name's words as they stand in it, for every style of name."""
    return _WORD.findall(name)


def style_of(name: str) -> str:
    """Return a name's style: hyphen, snake, camel or pascal."""
    if "-" in name:
        return "hyphen"
    if "_" in name:
        return "snake"
    if name[:1].isupper():
        return "pascal"
    return "camel" if name != name.lower() else "snake"


def spelled(words: Sequence[str], style: str) -> str:
    """Return words as one name; besides the styles of `style_of`, joined leaves nothing between."""
    match style:
        case "hyphen":
            return "-".join(words)
        case "camel":
            return words[0] + "".join(word.capitalize() for word in words[1:])
        case "pascal":
            return "".join(word.capitalize() for word in words)
        case "joined":
            return "".join(words)
        case _:
            return "_".join(words)


def other_number(word: str) -> str:
    """Return the plural of a singular, or the singular of a plural."""
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "ch", "sh")) else "s")
