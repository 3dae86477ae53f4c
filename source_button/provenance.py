"""Which argument came from which earlier result.

Arguments are traced turn by turn against an index of what earlier turns returned. What equals
a result is written as ``$ref``, a text that is exactly made of results and other text as
``$concat``, and everything else that flows as ``$computed``. The rules, and where each is kept:

1. What a user said before the call explains a value; no edge (`Said.explains`: words, numbers
   in digits or words, dates in any spelling). A date that could only be *worked out* from what
   was said, such as "the day before the flight", still comes from the result with the date.
2. What the assistant wrote itself in an earlier argument is only echoed (`_Index.own`).
3. A scalar that a call got and returns is an echo: the maker is the source (`_Echo`). So is a
   whole object or list that comes back unchanged.
4. A call that got a list and returns some of it selected it, and is the source from then on
   (`_Echo.listed_texts`). Calls that change something don't select. Of equal values of
   unrelated calls the latest counts, unless the argument's neighbours (the same list, the same
   object) point to another (`_Tracer.settle`).
5. An argument that as a whole equals an object or list of a result comes from there only
   (`_Tracer.trace` asks before it looks inside).
6. Booleans, 0, 1, "", codes and units are never evidence; small and round numbers, years, plain
   lower-case words and states ("pending") only under a key of the same name (`strength`).
   Inside a longer text only what stands out counts: identifiers, phrases, names, figures.

Kinds follow the labels: taken over, also in other case, number format or cut out, is data;
arithmetic (`source_button.calculation`) and dates in another form are computed; order needs
positive evidence (`source_button.order`). Calls of one turn have no edges between them.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import unquote_plus

from plan.clean import COMPUTED, DATA, ORDER, Edge
from plan.json_text import Json, dump_bytes, escape, lookup
from plan.problem import Problem
from plan.reference import COMPUTED as COMPUTED_KEY
from plan.reference import CONCAT, spell
from source_button.calculation import Figures
from source_button.evidence import (
    DIGIT,
    NEVER,
    NUMBER,
    STRONG,
    WEAK,
    WORD,
    Day,
    Said,
    agree,
    alike,
    amount,
    bounded,
    dates_in,
    day_of,
    normalise,
    number_strength,
    shifted,
    spans,
    stands_out,
    strength,
    text_strength,
)
from source_button.order import is_changing, order_edges
from source_button.strict_json import JsonError, parse
from source_button.trajectory import RecordedCall, Trajectory

Entry = tuple[int, str, str, Json]
"""A value inside a result: the call's index, JSON Pointer, key, value."""

_MANY = 400
_FEW = 12
# Searching texts inside texts stops here; a plan of megabytes then lacks such edges.
_SEARCHED = 20_000_000
_LONG_TEXT = 20_000
_MAX_VALUES = 200_000


def infer(trajectory: Trajectory) -> tuple[list[dict[str, Json]], list[Edge]]:
    """Return each call's arguments with references, and all edges in call order.

    Calls are named "1", "2", … in call order. Data and computed edges lead from an earlier
    turn to a later one; order edges have positive evidence (see `source_button.order`).
    A record too big to be searched whole gets the warning ``search_limit``.
    """
    calls = trajectory.calls
    tracer = _Tracer(trajectory)
    arguments: list[dict[str, Json]] = []
    start = 0
    while start < len(calls):
        end = start
        while end < len(calls) and calls[end].turn == calls[start].turn:
            arguments.append(tracer.trace_call(end))
            end += 1
        if end < len(calls):
            for number in range(start, end):
                tracer.index.add(number, calls[number])
        start = end
    if tracer.index.exhausted:
        trajectory.warnings.append(
            Problem("search_limit", "/messages", "too much text to look for every dependency")
        )
    edges = tracer.edges
    edges.extend(
        Edge(str(a + 1), str(b + 1), ORDER, None, None)
        for a, b in order_edges(trajectory, [(int(e.before) - 1, int(e.after) - 1) for e in edges])
    )
    return arguments, edges


