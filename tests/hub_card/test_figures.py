"""Figures: the same bytes each time, nothing over the edge, no text on another."""

from __future__ import annotations

import re
import struct
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hub_card.drawing import draw_row, drawable
from hub_card.examples import choose
from hub_card.extras import NotInstalled
from hub_card.figures import draw_kinds, draw_rounds, draw_shapes, style, write_figures
from hub_card.statistics import collect
from plan.json_text import dumps, loads
from plan.row import Row
from taxonomy.kind import DIMENSIONS
from taxonomy.registry import kinds
from tests.hub_card.tiny import placed, statistics

if TYPE_CHECKING:
    from matplotlib.figure import Figure

matplotlib = pytest.importorskip("matplotlib", reason="the extra hub is not installed")

NAMES = ("example-parameter", "example-structural", "example-tool", "kinds", "rounds", "shapes")
SLACK = 1.0
"""Dots; a hundred are an inch."""


@pytest.fixture
def styled() -> Iterator[None]:
    with style():
        yield


def texts(figure: Figure) -> list[tuple[str, Any]]:
    """Every text that is seen, with the place that it takes up."""
    from matplotlib.text import Text

    figure.draw_without_rendering()
    # Axes keep labels beyond their ends and don't draw them.
    unseen = {
        tick.label1
        for axes in figure.axes
        for axis, ends in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim()))
        for tick in axis.get_major_ticks()
        if not min(ends) <= tick.get_loc() <= max(ends)
    }
    found = []
    for one in figure.findobj(lambda artist: isinstance(artist, Text)):
        assert isinstance(one, Text)
        if one not in unseen and one.get_visible() and one.get_text().strip():
            box = one.get_window_extent()
            if box.width and box.height:
                found.append((one.get_text(), box))
    return found


def check(figure: Figure) -> None:
    width, height = figure.get_size_inches() * figure.dpi
    found = texts(figure)
    assert found
    for text, box in found:
        assert box.x0 >= -SLACK, text
        assert box.y0 >= -SLACK, text
        assert box.x1 <= width + SLACK, text
        assert box.y1 <= height + SLACK, text
    for (one, box), (other, place) in combinations(found, 2):
        apart = (
            box.x1 - SLACK <= place.x0
            or place.x1 - SLACK <= box.x0
            or box.y1 - 2 * SLACK <= place.y0
            or place.y1 - 2 * SLACK <= box.y0
        )
        assert apart, f"{one!r} stands on {other!r}"


def sizes(figure: Figure) -> set[float]:
    from matplotlib.text import Text

    found = [one for one in figure.findobj() if isinstance(one, Text)]
    return {float(one.get_fontsize()) for one in found if one.get_text().strip()}


def test_all_are_written_the_same_whatever_the_users_settings(tmp_path: Path) -> None:
    examples = choose(placed())
    written = write_figures(statistics(), examples, tmp_path / "one")
    before = dict(matplotlib.rcParams)
    with matplotlib.rc_context({"font.size": 23, "svg.hashsalt": "mine", "axes.grid": True}):
        again = write_figures(statistics(), examples, tmp_path / "two")
    assert dict(matplotlib.rcParams) == before
    assert [path.name for path in written] == [
        f"{name}.{ending}" for name in NAMES for ending in ("png", "svg")
    ]
    for one, other in zip(written, again, strict=True):
        assert one.read_bytes() == other.read_bytes(), one.name
        if one.suffix == ".png":
            data = one.read_bytes()
            assert struct.unpack(">I", data[16:20]) == (1440,)
            assert not re.search(rb"tEXt|tIME|Software", data)
        else:
            assert not re.search(rb"<dc:date>|Matplotlib v", one.read_bytes())


@pytest.mark.parametrize("factor", [1, 997])
@pytest.mark.usefixtures("styled")
def test_charts_have_no_text_on_another(factor: int) -> None:
    configs = dict(statistics().configs)
    if factor > 1:
        # Long numbers take more room.
        one = configs["level2"]
        configs["level2"] = replace(
            one,
            all=replace(one.all, kinds={kind: n * factor for kind, n in one.all.kinds.items()}),
            rounds=tuple({kind: n * factor for kind, n in own.items()} for own in one.rounds),
            shapes={shape: n * factor for shape, n in one.shapes.items()},
        )
    for figure in (draw_kinds(configs), draw_rounds(configs), draw_shapes(configs)):
        check(figure)
        assert min(sizes(figure)) >= 8
    alone = {"level1": configs["level1"]}
    for figure in (draw_kinds(alone), draw_rounds(alone), draw_shapes(alone)):
        check(figure)


