"""Questions to a dependency graph, given as a mapping from node to its dependencies."""

from __future__ import annotations

from collections.abc import Collection, Mapping

Dependencies = Mapping[str, Collection[str]]


def layers(dependencies: Dependencies) -> dict[str, int] | None:
    """Return each node's layer, 0 for one without dependencies, or None where a cycle is.

    Dependencies on nodes that aren't keys are ignored.
    """
    left: dict[str, int] = {}
    after: dict[str, list[str]] = {}
    for node, before in dependencies.items():
        needs = {other for other in before if other in dependencies}
        left[node] = len(needs)
        for other in needs:
            after.setdefault(other, []).append(node)
    place = {node: index for index, node in enumerate(dependencies)}
    found: dict[str, int] = {}
    done = [node for node, count in left.items() if not count]
    layer = 0
    while done:
        found.update(dict.fromkeys(done, layer))
        layer += 1
        ready = []
        for node in (user for one in done for user in after.get(one, ())):
            left[node] -= 1
            if not left[node]:
                ready.append(node)
        done = sorted(ready, key=place.__getitem__)
    return found if len(found) == len(dependencies) else None


def ancestors(dependencies: Dependencies) -> dict[str, frozenset[str]]:
    """Return, for every node of a graph without cycles, all that must run before it."""
    order = layers(dependencies) or {}
    found: dict[str, frozenset[str]] = {}
    for node in order:
        seen: set[str] = set()
        # The latest first: what they wait for needn't be looked at again.
        known = (other for other in dependencies[node] if other in dependencies)
        for other in sorted(known, key=order.__getitem__, reverse=True):
            if other not in seen:
                seen |= found[other]
                seen.add(other)
        found[node] = frozenset(seen)
    return found