class _Index:
    """The values of all results so far that can be a source."""

    __slots__ = (
        "_texts",
        "_tokenised",
        "_tokens",
        "budget",
        "containers",
        "days",
        "decoded",
        "embeddable",
        "exhausted",
        "figures",
        "numbers",
        "own",
        "own_numbers",
        "size",
        "texts",
        "values",
    )

    def __init__(self) -> None:
        self.values: dict[str, list[Entry]] = {}
        self.numbers: dict[float, list[Entry]] = {}
        self.containers: dict[tuple[type, int], list[Entry]] = {}
        self.days: dict[Day, list[Entry]] = {}
        # Places of strings that hold JSON text: a pointer to one names the text, not its value.
        self.decoded: set[tuple[int, str]] = set()
        self.texts: list[Entry] = []
        self.embeddable: list[Entry] = []
        self.figures = Figures()
        self.own: set[str] = set()
        self.own_numbers: set[float] = set()
        self.budget = _SEARCHED
        self.exhausted = False
        self.size = 0
        self._tokens: dict[str, list[Entry]] = {}
        self._tokenised = 0
        self._texts: dict[tuple[type, int], tuple[dict[bytes, Entry], int]] = {}

    def add(self, number: int, call: RecordedCall) -> None:
        """Take up a result, without what only repeats the call's own arguments."""
        echo = _Echo(call)
        self._add(number, call.result, "", "", echo)

    def _add(self, number: int, value: Json, pointer: str, key: str, echo: _Echo) -> None:
        kind = type(value)
        if kind is str:
            self._add_text(number, value, pointer, key, echo)
        elif kind is dict or kind is list:
            size = len(value)
            if not size or (size in echo.containers and echo.has_container(value)):
                return
            self.containers.setdefault((kind, size), []).append((number, pointer, key, value))
            if kind is dict:
                for name, item in value.items():
                    token = escape(name) if "/" in name or "~" in name else name
                    self._add(number, item, f"{pointer}/{token}", name, echo)
            else:
                for place, item in enumerate(value):
                    self._add(number, item, f"{pointer}/{place}", key, echo)
        elif kind is int or kind is float:
            if value in self.own_numbers or value in echo.numbers:
                return
            entry = (number, pointer, key, value)
            if value in echo.listed_numbers:
                self.numbers[value] = [entry]
            else:
                _append(self.numbers.setdefault(value, []), entry)
            self.figures.add(entry, value)

    def _add_text(self, number: int, value: str, pointer: str, key: str, echo: _Echo) -> None:
        if self.size >= _MAX_VALUES:
            self.exhausted = True
            return
        self.size += 1
        if value[:1] in ("{", "[") and value[-1:] in ("}", "]"):
            try:
                inner = parse(value)
            except JsonError:
                inner = None
            if inner:
                self.decoded.add((number, pointer))
                self._add(number, inner, pointer, key, echo)
                low = normalise(value)
                if low not in self.own and low not in echo.texts:
                    _append(self.values.setdefault(low, []), (number, pointer, key, value))
                return
        low = normalise(value)
        if low in self.own or low in echo.texts:
            return
        entry = (number, pointer, key, value)
        known = self.values.get(low)
        if known is None or low in echo.listed_texts:
            self.values[low] = [entry]
        else:
            _append(known, entry)
        has_digits = DIGIT.search(value) is not None
        figure = self._add_figure(entry) if has_digits else None
        if known is not None and known[0][3] == value and low not in echo.listed_texts:
            # One spelling is looked for in longer texts once.
            return
        size = len(value)
        if size >= 12:
            self.texts.append(entry)
        if has_digits:
            alone = figure is None or number_strength(figure) == STRONG
        else:
            alone = stands_out(value)
        if alone and 4 <= size < _LONG_TEXT:
            self.embeddable.append(entry)

    def _add_figure(self, entry: Entry) -> float | None:
        """Take up a text as the date or number that it writes; return the number."""
        text = entry[3]
        if len(text) > 40:
            return None
        day = day_of(text)
        if day is not None:
            _append(self.days.setdefault(day, []), entry)
            return None
        figure = amount(text)
        if figure is not None:
            _append(self.numbers.setdefault(figure, []), entry)
            self.figures.add(entry, figure)
        return figure

    def equal(self, value: Json) -> Entry | None:
        """Return the latest entry of an equal object or list."""
        shape = type(value), len(value)
        bucket = self.containers.get(shape)
        if not bucket:
            return None
        if len(bucket) <= _FEW:
            for entry in reversed(bucket):
                if entry[3] == value and dump_bytes(entry[3]) == dump_bytes(value):
                    return entry
            return None
        texts, done = self._texts.get(shape, ({}, 0))
        for entry in bucket[done:]:
            texts[dump_bytes(entry[3])] = entry
        self._texts[shape] = texts, len(bucket)
        return texts.get(dump_bytes(value))

    def inside(self, text: str) -> list[Entry]:
        """Return the entries that may stand inside a text."""
        if len(self.embeddable) <= _MANY:
            return self.embeddable
        for entry in self.embeddable[self._tokenised :]:
            found = WORD.search(entry[3])
            token = found.group() if found else ""
            self._tokens.setdefault(token, []).append(entry)
        self._tokenised = len(self.embeddable)
        tokens = dict.fromkeys(WORD.findall(text))
        return [e for token in ("", *tokens) for e in self._tokens.get(token, ())]

    def spend(self, cost: int) -> bool:
        """Tell whether a search of some characters may still be made."""
        self.budget -= cost
        if self.budget < 0:
            self.exhausted = True
        return self.budget >= 0


