"""Splits: groups stay together, shares are met as well as groups allow."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.splits import deviation, group, share_out

KEYS = st.lists(st.tuples(st.integers(0, 8), st.integers(100, 108)), max_size=30)


@given(KEYS)
def test_groups_are_the_connected_components(keys: list[tuple[int, int]]) -> None:
    graph = nx.Graph()
    for item, own in enumerate(keys):
        for key in own:
            graph.add_edge(("item", item), ("key", key))
    groups = group(keys)
    for component in nx.connected_components(graph):
        items = sorted(item for what, item in component if what == "item")
        assert {groups[item] for item in items} == {items[0]}


@given(KEYS, st.integers(0, 5))
def test_every_group_has_one_split_and_no_share_of_nothing_is_used(
    keys: list[tuple[int, int]], seed: int
) -> None:
    groups = group(keys)
    placed = share_out(groups, (0.8, 0.0, 0.2), seed)
    assert set(placed) == set(groups)
    assert set(placed.values()) <= {0, 2}
    assert placed == share_out(groups, (0.8, 0.0, 0.2), seed)


@pytest.mark.parametrize("size", [1, 7, 40])
def test_shares_are_met_within_a_group(size: int) -> None:
    groups = [item // size for item in range(1000)]
    placed = share_out(groups, (0.8, 0.1, 0.1), 0)
    rows = [0, 0, 0]
    for name in groups:
        rows[placed[name]] += 1
    for count, share in zip(rows, (800, 100, 100), strict=True):
        assert abs(count - share) <= size


def test_a_large_group_leaves_room_for_the_small_ones() -> None:
    groups = [0] * 50 + list(range(1, 51))
    placed = share_out(groups, (0.8, 0.1, 0.1), 3)
    assert placed[0] == 0
    assert sorted(placed.values()).count(1) == sorted(placed.values()).count(2) == 10


def test_deviation_is_of_the_rows() -> None:
    found = deviation({"train": 3, "test": 1}, {"train": 0.8, "validation": 0.0, "test": 0.2})
    assert found == pytest.approx({"train": -0.05, "validation": 0.0, "test": 0.05})
    assert deviation({}, {"train": 1.0}) == {"train": 0.0}
