"""The oracle's plan reaches the response, solved, in the fewest rounds that are left."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from environment.careless import advance, invent
from environment.episode import run_to_end
from environment.oracle import recover
from environment.rightness import right_calls, rounds_left
from environment.world import World
from plan.execution import Execution
from plan.task import RESPONSE, ROOT, Plan, plan_problems
from tests.environment.samples import trip


def test_a_clean_plan_solves_itself_in_its_own_rounds() -> None:
    ending = run_to_end(World(trip(), 1), trip().plan(), [], 0)
    assert (ending.round, ending.solved) == (trip().rounds(), True)


def test_answering_at_once_reaches_the_response_and_solves_nothing() -> None:
    plan = trip().plan()
    response = plan.tasks[RESPONSE].changed(depends_on=[ROOT])
    ending = run_to_end(World(trip(), 1), Plan.of([plan.tasks[ROOT], response]), [], 0)
    assert (ending.round, ending.solved) == (1, False)


def test_a_failed_call_is_made_again_under_a_fresh_id_and_what_used_it_follows() -> None:
    world = World(trip(), 1)
    plan = trip().plan()
    seen = world.run(plan, [], 1, {"1": "timeout"})
    gold = recover(world.clean, plan, seen, seen)
    assert gold.tasks["g1"].name == "find_hotel"
    assert gold.tasks["g1"].depends_on == (ROOT,)
    assert gold.tasks["3"].arguments["hotel_id"] == {"$ref": "g1#/hotel_id"}
    assert gold.tasks["3"].depends_on == ("g1",)
    assert gold.tasks["1"].status
    assert gold.tasks["2"].status


def test_a_call_on_right_values_before_its_predecessor_is_not_right() -> None:
    world = World(trip(), 1)
    calls = world.clean.calls
    early = Execution(1, "3", "book_room", calls["3"].sent, "ok", calls["3"].result)
    assert "3" not in right_calls(world.clean, [early])


def test_what_a_careless_agent_makes_up_is_never_the_true_value() -> None:
    plan = trip().plan()
    found = 0
    for seed in range(40):
        world = World(trip(), seed)
        seen = world.run(plan, [], 1, {"1": "empty"})
        _, inventions = invent(advance(plan, seen), seen, world, Random(seed))
        for made in inventions:
            found += 1
            assert (made.node, made.pointer, made.failed) == ("3", "/hotel_id", "1")
            assert made.after != "HT-4412"
            assert isinstance(made.after, str)
    assert 5 <= found <= 35


@given(st.integers(0, 2**32), st.data())
def test_any_mishap_is_repaired_in_the_fewest_rounds(seed: int, data: st.DataObject) -> None:
    world = World(trip(), seed)
    plan, lots = trip().plan(), Random(seed)
    log: list[Execution] = []
    for round in range(1, data.draw(st.integers(1, 3), label="rounds") + 1):
        frontier = [id for id in plan.frontier() if id != RESPONSE]
        faults = {
            id: kind
            for id in frontier
            if (kind := data.draw(st.sampled_from([None, "timeout", "empty"]))) is not None
        }
        seen = world.run(plan, log, round, faults)
        log = log + seen
        before = plan
        plan, _ = invent(advance(plan, seen), seen, world, lots)
    gold = recover(world.clean, before, log, seen)
    assert plan_problems(gold.to_json()) == []
    ending = run_to_end(world, gold, log, round)
    assert ending.solved
    assert ending.round == round + rounds_left(world.clean, right_calls(world.clean, log))
