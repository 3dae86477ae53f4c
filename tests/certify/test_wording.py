"""Descriptions tell what calls are for and what came back: any other word is caught."""

import pytest

from certify.kinds import KINDS
from certify.row import certify_row
from environment.careless import result_text
from plan.json_text import loads
from plan.row import Row
from tests.certify.rows import rows_of, task_of, with_json

PLANS = {
    "history": lambda value: value[-1]["plan"],
    "plan": lambda value: value,
    "gold_plan": lambda value: value,
    "clean_plan": lambda value: value,
}


def codes(row: Row) -> set[str]:
    return {problem.code for problem in certify_row(row)}


def late(kind: str) -> Row:
    """A row with a history, if there is one."""
    return max(rows_of(kind), key=lambda row: row.t)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("column", PLANS)
def test_every_description_is_checked(kind, column):
    row = late(kind)
    if column == "history" and row.t == 1:
        pytest.skip(f"no row of {kind} has a history")
    ids = [task["id"] for task in PLANS[column](loads(getattr(row, column)))["tasks"]]
    texts = {task["desc"] for task in PLANS[column](loads(getattr(row, column)))["tasks"]}
    for id in ids:

        def mark(value, id=id):
            task_of(PLANS[column](value), id)["desc"] += " THIS NODE IS THE CULPRIT"

        def empty(value, id=id):
            task_of(PLANS[column](value), id)["desc"] = ""

        assert codes(with_json(row, column, mark)) == {"description"}
        assert codes(with_json(row, column, empty)) == {"description"}
    # The words of one task are false for nearly every other.
    for text in texts:
        for id in ids:

            def swap(value, id=id, text=text):
                task_of(PLANS[column](value), id)["desc"] = text

            assert codes(with_json(row, column, swap)) <= {"description"}


def test_stripped_and_false_results_are_caught():
    tried = 0
    for kind in KINDS:
        row = late(kind)
        if row.t == 1:
            continue
        came = {
            seen["id"]: result_text(seen["results"])
            for past in loads(row.history)
            for seen in past["observations"]
        }
        for column in ("plan", "gold_plan"):
            for id, result in came.items():

                def strip(plan, id=id, result=result):
                    task = task_of(plan, id)
                    task["desc"] = task["desc"].removesuffix(result).rstrip()

                def falsify(plan, id=id, result=result):
                    task = task_of(plan, id)
                    task["desc"] = task["desc"].removesuffix(result) + "No results found."

                def shorten(plan, id=id):
                    task_of(plan, id)["desc"] = task_of(plan, id)["desc"][:-1]

                for edit in (strip, falsify, shorten):
                    tried += 1
                    assert codes(with_json(row, column, edit)) == {"description"}
    assert tried > 50


def test_a_result_before_its_time_is_caught():
    row = late("Type_Error")
    ahead = next(
        task["id"] for task in loads(row.plan)["tasks"] if not task["status"] and task["dep"]
    )

    def tell(plan):
        task_of(plan, ahead)["desc"] += ' Result: {"done":true}'

    assert codes(with_json(row, "plan", tell)) == {"description"}


def test_a_call_of_no_tool_is_described_as_the_clean_one():
    for row in rows_of("Tool_name_Error"):
        node = row.errors[0].node
        others = {
            task["desc"]
            for task in loads(row.clean_plan)["tasks"]
            if task["id"] not in (node, "root", "response")
        } - {task_of(loads(row.clean_plan), node)["desc"]}
        for text in others:

            def edit(plan, text=text, node=node):
                task_of(plan, node)["desc"] = text

            assert codes(with_json(row, "plan", edit)) == {"description"}
