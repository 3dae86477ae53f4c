"""A release's tables, in Markdown for people and in CSV for programs."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from hub_card.statistics import VISIBILITIES, Cells, ConfigStatistics, Statistics
from plan.json_text import Json
from taxonomy.registry import kinds

FOLDER = "tables"
TOTAL = "Total"
# As many as there are in the splits of a build; others come after, by name.
SPLIT_ORDER = ("train", "validation", "test")


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a release.

    Attributes:
        name: the file's name, without its ending.
        title: what it shows.
        note: how it is to be read; Markdown, may be empty.
        header: the columns' titles.
        rows: texts and whole numbers; shares are texts already.
        left: how many columns are text and stand left.
    """

    name: str
    title: str
    note: str
    header: tuple[str, ...]
    rows: tuple[tuple[str | int, ...], ...]
    left: int = 1

    def to_csv(self) -> str:
        """Return a header and lines, numbers without thousands separators."""
        text = StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.header)
        writer.writerows(self.rows)
        return text.getvalue()

    def to_markdown(self) -> str:
        """Return the table alone, without title and note."""
        return table(self.header, self.rows, self.left)

    def to_page(self) -> str:
        """Return title, note and table."""
        parts = [f"# {self.title}", self.note, self.to_markdown()]
        return "\n\n".join(part for part in parts if part) + "\n"


