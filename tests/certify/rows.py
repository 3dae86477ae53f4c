"""Rows of sample plans, and rows that are spoilt in one place."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

from builder.levels import Recipe, Shortfall, Source, build_row
from certify.kinds import KINDS
from plan.json_text import dumps, loads
from plan.row import ErrorLabel, Row
from taxonomy.examples import order, trip

PLANS = {"trip": trip(), "order": order()}


@cache
def build(name: str, kinds: tuple[str, ...], variant: int) -> Row | None:
    source = Source(PLANS[name].canonical(), "synthetic", f"{name}:1", f"q-{name}")
    level = "level2" if len(kinds) > 1 else "level1"
    # Each row has a variant of its own, as in a build: its id follows from it.
    for kind in kinds:
        variant = variant * (len(KINDS) + 1) + KINDS.index(kind) + 1
    row = build_row(source, Recipe(level, kinds, variant, 7))
    return None if isinstance(row, Shortfall) else row


def rows_of(*kinds: str, most: int = 6) -> list[Row]:
    """Rows of both plans whose errors are of the given kinds, in several variants."""
    made = [build(name, kinds, variant) for variant in range(most) for name in PLANS]
    found = [row for row in made if row is not None]
    assert found, f"no plan gives {kinds}"
    return found


def with_error(row: Row, index: int = 0, **changes: Any) -> Row:
    """The row with other fields in one of its labels; kinds of injected errors follow."""
    errors: list[ErrorLabel] = list(row.errors)
    errors[index] = replace(errors[index], **changes)
    kinds = [error.kind for error in errors if error.origin == "injected"]
    return replace(row, errors=errors, error_kinds=kinds)


def with_json(row: Row, column: str, edit: Callable[[Any], Any]) -> Row:
    """The row with an edited JSON column."""
    value = loads(getattr(row, column))
    changed = edit(value)
    return replace(row, **{column: dumps(value if changed is None else changed)})


def task_of(plan: Any, id: str) -> Any:
    return next(task for task in plan["tasks"] if task["id"] == id)
