"""Results tables in the forms of the paper, each as text, CSV and Markdown.

A table is described once, as lines of cells under columns; the renderers know nothing of
what it shows.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from math import isnan, nan

from scoring.metrics import METRICS, RATE_KEYS, Figures, Summary
from scoring.rubric import DIMENSION_NAMES, ITEMS, KEYS

NOTHING = "–"
"""What stands where there is no number."""

DIMENSION_ORDER = ("Structural-related", "Parameter-related", "Tool-related")
"""Dimensions of kinds in the paper's order; others follow by name."""

SHORT_NAMES: Mapping[str, str] = {
    "si": "SI",
    "dr": "DR",
    "es": "ES",
    "avg": "Avg",
    **{key: key.upper() for key in KEYS},
    "e5_star": "E5*",
    "pass_at_1": "Pass@1",
    "tool_use_efficiency": "Tool Use Eff.",
    "invalid_dag_rate": "Invalid DAG Rate",
}

LONG_NAMES: Mapping[str, str] = {
    **SHORT_NAMES,
    **{dimension: f"{name} ({dimension.upper()})" for dimension, name in DIMENSION_NAMES.items()},
    **{item.key: f"{item.key.upper()} {item.name}" for item in ITEMS},
    "avg": "Average",
    "e5_star": "E5* (of the fewest rounds from here)",
    "reached": "Response reached",
    "episode_e5": "E5 of the episode",
    "episode_e5_star": "E5* of the episode",
    "tool_use_efficiency": "Tool Use Efficiency",
    "episode_tool_use_efficiency": "Tool Use Efficiency of the episode",
    "false_alarm_rate": "False Alarm Rate",
    "coverage": "Answers with a prediction",
    "episode_coverage": "Answers with an episode",
}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of numbers, and what it stands under together with its neighbours."""

    group: str
    name: str


@dataclass(frozen=True, slots=True)
class Cell:
    """A number, and what is shown with it; NaN for nothing.

    ``change`` is relative, in percent; ``low`` and ``high`` are a confidence interval.
    """

    value: float
    change: float = nan
    low: float = nan
    high: float = nan

    def __str__(self) -> str:
        if isnan(self.value):
            return NOTHING
        text = f"{self.value:.2f}"
        if not isnan(self.change):
            arrow = "↓" if self.change < 0 else "↑"
            text += f" {arrow}{abs(self.change):.1f}%"
        if not isnan(self.low):
            text += f" ({self.low:.2f} to {self.high:.2f})"
        return text


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a table; ``section`` is "" or what its neighbours share."""

    section: str
    label: str
    cells: Sequence[Cell]


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Attributes:
        name: of its files, without an ending.
        title: one line.
        stub: what the lines' labels are.
        columns: of numbers.
        lines: those of one section stand together.
        part: what the sections are.
    """

    name: str
    title: str
    stub: str
    columns: Sequence[Column]
    lines: Sequence[Line]
    part: str = ""

    def to_text(self) -> str:
        """Return the table in columns of characters."""
        heads = [column.name for column in self.columns]
        groups = [column.group for column in self.columns]
        cells = [[str(cell) for cell in line.cells] for line in self.lines]
        widths = [max(len(text) for text in column) for column in zip(heads, *cells, strict=True)]
        _widen(widths, groups)
        labels = [self.stub, *(line.label for line in self.lines)]
        labels += [line.section for line in self.lines]
        first = max(map(len, labels))

        def spelled(label: str, texts: Sequence[str]) -> str:
            parts = [text.rjust(width) for text, width in zip(texts, widths, strict=True)]
            return "  ".join([_flat(label).ljust(first), *parts]).rstrip()

        out = [self.title, ""]
        if any(groups):
            above = [
                text if place == 0 or groups[place - 1] != text else ""
                for place, text in enumerate(groups)
            ]
            out.append(_spread(" " * first, above, widths))
        out.append(spelled(self.stub, heads))
        section = ""
        for line, texts in zip(self.lines, cells, strict=True):
            if line.section != section:
                section = line.section
                out.append(section)
            out.append(spelled(line.label, texts))
        return "\n".join(out) + "\n"

    def to_markdown(self) -> str:
        """Return the table as GitHub shows it, its title above."""
        head = [self.stub, *(_joined(column) for column in self.columns)]
        rows: list[list[str]] = []
        section = ""
        for line in self.lines:
            if line.section != section:
                section = line.section
                rows.append([f"**{_escaped(section)}**", *("" for _ in self.columns)])
            rows.append([_escaped(line.label), *map(str, line.cells)])
        widths = [max(3, *map(len, column)) for column in zip(head, *rows, strict=True)]

        def spelled(texts: Sequence[str]) -> str:
            first, *others = (
                text.rjust(width) if place else text.ljust(width)
                for place, (text, width) in enumerate(zip(texts, widths, strict=True))
            )
            return f"| {' | '.join([first, *others])} |"

        rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
        table = "\n".join(map(spelled, [[*map(_escaped, head)], rule, *rows]))
        return f"{_escaped(self.title)}\n\n{table}\n"

    def to_csv(self) -> str:
        """Return the table as CSV: a number a cell, nothing where there is none."""
        extras: list[tuple[str, Callable[[Cell], float]]] = [
            ("", lambda cell: cell.value),
            (" change %", lambda cell: cell.change),
            (" low", lambda cell: cell.low),
            (" high", lambda cell: cell.high),
        ]
        fields = [
            (place, _joined(column) + words, number)
            for place, column in enumerate(self.columns)
            for words, number in extras
            if not words or any(not isnan(number(line.cells[place])) for line in self.lines)
        ]
        out = StringIO()
        writer = csv.writer(out, lineterminator="\n")
        parts = [self.part] if self.part else []
        writer.writerow([*parts, self.stub, *(name for _, name, _ in fields)])
        for line in self.lines:
            numbers = [number(line.cells[place]) for place, _, number in fields]
            texts = ["" if isnan(number) else f"{number:.4f}" for number in numbers]
            writer.writerow([*([line.section] if self.part else []), line.label, *texts])
        return out.getvalue()


FORMATS: Mapping[str, Callable[[Table], str]] = {
    "txt": Table.to_text,
    "csv": Table.to_csv,
    "md": Table.to_markdown,
}


def _joined(column: Column) -> str:
    return f"{column.group} {column.name}".strip()


def _escaped(text: str) -> str:
    return _flat(text).replace("|", "\\|").replace("*", "\\*")


def _flat(text: str) -> str:
    return " ".join(text.splitlines())


def _widen(widths: list[int], groups: Sequence[str]) -> None:
    """Make room for a group's name over its columns."""
    for group in dict.fromkeys(groups):
        own = [place for place, name in enumerate(groups) if name == group]
        lacking = len(group) - sum(widths[place] for place in own) - 2 * (len(own) - 1)
        widths[own[-1]] += max(lacking, 0)