def write_tables(
    statistics: Statistics, builds: Mapping[str, Mapping[str, Json]], folder: Path
) -> list[Path]:
    """Write every table as CSV and as Markdown; return their paths, sorted.

    Args:
        statistics: counts over the rows.
        builds: by config, the manifest of its build.
        folder: where they go; it is made where it isn't there.

    Raises:
        OSError: a file can't be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for one in release_tables(statistics, builds):
        for ending, text in (("csv", one.to_csv()), ("md", one.to_page())):
            path = folder / f"{one.name}.{ending}"
            path.write_bytes(text.encode())
            written.append(path)
    return sorted(written)


def release_tables(
    statistics: Statistics, builds: Mapping[str, Mapping[str, Json]]
) -> tuple[Table, ...]:
    """Return every table: one on all configs, then those of each config."""
    tables = [splits_table(statistics)]
    for config, one in statistics.configs.items():
        tables += [
            kinds_table(config, one),
            _kinds_by(config, "split", _in_order(one.splits)),
            _kinds_by(config, "source", one.sources),
            visibility_table(config, one),
            _errors_table(config, one),
            _rounds_table(config, one),
            shapes_table(config, one),
        ]
        if config in builds:
            tables.append(asked_table(config, builds[config]))
    return tuple(tables)


def splits_table(statistics: Statistics) -> Table:
    """Return rows, queries, control rows and injected errors of each split."""
    rows: list[tuple[str | int, ...]] = []
    for config, one in statistics.configs.items():
        rows += [
            (config, split, *_sizes(cells), percent(cells.rows, one.all.rows))
            for split, cells in _in_order(one.splits).items()
        ]
        rows.append((config, TOTAL, *_sizes(one.all), percent(one.all.rows, one.all.rows)))
    return Table(
        "splits",
        "Splits",
        "A query stands in one split only. Control rows hold no error.",
        ("config", "split", "rows", "queries", "control rows", "injected errors", "rows %"),
        tuple(rows),
        left=2,
    )


def kinds_table(config: str, one: ConfigStatistics) -> Table:
    """Return kinds by frequency and share, once for each error that a row may have.

    The forms are those of the paper's tables 10 and 11: shares are of their column's sum.
    """
    rounds = one.rounds or ({},)
    sums = [sum(column.values()) for column in rounds]
    rows: list[tuple[str | int, ...]] = []
    for kind in _kinds():
        row: list[str | int] = [kind]
        for column, whole in zip(rounds, sums, strict=True):
            row += [column.get(kind, 0), percent(column.get(kind, 0), whole)]
        rows.append(tuple(row))
    last: list[str | int] = [TOTAL]
    for whole in sums:
        last += [whole, percent(whole, whole)]
    rows.append(tuple(last))
    if len(rounds) == 1:
        header: tuple[str, ...] = ("Error type", "Frequency", "Ratio (%)")
        note = ""
    else:
        header = (
            "Error type",
            *(
                title
                for number in range(1, len(rounds) + 1)
                for title in (f"Round{number}", f"Ratio{number} (%)")
            ),
        )
        note = (
            "Round k is a row's k-th injected error; rows with fewer errors aren't in the later "
            "columns. Each ratio is of its own column's sum."
        )
    return Table(f"{config}-kinds", f"{_heading(config)}: error kinds", note, header, tuple(rows))


def visibility_table(config: str, one: ConfigStatistics) -> Table:
    """Return how many injected errors of each kind are explicit, silent, latent, masked."""
    rows: list[tuple[str | int, ...]] = [
        (kind, *(one.visibility.get(kind, {}).get(word, 0) for word in VISIBILITIES))
        for kind in _kinds()
    ]
    rows.append((TOTAL, *_sums(rows)))
    return Table(
        f"{config}-visibility",
        f"{_heading(config)}: how injected errors show",
        "Explicit: an observation says so. Silent: executed, or never seen, and nothing says so. "
        "Latent: the damaged call hasn't run. Masked: another failure hides it.",
        ("Error type", *VISIBILITIES),
        tuple(rows),
    )


def shapes_table(config: str, one: ConfigStatistics) -> Table:
    """Return rows by the depth and width of their clean plans."""
    depths = sorted({depth for depth, _ in one.shapes})
    widths = sorted({width for _, width in one.shapes})
    rows: list[tuple[str | int, ...]] = []
    for depth in depths:
        counts = [one.shapes.get((depth, width), 0) for width in widths]
        rows.append((str(depth), *counts, sum(counts)))
    rows.append((TOTAL, *_sums(rows)))
    return Table(
        f"{config}-shapes",
        f"{_heading(config)}: depth and width of clean plans",
        "Depth is layers of calls, width the most calls in one layer; numbers are rows.",
        ("depth", *(f"width {width}" for width in widths), TOTAL),
        tuple(rows),
    )


def asked_table(config: str, build: Mapping[str, Json]) -> Table:
    """Return each kind's errors asked for and built, by error of a row, from a build's manifest."""
    rows: list[tuple[str | int, ...]] = []
    for number, column in enumerate(build["counts"]["kinds_by_round"], 1):
        asked = sum(cell["asked"] for cell in column.values())
        built = sum(cell["built"] for cell in column.values())
        rows += [
            (
                str(number),
                kind,
                cell["asked"],
                percent(cell["asked"], asked),
                cell["built"],
                percent(cell["built"], built),
                cell["asked"] - cell["built"],
            )
            for kind, cell in column.items()
        ]
        rows.append(
            (
                str(number),
                TOTAL,
                asked,
                percent(asked, asked),
                built,
                percent(built, built),
                asked - built,
            )
        )
    arguments = build["arguments"]
    return Table(
        f"{config}-asked-built",
        f"{_heading(config)}: asked for and built",
        f"Distribution asked for: {arguments['distribution']['name']}, over "
        f"{arguments['size']:,} rows. What the source couldn't supply is short, never replaced.",
        ("error", "Error type", "asked", "asked %", "built", "built %", "short"),
        tuple(rows),
        left=2,
    )


def _errors_table(config: str, one: ConfigStatistics) -> Table:
    rows: list[tuple[str | int, ...]] = [
        (
            kind,
            one.all.kinds.get(kind, 0),
            one.propagated.get(kind, 0),
            _ratio(one.propagated.get(kind, 0), one.all.kinds.get(kind, 0)),
        )
        for kind in _kinds()
    ]
    propagated = sum(one.propagated.values())
    rows.append((TOTAL, one.injected, propagated, _ratio(propagated, one.injected)))
    lengths = ", ".join(f"{rows:,} with {length}" for length, rows in one.lengths.items())
    return Table(
        f"{config}-errors",
        f"{_heading(config)}: injected and propagated errors",
        f"Rows by the number of their injected errors: {lengths}. A propagated error counts "
        "under the kind that it goes back to.",
        ("Error type", "injected", "propagated", "propagated per injected"),
        tuple(rows),
    )


def _rounds_table(config: str, one: ConfigStatistics) -> Table:
    columns = (one.t, one.round_gt, one.recovery_round_gt, one.calls)
    values = sorted({value for column in columns for value in column})
    rows: list[tuple[str | int, ...]] = [
        (str(value), *(column.get(value, 0) for column in columns)) for value in values
    ]
    means = [
        sum(value * rows for value, rows in column.items()) / max(1, sum(column.values()))
        for column in columns
    ]
    rows.append(("Mean", *(f"{mean:.2f}" for mean in means)))
    return Table(
        f"{config}-rounds",
        f"{_heading(config)}: rounds and calls",
        "Rows by the round of the state (t), the clean plan's rounds (round_gt), the fewest total "
        "rounds from the state (recovery_round_gt) and the clean plan's calls (funcall_times_gt).",
        ("value", "t", "round_gt", "recovery_round_gt", "funcall_times_gt"),
        tuple(rows),
    )


def _kinds_by(config: str, word: str, groups: Mapping[str, Cells]) -> Table:
    rows: list[tuple[str | int, ...]] = []
    sums = {name: sum(cells.kinds.values()) for name, cells in groups.items()}
    for kind in _kinds():
        row: list[str | int] = [kind]
        for name, cells in groups.items():
            row += [cells.kinds.get(kind, 0), percent(cells.kinds.get(kind, 0), sums[name])]
        rows.append(tuple(row))
    last: list[str | int] = [TOTAL]
    for name in groups:
        last += [sums[name], percent(sums[name], sums[name])]
    rows.append(tuple(last))
    return Table(
        f"{config}-kinds-by-{word}",
        f"{_heading(config)}: error kinds by {word}",
        "Injected errors. Each share is of its own column's sum.",
        ("Error type", *(title for name in groups for title in (name, f"{name} %"))),
        tuple(rows),
    )


def _kinds() -> Iterator[str]:
    yield from kinds()


def _in_order(splits: Mapping[str, Cells]) -> dict[str, Cells]:
    known = [name for name in SPLIT_ORDER if name in splits]
    return {name: splits[name] for name in [*known, *sorted({*splits} - {*known})]}


def _sizes(cells: Cells) -> tuple[int, int, int, int]:
    return cells.rows, cells.queries, cells.controls, sum(cells.kinds.values())


def _sums(rows: Sequence[Sequence[str | int]]) -> list[int]:
    columns = list(zip(*rows, strict=True))[1:]
    return [sum(int(cell) for cell in column) for column in columns]


def _ratio(part: int, whole: int) -> str:
    return f"{part / whole:.2f}" if whole else "-"


def _heading(config: str) -> str:
    return config.upper().replace("LEVEL", "LEVEL-") if config.startswith("level") else config


def table(header: Sequence[str], rows: Iterable[Sequence[object]], left: int = 1) -> str:
    """Return a Markdown table; the first ``left`` columns stand left, the others right.

    Columns are padded, so that the text can be read as it is.
    """
    cells = [[_cell(cell) for cell in row] for row in rows]
    widths = [
        max(3, len(title), *(len(row[place]) for row in cells))
        for place, title in enumerate(header)
    ]

    def line(row: Sequence[str]) -> str:
        padded = [
            cell.ljust(width) if place < left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        return f"| {' | '.join(padded)} |"

    rule = [
        "-" * width if place < left else "-" * (width - 1) + ":"
        for place, width in enumerate(widths)
    ]
    return "\n".join([line(header), line(rule), *map(line, cells)])


def distribution_table(asked: Mapping[str, int], built: Mapping[str, int]) -> str:
    """Return each kind's rows asked for and built, with shares and what is missing.

    Shares are of the rows asked for and of the rows built; kinds stand in ``asked``'s order.
    """
    all_asked, all_built = sum(asked.values()), sum(built.values())
    rows: list[Sequence[object]] = [
        (
            kind,
            number,
            percent(number, all_asked),
            built.get(kind, 0),
            percent(built.get(kind, 0), all_built),
            number - built.get(kind, 0),
        )
        for kind, number in asked.items()
    ]
    rows.append(
        (
            "all",
            all_asked,
            percent(all_asked, all_asked),
            all_built,
            percent(all_built, all_built),
            all_asked - all_built,
        )
    )
    return table(("kind", "asked", "%", "built", "%", "short"), rows)


def percent(part: float, whole: float) -> str:
    """Return a share with two decimals, "-" of nothing."""
    return f"{100 * part / whole:.2f}" if whole else "-"


def _cell(value: object) -> str:
    text = f"{value:,}" if isinstance(value, int) else str(value)
    return escape(text)


def escape(text: str) -> str:
    """Return a text that can't break the table that it stands in."""
    return text.replace("|", "\\|").replace("\n", " ")
