"""A call lacks a parameter that its tool requires.

What it is
----------
A required key is absent from the arguments. Nothing else has changed: no unknown key holds the
value, and the dependencies still lead to whatever it referred to.

Why agents make it
------------------
What the user never spelt out, what stands in an earlier result, or what seems obvious from
the tool's name is taken for granted and left out.

How it is injected
------------------
One required parameter is dropped from a pending call, be its value a literal or a reference.

How it is told apart
--------------------
Under another name the value would be a Parameter_Error; a required parameter that is there
as null is a Type_Error; an optional one may be left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from plan.clean import CleanPlan
from plan.damage import Damage, Finding
from plan.json_text import Json, escape, type_name
from plan.reference import has_reference, is_expression, target
from plan.state import State
from plan.task import argument_path
from taxonomy.examples import evening, order, trip
from taxonomy.intact import intact_tasks
from taxonomy.kind import PARAMETER, ErrorKind, Example
from taxonomy.places import changed_task, kept

NAME = "Parameter_Missing"


def damages(
    state: State, clean: CleanPlan, *, only: Collection[str] | None = None
) -> Iterator[Damage]:
    """Yield the loss of each required parameter of each pending call."""
    for task, call in intact_tasks(state, clean, only):
        tool = clean.tools.get(task.name)
        if tool is None:
            continue
        for key in tool.required:
            if key in call.arguments and kept(task, call, key):
                value = call.arguments[key]
                left = {name: item for name, item in task.arguments.items() if name != key}
                changes = {task.id: changed_task(task, left)}
                yield Damage(task.id, f"/para/{escape(key)}", value, None, _way(value), changes)


def _way(value: Json) -> str:
    """Return what sort of value is lost."""
    if target(value) is not None:
        return "reference"
    if is_expression(value):
        return "expression"
    if has_reference(value):
        return "mixed"
    name = type_name(value)
    return "number" if name == "integer" else name


def detect(state: State) -> Iterator[Finding]:
    """Find required parameters that are absent; less surely where unknown ones are there."""
    for task in state.plan.pending():
        tool = state.tools.get(task.name)
        if tool is None:
            continue
        lost = [key for key in tool.required if key not in task.arguments]
        if not lost:
            continue
        unknown = sum(key not in tool.properties for key in task.arguments)
        if unknown >= len(lost):
            continue
        for key in lost:
            reason = f"the required parameter {key!r} is absent"
            sure = 0.5 if unknown else 0.95
            yield Finding(NAME, task.id, argument_path(key), sure, reason)


KIND = ErrorKind(
    name=NAME,
    dimension=PARAMETER,
    doc=__doc__,
    damages=damages,
    detect=detect,
    examples=(
        Example("a literal text", trip(), 1, "2", "/para/origin", "Berlin", None),
        Example("a literal number", trip(), 2, "3", "/para/nights", 3, None),
        Example("a reference", order(), 4, "6", "/para/order_id", {"$ref": "5#/order_id"}, None),
        Example(
            "a text with results in it",
            evening(),
            3,
            "5",
            "/para/text",
            {"$concat": ["Table ", {"$ref": "3#/reservation"}, ", film ", {"$ref": "4#/order"}]},
            None,
        ),
    ),
)
