"""A parameter stands under a name that the tool doesn't have.

What it is
----------
A key of the arguments isn't among the tool's parameters; the value under it is the one that
belongs to a parameter which is now absent.

Why agents make it
------------------
Names are remembered instead of copied: another spelling style, a synonym, a slip, a plural,
an abbreviation, or what a neighbouring tool calls the same thing.

How it is injected
------------------
One parameter, required or optional, is renamed and keeps its value, reference or literal.
The new name is no parameter of the tool. Tools that welcome further parameters are left
alone.

How it is told apart
--------------------
The value is still there, so it isn't also a Parameter_Missing. An unknown key is always an
error, even where the parameter that it replaces is optional. The pointer names the new key.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cache, lru_cache, partial
from itertools import chain, islice

from plan.clean import CleanPlan
from plan.damage import Damage, Finding
from plan.json_text import Json
from plan.state import State
from plan.task import argument_path
from plan.tool import Tool
from taxonomy.examples import evening, order, trip
from taxonomy.intact import intact_tasks
from taxonomy.kind import PARAMETER, ErrorKind, Example
from taxonomy.parameter_examples import delivery, viewing
from taxonomy.places import changed_task, kept
from taxonomy.spelling import other_number, spelled, style_of, words_of

NAME = "Parameter_Error"

_NEIGHBOURS = 6

_SYNONYMS: Mapping[str, Sequence[str]] = {
    "account": ("profile",),
    "address": ("location", "street"),
    "adults": ("persons", "grown_ups"),
    "amount": ("sum", "value"),
    "author": ("writer",),
    "body": ("content", "text"),
    "budget": ("max_cost", "spending_limit"),
    "cabin": ("class",),
    "category": ("type", "kind", "group"),
    "check": ("arrive",),
    "city": ("town", "place"),
    "client": ("customer",),
    "code": ("key", "number"),
    "color": ("colour", "tint"),
    "content": ("body", "text"),
    "count": ("number", "quantity"),
    "country": ("nation", "state"),
    "cuisine": ("food", "kitchen"),
    "currency": ("money", "denomination"),
    "customer": ("client", "buyer"),
    "date": ("day", "when"),
    "deliver": ("ship",),
    "departure": ("leaving", "outbound"),
    "description": ("details", "summary"),
    "destination": ("target", "arrival"),
    "discount": ("reduction", "rebate"),
    "distance": ("range", "length"),
    "duration": ("length", "period"),
    "email": ("mail", "e_mail"),
    "end": ("finish", "stop"),
    "event": ("meeting", "occasion"),
    "file": ("document",),
    "first": ("initial",),
    "folder": ("directory",),
    "format": ("layout", "style"),
    "from": ("source", "start"),
    "guest": ("visitor", "customer"),
    "guests": ("visitors", "people"),
    "home": ("house", "flat"),
    "hotel": ("lodging", "property"),
    "hours": ("time", "duration"),
    "id": ("identifier", "key"),
    "items": ("entries", "elements"),
    "keyword": ("term", "query"),
    "language": ("locale", "tongue"),
    "last": ("final",),
    "level": ("grade", "tier"),
    "limit": ("maximum", "cap"),
    "location": ("place", "position"),
    "max": ("highest", "upper"),
    "message": ("text", "content"),
    "min": ("lowest", "least"),
    "name": ("title", "label"),
    "nights": ("days", "stay"),
    "note": ("comment", "remark"),
    "notes": ("comments", "remarks"),
    "number": ("count", "no"),
    "order": ("purchase",),
    "origin": ("source", "start"),
    "owner": ("holder",),
    "parcel": ("package", "shipment"),
    "passenger": ("traveller", "flyer"),
    "path": ("location", "route"),
    "people": ("persons", "guests"),
    "percent": ("share", "rate"),
    "person": ("individual",),
    "phone": ("telephone", "mobile"),
    "price": ("cost", "amount"),
    "priority": ("urgency", "importance"),
    "product": ("item", "article"),
    "quantity": ("amount", "count"),
    "query": ("search", "question"),
    "radius": ("range", "distance"),
    "rating": ("score", "stars"),
    "reason": ("cause", "motive"),
    "recipient": ("receiver", "addressee"),
    "recipients": ("receivers", "addressees"),
    "region": ("area", "district"),
    "room": ("chamber", "space"),
    "seats": ("places",),
    "sender": ("author",),
    "service": ("option", "plan"),
    "size": ("dimension", "volume"),
    "sku": ("article", "product_code"),
    "sort": ("order",),
    "source": ("origin",),
    "start": ("begin", "from"),
    "status": ("state", "condition"),
    "street": ("road", "address"),
    "subject": ("title", "topic"),
    "target": ("goal", "destination"),
    "team": ("group",),
    "text": ("content", "message"),
    "ticket": ("pass",),
    "time": ("hour", "clock"),
    "title": ("name", "heading"),
    "to": ("target", "destination"),
    "topic": ("subject", "theme"),
    "total": ("sum", "amount"),
    "type": ("kind", "category"),
    "unit": ("measure",),
    "url": ("link", "address"),
    "user": ("member", "person"),
    "value": ("amount", "content"),
    "vehicle": ("car",),
    "visitors": ("guests", "people"),
    "weight": ("mass", "load"),
    "window": ("slot", "period"),
    "year": ("season",),
    "zip": ("postal", "post"),
}
_SHORT: Mapping[str, str] = {
    "account": "acct",
    "address": "addr",
    "amount": "amt",
    "appointment": "appt",
    "average": "avg",
    "category": "cat",
    "city": "cty",
    "code": "cd",
    "country": "ctry",
    "currency": "curr",
    "customer": "cust",
    "date": "dt",
    "department": "dept",
    "departure": "dep",
    "description": "desc",
    "destination": "dest",
    "directory": "dir",
    "discount": "disc",
    "distance": "dist",
    "document": "doc",
    "duration": "dur",
    "email": "eml",
    "identifier": "id",
    "language": "lang",
    "latitude": "lat",
    "location": "loc",
    "longitude": "lng",
    "maximum": "max",
    "message": "msg",
    "minimum": "min",
    "minutes": "mins",
    "name": "nm",
    "number": "num",
    "order": "ord",
    "origin": "orig",
    "parameter": "param",
    "passenger": "pax",
    "password": "pwd",
    "percent": "pct",
    "percentage": "pct",
    "phone": "ph",
    "position": "pos",
    "price": "prc",
    "priority": "prio",
    "product": "prod",
    "quantity": "qty",
    "query": "q",
    "recipient": "rcpt",
    "reference": "ref",
    "reservation": "resv",
    "seconds": "secs",
    "source": "src",
    "subject": "subj",
    "temperature": "temp",
    "text": "txt",
    "time": "tm",
    "title": "ttl",
    "transaction": "txn",
    "value": "val",
    "weight": "wt",
    "window": "win",
    "year": "yr",
}
_VOWELS = re.compile(r"(?<=[a-z])[aeiou]")


def damages(
    state: State, clean: CleanPlan, *, only: Collection[str] | None = None
) -> Iterator[Damage]:
    """Yield every renaming of each parameter of each pending call."""
    for task, call in intact_tasks(state, clean, only):
        tool = clean.tools.get(task.name)
        if tool is None or tool.is_open:
            continue
        properties, arguments = tool.properties, task.arguments
        others = cache(partial(_other_names, clean.tools, tool))
        for key in call.arguments:
            if key not in properties or not kept(task, call, key):
                continue
            value = call.arguments[key]
            for way, name in chain(misnamings(key), _neighbours(key, others)):
                if name in properties or name in arguments:
                    continue
                renamed = {
                    (name if other == key else other): item for other, item in arguments.items()
                }
                yield Damage(
                    task.id,
                    argument_path(name),
                    None,
                    value,
                    way,
                    {task.id: changed_task(task, renamed)},
                )


def _other_names(tools: Mapping[str, Tool], own: Tool) -> tuple[str, ...]:
    """Return the parameters of all other tools, in the list's order."""
    names: dict[str, None] = {}
    for tool in tools.values():
        if tool is not own:
            names.update(dict.fromkeys(tool.properties))
    return tuple(names)


