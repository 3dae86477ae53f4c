"""Splits by group: what shares a query or a set of called tools stays together."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from hashlib import blake2b

NAMES = ("train", "validation", "test")


def group(keys: Sequence[Iterable[Hashable]]) -> list[int]:
    """Return each item's group, named by the group's first item.

    Two items that have a key in common are of one group, transitively.
    """
    parent = list(range(len(keys)))

    def find(item: int) -> int:
        while parent[item] != item:
            parent[item] = parent[parent[item]]
            item = parent[item]
        return item

    first: dict[Hashable, int] = {}
    for item, own in enumerate(keys):
        for key in own:
            a, b = find(item), find(first.setdefault(key, item))
            # The earlier root wins, so that names don't depend on the order of unions.
            parent[max(a, b)] = min(a, b)
    return [find(item) for item in range(len(keys))]


def share_out(groups: Sequence[int], shares: Sequence[float], seed: int) -> dict[int, int]:
    """Return each group's split, as an index into ``shares``.

    Large groups are placed first, each where most is missing in proportion to what was
    asked, if it fits there. A share of 0 gets nothing.

    Args:
        groups: each item's group.
        shares: what each split should have, adding up to 1.
        seed: decides among groups of one size.
    """
    sizes: dict[int, int] = {}
    for name in groups:
        sizes[name] = sizes.get(name, 0) + 1
    targets = [share * len(groups) for share in shares]
    filled = [0] * len(shares)
    placed: dict[int, int] = {}
    for name in sorted(sizes, key=lambda name: (-sizes[name], _lot(seed, name))):
        size = sizes[name]
        asked = [split for split, target in enumerate(targets) if target > 0]
        fitting = [split for split in asked if filled[split] + size <= targets[split] + 0.5]
        if fitting:
            split = max(fitting, key=lambda s: ((targets[s] - filled[s]) / targets[s], -s))
        else:
            split = max(asked, key=lambda s: (targets[s] - filled[s], -s))
        placed[name] = split
        filled[split] += size
    return placed


def deviation(counts: Mapping[str, int], shares: Mapping[str, float]) -> dict[str, float]:
    """Return each split's share of the rows less the share that was asked for."""
    total = sum(counts.values())
    return {
        name: counts.get(name, 0) / total - share if total else 0.0
        for name, share in shares.items()
    }


def _lot(seed: int, name: int) -> bytes:
    return blake2b(f"{seed}:{name}".encode(), digest_size=8).digest()
