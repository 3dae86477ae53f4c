"""Items that are decided by the thought: S1 and D1 to D5.

They hold what the thought says against the row's labels and the plans at hand. An empty
thought gets 0 on each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from scoring.answer import RESPONSE, ROOT, Answer, Task
from scoring.case import Case
from scoring.claims import Claims
from scoring.json_text import Json, dumps, loads_lenient, split_pointer
from scoring.plan_items import Reading, level
from scoring.reference import renamed
from scoring.thought import (
    ADD,
    AGAIN,
    FIX,
    KEEP,
    REMOVE,
    Sentence,
    blames,
    breaks_down,
    codes,
    faults,
    identifiers,
    joined,
    negates_impact,
    numbers,
    quotations,
    unquoted,
)

THOUGHT_KEYS = ("s1", "d1", "d2", "d3", "d4", "d5")

_GOES_ON = re.compile(
    r"\b(?:can|may) (?:\w+ )?(?:proceed|continue|go|run)\b|unaffected|as planned|\bsafe\b|"
    r"unharmed|spared",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:no|not|neither|nor|never)\b|n't\b", re.IGNORECASE)

BREATH = 3
"""So many sentences after one that finds an error may tell its cause."""

MANY = 3
"""So many tasks that no error touches, if they are most of those named, make no finding."""

ENOUGH_OF_IMPACT = 0.75
"""Share of the affected tasks that D4 asks for; longer lists are rarely given in full."""


def thought_scores(case: Case, answer: Answer, reading: Reading | None) -> dict[str, float]:
    """Return S1 and D1 to D5."""
    if not answer.thought.strip():
        return dict.fromkeys(THOUGHT_KEYS, 0.0)
    claims = Claims(case, answer)
    located = locations(claims)
    return {
        "s1": _consistency(claims, reading) if reading else 0.0,
        "d1": _plan_evidence(claims),
        "d2": _tool_evidence(claims),
        "d3": _root_cause(claims, located),
        "d4": _impact(claims, located),
        "d5": _sufficiency(claims, located),
    }


def _consistency(claims: Claims, reading: Reading) -> float:
    """Score S1: every change of the plan is told, and every deed that is told is done."""
    changes = _changes(claims.case, reading)
    told = {node for sentence in claims.sentences for node in sentence.nodes}
    tools = {tool for sentence in claims.sentences for tool in sentence.tools}
    untold = [
        node
        for node, change in changes.items()
        if node not in told
        and change.stands_for not in told
        and (change.deed == FIX or change.tool not in tools)
    ]
    # A sentence also names what is merely beside its object: it is false if all of it is.
    false = {
        (deed, sentence.ids)
        for sentence in claims.sentences
        for deed in sentence.deeds
        if sentence.ids
        and not (deed == FIX and RESPONSE in sentence.text.casefold())
        and all(_is_false(claims, reading, changes, deed, node) for node in sentence.ids)
    }
    return level(len(untold) + len(false), len(changes) + len(false))


@dataclass(frozen=True, slots=True)
class _Change:
    """What an answer does to a task: the deed, the tool, and the task that it stands for."""

    deed: str
    tool: str
    stands_for: str | None


def _changes(case: Case, reading: Reading) -> dict[str, _Change]:
    """Return by task what differs from doing nothing.

    That a task now waits for, or refers to, a new task that stands for the one of before
    is part of adding that one.
    """
    alignment = reading.alignment
    before = reading.before.alignment
    found: dict[str, _Change] = {}
    names = {**alignment.meaning, **alignment.origin}
    for id, task in alignment.pending.items():
        origin = alignment.origin.get(id)
        if origin is None:
            found[id] = _Change(ADD, task.name, alignment.meaning.get(id))
        elif origin in case.sent:
            found[id] = _Change(AGAIN, task.name, origin)
        elif _differs(
            task,
            case.advanced[origin],
            names,
            same=id in alignment.exact
            and origin in before.exact
            and alignment.meaning.get(id) == before.meaning.get(origin),
        ):
            found[id] = _Change(FIX, task.name, origin)
    kept = set(alignment.origin.values())
    for id, task in case.advanced.items():
        if id in (ROOT, RESPONSE):
            continue
        if (not task.status and id not in kept) or (task.status and id not in reading.plan):
            found[id] = _Change(REMOVE, task.name, id)
    return found


def _differs(task: Task, was: Task, names: Mapping[str, str], same: bool) -> bool:
    """Tell whether a task calls something else, or waits for other pending tasks.

    What makes the ``same`` call is none else, however its values are spelled.
    """
    waits = {names.get(other, other) for other in task.depends_on}
    return (
        task.name != was.name
        or (not same and dumps(renamed(task.arguments, names)) != dumps(was.arguments))
        or not {*waits ^ set(was.depends_on)}.isdisjoint(names.values())
    )


def _is_false(
    claims: Claims, reading: Reading, changes: Mapping[str, _Change], deed: str, node: str
) -> bool:
    """Tell whether a deed is told of a task and the plan shows no trace of it."""
    alignment = reading.alignment
    tools = claims.names.nodes.get(node, frozenset())
    touched = node in changes or any(
        change.stands_for == node or change.tool in tools for change in changes.values()
    )
    if deed == REMOVE:
        return node in alignment.origin.values() and not touched
    if deed == ADD:
        return node not in alignment.pending and not touched
    if deed == AGAIN:
        return all(task.name not in tools for task in alignment.pending.values())
    if deed == KEEP:
        return node in changes and changes[node].deed in (FIX, REMOVE)
    return node in claims.case.plan and not touched and not _is_rewired(reading, node)


def _is_rewired(reading: Reading, node: str) -> bool:
    """Tell whether anything about a task is spelled otherwise than before."""
    task, was = reading.plan.get(node), reading.case.advanced.get(node)
    return task is not None and (
        was is None
        or task.name != was.name
        or set(task.depends_on) != set(was.depends_on)
        or dumps(task.arguments) != dumps(was.arguments)
        or any(
            node in other.depends_on and not _depended(reading.case, id, node)
            for id, other in reading.plan.items()
        )
    )


def _depended(case: Case, id: str, node: str) -> bool:
    return id in case.advanced and node in case.advanced[id].depends_on


def _plan_evidence(claims: Claims) -> float:
    """Score D1: what is said of the plan before is true, and is about the matter."""
    true: set[tuple[str, ...]] = set()
    false: set[tuple[str, ...]] = set()
    cited: set[str] = set()
    for sentence in claims.sentences:
        cited.update(sentence.nodes)
        if _RESPONSE_WAITS.search(sentence.text):
            cited.add(RESPONSE)
        for id, tool in sentence.pairs:
            if id in claims.names.nodes:
                (true if tool in claims.names.nodes[id] else false).add((id, tool))
        for node, other, denied in sentence.waits:
            if node in claims.names.nodes and other in claims.names.nodes:
                holds = (
                    not claims.always_waits(node, other) if denied else claims.waits(node, other)
                )
                (true if holds else false).add((node, other))
    before = cited & claims.case.plan.keys()
    if before == {RESPONSE}:
        before = set()
    relevant = {node for error in claims.injected for node in _neighbourhood(claims, error)}
    if not claims.injected:
        relevant = {seen["id"] for seen in claims.case.observations}
    if not before or len(false) > len(true):
        return 0.0
    return 1.0 if before & relevant and not false else 0.5


_RESPONSE_WAITS = re.compile(r"\bresponse\b.{0,300}\b(?:waits?|depends?|dep)\b")


def _neighbourhood(claims: Claims, error: Mapping[str, Json]) -> set[str]:
    """Return the tasks of the plan before at which an error can be seen."""
    node = error["node"]
    if node in claims.case.plan:
        return {node}
    # A call that isn't there shows at what would have used it, or at what stands before it.
    call = claims.case.clean.get(node)
    users = {id for id, other in claims.case.clean.items() if node in other.depends_on}
    users = users or {RESPONSE}
    return set(error["affected"]) | users | set(call.depends_on if call else ())


def _tool_evidence(claims: Claims) -> float:
    """Score D2: results are read as what they are.

    Judged are the calls of round t that say themselves that they failed, and everything
    that the thought says of any call's result.
    """
    case = claims.case
    loud = claims.loud
    faulty = loud | {error["node"] for error in claims.injected if error["pointer"] == "/results"}
    now = {seen["id"] for seen in case.observations}
    true: set[str] = set()
    false: set[str] = set()
    for sentence in claims.clauses:
        cited = set(sentence.nodes) & case.sent
        if not sentence.nodes and not sentence.fails and _ALL.search(sentence.text):
            cited = now
        if not cited or (sentence.deeds and not sentence.fails and not sentence.succeeds):
            continue
        if sentence.fails and (len(cited) == 1 or not sentence.succeeds):
            # Where several are named together, one of them is what failed; and what is said
            # to be wrong, missing or needless may be so although its call came back well.
            true |= cited & faulty
            if breaks_down(sentence) and not cited & faulty and not _is_about_waiting(sentence):
                false |= cited
        elif sentence.succeeds and not sentence.fails:
            true |= cited - loud
            false |= cited & loud
        elif sentence.succeeds or _quotes_result(claims, sentence, cited):
            true |= cited
    true -= false
    missed = (loud & now) - true
    if not true or len(false) > len(true):
        return 0.0
    return level(len(missed | false), len((loud & now) | false | true))


_ALL = re.compile(
    r"\b(?:all|every|each|both)\b.{0,30}\b(?:calls?|results?|nodes?|tasks?|observations?|tools?)\b|"
    r"\b(?:calls?|results?|nodes?|tasks?)\b.{0,30}\ball\b|"
    r"\b(?:nothing|no (?:call|node|task)|none of them) (?:\w+ )?failed",
    re.IGNORECASE,
)


def _is_about_waiting(sentence: Sentence) -> bool:
    return _ORDER.search(sentence.text) is not None


def _quotes_result(claims: Claims, sentence: Sentence, cited: set[str]) -> bool:
    results = joined([dumps(seen.result) for seen in claims.case.log if seen.node in cited])
    pieces = [*quotations(sentence.text), *numbers(sentence.text), *codes(sentence.text)]
    if _CAME.search(sentence.text):
        pieces.extend(identifiers(sentence.text))
    return any(" ".join(piece.split()).casefold() in results for piece in pieces)


_CAME = re.compile(r"\b(?:results?|outputs?|returns?|returned|came back|gave)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Location:
    """How far a thought gets with one injected error: is it found, and is its cause told?"""

    error: Mapping[str, Json]
    found: bool
    explained: bool


def locations(claims: Claims) -> list[Location]:
    """Return how far the thought gets with each injected error."""
    return [_location(claims, error) for error in claims.injected]


def _location(claims: Claims, error: Mapping[str, Json]) -> Location:
    places = {error["node"]}
    tools = set()
    if error["node"] not in claims.case.plan:
        places |= _neighbourhood(claims, error)
        tools = {str(_name_of(error["before"]))}
    found = explained = False
    spoken = claims.sentences
    for at, sentence in enumerate(spoken):
        finds = sentence.diagnoses or _contrasts(claims, error, sentence)
        if not finds and (sentence.deeds or not sentence.reasons):
            continue
        named = sentence
        if sentence.fails and not sentence.nodes and at + 1 < len(spoken):
            # "One of them is wrong, though. Node 9 …"
            named = spoken[at + 1]
        if not places & set(named.nodes) and not tools & set(named.tools):
            continue
        if _names_anyone(claims, named):
            continue
        found = found or finds
        near = sentence.text
        # The cause may be told in the next breath, if that speaks of nobody else.
        for ahead, follows in enumerate(spoken[at + 1 : at + 1 + BREATH]):
            if not set(follows.nodes) & claims.case.plan.keys() <= set(named.nodes):
                break
            if ahead and follows.deeds:
                break
            near = f"{near} {follows.text}"
        explained = explained or _explains(claims, error, near)
    return Location(error, found, found and explained)


def _names_anyone(claims: Claims, sentence: Sentence) -> bool:
    """Tell whether most of the many tasks that a sentence names have nothing to do with an error.

    Who lists every task of the plan points at none.
    """
    nodes = set(sentence.nodes) & claims.case.plan.keys()
    own = {node for error in claims.injected for node in _neighbourhood(claims, error)}
    for error in claims.injected:
        if error["pointer"] == "/dep":
            own |= _changed_waits(error)
        # What an argument should have been made of belongs to its error too.
        call = claims.case.clean.get(error["node"])
        own |= set(call.depends_on) if call else set()
    sound = nodes - own - claims.wrong
    return len(sound) >= MANY and 2 * len(sound) > len(nodes)


def _contrasts(claims: Claims, error: Mapping[str, Json], sentence: Sentence) -> bool:
    """Tell whether a sentence holds what is wrong with a task against what is right.

    "56 passes `Time`, but the schema knows `time`" says so without any word for wrong.
    """
    names = {_shown(error["before"]), _shown(error["after"])}
    if sentence.deeds:
        return False
    if error["pointer"] == "/name" and names <= set(sentence.tools):
        return True
    place = error["pointer"].split("/")[1:2]
    return (
        place in (["para"], ["dep"], ["name"])
        and _CONTRAST.search(sentence.text) is not None
        and _explains(claims, error, sentence.text)
    )


_CONTRAST = re.compile(
    r"\b(?:but|yet|only|not|without|although|though|instead|should|must|requires?|expect\w*)\b|n't\b",
    re.IGNORECASE,
)


def _name_of(task: str) -> Json:
    value = loads_lenient(task)
    return value.get("name", "") if isinstance(value, dict) else ""


_CAUSES: Mapping[str, re.Pattern[str]] = {
    kind: re.compile(pattern, re.IGNORECASE)
    for kind, pattern in {
        "Null_Error": r"empty|nothing|no (?:data|result|content|entr|record|value|answer)|"
        r"blank|null",
        "Timeout_Error": r"time[ds]?[ -]?out|timing out|too long|deadline|"
        r"did(?:n't| not) answer in",
        "Toolcall_Missing": r"missing|never|left out|omit|absent|lacks?\b|lost|skipp|forgot|"
        r"overlook|not (?:in|part of) the plan|no (?:node|task|call)|nobody|dropped|gone|has no",
        "Toolcall_Redundancy": r"redundan|needless|unnecessar|superfluous|duplicat|not needed|"
        r"no (?:use|purpose|need)|serves? nothing|adds? nothing|nobody|second time|already|"
        r"repeats?|unused|pointless|(?:nothing|no node) (?:uses|needs|reads|takes)|"
        r"without need|not ask|surplus",
        "Tool_name_Error": r"not (?:in|on) (?:the|our)|unlisted|no such|unknown|not listed|"
        r"n't exist|not exist|n't (?:in|on|among|part of)|undefined|misspel|typo|"
        r"wrong name|no tool|isn't a tool|is no tool",
        "Tool_select_Error": r"wrong tool|another tool|different tool|other tool|instead|rather|"
        r"confus|not the tool|wrong one|should (?:be|have|use|call)|unsuitable|unfit",
        "Type_Error": r"\b(?:wrong|invalid|another|different) type|"
        r"(?:instead of|rather than|not|as|in) an? (?:\w+ )?"
        r"(?:string|text|array|list|integer|number|float|boolean|object)\b",
    }.items()
}
_ORDER = re.compile(
    r"depend|wait|parallel|serial|same (?:round|time)|in sequence|wrong order|order of|"
    r"prerequisite|(?:runs?|ran|comes?|came|sent|start(?:s|ed)?|planned|scheduled|executed) "
    r"(?:\w+ )?(?:before|after)|"
    r"at once|simultan|concurren|too early|needless|independent|upstream|behind|queue|"
    r"side by side|\bedges?\b|\bdeps?\b|chain",
    re.IGNORECASE,
)


def _explains(claims: Claims, error: Mapping[str, Json], text: str) -> bool:
    """Tell whether a text tells what is wrong at an error's place."""
    pattern = _CAUSES.get(error["kind"])
    if pattern is not None and pattern.search(text):
        return True
    if error["pointer"] == "/dep":
        # A message that is only quoted is the symptom.
        text = unquoted(text)
        others = _changed_waits(error)
        spoken = {node for node in others if re.search(rf"\b{re.escape(node)}\b", text)}
        named = {
            node
            for node in others
            if any(
                re.search(rf"\b{re.escape(name)}\b", text)
                for name in claims.names.nodes.get(node, ())
            )
        }
        return _ORDER.search(text) is not None and bool(spoken | named or not others - {ROOT})
    values = [_shown(error[side]) for side in ("before", "after")]
    if error["pointer"] == "/name":
        return bool(values[0]) and values[0].casefold() in text.casefold()
    if error["pointer"].startswith("/para/"):
        parameter = split_pointer(error["pointer"])[1]
        folded = text.casefold()
        return re.search(rf"\b{re.escape(parameter)}\b", text) is not None or any(
            len(value) > 1 and value.casefold() in folded for value in values
        )
    return False


