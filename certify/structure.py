"""The one decision which structural kind a changed ``dep`` is (DESIGN section 12)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from certify.kinds import DEPENDENCE_ERROR, DEPENDENCE_NULL, PARALLELISM_ERROR, SERIAL_ERROR
from plan.task import ROOT

Dependencies = Mapping[str, frozenset[str]]
"""Each call's dependencies among calls; ``root`` and ``response`` are left out."""


@dataclass(frozen=True, slots=True)
class Structure:
    """What a changed ``dep`` is.

    Attributes:
        kind: one of the four structural kinds.
        partner: the call that was lost, or waited for needlessly.
        waits: the damage only counts while the changed call is still pending.
    """

    kind: str
    partner: str
    waits: bool


def without_root(dependencies: Mapping[str, Sequence[str]]) -> dict[str, frozenset[str]]:
    """Return each call's dependencies among calls."""
    return {id: frozenset(before) - {ROOT} for id, before in dependencies.items()}


def depths(dependencies: Dependencies) -> dict[str, int] | None:
    """Return each call's layer, from 1, or None if the calls wait for each other in a circle."""
    depth: dict[str, int] = {}
    waiting = list(dependencies)
    while waiting:
        left = []
        for id in waiting:
            layer = 0
            for other in dependencies[id]:
                found = depth.get(other)
                if found is None:
                    if other in dependencies:
                        layer = -1
                        break
                elif found > layer:
                    layer = found
            if layer < 0:
                left.append(id)
            else:
                depth[id] = layer + 1
        if len(left) == len(waiting):
            return None
        waiting = left
    return depth


def behind(dependencies: Dependencies, id: str) -> set[str]:
    """Return every call that must run before one."""
    seen: set[str] = set()
    stack = list(dependencies.get(id, ()))
    while stack:
        other = stack.pop()
        if other not in seen:
            seen.add(other)
            stack.extend(dependencies.get(other, ()))
    return seen


def inherited(dependencies: Dependencies, lost: Iterable[str]) -> dict[str, frozenset[str]]:
    """Return the dependencies without some calls, whose consumers inherit theirs."""
    left = dict(dependencies)
    for id in lost:
        gone = left.pop(id)
        for other, before in left.items():
            if id in before:
                left[other] = (before - {id}) | gone
    return left


def unused(dependencies: Dependencies) -> frozenset[str]:
    """Return the calls that no other call waits for."""
    return frozenset(dependencies).difference(*dependencies.values())


def decide(
    dependencies: Dependencies,
    layers: Mapping[str, int],
    node: str,
    new: Sequence[str],
    *,
    feeds: Collection[str],
    turns: Mapping[str, int],
    sent: Collection[str],
) -> Structure | None:
    """Tell which kind a changed ``dep`` is, the rest of the plan being clean.

    Args:
        dependencies: the undamaged dependencies among calls.
        layers: their layers, from 1.
        node: the call whose ``dep`` has changed.
        new: its ``dep`` now, as it stands, ``root`` included.
        feeds: the calls that a data edge leads from to ``node``.
        turns: the turn that made each call.
        sent: the calls that had been sent before the error's round.

    Returns:
        None where no rule fits.
    """
    if node in sent:
        return None
    old = dependencies[node]
    now = frozenset(new) - {ROOT}
    lost, added = old - now, now - old
    if not now <= dependencies.keys() or node in now:
        return None
    if any(node in behind(dependencies, other) for other in now):
        return None
    layer = 1 + max((layers[other] for other in now), default=0)
    if not new:
        # Pending sources only: what has been sent no longer decides when a call runs.
        gone = [other for other in sorted(old) if other in feeds and other not in sent]
        return Structure(DEPENDENCE_NULL, gone[0], False) if gone else None
    if len(lost) == 1:
        (source,) = lost
        if source in sent or source not in feeds:
            return None
        if any(source in behind(dependencies, other) for other in now):
            return None
        if now == (old - lost) | dependencies[source] and layer <= layers[source]:
            return Structure(PARALLELISM_ERROR, source, False)
        if layer <= layers[source]:
            return None
        if not added:
            return Structure(DEPENDENCE_NULL, source, True) if now else None
        if len(added) == 1:
            (other,) = added
            if other not in behind(dependencies, node):
                return Structure(DEPENDENCE_ERROR, source, True)
        return None
    if not lost and len(added) == 1 and layer > layers[node]:
        (other,) = added
        if (
            other not in sent
            and turns[other] == turns[node]
            and other not in behind(dependencies, node)
        ):
            return Structure(SERIAL_ERROR, other, False)
    return None