class _Echo:
    """A call's own arguments: what its result merely repeats is no source.

    A scalar that it got is repeated; of a list that it got, a result that holds some is a
    selection, and then this call is the source. Calls that change something don't select.
    """

    __slots__ = ("containers", "listed_numbers", "listed_texts", "numbers", "texts")

    def __init__(self, call: RecordedCall) -> None:
        self.texts: set[str] = set()
        self.numbers: set[float] = set()
        self.listed_texts: set[str] = set()
        self.listed_numbers: set[float] = set()
        self.containers: dict[int, list[Json]] = {}
        selects = not is_changing(call.name)
        for value in call.arguments.values():
            self._note(value, False, selects)

    def _note(self, value: Json, listed: bool, selects: bool) -> None:
        if isinstance(value, str):
            (self.listed_texts if listed else self.texts).add(normalise(value))
        elif isinstance(value, dict):
            if not listed:
                self.containers.setdefault(len(value), []).append(value)
            for item in value.values():
                self._note(item, listed, selects)
        elif isinstance(value, list):
            if not listed:
                self.containers.setdefault(len(value), []).append(value)
            inner = listed or (
                selects and (len(value) > 1 or (len(value) == 1 and isinstance(value[0], dict)))
            )
            for item in value:
                self._note(item, inner, selects)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            (self.listed_numbers if listed else self.numbers).add(value)

    def has_container(self, value: Json) -> bool:
        """Tell whether the call got this very object or list, not as one of several.

        It got some of this size.
        """
        return value in self.containers[len(value)]


