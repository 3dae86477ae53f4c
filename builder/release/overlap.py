"""What must not stand twice in a release, and what its configs share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from builder.refusal import Refusal
from builder.release.data import Sight, Written
from builder.splits import NAMES
from plan.json_text import Json

MOST_SHOWN = 3

Place = tuple[str, str]
"""A config and one of its splits."""


@dataclass(frozen=True, slots=True)
class Shared:
    """What two different splits of two configs have in common.

    Attributes:
        a, b: the splits, such as (level1, test) and (level2, train).
        queries: queries that stand in both.
        tools: sets of called tools that stand in both.
        rows_a, rows_b: rows of each split that share a query or a set of tools with the other.
    """

    a: Place
    b: Place
    queries: int
    tools: int
    rows_a: int
    rows_b: int

    def to_json(self) -> dict[str, Json]:
        """Return what a manifest keeps of it."""
        return {
            "splits": ["/".join(self.a), "/".join(self.b)],
            "queries": self.queries,
            "tool_sets": self.tools,
            "rows": [self.rows_a, self.rows_b],
        }

    def __str__(self) -> str:
        return tell(self.to_json())


def tell(shared: Json) -> str:
    """Return what a manifest keeps of a `Shared` as a sentence without its full stop."""
    a, b = shared["splits"]
    rows_a, rows_b = shared["rows"]
    queries, sets = shared["queries"], shared["tool_sets"]
    return (
        f"{a} and {b} share {queries:,} {'query' if queries == 1 else 'queries'} and {sets:,} "
        f"{'set' if sets == 1 else 'sets'} of called tools: {rows_a:,} "
        f"{'row' if rows_a == 1 else 'rows'} of {a}, {rows_b:,} of {b}"
    )


def check_rows(written: Sequence[Written]) -> None:
    """Refuse ids that stand twice, and groups that stand in two splits of one config.

    Raises:
        Refusal: there are such; the first few are named.
    """
    ids = Counter(sight.id for one in written for sight in one.sights)
    twice = sorted(id for id, times in ids.items() if times > 1)
    if twice:
        raise Refusal(
            "rows",
            f"{len(twice):,} ids stand more than once: {_first(twice)}",
            "each instance_id once in all builds",
            "build the rows again; one build of each level is enough",
        )
    for config, sights in _by_config(written).items():
        for word, keys in (("query", "query"), ("set of called tools", "tools")):
            known: dict[bytes, tuple[str, str]] = {}
            for split, sight in sights:
                key = getattr(sight, keys)
                other_split, other_id = known.setdefault(key, (split, sight.id))
                if other_split != split:
                    raise Refusal(
                        f"{config}, {sight.id}",
                        f"its {word} stands in {split}, and in {other_split} with {other_id}",
                        "rows of one query, or with the same set of called tools, in one split",
                        "build the rows again: a split that leaks measures nothing",
                    )


def find_shared(written: Sequence[Written]) -> list[Shared]:
    """Return what different splits of different configs share, in the configs' order.

    Each config keeps its own groups together. Two builds of one source, seed, split and
    number of plans also split alike; others may not, and a model that is trained on one config
    and tested on another must not meet its training queries again.
    """
    places: dict[Place, list[Sight]] = {}
    for config, own in _by_config(written).items():
        for split, sight in own:
            places.setdefault((config, split), []).append(sight)
    ordered = sorted(places, key=lambda place: (place[0], NAMES.index(place[1])))
    shared = []
    for a, b in combinations(ordered, 2):
        if a[0] != b[0] and a[1] != b[1]:
            found = _compare(a, places[a], b, places[b])
            if found.queries or found.tools:
                shared.append(found)
    return shared


def _compare(a: Place, rows_a: Sequence[Sight], b: Place, rows_b: Sequence[Sight]) -> Shared:
    queries = {sight.query for sight in rows_a} & {sight.query for sight in rows_b}
    tools = {sight.tools for sight in rows_a} & {sight.tools for sight in rows_b}

    def count(rows: Iterable[Sight]) -> int:
        return sum(sight.query in queries or sight.tools in tools for sight in rows)

    return Shared(a, b, len(queries), len(tools), count(rows_a), count(rows_b))


def _by_config(written: Sequence[Written]) -> Mapping[str, list[tuple[str, Sight]]]:
    configs: dict[str, list[tuple[str, Sight]]] = {}
    for one in written:
        own = configs.setdefault(one.piece.config, [])
        own += [(one.piece.split, sight) for sight in one.sights]
    return configs


def _first(ids: Sequence[str]) -> str:
    return ", ".join(ids[:MOST_SHOWN]) + (", …" if len(ids) > MOST_SHOWN else "")
