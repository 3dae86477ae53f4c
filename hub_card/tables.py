"""Tables in Markdown: what was asked for next to what was built."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence


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
    return text.replace("|", "\\|").replace("\n", " ")
