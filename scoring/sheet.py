"""Sheets for people who judge: a CSV to fill in, and the reading of it.

A sheet has a column ``instance_id``, perhaps ``epoch``, and a column for each item that is
judged, with 1, 0.5, 0, or nothing. Further columns are there to be read.
"""

from __future__ import annotations

import csv
import hashlib
import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan
from pathlib import Path

from scoring.answer import Answer, Plan, plan_of
from scoring.case import Case
from scoring.json_text import Json, dumps
from scoring.judgements import COMPUTED, Judgement, Judgements, allowed, is_score
from scoring.lines import refuse_os_error
from scoring.predictions import FIRST_EPOCH, Key, Predictions
from scoring.refusal import Problem, Refusal, short
from scoring.rubric import ITEMS, KEYS

MATERIAL = (
    "level",
    "query",
    "tools",
    "history",
    "previous_plan",
    "observations",
    "errors",
    "gold_plan",
    "thought",
    "plan",
)
COLUMNS = (
    "instance_id",
    "epoch",
    *MATERIAL,
    *(item.key for item in ITEMS if item.key not in COMPUTED),
    "note",
)

CELL = 32_000
"""Characters of a cell; spreadsheets break cells of more than 32,767."""

_EMPTY = frozenset(("", "-", "n/a", "na", "nan"))


@dataclass(frozen=True, slots=True)
class Entry:
    """An answer to judge, with its row."""

    case: Case
    answer: Answer
    epoch: int = FIRST_EPOCH


def sample(
    records: Iterable[Mapping[str, Json]], predictions: Predictions, size: int, seed: int
) -> list[Entry]:
    """Draw answers at random; a larger sample of the same seed begins with a smaller one.

    Args:
        records: rows.
        predictions: answers to them.
        size: how many at most.
        seed: decides which, whatever order the rows come in.
    """
    found = (
        (_lot(seed, (record["instance_id"], epoch)), record, epoch)
        for record in records
        for epoch in predictions.epochs
        if (record["instance_id"], epoch) in predictions.by_key
    )
    drawn = heapq.nsmallest(size, found, key=lambda one: one[0])
    return [
        Entry(
            Case.from_record(record),
            predictions.by_key[record["instance_id"], epoch].read(),
            epoch,
        )
        for _, record, epoch in drawn
    ]


def _lot(seed: int, key: Key) -> bytes:
    return hashlib.sha256(dumps([seed, *key]).encode("utf-8", "surrogatepass")).digest()


def write_sheet(path: Path, entries: Iterable[Entry]) -> None:
    """Write a sheet to fill in: comma-separated, UTF-8 with a byte order mark.

    Raises:
        Refusal: it can't be written.
    """
    try:
        # The mark makes spreadsheets read it as UTF-8.
        with path.open("w", encoding="utf-8-sig", errors="backslashreplace", newline="") as file:
            out = csv.DictWriter(file, COLUMNS, restval="")
            out.writeheader()
            for entry in entries:
                out.writerow({key: _cell(text) for key, text in _shown(entry).items()})
    except OSError as error:
        raise refuse_os_error(error, path) from None


def _shown(entry: Entry) -> dict[str, str]:
    case, answer = entry.case, entry.answer
    plan = f"(no plan could be read: {answer.problem})" if answer.plan is None else ""
    return {
        "instance_id": case.instance_id,
        "epoch": str(entry.epoch),
        "level": case.level,
        "query": case.query,
        "tools": "\n".join(_tool(tool) for tool in case.tools.values()),
        "history": "\n\n".join(
            f"round {past['round']}\n{plan_text(plan_of(past['plan']))}\n"
            f"returned\n{_observations(past['observations'])}"
            for past in case.history
        ),
        "previous_plan": plan_text(case.plan),
        "observations": _observations(case.observations),
        "errors": "\n".join(map(_error, case.errors)),
        "gold_plan": plan_text(case.gold),
        "thought": answer.thought,
        "plan": plan or plan_text(answer.plan or {}),
    }


def plan_text(plan: Plan) -> str:
    """Return a plan as lines for people: id, whether sent, call, what it waits for."""
    return "\n".join(
        f"{task.id} [{'sent' if task.status else 'pending'}] {_call(task.name, task.arguments)}"
        + (f" after {', '.join(task.depends_on)}" if task.depends_on else "")
        for task in plan.values()
    )


def _call(name: str, arguments: Mapping[str, Json]) -> str:
    inside = ", ".join(f"{key}={dumps(value)}" for key, value in arguments.items())
    return f"{name}({inside})"


def _tool(tool: Mapping[str, Json]) -> str:
    return f"{tool['name']}: {tool.get('description', '')} {dumps(tool.get('parameters'))}"


