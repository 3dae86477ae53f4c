"""Draws one row: the plan that the agent holds, in layers, with what is wrong marked."""

from __future__ import annotations

import textwrap
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise, permutations
from typing import TYPE_CHECKING

from plan.graph import layers
from plan.json_text import Json, dumps, loads
from plan.reference import in_short
from plan.row import EXPLICIT, INJECTED, ErrorLabel, Row
from plan.task import RESPONSE, ROOT
from taxonomy.registry import kinds

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK = "#222222"
QUIET = "#666666"
EDGE = "#555555"
WRONG = "#D55E00"  # vermilion of Okabe and Ito
WRONG_INK = "#A34700"  # dark enough to read on white
WRONG_PAPER = "#FDEEE3"
SENT_PAPER = "#E4E4E4"
BAND = "#F6F6F6"

WIDTH = 9.0
LEFT, RIGHT = 1.12, 8.88
GAP = 0.22
LANE = 0.34
MOST_BOX = 2.6
LINE = 0.185
BIG, SMALL = 10.0, 9.0
MOST_LINES = 3
ARC = 0.46
# More elements than this in a layer are not ordered by trying out every order.
MOST_TRIED = 6

Dashes = str | tuple[int, tuple[float, float]]
WHOLE: Dashes = "-"
DASHED: Dashes = (0, (4, 2))

SENT, NOW, PENDING = "✓", "▶", "○"
STATES = {
    SENT: "sent before",
    NOW: "sent in\nthis round",
    PENDING: "pending",
}