def _neighbours(key: str, others: Callable[[], Sequence[str]]) -> Iterator[tuple[str, str]]:
    """Yield what other tools call something that shares a word with a parameter."""
    words = _words(key)
    known = {name for _, name in misnamings(key)}
    found = (
        ("neighbour", other)
        for other in others()
        if other != key and other not in known and not words.isdisjoint(_words(other))
    )
    yield from islice(found, _NEIGHBOURS)


@lru_cache(maxsize=1 << 13)
def _words(name: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in words_of(name))


@lru_cache(maxsize=1 << 13)
def misnamings(name: str) -> tuple[tuple[str, str], ...]:
    """Return (way, name) of every way to get a name wrong; each name once, none the right."""
    seen = {name}
    found = []
    for way, wrong in _misnamings(name):
        if wrong and wrong not in seen:
            seen.add(wrong)
            found.append((way, wrong))
    return tuple(found)


def _misnamings(name: str) -> Iterator[tuple[str, str]]:
    words = words_of(name)
    if not words:
        return
    style = style_of(name)
    plain = [word.casefold() for word in words]

    if len(plain) > 1:
        for other in ("snake", "camel", "hyphen", "pascal", "joined"):
            if other != style:
                yield other, spelled(plain, other)
        yield "turned", spelled([*plain[1:], plain[0]], style)
        yield "word_left_out", spelled(plain[:-1], style)
        yield "word_left_out", spelled(plain[1:], style)
    yield "case", name[:1].swapcase() + name[1:]
    yield "case", name.upper()

    for place, word in enumerate(plain):
        before, after = plain[:place], plain[place + 1 :]
        for synonym in _SYNONYMS.get(word, ()):
            yield "synonym", spelled([*before, *synonym.split("_"), *after], style)
        short = _SHORT.get(word)
        if short is not None:
            yield "abbreviation", spelled([*before, short, *after], style)
        elif len(word) > 5:
            yield "abbreviation", spelled([*before, _VOWELS.sub("", word), *after], style)
            yield "abbreviation", spelled([*before, word[:4], *after], style)
    yield "plural", spelled([*plain[:-1], other_number(plain[-1])], style)
    if len(plain) > 1:
        yield "plural", spelled([other_number(plain[0]), *plain[1:]], style)
    for extra in _ADDED.get(plain[-1], ("value", "name")):
        if extra not in plain:
            yield "word_added", spelled([*plain, extra], style)

    start = name.find(max(words, key=len))
    middle = start + max(map(len, words)) // 2
    for place in (middle, middle + 1, start + 1):
        if 0 < place < len(name) and name[place].isalpha() and len(name) > 2:
            yield "dropped_letter", name[:place] + name[place + 1 :]
            yield "doubled_letter", name[: place + 1] + name[place:]
            if name[place + 1 : place + 2].isalpha():
                swapped = name[place + 1] + name[place]
                yield "swapped_letters", name[:place] + swapped + name[place + 2 :]


