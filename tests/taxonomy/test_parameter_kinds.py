from __future__ import annotations

from functools import cache

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from environment.world import World
from plan.clean import CleanPlan
from plan.damage import Damage
from plan.json_text import Json, dumps, equal, lookup, replaced
from plan.reference import has_reference
from plan.rules import broken, infer, places
from plan.state import State
from plan.task import RESPONSE, ROOT
from plan.tool import Tool
from source_button.ingest import Parsed, parse_line
from source_button.synthesis import synthesize_one
from taxonomy.examples import SAMPLES, damaged, sample_plan, sample_tool, state_at
from taxonomy.examples import Step as SampleStep
from taxonomy.kind import HEADINGS, ErrorKind, Example
from taxonomy.kinds import parameter_error, parameter_invalid, parameter_missing, type_error
from taxonomy.parameter_examples import delivery, viewing

KINDS = {
    module.KIND.name: module.KIND
    for module in (parameter_error, parameter_invalid, parameter_missing, type_error)
}
PLANS = (*SAMPLES, delivery, viewing)
SYNTHETIC = 100


@cache
def synthetic(index: int) -> CleanPlan:
    parsed = parse_line(synthesize_one(index, seed=7), "synthetic", index + 1)
    assert isinstance(parsed, Parsed)
    return parsed.clean


def differing(before: Json, after: Json) -> set[str]:
    """Outermost places at which two values differ."""
    if isinstance(before, dict) and isinstance(after, dict) and before.keys() == after.keys():
        return {f"/{key}{rest}" for key in before for rest in differing(before[key], after[key])}
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        pairs = enumerate(zip(before, after, strict=True))
        return {f"/{at}{rest}" for at, (x, y) in pairs for rest in differing(x, y)}
    return set() if equal(before, after) else {""}


def schema_at(tool: Tool, pointer: str) -> Json:
    schema: Json = tool.parameters
    for token in pointer[1:].split("/"):
        schema = (
            schema["properties"][token]
            if token in (schema.get("properties") or {})
            else schema.get("items", {})
        )
    return schema


def type_fails(schema: Json, value: Json) -> bool:
    if "type" not in schema:
        return False
    return not jsonschema.Draft202012Validator({"type": schema["type"]}).is_valid(value)


def true_kinds(clean: CleanPlan, damage: Damage, before: Json, after: Json) -> set[str]:
    """Which of the four kinds hold for a call's arguments, told without any injector."""
    call = clean.calls[damage.node]
    tool = clean.tools[call.name]
    unknown = [key for key in after if key not in tool.properties]
    absent = [key for key in tool.required if key not in after]
    lost, gained = before.keys() - after.keys(), after.keys() - before.keys()
    kept = before.keys() & after.keys()
    changed = {key for key in kept if not equal(before[key], after[key])}
    found = set()
    if unknown:
        assert unknown == list(gained)
        assert len(lost) == 1
        assert not changed
        assert equal(before[lost.pop()], after[unknown[0]])
        found.add("Parameter_Error")
    elif absent:
        assert absent == list(lost)
        assert not gained
        assert not changed
        found.add("Parameter_Missing")
    for place in differing(before, after) if before.keys() == after.keys() else ():
        value, schema = lookup(after, place), schema_at(tool, place)
        assert not has_reference(lookup(before, place))
        if type_fails(schema, value):
            assert not type_fails(schema, lookup(before, place))
            found.add("Type_Error")
            continue
        examples = [one.sent for one in clean.calls.values() if one.name == call.name]
        rules = infer(tool, examples)
        assert not broken(rules, call.sent)
        sent = replaced(call.sent, place, value)
        wrong = broken(rules, sent)
        if wrong:
            assert {rule.pointer for rule in wrong} == {place}
            assert len(wrong) == 1
            found.add("Parameter_Invalid")
    return found


def check(kind: ErrorKind, state: State, clean: CleanPlan) -> int:
    seen = set()
    world = World(clean, 3)
    for damage in kind.damages(state, clean):
        assert list(damage.changes) == [damage.node]
        new = damage.changes[damage.node]
        old = state.plan.tasks[damage.node]
        assert new is not None
        assert not old.status
        assert damage.node not in (ROOT, RESPONSE)
        assert (new.id, new.name, new.description) == (old.id, old.name, old.description)
        assert (new.depends_on, new.status, damage.fault) == (old.depends_on, False, None)
        assert true_kinds(clean, damage, old.arguments, new.arguments) == {kind.name}

        key = (damage.node, damage.pointer, dumps(damage.after))
        assert key not in seen
        seen.add(key)
        spelled = {"before": old.to_json(), "after": new.to_json()}
        for name, value in (("before", damage.before), ("after", damage.after)):
            try:
                assert equal(lookup(spelled[name], damage.pointer), value)
            except LookupError:
                assert value is None

        call = clean.calls[damage.node]
        sent = _sent(call.sent, old.arguments, new.arguments)
        problem = world.check(new.name, sent)
        assert problem is not None, (damage.way, damage.before, damage.after)
        if kind.name == "Parameter_Invalid":
            assert problem.keyword == "value"
    return len(seen)


def _sent(sent: Json, before: Json, after: Json) -> Json:
    """The arguments as sent: recorded values where nothing was damaged."""
    if before.keys() != after.keys():
        lost = next(iter(before.keys() - after.keys()))
        gained = list(after.keys() - before.keys())
        left = {key: value for key, value in sent.items() if key != lost}
        return {**left, **dict.fromkeys(gained, sent[lost])}
    place = next(iter(differing(before, after)))
    return replaced(sent, place, lookup(after, place))


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_each_damage_of_the_samples_is_of_its_kind_alone(kind: ErrorKind) -> None:
    for plan in PLANS:
        clean = plan()
        for round in range(1, clean.rounds()):
            check(kind, state_at(clean, round), clean)


