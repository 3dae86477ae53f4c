"""Episodes: rounds are executed by the environment's own log, and no answer can break them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from environment.episode import MAXIMUM_ROUNDS, Episode
from plan.execution import ERROR, OK, TIMEOUT
from plan.json_text import dumps, loads
from plan.task import RESPONSE, Plan
from tests.certify.rows import rows_of
from tests.environment.episodes import ROWS, answer, begin, call, response, root

# A call failed, another went well, and more is to come.
TRIP = next(
    row
    for row in rows_of("Timeout_Error")
    if {one.outcome for one in begin(row).log} == {OK, TIMEOUT}
    and row.recovery_round_gt > row.t + 2
)


def gold(row: Any) -> str:
    return f"<thought></thought><plan>{row.gold_plan}</plan>"


def texts(observations: Any) -> list[str]:
    return sorted(dumps(one.to_json()) for one in observations)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.instance_id)
def test_an_episode_begins_with_the_rounds_that_the_row_tells_of(row: Any) -> None:
    episode = begin(row)
    state = episode.state
    seen = {past.round: past.observations for past in state.history}
    seen[row.t] = state.observations
    for round in range(1, row.t + 1):
        made = [one.observation() for one in episode.log if one.round == round]
        assert texts(made) == texts(seen[round])
    assert (state.round, state.query, episode.is_over) == (row.t, row.query, False)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.instance_id)
def test_the_gold_plan_leads_to_the_response_in_the_fewest_rounds(row: Any) -> None:
    episode = begin(row)
    episode.give(gold(row))
    while not episode.is_over:
        # Nothing is left to do but to note what was sent.
        state = episode.state
        sent = {one.id: state.plan.tasks[one.id].changed(status=True) for one in state.observations}
        episode.give(answer(*state.plan.replaced(sent).tasks.values()))
    record = episode.record("gold")
    assert record["solved"]
    assert record["reached"]
    assert record["response_round"] == record["rounds"] == row.recovery_round_gt


def test_a_call_that_only_says_it_was_sent_does_not_run_and_gives_nothing() -> None:
    episode = begin(TRIP)
    tools = list(episode.state.tools)
    liar = call("900", tools[0], status=True)
    user = call("901", tools[1], "900", remark={"$ref": "900#/id"})
    episode.give(answer(root(), liar, user, response("901")))
    seen = episode.log[-1]
    assert (seen.node, seen.outcome, seen.cause) == ("901", ERROR, "reference")
    assert all(one.node != "900" for one in episode.log)


def test_a_call_that_was_sent_is_made_again_where_the_plan_says_it_was_not() -> None:
    episode = begin(TRIP)
    failed = next(one for one in episode.log if one.outcome != OK)
    task = episode.state.plan.tasks[failed.node].changed(status=False)
    episode.give(answer(*episode.state.plan.replaced({failed.node: task}).tasks.values()))
    again = [one for one in episode.log if one.node == failed.node]
    assert [one.outcome for one in again] == [failed.outcome, OK]


def test_what_waits_for_a_call_to_be_made_again_waits() -> None:
    episode = begin(TRIP)
    unsent = [task.changed(status=task.id == "root") for task in episode.state.plan.tasks.values()]
    episode.give(answer(*unsent))
    first = {task.id for task in unsent if task.depends_on == ("root",)}
    assert {one.id for one in episode.state.observations} == first


def test_the_response_runs_beside_the_calls_of_its_round_and_ends_the_episode() -> None:
    episode = begin(TRIP)
    tool = next(iter(episode.state.tools))
    calls = len(episode.log)
    episode.give(answer(root(), call("900", tool), response()))
    record = episode.record("hasty")
    assert episode.is_over
    assert (record["reached"], record["solved"]) == (True, False)
    assert record["response_round"] == TRIP.t + 1
    assert record["calls"] == calls + 1
    with pytest.raises(ValueError, match="over"):
        episode.give("again")


ABYSS = '{"tasks": [{"id": "response", "para": ' + '{"a":' * 100_000 + "}" * 100_000 + "}]}"


@pytest.mark.parametrize(
    "output",
    ["", "I am done.", "<plan>{}</plan>", "<plan>[</plan>", f"<plan>{ABYSS}</plan>"],
    ids=["nothing", "no_plan", "no_tasks", "no_json", "abyss"],
)
def test_what_cannot_be_read_spends_a_round_in_which_nothing_runs(output: str) -> None:
    episode = begin(TRIP)
    before, calls = episode.state, len(episode.log)
    episode.give(output)
    after = episode.state
    assert (after.round, after.plan, after.observations) == (before.round + 1, before.plan, ())
    assert len(episode.log) == calls
    assert after.history[-1].observations == before.observations


def test_an_episode_stops_after_forty_rounds() -> None:
    episode = begin(TRIP)
    while not episode.is_over:
        episode.give("?")
    record = episode.record("mute")
    assert record["rounds"] == MAXIMUM_ROUNDS
    assert [step["round"] for step in record["steps"]] == list(range(TRIP.t, MAXIMUM_ROUNDS))
    assert (record["reached"], record["solved"], record["response_round"]) == (False, False, None)


def test_every_state_follows_from_the_row_and_the_steps() -> None:
    episode = begin(TRIP)
    states = [episode.state]
    for output in ("?", gold(TRIP), "?"):
        episode.give(output)
        states.append(episode.state)
    steps = episode.record("some")["steps"]
    assert [step["output"] for step in steps] == ["?", gold(TRIP), "?"]
    for step, before, after in zip(steps, states, states[1:], strict=False):
        assert step["round"] == before.round == after.round - 1
        assert [one.to_json() for one in after.observations] == step["observations"]
        assert after.history[:-1] == before.history
        past = after.history[-1]
        assert (past.plan, past.observations) == (before.plan, before.observations)
    assert states[1].plan == states[0].plan
    assert states[2].plan == Plan.from_json(loads(TRIP.gold_plan))


DEEP = "[" * 120 + "]" * 120
STRANGE = {
    "huge_integer": '{"value": 123456789012345678901234567890}',
    "immense_integer": '{"value": ' + "9" * 400 + "}",
    "float_beyond_all": '{"value": 1e999}',
    "half_a_surrogate_pair": '{"value": "\\ud83d"}',
    "half_a_pair_as_a_key": '{"\\udc00": 1}',
    "deep": '{"value": ' + DEEP + "}",
    "year_zero": '{"date": "0000-00-00", "departure_date": "9999-12-31"}',
    "long_index": '{"value": {"$ref": "NODE#/offers/' + "1" * 5000 + '"}}',
    "index_of_other_digits": '{"value": {"$ref": "NODE#/offers/٣"}}',
    "reference_to_nothing": '{"value": {"$ref": "#"}}',
    "reference_to_itself": '{"value": {"$ref": "900#/x"}}',
    "no_pointer": '{"value": {"$ref": "NODE#x"}}',
    "computed_of_nothing": '{"value": {"$computed": []}}',
    "computed_of_itself": '{"value": {"$computed": [{"$computed": [{"$ref": "NODE#"}]}]}}',
    "concat_of_objects": '{"value": {"$concat": [{}, [], null, {"$ref": "NODE#"}]}}',
    "unknown_operator": '{"value": {"$eval": "1+1"}}',
    "braces": '{"{0}{place}": "{1!r}"}',
}


@pytest.mark.parametrize("name", STRANGE)
@pytest.mark.parametrize("id", ["900", "é ", "\\ud800", "{}", "a#/b", "$ref"])
def test_strange_arguments_and_ids_fail_as_calls_do(name: str, id: str) -> None:
    episode = begin(TRIP)
    node = next(one.node for one in episode.log if "offers" in one.result)
    arguments = STRANGE[name].replace("NODE", node)
    for tool in episode.state.tools:
        task = (
            f'{{"id": "{id}", "name": "{tool}", "para": {arguments}, "desc": "", '
            '"dep": [], "status": false}'
        )
        plan = f'{{"tasks": [{task}, {{"id": "response", "dep": ["{id}"]}}]}}'
        episode.give(f"<thought></thought><plan>{plan}</plan>")
        if episode.is_over:
            return
        assert episode.state.round > TRIP.t
        dumps(episode.state.plan.to_json())
        dumps(episode.record("strange")["steps"][-1]["observations"])


def test_results_that_would_flood_memory_are_not_brought_together() -> None:
    episode = begin(TRIP)
    tool = next(iter(episode.state.tools))
    node = next(one.node for one in episode.log if one.outcome == OK)
    many = [{"$ref": f"{node}#"}] * 400_000
    episode.give(answer(root(), call("900", tool, value={"$concat": many}), response("900")))
    seen = episode.log[-1]
    assert (seen.node, seen.outcome) == ("900", ERROR)
    assert len(dumps(seen.result)) < 200


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["#", "$ref", "2024-13-45", "-1"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=5) | st.just("$concat"), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.text() | st.text(alphabet='<>{}[]",:plantusk$ref#/ \n`'))
def test_no_text_breaks_an_episode(output: str) -> None:
    episode = begin(TRIP)
    episode.give(output)
    assert episode.state.round == TRIP.t + 1


@settings(max_examples=150)
@given(st.data())
def test_no_plan_breaks_an_episode(data: st.DataObject) -> None:
    """Plans of the row with anything in any place, for several rounds."""
    row = data.draw(st.sampled_from(ROWS), label="row")
    episode = begin(row)
    for _ in range(3):
        tasks = [task.to_json() for task in episode.state.plan.tasks.values()]
        ids = [task["id"] for task in tasks]
        for _ in range(data.draw(st.integers(1, 4), label="changes")):
            task = data.draw(st.sampled_from(tasks), label="task")
            key = data.draw(st.sampled_from([*task, "para"]), label="key")
            if key == "dep":
                task[key] = data.draw(st.lists(st.sampled_from(ids), max_size=3))
            elif key == "status":
                task[key] = data.draw(st.booleans())
            elif key == "name":
                task[key] = data.draw(st.sampled_from([*episode.state.tools]) | st.text())
            elif key == "para" and isinstance(task["para"], dict) and task["para"]:
                value = JSON | st.builds(
                    lambda id, pointer: {"$ref": f"{id}#/{pointer}"},
                    st.sampled_from(ids),
                    st.text(max_size=4) | st.just("0"),
                )
                name = data.draw(st.sampled_from([*task["para"]]) | st.text())
                task["para"] = {**task["para"], name: data.draw(value)}
            else:
                task[key] = data.draw(JSON)
        # As a model may write it: ASCII, NaN and all.
        plan = json.dumps({"tasks": tasks})
        before = len(episode.log)
        episode.give(f"<thought></thought><plan>{plan}</plan>")
        assert all(one.round == episode.state.round for one in episode.log[before:])
        assert all(one.node != RESPONSE for one in episode.log)
        dumps(episode.record("fuzz")["steps"][-1]["observations"])
        if episode.is_over:
            break


def test_calls_that_nothing_recorded_wait_for_a_result_from_outside() -> None:
    simulated, asked = begin(TRIP), begin(TRIP, outside=True)
    calls = three_calls(simulated)
    output = answer(root(), *calls, response(*(task.id for task in calls)))
    for episode in (simulated, asked):
        episode.give(output)
    assert simulated.waiting == []
    # A call that was recorded is replayed, one that the schema refuses stays refused.
    assert [one.node for one in asked.waiting] == ["901"]
    assert texts(asked.state.observations) == texts(simulated.state.observations)
    with pytest.raises(ValueError, match="waits"):
        asked.give("?")
    asked.settle("901", {"rooms": 3})
    assert asked.waiting == []
    results = {one.id: one.results for one in asked.state.observations}
    assert results["901"] == {"rooms": 3}
    assert {one.node: one.outcome for one in asked.log}["901"] == OK


def three_calls(episode: Episode) -> list[Any]:
    """A recorded call, one that was never recorded, and one that the schema refuses."""
    recorded = next(iter(episode.world.clean.calls.values()))
    other = {
        key: value + " West" if isinstance(value, str) and " " not in value else value
        for key, value in recorded.sent.items()
    }
    changed = next(key for key, value in recorded.sent.items() if isinstance(value, str))
    fresh = {**recorded.sent, changed: other[changed]}
    return [
        call("900", recorded.name, **recorded.sent),
        call("901", recorded.name, **fresh),
        call("902", recorded.name, **recorded.sent, nonsense=1),
    ]
