"""The labels of a finished trajectory: what is wrong, where, who sees it, what follows."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from builder.cascade import Cascade, Injected, must_wait
from environment.rightness import is_right
from plan.clean import CleanPlan
from plan.execution import Execution, says_empty
from plan.json_text import Json, dumps, escape, overlap
from plan.reference import references
from plan.row import EXPLICIT, INJECTED, LATENT, MASKED, PROPAGATED, SILENT, ErrorLabel
from plan.task import Plan
from taxonomy.kind import PARAMETER, STRUCTURAL


def _has_consequence(one: Injected) -> bool:
    """Tell whether an error makes other calls wrong.

    Needless waits and calls don't; nor does a lost dependency that the task runs after all
    the same, as by rules 3 and 4 of the structural decision.
    """
    return one.kind.name not in ("Serial_Error", "Toolcall_Redundancy") and not must_wait(
        one.kind.name, one.damage
    )


def label(cascade: Cascade, right: Mapping[str, Execution]) -> list[ErrorLabel]:
    """Return the errors of a trajectory after its last round: injected, then propagated.

    Args:
        cascade: the trajectory.
        right: the clean calls made rightly so far (`environment.rightness`).
    """
    clean = cascade.clean
    executions = {seen.node: seen for seen in cascade.log}
    errors = [
        _injected(clean, one, executions.get(one.damage.node), cascade.plan)
        for one in cascade.injected
    ]
    carriers = {one.damage.node for one in cascade.injected}
    done = {
        seen.node
        for seen in cascade.log
        if seen.node in clean.calls and is_right(clean, right, seen)
    }
    for round, invention in cascade.inventions:
        root = root_of(clean, cascade.injected, done, invention.failed)
        errors.append(
            _propagated(
                clean,
                cascade,
                root,
                round,
                invention.node,
                f"/para{invention.pointer}",
                invention.before,
                invention.after,
                _shows(executions.get(invention.node)),
            )
        )
    for seen in cascade.log:
        call = clean.calls.get(seen.node)
        if call is None or seen.node in carriers or seen.node in done:
            continue
        root = root_of(clean, cascade.injected, done, seen.node)
        errors.append(
            _propagated(
                clean,
                cascade,
                root,
                seen.round,
                seen.node,
                "/results",
                call.result,
                seen.result,
                EXPLICIT if seen.cause else SILENT,
            )
        )
    return errors


def _shows(seen: Execution | None) -> str:
    """Return how a made-up value shows; it is legal, so no failure speaks of it."""
    if seen is None:
        return LATENT
    return MASKED if seen.cause else SILENT


def root_of(
    clean: CleanPlan, injected: Sequence[Injected], done: Collection[str], node: str
) -> int:
    """Return the index of the first injected error that makes a call go wrong.

    It sits on the call itself or on a clean predecessor that isn't among the tasks ``done``
    rightly; needless waits and needless calls make nothing wrong.
    """
    for index, one in enumerate(injected):
        if not _has_consequence(one) or one.damage.node in done:
            continue
        if node == one.damage.node or one.damage.node in clean.ancestors[node]:
            return index
    raise AssertionError(f"node {node} went wrong without an injected error before it")


def _affected(clean: CleanPlan, plan: Plan, node: str) -> list[str]:
    below = clean.ancestors
    return [id for id in clean.calls if node in below[id] and id in plan.tasks]


def _injected(clean: CleanPlan, one: Injected, seen: Execution | None, plan: Plan) -> ErrorLabel:
    damage, kind = one.damage, one.kind
    after: Json = damage.after
    if damage.fault is not None:
        assert seen is not None
        after = seen.result
    return ErrorLabel(
        one.round,
        kind.name,
        kind.dimension,
        damage.node,
        damage.pointer,
        dumps(damage.before),
        dumps(after),
        visibility(one, seen, clean, plan),
        INJECTED,
        -1,
        _affected(clean, plan, damage.node) if _has_consequence(one) else [],
    )


def _propagated(
    clean: CleanPlan,
    cascade: Cascade,
    root: int,
    round: int,
    node: str,
    pointer: str,
    before: Json,
    after: Json,
    visible: str,
) -> ErrorLabel:
    kind = cascade.injected[root].kind
    return ErrorLabel(
        round,
        kind.name,
        kind.dimension,
        node,
        pointer,
        dumps(before),
        dumps(after),
        visible,
        PROPAGATED,
        root,
        _affected(clean, cascade.plan, node),
    )


def visibility(one: Injected, seen: Execution | None, clean: CleanPlan, plan: Plan) -> str:
    """Return how an error shows: explicit, silent, latent or masked (DESIGN section 12)."""
    name, damage = one.kind.name, one.damage
    if name in ("Serial_Error", "Toolcall_Missing"):
        return SILENT
    if seen is None:
        return LATENT
    if damage.fault == "empty":
        text = seen.result
        return EXPLICIT if isinstance(text, str) and says_empty(text) else SILENT
    if damage.fault == "timeout" or seen.cause == "unknown_tool":
        return EXPLICIT
    if not seen.cause:
        return SILENT
    if one.kind.dimension == STRUCTURAL:
        lost = set(damage.before) - set(damage.after)
        task = plan.tasks[damage.node]
        blamed = {found.node for found in references(task.arguments) if found.argument == seen.at}
        return EXPLICIT if seen.cause == "reference" and blamed & lost else MASKED
    if seen.cause not in ("schema", "value"):
        return MASKED
    if one.kind.dimension != PARAMETER:
        return EXPLICIT
    return EXPLICIT if any(overlap(seen.at, place) for place in _blamed(one, clean)) else MASKED


def _blamed(one: Injected, clean: CleanPlan) -> list[str]:
    """Return the places, in the arguments, that a failure by a parameter's error names."""
    damage = one.damage
    changed = damage.changes[damage.node]
    assert changed is not None
    places = [damage.pointer.removeprefix("/para")]
    if one.kind.name == "Parameter_Error":
        # An API that doesn't know the new name may miss the old one instead.
        known = clean.calls[damage.node].arguments
        places += [f"/{escape(key)}" for key in known if key not in changed.arguments]
    return places
