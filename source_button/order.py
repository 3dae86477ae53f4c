"""Order edges: a later call that is only right after an earlier one, with evidence for it."""

from __future__ import annotations

from source_button.trajectory import Trajectory


def is_changing(name: str) -> bool:
    return False


def order_edges(trajectory: Trajectory, known: list[tuple[int, int]]) -> list[tuple[int, int]]:
    return []
