"""Sentence templates: text with `{names}` and `[optional parts]`, compiled once."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

_PIECE = re.compile(r"\{([^{}]*)\}|\[([^\[\]]*)\]")


@dataclass(frozen=True, slots=True)
class Variable:
    """A name to be filled in."""

    name: str


@dataclass(frozen=True, slots=True)
class Segment:
    """A part that is said only if all its names have values."""

    parts: tuple[str | Variable, ...]
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Template:
    """A compiled sentence; `names` are those outside optional segments."""

    parts: tuple[str | Variable | Segment, ...]
    names: tuple[str, ...]

    @property
    def every_name(self) -> tuple[str, ...]:
        """The names of the optional segments too."""
        inner = (p.names for p in self.parts if isinstance(p, Segment))
        return self.names + tuple(name for names in inner for name in names)


def _split(text: str) -> tuple[str | Variable, ...]:
    parts: list[str | Variable] = []
    end = 0
    for match in re.finditer(r"\{([^{}]*)\}", text):
        if match.start() > end:
            parts.append(text[end : match.start()])
        parts.append(Variable(match.group(1)))
        end = match.end()
    if end < len(text):
        parts.append(text[end:])
    return tuple(parts)


@functools.cache
def compile_template(text: str) -> Template:
    """Compile `text`; the same text gives the same object."""
    parts: list[str | Variable | Segment] = []
    end = 0
    for match in _PIECE.finditer(text):
        if match.start() > end:
            parts.append(text[end : match.start()])
        if match.group(2) is None:
            parts.append(Variable(match.group(1)))
        else:
            inner = _split(match.group(2))
            parts.append(Segment(inner, tuple(p.name for p in inner if isinstance(p, Variable))))
        end = match.end()
    if end < len(text):
        parts.append(text[end:])
    names = tuple(p.name for p in parts if isinstance(p, Variable))
    return Template(tuple(parts), names)
