"""A pending call uses another listed tool, which does something similar but not what is needed.

What it is
----------
The name is listed and the call is legal, but the tool is not the one that the step needs: the
forecast is asked of the archive of past weather.

Why agents make it
------------------
Tools with similar names or descriptions are confused, above all where their parameters
agree.

How it is injected
------------------
The call keeps its id and its dependencies and gets another tool with a similar name or
description, and that tool's purpose. Parameters of the same name keep their values,
those of a similar name carry them over, other required ones are filled with values from the
plan or the schema. If that gives no legal call, or one that the plan needs elsewhere,
nothing is drawn.

How it is told apart
--------------------
A name outside the list is Tool_name_Error. In Toolcall_Redundancy the wrong call stands beside
the right one; here it stands in its place.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from plan.clean import CleanPlan
from plan.damage import Damage, Finding
from plan.json_text import equal
from plan.reference import has_reference, references
from plan.state import State
from plan.task import Task
from plan.tool import Tool, describe
from taxonomy.examples import evening, order, trip
from taxonomy.intact import has_clean_arguments, intact_tasks
from taxonomy.kind import TOOL, ErrorKind, Example
from taxonomy.legal_call import LegalCall, LegalCalls
from taxonomy.words import acts, are_alike, likeness, name_words, text_words

NAME = "Tool_select_Error"

LEAST_LIKENESS = 0.25
"""Half of the name's and half of the description's overlap; below it tools aren't confused."""


def damages(
    state: State, clean: CleanPlan, *, only: Collection[str] | None = None
) -> Iterator[Damage]:
    """Yield every legal call of a confusable tool in place of each pending call."""
    legal = LegalCalls(clean)
    for task, call in intact_tasks(state, clean, only):
        if not has_clean_arguments(task, call):
            continue
        right = clean.tools[task.name]
        for tool in clean.tools.values():
            if tool.name == task.name or not are_confusable(right, tool):
                continue
            made = legal.converted(call, tool)
            if made is None or not _is_convincing(task, made) or _is_needed(clean, tool, made):
                continue
            changed = task.changed(
                name=tool.name, arguments=made.arguments, description=describe(tool)
            )
            yield Damage(task.id, "/name", task.name, tool.name, _way(made), {task.id: changed})


def are_confusable(right: Tool, other: Tool) -> bool:
    """Tell whether one tool may be taken for another by its name and description.

    Who wants to know something doesn't order it instead, nor the other way round.
    """
    if acts(right.name) != acts(other.name):
        return False
    alike = likeness(right.name, right.description, other.name, other.description)
    return alike >= LEAST_LIKENESS


def _is_convincing(task: Task, made: LegalCall) -> bool:
    """Tell whether the other tool takes over most of the call, references included."""
    carried = made.same + made.alike
    if carried < max(made.filled, made.lost) or (carried == 0 and task.arguments):
        return False
    if any(has_reference(value) for value in task.arguments.values()):
        return any(has_reference(value) for value in made.arguments.values())
    return True


def _is_needed(clean: CleanPlan, tool: Tool, made: LegalCall) -> bool:
    return any(
        call.name == tool.name and equal(call.sent, made.sent) for call in clean.calls.values()
    )


def _way(made: LegalCall) -> str:
    if made.filled:
        return "filled"
    if made.alike:
        return "carried_over"
    return "given_up" if made.lost else "same_parameters"


def detect(state: State) -> Iterator[Finding]:
    """Guess at calls whose listed rival speaks more of what the user asked for.

    Weak evidence: only words of the query count, and only those that tell the two tools apart.
    """
    asked = text_words(state.query)
    called = {task.name for task in state.plan.calls()}
    for task in state.plan.calls():
        tool = state.tools.get(task.name)
        if tool is None:
            continue
        for rival in state.tools.values():
            if rival.name in called or not _takes(rival, task):
                continue
            if not are_confusable(tool, rival):
                continue
            mine, theirs = _words(tool), _words(rival)
            gain = len((theirs - mine) & asked) - len((mine - theirs) & asked)
            needed = {found.node for found in references(task.arguments)}
            idle = any(other in state.plan.tasks for other in set(task.depends_on) - needed)
            if gain > 0:
                sure = min(0.2 + 0.1 * gain + (0.1 if idle and needed else 0.0), 0.5)
                reason = f"{rival.name} speaks more of what was asked for"
                yield Finding(NAME, task.id, "/name", sure, reason)
                break


def _takes(rival: Tool, task: Task) -> bool:
    """Tell whether a tool would find its required parameters among a call's arguments."""
    return all(
        any(key == other or are_alike(key, other) for other in task.arguments)
        for key in rival.required
    )


def _words(tool: Tool) -> frozenset[str]:
    return name_words(tool.name) | text_words(tool.description)


KIND = ErrorKind(
    name=NAME,
    dimension=TOOL,
    doc=__doc__,
    damages=damages,
    detect=detect,
    examples=(
        Example(
            "the weather of the past for the forecast",
            trip(),
            2,
            "4",
            "/name",
            "get_weather_forecast",
            "get_weather_history",
            found=False,
        ),
        Example(
            "a hold for a booking; the hours are filled in",
            trip(),
            2,
            "5",
            "/name",
            "book_flight",
            "hold_flight",
            found=False,
        ),
        Example(
            "the way back for the way there; an argument is given up",
            order(),
            2,
            "4",
            "/name",
            "estimate_delivery",
            "estimate_return",
            found=False,
        ),
        Example(
            "bars for restaurants",
            evening(),
            1,
            "1",
            "/name",
            "find_restaurants",
            "find_bars",
        ),
    ),
)
