"""Rows: one benchmark instance, with inputs that agents may see and labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from plan.json_text import Json

LEVEL1 = "level1"
LEVEL2 = "level2"

EXPLICIT = "explicit"
SILENT = "silent"
LATENT = "latent"
MASKED = "masked"

INJECTED = "injected"
PROPAGATED = "propagated"

INPUT_COLUMNS = (
    "instance_id",
    "level",
    "query_id",
    "query",
    "tools",
    "history",
    "plan",
    "observations",
)


@dataclass(frozen=True, slots=True)
class ErrorLabel:
    """One error of a row.

    Attributes:
        round: the round it belongs to; it sits in G(round-1) or O(round).
        kind: one of the fourteen; a propagated error carries its root's.
        dimension: the kind's dimension.
        node: the damaged task's id.
        pointer: JSON Pointer into the task's spelling, or ``/results``.
        before: canonical JSON text of what stood there; "null" for nothing.
        after: canonical JSON text of what stands there now.
        visibility: explicit, silent, latent or masked.
        origin: injected or propagated.
        root: for a propagated error, the index of its root in the row's list; else -1.
        affected: ids of the nodes downstream that can't be right because of it.
    """

    round: int
    kind: str
    dimension: str
    node: str
    pointer: str
    before: str
    after: str
    visibility: str
    origin: str
    root: int
    affected: list[str]

    def to_record(self) -> dict[str, Json]:
        """Return the error as a struct of plain strings and ints."""
        return {field: getattr(self, field) for field in ERROR_FIELDS}

    @classmethod
    def from_record(cls, record: Mapping[str, Json]) -> ErrorLabel:
        """Read an error struct."""
        return cls(**{field: record[field] for field in ERROR_FIELDS})


@dataclass(frozen=True, slots=True)
class Row:
    """One instance; the text columns hold canonical JSON.

    Inputs: ``instance_id, level, query_id, query, tools, history, plan, observations``.
    All others are labels. ``t`` is the round of the state; ``rounds`` the number of rounds
    that carry an injected error; ``faults`` what the environment was asked for.
    """

    instance_id: str
    level: str
    query_id: str
    query: str
    tools: str
    history: str
    plan: str
    observations: str
    error_kinds: list[str]
    errors: list[ErrorLabel]
    clean_plan: str
    gold_plan: str
    faults: str
    round_gt: int
    recovery_round_gt: int
    funcall_times_gt: int
    t: int
    rounds: int
    downstream: str
    source_kind: str
    source_id: str
    seed: int

    def to_record(self) -> dict[str, Json]:
        """Return the row as a mapping from column to plain value."""
        record = {column: getattr(self, column) for column in COLUMNS}
        record["errors"] = [error.to_record() for error in self.errors]
        return record

    @classmethod
    def from_record(cls, record: Mapping[str, Json]) -> Row:
        """Read a row from a mapping from column to value."""
        values = {column: record[column] for column in COLUMNS}
        values["errors"] = [ErrorLabel.from_record(error) for error in values["errors"]]
        return cls(**values)


COLUMNS = tuple(field.name for field in fields(Row))
ERROR_FIELDS = tuple(field.name for field in fields(ErrorLabel))
