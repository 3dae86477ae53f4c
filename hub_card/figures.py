"""A release's figures, as PNG and SVG: the same bytes for the same rows and versions.

Colours are those of Okabe and Ito, which colour-blind people can tell apart; shades, hatches
and labels beside them say the same in grey.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hub_card.extras import NotInstalled
from hub_card.facts import PREVIEW
from hub_card.statistics import ConfigStatistics, Statistics
from plan.row import Row
from taxonomy.kind import PARAMETER, STRUCTURAL, TOOL
from taxonomy.registry import kinds

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FOLDER = "figures"
DOTS = 160
"""Dots an inch of the PNG; a card shows some 800 of the 1440 that nine inches have."""

INK = "#222222"
QUIET = "#666666"
RULE = "#d0d0d0"
COLOURS: Mapping[str, str] = {
    STRUCTURAL: "#0072B2",  # blue
    PARAMETER: "#E69F00",  # orange
    TOOL: "#009E73",  # green
}
HATCHES: Mapping[str, str] = {STRUCTURAL: "", PARAMETER: "////", TOOL: "\\\\\\\\"}

_STYLE: Mapping[str, Any] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib, so it is the same everywhere
    "font.size": 10.0,
    "text.color": INK,
    "axes.edgecolor": QUIET,
    "axes.labelcolor": INK,
    "axes.titlesize": 11.0,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": INK,
    "ytick.color": INK,
    "hatch.linewidth": 0.6,
    "svg.hashsalt": "pararecover",
    "svg.fonttype": "path",
    "path.simplify": False,
    "text.parse_math": False,  # a dollar sign in a query is money
}


def write_figures(statistics: Statistics, examples: Mapping[str, Row], folder: Path) -> list[Path]:
    """Draw every figure as PNG and SVG; return their paths, sorted.

    Args:
        statistics: counts over the rows; `PREVIEW` is left out.
        examples: by dimension, the row to draw; see `hub_card.examples`.
        folder: where they go; it is made where it isn't there.

    Raises:
        NotInstalled: matplotlib isn't there.
        OSError: a file can't be written.
    """
    from hub_card.drawing import draw_row

    configs = {
        config: one
        for config, one in statistics.configs.items()
        if config != PREVIEW and one.all.rows
    }
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    with style():
        if any(one.injected for one in configs.values()):
            written += save(draw_kinds(configs), folder / "kinds")
        if configs:
            written += save(draw_rounds(configs), folder / "rounds")
            written += save(draw_shapes(configs), folder / "shapes")
        for dimension, row in examples.items():
            name = f"example-{dimension.split('-')[0].lower()}"
            written += save(draw_row(row), folder / name)
    return sorted(written)


@contextmanager
def style() -> Iterator[None]:
    """Draw in this module's style, whatever the user's own settings are.

    Raises:
        NotInstalled: matplotlib isn't there.
    """
    try:
        import matplotlib
    except ImportError:
        raise NotInstalled("matplotlib", "drawing figures") from None
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        settings: Any = matplotlib.rcParams
        settings.update(_STYLE)
        yield


def save(figure: Figure, stem: Path) -> list[Path]:
    """Write a figure as ``stem.png`` and ``stem.svg``, without date or program in them."""
    png, svg = stem.with_suffix(".png"), stem.with_suffix(".svg")
    figure.savefig(png, dpi=DOTS, metadata={"Software": None}, facecolor="white")
    figure.savefig(svg, metadata={"Date": None, "Creator": None}, facecolor="white")
    return [png, svg]


def canvas(width: float, height: float) -> Figure:
    """Return an empty figure of that many inches, that no other code knows of."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height))
    FigureCanvasAgg(figure)
    return figure


def tint(colour: str, strength: float) -> tuple[float, float, float]:
    """Return a colour mixed with white; 1 is the colour itself, 0 white."""
    from matplotlib.colors import to_rgb

    red, green, blue = (1 - strength * (1 - part) for part in to_rgb(colour))
    return red, green, blue


def heading(config: str) -> str:
    """Return a config's name as titles show it."""
    return config.replace("level", "LEVEL-")


