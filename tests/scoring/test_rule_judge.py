"""The rule judge scores what an answer means, not how it is written down."""

from __future__ import annotations

import json
from random import Random
from time import process_time
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from scoring.alignment import align
from scoring.answer import RESPONSE, ROOT, Answer, read_parts, read_text
from scoring.case import Case
from scoring.legality import is_valid
from scoring.reference import UnresolvedError, renamed, resolve, target
from scoring.rubric import KEYS, efficacy
from scoring.rule_judge import efficacy_star, judge
from tests.scoring.answers import Tasks, all_cases, is_dag, mutated

PLAN_KEYS = [key for key in KEYS if key[0] in "se" and key != "s1"]
indexes = st.integers(0, len(all_cases()) - 1)
seeds = st.integers(0, 2**32)


def score(case: Case, tasks: Tasks, thought: str = "") -> dict[str, float]:
    return judge(case, read_parts(thought, {"tasks": tasks}))


def some_answer(index: int, times: int, seed: int) -> tuple[Case, Tasks]:
    case = all_cases()[index]
    tasks = mutated(case.gold_json["tasks"], Random(seed), times)
    assume(is_dag(tasks))
    return case, tasks


def with_names(tasks: Tasks, names: dict[str, str]) -> Tasks:
    return [
        {
            **task,
            "id": names.get(task["id"], task["id"]),
            "dep": [names.get(other, other) for other in task["dep"]],
            "para": renamed(task["para"], names),
        }
        for task in tasks
    ]


@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.error_kinds[-1])
def test_the_gold_plan_deserves_every_point_that_a_plan_can_earn(case: Case) -> None:
    answer = read_parts("", case.gold_json)
    scores = judge(case, answer)
    assert {key: scores[key] for key in PLAN_KEYS if key != "e5"} == dict.fromkeys(
        [key for key in PLAN_KEYS if key != "e5"], 1.0
    )
    assert efficacy_star(case, answer) == 1.0
    assert scores["e5"] == case.round_gt / case.recovery_round_gt


def test_eighteen_rounds_where_six_are_needed_give_a_third() -> None:
    """The worked example of ParaRecover, appendix B."""
    assert round(efficacy(True, 6, 18), 2) == 0.33


@given(indexes, st.integers(0, 4), seeds)
def test_all_fifteen_items_are_there_and_between_0_and_1(index: int, times: int, seed: int) -> None:
    case, tasks = some_answer(index, times, seed)
    scores = score(case, tasks, "Node 7 failed: I call it again.")
    assert tuple(scores) == KEYS
    assert all(0 <= value <= 1 for value in scores.values())


@given(indexes, st.integers(0, 4), seeds)
@settings(max_examples=200)
def test_other_ids_for_pending_tasks_change_nothing(index: int, times: int, seed: int) -> None:
    case, tasks = some_answer(index, times, seed)
    pending = [
        task["id"]
        for task in tasks
        if not task["status"] and task["id"] not in (ROOT, RESPONSE) and task["id"] not in case.sent
    ]
    names = {id: f"new-{number}" for number, id in enumerate(pending)}
    assert score(case, with_names(tasks, names)) == score(case, tasks)


@given(indexes, st.integers(0, 4), seeds)
@settings(max_examples=200)
def test_another_order_of_tasks_and_dependencies_changes_nothing(
    index: int, times: int, seed: int
) -> None:
    case, tasks = some_answer(index, times, seed)
    lots = Random(seed)
    other = [{**task, "dep": lots.sample(task["dep"], len(task["dep"]))} for task in tasks]
    lots.shuffle(other)
    assert score(case, other) == score(case, tasks)


@given(indexes, st.integers(0, 3), seeds)
def test_another_layout_of_the_json_changes_nothing(index: int, times: int, seed: int) -> None:
    case, tasks = some_answer(index, times, seed)
    lots = Random(seed)

    def shuffled(value: Any) -> Any:
        if isinstance(value, dict):
            keys = lots.sample(sorted(value), len(value))
            return {key: shuffled(value[key]) for key in keys}
        return [shuffled(item) for item in value] if isinstance(value, list) else value

    thought = "I keep node 1 as it is."
    tight = f"<thought>{thought}</thought><plan>{json.dumps({'tasks': tasks})}</plan>"
    loose = json.dumps({"tasks": shuffled(tasks)}, indent=3, ensure_ascii=False)
    spread = f"\n<thought>\n{thought}\n</thought>\n\n<plan>\n{loose}\n</plan>\n"
    assert judge(case, read_text(spread)) == judge(case, read_text(tight))


@given(indexes, st.integers(0, 3), seeds)
@settings(max_examples=200)
def test_values_for_references_to_what_was_sent_rightly_change_nothing(
    index: int, times: int, seed: int
) -> None:
    case, tasks = some_answer(index, times, seed)
    results = {seen.node: seen.result for seen in case.right.values()}

    def written_out(value: Any) -> Any:
        if target(value) is not None:
            try:
                return resolve(value, results, lambda place, inputs: None)
            except UnresolvedError:
                return value
        if isinstance(value, dict) and not set(value) & {"$concat", "$computed"}:
            return {key: written_out(item) for key, item in value.items()}
        return [written_out(item) for item in value] if isinstance(value, list) else value

    sent_again = {task["id"] for task in tasks if task["id"] in case.sent and not task["status"]}
    assume(not sent_again)
    plain = [
        task if task["status"] else {**task, "para": written_out(task["para"])} for task in tasks
    ]
    assert score(case, plain) == score(case, tasks)


