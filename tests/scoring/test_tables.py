"""The paper's tables, each described once and rendered as text, CSV and Markdown."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from io import StringIO
from math import nan

import pytest

from scoring.metrics import METRICS, Figures, Summary
from scoring.tables import (
    FORMATS,
    Cell,
    Column,
    Line,
    Table,
    efficacy_table,
    efficiency_table,
    figures_table,
    items_table,
    judges_table,
    kinds_table,
    models_table,
    relative_change,
)


def figures(**values: float) -> Figures:
    return Figures(1, {**dict.fromkeys(METRICS, nan), **values}, {})


def summary(
    levels: Mapping[str, Figures],
    kinds: Mapping[str, Mapping[str, Figures]] | None = None,
    dimensions: Mapping[str, str] | None = None,
) -> Summary:
    overall = next(iter(levels.values()))
    return Summary(overall, levels, kinds or {level: {} for level in levels}, dimensions or {})


GPT = summary(
    {
        "level1": figures(
            si=56.08, dr=59.10, es=39.16, avg=51.45, pass_at_1=92.21, e5=42.19,
            tool_use_efficiency=20.43, invalid_dag_rate=10.25,
        ),
        "level2": figures(si=47.90, dr=53.73, es=32.59, avg=44.74, pass_at_1=91.50, e5=40.26),
    }
)  # fmt: skip
SMALL = summary({"level1": figures(si=47.61, dr=57.08, es=25.72, avg=43.47)})


def test_models_stand_as_in_the_papers_table_2() -> None:
    assert models_table({"GPT-4o": GPT, "Qwen 3 8B": SMALL}).to_text().splitlines() == [
        "Scores by level",
        "",
        "           LEVEL-1                             LEVEL-2",
        "Model         SI     DR     ES    Avg  Pass@1     SI     DR     ES    Avg  Pass@1",
        "GPT-4o     56.08  59.10  39.16  51.45   92.21  47.90  53.73  32.59  44.74   91.50",
        "Qwen 3 8B  47.61  57.08  25.72  43.47       –      –      –      –      –       –",
    ]


def test_kinds_stand_by_dimension_with_the_papers_changes() -> None:
    first = {
        "Null_Error": figures(dr=73.13, si=72.24, es=54.81),
        "Dependence_Error": figures(dr=72.56, si=79.22, es=53.37),
        "Parameter_Error": figures(dr=84.32, si=67.11, es=54.39),
    }
    second = {
        "Dependence_Error": figures(dr=71.71, si=73.45, es=52.23),
        "Parameter_Error": figures(dr=80.47, si=70.08, es=55.50),
    }
    found = kinds_table(
        "DeepSeek",
        summary(
            {"level1": figures(), "level2": figures()},
            {"level1": first, "level2": second},
            {
                "Null_Error": "Tool-related",
                "Dependence_Error": "Structural-related",
                "Parameter_Error": "Parameter-related",
            },
        ),
    )
    lines = [" ".join(line.split()) for line in found.to_markdown().splitlines()]
    assert lines[2:5:2] == [
        "| Kind | LEVEL-1 DR | LEVEL-1 SI | LEVEL-1 ES | LEVEL-2 DR | LEVEL-2 SI | LEVEL-2 ES |",
        "| **Structural-related Errors** | | | | | | |",
    ]
    assert (
        "| Dependence_Error | 72.56 | 79.22 | 53.37 | 71.71 ↓1.2% | 73.45 ↓7.3% | 52.23 ↓2.1% |"
    ) in lines
    assert found.to_csv().splitlines()[1] == (
        "Structural-related Errors,Dependence_Error,72.5600,79.2200,53.3700,"
        "71.7100,-1.1714,73.4500,-7.2835,52.2300,-2.1360"
    )
    text = found.to_text()
    for line in (
        "Dependence_Error 72.56 79.22 53.37 71.71 ↓1.2% 73.45 ↓7.3% 52.23 ↓2.1%",
        "Parameter_Error 84.32 67.11 54.39 80.47 ↓4.6% 70.08 ↑4.4% 55.50 ↑2.0%",
        "Null_Error 73.13 72.24 54.81 – – –",
    ):
        assert line in [" ".join(other.split()) for other in text.splitlines()]
    order = [
        text.index(f"{dimension} Errors")
        for dimension in ("Structural-related", "Parameter-related", "Tool-related")
    ]
    assert order == sorted(order)


def test_efficiency_stands_as_in_the_papers_table_8_and_efficacy_as_in_9() -> None:
    table = efficiency_table({"GPT-4o": GPT})
    assert [column.name for column in table.columns[:4]] == [
        "Tool Use Eff. ↑",
        "E5 ↑",
        "Invalid DAG Rate ↓",
        "Pass@1 ↑",
    ]
    assert [str(cell) for cell in table.lines[0].cells[:4]] == ["20.43", "42.19", "10.25", "92.21"]
    assert efficacy_table({"GPT-4o": GPT}).to_csv() == (
        "Model,LEVEL-1 E5,LEVEL-1 Pass@1,LEVEL-2 E5,LEVEL-2 Pass@1\n"
        "GPT-4o,42.1900,92.2100,40.2600,91.5000\n"
    )


def test_judges_stand_side_by_side_as_in_the_papers_table_6() -> None:
    other = summary({"level1": figures(avg=52.31), "level2": figures(avg=45.41)})
    table = judges_table(
        {"GPT-4o": {"DeepSeek": GPT, "GPT-4o": other}, "Qwen": {"DeepSeek": SMALL}}
    )
    assert table.to_text().splitlines()[2:] == [
        "        LEVEL-1           LEVEL-2",
        "Model   DeepSeek  GPT-4o  DeepSeek  GPT-4o",
        "GPT-4o     51.45   52.31     44.74   45.41",
        "Qwen       43.47       –         –       –",
    ]


def test_all_items_of_all_models_are_listed() -> None:
    table = items_table({"GPT-4o": GPT, "Qwen": SMALL})
    assert [column.name for column in table.columns] == [
        f"{letter}{number}" for letter in "SDE" for number in range(1, 6)
    ]
    assert [(line.section, line.label) for line in table.lines] == [
        ("GPT-4o", "LEVEL-1"),
        ("GPT-4o", "LEVEL-2"),
        ("GPT-4o", "all"),
        ("Qwen", "LEVEL-1"),
    ]


def test_a_figure_stands_with_its_interval() -> None:
    own = Figures(9, {**dict.fromkeys(METRICS, nan), "si": 50.0}, {"si": (40.0, 60.5)})
    table = figures_table({"m": summary({"level1": own})})
    assert "Structural Integrity (SI)  50.00 (40.00 to 60.50)" in table.to_text()
    assert table.to_csv().splitlines() == [
        "Model,Figure,LEVEL-1,LEVEL-1 low,LEVEL-1 high",
        "m,Structural Integrity (SI),50.0000,40.0000,60.5000",
    ]


def test_changes_are_relative_to_what_was() -> None:
    assert relative_change(50, 60) == 20
    assert relative_change(50, 45) == -10
    for before, after in ((0, 5), (nan, 5), (5, nan)):
        assert str(Cell(7, relative_change(before, after))) == "7.00"


def test_names_cannot_break_a_table() -> None:
    table = Table("t", "T", "Model", [Column("", "x")], [Line("", 'a|b,"c"\nd', [Cell(1)])])
    assert table.to_markdown().splitlines()[-1] == '| a\\|b,"c" d | 1.00 |'
    assert list(csv.reader(StringIO(table.to_csv())))[1] == ['a|b,"c"\nd', "1.0000"]
    assert len(table.to_text().splitlines()) == 4


@pytest.mark.parametrize("ending", FORMATS)
def test_every_rendering_holds_every_number(ending: str) -> None:
    text = FORMATS[ending](models_table({"GPT-4o": GPT}))
    for number in ("56.08", "59.10", "39.16", "51.45", "92.21", "47.90", "91.50"):
        assert number in text
    assert text.endswith("\n")
