"""Rows to play, and plans as an agent writes them."""

from __future__ import annotations

from builder.playing import read_plan
from environment.agents.agent import spell
from environment.episode import Episode
from plan.row import Row
from plan.task import Plan, Task
from tests.certify.rows import rows_of

ROWS = (
    *rows_of("Timeout_Error", most=2),
    *rows_of("Parameter_Missing", most=2),
    *rows_of("Toolcall_Missing", most=2),
    *rows_of("Serial_Error", most=2),
    *rows_of("Toolcall_Redundancy", most=2),
    *rows_of("Parallelism_Error", most=2),
    *rows_of("Tool_select_Error", "Null_Error", most=3),
    *rows_of("Dependence_Null", "Type_Error", most=3),
)


def begin(row: Row, *, outside: bool = False) -> Episode:
    return Episode(row, read_plan, outside=outside)


def answer(*tasks: Task) -> str:
    return spell("", Plan.of(tasks))


def call(id: str, name: str, *after: str, status: bool = False, **arguments: object) -> Task:
    return Task(id, name, arguments, "", after or ("root",), status)


def root() -> Task:
    return Task("root", "root", {}, "", (), True)


def response(*after: str) -> Task:
    return Task("response", "response", {}, "", after or ("root",))