def draw_kinds(configs: Mapping[str, ConfigStatistics]) -> Figure:
    """Draw injected errors by kind, grouped by dimension; a panel for each config."""
    shown = {config: one for config, one in configs.items() if one.injected}
    places: dict[str, float] = {}
    titles: dict[str, float] = {}
    at = 0.0
    for dimension, group in groupby(kinds().values(), key=lambda kind: kind.dimension):
        titles[dimension] = at
        at += 0.95
        for kind in group:
            places[kind.name] = at
            at += 1
        at += 0.35
    figure = canvas(9, 6.6)
    grid = figure.add_gridspec(
        1, len(shown), left=0.2, right=0.985, top=0.9, bottom=0.075, wspace=0.06
    )
    for number, (config, one) in enumerate(shown.items()):
        axes = figure.add_subplot(grid[0, number])
        _kind_bars(axes, one, places)
        axes.set_ylim(at - 0.5, -0.6)
        damaged = one.all.rows - one.all.controls
        axes.set_title(f"{heading(config)}: {one.injected:,} errors in {damaged:,} rows", pad=26)
        axes.set_xlabel("injected errors")
        if number == 0:
            axes.set_yticks(list(places.values()), list(places))
            for dimension, place in titles.items():
                axes.text(
                    -0.02,
                    place,
                    dimension,
                    transform=axes.get_yaxis_transform(),
                    ha="right",
                    va="center",
                    weight="bold",
                    color=COLOURS[dimension] if dimension != PARAMETER else "#8a5f00",
                )
        else:
            axes.set_yticks([])
        axes.tick_params(axis="y", length=0)
    return figure


