"""Counts over rows."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from hub_card.statistics import Collector, collect, shape
from plan.json_text import dumps, loads
from plan.row import INJECTED
from tests.hub_card.tiny import placed, statistics


def test_every_row_and_error_is_counted_once() -> None:
    for config, one in statistics().configs.items():
        rows = [row for own, _, row in placed() if own == config]
        errors = [error for row in rows for error in row.errors]
        injected = Counter(error.kind for error in errors if error.origin == INJECTED)
        assert one.all.rows == len(rows)
        assert one.all.kinds == injected
        assert one.injected == sum(injected.values())
        assert sum(one.propagated.values()) == len(errors) - one.injected
        assert sum(cells.rows for cells in one.splits.values()) == len(rows)
        assert sum(cells.rows for cells in one.sources.values()) == len(rows)
        for counts in (one.lengths, one.t, one.round_gt, one.recovery_round_gt, one.calls):
            assert sum(counts.values()) == len(rows)
        assert sum(one.shapes.values()) == len(rows)
        seen = {kind: sum(by.values()) for kind, by in one.visibility.items()}
        assert seen == injected


def test_rounds_are_the_first_second_and_third_error_of_a_row() -> None:
    one = statistics().configs["level2"]
    rows = [row for config, _, row in placed() if config == "level2"]
    assert len(one.rounds) == 3
    for number, column in enumerate(one.rounds):
        assert column == Counter(row.error_kinds[number] for row in rows)
    assert one.lengths == {3: 3}


def test_rows_without_errors_are_controls() -> None:
    one = statistics().configs["level1"]
    assert one.all.controls == one.lengths[0] == 1
    assert one.splits["train"].controls == 1
    assert one.splits["test"].controls == 0


def test_order_changes_nothing_but_the_configs_order() -> None:
    assert collect(reversed(placed())).configs == statistics().configs


def test_counting_may_stop_and_go_on() -> None:
    collector = Collector()
    collector.add(*placed()[0])
    assert collector.statistics().configs["level1"].all.rows == 1
    collector.add(*placed()[1])
    assert collector.statistics().configs["level1"].all.rows == 2


def test_the_shape_is_that_of_the_clean_plan() -> None:
    for _, _, row in placed():
        depth, width = shape(row.clean_plan)
        assert depth == row.round_gt - 1
        assert width <= row.funcall_times_gt <= depth * width


def test_a_circle_has_no_shape() -> None:
    row = placed()[0][2]
    plan = loads(row.clean_plan)
    calls = [task for task in plan["tasks"] if task["id"] not in ("root", "response")]
    calls[0]["dep"] = [calls[0]["id"]]
    with pytest.raises(ValueError, match="wait for each other"):
        collect([("level1", "train", replace(row, clean_plan=dumps(plan)))])
