"""The plan holds a call that nobody needs.

What it is
----------
A call is there that has no part in the task: it repeats another one, or it is a legal call
whose result serves nothing. Only the response waits for it.

Why agents make it
------------------
When the plan is written again a task is copied twice, a finished call is started once more
to be sure, or a tool is called because it is there.

How it is injected
------------------
A pending call is added beside the clean ones, and the response waits for it: the repeat of a
pending or of a sent call that went well, a repeat with an optional argument left out,
added or changed, or a legal call of another listed tool with arguments taken from the plan.

How it is told apart
--------------------
Every clean call still stands; in Tool_select_Error the needless call stands in place of a
needed one. To call again what failed is a repair and is never drawn.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import count, islice

from plan.clean import Call, CleanPlan
from plan.damage import Damage, Finding
from plan.json_text import Json, dumps, equal
from plan.reference import has_reference, references
from plan.state import State
from plan.task import RESPONSE, Plan, Task
from plan.tool import describe
from taxonomy.examples import evening, order, trip
from taxonomy.intact import has_clean_arguments, is_intact
from taxonomy.kind import TOOL, ErrorKind, Example
from taxonomy.legal_call import LegalCalls
from taxonomy.literal import made_up
from taxonomy.structure import waiting
from taxonomy.words import name_words

NAME = "Toolcall_Redundancy"

_ASKING = frozenset(
    ("get", "find", "search", "list", "check", "lookup", "fetch", "retrieve", "view", "estimate")
)


def damages(
    state: State, clean: CleanPlan, *, only: Collection[str] | None = None
) -> Iterator[Damage]:
    """Yield every needless call.

    A new task changes none that is there but the response, so ``only`` restricts nothing.
    """
    plan = state.plan
    id = next(name for number in count(1) if (name := f"x{number}") not in plan.tasks)
    response = plan.tasks[RESPONSE]
    last = response.changed(depends_on=waiting([*response.depends_on, id]))
    wrong = _failed(state, clean)

    def added(
        name: str, arguments: Mapping[str, Json], depends_on: Collection[str], way: str
    ) -> Damage:
        new = Task(id, name, arguments, describe(clean.tools[name]), tuple(depends_on))
        return Damage(id, "", None, new.to_json(), way, {id: new, RESPONSE: last})

    sources = []
    for call in clean.calls.values():
        task = plan.tasks.get(call.id)
        if (
            task is not None
            and call.id not in wrong
            and is_intact(task, call)
            and has_clean_arguments(task, call)
        ):
            sources.append(call)
            way = "repeats_sent" if task.status else "repeats_pending"
            yield added(call.name, call.arguments, task.depends_on, way)

    legal = LegalCalls(clean)
    needed = {(call.name, dumps(call.sent)) for call in clean.calls.values()}
    for call in sources:
        for way, arguments in _variations(call, legal, needed):
            yield added(call.name, arguments, _needs(arguments, plan), way)
    seen = set(needed)
    for call in sources:
        for tool in clean.tools.values():
            if tool.name == call.name:
                continue
            made = legal.converted(call, tool)
            if made is None or (made.same + made.alike <= made.filled and tool.properties):
                continue
            key = (tool.name, dumps(made.sent))
            if key not in seen:
                seen.add(key)
                way = "other_tool_later" if _refers(made.arguments) else "other_tool"
                yield added(tool.name, made.arguments, _needs(made.arguments, plan), way)


def _failed(state: State, clean: CleanPlan) -> set[str]:
    """Return the calls that were sent and came back otherwise than recorded."""
    return {
        seen.id
        for round in state.history
        for seen in round.observations
        if seen.id in clean.calls
        and seen.results is not clean.calls[seen.id].result
        and not equal(seen.results, clean.calls[seen.id].result)
    }


def _variations(
    call: Call, legal: LegalCalls, needed: Collection[tuple[str, str]]
) -> Iterator[tuple[str, Mapping[str, Json]]]:
    """Yield (way, arguments) of repeats that differ in one optional argument."""
    tool = legal.clean.tools[call.name]
    for key, schema in tool.properties.items():
        if key in tool.required or not isinstance(schema, dict):
            continue
        if key not in call.arguments:
            values = [legal.filling(tool, key)]
            way = "option_added"
        elif has_reference(call.arguments[key]):
            values = []
            way = "option_changed"
        else:
            choices = schema.get("enum") or made_up(call.arguments[key])
            values = list(islice((v for v in choices if v != call.arguments[key]), 2))
            way = "option_changed"
        for value in values:
            if value is not None and _is_new(call, {**call.sent, key: value}, legal, needed):
                yield way, {**call.arguments, key: value}
        if key in call.arguments:
            fewer = {other: value for other, value in call.sent.items() if other != key}
            if _is_new(call, fewer, legal, needed):
                kept = {k: value for k, value in call.arguments.items() if k != key}
                yield "option_left_out", kept


def _is_new(
    call: Call,
    sent: Mapping[str, Json],
    legal: LegalCalls,
    needed: Collection[tuple[str, str]],
) -> bool:
    return (call.name, dumps(sent)) not in needed and legal.is_legal(call.name, sent)


def _needs(arguments: Mapping[str, Json], plan: Plan) -> list[str]:
    return waiting(found.node for found in references(arguments))


def _refers(arguments: Mapping[str, Json]) -> bool:
    return any(has_reference(value) for value in arguments.values())


def detect(state: State) -> Iterator[Finding]:
    """Find calls that equal another one; guess at questions whose answer nobody reads.

    Of two equal calls the one is named that is pending, read by nobody, and last.
    """
    calls = state.plan.calls()
    read = {found.node for task in calls for found in references(task.arguments)}
    groups: dict[tuple[str, str], list[Task]] = {}
    for task in calls:
        groups.setdefault((task.name, dumps(task.arguments)), []).append(task)
    for group in groups.values():
        rest = sorted(group, key=lambda task: (not task.status, task.id not in read))
        for task in rest[1:]:
            reason = f"is the same call as {rest[0].id}"
            yield Finding(NAME, task.id, "", 0.9, reason)
        task = rest[0]
        if len(group) == 1 and task.id not in read and read and not _acts(task):
            asks = any(task.name == other.name and task.id != other.id for other in calls)
            reason = "its result is used by nobody"
            yield Finding(NAME, task.id, "", 0.4 if asks else 0.2, reason)


def _acts(task: Task) -> bool:
    """Tell whether a call does something, so that it may be there for that alone."""
    return _ASKING.isdisjoint(name_words(task.name))


def _spelled(new: str, call: str, clean: CleanPlan) -> Json:
    return clean.calls[call].task().changed(id=new).to_json()


KIND = ErrorKind(
    name=NAME,
    dimension=TOOL,
    doc=__doc__,
    damages=damages,
    detect=detect,
    reach="plan",
    examples=(
        Example(
            "the flights are searched once more",
            trip(),
            2,
            "x1",
            "",
            None,
            _spelled("x1", "2", trip()),
        ),
        Example(
            "the table is reserved twice",
            evening(),
            2,
            "x1",
            "",
            None,
            _spelled("x1", "3", evening()),
        ),
        Example(
            "the same flights in another class",
            trip(),
            1,
            "x1",
            "",
            None,
            {
                "id": "x1",
                "name": "search_flights",
                "para": {
                    "origin": "Berlin",
                    "destination": "Lisbon",
                    "date": "2026-05-14",
                    "cabin": "economy",
                },
                "desc": "Search flights between two cities on a date.",
                "dep": ["root"],
                "status": False,
            },
        ),
        Example(
            "a day of refund that nobody asked for",
            order(),
            2,
            "x1",
            "",
            None,
            {
                "id": "x1",
                "name": "estimate_return",
                "para": {"sku": {"$ref": "1#/sku"}, "zip_code": {"$ref": "2#/zip"}},
                "desc": "Estimate the refund day of a product sent back from an address.",
                "dep": ["1", "2"],
                "status": False,
            },
        ),
    ),
)