def _kind_bars(axes: Axes, one: ConfigStatistics, places: Mapping[str, float]) -> None:
    from matplotlib.ticker import MaxNLocator

    known = kinds()
    most = max(one.all.kinds.values())
    for kind, place in places.items():
        dimension = known[kind].dimension
        start = 0
        for number, counts in enumerate(one.rounds):
            count = counts.get(kind, 0)
            axes.barh(
                place,
                count,
                left=start,
                height=0.74,
                color=tint(COLOURS[dimension], _tint(number, len(one.rounds))),
                edgecolor="white",
                hatch=HATCHES[dimension],
                linewidth=0.8,
            )
            start += count
        share = 100 * start / one.injected
        axes.text(
            start + most * 0.02,
            place,
            f"{start:,}  ({share:.1f} %)",
            va="center",
            fontsize=9,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.2},
        )
    axes.set_xlim(0, most * 1.45)
    axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    axes.grid(axis="x", color=RULE, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines["left"].set_visible(False)
    if len(one.rounds) > 1:
        _shades(axes, len(one.rounds))


def _tint(number: int, rounds: int) -> float:
    return 1.0 if rounds == 1 else 1.0 - 0.72 * number / (rounds - 1)


def _shades(axes: Axes, rounds: int) -> None:
    """Say above a panel which shade is a row's first error, which its second, and so on."""
    from matplotlib.patches import Patch

    words = ("a row's first error", "second", "third", "fourth", "fifth")
    names = [
        words[number] if number < len(words) else f"{number + 1}th" for number in range(rounds)
    ]
    axes.legend(
        handles=[
            Patch(facecolor=tint("#333333", _tint(number, rounds)), label=name)
            for number, name in enumerate(names)
        ],
        title=None,
        loc="lower left",
        bbox_to_anchor=(-0.01, 0.995),
        ncols=min(rounds, 5),
        frameon=False,
        fontsize=9,
        handlelength=1.2,
        handleheight=0.9,
        handletextpad=0.5,
        columnspacing=1.2,
        borderaxespad=0,
        borderpad=0.1,
    )


def draw_rounds(configs: Mapping[str, ConfigStatistics]) -> Figure:
    """Draw rows by round of the state, rounds of plan and recovery, and calls."""
    height = 2.75 * len(configs) + 0.35
    figure = canvas(9, height)
    grid = figure.add_gridspec(
        len(configs),
        3,
        left=0.075,
        right=0.985,
        top=1 - 0.62 / height,
        bottom=0.55 / height,
        hspace=0.62,
        wspace=0.2,
        width_ratios=(1, 1.45, 1.3),
    )
    for number, (config, one) in enumerate(configs.items()):
        first, second, third = (figure.add_subplot(grid[number, column]) for column in range(3))
        first.set_ylabel("% of rows")
        _bars(first, [("", one.t, COLOURS[STRUCTURAL], "")])
        first.set_xlabel("round t of the state")
        _bars(
            second,
            [
                ("undamaged", one.round_gt, tint(COLOURS[STRUCTURAL], 0.45), ""),
                ("with recovery", one.recovery_round_gt, "#D55E00", "////"),
            ],
        )
        second.set_xlabel("rounds in all, the response's included")
        second.legend(
            fontsize=9, loc="upper right", handlelength=1.4, framealpha=1, edgecolor="white"
        )
        _bars(third, [("", one.calls, COLOURS[STRUCTURAL], "")])
        third.set_xlabel("calls of the clean plan")
        first.set_title(f"{heading(config)}: {one.all.rows:,} rows", pad=10)
    return figure


def _bars(
    axes: Axes, series: Sequence[tuple[str, Mapping[int, int], str | tuple[float, ...], str]]
) -> None:
    from matplotlib.ticker import MaxNLocator

    values = sorted({value for _, counts, _, _ in series for value in counts})
    values = list(range(values[0], values[-1] + 1))
    width = 0.82 / len(series)
    for number, (label, counts, colour, hatch) in enumerate(series):
        total = sum(counts.values())
        axes.bar(
            [value + (number - (len(series) - 1) / 2) * width for value in values],
            [100 * counts.get(value, 0) / total for value in values],
            width=width,
            color=colour,
            hatch=hatch,
            edgecolor="white",
            linewidth=0.8,
            label=label or None,
        )
    axes.set_xticks(values[:: 1 + len(values) // 13])
    axes.margins(x=0.02, y=0.12)
    axes.yaxis.set_major_locator(MaxNLocator(5))
    axes.grid(axis="y", color=RULE, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(axis="x", length=0)


def draw_shapes(configs: Mapping[str, ConfigStatistics]) -> Figure:
    """Draw rows by depth and width of their clean plans, as a grid of counts."""
    depths = sorted({depth for one in configs.values() for depth, _ in one.shapes})
    widths = sorted({width for one in configs.values() for _, width in one.shapes})
    depths = list(range(depths[0], depths[-1] + 1))
    widths = list(range(widths[0], widths[-1] + 1))
    height = 1.25 + 0.5 * len(depths)
    figure = canvas(9, height)
    grid = figure.add_gridspec(
        1,
        len(configs),
        left=0.075,
        right=0.985,
        top=1 - 0.5 / height,
        bottom=0.6 / height,
        wspace=0.12,
    )
    for number, (config, one) in enumerate(configs.items()):
        axes = figure.add_subplot(grid[0, number])
        _cells(axes, one, depths, widths)
        axes.set_title(f"{heading(config)}: {one.all.rows:,} rows", pad=10)
        axes.set_xlabel("width: most calls in one layer")
        if number == 0:
            axes.set_ylabel("depth: layers of calls")
        else:
            axes.set_yticklabels([])
    return figure


def _cells(axes: Axes, one: ConfigStatistics, depths: list[int], widths: list[int]) -> None:
    from matplotlib.patches import Rectangle

    most = max(one.shapes.values())
    for row, depth in enumerate(depths):
        for column, width in enumerate(widths):
            count = one.shapes.get((depth, width), 0)
            # The square root keeps few rows apart from none.
            strength = 0.08 + 0.92 * (count / most) ** 0.5 if count else 0.0
            axes.add_patch(
                Rectangle(
                    (column - 0.5, row - 0.5),
                    1,
                    1,
                    facecolor=tint(COLOURS[STRUCTURAL], strength),
                    edgecolor="white",
                    linewidth=2,
                )
            )
            axes.text(
                column,
                row,
                f"{count:,}" if count else "·",
                ha="center",
                va="center",
                fontsize=min(10.0, 64 / len(widths)),
                color="white" if strength > 0.62 else INK if count else QUIET,
                weight="bold" if strength > 0.62 else "normal",
            )
    axes.set_xlim(-0.5, len(widths) - 0.5)
    axes.set_ylim(len(depths) - 0.5, -0.5)
    axes.set_xticks(range(len(widths)), [str(width) for width in widths])
    axes.set_yticks(range(len(depths)), [str(depth) for depth in depths])
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