def _spread(stub: str, groups: Sequence[str], widths: Sequence[int]) -> str:
    """Return the line of groups: each begins where its first column does."""
    out = stub
    place = len(stub)
    for group, width in zip(groups, widths, strict=True):
        place += 2
        if group:
            out = out.ljust(place) + group
        place += width
    return out.rstrip()


def level_name(level: str) -> str:
    """Return a level as the paper spells it."""
    return level.replace("level", "LEVEL-") if level.startswith("level") else level


Summaries = Mapping[str, Summary]
"""Summaries by the name of their predictions."""


def _levels(summaries: Summaries) -> list[str]:
    return sorted({level for summary in summaries.values() for level in summary.levels})


def _by_level(
    name: str, title: str, summaries: Summaries, keys: Sequence[str], *, arrows: bool = False
) -> Table:
    levels = _levels(summaries)

    def head(key: str) -> str:
        return SHORT_NAMES[key] + (f" {'↓' if key in RATE_KEYS else '↑'}" if arrows else "")

    return Table(
        name,
        title,
        "Model",
        [Column(level_name(level), head(key)) for level in levels for key in keys],
        [
            Line(
                "",
                model,
                [_cell(summary.levels.get(level), key) for level in levels for key in keys],
            )
            for model, summary in summaries.items()
        ],
    )


def _cell(figures: Figures | None, key: str) -> Cell:
    return Cell(nan if figures is None else figures.values[key])


def models_table(summaries: Summaries) -> Table:
    """Return dimension scores and Pass@1 of models by level (the paper's table 2)."""
    keys = ("si", "dr", "es", "avg", "pass_at_1")
    return _by_level("models", "Scores by level", summaries, keys)


