"""Every kind's rows are certified, and nothing in them can be changed unnoticed."""

import gc
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder import levels
from certify.case import read
from certify.kinds import DIMENSIONS, KINDS
from certify.label import NOT_DOWNSTREAM, compare
from certify.rightness import right_rounds
from certify.row import certify_row, examine, found_errors
from plan.json_text import dumps, loads
from plan.row import INJECTED, Row
from tests.certify.rows import build, rows_of, task_of, with_error, with_json

FAULTS = ("Null_Error", "Timeout_Error")


def codes(row: Row) -> set[str]:
    return {problem.code for problem in certify_row(row)}


def pending_clean(row: Row) -> Any:
    """A pending call of the last plan that carries no label."""
    labelled = {error.node for error in row.errors}
    clean = {task["id"]: task for task in loads(row.clean_plan)["tasks"]}
    for task in loads(row.plan)["tasks"]:
        same = task["id"] in clean and task["para"] == clean[task["id"]]["para"]
        special = task["id"] in ("root", "response")
        if not task["status"] and same and task["id"] not in labelled and not special:
            return task
    return None


@pytest.mark.parametrize("kind", KINDS)
def test_true_rows_are_certified(kind):
    for row in rows_of(kind):
        certificate = examine(row)
        assert certificate.problems == ()
        assert certificate.pairs == ((kind, kind),)


@pytest.mark.parametrize("kind", KINDS)
def test_errors_are_found_without_the_labels(kind):
    for row in rows_of(kind):
        blind = replace(row, errors=[], error_kinds=[], gold_plan='{"tasks":[]}', rounds=0)
        assert found_errors(blind) == []
        blind = replace(row, errors=[], error_kinds=[], rounds=0)
        (found,) = found_errors(blind)
        (error,) = [error for error in row.errors if error.origin == INJECTED]
        assert (found.kind, found.node) == (kind, error.node)
        assert error.pointer in found.pointers