@pytest.mark.usefixtures("styled")
def test_every_kind_stands_in_its_chart_with_its_number() -> None:
    found = [text for text, _ in texts(draw_kinds(statistics().configs))]
    for kind in kinds():
        assert found.count(kind) == 1
    for one in statistics().configs.values():
        for count in one.all.kinds.values():
            assert f"{count}  ({100 * count / one.injected:.1f} %)" in found


TRAIN = [number for number, (_, split, _) in enumerate(placed()) if split == "train"]


@pytest.mark.parametrize("number", TRAIN)
@pytest.mark.usefixtures("styled")
def test_a_drawn_row_has_no_text_on_another_and_names_every_task(number: int) -> None:
    row = placed()[number][2]
    figure = draw_row(row)
    check(figure)
    assert min(sizes(figure)) >= 8
    found = [text for text, _ in texts(figure)]
    for task in loads(row.plan)["tasks"]:
        if task["id"] not in ("root", "response"):
            assert any(f" {task['id']} " in f" {text} " for text in found), task["id"]
    for kind in row.error_kinds:
        assert any(text.startswith(f"✗ {kind}, round ") for text in found)
    assert sum(text.startswith("✗") for text in found) >= 2 * len(row.error_kinds)


def row_of(kind: str) -> Row:
    return next(row for _, _, row in placed() if row.error_kinds == [kind])


def said(row: Row) -> str:
    return " ".join(text for text, _ in texts(draw_row(row)))


@pytest.mark.usefixtures("styled")
def test_what_is_wrong_is_said_in_words() -> None:
    wrong = row_of("Parameter_Invalid").errors[0]
    name = wrong.pointer.removeprefix("/para/")
    assert f"{name} should be {wrong.before} and is {wrong.after}." in said(
        row_of("Parameter_Invalid")
    )
    assert "isn't in the plan." in said(row_of("Toolcall_Missing"))
    assert "is needless." in said(row_of("Toolcall_Redundancy"))
    assert "needless" in said(row_of("Serial_Error")).split()
    assert "lost" in said(row_of("Dependence_Error")).split()
    assert "wrong" in said(row_of("Dependence_Error")).split()
    assert "should be called" in said(row_of("Parameter_Error"))
    assert "should have returned" in said(row_of("Timeout_Error"))


@pytest.mark.usefixtures("styled")
def test_money_and_signs_without_a_letterform_are_drawn() -> None:
    row = replace(placed()[0][2], query="Pay $5 or $6 for \U0001f600 \u4f60\u597d \x07 at _once_")
    figure = draw_row(row)
    check(figure)
    assert drawable("\u4f60a") == "?a"
    assert any("$5 or $6 for \U0001f600 ?? ? at _once_" in text for text, _ in texts(figure))


@pytest.mark.usefixtures("styled")
def test_a_wide_plan_and_one_in_a_circle_are_drawn() -> None:
    row = placed()[0][2]
    tasks = loads(row.plan)["tasks"]
    calls = [task for task in tasks if task["id"] not in ("root", "response")]
    more = [{**calls[0], "id": f"w{number}", "dep": ["root"]} for number in range(6)]
    check(draw_row(replace(row, plan=dumps({"tasks": [*tasks, *more]}))))
    calls[0]["dep"], calls[1]["dep"] = [calls[1]["id"]], [calls[0]["id"]]
    draw_row(replace(row, plan=dumps({"tasks": tasks}))).draw_without_rendering()


def test_examples_are_train_rows_of_each_dimension_whatever_the_order() -> None:
    found = choose(placed())
    assert tuple(found) == DIMENSIONS
    assert choose(reversed(placed())) == found
    train = {row.instance_id for _, split, row in placed() if split == "train"}
    for dimension, row in found.items():
        assert row.instance_id in train
        assert row.errors[0].dimension == dimension


def test_examples_may_have_several_errors_where_there_are_no_others() -> None:
    found = choose(one for one in placed() if one[0] == "level2")
    assert found
    assert all(row.level == "level2" for row in found.values())


def test_no_rows_no_charts(tmp_path: Path) -> None:
    assert write_figures(collect([]), {}, tmp_path) == []


def test_a_missing_package_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(NotInstalled, match=r"pararecover\[hub\]"):
        write_figures(statistics(), {}, tmp_path)
