"""Distributions over error kinds: the paper's tables, a uniform one, or a user's file.

A file is JSON or CSV, told apart by its ending:

- JSON: ``{"Type_Error": 0.5, "Null_Error": 0.5}``, the same for every error round, or
  ``{"rounds": [{…}, {…}, {…}]}`` with one object for each error round; later rounds use
  the last.
- CSV: a header ``kind,share``, or ``kind,round1,round2,…``, then one line for each kind.

Each column holds shares that add up to 1 (within 1e-6) or counts (whole numbers). Kinds
that aren't named get nothing.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from builder.refusal import Refusal
from plan.json_text import Json

PAPER = "paper"
UNIFORM = "uniform"

# Tables 10 and 11 of the paper: rows of each kind in LEVEL-1, and in LEVEL-2 as the first,
# second and third error of a row.
TABLES: Mapping[str, tuple[int, int, int, int]] = {
    "Parameter_Missing": (333, 429, 443, 198),
    "Parameter_Invalid": (341, 528, 544, 204),
    "Parameter_Error": (276, 428, 416, 187),
    "Type_Error": (322, 598, 553, 197),
    "Tool_name_Error": (258, 554, 485, 181),
    "Tool_select_Error": (266, 435, 370, 177),
    "Toolcall_Missing": (307, 558, 554, 203),
    "Toolcall_Redundancy": (296, 540, 530, 206),
    "Dependence_Error": (278, 449, 483, 208),
    "Dependence_Null": (252, 395, 417, 203),
    "Serial_Error": (407, 506, 494, 191),
    "Parallelism_Error": (268, 353, 397, 214),
    "Null_Error": (210, 394, 456, 189),
    "Timeout_Error": (219, 426, 451, 191),
}

SHAPE = (
    'JSON {"Kind": share, …} or {"rounds": [{"Kind": share, …}, …]}, '
    "or CSV with the header kind,share or kind,round1,round2,…"
)


@dataclass(frozen=True, slots=True)
class Distribution:
    """Weights of each kind, one column for each error round.

    Attributes:
        name: paper, uniform, or the file's name.
        kinds: every kind that there is, in the registry's order.
        columns: weights in the order of ``kinds``; each column's sum is over 0.
    """

    name: str
    kinds: tuple[str, ...]
    columns: tuple[tuple[Fraction, ...], ...]

    def column(self, index: int) -> tuple[Fraction, ...]:
        """Return the weights of a row's k-th error, ``index`` from 0."""
        return self.columns[min(index, len(self.columns) - 1)]

    def to_json(self) -> dict[str, Json]:
        """Return the distribution's spelling in a manifest; weights as exact text."""
        return {
            "name": self.name,
            "columns": [
                {kind: str(weight) for kind, weight in zip(self.kinds, column, strict=True)}
                for column in self.columns
            ],
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Json], kinds: Sequence[str]) -> Distribution:
        """Read what `to_json` writes.

        Raises:
            Refusal: it names a kind that isn't known here.
        """
        unknown = sorted({kind for column in value["columns"] for kind in column} - {*kinds})
        if unknown:
            raise Refusal(
                f"distribution {value['name']!r}",
                f"unknown kinds {', '.join(unknown)}",
                f"kinds among {', '.join(kinds)}",
                "use the version that the manifest was written by",
            )
        return cls(
            value["name"],
            tuple(kinds),
            tuple(
                tuple(Fraction(column.get(kind, "0")) for kind in kinds)
                for column in value["columns"]
            ),
        )


def choose(text: str, level: str, kinds: Sequence[str]) -> Distribution:
    """Return the distribution that ``--distribution`` names.

    Args:
        text: paper, uniform, or the path of a file.
        level: level1 or level2; the paper's differs.
        kinds: every kind that there is.

    Raises:
        Refusal: the file can't be read or isn't a distribution.
    """
    if text == PAPER:
        places = (0,) if level == "level1" else (1, 2, 3)
        nothing = (0, 0, 0, 0)
        columns = tuple(
            tuple(Fraction(TABLES.get(kind, nothing)[place]) for kind in kinds) for place in places
        )
        return Distribution(PAPER, tuple(kinds), columns)
    if text == UNIFORM:
        return Distribution(UNIFORM, tuple(kinds), (tuple(Fraction(1) for _ in kinds),))
    path = Path(text)
    if not path.exists():
        raise Refusal(
            f"--distribution {text}",
            "there is no such file",
            f"{PAPER}, {UNIFORM}, or a file with {SHAPE}",
            "check the path",
        )
    columns_by_kind = _read_csv(path) if path.suffix.lower() == ".csv" else _read_json(path)
    return Distribution(path.name, tuple(kinds), tuple(_checked(path, columns_by_kind, kinds)))


