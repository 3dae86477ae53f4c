"""One row, drawn for people: the plan in layers, what is wrong, what happened, the way out."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from plan.graph import layers
from plan.json_text import Json, dumps, loads
from plan.reference import in_short
from plan.row import INJECTED, ErrorLabel, Row
from plan.task import RESPONSE, ROOT, Plan, Task
from scoring.rows import PREVIEW

Paint = Callable[[str, str], str]
"""Colours a text: takes it and a colour's name."""

SENT, NOW, PENDING = "✓", "▶", "○"
KEY = f"{SENT} sent before   {NOW} sent in this round   {PENDING} pending   ✗ something is wrong"


def plain(text: str, colour: str) -> str:
    """Paint nothing."""
    return text


def find_files(folder: Path) -> list[Path]:
    """Return the Parquet files of a build or release in order, without a release's preview."""
    return sorted(path for path in folder.glob("data/*/*.parquet") if path.parent.name != PREVIEW)


def find_row(files: Sequence[Path], id: str | None, kind: str | None) -> tuple[Row, Path] | None:
    """Return a row and its file, or None.

    Args:
        files: Parquet files of rows.
        id: the row's ``instance_id`` or its unmistakable beginning; None for any row.
        kind: with no id, a kind that the row must have.
    """
    import pyarrow.parquet as pq

    for path in files:
        table = pq.read_table(path, columns=["instance_id", "error_kinds"])
        ids = table["instance_id"].to_pylist()
        if id is not None:
            fitting = [place for place, own in enumerate(ids) if own.startswith(id)]
        else:
            owned = table["error_kinds"].to_pylist()
            fitting = [place for place, kinds in enumerate(owned) if kind is None or kind in kinds]
        if fitting:
            # Ids are hashes, so the least of them is as good as a draw.
            place = min(fitting, key=lambda place: ids[place])
            return _row_at(path, place), path
    return None


def _row_at(path: Path, place: int) -> Row:
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        for group in range(file.num_row_groups):
            rows = file.metadata.row_group(group).num_rows
            if place < rows:
                record = file.read_row_group(group).slice(place, 1).to_pylist()[0]
                return Row.from_record(record)
            place -= rows
    raise IndexError(place)


