"""Order edges: a later call that is only right after an earlier one, with evidence for it.

That one call was made after another is no evidence. Accepted are:

- *seen state*: a call that reads returns an identifier that a changing call made;
- *checked state*: a call changes something and a later one reads or checks that very thing
  (``log_water_intake`` and ``fetch_water_intake`` for one user; ``set_address`` of a cart
  and ``get_cart``). What is made beside a thing counts where an earlier call made the thing
  (``invite_speaker`` to an event and ``get_event``, but not ``book_hotel`` and
  ``get_hotel_details``);
- *sent state*: an object that an earlier call made is changed, then sent, placed or published;
- *condition*: a check came out well, and the user or the assistant says that the later
  change hangs on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from plan.json_text import Json
from source_button.evidence import NEVER, STRONG, WORD, key_words, normalise, strength, word_set
from source_button.trajectory import RecordedCall, Trajectory

_CHANGING = word_set(
    "add set create make update log record grant revoke allocate assign schedule reschedule "
    "register cancel delete remove upload save store insert post write edit modify rename "
    "move enable disable activate deactivate configure install start stop reserve book order "
    "place submit publish send share notify pay charge transfer invite enroll enrol subscribe "
    "apply approve reject archive close open issue mark append attach deploy purchase buy "
    "checkout process refund print sign lock unlock turn adjust change put replace upgrade "
    "launch deposit withdraw extend compose draft release dispatch ship finalize finalise "
    "complete clear reset announce email message remind setup organize organise request file "
    "enter redeem adopt increase decrease swap merge restock renew pause resume link connect "
    "join insure"
)
# Changes that leave a thing as it is and make another one beside it.
_MAKING = word_set(
    "create make log record schedule register upload save store post write reserve book order "
    "place submit publish send share notify invite compose draft request open issue print "
    "export announce email message remind"
)
# Of these, and of choices, what the thing shows once it is one's own: the guests of one's
# event, the seat of one's flight.
_ENGAGING = word_set(
    "invite order preorder reserve book register place submit request schedule select choose pick"
)
_TELLING = word_set("send share notify announce email message post")
_SENDING = word_set(
    "send share publish submit place checkout pay print export finalize finalise deploy sign "
    "dispatch release ship complete launch post announce email notify"
)
_READING = word_set(
    "get fetch list check verify confirm validate view show retrieve read find search query "
    "lookup look monitor track review inspect audit load display count test"
)
_CHECKING = word_set("check verify validate confirm test is has ensure assess inspect")
_INTO = word_set("to into from")
_STATE = word_set("status state progress history")
# Words at the end of a name that say how something is shown, not what it is.
_VIEWS = word_set(
    "status detail info information summary history list record state entry log total data "
    "report overview all by id today current"
)
_PEOPLE = word_set(
    "user customer client employee participant recipient email member person patient student "
    "guest name phone contact account owner date time location city address"
)
_CONDITION = re.compile(
    r"\b(?:is|are|was|were|looks?|seems?) (?:still |now |indeed |also )?(?:available|valid|"
    r"verified|confirmed|free|eligible|in stock|sufficient|enough|active|open|ok|okay|covered|"
    r"allowed|clear)"
    r"|\b(?:passed|succeeded|no conflicts?|since|because|now that|checked out|as confirmed)\b",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"\bif\b|\bonly (?:when|once|after)\b|\bprovided\b|\bas long as\b|\bmake sure\b"
    r"|\bensure\b|\bin case\b|\bunless\b|\bon (?:its|that|this) ground\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[.!?;\n]+(?:\s|$)")
_LINK = re.compile(r"https?://[^\s\"'<>]+")
_ATTACHED = word_set("attachment file document link url path report")
_VAGUE = word_set("get check book make is id data info user")
_GOOD = word_set("available valid verified confirmed true yes ok passed eligible approved")
_SUFFIX = re.compile(r"(?:ations?|ates?|ings?|ments?|ions?|ed|es|e|s)$")
_IDENTIFIER = re.compile(r"(?=.*\d)[\w.:#/-]{4,}")
# A graph of more calls than this gets no order edges: the pairs would be too many.
_MOST_CALLS = 400
_MOST_VALUES = 2000


@lru_cache(maxsize=4096)
def verb(name: str) -> str:
    """Return the verb of a tool's name, or its first word."""
    words = key_words(name)
    for word in words[:3]:
        if word in _CHANGING or word in _READING or word in _CHECKING:
            return word
    return words[0] if words else ""


