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
from itertools import chain, count, islice

from plan.clean import Call, CleanPlan
from plan.damage import Damage, Finding
from plan.json_text import Json, dump_bytes, dumps, equal
from plan.reference import has_reference, references
from plan.state import State
from plan.task import RESPONSE, Task
from plan.tool import describe
from taxonomy.examples import evening, order, trip
from taxonomy.intact import has_clean_arguments, is_intact
from taxonomy.kind import TOOL, ErrorKind, Example
from taxonomy.legal_call import LegalCalls
from taxonomy.literal import made_up
from taxonomy.structure import waiting
from taxonomy.words import acts, subjects, text_words

NAME = "Toolcall_Redundancy"

_Way = tuple[str, str, Mapping[str, Json], Mapping[str, Json]]
"""Way, tool, arguments, and arguments with references resolved."""


def damages(
    state: State, clean: CleanPlan, *, only: Collection[str] | None = None
) -> Iterator[Damage]:
    """Yield every needless call.

    A new task changes none that is there but the response, so ``only`` names the calls, sent
    ones included, that it may be modelled on.
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
    read = {other for one in plan.calls() for other in one.depends_on}
    seen: set[tuple[str, bytes]] = set()
    for call in clean.calls.values():
        task = plan.tasks.get(call.id)
        if (
            task is None
            or (only is not None and call.id not in only)
            or call.id in wrong
            or not is_intact(task, call)
            or not has_clean_arguments(task, call)
        ):
            continue
        sources.append(call)
        key = clean.recorded[call.id]
        # Of two equal pending calls that nothing reads, neither is the needless one.
        if key not in seen and (task.status or call.id in read):
            seen.add(key)
            way = "repeats_sent" if task.status else "repeats_pending"
            yield added(call.name, call.arguments, task.depends_on, way)
            if task.status:
                after = waiting([*task.depends_on, call.id])
                yield added(call.name, call.arguments, after, "repeats_afterwards")

    legal = LegalCalls(clean)
    seen = set(clean.recorded.values())
    for call in sources:
        for way, name, arguments, sent in chain(
            _variations(call, legal), _other_tools(call, legal)
        ):
            key = (name, dump_bytes(sent))
            if key not in seen:
                seen.add(key)
                yield added(name, arguments, _needs(arguments), way)


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


def _variations(call: Call, legal: LegalCalls) -> Iterator[_Way]:
    """Yield the repeats of a call that differ in one optional argument."""
    tool = legal.clean.tools[call.name]
    for key, schema in tool.properties.items():
        if key in tool.required or not isinstance(schema, dict):
            continue
        if key not in call.arguments:
            value = legal.filling(tool, key)
            values = [] if value is None else [value]
            way = "option_added"
        elif has_reference(call.arguments[key]):
            values = []
            way = "option_changed"
        else:
            choices = schema.get("enum") or made_up(call.arguments[key])
            values = list(islice((v for v in choices if v != call.arguments[key]), 2))
            way = "option_changed"
        for value in values:
            sent = {**call.sent, key: value}
            if legal.is_legal(call.name, sent):
                yield way, call.name, {**call.arguments, key: value}, sent
        if key in call.arguments:
            sent = _without(call.sent, key)
            if legal.is_legal(call.name, sent):
                yield "option_left_out", call.name, _without(call.arguments, key), sent


def _other_tools(call: Call, legal: LegalCalls) -> Iterator[_Way]:
    """Yield the calls of other tools that take most of their arguments from a call.

    Only questions: what changes something does harm, it isn't just needless.
    """
    for tool in legal.clean.tools.values():
        if tool.name == call.name or acts(tool.name):
            continue
        made = legal.converted(call, tool)
        if made is None or (made.same + made.alike <= made.filled and tool.properties):
            continue
        later = any(has_reference(value) for value in made.arguments.values())
        yield "other_tool_later" if later else "other_tool", tool.name, made.arguments, made.sent


def _without(arguments: Mapping[str, Json], key: str) -> dict[str, Json]:
    return {other: value for other, value in arguments.items() if other != key}


def _needs(arguments: Mapping[str, Json]) -> list[str]:
    return waiting(found.node for found in references(arguments))


def detect(state: State) -> Iterator[Finding]:
    """Find calls that equal another one, or ask what another one asks; guess at idle ones.

    Of two such calls the one is named that is pending, read by nobody, and last.
    """
    calls = state.plan.calls()
    read = {found.node for task in calls for found in references(task.arguments)}
    groups: dict[tuple[str, str], list[Task]] = {}
    asked = text_words(state.query)
    for task in calls:
        tool = state.tools.get(task.name)
        given = task.arguments
        if tool is not None and tool.required:
            given = {key: given[key] for key in tool.required if key in given}
        groups.setdefault((task.name, dumps(given)), []).append(task)
    for group in groups.values():
        first, *others = sorted(group, key=lambda task: (not task.status, task.id not in read))
        for task in others:
            same = equal(task.arguments, first.arguments)
            reason = f"asks the same as {first.id}" + ("" if same else " with another option")
            yield Finding(NAME, task.id, "", 0.9 if same else 0.6, reason)
        idle = not others and first.id not in read and bool(read)
        if idle and not acts(first.name) and asked.isdisjoint(subjects(first.name)):
            yield Finding(NAME, first.id, "", 0.3, "nobody uses its result or asked for it")


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