def _changed_waits(error: Mapping[str, Json]) -> set[str]:
    before, after = (set(loads_lenient(error[side]) or ()) for side in ("before", "after"))
    return {node for node in before ^ after if isinstance(node, str)} - {ROOT}


def _shown(text: str) -> str:
    value = loads_lenient(text)
    return value if isinstance(value, str) else "" if value is None else text


def _root_cause(claims: Claims, located: Sequence[Location]) -> float:
    """Score D3: every injected error is found and explained, and nobody else is blamed."""
    alleged = [sentence for sentence in claims.sentences if sentence.diagnoses and sentence.nodes]
    if not located:
        return 0.0 if alleged else 1.0
    own = {node for error in claims.injected for node in _neighbourhood(claims, error)}
    tools = {_name_of(error["before"]) for error in claims.injected if error["pointer"] == ""}
    sound = claims.case.plan.keys() - own - claims.wrong - _below(claims, own | claims.wrong)
    blamed = [
        sentence
        for sentence in alleged
        if blames(sentence) and not own & set(sentence.nodes) and not tools & set(sentence.tools)
    ]
    blamed += [
        clause
        for clause in claims.clauses
        if clause.diagnoses
        and faults(clause)
        and {*clause.nodes} & sound
        and not {*clause.nodes} & claims.case.plan.keys() - sound
        and not tools & set(clause.tools)
        and clause not in blamed
    ]
    if all(one.found and one.explained for one in located) and not blamed:
        return 1.0
    seen = [one for one in located if one.found]
    symptom = any(set(sentence.nodes) & claims.wrong for sentence in alleged)
    return 0.5 if (seen or symptom) and len(blamed) <= len(seen) else 0.0


