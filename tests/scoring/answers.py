"""Rows, answers and random changes of answers, for tests of the scoring."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

from plan.row import Row
from scoring.answer import RESPONSE, ROOT
from scoring.case import Case
from taxonomy.registry import kinds
from tests.builder.rows import cascades, rows_of

Tasks = list[dict[str, Any]]


@cache
def all_rows() -> tuple[Row, ...]:
    """Two LEVEL-1 rows of every kind, and some LEVEL-2 rows of two and three errors."""
    single = [row for kind in kinds() for row in rows_of(kind, 2)]
    return (*single, *cascades(2, 8), *cascades(3, 8))


@cache
def all_cases() -> tuple[Case, ...]:
    return tuple(Case.from_record(row.to_record()) for row in all_rows())


def mutated(tasks: Tasks, lots: Random, times: int) -> Tasks:
    """Change a plan at random; its ids stay unique, and it keeps its root and response."""
    tasks = [dict(task) for task in tasks]
    for number in range(times):
        calls = [task for task in tasks if task["id"] not in (ROOT, RESPONSE)]
        if not calls:
            break
        task = lots.choice(calls)
        way = lots.randrange(7)
        if way == 0:
            task["status"] = not task["status"]
        elif way == 1:
            tasks = [
                {**other, "dep": [id for id in other["dep"] if id != task["id"]]}
                for other in tasks
                if other is not task
            ]
        elif way == 2 and task["dep"]:
            task["dep"] = task["dep"][1:] or [ROOT]
        elif way == 3:
            # After every earlier task there can be no cycle.
            before = [other["id"] for other in tasks[: tasks.index(task)]]
            if before and before[0] == ROOT:
                task["dep"] = [*task["dep"], lots.choice(before)]
        elif way == 4 and task["para"]:
            key = lots.choice(sorted(task["para"]))
            task["para"] = {**task["para"], key: lots.choice([1, "x", None, [], {}])}
        elif way == 5:
            tasks.insert(-1, {**task, "id": f"n{number}", "status": False})
        elif way == 6 and task["para"]:
            key = lots.choice(sorted(task["para"]))
            task["para"] = {name: task["para"][name] for name in task["para"] if name != key}
    return tasks


def is_dag(tasks: Tasks) -> bool:
    seen = {ROOT}
    waiting = list(tasks)
    while waiting:
        done = [task for task in waiting if seen.issuperset(set(task["dep"]) - {task["id"]})]
        if not done or any(task["id"] in task["dep"] for task in done):
            return False
        seen.update(task["id"] for task in done)
        waiting = [task for task in waiting if task["id"] not in seen]
    return True
