"""Questions to a dependency graph, given as a mapping from node to its dependencies."""

from __future__ import annotations

from collections.abc import Collection, Mapping

Dependencies = Mapping[str, Collection[str]]


def layers(dependencies: Dependencies) -> dict[str, int] | None:
    """Return each node's layer, 0 for one without dependencies, or None where a cycle is.

    Dependencies on nodes that aren't keys are ignored.
    """
    waiting = {
        node: {other for other in before if other in dependencies}
        for node, before in dependencies.items()
    }
    found: dict[str, int] = {}
    layer = 0
    while waiting:
        done = [node for node, before in waiting.items() if before <= found.keys()]
        if not done:
            return None
        for node in done:
            del waiting[node]
        found.update(dict.fromkeys(done, layer))
        layer += 1
    return found


def ancestors(dependencies: Dependencies) -> dict[str, frozenset[str]]:
    """Return, for every node of a graph without cycles, all that must run before it."""
    order = layers(dependencies) or {}
    found: dict[str, frozenset[str]] = {}
    for node in order:
        before = [other for other in dependencies[node] if other in dependencies]
        found[node] = frozenset(before).union(*(found[other] for other in before))
    return found
