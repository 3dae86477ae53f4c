"""Legal calls: whether one is, and how another tool can be called with what is there."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from plan.clean import Call, CleanPlan
from plan.json_text import Json, type_name
from plan.reference import has_reference
from plan.rules import broken
from plan.tool import Tool
from taxonomy.words import are_alike, correspondence, last_word, name_words

_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_CLOCK = re.compile(r"\d\d:\d\d")

# Things of which there is often one or a few.
_COUNTED = frozenset(
    (
        "count", "quantity", "limit", "day", "night", "hour", "guest", "adult", "page", "people",
        "person", "seat", "passenger", "room", "result", "item", "ticket", "bag", "copy", "week",
        "month",
    )
)  # fmt: skip
_FEW = 10


@dataclass(frozen=True, slots=True)
class LegalCall:
    """Arguments that are legal for a tool, with what became of the call they come from.

    ``sent`` are the arguments with references resolved. ``same``, ``alike``, ``filled`` and
    ``lost`` count parameters: kept, kept under a similar name, found elsewhere, given up.
    """

    arguments: Mapping[str, Json]
    sent: Mapping[str, Json]
    same: int
    alike: int
    filled: int
    lost: int


class LegalCalls:
    """Checks and builds calls of a clean plan's tools."""

    __slots__ = ("_fillings", "_literals", "clean")

    def __init__(self, clean: CleanPlan) -> None:
        self.clean = clean
        self._fillings: dict[tuple[str, str], Json] = {}
        self._literals: list[tuple[str, Json]] | None = None

    def is_legal(self, name: str, sent: Mapping[str, Json]) -> bool:
        """Tell whether a listed tool may be called with these resolved arguments."""
        laws = self.clean.laws
        return laws.checker(name).accepts(sent) and not broken(laws.rules(name), sent)

    def converted(self, call: Call, tool: Tool) -> LegalCall | None:
        """Return a legal call of another tool with a call's arguments; None if there is none.

        Parameters of the same name keep their values and references, those of a similar
        name carry them over; what else is required is filled from the plan's literals or
        from the schema, as long as that is no more than what was carried over.
        """
        arguments: dict[str, Json] = {}
        sent: dict[str, Json] = {}
        properties = tool.properties
        unused = dict.fromkeys(call.arguments)
        same = 0
        for key, other in correspondence(tuple(properties), tuple(unused)):
            if key in arguments or other not in unused or other not in call.sent:
                continue
            if fits(properties[key], call.sent[other]):
                arguments[key] = call.arguments[other]
                sent[key] = call.sent[other]
                same += key == other
                del unused[other]
        alike = len(arguments) - same
        needed = [key for key in tool.required if key not in arguments]
        if len(needed) > len(arguments):
            return None
        for key in needed:
            value = self.filling(tool, key)
            if value is None:
                return None
            arguments[key] = sent[key] = value
        if not self.is_legal(tool.name, sent):
            return None
        return LegalCall(arguments, sent, same, alike, len(needed), len(unused))

    def filling(self, tool: Tool, key: str) -> Json:
        """Return a plausible value for a parameter that nothing is given for, or None."""
        known = self._fillings.get((tool.name, key), _UNKNOWN)
        if known is _UNKNOWN:
            schema = tool.properties.get(key)
            values = self._candidates(key, schema) if isinstance(schema, dict) else iter(())
            known = next((value for value in values if fits(schema, value)), None)
            self._fillings[tool.name, key] = known
        return known

    def _candidates(self, key: str, schema: Mapping[str, Json]) -> Iterator[Json]:
        if "default" in schema:
            yield schema["default"]
        if schema.get("enum"):
            yield schema["enum"][0]
        yield from schema.get("examples") or ()
        yield from (value for name, value in self.literals() if name == key)
        yield from (value for name, value in self.literals() if are_alike(name, key))
        words = name_words(key)
        kind = schema.get("type")
        form = schema.get("format")
        if kind == "boolean":
            yield True
        elif kind in ("integer", "number"):
            # The least price or weight would be no sane one, so only counts are made up.
            least = schema.get("minimum", 1)
            if kind == "integer" and last_word(key) in _COUNTED and least <= _FEW:
                yield max(1, math.ceil(least))
        elif kind == "array":
            items = schema.get("items")
            if isinstance(items, dict) and items.get("enum"):
                yield items["enum"][:1]
            yield from ([value] for name, value in self.literals() if are_alike(name, key))
        elif form == "date" or "date" in words:
            yield from self._texts(_DATE)
        elif form == "time" or "time" in words:
            yield from self._texts(_CLOCK)

    def _texts(self, pattern: re.Pattern[str]) -> Iterator[str]:
        for _, value in self.literals():
            if isinstance(value, str) and pattern.fullmatch(value):
                yield value

    def literals(self) -> list[tuple[str, Json]]:
        """Return (parameter, value) of every argument in the plan without a reference."""
        if self._literals is None:
            self._literals = [
                (key, value)
                for call in self.clean.calls.values()
                for key, value in call.arguments.items()
                if not has_reference(value)
            ]
        return self._literals


_UNKNOWN = object()


def fits(schema: Json, value: Json) -> bool:
    """Tell whether a value has a parameter's outermost type and is among its choices."""
    if not isinstance(schema, dict):
        return True
    choices = schema.get("enum")
    if choices and value not in choices:
        return False
    kind = schema.get("type")
    if kind is None:
        return True
    found = type_name(value)
    kinds = kind if isinstance(kind, list) else (kind,)
    return found in kinds or (found == "integer" and "number" in kinds)
