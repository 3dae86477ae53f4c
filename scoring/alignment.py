"""Which clean call each pending task of a plan stands for: by meaning, not by id.

A plan that calls its tasks by other ids, lists them in another order, writes values for
references or the other way round, or calls a failed task again in place where another plan
adds a new one, aligns alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher

from scoring.answer import RESPONSE, ROOT, Plan, Task
from scoring.case import Case, call_key
from scoring.graph import ancestors, layers
from scoring.json_text import Json, dumps
from scoring.reference import nodes_in, renamed
from scoring.simulation import resolved

SIMILAR_NAMES = 0.8
ENOUGH = 0.5
"""Below these a task stands for no clean call."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """How the pending tasks of a plan stand to the clean plan.

    Attributes:
        pending: the tasks that are still to be sent, without the response.
        meaning: by task id, the clean call that it stands for; tasks for which there is
            none, and further tasks for the same call, are missing.
        exact: tasks whose tool and arguments are the clean call's, the calls that they
            refer to being exact too.
        repeats: by task id, the clean call that it makes although it is right already or
            another task makes it.
        before: by id, every pending task (not the sent ones) that it waits for; for the
            response too.
        origin: by id, the task of the plan before that it is, by id or by content.
    """

    pending: Mapping[str, Task]
    meaning: Mapping[str, str]
    exact: frozenset[str]
    repeats: Mapping[str, str]
    before: Mapping[str, frozenset[str]]
    origin: Mapping[str, str]

    @property
    def nodes(self) -> dict[str, str]:
        """The task that stands for each clean call."""
        return {call: task for task, call in self.meaning.items()}


def align(case: Case, plan: Plan) -> Alignment:
    """Align a plan with a row's clean plan."""
    pending = {
        id: task for id, task in plan.items() if not task.status and id not in (ROOT, RESPONSE)
    }
    waits = {
        id: [other for other in plan[id].depends_on if other in pending]
        for id in [*pending, RESPONSE]
        if id in plan
    }
    origin = _origins(case, pending)
    order = layers({id: _needs(task, pending) for id, task in pending.items()}) or layers(waits)
    assert order is not None  # a plan that was read has no cycle
    turns = sorted(pending, key=lambda id: (order[id], id not in origin))
    meaning, exact, repeats = _exact(case, pending, turns, origin)
    _near(case, pending, meaning, exact, repeats, origin)
    return Alignment(pending, meaning, frozenset(exact), repeats, ancestors(waits), origin)


def _needs(task: Task, pending: Mapping[str, Task]) -> set[str]:
    """Return the pending tasks whose results a task waits for or refers to."""
    return {
        other
        for other in (*task.depends_on, *nodes_in(task.arguments))
        if other in pending and other != task.id
    }


def _origins(case: Case, pending: Mapping[str, Task]) -> dict[str, str]:
    """Return which task of the plan before each pending task is.

    The one of its id, where it wasn't sent or is called again; else one with the same tool
    and arguments that the new plan has under no id.
    """
    origin = {id: id for id in pending if id in case.plan}
    left: dict[str, list[str]] = {}
    for id, task in case.advanced.items():
        if not task.status and id not in pending and id not in (ROOT, RESPONSE):
            left.setdefault(call_key(task.name, task.arguments), []).append(id)
    # References to renamed tasks are only alike once those are known: until nothing new is.
    fresh = [id for id in pending if id not in origin]
    found = bool(left)
    while found:
        found = False
        for id in fresh:
            if id in origin:
                continue
            task = pending[id]
            key = call_key(task.name, renamed(task.arguments, origin))
            if left.get(key):
                origin[id] = left[key].pop(0)
                found = True
    return origin


def _exact(
    case: Case, pending: Mapping[str, Task], order: list[str], origin: Mapping[str, str]
) -> tuple[dict[str, str], set[str], dict[str, str]]:
    """Return the meaning of the tasks that are clean calls as they stand."""
    results = {seen.node: seen.result for seen in case.log}
    for id in pending:
        results.pop(id, None)
    taken = set(case.right)
    meaning: dict[str, str] = {}
    exact: set[str] = set()
    repeats: dict[str, str] = {}
    for id in order:
        task = pending[id]
        arguments = resolved(case, task, results)
        if arguments is None:
            continue
        ids = case.keys.get(call_key(task.name, arguments))
        if not ids:
            continue
        free = [call for call in ids if call not in taken]
        if free:
            # Of equal calls each task is first of all its own.
            own = origin.get(id)
            call = own if own in free else free[0]
            meaning[id] = call
            taken.add(call)
        else:
            repeats[id] = ids[0]
        exact.add(id)
        results[id] = case.clean[ids[0]].result
    return meaning, exact, repeats


def _near(
    case: Case,
    pending: Mapping[str, Task],
    meaning: dict[str, str],
    exact: set[str],
    repeats: Mapping[str, str],
    origin: Mapping[str, str],
) -> None:
    """Add the meaning of tasks that are clean calls with something wrong, best first."""
    tasks = [id for id in pending if id not in meaning and id not in repeats]
    taken = set(meaning.values()) | case.right.keys()
    calls = [call for call in case.clean if call not in taken]
    while tasks and calls:
        names = {**{seen.node: call for call, seen in case.right.items()}, **meaning}
        best = max(
            (
                (_likeness(case, pending[id], call, names, origin.get(id)), id, call)
                for call in calls
                for id in tasks
            ),
            key=lambda one: one[0],
        )
        if best[0] < ENOUGH:
            break
        meaning[best[1]] = best[2]
        tasks.remove(best[1])
        calls.remove(best[2])


def _likeness(
    case: Case,
    task: Task,
    id: str,
    names: Mapping[str, str],
    origin: str | None,
) -> float:
    """Return how like a clean call a task is, from 0 to 2.

    Half a point for being the same task of the plan before; the rest for the tool's name,
    and for the share of arguments that are the clean call's.
    """
    call = case.clean[id]
    if task.name == call.name:
        name = 1.0
    else:
        ratio = SequenceMatcher(None, _plain(task.name), _plain(call.name)).ratio()
        name = ratio if ratio >= SIMILAR_NAMES and task.name not in case.tools else 0.0
    own = origin == id
    if not name and not own:
        return 0.0
    same = sum(
        _is_same(case, task, key, call.arguments[key], call.sent.get(key), names)
        for key in call.arguments
    )
    share = same / max(len(call.arguments), len(task.arguments), 1)
    if not own and not share and (call.arguments or task.arguments):
        return 0.0
    return name / 2 + share + own / 2


def _plain(name: str) -> str:
    return "".join(char for char in name.casefold() if char.isalnum())


def _is_same(
    case: Case, task: Task, key: str, expression: Json, sent: Json, names: Mapping[str, str]
) -> bool:
    if key not in task.arguments:
        return False
    value = task.arguments[key]
    return dumps(value) == dumps(sent) or dumps(renamed(value, names)) == dumps(expression)
