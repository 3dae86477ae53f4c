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
    right = right_calls(clean, log)
    nodes: dict[str, str] = {ROOT: ROOT}
    fresh = 0
    for id in clean.calls:
        if id in right:
            nodes[id] = right[id].node
        elif id in plan.tasks and id not in sent:
            nodes[id] = id
        else:
            fresh += 1
            nodes[id] = f"g{fresh}"
    tasks: list[Task] = []
    for id, task in advance(plan, executions).tasks.items():
        if id == ROOT or id in sent:
            tasks.append(task)
        elif id in clean.calls and nodes[id] == id:
            tasks.append(_mapped(clean, id, nodes))
    tasks += [
        _mapped(clean, id, nodes) for id in clean.calls if id not in right and nodes[id] != id
    ]
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