_ADDED: Mapping[str, Sequence[str]] = {
    "id": ("number", "code"),
    "date": ("time", "str"),
    "time": ("slot", "str"),
    "email": ("address",),
    "city": ("name",),
    "phone": ("number",),
    "url": ("link",),
    "amount": ("value", "total"),
    "price": ("value", "amount"),
    "code": ("value", "id"),
    "text": ("content", "body"),
    "name": ("text", "full"),
}


def detect(state: State) -> Iterator[Finding]:
    """Find keys that no parameter has; surer where an absent parameter resembles them."""
    for task in state.plan.pending():
        tool = state.tools.get(task.name)
        if tool is None or tool.is_open:
            continue
        unknown = [key for key in task.arguments if key not in tool.properties]
        absent = [key for key in tool.properties if key not in task.arguments]
        for key in unknown:
            best, meant = _closest(key, absent)
            reason = f"the tool has no parameter {key!r}"
            if best >= 0.5:
                reason += f"; meant may be {meant!r}"
            yield Finding(NAME, task.id, argument_path(key), 0.8 + 0.2 * best, reason)


def _closest(name: str, others: Sequence[str]) -> tuple[float, str]:
    best = (0.0, "")
    for other in others:
        same = "".join(words_of(name)).casefold() == "".join(words_of(other)).casefold()
        alike = 1.0 if same else SequenceMatcher(None, name, other).ratio()
        best = max(best, (alike, other))
    return best


def _example(
    title: str, clean: CleanPlan, round: int, node: str, name: str, value: Json
) -> Example:
    return Example(title, clean, round, node, argument_path(name), None, value)


KIND = ErrorKind(
    name=NAME,
    dimension=PARAMETER,
    doc=__doc__,
    damages=damages,
    detect=detect,
    examples=(
        _example("hyphens", trip(), 2, "3", "check-in", "2026-05-14"),
        _example("another style", order(), 1, "1", "productName", "Desk lamp"),
        _example("a synonym", trip(), 1, "1", "town", "Lisbon"),
        _example("an optional one", evening(), 1, "1", "cuisne", "thai"),
        _example("a neighbour's name", trip(), 1, "1", "city_id", "Lisbon"),
        _example("a plural", evening(), 2, "3", "times", "18:30"),
        _example("an abbreviation", order(), 3, "5", "qty", 2),
        _example("of a reference", order(), 4, "6", "orderId", {"$ref": "5#/order_id"}),
        _example("a word left out", delivery(), 1, "1", "weight", 4.5),
        _example("changed places", viewing(), 1, "1", "price_max", 1400),
    ),
)
