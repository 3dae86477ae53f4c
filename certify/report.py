"""What came out of certifying a folder: for people as text, for programs as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from certify.kinds import KINDS
from plan.json_text import Json
from plan.problem import Problem

MOST_SHOWN = 20
"""Problems that the text lists; the JSON has all that were kept."""

MOST_KEPT = 1000
"""Problems that are kept word for word; all are counted."""


@dataclass(frozen=True, slots=True)
class Found:
    """A problem, with the file it stands in and the row, if it is one of a row."""

    file: str
    instance_id: str
    problem: Problem

    def __str__(self) -> str:
        where = f"{self.file}: {self.instance_id}" if self.instance_id else self.file
        return f"{where}: {self.problem}"

    def to_json(self) -> dict[str, Json]:
        """Return the problem as plain values."""
        return {
            "file": self.file,
            "instance_id": self.instance_id,
            "code": self.problem.code,
            "path": self.problem.path,
            "message": self.problem.message,
        }


@dataclass(slots=True)
class Report:
    """The outcome of `certify.build.certify_folder`.

    Attributes:
        rows: rows read, by (level, split).
        certified: rows without a problem.
        failed: rows with one or more.
        controls: rows without an error, as declared.
        kinds: injected errors by kind: certified, and standing in a failed row.
        matrix: injected errors by (declared kind, found kind).
        codes: problems by code.
        problems: the first of them, in the order of files and rows.
    """

    rows: Counter[tuple[str, str]] = field(default_factory=Counter)
    certified: int = 0
    failed: int = 0
    controls: int = 0
    kinds: dict[str, Counter[str]] = field(default_factory=dict)
    matrix: Counter[tuple[str, str]] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    problems: list[Found] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether nothing at all is wrong."""
        return not self.codes

    def add(self, found: Found) -> None:
        """Count a problem, and keep it while there is room."""
        self.codes[found.problem.code] += 1
        if len(self.problems) < MOST_KEPT:
            self.problems.append(found)

    def take(self, other: Report) -> None:
        """Add the outcome of further rows."""
        self.rows.update(other.rows)
        self.certified += other.certified
        self.failed += other.failed
        self.controls += other.controls
        for kind, counts in other.kinds.items():
            self.kinds.setdefault(kind, Counter()).update(counts)
        self.matrix.update(other.matrix)
        self.codes.update(other.codes)
        self.problems += other.problems[: MOST_KEPT - len(self.problems)]

    def to_json(self) -> dict[str, Json]:
        """Return everything as plain values, for ``--json``."""
        matrix: dict[str, dict[str, int]] = {}
        for (declared, found), count in sorted(self.matrix.items()):
            matrix.setdefault(declared, {})[found] = count
        return {
            "ok": self.ok,
            "rows": {f"{level}/{split}": n for (level, split), n in sorted(self.rows.items())},
            "certified": self.certified,
            "failed": self.failed,
            "controls": self.controls,
            "kinds": {kind: dict(counts) for kind, counts in sorted(self.kinds.items())},
            "matrix": matrix,
            "codes": dict(sorted(self.codes.items())),
            "problems": [found.to_json() for found in self.problems],
        }

    def to_text(self) -> str:
        """Return the tables that people read."""
        total = self.certified + self.failed
        lines = [f"{self.certified} of {total} rows certified, {self.controls} controls among them"]
        lines += ["", *_kind_table(self.kinds), "", *_matrix_table(self.matrix)]
        if self.codes:
            lines += ["", "problem                  count"]
            lines += [f"{code:<24} {count:>5}" for code, count in self.codes.most_common()]
            lines += ["", *(str(found) for found in self.problems[:MOST_SHOWN])]
            more = self.codes.total() - min(len(self.problems), MOST_SHOWN)
            if more:
                lines.append(f"… and {more} more")
        return "\n".join(lines) + "\n"


def _kind_table(kinds: Mapping[str, Mapping[str, int]]) -> list[str]:
    lines = ["kind                  injected  certified  failed"]
    names = [*KINDS, *sorted(kinds.keys() - set(KINDS))]
    for kind in names:
        counts = kinds.get(kind, {})
        good, bad = counts.get("certified", 0), counts.get("failed", 0)
        lines.append(f"{kind:<20}  {good + bad:>8}  {good:>9}  {bad:>6}")
    return lines


def _matrix_table(matrix: Mapping[tuple[str, str], int]) -> list[str]:
    """Return the matrix of injected (down) and certified kinds (across)."""
    extra = {kind for pair in matrix for kind in pair if kind not in KINDS}
    names = [*KINDS, *sorted(extra)]
    width = max(4, len(str(max(matrix.values(), default=0))))
    columns = "".join(f" {chr(ord('a') + index):>{width}}" for index in range(len(names)))
    lines = [f"{'injected, certified':<23}{columns}"]
    for index, declared in enumerate(names):
        cells = "".join(f" {matrix.get((declared, found), 0) or '.':>{width}}" for found in names)
        lines.append(f"{chr(ord('a') + index)} {declared:<21}{cells}")
    return lines
