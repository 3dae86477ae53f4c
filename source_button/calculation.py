"""Figures of results, and arguments that were worked out from them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from plan.json_text import Json, escape, lookup
from source_button.evidence import (
    NEVER,
    NUMBER,
    STRONG,
    Said,
    amount,
    key_words,
    number_strength,
)
from source_button.trajectory import RecordedCall

Entry = tuple[int, str, str, Json]

_INDEX = re.compile(r"/\d+")
_SUM = re.compile(r"total|sum|overall|combin|altogether|add|cost|amount|budget|price|both")
_MEAN = re.compile(r"mean|average|avg")
_DIFFERENCE = re.compile(
    r"differ|remain|left|sav|reduc|chang|balance|less|short|usable|increase|gap|over|gain|profit"
)
_PRODUCT = re.compile(r"total|cost|amount|price|each|per |times|multipl|product|budget|pay")
_SHARE = re.compile(r"percent|%|share|deposit|tip|tax|commission|discount|fee|part")
_COUNT = re.compile(r"count|number|num|total|quantity|guests|participants|attendees|size|how many")
_MOST = 200


class Figures:
    """The numbers of all results so far, by where they stand."""

    __slots__ = ("_grouped", "_groups", "entries")

    def __init__(self) -> None:
        self.entries: list[tuple[Entry, float]] = []
        self._groups: dict[tuple[int, str], list[tuple[Entry, float]]] = {}
        self._grouped = 0

    def add(self, entry: Entry, value: float) -> None:
        """Take up a number, as it stands or as a text such as "$45.00" writes it."""
        self.entries.append((entry, value))

    def work_out(
        self,
        value: float,
        words: str,
        call: RecordedCall,
        said: Said,
        *,
        worded: bool = False,
    ) -> list[Entry]:
        """Return the figures that give a value by a sum, mean, difference, product or share.

        ``words`` is the argument's key, or the text around a number in words. An operation
        counts only where words name it, or where the value has three digits or more and the
        figures are alike (one column, one key). [] where nothing fits.
        """
        if not self.entries or len(self.entries) > 5000:
            return []
        power = number_strength(value)
        if power == NEVER:
            return []
        text = " ".join(key_words(words)) if not worded else words.lower()
        hints = f"{text} {call.name.lower()} {call.thought.lower()}" if not worded else text
        sure = power == STRONG and _digits(value) >= 3
        for group in self._columns():
            if len(group) < 2:
                continue
            numbers = [number for _, number in group]
            total = sum(numbers)
            if (sure or _SUM.search(hints)) and _near(total, value) and _varied(numbers):
                return [entry for entry, _ in group]
            if (sure or _MEAN.search(hints)) and _near(total / len(group), value):
                return [entry for entry, _ in group]
        if power != STRONG:
            return []
        recent = self.entries[-_MOST:]
        return self._pair(value, hints, recent, sure) or self._scaled(value, hints, recent, said)

    def _columns(self) -> Iterator[list[tuple[Entry, float]]]:
        """Yield figures of one kind: a column of one result, or a key of a tool's results."""
        for entry, number in self.entries[self._grouped :]:
            pattern = _INDEX.sub("/*", entry[1])
            self._groups.setdefault((entry[0], pattern), []).append((entry, number))
        self._grouped = len(self.entries)
        yield from self._groups.values()
        across: dict[str, list[tuple[Entry, float]]] = {}
        for (_, pattern), group in self._groups.items():
            across.setdefault(pattern, []).extend(group)
        for group in across.values():
            if len({entry[0] for entry, _ in group}) > 1:
                yield group

    def _pair(
        self, value: float, hints: str, recent: list[tuple[Entry, float]], sure: bool
    ) -> list[Entry]:
        """Return two figures whose sum or difference is the value."""
        adds = _SUM.search(hints) is not None
        takes = _DIFFERENCE.search(hints) is not None
        if not (adds or takes):
            return []
        exact = _digits(value) >= 4
        by_number: dict[float, list[Entry]] = {}
        for entry, number in recent:
            by_number.setdefault(round(number, 2), []).append(entry)
        for entry, number in reversed(recent):
            wanted: list[float] = []
            if adds:
                wanted.append(round(value - number, 2))
            if takes:
                wanted.append(round(number - value, 2))
            for other in wanted:
                if number_strength(other) == NEVER or number_strength(number) == NEVER:
                    continue
                for partner in reversed(by_number.get(other, ())):
                    if partner[:2] == entry[:2]:
                        continue
                    if (sure and partner[2] == entry[2]) or exact:
                        return sorted([entry, partner], key=lambda e: e[:2])
        return []

    def _scaled(
        self, value: float, hints: str, recent: list[tuple[Entry, float]], said: Said
    ) -> list[Entry]:
        """Return the figure that a number of the user's turns into the value."""
        factors: set[float] = set()
        if _PRODUCT.search(hints):
            factors |= {number for number in said.numbers if number > 1}
        if _SHARE.search(hints) or (_digits(value) >= 4 and _SHARE.search(said.raw)):
            spoken = {abs(float(t.replace(",", ""))) for t in NUMBER.findall(hints)}
            factors |= {n / 100 for n in said.numbers | spoken if 0 < n < 100}
        if not factors or len(factors) > 20:
            return []
        for entry, number in reversed(recent):
            if number_strength(number) == NEVER:
                continue
            for factor in sorted(factors):
                if _near(number * factor, value):
                    return [entry]
        return []

    @staticmethod
    def in_object(value: float, key: str, number: int, parent: str, result: Json) -> list[str]:
        """Return the pointers of two figures of one object that give a value, else [].

        Meant for objects that a neighbouring argument was taken from, so that even small
        numbers count: 2 usable gloves of 5 available and 3 damaged.
        """
        if value in (0, 1) or isinstance(value, bool):
            return []
        try:
            found = lookup(result, parent)
        except LookupError:
            return []
        if not isinstance(found, dict) or len(found) > 40:
            return []
        figures: list[tuple[str, float]] = []
        for name, item in found.items():
            figure: float | None = None
            if isinstance(item, (int, float)) and not isinstance(item, bool):
                figure = item
            elif isinstance(item, str):
                figure = amount(item)
            if figure is not None:
                figures.append((f"{parent}/{escape(name)}", figure))
        if len(figures) > 6 or any(figure == value for _, figure in figures):
            return []
        small = number_strength(value) != STRONG
        if small and len(figures) > 3:
            return []
        operations: tuple[Callable[[float, float], float], ...] = (
            lambda a, b: a - b,
            lambda a, b: a + b,
            lambda a, b: a * b,
        )
        for operate in operations:
            for n, (first, a) in enumerate(figures):
                for second, b in figures[n + 1 :]:
                    if a in (0, 1) or b in (0, 1):
                        continue
                    if _near(operate(a, b), value) or _near(operate(b, a), value):
                        return [first, second]
        return []


def _near(worked: float, value: float) -> bool:
    """Tell whether a value is what was worked out, rounded to cents at the most."""
    return abs(worked - value) < 1e-9 * max(1.0, abs(value)) or (
        round(worked, 2) == value and worked != int(worked)
    )


def _varied(numbers: list[float]) -> bool:
    return sum(1 for number in numbers if number) > 1


def _digits(value: float) -> int:
    digits = (
        repr(abs(value)).replace(".", "").strip("0")
        if value != int(value)
        else str(abs(int(value))).rstrip("0")
    )
    return len(digits)
