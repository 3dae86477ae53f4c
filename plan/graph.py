"""Questions to a dependency graph, given as a mapping from node to its dependencies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

Dependencies = Mapping[str, Iterable[str]]


def layers(dependencies: Dependencies) -> dict[str, int]:
    """Return each node's layer: 0 without dependencies, else one past its latest.

    Dependencies on nodes that aren't keys are ignored, as ``root`` is. The longest path
    law of Kahn's layering; nodes on or behind a cycle are left out. Layer by layer, each in
    the mapping's order.
    """
    depth: dict[str, int] = {}
    waiting = list(dependencies)
    while waiting:
        left = []
        for node in waiting:
            layer = 0
            for other in dependencies[node]:
                found = depth.get(other)
                if found is not None:
                    layer = max(layer, found + 1)
                elif other in dependencies:
                    left.append(node)
                    break
            else:
                depth[node] = layer
        if len(left) == len(waiting):
            break
        waiting = left
    known = [node for node in dependencies if node in depth]
    return {node: depth[node] for node in sorted(known, key=depth.__getitem__)}


def is_acyclic(dependencies: Dependencies) -> bool:
    """Tell whether no node depends on itself, directly or through others."""
    return len(layers(dependencies)) == len(dict(dependencies))


def ancestors(dependencies: Dependencies, node: str) -> set[str]:
    """Return every node that must run before one, its dependencies' dependencies included."""
    seen: set[str] = set()
    stack = list(dependencies.get(node, ()))
    while stack:
        other = stack.pop()
        if other not in seen:
            seen.add(other)
            stack.extend(dependencies.get(other, ()))
    return seen


def descendants(dependencies: Dependencies, node: str) -> set[str]:
    """Return every node that waits for one, directly or through others."""
    after: dict[str, list[str]] = {}
    for other, before in dependencies.items():
        for dependency in before:
            after.setdefault(dependency, []).append(other)
    return ancestors(after, node)


def sinks(dependencies: Dependencies) -> list[str]:
    """Return the nodes that nothing depends on, in the mapping's order."""
    used = {other for before in dependencies.values() for other in before}
    return [node for node in dependencies if node not in used]
