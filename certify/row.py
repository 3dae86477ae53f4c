"""Proves the labels of one row, or says what is wrong with them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from certify.case import Case, collect, read
from certify.change import Change, find_changes
from certify.edge import check_edges
from certify.gold import prove_gold
from certify.label import NOTHING, compare
from certify.leak import find_leaks
from certify.rightness import right_rounds
from certify.value import Legality
from certify.wording import check_descriptions
from plan.problem import Problem
from plan.row import Row

LEVELS = ("level1", "level2")


@dataclass(frozen=True, slots=True)
class Certificate:
    """What came out of checking one row.

    Attributes:
        problems: everything that is wrong; empty for a certified row.
        pairs: (declared kind, found kind) of each injected error; ``nothing`` stands for
            the one that is missing.
        group: what decides the row's split: its query and its called tools.
    """

    problems: tuple[Problem, ...]
    pairs: tuple[tuple[str, str], ...]
    tools: tuple[str, ...]


def certify_row(row: Row) -> list[Problem]:
    """Return everything that is wrong with a row; an empty list certifies it."""
    return list(examine(row).problems)


def found_errors(row: Row) -> list[Change]:
    """Return the injected errors that a row's plans and faults show, blind to its labels.

    In the order of the first round in which each stands. Empty where the row can't be read.
    """
    problems: list[Problem] = []
    case = read(row, collect(problems))
    if case is None:
        return []
    return find_changes(case, Legality(case.clean), collect(problems))[0]


def examine(row: Row) -> Certificate:
    """Check one row in every way that DESIGN sections 5, 6 and 12 ask for."""
    problems: list[Problem] = []
    try:
        return _examine(row, problems)
    except Exception as error:
        # Whatever a spoilt row makes the checks stumble over, it is not certified.
        message = f"it can't be checked: {type(error).__name__}: {error}"
        problems.append(Problem("unchecked", "", message))
        return Certificate(tuple(problems), _unfound(row), ())


def _unfound(row: Row) -> tuple[tuple[str, str], ...]:
    return tuple((kind, NOTHING) for kind in row.error_kinds)


def _examine(row: Row, problems: list[Problem]) -> Certificate:
    report = collect(problems)
    _identity(row, problems)
    case = read(row, report)
    if case is None:
        return Certificate(tuple(problems), _unfound(row), ())
    check_edges(case, report)
    check_descriptions(case, report)
    legality = Legality(case.clean)
    changes, made_up = find_changes(case, legality, report)
    right = right_rounds(case, case.log, case.made)
    found = compare(case, changes, made_up, right, report)
    prove_gold(case, right, legality, report)
    find_leaks(case, report)
    return Certificate(tuple(problems), tuple(found), called(case))


def called(case: Case) -> tuple[str, ...]:
    """Return the names of the tools that the clean plan calls, sorted, each once."""
    return tuple(sorted({call.name for call in case.clean.calls.values()}))


def _identity(row: Row, problems: list[Problem]) -> None:
    """Check the columns that are neither plans nor labels of errors."""
    report = collect(problems)
    if row.level not in LEVELS:
        report("level", "/level", f"expected one of {', '.join(LEVELS)}, found {row.level!r}")
    elif not _INSTANCE.fullmatch(row.instance_id) or not row.instance_id.startswith(row.level):
        report("instance_id", "/instance_id", "expected the level, a hyphen and a hash")
    for column in ("query_id", "query", "source_kind", "source_id"):
        if not getattr(row, column):
            report("empty", f"/{column}", "expected a text")


_INSTANCE = re.compile(r"level[12]-[0-9a-f]{16}")
