"""Which rows a release draws as examples: one for each dimension, chosen by rule."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hub_card.statistics import shape
from plan.json_text import loads
from plan.row import Row
from taxonomy.kind import DIMENSIONS

# The fewer, the better read; but a plan of two calls shows nothing of a graph.
CALLS = range(4, 8)
DEEPEST = 4
WIDEST = 3

PREFERRED = (
    "Serial_Error",
    "Dependence_Error",
    "Parallelism_Error",
    "Parameter_Invalid",
    "Type_Error",
    "Parameter_Missing",
    "Toolcall_Missing",
    "Tool_select_Error",
    "Toolcall_Redundancy",
)
"""Kinds whose damage is seen in a drawing at a glance come first."""


class Chooser:
    """Keeps the best row of each dimension, for who passes over rows for other ends as well.

    Rows may come in any order: the same rows give the same choice.
    """

    def __init__(self) -> None:
        self._best: dict[str, tuple[tuple[int | str, ...], Row]] = {}

    def add(self, config: str, split: str, row: Row) -> None:
        """Look at one row; rows of ``train`` are drawn only, never test rows."""
        if split != "train" or not row.error_kinds:
            return
        dimension = row.errors[0].dimension
        order = _order(config, row)
        if dimension not in self._best or order < self._best[dimension][0]:
            self._best[dimension] = order, row

    def examples(self) -> dict[str, Row]:
        """Return the row of each dimension that has any."""
        return {name: self._best[name][1] for name in DIMENSIONS if name in self._best}


def choose(rows: Iterable[tuple[str, str, Row]]) -> Mapping[str, Row]:
    """Return a row for each dimension, of rows with their configs and splits."""
    chooser = Chooser()
    for config, split, row in rows:
        chooser.add(config, split, row)
    return chooser.examples()


def _order(config: str, row: Row) -> tuple[int | str, ...]:
    kind = row.error_kinds[0]
    depth, width = shape(row.clean_plan)
    fits = row.funcall_times_gt in CALLS and depth <= DEEPEST and width <= WIDEST
    rank = PREFERRED.index(kind) if kind in PREFERRED else len(PREFERRED)
    # Further errors that follow from the first would have to be told as well.
    alone = len(row.errors) == 1
    midway = 1 < row.t < depth
    tasks = loads(row.plan)["tasks"]
    return (
        len(row.error_kinds),
        not (fits and alone),
        not midway,
        rank,
        width == 1,
        sum(len(str(task["para"])) for task in tasks) + len(row.query),
        config,
        row.instance_id,
    )
