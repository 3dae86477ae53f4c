"""Which clean calls have been made rightly, and how many rounds are left at least."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from plan.clean import CleanPlan
from plan.execution import OK, Execution
from plan.json_text import dump_bytes
from plan.task import ROOT


def right_calls(clean: CleanPlan, log: Sequence[Execution]) -> dict[str, Execution]:
    """Return, by clean id, the first execution that does what the clean call does.

    An execution is right if it called the same tool with equal resolved arguments, came
    back ok, and every clean predecessor, order included, had been made rightly before it
    (DESIGN section 12, "Fewest rounds").
    """
    made: dict[tuple[str, bytes], list[Execution]] = {}
    for seen in log:
        if seen.outcome == OK:
            made.setdefault(_sent(clean, seen), []).append(seen)
    right: dict[str, Execution] = {}
    for id, call in clean.calls.items():
        before = [other for other in call.depends_on if other != ROOT]
        if any(other not in right for other in before):
            continue
        earliest = max((right[other].round for other in before), default=0)
        candidates = [seen for seen in made.get(clean.recorded[id], ()) if seen.round > earliest]
        if candidates:
            right[id] = min(candidates, key=lambda seen: (seen.round, seen.node != id))
    return right


def is_right(clean: CleanPlan, right: Mapping[str, Execution], seen: Execution) -> bool:
    """Tell whether an execution of a clean plan's own node does what the clean call does."""
    return (
        seen.outcome == OK
        and _sent(clean, seen) == clean.recorded[seen.node]
        and all(
            other in right and right[other].round < seen.round
            for other in clean.calls[seen.node].depends_on
            if other != ROOT
        )
    )


def _sent(clean: CleanPlan, seen: Execution) -> tuple[str, bytes]:
    """Return what an execution sent, as `CleanPlan.recorded` spells it."""
    call = clean.calls.get(seen.node)
    if call is not None and seen.arguments is call.sent and seen.name == call.name:
        return clean.recorded[seen.node]
    return seen.name, dump_bytes(seen.arguments)


def rounds_left(clean: CleanPlan, right: Mapping[str, Execution]) -> int:
    """Return the fewest rounds that are still needed, the response's included."""
    chain: dict[str, int] = {}
    for id, call in clean.calls.items():
        if id not in right:
            chain[id] = 1 + max((chain.get(other, 0) for other in call.depends_on), default=0)
    return 1 + max(chain.values(), default=0)


def is_solved(clean: CleanPlan, log: Sequence[Execution], response: int) -> bool:
    """Tell whether every clean call had been made rightly when the response ran.

    Calls of the response's own round are too late: it was sent without their results.

    Args:
        clean: the clean plan.
        log: everything executed.
        response: the round of the response.
    """
    before = [seen for seen in log if seen.round < response]
    return len(right_calls(clean, before)) == len(clean.calls)