def efficiency_table(summaries: Summaries) -> Table:
    """Return what no judge decides, by level (the paper's table 8)."""
    keys = ("tool_use_efficiency", "e5", "invalid_dag_rate", "pass_at_1")
    title = "Judge-free metrics by level (↑ more is better, ↓ less is better)"
    return _by_level("efficiency", title, summaries, keys, arrows=True)


def efficacy_table(summaries: Summaries) -> Table:
    """Return E5 beside Pass@1, by level (the paper's table 9)."""
    return _by_level("efficacy", "E5 and Pass@1 by level", summaries, ("e5", "pass_at_1"))


def items_table(summaries: Summaries) -> Table:
    """Return each model's fifteen items, by level and over all."""
    lines = [
        Line(model, label, [_cell(figures, key) for key in KEYS])
        for model, summary in summaries.items()
        for label, figures in _parts(summary)
    ]
    columns = [Column("", SHORT_NAMES[key]) for key in KEYS]
    return Table("items", "The fifteen items of the rubric", "Rows", columns, lines, "Model")


def _parts(summary: Summary) -> list[tuple[str, Figures]]:
    parts = [(level_name(level), figures) for level, figures in summary.levels.items()]
    return parts if len(parts) == 1 else [*parts, ("all", summary.overall)]


def figures_table(summaries: Summaries) -> Table:
    """Return every figure, with its confidence interval if there is one."""
    labels = list(
        dict.fromkeys(label for summary in summaries.values() for label, _ in _parts(summary))
    )
    lines = []
    for model, summary in summaries.items():
        parts = dict(_parts(summary))
        for key in METRICS:
            cells = [_whole_cell(parts.get(label), key) for label in labels]
            if not all(isnan(cell.value) for cell in cells):
                lines.append(Line(model, LONG_NAMES[key], cells))
    intervals = any(summary.overall.intervals for summary in summaries.values())
    title = "All figures" + (", with 95 % confidence intervals" if intervals else "")
    return Table("figures", title, "Figure", [Column("", name) for name in labels], lines, "Model")


def _whole_cell(figures: Figures | None, key: str) -> Cell:
    if figures is None:
        return Cell(nan)
    low, high = figures.intervals.get(key, (nan, nan))
    return Cell(figures.values[key], low=low, high=high)


def kinds_table(model: str, summary: Summary, name: str = "kinds") -> Table:
    """Return a model's scores by kind of error (the paper's tables 3 and 4).

    Each level after the first shows the relative change from the first, in percent.
    """
    keys = ("dr", "si", "es")
    levels = list(summary.levels)
    kinds = sorted(
        summary.dimensions,
        key=lambda kind: (_rank(summary.dimensions[kind]), summary.dimensions[kind], kind),
    )
    lines = []
    for kind in kinds:
        cells = []
        for level in levels:
            for key in keys:
                value = _cell(summary.kinds[level].get(kind), key).value
                first = _cell(summary.kinds[levels[0]].get(kind), key).value
                change = nan if level == levels[0] else relative_change(first, value)
                cells.append(Cell(value, change))
        lines.append(Line(f"{summary.dimensions[kind]} Errors", kind, cells))
    return Table(
        name,
        f"Scores of {model} by kind of error",
        "Kind",
        [Column(level_name(level), SHORT_NAMES[key]) for level in levels for key in keys],
        lines,
        "Dimension",
    )


def _rank(dimension: str) -> int:
    known = dimension in DIMENSION_ORDER
    return DIMENSION_ORDER.index(dimension) if known else len(DIMENSION_ORDER)


def relative_change(before: float, after: float) -> float:
    """Return by how many percent a number changed; NaN from nothing or from zero."""
    return 100 * (after - before) / before if before else nan


def judges_table(summaries: Mapping[str, Mapping[str, Summary]]) -> Table:
    """Return models' averages as several judges see them (the paper's table 6).

    Args:
        summaries: by model, then by judge.
    """
    by_judge = [one for judged in summaries.values() for one in judged.items()]
    levels = _levels({str(place): summary for place, (_, summary) in enumerate(by_judge)})
    judges = list(dict.fromkeys(judge for judge, _ in by_judge))
    lines = []
    for model, judged in summaries.items():
        cells = [
            _cell(judged[judge].levels.get(level) if judge in judged else None, "avg")
            for level in levels
            for judge in judges
        ]
        lines.append(Line("", model, cells))
    return Table(
        "judges",
        "Average scores by level and judge",
        "Model",
        [Column(level_name(level), judge) for level in levels for judge in judges],
        lines,
    )
