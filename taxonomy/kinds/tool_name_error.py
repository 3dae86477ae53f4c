"""A pending call names a tool that isn't in the tool list.

What it is
----------
The name of a call is in no tool of the list: nothing can be called by it. Arguments,
purpose and dependencies are those of the right call.

Why agents make it
------------------
Names are remembered, not copied: another case or spelling, a synonym of the verb, a plural, a
slip, a prefix of some other API, or a suffix invented for a second try.

How it is injected
------------------
The name is changed in one of the ways below, never into a listed name: case, spelling style
(snake, camel, hyphen), dropped, swapped or doubled letter, synonym, plural or singular,
prefix, suffix, a word left out, words in another order.

How it is told apart
--------------------
A wrong name that is listed is Tool_select_Error.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache

from plan.clean import CleanPlan
from plan.damage import Damage, Finding
from plan.state import State
from taxonomy.examples import evening, order, trip
from taxonomy.intact import intact_tasks
from taxonomy.kind import TOOL, ErrorKind, Example
from taxonomy.spelling import other_number, spelled, style_of, words_of

NAME = "Tool_name_Error"


_SYNONYMS: Mapping[str, Sequence[str]] = {
    "add": ("append", "insert", "create"),
    "apply": ("submit", "use"),
    "assign": ("allocate", "set"),
    "book": ("reserve", "order"),
    "buy": ("purchase", "order"),
    "calculate": ("compute", "work_out"),
    "cancel": ("revoke", "abort"),
    "check": ("verify", "inspect"),
    "compare": ("contrast", "match"),
    "compute": ("calculate", "evaluate"),
    "confirm": ("approve", "verify"),
    "convert": ("transform", "change"),
    "create": ("make", "add", "generate"),
    "delete": ("remove", "erase"),
    "estimate": ("predict", "approximate"),
    "fetch": ("get", "retrieve"),
    "find": ("search", "locate", "lookup"),
    "generate": ("create", "produce"),
    "get": ("fetch", "retrieve", "lookup"),
    "hold": ("reserve", "block"),
    "list": ("show", "enumerate"),
    "lookup": ("find", "get"),
    "make": ("create", "build"),
    "notify": ("alert", "inform"),
    "open": ("start", "create"),
    "order": ("purchase", "buy"),
    "pay": ("settle", "charge"),
    "place": ("submit", "make"),
    "post": ("publish", "send"),
    "query": ("search", "ask"),
    "recommend": ("suggest", "propose"),
    "register": ("enrol", "sign_up"),
    "remove": ("delete", "drop"),
    "request": ("ask_for", "order"),
    "reserve": ("book", "hold"),
    "retrieve": ("fetch", "get"),
    "schedule": ("plan", "arrange"),
    "search": ("find", "lookup", "query"),
    "send": ("dispatch", "deliver", "mail"),
    "set": ("update", "put"),
    "share": ("send", "distribute"),
    "show": ("display", "list"),
    "start": ("launch", "begin"),
    "submit": ("send", "file"),
    "track": ("follow", "trace"),
    "transfer": ("move", "send"),
    "translate": ("convert", "interpret"),
    "update": ("modify", "edit"),
    "validate": ("verify", "check"),
    "verify": ("check", "validate"),
    "view": ("show", "read"),
    "write": ("compose", "draft"),
}
_PREFIXES = ("api", "do", "tool")
_SUFFIXES = ("retry", "v2", "api", "new")


def damages(
    state: State, clean: CleanPlan, *, only: Collection[str] | None = None
) -> Iterator[Damage]:
    """Yield every unlisted name that each pending call could bear by mistake."""
    for task, _ in intact_tasks(state, clean, only):
        for way, name in misspellings(task.name):
            if name not in clean.tools and name not in state.tools:
                changes = {task.id: task.changed(name=name)}
                yield Damage(task.id, "/name", task.name, name, way, changes)


@lru_cache(maxsize=4096)
def misspellings(name: str) -> tuple[tuple[str, str], ...]:
    """Return (way, name) of every way to get a name wrong; each name once, none the right."""
    seen = {name}
    found = []
    for way, wrong in _misspellings(name):
        if wrong and wrong not in seen:
            seen.add(wrong)
            found.append((way, wrong))
    return tuple(found)


def _misspellings(name: str) -> Iterator[tuple[str, str]]:
    words = words_of(name)
    if not words:
        return
    style = style_of(name)
    plain = [word.casefold() for word in words]

    yield "case", name[:1].swapcase() + name[1:]
    yield "case", name.upper()
    yield "case", name.lower()
    for other in ("snake", "camel", "hyphen", "pascal", "joined"):
        if other != style:
            yield "style", spelled(plain, other)

    start = name.find(max(words, key=len))
    middle = start + max(map(len, words)) // 2
    for place in (middle, middle + 1, start + 1):
        if 0 < place < len(name) and name[place].isalpha():
            yield "dropped_letter", name[:place] + name[place + 1 :]
            yield "doubled_letter", name[:place] + name[place] + name[place:]
            if name[place + 1 : place + 2].isalpha():
                swapped = name[place + 1] + name[place]
                yield "swapped_letters", name[:place] + swapped + name[place + 2 :]

    for synonym in _SYNONYMS.get(plain[0], ()):
        yield "synonym", spelled([*synonym.split("_"), *plain[1:]], style)
    for place in (len(plain) - 1, 1):
        if 0 < place < len(plain):
            changed = [*plain[:place], other_number(plain[place]), *plain[place + 1 :]]
            yield "plural", spelled(changed, style)
    for prefix in _PREFIXES:
        yield "affix", spelled([prefix, *plain], style)
    for suffix in _SUFFIXES:
        yield "affix", spelled([*plain, suffix], style)
    if len(plain) > 2:
        yield "word_left_out", spelled(plain[:-1], style)
        yield "word_left_out", spelled([plain[0], *plain[2:]], style)
    if len(plain) > 1:
        yield "other_order", spelled([*plain[1:], plain[0]], style)


def detect(state: State) -> Iterator[Finding]:
    """Find calls whose name no tool has."""
    for task in state.plan.calls():
        if task.name not in state.tools:
            reason = f"no tool is called {task.name!r}"
            yield Finding(NAME, task.id, "/name", 1.0, reason)


KIND = ErrorKind(
    name=NAME,
    dimension=TOOL,
    doc=__doc__,
    damages=damages,
    detect=detect,
    examples=(
        Example("a synonym", trip(), 1, "1", "/name", "get_city_info", "fetch_city_info"),
        Example("another style", trip(), 2, "5", "/name", "book_flight", "bookFlight"),
        Example("another case", evening(), 2, "3", "/name", "reserve_table", "Reserve_table"),
        Example("a plural", order(), 1, "1", "/name", "get_product", "get_products"),
        Example("a second try", order(), 4, "6", "/name", "send_receipt", "send_receipt_retry"),
        Example("a dropped letter", trip(), 5, "8", "/name", "share_itinerary", "share_itinrary"),
    ),
)
