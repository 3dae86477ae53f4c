"""Questions to a dependency graph, given as a mapping from node to its dependencies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

Dependencies = Mapping[str, Iterable[str]]


def layers(dependencies: Dependencies) -> dict[str, int]:
    """Return each node's layer: 0 without dependencies, else one past its latest.

    Dependencies on nodes that aren't keys are ignored, as ``root`` is. The longest path
    law of Kahn's layering; nodes on or behind a cycle are left out.
    """
    depth: dict[str, int] = {}
    waiting = {
        node: [other for other in before if other in dependencies]
        for node, before in dependencies.items()
    }
    known: set[str] = set()
    layer = 0
    while waiting:
        done = [node for node, before in waiting.items() if known.issuperset(before)]
        if not done:
            break
        for node in done:
            depth[node] = layer
            del waiting[node]
        known.update(done)
        layer += 1
    return depth


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
