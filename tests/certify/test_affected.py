"""What an error makes go wrong, shown by going on without mending anything."""

import pytest

from certify.case import Case, read, task_of
from certify.kinds import KINDS
from certify.row import certify_row
from environment.careless import advance
from environment.episode import Ending, run_to_end
from environment.rightness import is_right, right_calls
from plan.execution import Execution
from plan.row import INJECTED, Row
from plan.task import Plan
from tests.builder.rows import cascades
from tests.builder.rows import rows_of as embedded
from tests.certify.rows import rows_of, with_error

HARMLESS = {"Serial_Error", "Toolcall_Redundancy", "Dependence_Error"}


def rows(kind: str) -> list[Row]:
    return [*rows_of(kind, most=12), *embedded(kind, 12)]


def carry_on(row: Row) -> tuple[Case, Ending]:
    """Run a row's last plan to its end, only marking what was sent."""
    problems: list[tuple[str, str, str]] = []
    case = read(row, lambda *problem: problems.append(problem))
    assert case is not None
    assert problems == []
    plan = Plan.of(task_of(task) for task in case.plans[-1].values())
    last = [seen for seen in case.log if seen.round == row.t]
    return case, run_to_end(case.world, advance(plan, last), case.log, row.t)


def wrong_calls(case: Case, log: tuple[Execution, ...]) -> set[str]:
    """Clean calls that ran as their own nodes and weren't right."""
    right = right_calls(case.clean, log)
    own = [seen for seen in log if seen.node in case.clean.calls]
    return {seen.node for seen in own if not is_right(case.clean, right, seen)}


@pytest.mark.parametrize("kind", KINDS)
def test_affected_calls_go_wrong_and_no_others_do(kind):
    for row in rows(kind):
        case, ending = carry_on(row)
        wrong = wrong_calls(case, ending.log)
        ran = {seen.node for seen in ending.log}
        for error in row.errors:
            assert set(error.affected) & ran <= wrong
        (error,) = [error for error in row.errors if error.origin == INJECTED]
        assert wrong <= {error.node, *error.affected}
        if not error.affected:
            assert wrong <= {error.node}


@pytest.mark.parametrize("kind", [*sorted(HARMLESS), "Dependence_Null"])
def test_what_affects_nothing_makes_nothing_wrong(kind):
    tried = 0
    for row in rows(kind):
        (error,) = [error for error in row.errors if error.origin == INJECTED]
        if kind in HARMLESS or error.after != "[]":
            tried += 1
            assert error.affected == []
            case, ending = carry_on(row)
            assert ending.solved
            assert wrong_calls(case, ending.log) == set()
    assert tried


@pytest.mark.parametrize("rounds", [2, 3])
def test_affected_calls_go_wrong_after_several_errors(rounds):
    for row in cascades(rounds, 40):
        case, ending = carry_on(row)
        wrong = wrong_calls(case, ending.log)
        ran = {seen.node for seen in ending.log}
        for error in row.errors:
            assert set(error.affected) & ran <= wrong


@pytest.mark.parametrize("kind", KINDS)
def test_false_lists_are_caught(kind):
    for row in rows(kind):
        case = read(row, lambda *problem: None)
        assert case is not None
        for false in ([], list(case.layers), [*row.errors[0].affected, "root"]):
            if set(false) != set(row.errors[0].affected):
                codes = {one.code for one in certify_row(with_error(row, affected=false))}
                assert codes == {"affected"}
