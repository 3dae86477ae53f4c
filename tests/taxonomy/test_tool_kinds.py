"""The tool-related kinds: what each damage is made of, checked from the outside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import jsonschema
import networkx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plan.clean import Call, CleanPlan
from plan.damage import Damage
from plan.execution import Observation
from plan.json_text import Json, dumps, lookup, type_name
from plan.reference import references, renamed, resolve
from plan.rules import broken, infer
from plan.state import Round, State
from plan.task import RESPONSE, ROOT, Plan, Task
from plan.tool import describe
from taxonomy.examples import advanced, evening, observe, order, state_at, trip
from taxonomy.kinds import tool_name_error, tool_select_error
from taxonomy.literal import made_up
from taxonomy.registry import kinds

GIVEAWAYS = (
    "error", "missing", "redundan", "null", "timeout", "invalid", "damage", "made_up", "made up",
    "inject", "wrong", "fake", "dummy", "placeholder", "unknown",
)  # fmt: skip


def offered(corpus: list[CleanPlan], name: str) -> Iterator[tuple[CleanPlan, State, Damage]]:
    for clean in corpus:
        for round in range(1, clean.rounds()):
            state = state_at(clean, round)
            for damage in kinds()[name].damages(state, clean):
                yield clean, state, damage


def sent_by(clean: CleanPlan, task: Task) -> Json:
    """Resolve a task's arguments by the recorded results."""
    call = clean.calls.get(task.id)
    results = {id: one.result for id, one in clean.calls.items()}

    def compute(place: str, inputs: list[Json]) -> Json:
        if (
            call is not None
            and place
            and dumps(lookup(task.arguments, place)) == dumps(lookup(call.arguments, place))
        ):
            return lookup(call.sent, place)
        # The value was worked out for another parameter or another task.
        for other in clean.calls.values():
            for found in references(other.arguments):
                expression = lookup(other.arguments, found.argument)
                if [dumps(one) for one in expression.get("$computed", ())] and dumps(
                    expression
                ) == dumps(lookup(task.arguments, place)):
                    return lookup(other.sent, found.argument)
        raise AssertionError(place)

    return resolve(task.arguments, results, compute)


def assert_legal(clean: CleanPlan, task: Task) -> None:
    tool = clean.tools[task.name]
    sent = sent_by(clean, task)
    jsonschema.validate(sent, dict(tool.parameters))
    assert tool.is_open or set(sent) <= set(tool.properties)
    examples = [call.sent for call in clean.calls.values() if call.name == tool.name]
    assert broken(infer(tool, examples), sent) == []


def ends(plan: Plan) -> set[str]:
    graph = networkx.DiGraph()
    for task in plan.calls():
        graph.add_node(task.id)
        graph.add_edges_from((other, task.id) for other in task.depends_on if other != ROOT)
    return {node for node, out in graph.out_degree() if out == 0}


def test_wrong_names_are_never_listed(corpus: list[CleanPlan]) -> None:
    for clean, state, damage in offered(corpus[:40], "Tool_name_Error"):
        changed, before = damage.changes[damage.node], state.plan.tasks[damage.node]
        assert changed == before.changed(name=damage.after)
        assert damage.after not in clean.tools
        assert damage.after.strip() == damage.after != ""


@given(st.text(st.characters(codec="utf-8"), max_size=30))
def test_any_name_can_be_got_wrong(name: str) -> None:
    wrong = [text for _, text in tool_name_error.misspellings(name)]
    assert name not in wrong
    assert "" not in wrong
    assert len(wrong) == len(set(wrong))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("get_weather", ["fetch_weather", "getWeather", "get-weather", "api_get_weather"]),
        ("sendEmail", ["send_email", "dispatchEmail", "sendEmailRetry", "apiSendEmail"]),
        ("book-flight", ["book_flight", "reserve-flight", "book-flights", "Book-flight"]),
        ("ConvertCurrency", ["ConvertCurrencies", "convertCurrency", "TransformCurrency"]),
        ("search", ["find", "seacrh", "search_v2", "Search"]),
    ],
)
def test_wrong_names_keep_the_style(name: str, expected: list[str]) -> None:
    assert set(expected) <= {text for _, text in tool_name_error.misspellings(name)}


def test_a_wrong_tool_is_called_legally(corpus: list[CleanPlan]) -> None:
    count = 0
    for clean, state, damage in offered(corpus, "Tool_select_Error"):
        before, task = state.plan.tasks[damage.node], damage.changes[damage.node]
        assert task is not None
        assert (damage.before, damage.after) == (before.name, task.name)
        assert task.name in clean.tools
        assert task.name != before.name
        assert task.depends_on == before.depends_on
        assert task.description == describe(clean.tools[task.name])
        assert {found.node for found in references(task.arguments)} <= set(task.depends_on)
        assert_legal(clean, task)
        assert all(
            (call.name, dumps(call.sent)) != (task.name, dumps(sent_by(clean, task)))
            for call in clean.calls.values()
        )
        count += 1
    assert count > 100