def _impact(claims: Claims, located: Sequence[Location]) -> float:
    """Score D4: the tasks downstream that an error reaches are named, and no others."""
    affected = claims.affected
    origins = {error["node"] for error in claims.injected}
    alleged: set[str] = set()
    for sentence in claims.sentences:
        if (
            sentence.spreads
            and not negates_impact(sentence.text)
            and (not _GOES_ON.search(sentence.text) or _NOT.search(sentence.text))
        ):
            alleged.update(sentence.nodes)
        elif sentence.fails and sentence.reasons and not sentence.deeds:
            # "Node 7 failed because node 3 had brought nothing."
            nodes = set(sentence.nodes)
            alleged.update(node for node in affected & nodes if origins & nodes - {node})
    roots = {node for error in claims.injected for node in _neighbourhood(claims, error)}
    roots |= origins
    false = alleged & claims.case.plan.keys() - affected - roots - _below(claims, roots | affected)
    hit = alleged & affected
    if not affected:
        aware = any(one.found for one in located) or negates_impact(claims.answer.thought)
        aware = aware or not claims.injected
        return level(len(false), len(alleged)) if aware else 0.0
    if not hit or len(false) > len(hit):
        return 0.0
    return 1.0 if len(hit) >= ENOUGH_OF_IMPACT * len(affected) and not false else 0.5