@dataclass(frozen=True, slots=True)
class Box:
    """A task as it is drawn; lines that are wrong stand apart."""

    id: str
    title: str
    lines: tuple[tuple[str, bool], ...]
    mark: str
    wrong: bool
    wrong_title: bool = False
    ghost: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A dependency; ``says`` is empty where it is right."""

    source: str
    target: str
    says: str = ""
    lost: bool = False


def draw_row(row: Row) -> Figure:
    """Return a picture of a row's plan; call it within `hub_card.figures.style`.

    The query stands on top, below it each layer of calls in a band of its own, then the
    response, and at the bottom in words what is wrong.
    """
    scene = _Scene(row)
    return _Painter(scene).paint()


class _Scene:
    """What is to be drawn of a row: boxes by layer, lines, and words."""

    def __init__(self, row: Row) -> None:
        tasks = {task["id"]: task for task in loads(row.plan)["tasks"]}
        clean = {task["id"]: task for task in loads(row.clean_plan)["tasks"]}
        now = {seen["id"]: seen for seen in loads(row.observations)}
        self.query = row.query
        self.errors = [error for error in row.errors if error.origin == INJECTED]
        self.propagated = len(row.errors) - len(self.errors)
        self.round = row.t
        missing = {
            error.node: clean[error.node]
            for error in self.errors
            if error.node not in tasks and error.node in clean
        }
        calls = {id: task for id, task in tasks.items() if id not in (ROOT, RESPONSE)}
        calls |= missing
        depth = layers({id: task["dep"] for id, task in calls.items()})
        self.layers: list[list[str]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
        for id in calls:
            # A task on a cycle has no layer; it is drawn last, which is when it would run.
            self.layers[depth.get(id, len(self.layers) - 1)].append(id)
        wrong = {error.node: error for error in self.errors}
        self.names = {id: task["name"] for id, task in {**clean, **tasks}.items()}
        self.boxes = {
            id: _box(task, wrong.get(id), now.get(id), ghost=id in missing)
            for id, task in calls.items()
        }
        self.lost_keys = {
            id: [key for key in clean[id]["para"] if key not in tasks[id]["para"]]
            for id in wrong
            if id in tasks and id in clean
        }
        self.lines = list(_lines(tasks, clean, missing, wrong))
        self.words = list(self._words(now))

    def _words(self, now: Mapping[str, Mapping[str, Json]]) -> Iterator[tuple[str, list[str]]]:
        for error in self.errors:
            told = _told(error, self.names, self.lost_keys.get(error.node, []))
            if error.visibility == EXPLICIT and error.node in now:
                said = now[error.node]["results"]
                told.append(f"The call returned: {said if isinstance(said, str) else dumps(said)}")
            elif error.visibility != EXPLICIT:
                told.append(_HIDDEN[error.visibility])
            yield f"{error.kind}, round {error.round}", told
        if self.propagated:
            further = "error follows" if self.propagated == 1 else "errors follow"
            yield f"{self.propagated} further {further}", []


_HIDDEN = {
    "silent": "Nothing in the results says so.",
    "latent": "The call hasn't run yet, so no result can tell of it.",
    "masked": "Another failure hides it.",
}


def _box(
    task: Mapping[str, Json],
    error: ErrorLabel | None,
    seen: Mapping[str, Json] | None,
    *,
    ghost: bool,
) -> Box:
    pointer = error.pointer if error is not None else ""
    key = pointer.split("/")[2] if pointer.startswith("/para/") else ""
    key = key.replace("~1", "/").replace("~0", "~")
    lines = [(f"{name} = {in_short(value)}", name == key) for name, value in task["para"].items()]
    if key and key not in task["para"]:
        lines.append((f"{key} is missing", True))
    if ghost:
        lines.append(("isn't in the plan", True))
    if pointer == "/results" and seen is not None:
        said = seen["results"]
        lines.append((f"→ {said if isinstance(said, str) else dumps(said)}", True))
    lines.sort(key=lambda line: not line[1])
    if len(lines) > MOST_LINES:
        rest = len(lines) - MOST_LINES + 1
        lines = [*lines[: MOST_LINES - 1], (f"… and {rest} more", False)]
    state = NOW if seen is not None else SENT if task["status"] else PENDING
    return Box(
        id=task["id"],
        title=task["name"],
        lines=tuple(lines),
        mark="" if ghost else state,
        wrong=error is not None,
        wrong_title=pointer == "/name",
        ghost=ghost,
    )


def _lines(
    tasks: Mapping[str, Mapping[str, Json]],
    clean: Mapping[str, Mapping[str, Json]],
    missing: Mapping[str, Mapping[str, Json]],
    wrong: Mapping[str, ErrorLabel],
) -> Iterator[Line]:
    for id, task in tasks.items():
        error = wrong.get(id)
        before: set[str] = set()
        after: set[str] = set()
        if error is not None and error.pointer == "/dep":
            before, after = {*loads(error.before)}, {*loads(error.after)}
        # Where nothing else is left to wait for, root stands in for nothing.
        lost, added = before - after - {ROOT}, after - before - {ROOT}
        says = "wrong" if lost else "needless"
        for source in task["dep"]:
            yield Line(source, id, says if source in added else "")
        for source in sorted(lost):
            if source in tasks:
                yield Line(source, id, "lost", lost=True)
    for id, task in missing.items():
        for source in task["dep"]:
            if source in tasks:
                yield Line(source, id, " ", lost=True)
        for user, other in clean.items():
            if id in other["dep"] and user in tasks:
                yield Line(id, user, " ", lost=True)


def _told(error: ErrorLabel, names: Mapping[str, str], lost_keys: Sequence[str]) -> list[str]:
    """Return in words what an error is; ``lost_keys`` are the parameters that its task lost."""
    before, after = loads(error.before), loads(error.after)
    kind = kinds()[error.kind]
    summary = " ".join(kind.doc.strip().split("\n\n", 1)[0].split())
    node = f"{error.node} {names.get(error.node, '')}".strip()

    def listed(ids: Sequence[str]) -> str:
        return " and ".join(f"{id} {names.get(id, '')}".strip() for id in ids)

    if error.pointer == "/dep":
        lost = sorted({*before} - {*after} - {ROOT})
        added = sorted({*after} - {*before} - {ROOT})
        if lost and added:
            told = f"{node} waits for {listed(added)} and no longer for {listed(lost)}."
        elif lost:
            told = f"{node} no longer waits for {listed(lost)}."
        else:
            told = f"{node} waits for {listed(added)} for no reason."
    elif error.pointer == "/name":
        told = f"{node} stands where {before} is needed."
    elif error.pointer == "/results":
        told = f"{node} should have returned {_short(before)}."
    elif not error.pointer:
        told = f"{node} isn't in the plan." if after is None else f"{node} is needless."
    else:
        place = error.pointer.removeprefix("/para/")
        if after is None:
            told = f"{node}: {place} should be {_short(before)} and isn't there."
        elif before is None and len(lost_keys) == 1:
            told = f"{node}: the parameter {place} should be called {lost_keys[0]}."
        elif before is None:
            told = f"{node}: {place} is {_short(after)} and shouldn't be there."
        else:
            told = f"{node}: {place} should be {_short(before)} and is {_short(after)}."
    return [summary, told]


def _short(value: Json, room: int = 90) -> str:
    text = in_short(value)
    return text if len(text) <= room else text[: room - 1] + "…"


class _Painter:
    """Places a scene on a sheet that is nine inches wide, and draws it."""

    def __init__(self, scene: _Scene) -> None:
        from hub_card.figures import canvas

        self.scene = scene
        self.measure = _Measure()
        depth = {id: row for row, layer in enumerate(scene.layers) for id in layer}
        depth[ROOT], depth[RESPONSE] = -1, len(scene.layers)
        self.depth = depth
        self.rows, self.routes = _routed(scene.layers, scene.lines, depth)
        self.query = self.measure.wrap(scene.query, RIGHT - LEFT - 0.7, SMALL, 4)
        self.words = [
            (head, [line for text in told for line in self.measure.wrap(
                text, WIDTH - 0.75, SMALL, 3)])
            for head, told in scene.words
        ]  # fmt: skip
        self._place()
        self.figure = canvas(WIDTH, self.height)
        axes = self.figure.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        axes.set_xlim(0, WIDTH)
        axes.set_ylim(self.height, 0)
        self.axes: Axes = axes

    def _place(self) -> None:
        """Work out where everything stands, in inches from the upper left corner."""
        self.spots: dict[str, tuple[float, float, float, float]] = {}
        top = 0.2
        tall = LINE * len(self.query) + 0.18
        self.spots[ROOT] = (LEFT, top, RIGHT - LEFT, tall)
        top += tall + 0.62
        self.bands: list[tuple[float, float]] = []
        arched = {self.depth[one.target] for one in self.scene.lines if self._is_level(one)}
        for number, row in enumerate(self.rows):
            if number in arched and number:
                top += ARC - 0.1
            boxes = [id for id in row if id in self.scene.boxes]
            lanes = len(row) - len(boxes)
            room = RIGHT - LEFT - 0.24 - GAP * (len(row) - 1) - LANE * lanes
            wide = min(MOST_BOX, room / max(1, len(boxes)))
            tall = max(LINE * (1 + len(self.scene.boxes[id].lines)) + 0.2 for id in boxes)
            full = wide * len(boxes) + LANE * lanes + GAP * (len(row) - 1)
            left = (LEFT + RIGHT) / 2 - full / 2
            for id in row:
                own = wide if id in self.scene.boxes else LANE
                self.spots[id] = (left, top, own, tall)
                left += own + GAP
            self.bands.append((top - 0.16, tall + 0.32))
            top += tall + 0.7
        self.spots[RESPONSE] = ((LEFT + RIGHT) / 2 - 0.75, top - 0.02, 1.5, 0.36)
        top += 0.36 + 0.3
        self.panel = top
        lines = sum(1 + len(told) for _, told in self.words)
        self.height = top + LINE * lines + 0.12 * (len(self.words) - 1) + 0.28 + 0.15

    def paint(self) -> Figure:
        self._paint_bands()
        for line in self.scene.lines:
            self._paint_line(line)
        for id, box in self.scene.boxes.items():
            self._paint_box(id, box)
        self._paint_ends()
        self._paint_words()
        return self.figure

    def _text(
        self,
        x: float,
        y: float,
        text: str,
        size: float = SMALL,
        colour: str = INK,
        weight: str = "normal",
        ha: str = "left",
        va: str = "center",
    ) -> None:
        self.axes.text(
            x, y, drawable(text), fontsize=size, color=colour, weight=weight, ha=ha, va=va, zorder=6
        )

    def _frame(
        self,
        spot: tuple[float, float, float, float],
        face: str,
        edge: str,
        width: float,
        dashes: Dashes = WHOLE,
    ) -> None:
        from matplotlib.patches import FancyBboxPatch

        x, y, wide, tall = spot
        self.axes.add_patch(
            FancyBboxPatch(
                (x, y),
                wide,
                tall,
                boxstyle="round,pad=0,rounding_size=0.07",
                facecolor=face,
                edgecolor=edge,
                linewidth=width,
                linestyle=dashes,
                zorder=4,
            )
        )

    def _paint_bands(self) -> None:
        from matplotlib.patches import Rectangle

        for number, (top, tall) in enumerate(self.bands, 1):
            self.axes.add_patch(
                Rectangle((0.12, top), WIDTH - 0.24, tall, facecolor=BAND, linewidth=0, zorder=0)
            )
            states = {
                self.scene.boxes[id].mark
                for id in self.rows[number - 1]
                if id in self.scene.boxes and self.scene.boxes[id].mark
            }
            lines = [f"Layer {number}"]
            for mark in (SENT, NOW, PENDING):
                if mark in states:
                    first, *rest = STATES[mark].split("\n")
                    lines += [f"{mark} {first}", *rest]
            start = top + tall / 2 - LINE * (len(lines) - 1) / 2
            for at, line in enumerate(lines):
                self._text(
                    0.22,
                    start + LINE * at,
                    line,
                    SMALL if at == 0 else 8.0,
                    INK if at == 0 else QUIET,
                    "bold" if at == 0 else "normal",
                )

    def _paint_box(self, id: str, box: Box) -> None:
        spot = self.spots[id]
        x, y, wide, _ = spot
        face = "white" if box.mark != SENT else SENT_PAPER
        if box.wrong:
            self._frame(spot, WRONG_PAPER, WRONG, 2.4, DASHED if box.ghost else WHOLE)
        else:
            self._frame(spot, face, EDGE, 1.0, DASHED if box.mark == PENDING else WHOLE)
        room = wide - 0.2
        head = f"{box.mark} {box.id} ".lstrip()
        if box.wrong:
            head = f"✗ {head}"
        size = next(
            (
                size
                for size in (BIG, SMALL)
                if self.measure.width(head + box.title, size, bold=True) <= room
            ),
            SMALL,
        )
        title = self.measure.cut(head + box.title, room, size, bold=True)
        line = y + 0.1 + LINE / 2
        self._text(
            x + 0.1,
            line,
            title,
            size,
            WRONG_INK if box.wrong_title or box.ghost else INK,
            "bold",
        )
        for text, wrong in box.lines:
            line += LINE
            self._text(
                x + 0.1,
                line,
                self.measure.cut(text, room, SMALL, bold=wrong),
                SMALL,
                WRONG_INK if wrong else QUIET if box.ghost else INK,
                "bold" if wrong else "normal",
            )

    def _paint_ends(self) -> None:
        x, y, wide, tall = self.spots[ROOT]
        self._frame(self.spots[ROOT], SENT_PAPER, EDGE, 1.0)
        self._text(0.22, y + tall / 2, "Query", SMALL, INK, "bold")
        for number, line in enumerate(self.query):
            self._text(x + 0.12, y + 0.09 + LINE * (number + 0.5), line)
        x, y, wide, tall = self.spots[RESPONSE]
        self._frame(self.spots[RESPONSE], "white", EDGE, 1.0, DASHED)
        self._text(x + wide / 2, y + tall / 2, f"{PENDING} response", BIG, INK, "bold", ha="center")

    def _is_back(self, line: Line) -> bool:
        """Tell whether a line leads to no later layer, as a lost one may."""
        return line.source != ROOT and self.depth[line.target] <= self.depth[line.source]

    def _is_level(self, line: Line) -> bool:
        return self._is_back(line) and self.depth[line.target] == self.depth[line.source]

    def _ports(self, line: Line) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return where a line leaves its source and where it meets its target."""
        sx, sy, sw, st = self.spots[line.source]
        tx, ty, tw, tt = self.spots[line.target]
        if line.source == ROOT:
            return (tx + tw / 2, sy + st), (tx + tw / 2, ty)
        if self._is_back(line):
            side = 0.25 if sx > tx else 0.75
            # Up to a higher layer's lower edge, or over the top to a neighbour's upper edge.
            up = self.depth[line.target] < self.depth[line.source]
            return (sx + sw * side, sy), (tx + tw * (1 - side), ty + tt if up else ty)

        def slot(id: str, lines: list[Line], index: int, wide: float) -> float:
            step = min(0.42, (wide - 0.3) / max(1, len(lines)))
            return (index - (len(lines) - 1) / 2) * step

        def entry(one: Line) -> float:
            last = self.routes[one][-1] if self.routes.get(one) else one.source
            x, _, wide, _ = self.spots[last]
            return x + wide / 2

        def leave(one: Line) -> float:
            first = self.routes[one][0] if self.routes.get(one) else one.target
            x, _, wide, _ = self.spots[first]
            return x + wide / 2

        down = [one for one in self.scene.lines if one.source != ROOT and not self._is_back(one)]
        out = sorted((one for one in down if one.source == line.source), key=leave)
        into = sorted((one for one in down if one.target == line.target), key=entry)
        return (
            (sx + sw / 2 + slot(line.source, out, out.index(line), sw), sy + st),
            (tx + tw / 2 + slot(line.target, into, into.index(line), tw), ty),
        )

    def _paint_line(self, line: Line) -> None:
        from matplotlib.patches import PathPatch, Polygon
        from matplotlib.path import Path

        start, end = self._ports(line)
        points = [start]
        for lane in self.routes.get(line, ()):
            x, y, wide, tall = self.spots[lane]
            ends = [(x + wide / 2, y), (x + wide / 2, y + tall)]
            points += ends[::-1] if self._is_back(line) else ends
        points.append(end)
        vertices, codes = [start], [Path.MOVETO]
        level = self._is_level(line)
        label = (start[0] + end[0]) / 2, (points[-2][1] + end[1]) / 2
        if level:
            vertices += [(start[0], start[1] - ARC), (end[0], end[1] - ARC), end]
            codes += [Path.CURVE4] * 3
            label = label[0], start[1] - 0.75 * ARC
        else:
            label = (0.7 * points[-2][0] + 0.3 * end[0], 0.6 * points[-2][1] + 0.4 * end[1])
            for (x0, y0), (x1, y1) in pairwise(points):
                bend = 0.55 * (y1 - y0)
                vertices += [(x0, y0 + bend), (x1, y1 - bend), (x1, y1)]
                codes += [Path.CURVE4] * 3
        wrong = bool(line.says)
        colour, order = (WRONG, 5) if wrong else (EDGE, 3)
        size = 0.075 if wrong else 0.055
        x, y = end
        # A head of its own stays whole where the line is dashed, and the line ends behind it.
        back = size if end[1] > vertices[-2][1] else -size
        head = [end, (x - size, y - 2 * back), (x + size, y - 2 * back)]
        vertices[-1] = (x, y - back)
        self.axes.add_patch(
            PathPatch(
                Path(vertices, codes),
                facecolor="none",
                edgecolor=colour,
                linewidth=2.4 if wrong else 1.1,
                linestyle=(0, (3, 1.6)) if line.lost else "-",
                zorder=order,
            )
        )
        self.axes.add_patch(Polygon(head, closed=True, facecolor=colour, linewidth=0, zorder=order))
        if line.says.strip():
            self.axes.text(
                *label,
                line.says,
                fontsize=SMALL,
                weight="bold",
                color=WRONG_INK,
                ha="center",
                va="center",
                zorder=7,
                bbox={"facecolor": "white", "edgecolor": WRONG, "pad": 2, "linewidth": 0.8},
            )

    def _paint_words(self) -> None:
        from matplotlib.patches import Rectangle

        tall = self.height - self.panel - 0.15
        self.axes.add_patch(
            Rectangle(
                (0.12, self.panel), WIDTH - 0.24, tall, facecolor=WRONG_PAPER, linewidth=0, zorder=1
            )
        )
        self.axes.add_patch(
            Rectangle((0.12, self.panel), 0.07, tall, facecolor=WRONG, linewidth=0, zorder=2)
        )
        y = self.panel + 0.14 + LINE / 2
        for head, told in self.words:
            self._text(0.34, y, f"✗ {head}", BIG, WRONG_INK, "bold")
            y += LINE
            for line in told:
                self._text(0.34, y, line)
                y += LINE
            y += 0.12