def test_tools_of_another_purpose_are_not_confused() -> None:
    tools = trip().tools
    confused = tool_select_error.are_confusable
    assert confused(tools["get_weather_forecast"], tools["get_weather_history"])
    assert confused(tools["book_flight"], tools["hold_flight"])
    assert not confused(tools["book_flight"], tools["get_weather_history"])
    assert not confused(tools["share_itinerary"], tools["search_flights"])


def test_a_missing_call_leaves_nothing_of_itself(corpus: list[CleanPlan]) -> None:
    for clean, state, damage in offered(corpus, "Toolcall_Missing"):
        gone, call = damage.node, clean.calls[damage.node]
        plan = state.plan.replaced(damage.changes)
        assert damage.pointer == ""
        assert damage.before == state.plan.tasks[gone].to_json()
        assert damage.after is None
        assert gone not in plan.tasks
        assert plan.pending()
        assert set(plan.tasks[RESPONSE].depends_on) == ends(plan)
        for task in plan.tasks.values():
            assert gone not in {found.node for found in references(task.arguments)}
        for id, task in damage.changes.items():
            if task is None or id == RESPONSE:
                continue
            user = clean.calls[id]
            inherited = (set(user.depends_on) - {gone}) | set(call.depends_on)
            assert set(task.depends_on) == (inherited - {ROOT} or {ROOT})
            assert_legal(clean, task)
            assert_made_up(task, user, gone)


def assert_made_up(task: Task, user: Call, gone: str) -> None:
    """What read the lost result differs from the record in value, not in JSON type."""
    places = {one.argument for one in references(user.arguments) if one.node == gone}
    for place in places:
        key = place.split("/")[1]
        if key not in task.arguments:
            continue
        recorded, made = lookup(user.sent, place), lookup(task.arguments, place)
        assert type_name(made) == type_name(recorded)
        assert dumps(made) != dumps(recorded)
        if isinstance(made, str) and made.casefold() != recorded.casefold():
            new = set(made.casefold().split()) - set(recorded.casefold().split())
            assert not any(word in part for part in new for word in GIVEAWAYS)
    untouched = {key for key in user.arguments if not any(p.split("/")[1] == key for p in places)}
    assert all(task.arguments[key] == user.arguments[key] for key in untouched)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12)
    | st.floats(-1e9, 1e9, allow_nan=False) | st.text(st.characters(codec="utf-8"), max_size=20)
    | st.dates().map(str) | st.times().map(str) | st.emails() | st.from_regex(r"[A-Z]{2}-\d{3,5}"),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


@given(JSON)
def test_made_up_values_differ_and_keep_the_type(value: Json) -> None:
    made = list(made_up(value))
    texts = [dumps(one) for one in made]
    assert texts == [dumps(one) for one in made_up(value)]
    assert len({dumps(value), *texts}) == len(texts) + 1
    assert all(type_name(one) == type_name(value) for one in made)


def test_a_redundant_call_is_legal_and_feeds_nothing(corpus: list[CleanPlan]) -> None:
    for clean, state, damage in offered(corpus, "Toolcall_Redundancy"):
        new, response = damage.changes[damage.node], damage.changes[RESPONSE]
        assert new is not None
        assert response is not None
        assert (damage.pointer, damage.before, damage.after) == ("", None, new.to_json())
        assert set(damage.changes) == {new.id, RESPONSE}
        assert new.id not in state.plan.tasks
        assert not new.status
        assert set(response.depends_on) == set(state.plan.tasks[RESPONSE].depends_on) | {new.id}
        assert new.description == describe(clean.tools[new.name])
        assert {found.node for found in references(new.arguments)} <= set(new.depends_on)
        if damage.way.startswith("repeats"):
            twin = [call for call in clean.calls.values() if call.arguments == new.arguments]
            assert new.name in {call.name for call in twin}
            itself = [call.id for call in twin if damage.way == "repeats_afterwards"]
            given = set(new.depends_on) - set(itself) or {"root"}
            assert given in [set(call.depends_on) for call in twin]
        else:
            assert_legal(clean, new)
            assert all(
                (call.name, dumps(call.arguments)) != (new.name, dumps(new.arguments))
                for call in clean.calls.values()
            )


def test_what_failed_is_not_redundant_to_repeat() -> None:
    clean = trip()
    first = state_at(clean, 1)
    seen = tuple(
        replace(one, results={"error": "Service unavailable"}) if one.id == "2" else one
        for one in observe(first.plan, clean)
    )
    state = replace(
        state_at(clean, 2),
        plan=advanced(first.plan, seen),
        history=(Round(1, first.plan, seen),),
    )
    names = [
        new.name
        for damage in kinds()["Toolcall_Redundancy"].damages(state, clean)
        if damage.way == "repeats_sent" and (new := damage.changes["x1"]) is not None
    ]
    assert "get_city_info" in names
    assert "search_flights" not in names