@pytest.mark.parametrize("kind", KINDS)
def test_another_kind_on_the_label_is_caught(kind):
    for other in KINDS:
        if other != kind:
            row = with_error(rows_of(kind)[0], kind=other, dimension=DIMENSIONS[other])
            assert "kind" in codes(row)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("code", "changes"),
    [
        ("dimension", lambda error: {"dimension": "Tool_related"}),
        ("round", lambda error: {"round": error.round + 1}),
        ("not_found", lambda error: {"node": "response"}),
        ("pointer", lambda error: {"pointer": error.pointer + "/x"}),
        ("before", lambda error: {"before": dumps(["something else"])}),
        ("after", lambda error: {"after": dumps(["something else"])}),
        ("root", lambda error: {"root": 0}),
        ("affected", lambda error: {"affected": [*error.affected, "root"]}),
        ("origin", lambda error: {"origin": "natural"}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_false_field_of_a_label_is_caught(kind, code, changes):
    row = rows_of(kind)[0]
    spoilt = with_error(row, **changes(row.errors[0]))
    assert code in codes(spoilt)


@pytest.mark.parametrize("kind", KINDS)
def test_a_false_visibility_is_caught(kind):
    row = rows_of(kind)[0]
    for other in {"explicit", "silent", "latent", "masked"} - {row.errors[0].visibility}:
        assert "visibility" in codes(with_error(row, visibility=other))


@pytest.mark.parametrize("kind", KINDS)
def test_a_dropped_error_is_caught(kind):
    row = rows_of(kind)[0]
    errors = [error for error in row.errors if error.origin != INJECTED]
    spoilt = replace(row, errors=errors, error_kinds=[], rounds=0)
    assert "undeclared_error" in codes(spoilt)


@pytest.mark.parametrize("kind", KINDS)
def test_an_added_error_is_caught(kind):
    row = rows_of(kind)[0]
    node = next(
        task["id"]
        for task in loads(row.clean_plan)["tasks"]
        if task["id"] not in {"root", "response", *(error.node for error in row.errors)}
    )
    extra = replace(row.errors[0], node=node)
    spoilt = replace(row, errors=[extra, *row.errors], error_kinds=[kind, kind], rounds=2)
    assert "not_found" in codes(spoilt)


@pytest.mark.parametrize("kind", KINDS)
def test_damage_that_was_undone_is_caught(kind):
    for row in rows_of(kind):
        if kind in FAULTS:
            assert codes(replace(row, faults="[]"))
            continue
        node = row.errors[0].node
        clean = {task["id"]: task for task in loads(row.clean_plan)["tasks"]}

        def undo(plan, clean=clean, node=node):
            if node not in clean:
                plan["tasks"] = [task for task in plan["tasks"] if task["id"] != node]
                task_of(plan, "response")["dep"].remove(node)
            elif any(task["id"] == node for task in plan["tasks"]):
                whole = {key: clean[node][key] for key in ("name", "para", "dep")}
                task_of(plan, node).update(whole)
            else:
                kept = ("id", "name", "para", "desc", "dep", "status")
                plan["tasks"].append({key: clean[node][key] for key in kept})

        assert codes(with_json(row, "plan", undo)) & {
            "not_found",
            "after",
            "change_vanished",
            "malformed",
        }


@pytest.mark.parametrize("kind", KINDS)
def test_a_changed_argument_of_another_call_is_caught(kind):
    tried = 0
    for row in rows_of(kind):
        task = pending_clean(row)
        if task is None:
            continue
        tried += 1
        key = sorted(task["para"])[0]

        def edit(plan, id=task["id"], key=key):
            task_of(plan, id)["para"][key] = "quite another value"

        assert codes(with_json(row, "plan", edit)) & {
            "undeclared_change",
            "undeclared_error",
            "observation",
        }
    assert tried or kind in FAULTS


@pytest.mark.parametrize("kind", KINDS)
def test_a_changed_observation_is_caught(kind):
    row = rows_of(kind)[0]

    def results(seen):
        seen[0]["results"] = {"another": "result"}

    def arguments(seen):
        seen[0]["arguments"]["extra"] = 1

    def drop(seen):
        seen.pop()

    def rename(seen):
        seen[0]["name"] += "s"

    for edit in (results, arguments, drop, rename):
        assert codes(with_json(row, "observations", edit)) & {"observation", "observations"}


@pytest.mark.parametrize("kind", KINDS)
def test_a_changed_history_is_caught(kind):
    row = next((row for row in rows_of(kind) if row.t > 1), None)
    if row is None:
        pytest.skip(f"no row of {kind} has a history")

    def observe(history):
        history[0]["observations"][0]["results"] = "another result"

    def forget(history):
        task = next(t for t in history[-1]["plan"]["tasks"] if t["id"] not in ("root", "response"))
        task["status"] = not task["status"]

    assert "observation" in codes(with_json(row, "history", observe))
    assert "status" in codes(with_json(row, "history", forget))
    assert "malformed" in codes(with_json(row, "history", lambda history: history[1:]))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "column", ["recovery_round_gt", "round_gt", "funcall_times_gt", "t", "rounds"]
)
@pytest.mark.parametrize("step", [-1, 1])
def test_a_changed_number_is_caught(kind, column, step):
    row = rows_of(kind)[0]
    assert codes(replace(row, **{column: getattr(row, column) + step}))


@pytest.mark.parametrize("kind", KINDS)
def test_a_changed_gold_plan_is_caught(kind):
    for row in rows_of(kind):
        sent = {task["id"] for task in loads(row.plan)["tasks"] if task["status"]}
        sent |= {seen["id"] for seen in loads(row.observations)} | {"response"}
        pending = [task["id"] for task in loads(row.gold_plan)["tasks"] if task["id"] not in sent]
        if pending:
            break
    done = min(sent - {"root", "response"})
    assert pending

    def without(plan):
        plan["tasks"] = [task for task in plan["tasks"] if task["id"] != pending[-1]]
        for task in plan["tasks"]:
            task["dep"] = [other for other in task["dep"] if other != pending[-1]]
        last = task_of(plan, "response")
        last["dep"] = last["dep"] or [done]

    def another_tool(plan):
        task_of(plan, pending[0])["name"] += "_retry"

    def another_argument(plan):
        task = task_of(plan, pending[0])
        task["para"][sorted(task["para"])[0]] = "quite another value"

    def never_sent(plan):
        task_of(plan, done)["status"] = False

    def at_once(plan):
        task_of(plan, "response")["dep"] = ["root"]

    def needless(plan):
        extra = {**task_of(plan, pending[0]), "id": "99990", "dep": [pending[-1]]}
        plan["tasks"].append(extra)
        task_of(plan, "response")["dep"].append("99990")

    edits: list[Callable[[Any], None]] = [
        without,
        another_tool,
        another_argument,
        never_sent,
        at_once,
        needless,
    ]
    for edit in edits:
        found = codes(with_json(row, "gold_plan", edit))
        assert any(code.startswith("gold_") for code in found), edit.__name__


@pytest.mark.parametrize(
    "word", ["Serial_Error", "tool-related", "Injected", "latent", "MASKED", "synthetic"]
)
def test_label_text_in_an_input_is_caught(word):
    row = rows_of("Type_Error")[0]

    def edit(plan):
        task_of(plan, row.errors[0].node)["para"]["note"] = f"({word})"

    assert "leak" in codes(with_json(row, "plan", edit))


def test_words_of_the_source_are_no_leak():
    row = rows_of("Type_Error")[0]

    def edit(plan):
        task_of(plan, row.errors[0].node)["para"]["note"] = "latent heat"

    spoilt = with_json(row, "plan", edit)
    assert "leak" in codes(spoilt)
    assert "leak" not in codes(replace(spoilt, query=f"{row.query} Mind the latent heat."))


def test_other_orders_are_free():
    for row in rows_of("Parameter_Missing"):

        def edit(plan):
            for task in plan["tasks"]:
                task["dep"].reverse()
            plan["tasks"].reverse()

        assert codes(with_json(row, "plan", edit)) == set()


def test_texts_must_be_canonical_json():
    row = rows_of("Type_Error")[0]
    for column in ("tools", "history", "plan", "observations", "clean_plan", "gold_plan", "faults"):
        assert "not_canonical" in codes(replace(row, **{column: getattr(row, column) + " "}))
        assert codes(replace(row, **{column: "{"})) >= {"not_json"}
        assert codes(replace(row, **{column: "17"})) & {"malformed"}
    assert "not_canonical" in codes(with_error(row, before=row.errors[0].before + " "))


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("level", "level3"),
        ("instance_id", "level1-Type_Error"),
        ("query_id", ""),
        ("source_id", ""),
    ],
)
def test_other_columns_are_checked(column, value):
    assert certify_row(replace(rows_of("Type_Error")[0], **{column: value}))