def _routed(
    rows: Sequence[Sequence[str]], lines: Sequence[Line], depth: Mapping[str, int]
) -> tuple[list[list[str]], dict[Line, list[str]]]:
    """Return each row in a good order, with lanes for lines that pass through, and the lanes.

    A lane is a place in a row that a line takes; its name is none that a task may have.
    """
    placed = [list(row) for row in rows]
    routes: dict[Line, list[str]] = {}
    links: list[tuple[str, str]] = []
    for number, line in enumerate(lines):
        if line.source == ROOT:
            continue
        upper, lower = line.source, line.target
        if depth[upper] > depth[lower]:
            upper, lower = lower, upper
        lanes = []
        for row in range(depth[upper] + 1, depth[lower]):
            lanes.append(f"\0{number}:{row}")
            placed[row].append(lanes[-1])
        if lanes:
            routes[line] = lanes if upper == line.source else lanes[::-1]
        if depth[upper] < depth[lower]:
            links += pairwise([upper, *lanes, lower])
    above: dict[str, list[str]] = {}
    below: dict[str, list[str]] = {}
    for upper, lower in links:
        above.setdefault(lower, []).append(upper)
        below.setdefault(upper, []).append(lower)
    at = {RESPONSE: 0.0}
    for names in placed:
        _spread(names, at)
    for down in (True, False, True, False, True):
        near = above if down else below
        for index in range(len(placed)) if down else reversed(range(len(placed))):
            placed[index] = _ordered(placed[index], near, at)
            _spread(placed[index], at)
    return placed, routes