class _Tracer:
    """Traces the arguments of one trajectory's calls, in order."""

    __slots__ = (
        "call",
        "calls",
        "deferred",
        "edges",
        "found",
        "index",
        "number",
        "said",
        "said_count",
        "schemas",
        "users",
    )

    def __init__(self, trajectory: Trajectory) -> None:
        self.calls = trajectory.calls
        self.users = trajectory.users
        self.index = _Index()
        self.edges: list[Edge] = []
        self.said = Said("")
        self.said_count = 0
        self.number = 0
        self.call = trajectory.calls[0]
        self.found: list[tuple[str, str, Entry | None, int, str]] = []
        self.deferred: list[tuple[Json, Json, str, str, list[Entry]]] = []

    def trace_call(self, number: int) -> dict[str, Json]:
        """Return a call's arguments with references; note its edges."""
        call = self.calls[number]
        self.number = number
        self.call = call
        if call.said != self.said_count:
            self.said = Said("\n".join(self.users[: call.said]))
            self.said_count = call.said
        if call.turn == 1:
            for value in call.arguments.values():
                self.write(value)
            return call.arguments
        self.found = []
        self.deferred = []
        arguments: dict[str, Json] = self.trace_dict(call.arguments, "")
        if self.deferred:
            self.settle()
        if self.found:
            self.note_edges()
        return arguments

    def write(self, value: Json) -> None:
        """Note what the assistant wrote on its own: a result can only repeat it."""
        if isinstance(value, str):
            self.index.own.add(normalise(value))
        elif isinstance(value, dict):
            for item in value.values():
                self.write(item)
        elif isinstance(value, list):
            for item in value:
                self.write(item)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            self.index.own_numbers.add(value)

    def trace(self, value: Json, pointer: str, key: str, holder: Json, place: Json) -> Json:
        """Return a value with references; what can't be decided yet stays and is deferred."""
        kind = type(value)
        if kind is str:
            return self.trace_text(value, pointer, key, holder, place)
        if kind is int or kind is float:
            return self.trace_number(value, pointer, key, holder, place)
        if (kind is dict or kind is list) and value:
            entry = self.equal_container(value)
            if entry is not None:
                if entry[:2] in self.index.decoded:
                    return self.compute([entry], pointer, DATA)
                return self.refer(entry, pointer)
            if kind is dict:
                return self.trace_dict(value, pointer)
            out: list[Json] = list(value)
            for number, item in enumerate(value):
                out[number] = self.trace(item, f"{pointer}/{number}", key, out, number)
            return out
        return value

    def trace_dict(self, value: dict[str, Json], pointer: str) -> dict[str, Json]:
        out = dict(value)
        unknown: list[tuple[str, str, float]] = []
        first = len(self.found)
        for name, item in value.items():
            token = escape(name) if "/" in name or "~" in name else name
            place = f"{pointer}/{token}"
            new = self.trace(item, place, name, out, name)
            if new is item:
                kind = type(item)
                if (kind is int or kind is float) and item not in self.said.numbers:
                    unknown.append((name, place, item))
            else:
                out[name] = new
        if unknown and len(self.found) > first:
            self.work_out_beside(unknown, out, first)
        return out

    # Single values.

    def trace_text(self, value: str, pointer: str, key: str, holder: Json, place: Json) -> Json:
        index = self.index
        power = text_strength(value)
        if power == NEVER:
            return value
        low = normalise(value)
        if low in index.own:
            return value
        entries = index.values.get(low)
        if entries and (power == STRONG or any(agree(key, entry[2]) for entry in entries)):
            if self.said.explains(value, low):
                return value
            if power == WEAK:
                entries = [entry for entry in entries if agree(key, entry[2])]
            return self.settle_or_defer(value, pointer, key, entries, holder, place)
        if self.said.explains(value, low):
            return value
        number = amount(value)
        if number is not None:
            found = index.numbers.get(number)
            if found and number_strength(number) == STRONG:
                return self.settle_or_defer(value, pointer, key, found, holder, place)
            return value
        day = day_of(value)
        if day is not None:
            return self.trace_day(value, day, pointer, key)
        if value[0] in "{[" and value[-1] in "}]":
            entry = self.decoded_container(value)
            if entry is not None:
                return self.compute([entry], pointer, DATA)
        new = self.trace_parts(value, pointer, key)
        if new is value:
            new = self.trace_cut(value, pointer)
        if new is value and not entries:
            index.own.add(low)
        return new

    def trace_number(self, value: float, pointer: str, key: str, holder: Json, place: Json) -> Json:
        power = number_strength(value)
        index = self.index
        if power == NEVER or value in index.own_numbers:
            return value
        entries = index.numbers.get(value)
        if value in self.said.numbers:
            return value
        if entries:
            if power == WEAK:
                entries = [entry for entry in entries if agree(key, entry[2])]
            if entries:
                return self.settle_or_defer(value, pointer, key, entries, holder, place)
            return value
        worked = index.figures.work_out(value, key, self.call, self.said)
        if worked:
            return self.compute(worked, pointer, COMPUTED)
        index.own_numbers.add(value)
        return value

    def trace_day(self, value: str, day: Day, pointer: str, key: str) -> Json:
        """Return a date or time that isn't a result's own text."""
        index = self.index
        if self.said.has_day(day):
            return value
        entries = index.days.get(day)
        if entries:
            entry = self.best(entries, key)
            return self.compute([entry], pointer, COMPUTED)
        steps = spans(self.said.raw) | spans(self.call.thought)
        for step, directed in sorted(steps.items()):
            start = shifted(day, -step)
            if start is None:
                continue
            # "For 3 nights" from a date that the user named needs no result; "a day before
            # the flight" does, even where the flight's date was named as well.
            if self.said.has_day(start) and not directed:
                return value
            if start in index.days:
                entry = self.best(index.days[start], key)
                return self.compute([entry], pointer, COMPUTED)
        index.own.add(normalise(value))
        return value

    def trace_parts(self, value: str, pointer: str, key: str) -> Json:
        """Return a text with results inside it as ``$concat`` or ``$computed``."""
        index = self.index
        size = len(value)
        if size < 6 or size > _LONG_TEXT * 10:
            return value
        candidates = index.inside(value)
        if not index.spend((size + 20) * len(candidates) // 4):
            return value
        matches = dict.fromkeys(
            entry[3] for entry in candidates if entry[3] in value and len(entry[3]) < size
        )
        spots: list[tuple[int, int, Entry]] = []
        taken: list[tuple[int, int]] = []
        for part in sorted(matches, key=len, reverse=True):
            low = normalise(part)
            if low in index.own or self.said.explains(part, low):
                continue
            start = value.find(part)
            while start >= 0:
                end = start + len(part)
                if bounded(value, start, end) and all(end <= a or start >= b for a, b in taken):
                    entry = self.best(index.values[low], key)
                    if entry[3] != part:
                        entry = next((e for e in index.values[low] if e[3] == part), entry)
                    spots.append((start, end, entry))
                    taken.append((start, end))
                start = value.find(part, end)
        extra: list[tuple[Entry, str]] = []
        if DIGIT.search(value):
            extra = self.figures_in(value, taken, key)
        if not spots and ("%" in value or "+" in value) and "/" in value:
            extra.extend(self.unquoted(value, key))
        if extra:
            return self.compute_mixed([entry for _, _, entry in sorted(spots)], extra, pointer)
        if not spots:
            return value
        return self.concat(value, sorted(spots), pointer)

    def figures_in(
        self, value: str, taken: list[tuple[int, int]], key: str
    ) -> list[tuple[Entry, str]]:
        """Return the results behind dates and numbers that a text words in its own way."""
        index = self.index
        extra: list[tuple[Entry, str]] = []
        covered = list(taken)
        for day, start, end in dates_in(value):
            if any(start < b and end > a for a, b in covered):
                continue
            covered.append((start, end))
            if self.said.has_day(day):
                continue
            entries = index.days.get(day)
            if entries is None and not day[0]:
                entries = [e for d, es in index.days.items() if d[1:] == day[1:] for e in es]
            if entries:
                extra.append((self.best(entries, key), COMPUTED))
        for found in NUMBER.finditer(value):
            start, end = found.span()
            if any(start < b and end > a for a, b in covered):
                continue
            number = float(found.group().replace(",", "").rstrip("."))
            power = number_strength(number)
            if power == NEVER or number in self.said.numbers or number in index.own_numbers:
                continue
            entries = index.numbers.get(number)
            if entries:
                if power == STRONG and len(found.group().strip("-")) > 2:
                    extra.append((self.best(entries, key), DATA))
                continue
            near = value[max(0, start - 60) : end + 30]
            worked = index.figures.work_out(number, near, self.call, self.said, worded=True)
            extra.extend((entry, COMPUTED) for entry in worked)
        return extra

    def unquoted(self, value: str, key: str) -> Iterator[tuple[Entry, str]]:
        """Yield the results that stand in a URL with their blanks and signs escaped."""
        plain = unquote_plus(value)
        for entry in self.index.inside(plain):
            part = entry[3]
            start = plain.find(part)
            if start >= 0 and bounded(plain, start, start + len(part)):
                low = normalise(part)
                if not self.said.explains(part, low):
                    yield self.best(self.index.values[low], key), DATA

    def trace_cut(self, value: str, pointer: str) -> Json:
        """Return a text that was cut out of a result's longer text."""
        index = self.index
        if not stands_out(value):
            return value
        size = len(value)
        for entry in reversed(index.texts):
            text = entry[3]
            if len(text) <= size:
                continue
            if not index.spend(len(text)):
                break
            start = text.find(value)
            while start >= 0:
                if bounded(text, start, start + size):
                    return self.compute([entry], pointer, DATA)
                start = text.find(value, start + 1)
        return value

    # Objects and lists.

    def equal_container(self, value: Json) -> Entry | None:
        """Return the latest result that holds an equal object or list, if that says enough."""
        entry = self.index.equal(value)
        return entry if entry is not None and self.says_enough(value) else None

    def decoded_container(self, text: str) -> Entry | None:
        """Return the result that a JSON text spells out."""
        try:
            value = parse(text)
        except JsonError:
            return None
        return self.equal_container(value) if value else None

    def says_enough(self, value: Json) -> bool:
        """Tell whether an object or list can't be equal by chance or thanks to the user."""
        weak = set()
        for leaf in _leaves(value):
            power = strength(leaf)
            if power == NEVER:
                continue
            if isinstance(leaf, str):
                low = normalise(leaf)
                if low in self.index.own or self.said.explains(leaf, low):
                    continue
            elif leaf in self.index.own_numbers or leaf in self.said.numbers:
                continue
            if power == STRONG:
                return True
            weak.add(leaf)
        return len(weak) > 2

    def work_out_beside(
        self, unknown: list[tuple[str, str, float]], out: dict[str, Json], first: int
    ) -> None:
        """Write figures worked out from the very object that a neighbour was taken from."""
        parents = {
            (entry[0], entry[1].rpartition("/")[0])
            for _, _, entry, _, _ in self.found[first:]
            if entry is not None
        }
        for name, pointer, value in unknown:
            for number, parent in sorted(parents):
                worked = Figures.in_object(value, name, number, parent, self.calls[number].result)
                if worked:
                    self.index.own_numbers.discard(value)
                    out[name] = {COMPUTED_KEY: [spell(str(number + 1), p) for p in worked]}
                    self.found.append((pointer, COMPUTED, None, number, parent))
                    break

    # Sources.

    def best(self, entries: list[Entry], key: str) -> Entry:
        """Return the source among equal values: the latest call, the likest name."""
        if len(entries) == 1:
            return entries[0]
        last = self.calls[entries[-1][0]].turn
        latest = [entry for entry in entries if self.calls[entry[0]].turn == last]
        return max(latest, key=lambda entry: alike(key, entry[2]))

    def settle_or_defer(
        self, value: Json, pointer: str, key: str, entries: list[Entry], holder: Json, place: Json
    ) -> Json:
        if len(entries) == 1 or all(entry[0] == entries[0][0] for entry in entries):
            return self.take(value, self.best(entries, key), pointer)
        self.deferred.append((holder, place, pointer, key, entries))
        return value

    def settle(self) -> None:
        """Choose among several calls' equal values, now that the neighbours are known."""
        sure = [(pointer, entry) for pointer, _, entry, _, _ in self.found if entry is not None]
        for holder, place, pointer, key, entries in self.deferred:
            value = holder[place]
            chosen: list[Entry] = []
            if isinstance(place, int):
                # In a list, the neighbours' turn.
                near = pointer.rpartition("/")[0]
                turns = {
                    self.calls[entry[0]].turn
                    for other, entry in sure
                    if other.rpartition("/")[0] == near
                }
                chosen = [entry for entry in entries if self.calls[entry[0]].turn in turns]
            if not chosen:
                # Else the object that a neighbour was taken from.
                parents = {(entry[0], entry[1].rpartition("/")[0]) for _, entry in sure}
                chosen = [
                    entry for entry in entries if (entry[0], entry[1].rpartition("/")[0]) in parents
                ]
            if not chosen and not isinstance(value, str):
                calls = {entry[0] for _, entry in sure}
                chosen = [entry for entry in entries if entry[0] in calls]
            if not chosen:
                chosen = entries
            holder[place] = self.take(value, self.best(chosen, key), pointer)

    def take(self, value: Json, entry: Entry, pointer: str) -> Json:
        """Return a value as what an entry gives: itself, or itself in other spelling."""
        source = entry[3]
        if type(source) is type(value) and source == value:
            return self.refer(entry, pointer)
        return self.compute([entry], pointer, DATA)

    def refer(self, entry: Entry, pointer: str) -> Json:
        self.found.append((pointer, DATA, entry, entry[0], entry[1]))
        return spell(str(entry[0] + 1), entry[1])

    def compute(self, entries: list[Entry], pointer: str, kind: str) -> Json:
        return self.compute_mixed([], [(entry, kind) for entry in entries], pointer)

    def compute_mixed(
        self, plain: list[Entry], others: list[tuple[Entry, str]], pointer: str
    ) -> Json:
        inputs: dict[tuple[int, str], Json] = {}
        for entry, kind in [*((entry, DATA) for entry in plain), *others]:
            self.found.append((pointer, kind, entry, entry[0], entry[1]))
            inputs[entry[0], entry[1]] = spell(str(entry[0] + 1), entry[1])
        return {COMPUTED_KEY: list(inputs.values())}

    def concat(self, value: str, spots: list[tuple[int, int, Entry]], pointer: str) -> Json:
        if any(entry[3] != value[start:end] for start, end, entry in spots):
            return self.compute_mixed([], [(entry, DATA) for _, _, entry in spots], pointer)
        parts: list[Json] = []
        at = 0
        for start, end, entry in spots:
            if start > at:
                parts.append(value[at:start])
            parts.append(self.refer(entry, pointer))
            at = end
        if at < len(value):
            parts.append(value[at:])
        return {CONCAT: parts}

    def note_edges(self) -> None:
        """Turn what was found for a call into edges, lists collected into one edge each."""
        groups: dict[tuple[str, str, int], list[tuple[str, str]]] = {}
        for pointer, kind, _, number, source in self.found:
            place = ""
            if kind == DATA and pointer[-1].isdecimal():
                head, _, tail = pointer.rpartition("/")
                if tail.isdecimal() and isinstance(lookup(self.call.arguments, head), list):
                    pointer, place = head, pointer
            groups.setdefault((pointer, kind, number), []).append((place, source))
        seen = set()
        for (pointer, kind, number), places in groups.items():
            if len(places) > 1 and len({place for place, _ in places}) > 1:
                pairs = [(pointer, _common([source for _, source in places]))]
            else:
                pairs = [(place or pointer, source) for place, source in places]
            for argument, source in pairs:
                key = (number, kind, argument, source)
                if key not in seen:
                    seen.add(key)
                    self.edges.append(
                        Edge(str(number + 1), str(self.number + 1), kind, argument, source)
                    )


def _append(entries: list[Entry], entry: Entry) -> None:
    """Add an entry, unless its call gave the same value many times already."""
    if len(entries) < _FEW or entries[-_FEW][0] != entry[0]:
        entries.append(entry)


def _leaves(value: Json) -> Iterator[Json]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    else:
        yield value


def _common(pointers: list[str]) -> str:
    """Return the pointer of the innermost value that holds all of several."""
    paths = [pointer.split("/") for pointer in pointers]
    shared: list[str] = []
    for tokens in zip(*paths, strict=False):
        if len(set(tokens)) > 1:
            break
        shared.append(tokens[0])
    return "/".join(shared)