def test_another_seed_gives_other_observations():
    row = next(row for row in rows_of("Tool_name_Error") if row.errors[0].visibility == "explicit")
    assert "observation" in codes(replace(row, seed=row.seed + 1))


def leaves(value: Any, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where scalars and empty containers stand."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    found: list[tuple[Any, ...]] = []
    for key, item in items:
        inside = isinstance(item, (dict, list)) and item
        found += leaves(item, (*place, key)) if inside else [(*place, key)]
    return found


COLUMNS = ("history", "plan", "observations", "gold_plan", "faults")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("column", COLUMNS)
def test_nothing_can_be_changed(kind, column):
    """Every single value of these columns is proved: any other in its place is caught."""
    check_all_values(rows_of(kind)[-1], column)


@pytest.mark.parametrize(
    "kinds", [("Timeout_Error", "Type_Error"), ("Null_Error", "Toolcall_Missing")]
)
@pytest.mark.parametrize("column", COLUMNS)
def test_nothing_can_be_changed_after_two_errors(kinds, column):
    made_up = [
        row
        for row in rows_of(*kinds, most=12)
        if any(error.pointer.startswith("/para") and error.root >= 0 for error in row.errors)
    ]
    assert made_up
    check_all_values(made_up[-1], column)


def check_all_values(row: Row, column: str) -> None:
    def edit(value, place, change):
        for key in place[:-1]:
            value = value[key]
        value[place[-1]] = change(value[place[-1]])

    for place in leaves(loads(getattr(row, column))):
        for change in (of_another_type, of_the_same_type):
            spoilt = with_json(row, column, lambda v, p=place, c=change: edit(v, p, c))
            assert certify_row(spoilt), (place, change)


def of_another_type(value: Any) -> Any:
    return {True: 1, False: None}[value] if isinstance(value, bool) else [value]


def of_the_same_type(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return f"{value}0"
    return value + 1 if isinstance(value, (int, float)) else [value]


@given(st.data())
def test_spoilt_rows_never_raise(data):
    row = data.draw(st.sampled_from(rows_of("Type_Error") + rows_of("Toolcall_Missing")))
    column = data.draw(
        st.sampled_from(["tools", "clean_plan", "plan", "history", "observations", "gold_plan"])
    )
    value = loads(getattr(row, column))
    places = leaves(value)
    if not places:
        return
    place = data.draw(st.sampled_from(places))
    cut = data.draw(st.integers(1, len(place)))
    junk = data.draw(
        st.sampled_from([None, 0, -1.5, True, "", "x", "root", [], {}, {"$ref": "9#"}])
    )
    inner = value
    for key in place[: cut - 1]:
        inner = inner[key]
    inner[place[cut - 1]] = junk
    assert isinstance(certify_row(replace(row, **{column: dumps(value)})), list)


def test_control_rows_show_no_error():
    row = build("trip", (), 1)
    assert row is not None
    assert row.rounds == 0
    assert examine(row).problems == ()
    wrong = with_json(row, "plan", lambda plan: task_of(plan, "response")["dep"].reverse())
    assert certify_row(wrong) == []
    damaged = rows_of("Serial_Error")[0]
    assert certify_row(replace(damaged, errors=[], error_kinds=[], rounds=0))


@pytest.mark.parametrize(
    "kinds",
    [
        ("Tool_select_Error", "Type_Error"),
        ("Parameter_Missing", "Serial_Error"),
        ("Timeout_Error", "Tool_name_Error"),
        ("Toolcall_Missing", "Parameter_Invalid"),
    ],
)
def test_two_errors(kinds):
    found = [row for row in rows_of(*kinds, most=10) if not certify_row(row)]
    assert found
    for row in found:
        first, second = row.errors[0], row.errors[1]
        swapped = [
            replace(first, round=second.round),
            replace(second, round=first.round),
            *row.errors[2:],
        ]
        assert "round" in codes(replace(row, errors=swapped))
        assert "error_kinds" in codes(replace(row, error_kinds=row.error_kinds[::-1]))
        for word in {"", "yes", "no", "no: because", *NOT_DOWNSTREAM} - {row.downstream}:
            assert "downstream" in codes(replace(row, downstream=word))
        assert "level" in codes(replace(row, level="level1"))
        for index, error in enumerate(row.errors):
            if error.origin == INJECTED:
                continue
            rest = [*row.errors[:index], *row.errors[index + 1 :]]
            assert "undeclared_error" in codes(replace(row, errors=rest))
            assert "root" in codes(with_error(row, index, root=-1))
            assert "after" in codes(with_error(row, index, after='"another"'))
            assert "not_found" in codes(with_error(row, index, node="root"))


def test_a_wait_that_is_over_proves_nothing():
    """Rules 3 and 4 of DESIGN section 12 hold only while the call is pending after round t."""
    row = rows_of("Dependence_Error")[0]
    node = row.errors[0].node
    assert node not in {seen["id"] for seen in loads(row.observations)}
    assert row.errors[0].visibility == "latent"


def test_the_builder_says_so_in_the_same_words():
    assert levels.NOT_DOWNSTREAM in NOT_DOWNSTREAM
    for row in rows_of("Type_Error"):
        for word in ("yes", *NOT_DOWNSTREAM):
            assert codes(replace(row, downstream=word)) == {"downstream"}


def test_levels_and_rounds_go_together():
    row = rows_of("Type_Error")[0]
    other = replace(row, level="level2", instance_id=row.instance_id.replace("level1", "level2"))
    assert codes(other) == {"level"}


def test_a_row_behind_the_last_round_of_calls_is_caught():
    """Nothing but a changed plan could bring one about; each of its labels might be true."""
    row = build("order", (), 1)
    assert row is not None
    case = read(row, lambda *problem: None)
    assert case is not None
    found: list[str] = []
    late = replace(case, layers=dict.fromkeys(case.layers, 0))
    right = right_rounds(case, case.log, case.made)
    compare(late, [], [], right, lambda code, path, message: found.append(code))
    assert found == ["t"]


@pytest.mark.parametrize("kind", KINDS)
def test_examining_leaves_no_cycles(kind):
    rows = rows_of(kind)
    gc.collect()
    gc.disable()
    try:
        for row in rows:
            examine(row)
        assert gc.collect() == 0
    finally:
        gc.enable()