def _spread(row: Sequence[str], at: dict[str, float]) -> None:
    for place, id in enumerate(row):
        at[id] = place - (len(row) - 1) / 2


def _ordered(
    row: Sequence[str], near: Mapping[str, Sequence[str]], at: Mapping[str, float]
) -> list[str]:
    if len(row) > MOST_TRIED:
        return sorted(
            row,
            key=lambda id: sum(at[one] for one in near.get(id, ())) / max(1, len(near.get(id, ()))),
        )

    def cost(order: Iterable[str]) -> tuple[int, float]:
        order = list(order)
        ends = [
            (place - (len(order) - 1) / 2, at[one])
            for place, id in enumerate(order)
            for one in near.get(id, ())
        ]
        crossed = sum(
            (a - c) * (b - d) < 0
            for number, (a, b) in enumerate(ends)
            for c, d in ends[number + 1 :]
        )
        return crossed, sum(abs(a - b) for a, b in ends)

    best = min(permutations(row), key=cost)
    return list(best)


class _Measure:
    """How wide texts are, in inches."""

    def __init__(self) -> None:
        from hub_card.figures import canvas

        figure = canvas(1, 1)
        self._dots = figure.dpi
        self._renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined]  # Agg's own

    def width(self, text: str, size: float, *, bold: bool = False) -> float:
        from matplotlib.font_manager import FontProperties

        font = FontProperties(size=size, weight="bold" if bold else "normal")
        wide, _, _ = self._renderer.get_text_width_height_descent(drawable(text), font, False)
        return float(wide) / self._dots

    def cut(self, text: str, room: float, size: float, *, bold: bool = False) -> str:
        text = " ".join(text[:300].split())
        if self.width(text, size, bold=bold) <= room:
            return text
        kept = bisect_right(
            range(1, len(text)),
            room,
            key=lambda length: self.width(text[:length] + "…", size, bold=bold),
        )
        return text[:kept].rstrip() + "…"

    def wrap(self, text: str, room: float, size: float, most: int) -> list[str]:
        """Return a text in at most so many lines, cut off behind them."""
        words = [
            part
            for word in text.split()
            for part in textwrap.wrap(word, 60, break_on_hyphens=False)
        ]
        lines: list[str] = []
        line = ""
        for place, word in enumerate(words):
            longer = f"{line} {word}".strip()
            if not line or self.width(longer, size) <= room:
                line = longer
                continue
            if len(lines) == most - 1:
                return [*lines, self.cut(" ".join([line, *words[place:]]), room, size)]
            lines.append(line)
            line = word
        return [*lines, line]


@cache
def _known_characters() -> frozenset[int]:
    from matplotlib.font_manager import FontProperties, findfont, get_font

    return frozenset(get_font(findfont(FontProperties(family="DejaVu Sans"))).get_charmap())


def drawable(text: str) -> str:
    """Return a text with "?" for what the font has no sign for."""
    known = _known_characters()
    return "".join(one if ord(one) in known else "?" for one in text)
