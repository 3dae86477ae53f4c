"""What comes of a plan is the same by the scorer's graph function and by the environment."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from environment.episode import read_state, replay, run_to_end
from environment.world import World
from plan.clean import CleanPlan
from plan.execution import Fault
from plan.json_text import loads
from plan.task import Plan
from scoring.answer import Answer, plan_of
from scoring.case import Case
from scoring.simulation import run_plan, run_static
from tests.scoring.answers import all_cases, all_rows, is_dag, mutated


@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.error_kinds[-1])
def test_the_gold_plan_is_solved_in_the_fewest_rounds(case: Case) -> None:
    outcome = run_plan(case, case.gold)
    assert outcome.solved
    assert outcome.response_round == case.recovery_round_gt


def test_an_answer_that_only_responds_solves_nothing() -> None:
    case = all_cases()[0]
    root, response = case.plan["root"], case.plan["response"]
    plan = plan_of(
        {"tasks": [root.to_json(), {**response.to_json(), "dep": ["root"]}]},
    )
    outcome = run_plan(case, plan)
    assert outcome.reached
    assert not outcome.solved


def test_no_plan_is_not_even_reached() -> None:
    case = all_cases()[0]
    outcome = run_static(case, Answer("Hm.", None))
    assert not outcome.reached
    assert outcome.calls == len(case.log)


@given(st.integers(0, len(all_rows()) - 1), st.booleans(), st.integers(0, 6), st.integers())
@settings(max_examples=400)
def test_any_plan_ends_as_it_does_in_the_environment(
    index: int, from_gold: bool, times: int, seed: int
) -> None:
    row = all_rows()[index]
    case = all_cases()[index]
    start = case.gold_json["tasks"] if from_gold else case.plan_json["tasks"]
    tasks = mutated(start, Random(seed), times)
    if not is_dag(tasks):
        return
    state = read_state(row)
    clean = CleanPlan.from_row_json(row.query, loads(row.tools), loads(row.clean_plan))
    world = World(clean, row.seed)
    log = replay(world, state, [Fault.from_json(fault) for fault in loads(row.faults)])
    ending = run_to_end(world, Plan.from_json({"tasks": tasks}), log, row.t)
    outcome = run_plan(case, plan_of({"tasks": tasks}))
    # Made-up results resemble recordings, so the environment may be kinder to a call that
    # was right and is sent again with other arguments.
    assert ending.solved or not outcome.solved
    if not any(task["id"] in case.sent and not task["status"] for task in tasks):
        assert outcome.solved == ending.solved
    assert outcome.response_round == ending.round
    assert outcome.calls == len(ending.log)
