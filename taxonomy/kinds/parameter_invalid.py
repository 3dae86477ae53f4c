"""A literal argument has the right type and an impossible content.

What it is
----------
The value's type is the declared one, and still no sane service could accept the value: a date
that no calendar has, an end before its start, a latitude of 123.4, an address without a
host, a negative count, an id without its prefix, a word beside the listed choices.

Why agents make it
------------------
Values are written letter by letter from memory: digits slip, parts of dates change places, a
separator or a prefix is dropped, a choice is paraphrased instead of copied.

How it is injected
------------------
Value rules are inferred from the schema, the parameter's name and description and the recorded
values (see `plan.rules`). A literal that satisfies its rule is changed, in its own
writing, into one that breaks it. No rule, no damage; no other rule is broken elsewhere.

How it is told apart
--------------------
The type holds, else it is Type_Error, and so is a choice of another type; the parameter keeps
its name, else it is Parameter_Error.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from plan.clean import CleanPlan
from plan.damage import Damage, Finding
from plan.json_text import Json, lookup, replaced, split_pointer
from plan.rules import Rule, broken, holds, infer, places
from plan.state import State
from plan.tool import Tool
from taxonomy.breakages import breakages, disorders
from taxonomy.examples import evening, order, trip
from taxonomy.intact import intact_tasks
from taxonomy.kind import PARAMETER, ErrorKind, Example
from taxonomy.parameter_examples import delivery, viewing
from taxonomy.places import declared_types, has_type, literal_at, with_values

NAME = "Parameter_Invalid"


def damages(
    state: State, clean: CleanPlan, *, only: Collection[str] | None = None
) -> Iterator[Damage]:
    """Yield every impossible value of each literal that a rule speaks of."""
    for task, call in intact_tasks(state, clean, only):
        tool = clean.tools.get(task.name)
        if tool is None:
            continue
        known = clean.laws.rules(task.name)
        orders = [rule for rule in known if rule.partner is not None]
        for rule in known:
            for pointer, recorded in places(rule, call.sent):
                if isinstance(recorded, bool) or not isinstance(recorded, (str, int, float)):
                    continue
                found, value = literal_at(task, call, pointer)
                if not found:
                    continue
                if rule.partner is None:
                    near = [one for one in orders if pointer in (one.pointer, one.partner)]
                    made = _impossible(rule, pointer, value, tool, near, call.sent)
                else:
                    given, start = literal_at(task, call, rule.partner)
                    if not given:
                        continue
                    others = [one for one in known if one is not rule]
                    made = _disordered(rule, start, value, others, call.sent)
                yield from with_values(task, pointer, value, made)


def _impossible(
    rule: Rule, pointer: str, value: Json, tool: Tool, near: Sequence[Rule], sent: Json
) -> Iterator[tuple[str, Json]]:
    """Yield (way, value) of what breaks a rule alone, the declared type being kept."""
    for way, new in breakages(rule, value):
        if type(new) is not type(value):
            kinds = declared_types(_schema_at(tool, pointer))
            if not has_type(kinds, new):
                continue
        if near and _breaks(near, replaced(sent, pointer, new)):
            continue
        yield way, new


def _disordered(
    rule: Rule, start: Json, end: Json, others: Sequence[Rule], sent: Json
) -> Iterator[tuple[str, Json]]:
    """Yield (way, end) of ends before their start that break no other rule."""
    if isinstance(start, bool) or not isinstance(start, (str, int, float)):
        return
    for way, new in disorders(rule.name, start, end):
        changed = replaced(sent, rule.pointer, new)
        if not holds(rule, changed) and not broken(others, changed):
            yield way, new


def _breaks(rules: Sequence[Rule], arguments: Json) -> bool:
    return any(not holds(rule, arguments) for rule in rules)


def _schema_at(tool: Tool, pointer: str) -> Mapping[str, Json]:
    schema: Json = {"properties": tool.properties}
    for token in split_pointer(pointer):
        inner = schema.get("properties")
        named = isinstance(inner, dict) and token in inner
        schema = inner[token] if named else schema.get("items")
        if not isinstance(schema, dict):
            return {}
    found: Mapping[str, Json] = schema
    return found


def detect(state: State) -> Iterator[Finding]:
    """Find values that break what the schema and the parameters' names say."""
    rules: dict[str, tuple[Rule, ...]] = {}
    for task in state.plan.pending():
        tool = state.tools.get(task.name)
        if tool is None:
            continue
        if task.name not in rules:
            rules[task.name] = infer(tool, ())
        for rule in broken(rules[task.name], task.arguments):
            value = lookup(task.arguments, rule.pointer)
            sure = 0.95 if rule.bound is not None else 0.85
            reason = f"{value!r} breaks the rule {rule.name!r}"
            yield Finding(NAME, task.id, f"/para{rule.pointer}", sure, reason)


KIND = ErrorKind(
    name=NAME,
    dimension=PARAMETER,
    doc=__doc__,
    damages=damages,
    detect=detect,
    examples=(
        Example("a month too many", trip(), 1, "2", "/para/date", "2026-05-14", "2026-17-14"),
        Example("a day too many", trip(), 2, "3", "/para/check_in", "2026-05-14", "2026-05-34"),
        Example("a negative count", trip(), 2, "3", "/para/nights", 3, -3),
        Example(
            "an address without a host",
            order(),
            1,
            "2",
            "/para/email",
            "ines.duarte@example.com",
            "ines.duarte@",
        ),
        Example("a time of no day", evening(), 2, "3", "/para/time", "18:30", "18:78", found=False),
        Example("a choice misspelt", delivery(), 1, "1", "/para/service", "next_day", "next-day"),
        Example(
            "an end before its start",
            delivery(),
            1,
            "1",
            "/para/window/end_date",
            "2026-06-12",
            "2026-06-06",
        ),
        Example(
            "letters changed places",
            delivery(),
            1,
            "1",
            "/para/parcel_id",
            "PCL-204417",
            "PLC-204417",
            found=False,
        ),
        Example("off the globe", viewing(), 1, "1", "/para/latitude", 48.2082, 482.082),
        Example("a code that no currency has", viewing(), 1, "1", "/para/currency", "EUR", "ERU"),
        Example(
            "an octet too large", viewing(), 1, "2", "/para/ip_address", "10.24.7.31", "10.24.7.287"
        ),
        Example(
            "a slash too few",
            viewing(),
            1,
            "2",
            "/para/url",
            "https://homes.example.com/offers/4471",
            "https:/homes.example.com/offers/4471",
        ),
    ),
)
