"""Clean plans: edges are what the arguments show, and nothing in them can be changed."""

import copy
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from certify.row import certify_row
from plan.json_text import loads
from plan.reference import references
from plan.row import Row
from tests.builder.rows import cascades
from tests.builder.rows import rows_of as embedded
from tests.certify.rows import build, task_of, with_json

Edit = Callable[[Any], None]


def codes(row: Row) -> set[str]:
    return {problem.code for problem in certify_row(row)}


def control(name: str) -> Row:
    row = build(name, (), 1)
    assert row is not None
    return row


def rows() -> list[Row]:
    return [control("trip"), control("order"), *embedded("Timeout_Error", 10)]


def edges_of(row: Row, *kinds: str) -> list[int]:
    edges = loads(row.clean_plan)["edges"]
    return [index for index, edge in enumerate(edges) if edge["kind"] in kinds]


def spoilt(kinds: tuple[str, ...], edit: Callable[[Any, Any], None]) -> Iterator[set[str]]:
    """What is found after one edge of a kind was edited, for each such edge."""
    tried = 0
    for row in rows():
        for index in edges_of(row, *kinds):

            def change(plan, index=index):
                edit(plan, plan["edges"][index])

            tried += 1
            yield codes(with_json(row, "clean_plan", change))
    assert tried > 3


def test_true_plans_are_certified():
    for row in (*rows(), *cascades(2, 40)):
        assert certify_row(row) == []


@pytest.mark.parametrize(
    ("kinds", "key", "value"),
    [
        (("data", "computed"), "kind", "order"),
        (("data", "computed"), "kind", "hearsay"),
        (("data", "computed"), "argument", None),
        (("data", "computed"), "argument", ""),
        (("data", "computed"), "argument", "/nowhere"),
        (("data", "computed"), "source", None),
        (("data", "computed"), "source", "/nowhere"),
        (("order",), "kind", "data"),
        (("order",), "kind", "computed"),
        (("order",), "argument", "/id"),
        (("order",), "source", "/id"),
    ],
)
def test_a_false_field_is_caught(kinds, key, value):
    for found in spoilt(kinds, lambda plan, edge: edge.update({key: value})):
        assert "edge" in found


def test_what_is_taken_over_is_not_computed():
    row = control("trip")
    for index in edges_of(row, "data"):
        edge = loads(row.clean_plan)["edges"][index]
        para = task_of(loads(row.clean_plan), edge["to"])["para"]
        kinds = {one.kind for one in references(para) if one.argument == edge["argument"]}
        if kinds == {"data"}:

            def edit(plan, index=index):
                plan["edges"][index]["kind"] = "computed"

            assert "edge" in codes(with_json(row, "clean_plan", edit))


def test_an_edge_that_stands_twice_is_caught():
    def double(plan, edge):
        plan["edges"].append(copy.deepcopy(edge))

    for found in spoilt(("data", "computed", "order"), double):
        assert found == {"edge"}


def test_an_edge_that_is_gone_is_caught():
    for found in spoilt(("data", "computed"), lambda plan, edge: plan["edges"].remove(edge)):
        assert found & {"edge", "malformed"}
    for found in spoilt(("order",), lambda plan, edge: plan["edges"].remove(edge)):
        assert found


def test_order_beside_data_is_caught():
    def add(plan, edge):
        plan["edges"].append({**edge, "kind": "order", "argument": None, "source": None})

    for found in spoilt(("data", "computed"), add):
        assert found == {"edge"}


def test_dep_lists_the_edges_sources():
    def add(plan, edge):
        later, earlier = task_of(plan, edge["to"]), edge["from"]
        others = [t["id"] for t in plan["tasks"] if t["id"] not in ("root", "response")]
        new = next(id for id in others if id not in (later["id"], earlier, *later["dep"]))
        later["dep"].append(new)

    for found in spoilt(("data",), add):
        assert "malformed" in found


def test_edges_lead_to_later_turns():
    def same(plan, edge):
        task_of(plan, edge["to"])["turn"] = task_of(plan, edge["from"])["turn"]

    for found in spoilt(("data", "computed", "order"), same):
        assert "edge" in found


def test_an_edge_between_calls_that_share_nothing_is_caught():
    row = control("trip")
    linked = {(edge["from"], edge["to"]) for edge in loads(row.clean_plan)["edges"]}
    model = loads(row.clean_plan)["edges"][edges_of(row, "data")[0]]
    tasks = [t for t in loads(row.clean_plan)["tasks"] if "turn" in t]
    tried = 0
    for a in tasks:
        for b in tasks:
            if a["turn"] < b["turn"] and (a["id"], b["id"]) not in linked:
                tried += 1

                def edit(plan, a=a["id"], b=b["id"]):
                    plan["edges"].append({**model, "from": a, "to": b})
                    after = task_of(plan, b)
                    after["dep"] = [*(id for id in after["dep"] if id != "root"), a]

                assert "edge" in codes(with_json(row, "clean_plan", edit))
    assert tried


def test_what_was_sent_is_what_the_arguments_give():
    tried = 0
    for row in rows():
        for task in loads(row.clean_plan)["tasks"]:
            for key, value in task.get("sent", {}).items():
                if isinstance(task["para"].get(key), dict) and "$computed" in task["para"][key]:
                    continue

                def edit(plan, id=task["id"], key=key, value=value):
                    task_of(plan, id)["sent"][key] = [value]

                tried += 1
                assert "sent" in codes(with_json(row, "clean_plan", edit))
    assert tried > 50


def test_a_reference_to_nothing_is_caught():
    for row in rows():
        for index in edges_of(row, "data"):
            edge = loads(row.clean_plan)["edges"][index]

            def edit(plan, edge=edge):
                task_of(plan, edge["from"])["results"] = {"another": "result"}

            assert codes(with_json(row, "clean_plan", edit)) & {"sent"}
            break