def _observations(observations: Sequence[Mapping[str, Json]]) -> str:
    return "\n".join(
        f"{seen['id']} {_call(seen['name'], seen['arguments'])} -> {dumps(seen['results'])}"
        for seen in observations
    )


def _error(error: Mapping[str, Json]) -> str:
    affected = ", ".join(error["affected"]) or "nothing"
    return (
        f"round {error['round']}, {error['origin']} {error['kind']} in {error['node']} at "
        f"{error['pointer'] or 'the whole task'}: {error['before']} became {error['after']}; "
        f"{error['visibility']}; affects {affected}"
    )


def _cell(text: str) -> str:
    # A spreadsheet would take these for formulas.
    if text.startswith(("=", "+", "-", "@", "\t", "\r")):
        text = "'" + text
    if len(text) <= CELL:
        return text
    half = CELL // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half} characters left out …]\n{text[-half:]}"


def read_sheet(path: Path) -> Judgements:
    """Read a sheet, separated by commas, semicolons or tabs, as judgements of a person.

    An item without a column or without a score is NaN; lines without any score are passed
    over. A decimal comma is read as a point.

    Raises:
        Refusal: the file can't be read, or its first line names no items.
    """
    judge = f"human:{path.name.partition('.')[0]}"
    by_key: dict[Key, Judgement] = {}
    problems: list[Problem] = []
    duplicates: list[Problem] = []
    for line, cells in _cells(path):
        where = f"{path}:{line}"
        key = _key(where, cells)
        if isinstance(key, Problem):
            if any(cells.get(item) for item in KEYS):
                problems.append(key)
            continue
        scores = dict.fromkeys(KEYS, nan)
        for item in KEYS:
            score = _score(where, item, cells.get(item, ""))
            if isinstance(score, Problem):
                problems.append(score)
            else:
                scores[item] = score
        if all(map(isnan, scores.values())):
            continue
        if key in by_key:
            found = f"{key[0]}, epoch {key[1]}, stands in a line before too"
            duplicates.append(Problem(where, found, "one line per answer; the last counts"))
        by_key[key] = Judgement(key[0], judge, scores, {}, key[1])
    return Judgements(by_key, tuple(problems), tuple(duplicates))


def _cells(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield each line's number and its cells by column; lines of blank cells are left out."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            first = file.readline()
            file.seek(0)
            reader = csv.reader(file, delimiter=max(",;\t", key=first.count))
            columns = [name.strip().casefold() for name in next(reader, [])]
            _check(path, columns)
            line = reader.line_num + 1
            for cells in reader:
                if any(cell.strip() for cell in cells):
                    yield (
                        line,
                        {name: cell.strip() for name, cell in zip(columns, cells, strict=False)},
                    )
                line = reader.line_num + 1
    except UnicodeDecodeError as error:
        raise Refusal(
            str(path),
            f"byte {error.start + 1} is no UTF-8",
            "a sheet in UTF-8",
            "save it as “CSV UTF-8”",
        ) from None
    except csv.Error as error:
        raise Refusal(
            str(path), f"no CSV ({error})", "a sheet as CSV", "save it as “CSV UTF-8”"
        ) from None
    except OSError as error:
        raise refuse_os_error(error, path) from None


def _check(path: Path, columns: list[str]) -> None:
    items = [name for name in columns if name in KEYS]
    twice = [name for name in ("instance_id", "epoch", *KEYS) if columns.count(name) > 1]
    if "instance_id" in columns and items and not twice:
        return
    found = f"{twice[0]} stands twice" if twice else f"the columns {short(', '.join(columns))}"
    raise Refusal(
        f"{path}:1",
        found,
        "a first line with instance_id, perhaps epoch, and items (s1 to e5), each once",
        "write a sheet to fill in: python -m scoring.agreement --sheet FILE --rows … ",
    )


def _key(where: str, cells: Mapping[str, str]) -> Key | Problem:
    instance_id = cells.get("instance_id", "")
    if not instance_id:
        return Problem(f"{where}, column instance_id", "nothing", "a row's instance_id")
    epoch = cells.get("epoch") or str(FIRST_EPOCH)
    if not epoch.isdecimal():
        return Problem(f"{where}, column epoch", short(epoch), "an integer, or nothing")
    return instance_id, int(epoch)


def _score(where: str, item: str, cell: str) -> float | Problem:
    if cell.casefold() in _EMPTY:
        return nan
    try:
        score = float(cell.replace(",", "."))
    except ValueError:
        score = nan
    if not is_score(item, score):
        return Problem(f"{where}, column {item}", short(cell), f"{allowed(item)}, or nothing")
    return score