def _below(claims: Claims, nodes: set[str]) -> set[str]:
    """Return the tasks that wait, directly or not, for any of some tasks."""
    return {
        id for id in claims.case.plan if any(claims.waits(id, node) for node in nodes if node != id)
    }


def _sufficiency(claims: Claims, located: Sequence[Location]) -> float:
    """Score D5: what is claimed rests on something that can be read, nothing is invented."""
    evidence: set[str] = set()
    invented: set[str] = set()
    for sentence in claims.sentences:
        invented.update(sentence.unknown)
        for piece in _pieces(sentence):
            folded = " ".join(piece.split()).casefold()
            (evidence if folded in claims.said else invented).add(folded)
        for node, other, denied in sentence.waits:
            if not denied and claims.waits(node, other):
                evidence.add(f"{node} {other}")
        if set(sentence.nodes) & claims.wrong and breaks_down(sentence):
            evidence.update(sentence.nodes)
    wanted = len(claims.injected) or 1
    if not evidence or len(invented) > len(evidence):
        return 0.0
    founded = any(one.found for one in located) if located else True
    # To infer too much, from evidence that is there, is a fault as well.
    rash = any(
        sentence.diagnoses and (_names_anyone(claims, sentence) if located else sentence.nodes)
        for sentence in claims.sentences
    )
    return 1.0 if founded and not rash and not invented and len(evidence) >= wanted else 0.5


def _pieces(sentence: Sentence) -> Iterator[str]:
    yield from quotations(sentence.text)
    yield from numbers(sentence.text)
    yield from identifiers(sentence.text)
    yield from codes(sentence.text)
