"""The oracle: repairs any state from the clean plan, without knowing what went wrong."""

from __future__ import annotations

from collections.abc import Sequence

from environment.careless import advance
from environment.rightness import right_calls
from plan.clean import CleanPlan
from plan.execution import Execution
from plan.graph import sinks
from plan.reference import references, renamed
from plan.task import RESPONSE, ROOT, Plan, Task

FRESH = "g"
"""What the ids of fresh nodes begin with; no row's own id does."""


def places(clean: CleanPlan, plan: Plan, log: Sequence[Execution]) -> dict[str, str]:
    """Return which node stands for each clean call in the plan to write; root included.

    A node that made the call rightly, else a pending one that is meant to, else a fresh one.

    Args:
        clean: the clean plan.
        plan: G(t-1).
        log: everything executed, round t included.
    """
    sent = {seen.node for seen in log}
    right = right_calls(clean, log)
    pending = [task for id, task in plan.tasks.items() if id.startswith(FRESH) and id not in sent]
    nodes: dict[str, str] = {ROOT: ROOT}
    fresh = 0
    for id, call in clean.calls.items():
        if id in right:
            nodes[id] = right[id].node
            continue
        if id in plan.tasks and id not in sent:
            nodes[id] = id
            continue
        arguments = renamed(call.arguments, nodes)
        planned = [
            task for task in pending if (task.name, task.arguments) == (call.name, arguments)
        ]
        if planned:
            nodes[id] = planned[0].id
            pending.remove(planned[0])
            continue
        fresh += 1
        while f"{FRESH}{fresh}" in plan.tasks:
            fresh += 1
        nodes[id] = f"{FRESH}{fresh}"
    return nodes


def recover(
    clean: CleanPlan, plan: Plan, log: Sequence[Execution], executions: Sequence[Execution]
) -> Plan:
    """Return the plan that a perfect agent writes after a round.

    Keeps what was sent, takes over what was made rightly, fixes pending calls in place,
    adds fresh nodes (ids "g1", "g2"…) for what must be called again or was lost, drops
    pending calls that serve nothing, and repairs dependencies.

    Args:
        clean: the clean plan.
        plan: G(t-1).
        log: everything executed, round t included.
        executions: those of round t.
    """
    sent = {seen.node for seen in log}
    nodes = places(clean, plan, log)
    tasks: list[Task] = []
    for id, task in advance(plan, executions).tasks.items():
        if id == ROOT or id in sent:
            tasks.append(task)
        elif id in clean.calls and nodes[id] == id:
            tasks.append(_mapped(clean, id, nodes))
    known = {task.id for task in tasks}
    tasks += [_mapped(clean, id, nodes) for id in clean.calls if nodes[id] not in known]
    last = [nodes[id] for id in sinks(clean.dependencies)] or [ROOT]
    tasks.append(plan.tasks[RESPONSE].changed(depends_on=last))
    return Plan.of(tasks)


def _mapped(clean: CleanPlan, id: str, nodes: dict[str, str]) -> Task:
    call = clean.calls[id]
    moved = any(nodes.get(one.node) != one.node for one in references(call.arguments))
    return Task(
        nodes[id],
        call.name,
        renamed(call.arguments, nodes) if moved else call.arguments,
        call.description,
        tuple(nodes[other] for other in call.depends_on),
    )