@given(indexes)
def test_calling_a_failed_task_again_in_place_is_as_good_as_a_new_task(index: int) -> None:
    case = all_cases()[index]
    gold = case.gold_json["tasks"]
    right = {seen.node for seen in case.right.values()}
    fresh = {
        task: call
        for task, call in align(case, case.gold).meaning.items()
        if task not in case.plan and call in case.sent - right
    }
    assume(fresh)
    in_place = with_names([task for task in gold if task["id"] not in fresh.values()], fresh)
    assert score(case, in_place) == score(case, gold)


@given(indexes, seeds)
@settings(max_examples=150)
def test_a_change_of_meaning_never_goes_unseen(index: int, seed: int) -> None:
    """Whatever is lost of the gold plan costs an item of S2 to S5 or E1 to E5."""
    case = all_cases()[index]
    gold = case.gold_json["tasks"]
    lots = Random(seed)
    pending = [task for task in gold if not task["status"] and task["id"] not in (ROOT, RESPONSE)]
    assume(pending)
    task = lots.choice(pending)
    others = [other for other in gold if other is not task]
    worse = lots.choice(
        [
            [{**other, "dep": [d for d in other["dep"] if d != task["id"]]} for other in others],
            [*others, {**task, "name": "no_such_tool"}],
            [*others, {**task, "para": {**task["para"], "no_such_parameter": 1}}],
            [*others, {**task, "status": True}],
            [*gold, {**task, "id": "again"}],
        ]
    )
    before, after = score(case, gold), score(case, worse)
    assert any(after[key] < before[key] for key in PLAN_KEYS)


def test_an_answer_that_responds_at_once_gets_nothing_for_its_strategy() -> None:
    case = next(case for case in all_cases() if len(case.right) < len(case.clean))
    tasks = [
        {**task, "dep": [ROOT]} if task["id"] == RESPONSE else task
        for task in case.gold_json["tasks"]
        if task["id"] == RESPONSE or task["status"]
    ]
    scores = score(case, tasks)
    assert [scores[key] for key in ("s2", "s3", "e1", "e2", "e3", "e4", "e5")] == [0.0] * 7
    assert scores["s4"] == scores["s5"] == 1.0


def test_what_cannot_be_read_leaves_only_the_diagnosis() -> None:
    case = all_cases()[0]
    node = case.error_kinds and case.errors[0]["node"]
    scores = judge(case, read_text(f"<thought>Node {node} is wrong.</thought><plan>?</plan>"))
    assert all(scores[key] == 0 for key in KEYS if key[0] in "se")
    assert judge(case, Answer("", None)) == dict.fromkeys(KEYS, 0.0)


def test_naming_every_task_and_every_failure_in_one_sentence_finds_no_root_cause() -> None:
    for case in all_cases():
        tasks = [id for id in case.plan if id not in (ROOT, RESPONSE)]
        touched = {node for error in case.errors for node in (error["node"], *error["affected"])}
        if len(set(tasks) - touched) < 2 * len(touched) + 6:
            continue
        words = "wrong, missing, redundant, empty, timed out, too early, the root cause"
        thought = f"Nodes {', '.join(tasks)}: {words}; all downstream is affected."
        assert judge(case, Answer(thought, case.gold))["d3"] < 1


@pytest.mark.parametrize(
    "piece",
    ["a", "1", "a1b2", "AB-123", "_", "(", '"', "`", " ", "node ", "no ", "12 -> ", "response ",
     "node 12 depends on ", "12 now now ", "nodes 3, ", '{"a":', "No. ", "12\n", "1."],
)  # fmt: skip
def test_a_thought_of_any_length_is_judged_in_time(piece: str) -> None:
    case = all_cases()[0]
    began = process_time()
    judge(case, Answer((piece * 30_000)[:30_000], case.gold))
    assert process_time() - began < 5


@pytest.mark.parametrize("depth", [50, 101, 400, 900, 5000])
@pytest.mark.parametrize("field", ["para", "text", "desc", "dep"])
def test_a_plan_nested_to_any_depth_is_judged(field: str, depth: int) -> None:
    case = all_cases()[0]
    deep = "[" * depth + "]" * depth
    inside = {"para": f'{{"q":{deep}}}', "text": json.dumps(f'{{"q":{deep}}}')}.get(field, deep)
    key = "para" if field == "text" else field
    whole = (
        f'{{"tasks":[{{"id":"a","name":"b","{key}":{inside}}},{{"id":"response","dep":["a"]}}]}}'
    )
    for output in (f"<thought>x</thought><plan>{whole}</plan>", f'{{"plan":{whole}}}', whole):
        assert set(judge(case, read_text(output))) == set(KEYS)


def test_a_plan_of_a_thousand_tasks_is_judged_in_time_and_a_larger_one_is_not_read() -> None:
    case = all_cases()[0]
    name = next(iter(case.tools))

    def answer(size: int) -> Answer:
        tasks = [
            {"id": f"t{i}", "name": name, "para": {}, "dep": [f"t{j}" for j in range(i)]}
            for i in range(size)
        ]
        return read_parts("x", {"tasks": [*tasks, {"id": "response", "dep": [f"t{size - 1}"]}]})

    began = process_time()
    judge(case, answer(990))
    assert process_time() - began < 20
    assert "1,000" in answer(1001).problem


@pytest.mark.parametrize(
    ("number", "is_integer"),
    [("1e999", False), ("-1e999", False), ("9" * 400, True), ("3.0", True), ("2.5", False)],
)
def test_a_number_of_any_size_is_judged_as_an_integer(number: str, is_integer: bool) -> None:
    assert is_valid(json.loads(number), {"type": "integer"}) is is_integer
