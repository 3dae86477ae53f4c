"""Proves the gold recovery by running it."""

from __future__ import annotations

from collections.abc import Mapping

from certify.case import SPECIAL, Case, Report, Sent, sent, task_of
from certify.rightness import right_rounds, rounds_to_go
from certify.value import Legality
from environment.world import usable_results
from plan.execution import OK, Execution
from plan.json_text import Json, dump_bytes
from plan.task import RESPONSE, ROOT


def prove_gold(case: Case, right: dict[str, int], legality: Legality, report: Report) -> None:
    """Check counts of rounds and calls, the gold plan's tasks, and where it leads to.

    Args:
        case: the row.
        right: the clean calls made rightly up to round t, with their rounds.
        legality: what is legal for the row's tools.
        report: takes what is wrong.
    """
    row, clean = case.row, case.clean
    if row.round_gt != max(case.layers.values(), default=0) + 1:
        report("round_gt", "/round_gt", "expected the clean layers and one for the response")
    if row.funcall_times_gt != len(clean.calls):
        report("funcall_times_gt", "/funcall_times_gt", f"expected {len(clean.calls)}")
    total = row.t + rounds_to_go(case, right)
    if row.recovery_round_gt != total:
        report("recovery_round_gt", "/recovery_round_gt", f"expected {total}")
    tasks, last = case.gold, case.plans[-1]
    for id in case.executions:
        if id not in tasks:
            report("gold_sent", "/gold_plan", f"{id!r} was sent and isn't in the plan")
    for id, task in tasks.items():
        if id in SPECIAL:
            continue
        if id in case.executions:
            old = last.get(id)
            if old is None or not _is_same(task, old, case.keyed[-1][id]):
                report("gold_sent", "/gold_plan", f"{id!r} was sent and is changed")
            continue
        if task["status"]:
            report("gold_status", "/gold_plan", f"{id!r} wasn't sent and says so")
    _run(case, right, total, legality, report)


def _is_same(task: Mapping[str, Json], old: Mapping[str, Json], text: bytes) -> bool:
    """Tell whether a task that was sent is unchanged; its words and ``dep``'s order are free.

    ``text`` is the canonical text of the old arguments.
    """
    return (
        task["name"] == old["name"]
        and task["status"] is True
        and set(task["dep"]) == set(old["dep"])
        and dump_bytes(task["para"]) == text
    )


def _run(case: Case, right: dict[str, int], total: int, legality: Legality, report: Report) -> None:
    """Execute the gold plan from round t+1 on, faults having passed."""
    done = {ROOT, *case.executions}
    results = usable_results(case.log)
    pending = [task_of(text) for id, text in case.gold.items() if id not in done]
    recorded = set(case.recorded.values())
    log: list[Execution] = []
    made: dict[str, Sent] = {}
    for round in range(case.row.t + 1, total + 1):
        frontier = [task for task in pending if done.issuperset(task.depends_on)]
        ids = {task.id for task in frontier}
        if RESPONSE in ids:
            if round < total:
                report("gold_rounds", "/gold_plan", f"it responds in round {round} already")
            break
        for task in frontier:
            seen = case.world.execute(task, results, round, None)
            if seen.outcome != OK:
                report("gold_fails", "/gold_plan", f"{task.id!r} ends with {seen.outcome}")
            else:
                made[task.id] = sent(case.clean, seen)
                if made[task.id] not in recorded:
                    problem = legality.problem(task.name, task.arguments)
                    if problem is not None:
                        report("gold_illegal", "/gold_plan", f"{task.id!r} has {problem}")
            log.append(seen)
        results.update(usable_results(log[len(log) - len(frontier) :]))
        done |= ids
        pending = [task for task in pending if task.id not in ids]
    else:
        report("gold_rounds", "/gold_plan", f"it doesn't respond in round {total}")
    missed = case.layers.keys() - right_rounds(case, log, made, right).keys()
    if len(log) > len(case.layers) - len(right):
        report(
            "gold_needless", "/gold_plan", f"{len(log)} calls for {len(case.layers) - len(right)}"
        )
    if missed:
        report("gold_unsolved", "/gold_plan", f"never made rightly: {', '.join(sorted(missed))}")
