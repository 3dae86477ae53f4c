"""Which clean call each pending task of a plan stands for: by meaning, not by id.

A plan that calls its tasks by other ids, lists them in another order, writes values for
references or the other way round, or calls a failed task again in place where another plan
adds a new one, aligns alike.
"""

from __future__ import annotations

from collections import Counter
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
    calls = _calls(case, pending, sorted(pending, key=order.__getitem__))
    users = Counter(other for before in waits.values() for other in set(before))
    # Of equal tasks the one counts that was there before, else the one that more rests on.
    best = sorted(pending, key=lambda id: (id not in origin, -users[id], order[id]))
    meaning, repeats = _shared_out(case, calls, best, origin)
    left = [id for id in best if id not in calls]
    _near(case, pending, left, meaning, origin)
    return Alignment(pending, meaning, frozenset(calls), repeats, ancestors(waits), origin)


def _needs(task: Task, pending: Mapping[str, Task]) -> set[str]:
    """Return the pending tasks whose results a task waits for or refers to."""
    return {
        other
        for other in (*task.depends_on, *nodes_in(task.arguments))
        if other in pending and other != task.id
    }


def _origins(case: Case, pending: Mapping[str, Task]) -> dict[str, str]:
    """Return which task of the plan before each pending task is.

    The one of its id; else, of those that the new plan has under no id, one with the same
    tool and arguments, or one with the same tool, the most alike first.
    """
    origin = {id: id for id in pending if id in case.plan}
    left = {
        id: task
        for id, task in case.advanced.items()
        if not task.status and id not in pending and id not in (ROOT, RESPONSE)
    }
    fresh = [id for id in pending if id not in origin]
    while left and fresh:
        # References to renamed tasks are only alike once those are known: one at a time.
        best = max(
            (
                (_kinship(pending[id], task, origin), id, old)
                for id in fresh
                for old, task in left.items()
            ),
            key=lambda one: one[0],
        )
        if not best[0]:
            break
        origin[best[1]] = best[2]
        fresh.remove(best[1])
        del left[best[2]]
    return origin


def _kinship(task: Task, old: Task, names: Mapping[str, str]) -> float:
    """Return how alike two tasks' calls are: 0 for other tools, 2 for equal calls."""
    if task.name != old.name:
        return 0.0
    same = sum(
        key in old.arguments and dumps(renamed(value, names)) == dumps(old.arguments[key])
        for key, value in task.arguments.items()
    )
    return 1 + same / max(len(task.arguments), len(old.arguments), 1)


def _calls(case: Case, pending: Mapping[str, Task], order: list[str]) -> dict[str, list[str]]:
    """Return, by task, the clean calls that it makes as it stands; tasks that make none are out."""
    results = {seen.node: seen.result for seen in case.log}
    for id in pending:
        results.pop(id, None)
    found: dict[str, list[str]] = {}
    for id in order:
        arguments = resolved(case, pending[id], results)
        ids = (
            case.keys.get(call_key(pending[id].name, arguments)) if arguments is not None else None
        )
        if ids:
            found[id] = ids
            results[id] = case.clean[ids[0]].result
    return found


def _shared_out(
    case: Case, calls: Mapping[str, list[str]], order: list[str], origin: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the meaning of tasks that make clean calls, and the tasks that are one too many."""
    taken = set(case.right)
    meaning: dict[str, str] = {}
    repeats: dict[str, str] = {}
    for id in order:
        if id not in calls:
            continue
        free = [call for call in calls[id] if call not in taken]
        if free:
            own = origin.get(id)
            meaning[id] = own if own in free else free[0]
            taken.add(meaning[id])
        else:
            repeats[id] = calls[id][0]
    return meaning, repeats


def _near(
    case: Case,
    pending: Mapping[str, Task],
    tasks: list[str],
    meaning: dict[str, str],
    origin: Mapping[str, str],
) -> None:
    """Add the meaning of tasks that are clean calls with something wrong, the most alike first."""
    taken = set(meaning.values()) | case.right.keys()
    calls = [call for call in case.clean if call not in taken]
    while tasks and calls:
        stood_for = {**{seen.node: call for call, seen in case.right.items()}, **meaning}
        results = {node: case.clean[call].result for node, call in stood_for.items()}
        best = max(
            (
                (_likeness(case, pending[id], call, results, origin.get(id)), id, call)
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
    results: Mapping[str, Json],
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
        key in task.arguments and _stands_for(case, task, key, results) == dumps(value)
        for key, value in call.sent.items()
    )
    share = same / max(len(call.arguments), len(task.arguments), 1)
    if not own and not share and (call.arguments or task.arguments):
        return 0.0
    return name / 2 + share + own / 2


def _plain(name: str) -> str:
    return "".join(char for char in name.casefold() if char.isalnum())


def _stands_for(case: Case, task: Task, key: str, results: Mapping[str, Json]) -> str | None:
    """Return the text of an argument's value, or None where that isn't known."""
    one = Task(task.id, task.name, {key: task.arguments[key]}, "", (), False)
    arguments = resolved(case, one, results)
    return None if arguments is None else dumps(arguments[key])
