"""What comes of an answer if it is executed as it stands: a graph function, no environment.

A call that equals a clean one gives its recording (faults have passed); what any other
call gives is unknown, and an argument that refers to it equals nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from scoring.answer import RESPONSE, ROOT, Answer, Plan, Task
from scoring.case import UNKNOWN, Case, Sent, call_key
from scoring.json_text import Json, escape
from scoring.legality import is_legal
from scoring.reference import UnresolvedError, resolve, stands, targets

MAXIMUM_ROUNDS = 40
"""The paper's bound (appendix H); all rounds count, those already spent included."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a simulated run ended.

    Attributes:
        reached: the response was executed.
        solved: reached, and every clean call had been made rightly in a round before.
        response_round: the absolute round of the response, or None.
        calls: calls sent, those before the answer included.
        right: the clean calls made rightly.
        rounds: by node, the round in which it was sent last, if it was.
    """

    reached: bool
    solved: bool
    response_round: int | None
    calls: int
    right: frozenset[str]
    rounds: Mapping[str, int]


def run_static(case: Case, answer: Answer) -> Outcome:
    """Execute an answer's plan to its end."""
    if answer.plan is None:
        return Outcome(False, False, None, len(case.log), frozenset(case.right), {})
    return run_plan(case, answer.plan)


def run_plan(case: Case, plan: Plan) -> Outcome:
    """Execute a plan from the round after t on, changing nothing but statuses."""
    results = {seen.node: seen.result for seen in case.log}
    rounds = {seen.node: seen.round for seen in case.log}
    log = list(case.log)
    done = {id for id, task in plan.items() if task.status} | {ROOT}
    waiting = [task for id, task in plan.items() if id not in done]
    response_round = None
    for round in range(case.t + 1, MAXIMUM_ROUNDS + 1):
        frontier = [task for task in waiting if done.issuperset(task.depends_on)]
        if not frontier:
            break
        made = []
        for task in frontier:
            if task.id == RESPONSE:
                response_round = round
            else:
                made.append(_send(case, task, results, round))
        # All of a round are sent on what was there before it.
        answered = {
            seen.node: seen.result
            for seen in made
            if seen.result is not UNKNOWN or _may_answer(case, plan[seen.node], results)
        }
        results.update(answered)
        rounds.update((seen.node, round) for seen in made)
        log += made
        done.update(task.id for task in frontier)
        waiting = [task for task in waiting if task.id not in done]
        if response_round is not None:
            break
    right = frozenset(case.right_calls(log))
    solved = False
    if response_round is not None:
        # Calls of the response's own round are too late: it was sent without their results.
        before = [seen for seen in log if seen.round < response_round]
        solved = len(case.right_calls(before)) == len(case.clean)
    return Outcome(response_round is not None, solved, response_round, len(log), right, rounds)


def _may_answer(case: Case, task: Task, results: Mapping[str, Json]) -> bool:
    """Tell whether a call without a recording may give a result at all.

    One that surely fails leaves the result of an earlier call of its node standing.
    """
    tool = case.tools.get(task.name)
    if tool is None:
        return False
    for node, pointer in targets(task.arguments):
        result = results.get(node, _ABSENT)
        if result is _ABSENT or (result is not UNKNOWN and not stands(result, pointer)):
            return False
    arguments = resolved(case, task, results)
    return is_legal(tool, task.arguments if arguments is None else arguments)


_ABSENT = object()


def _send(case: Case, task: Task, results: Mapping[str, Json], round: int) -> Sent:
    arguments = resolved(case, task, results)
    if arguments is None:
        return Sent(round, task.id, task.name, {}, UNKNOWN)
    ids = case.keys.get(call_key(task.name, arguments))
    result = case.clean[ids[0]].result if ids else UNKNOWN
    return Sent(round, task.id, task.name, arguments, result)


def resolved(case: Case, task: Task, results: Mapping[str, Json]) -> dict[str, Json] | None:
    """Return a call's arguments with references replaced, or None where one can't be."""
    known = {node: result for node, result in results.items() if result is not UNKNOWN}
    try:
        return {
            key: resolve(value, known, partial(case.compute, task.name), f"/{escape(key)}")
            for key, value in task.arguments.items()
        }
    except UnresolvedError:
        return None