def list_ids(files: Sequence[Path], number: int) -> list[tuple[str, list[str]]]:
    """Return the ids and kinds of a few rows, spread over the first file."""
    import pyarrow.parquet as pq

    table = pq.read_table(files[0], columns=["instance_id", "error_kinds"])
    step = max(1, table.num_rows // number)
    return [
        (table["instance_id"][place].as_py(), table["error_kinds"][place].as_py())
        for place in range(0, table.num_rows, step)
    ][:number]


def draw(row: Row, width: int, paint: Paint = plain) -> str:
    """Return a row as text, ``width`` columns wide at most where words allow it."""
    plan = Plan.from_json(loads(row.plan))
    gold = Plan.from_json(loads(row.gold_plan))
    observations = loads(row.observations)
    now = {seen["id"] for seen in observations}
    injected = [error for error in row.errors if error.origin == INJECTED]
    propagated = [error for error in row.errors if error.origin != INJECTED]
    bad = {error.node for error in row.errors}
    out: list[str] = []

    def head(text: str) -> None:
        out.extend(["", paint(text, "heading")])

    kinds = " then ".join(row.error_kinds) or "no error: a control row"
    out.append(paint(f"{row.instance_id}  {kinds}", "heading"))
    out.append(
        f"{row.level}, state of round {row.t}; from {row.source_id}; the clean plan takes "
        f"{row.round_gt} rounds and {row.funcall_times_gt} calls"
    )
    head("What the user wants")
    out += _wrapped(row.query, width, "  ")
    head(f"The plan as the agent holds it, G({row.t - 1})")
    out += _layers(plan, width, paint, now, bad)
    out.append(paint(f"  {KEY}", "dim"))
    head("What is wrong")
    if not row.errors:
        out.append("  nothing")
    for error in injected:
        out += _error(error, width, paint)
    if propagated:
        out.append(f"  {len(propagated)} further, brought about by these:")
        for error in propagated:
            root = row.errors[error.root].node if error.root >= 0 else "?"
            out += _clipped(
                f"    round {error.round}, {error.node}{error.pointer} after {root}: "
                f"{error.before} → {error.after}",
                width,
            )
    head("What happened")
    history = loads(row.history)
    rounds = [(past["round"], past["observations"]) for past in history]
    for number, seen in [*rounds, (row.t, observations)]:
        out.append(f"  round {number}")
        for one in seen:
            text = f"    {one['id']} {one['name']}({_arguments(one['arguments'])})"
            out += _clipped(text, width)
            out += [
                paint(line, "dim") for line in _clipped(f"      → {_text(one['results'])}", width)
            ]
    head(f"The gold recovery, answered in round {row.recovery_round_gt}")
    out += _layers(gold, width, paint, set(), set(), _differences(plan, gold))
    dropped = [id for id in plan.tasks if id not in gold.tasks]
    if dropped:
        out.append(f"  dropped: {', '.join(dropped)}")
    return "\n".join(out)


def _layers(
    plan: Plan,
    width: int,
    paint: Paint,
    now: set[str],
    bad: set[str],
    notes: Mapping[str, str] | None = None,
) -> Iterator[str]:
    found = layers({id: before for id, before in plan.dependencies.items() if id != ROOT})
    stuck = max(found.values(), default=0) + 1
    tasks = [task for id, task in plan.tasks.items() if id != ROOT]
    tasks.sort(key=lambda task: found.get(task.id, stuck))
    last = -1
    for task in tasks:
        layer = found.get(task.id, stuck)
        label = f"{layer + 1:>4} " if layer != last else "     "
        last = layer
        mark = SENT if task.status else NOW if task.id in now else PENDING
        colour = "good" if task.status else "now" if task.id in now else "dim"
        if task.id in bad:
            mark, colour = mark + "✗", "bad"
        before = [id for id in task.depends_on if id != ROOT]
        after = f" ⟵ {', '.join(before)}" if before else ""
        note = f"  [{notes[task.id]}]" if notes and task.id in notes else ""
        text = RESPONSE if task.id == RESPONSE else f"{task.name}({_arguments(task.arguments)})"
        room = max(20, width - len(label) - len(mark) - len(task.id) - len(after) - len(note) - 4)
        yield (
            f"{label} {paint(mark, colour)} {task.id if task.id != RESPONSE else ''} "
            f"{paint(_clip(text, room), colour)}{after}{note}"
        ).replace("  response", " response")


def _error(error: ErrorLabel, width: int, paint: Paint) -> Iterator[str]:
    yield (
        "  "
        + paint(f"round {error.round}: {error.kind} at {error.node}{error.pointer}", "bad")
        + f"  {error.dimension}, {error.visibility}"
    )
    yield from _clipped(f"    was  {error.before}", width)
    yield from _clipped(f"    is   {error.after}", width)
    if error.affected:
        yield from _clipped(f"    so {', '.join(error.affected)} can't be right", width)


def _differences(plan: Plan, gold: Plan) -> dict[str, str]:
    notes: dict[str, str] = {}
    for id, task in gold.tasks.items():
        before = plan.tasks.get(id)
        if before is None:
            notes[id] = "new"
        elif id != RESPONSE and not task.status:
            changed = _changed(before, task)
            if changed:
                notes[id] = f"mended: {', '.join(changed)}"
    return notes


def _changed(before: Task, after: Task) -> list[str]:
    changed = []
    if before.name != after.name:
        changed.append("name")
    changed += [
        name
        for name in sorted({*before.arguments, *after.arguments})
        if dumps(before.arguments.get(name)) != dumps(after.arguments.get(name))
    ]
    if {*before.depends_on} != {*after.depends_on}:
        changed.append("dep")
    return changed


def _arguments(arguments: Mapping[str, Json]) -> str:
    return ", ".join(f"{name}={in_short(value)}" for name, value in arguments.items())


def _text(value: Json) -> str:
    return value if isinstance(value, str) else dumps(value)


def _clip(text: str, room: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= room else text[: max(room - 1, 1)] + "…"


def _clipped(text: str, width: int, lines: int = 3) -> list[str]:
    """Return a text in a few lines, the rest cut off, indented as it begins."""
    indent = " " * (len(text) - len(text.lstrip()))
    # What is cut off needn't be wrapped first: results may be megabytes long.
    wrapped = list(_wrapped(text.strip()[: width * (lines + 1)], width, indent))
    if len(wrapped) > lines or len(text) > width * (lines + 1):
        wrapped = wrapped[:lines]
        wrapped[-1] = _clip_end(wrapped[-1], width)
    return wrapped


def _clip_end(line: str, width: int) -> str:
    return (line if len(line) < width else line[: width - 1]) + "…"


def _wrapped(text: str, width: int, indent: str) -> Iterable[str]:
    for paragraph in text.splitlines() or [""]:
        yield from textwrap.wrap(
            paragraph,
            max(width, 20),
            initial_indent=indent,
            subsequent_indent=indent,
            break_on_hyphens=False,
        )
