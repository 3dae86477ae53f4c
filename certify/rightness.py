"""Which calls were made rightly, and how many rounds a recovery needs at least."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from certify.case import Case, Sent
from plan.execution import Execution


def right_rounds(
    case: Case,
    log: Iterable[Execution],
    made: Mapping[str, Sent],
    known: Mapping[str, int] | None = None,
) -> dict[str, int]:
    """Return, by clean id, the first round in which a clean call was made rightly.

    Right is a call of the same tool with equal arguments that came back ok after all clean
    predecessors, order included, had been made rightly in earlier rounds. Whatever node
    makes it counts.

    Args:
        case: the row.
        log: executions.
        made: what those of them sent that came back ok, by node.
        known: calls that were made rightly before.
    """
    when: dict[Sent, list[int]] = {}
    for seen in log:
        if seen.node in made:
            when.setdefault(made[seen.node], []).append(seen.round)
    right = dict(known or {})
    for id in case.layers:
        if id in right:
            continue
        rounds = when.get(case.recorded[id])
        if rounds is None:
            continue
        before = case.dependencies[id]
        if not right.keys() >= before:
            continue
        ready = max((right[other] for other in before), default=0)
        late = [round for round in rounds if round > ready]
        if late:
            right[id] = min(late)
    return right


def is_right(case: Case, seen: Execution, right: Mapping[str, int]) -> bool:
    """Tell whether one execution of a clean call's own node was right."""
    if case.made.get(seen.node) != case.recorded[seen.node]:
        return False
    return all(right.get(other, seen.round) < seen.round for other in case.dependencies[seen.node])


def rounds_to_go(case: Case, right: Mapping[str, int]) -> int:
    """Return the longest clean chain among calls not right, and one for the response."""
    chain: dict[str, int] = {}
    for id in case.layers:
        if id not in right:
            chain[id] = 1 + max((chain.get(other, 0) for other in case.dependencies[id]), default=0)
    return 1 + max(chain.values(), default=0)


def below(case: Case, nodes: Sequence[str]) -> set[str]:
    """Return the clean calls that descend from one of some calls."""
    found: set[str] = set()
    reached = set(nodes)
    for id in case.layers:
        if not reached.isdisjoint(case.dependencies[id]):
            reached.add(id)
            found.add(id)
    return found