def _refuse(path: Path, found: str, remedy: str = "correct the file") -> Refusal:
    return Refusal(f"--distribution {path}", found, SHAPE, remedy)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise _refuse(path, f"no UTF-8 text at byte {error.start}") from None


def _read_json(path: Path) -> list[list[tuple[str, Json]]]:
    # Pairs keep a key that stands twice; decimal text stays exact.
    try:
        value = json.loads(_text(path), object_pairs_hook=lambda pairs: pairs, parse_float=Fraction)
    except (ValueError, RecursionError) as error:
        raise _refuse(path, f"no JSON: {error}") from None
    if not _is_pairs(value):
        raise _refuse(path, "no JSON object with a kind in it")
    if len(value) == 1 and value[0][0] == "rounds":
        columns = value[0][1]
        if not isinstance(columns, list) or not columns or not all(map(_is_pairs, columns)):
            raise _refuse(path, 'no list of objects under "rounds"')
        return columns
    return [value]


def _is_pairs(value: Json) -> bool:
    return (
        isinstance(value, list) and bool(value) and all(isinstance(item, tuple) for item in value)
    )


def _read_csv(path: Path) -> list[list[tuple[str, Json]]]:
    lines = [line for line in csv.reader(_text(path).splitlines()) if any(map(str.strip, line))]
    if len(lines) < 2 or lines[0][0].strip() != "kind" or len(lines[0]) < 2:
        raise _refuse(path, "no header that begins with kind, followed by lines")
    width = len(lines[0])
    for number, line in enumerate(lines[1:], 2):
        if len(line) != width:
            raise _refuse(path, f"line {number} has {len(line)} columns, the header {width}")
    columns: list[list[tuple[str, Json]]] = []
    for place in range(1, width):
        column: list[tuple[str, Json]] = []
        for line in lines[1:]:
            text = line[place].strip() or "0"
            try:
                number_ = Fraction(text)
                is_whole = text.lstrip("+-").isdecimal()
                column.append((line[0].strip(), int(number_) if is_whole else number_))
            except (ValueError, ZeroDivisionError):
                column.append((line[0].strip(), text))
        columns.append(column)
    return columns


def _checked(
    path: Path, columns: list[list[tuple[str, Json]]], kinds: Sequence[str]
) -> list[tuple[Fraction, ...]]:
    problems: list[str] = []
    checked: list[tuple[Fraction, ...]] = []
    for number, column in enumerate(columns, 1):
        where = f"round {number}: " if len(columns) > 1 else ""
        weights: dict[str, Fraction] = {}
        sound = True
        for kind, value in column:
            fault = None
            if kind not in kinds:
                fault = f"{kind!r} is no kind"
            elif kind in weights:
                fault = f"{kind} stands twice"
            elif not _is_number(value):
                fault = f"{kind} has {value!r}, no finite number"
            elif value < 0:
                fault = f"{kind} has {float(value):g}, less than 0"
            else:
                weights[kind] = Fraction(value)
            if fault:
                problems.append(where + fault)
                sound = False
        total = sum(weights.values(), Fraction(0))
        counts = all(isinstance(value, int) for _, value in column)
        if sound and (total == 0 or (not counts and abs(total - 1) > Fraction(1, 10**6))):
            problems.append(f"{where}the shares add up to {float(total):.6g}, not 1")
        checked.append(tuple(weights.get(kind, Fraction(0)) for kind in kinds))
    if problems:
        shown = "; ".join(problems[:6])
        more = f"; and {len(problems) - 6} more" if len(problems) > 6 else ""
        raise Refusal(
            f"--distribution {path}",
            shown + more,
            "for each round, shares that add up to 1, or counts, of kinds among "
            + ", ".join(kinds),
            "correct the file; `pararecover kinds` lists the kinds",
        )
    return checked


def _is_number(value: Json) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, (int, Fraction)) and not isinstance(value, bool)