def is_changing(name: str) -> bool:
    """Tell whether a tool's name says that it changes something."""
    return verb(name) in _CHANGING


def order_edges(trajectory: Trajectory, known: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return (earlier, later) call indexes where order matters and no value says so.

    ``known`` are the pairs of data and computed edges. Pairs among them, pairs of one turn and
    pairs that a longer path already orders are left out.
    """
    calls = trajectory.calls
    if calls[-1].turn == 1 or len(calls) > _MOST_CALLS:
        return []
    kinds = [verb(call.name) for call in calls]
    if not any(kind in _CHANGING for kind in kinds):
        return []
    views = [_View(call, kind) for call, kind in zip(calls, kinds, strict=True)]
    linked = set(known)
    sources: dict[int, set[int]] = {}
    for before, after in known:
        sources.setdefault(after, set()).add(before)
    firsts = [n for n, view in enumerate(views) if view.writes or view.engages or view.checks]
    found = [
        (a, b)
        for b in range(firsts[0] + 1, len(calls))
        if views[b].reads or views[b].writes or views[b].sends
        for a in firsts
        if calls[a].turn < calls[b].turn
        and (a, b) not in linked
        and _must_follow(
            views[a], views[b], sources.get(a, set()), sources.get(b, set()), trajectory
        )
    ]
    return _without_detours(found, linked)


class _View:
    """What order depends on in one call, worked out when it is asked for."""

    __slots__ = (
        "_made", "_named", "_values", "call", "checks", "engages", "reads", "sends", "verb",
        "writes",
    )  # fmt: skip

    def __init__(self, call: RecordedCall, kind: str) -> None:
        self.call = call
        self.verb = kind
        self.writes = kind in _CHANGING
        self.engages = kind in _ENGAGING
        self.reads = kind in _READING
        self.sends = kind in _SENDING
        self.checks = kind in _CHECKING
        self._values: dict[str, str] | None = None
        self._named: tuple[str, set[str]] | None = None
        self._made: set[str] | None = None

    @property
    def values(self) -> dict[str, str]:
        """The call's argument scalars that can name an object, with their keys."""
        if self._values is None:
            self._values = {}
            for key, value in _scalars(self.call.arguments, ""):
                if strength(value) == STRONG or (
                    isinstance(value, str) and strength(value) != NEVER
                ):
                    text = normalise(value) if isinstance(value, str) else str(value)
                    self._values.setdefault(text, key)
        return self._values

    @property
    def named(self) -> tuple[str, set[str]]:
        """The thing that the tool's name is about, and the stems of all its words."""
        if self._named is None:
            words = key_words(self.call.name)
            stems = {_stem(word) for word in words}
            nouns = [word for word in words if word != self.verb]
            for mark in ("for", "by", "to", "from", "of", "in", "on", "with"):
                if mark in nouns[1:]:
                    nouns = nouns[: nouns.index(mark, 1)]
            while len(nouns) > 1 and nouns[-1] in _VIEWS:
                nouns.pop()
            self._named = (_stem(nouns[-1]) if nouns else "", stems)
        return self._named

    @property
    def made(self) -> set[str]:
        """Identifiers that the call's result holds and its arguments don't."""
        if self._made is None:
            given = self.values
            self._made = {
                value
                for _, value in _scalars(self.call.result, "")
                if isinstance(value, str)
                and len(value) < 64
                and _IDENTIFIER.fullmatch(value)
                and not _is_time(value)
                and normalise(value) not in given
            }
        return self._made


def _must_follow(
    a: _View, b: _View, sources_a: set[int], sources_b: set[int], trajectory: Trajectory
) -> bool:
    """Tell whether there is evidence that b is only right after a."""
    if (a.writes or a.engages) and b.reads:
        made = a.made
        if made and not made.isdisjoint(b.made):
            return True
        shared = _shared(a, b)
        if not shared:
            return False
        thing, _ = b.named
        same_thing = any(
            _stem(word) == thing for key in shared for word in key_words(key) if word != "id"
        )
        # What is made beside a thing, or put into another, shows in the thing's state, if at
        # all, unless the thing is one's own.
        beside = (
            a.verb in _MAKING or a.engages or _INTO.intersection(key_words(a.call.name)[1:2])
        ) and not _STATE.intersection(key_words(b.call.name))
        common = sources_a & sources_b
        if beside and same_thing:
            return a.engages and any(is_changing(trajectory.calls[n].name) for n in common)
        if thing in a.named[1]:
            return True
        # The object itself is read: get_cart after set_delivery_address of that cart.
        return same_thing and not beside and bool(common)
    if a.writes and b.sends and a.verb not in _MAKING:
        if not sources_a & sources_b:
            return False
        if b.verb in _TELLING:
            return _hands_over(a, b)
        return any(not set(key_words(key)) & _PEOPLE for key in _shared(a, b))
    if a.checks and b.writes and _came_out_well(a.call.result) and _shared(a, b):
        return _is_condition(a, b, trajectory)
    return False


def _hands_over(a: _View, b: _View) -> bool:
    """Tell whether a message hands over the thing that a changed: attached, or by a link."""
    for value, key in a.values.items():
        if not _IDENTIFIER.fullmatch(value) or set(key_words(key)) & _PEOPLE:
            continue
        for text, place in b.values.items():
            if value in text and (
                set(key_words(place)) & _ATTACHED
                or any(value in link for link in _LINK.findall(text))
            ):
                return True
    return False


def _is_condition(a: _View, b: _View, trajectory: Trajectory) -> bool:
    """Tell whether someone says that b hangs on what a found out."""
    told = [s for s in _SENTENCE.split(b.call.thought) if _CONDITION.search(s)]
    asked: list[str] = []
    for message in trajectory.users[: b.call.said]:
        asked.extend(s for s in _SENTENCE.split(message) if _ASKED.search(s))
    of_a = a.named[1] - _VAGUE
    of_b = b.named[1] - _VAGUE
    for sentences, needed in ((told, 1), (asked, 2)):
        for sentence in sentences:
            stems = {_stem(word.lower()) for word in WORD.findall(sentence)}
            if of_a & stems and (needed == 1 or of_b & stems):
                return True
    return False


def _shared(a: _View, b: _View) -> list[str]:
    """Return a's keys of the values that both calls were given."""
    return [key for value, key in a.values.items() if value in b.values]


def _came_out_well(result: Json) -> bool:
    for key, value in _scalars(result, ""):
        if value is True and key.casefold() not in ("error",):
            return True
        if isinstance(value, str) and value.casefold() in _GOOD:
            return True
    return False


def _is_time(text: str) -> bool:
    return (text[:4].isdecimal() and text[4:5] in "-/") or text.replace(":", "").isdecimal()


def _stem(word: str) -> str:
    stem = _SUFFIX.sub("", word)
    return stem if len(stem) >= 3 else word


def _scalars(value: Json, key: str) -> Iterator[tuple[str, Json]]:
    """Yield (key, scalar) of a value, the first few thousand."""
    stack: list[tuple[str, Json]] = [(key, value)]
    left = _MOST_VALUES
    while stack and left:
        key, value = stack.pop()
        if isinstance(value, dict):
            stack.extend(value.items())
        elif isinstance(value, list):
            stack.extend((key, item) for item in value)
        else:
            left -= 1
            yield key, value


def _without_detours(
    found: list[tuple[int, int]], known: set[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Leave out pairs that a longer path orders anyway."""
    if not found:
        return []
    before: dict[int, set[int]] = {}
    for a, b in [*known, *found]:
        before.setdefault(b, set()).add(a)
    kept = []
    for a, b in found:
        seen: set[int] = set()
        stack = [other for other in before[b] if other > a]
        while stack:
            node = stack.pop()
            if node not in seen:
                seen.add(node)
                stack.extend(other for other in before.get(node, ()) if other >= a)
        if a not in seen:
            kept.append((a, b))
    return kept
