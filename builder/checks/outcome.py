"""What came out of checking a release: for people as a table, for programs as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from plan.json_text import Json

OK = "ok"
FAILED = "failed"
SKIPPED = "skipped"

MOST_SHOWN = 20
"""Problems of a check that the text lists; the JSON has all that were kept."""

MOST_KEPT = 1000
"""Problems of a check that are kept word for word; all are counted."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is wrong with a release.

    Attributes:
        where: file, and the line, row or JSON Pointer in it.
        found: what stands there.
        expected: what should stand there.
        remedy: what the user can do.
    """

    where: str
    found: str
    expected: str
    remedy: str

    def __str__(self) -> str:
        return (
            f"{self.where}: {self.found}\n"
            f"    expected: {self.expected}\n"
            f"    to do:    {self.remedy}"
        )

    def to_json(self) -> dict[str, Json]:
        """Return the problem as plain values."""
        return {
            "where": self.where,
            "found": self.found,
            "expected": self.expected,
            "remedy": self.remedy,
        }


@dataclass(slots=True)
class Findings:
    """Problems as they are found: all are counted, the first are kept."""

    problems: list[Problem] = field(default_factory=list)
    count: int = 0
    notes: list[str] = field(default_factory=list)

    def add(self, where: str, found: str, expected: str, remedy: str) -> None:
        """Count a problem, and keep it while there is room."""
        self.count += 1
        if len(self.problems) < MOST_KEPT:
            self.problems.append(Problem(where, found, expected, remedy))


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the table.

    Attributes:
        name: what is checked, in a word.
        verdict: `OK`, `FAILED` or `SKIPPED`.
        seen: what was looked at, or why nothing was.
        problems: the first problems.
        count: how many there are.
        notes: what is no fault, but should be known.
    """

    name: str
    verdict: str
    seen: str
    problems: Sequence[Problem] = ()
    count: int = 0
    notes: Sequence[str] = ()

    @classmethod
    def of(cls, name: str, seen: str, findings: Findings) -> Check:
        """Return a check that was made."""
        verdict = FAILED if findings.count else OK
        return cls(
            name, verdict, seen, tuple(findings.problems), findings.count, tuple(findings.notes)
        )

    @classmethod
    def skipped(cls, name: str, why: str) -> Check:
        """Return a check that couldn't be made, which is no fault."""
        return cls(name, SKIPPED, why)

    def to_json(self) -> dict[str, Json]:
        """Return the check as plain values."""
        return {
            "verdict": self.verdict,
            "seen": self.seen,
            "problems": [problem.to_json() for problem in self.problems],
            "count": self.count,
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of `builder.verify.verify`.

    Attributes:
        where: the folder, or the repository and tag.
        kind: ``release`` or ``build``.
        name: the release's name; "" for a build.
        version: the release's version; "" for a build.
        checks: one by one.
    """

    where: str
    kind: str
    name: str
    version: str
    checks: Sequence[Check]

    @property
    def ok(self) -> bool:
        """Whether nothing at all is wrong."""
        return not any(check.count for check in self.checks)

    @property
    def problems(self) -> list[Problem]:
        """All problems that were kept."""
        return [problem for check in self.checks for problem in check.problems]

    def to_json(self) -> dict[str, Json]:
        """Return everything as plain values, for ``--json``."""
        return {
            "ok": self.ok,
            "where": self.where,
            "kind": self.kind,
            "name": self.name,
            "version": self.version,
            "checks": {check.name: check.to_json() for check in self.checks},
        }

    def to_text(self) -> str:
        """Return the table that people read, and the problems."""
        title = f"{self.name} {self.version}".strip() or f"a {self.kind}"
        width = max(len(check.name) for check in self.checks)
        lines = [f"{self.where}: {title}", "", f"{'check':<{width}}  verdict  looked at"]
        lines += [
            f"{check.name:<{width}}  {check.verdict:<7}  {check.seen}" for check in self.checks
        ]
        notes = [f"{check.name}: {note}" for check in self.checks for note in check.notes]
        lines += ["", *(f"Note: {note}" for note in notes)] if notes else []
        for check in self.checks:
            if check.count:
                lines += ["", f"{check.name}: {_counted(check.count)}"]
                lines += [f"  {problem}" for problem in check.problems[:MOST_SHOWN]]
                more = check.count - min(len(check.problems), MOST_SHOWN)
                lines += [f"  … and {more} more"] if more else []
        total = sum(check.count for check in self.checks)
        lines += ["", f"{_counted(total)}." if total else "All is well."]
        return "\n".join(lines) + "\n"


def _counted(count: int) -> str:
    return f"{count} problem" + "s" * (count != 1)
