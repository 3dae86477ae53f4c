from typing import Any

from plan.json_text import dumps, loads
from plan.task import Plan, Task, plan_problems

PLAN: dict[str, Any] = {
    "tasks": [
        {"id": "root", "name": "root", "para": {}, "desc": "q", "dep": [], "status": True},
        {"id": "2", "name": "find", "para": {"x": 1}, "desc": "", "dep": ["root"], "status": True},
        {"id": "5", "name": "book", "para": {}, "desc": "", "dep": ["2"], "status": False},
        {"id": "7", "name": "pay", "para": {}, "desc": "", "dep": ["2", "5"], "status": False},
        {"id": "response", "name": "response", "para": {}, "desc": "", "dep": ["7"],
         "status": False},
    ]
}  # fmt: skip


def test_a_plan_reads_back_as_it_was_written() -> None:
    assert dumps(Plan.from_json(PLAN).to_json()) == dumps(PLAN)
    assert plan_problems(PLAN) == []


def test_the_frontier_is_what_may_run_now() -> None:
    plan = Plan.from_json(PLAN)
    assert plan.frontier() == ["5"]
    sent = plan.replaced({"5": plan.tasks["5"].changed(status=True)})
    assert sent.frontier() == ["7"]
    assert [task.id for task in sent.pending()] == ["7"]


def test_a_dependency_that_is_not_in_the_plan_has_never_been_sent() -> None:
    plan = Plan.from_json(PLAN)
    assert plan.replaced({"2": None}).frontier() == []


def test_added_tasks_stand_before_the_response() -> None:
    plan = Plan.from_json(PLAN).replaced({"9": Task("9", "find", {}, "", ("2",))})
    assert list(plan.tasks) == ["root", "2", "5", "7", "9", "response"]


def test_every_problem_of_a_plan_is_reported_with_its_place() -> None:
    broken = loads(dumps(PLAN))
    broken["tasks"][1]["para"] = ["x=1"]
    del broken["tasks"][2]["status"]
    broken["tasks"][2]["dep"] = ["2", "44"]
    broken["tasks"][4] |= {"id": "7", "dep": ["5"]}
    assert [(found.code, found.path) for found in plan_problems(broken)] == [
        ("task_field", "/tasks/1/para"),
        ("task_field", "/tasks/2"),
        ("duplicate_id", "/tasks/4/id"),
        ("dangling_dependency", "/tasks/2/dep/1"),
    ]


def test_cycles_are_problems() -> None:
    broken = loads(dumps(PLAN))
    broken["tasks"][2]["dep"] = ["7"]
    assert [found.code for found in plan_problems(broken)] == ["cycle"]


def test_what_is_no_plan_says_so() -> None:
    for value in (None, [], {"tasks": {}}, "plan", {"tasks": [1]}):
        assert plan_problems(value)