def test_redundant_calls_are_modelled_on_the_allowed_ones() -> None:
    clean, state = trip(), state_at(trip(), 2)
    for damage in kinds()["Toolcall_Redundancy"].damages(state, clean, only={"4"}):
        new = damage.changes["x1"]
        assert new is not None
        assert new.arguments["city_id"] == {"$ref": "1#/city_id"}


def test_a_new_id_is_the_first_free_one() -> None:
    clean, state = trip(), state_at(trip(), 1)
    damage = next(kinds()["Toolcall_Redundancy"].damages(state, clean))
    again = replace(state, plan=state.plan.replaced(damage.changes))
    assert next(kinds()["Toolcall_Redundancy"].damages(again, clean)).node == "x2"


@pytest.mark.parametrize(("name", "fault"), [("Null_Error", "empty"), ("Timeout_Error", "timeout")])
def test_faults_strike_the_coming_round_only(
    name: str, fault: str, corpus: list[CleanPlan]
) -> None:
    for clean, state, damage in offered(corpus, name):
        assert damage.node in state.plan.frontier()
        assert (damage.pointer, damage.after, damage.changes) == ("/results", None, {})
        assert damage.before == clean.calls[damage.node].result
        assert damage.fault == fault


def test_what_is_empty_anyway_gives_no_empty_result() -> None:
    clean = evening()
    empty = replace(clean, calls={**clean.calls, "1": replace(clean.calls["1"], result=[])})
    state = state_at(empty, 1)
    assert [damage.node for damage in kinds()["Null_Error"].damages(state, empty)] == ["2"]
    assert len(list(kinds()["Timeout_Error"].damages(state, empty))) == 2


@pytest.mark.parametrize(
    "message",
    [
        "Request timed out after 30 seconds.",
        "The operation timed out.",
        "Upstream service did not respond within 20s.",
        {"error": "Gateway timeout."},
        {"status": "error", "message": "Read timed out (read timeout=15)."},
        {"error": {"code": "DEADLINE_EXCEEDED", "message": "Deadline exceeded for find_cinemas."}},
        {"detail": "Connection to the service timed out; no response received.", "code": 504},
    ],
)
def test_timeouts_are_found_however_worded(message: Json) -> None:
    found = list(kinds()["Timeout_Error"].detect(answered(message)))
    assert [(one.node, one.pointer) for one in found] == [("2", "/results")]
    assert found[0].confidence > 0.9
    assert not list(kinds()["Null_Error"].detect(answered(message)))


@pytest.mark.parametrize("nothing", [None, {}, [], "", "No data", "No results found."])
def test_empty_results_are_found_however_shaped(nothing: Json) -> None:
    found = list(kinds()["Null_Error"].detect(answered(nothing)))
    assert [(one.node, one.pointer) for one in found] == [("2", "/results")]
    assert not list(kinds()["Timeout_Error"].detect(answered(nothing)))


def answered(result: Json) -> State:
    state = state_at(evening(), 1)
    seen = Observation("2", "find_cinemas", {"address": "12 Mill Lane"}, result)
    return replace(state, observations=(seen,))


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("Tool_name_Error", 10),
        ("Tool_select_Error", 4),
        ("Toolcall_Missing", 8),
        ("Toolcall_Redundancy", 7),
    ],
)
def test_there_are_many_ways(name: str, least: int, corpus: list[CleanPlan]) -> None:
    ways = Counter(damage.way for _, _, damage in offered(corpus, name))
    assert len(ways) >= least


@pytest.mark.parametrize(
    "name", ["Tool_name_Error", "Tool_select_Error", "Toolcall_Missing", "Toolcall_Redundancy"]
)
def test_nothing_depends_on_ids(name: str) -> None:
    for sample in (trip(), order(), evening()):
        names = {id: f"n{9 - place}" for place, id in enumerate(sample.calls)}
        other = replace(
            sample,
            calls={
                names[id]: replace(
                    call,
                    id=names[id],
                    arguments=renamed(call.arguments, names),
                    depends_on=tuple(names.get(one, one) for one in call.depends_on),
                )
                for id, call in sample.calls.items()
            },
            edges=tuple(
                replace(edge, before=names[edge.before], after=names[edge.after])
                for edge in sample.edges
            ),
        )
        damages = list(kinds()[name].damages(state_at(sample, 2), sample))
        others = list(kinds()[name].damages(state_at(other, 2), other))
        assert [(names.get(one.node, one.node), one.way) for one in damages] == [
            (one.node, one.way) for one in others
        ]