@settings(max_examples=40)
@given(index=st.integers(0, SYNTHETIC - 1), name=st.sampled_from(sorted(KINDS)), late=st.booleans())
def test_each_damage_of_synthetic_plans_is_of_its_kind_alone(
    index: int, name: str, late: bool
) -> None:
    clean = synthetic(index)
    state = state_at(clean, max(1, clean.rounds() // 2) if late else 1)
    check(KINDS[name], state, clean)


@pytest.mark.parametrize("name", sorted(KINDS))
def test_nearly_every_synthetic_plan_allows_each_kind(name: str) -> None:
    found = 0
    for index in range(40):
        clean = synthetic(index)
        found += any(True for _ in KINDS[name].damages(state_at(clean, 1), clean))
    assert found >= 36


EXAMPLES = [
    pytest.param(kind, example, id=f"{kind.name}: {example.title}")
    for kind in KINDS.values()
    for example in kind.examples
]


@pytest.mark.parametrize(("kind", "example"), EXAMPLES)
def test_examples_are_offered_and_found_blind(kind: ErrorKind, example: Example) -> None:
    state = state_at(example.clean, example.round)
    offered = [
        damage
        for damage in kind.damages(state, example.clean)
        if damage.node == example.node
        and damage.pointer == example.pointer
        and equal(damage.before, example.before)
        and equal(damage.after, example.after)
    ]
    assert len(offered) == 1
    found = [
        (finding.node, finding.pointer)
        for finding in kind.detect(damaged(state, example.clean, offered[0]))
    ]
    assert ((example.node, example.pointer) in found) == example.found


def test_documentation_stands_under_the_headings() -> None:
    for kind in KINDS.values():
        for heading in HEADINGS:
            assert f"\n{heading}\n{'-' * len(heading)}\n" in kind.doc


def test_clean_states_alarm_no_detector() -> None:
    for plan in [*PLANS, *(lambda i=i: synthetic(i) for i in range(30))]:
        clean = plan()
        state = state_at(clean, 1)
        for kind in KINDS.values():
            assert list(kind.detect(state)) == []


def test_only_restricts_the_damaged_tasks() -> None:
    clean = delivery()
    state = state_at(clean, 1)
    for kind in KINDS.values():
        assert {damage.node for damage in kind.damages(state, clean, only={"2"})} == {"2"}
        assert list(kind.damages(state, clean, only=())) == []


def test_sent_tasks_and_made_up_values_are_left_alone() -> None:
    clean = delivery()
    state = state_at(clean, 1)
    task = state.plan.tasks["2"]
    other = task.changed(arguments={**task.arguments, "price": 99.5})
    sent = state.plan.tasks["1"].changed(status=True)
    plan = state.plan.replaced({"1": sent, "2": other})
    changed = State(1, state.query, state.tools, plan)
    for kind in KINDS.values():
        for damage in kind.damages(changed, clean):
            assert damage.node != "1"
            assert damage.pointer != "/para/price"
            if damage.node == "2":
                assert damage.changes["2"].arguments.get("price") == 99.5


def test_one_kind_of_another_leaves_open_tools_and_untyped_places_alone() -> None:
    tool = sample_tool("log", "Log a thing.", thing="string")
    open_tool = Tool(tool.name, tool.description, {**tool.parameters, "additionalProperties": True})
    untyped = Tool(tool.name, tool.description, {"properties": {"thing": {}}, "required": []})
    for listed, name in ((open_tool, "Parameter_Error"), (untyped, "Type_Error")):
        clean = sample_plan("Log it.", [listed], [SampleStep("log", {"thing": "x y"}, "ok")])
        assert list(KINDS[name].damages(state_at(clean, 1), clean)) == []


def test_variety() -> None:
    states = [(state_at(plan(), 1), plan()) for plan in PLANS]
    states += [(state_at(synthetic(i), 1), synthetic(i)) for i in range(30)]
    ways = {
        name: {damage.way for state, clean in states for damage in kind.damages(state, clean)}
        for name, kind in KINDS.items()
    }
    assert len(ways["Parameter_Error"]) >= 12
    assert len(ways["Parameter_Missing"]) >= 4
    assert len(ways["Type_Error"]) >= 10
    rules = {
        rule.name
        for state, clean in states
        for call in clean.calls.values()
        for rule in infer(clean.tools[call.name], [call.sent])
        if any(True for _ in places(rule, call.sent))
    }
    broken_rules = {
        rule
        for rule in rules
        if any(way.startswith(f"{rule}_") for way in ways["Parameter_Invalid"])
    }
    assert len(broken_rules) >= 18
    for rule in broken_rules:
        assert len([way for way in ways["Parameter_Invalid"] if way.startswith(f"{rule}_")]) >= 2


def test_impossible_values_keep_the_form_of_the_original() -> None:
    """No constant stands for many originals: broken values follow the value they replace."""
    states = [(state_at(synthetic(i), 1), synthetic(i)) for i in range(60)]
    seen: dict[str, set[str]] = {}
    count = 0
    for state, clean in states:
        for damage in parameter_invalid.damages(state, clean):
            count += 1
            seen.setdefault(dumps(damage.after), set()).add(dumps(damage.before))
    assert count > 1000
    assert max(len(originals) for originals in seen.values()) <= 40
