"""The world of a row: the order of checks, and that the same call always has the same result."""

import pytest

from environment.world import World
from plan.execution import EMPTY, ERROR, OK, TIMEOUT, is_empty
from plan.json_text import Json, dumps
from plan.task import Task
from tests.environment.samples import trip

WORLD = World(trip(), 7)


def call(name: str, **arguments: Json) -> Task:
    return Task("9", name, arguments, "", ("root",))


def test_a_recorded_call_has_its_recorded_result() -> None:
    seen = WORLD.execute(call("find_hotel", nights=2, city="Porto"), {}, 1, None)
    assert (seen.outcome, seen.result, seen.synthetic) == (
        OK,
        {"hotel_id": "HT-4412", "price": 80},
        False,
    )


def test_another_call_has_a_plausible_result_of_the_recorded_shape() -> None:
    seen = WORLD.execute(call("find_hotel", nights=3, city="Lyon"), {}, 1, None)
    assert seen.outcome == OK
    assert seen.synthetic
    assert seen.result.keys() == {"hotel_id", "price"}
    assert seen.result["hotel_id"] != "HT-4412"
    assert seen.result["hotel_id"].startswith("HT-")


def test_a_computed_value_is_the_recorded_one_if_its_inputs_are_right() -> None:
    task = trip().calls["4"].task()
    right = {"2": {"sky": "clear"}, "3": {"booking": "BK-9031"}}
    wrong = {"2": {"sky": "clear"}, "3": {"booking": "BK-1111"}}
    assert WORLD.execute(task, right, 3, None).arguments["body"] == "BK-9031, skies are clear"
    assert WORLD.execute(task, wrong, 3, None).arguments["body"] != "BK-9031, skies are clear"


@pytest.mark.parametrize(
    ("task", "cause", "at"),
    [
        (call("findHotel", city={"$ref": "8#/x"}), "unknown_tool", ""),
        (call("find_hotel", city={"$ref": "8#/x"}, nights="2"), "reference", "/city"),
        (call("find_hotel", nights=2), "schema", "/city"),
        (call("find_hotel", city="Porto", stars=4), "schema", "/stars"),
        (call("find_hotel", city="Porto", nights="2"), "schema", "/nights"),
        (call("book_room", hotel_id="HT-4412", nights=0), "value", "/nights"),
    ],
)
def test_a_bad_call_fails_for_the_first_reason_in_order(task: Task, cause: str, at: str) -> None:
    seen = WORLD.execute(task, {}, 1, None)
    assert (seen.outcome, seen.cause, seen.at) == (ERROR, cause, at)


def test_an_unresolvable_reference_is_sent_as_it_stands() -> None:
    seen = WORLD.execute(call("find_hotel", city={"$ref": "8#/x"}), {}, 1, None)
    assert seen.arguments == {"city": {"$ref": "8#/x"}}
    assert "city" in dumps(seen.result)


def test_faults_come_before_bad_inputs_and_are_what_was_asked_for() -> None:
    task = call("find_hotel", city={"$ref": "8#/x"})
    assert WORLD.execute(task, {}, 1, "timeout").outcome == TIMEOUT
    empty = WORLD.execute(call("find_hotel", city="Porto"), {}, 1, "empty")
    assert empty.outcome == EMPTY
    assert is_empty(empty.result)


def test_a_round_runs_the_frontier_from_the_results_before_it() -> None:
    plan = trip().plan()
    executions = WORLD.run(plan, [], 1, {"2": "timeout"})
    assert [(seen.node, seen.outcome) for seen in executions] == [("1", OK), ("2", TIMEOUT)]


@pytest.mark.parametrize("seed", range(5))
def test_the_same_world_answers_alike_and_another_words_it_otherwise(seed: int) -> None:
    task = call("find_hotel", nights=2)
    first, again = (World(trip(), seed).execute(task, {}, 1, None) for _ in range(2))
    assert first == again


def test_failures_are_worded_in_many_ways() -> None:
    tasks = {
        "schema": call("find_hotel", nights=2),
        "value": call("book_room", hotel_id="HT-4412", nights=0),
        "reference": call("find_hotel", city={"$ref": "8#/x"}),
        "unknown_tool": call("findHotel"),
    }
    for cause, task in tasks.items():
        texts = {
            dumps(World(trip(), seed).execute(task, {}, 1, None).result) for seed in range(100)
        }
        assert len(texts) >= 20, cause
    for fault, least in (("timeout", 20), ("empty", 6)):
        texts = {
            dumps(
                World(trip(), seed).execute(call("find_hotel", city="Porto"), {}, 1, fault).result
            )
            for seed in range(100)
        }
        assert len(texts) >= least, fault


@pytest.mark.parametrize("parameter", ["body", "bdoy", "text"])
def test_what_was_worked_out_does_not_depend_on_who_asks(parameter: str) -> None:
    task = trip().calls["4"].task()
    body = task.arguments["body"]
    renamed = task.changed(name="get_weather", arguments={parameter: body})
    right = {"2": {"sky": "clear"}, "3": {"booking": "BK-9031"}}
    seen = WORLD.execute(renamed, right, 3, None)
    assert seen.arguments[parameter] == "BK-9031, skies are clear"
