"""Every kind is well-formed, and its examples are true."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import networkx
import pytest

from plan.clean import CleanPlan
from plan.damage import Damage
from plan.json_text import dumps
from plan.state import State
from plan.task import RESPONSE, Plan, plan_problems
from taxonomy.examples import damaged, evening, order, state_at, trip
from taxonomy.kind import DIMENSIONS, Example
from taxonomy.registry import kinds

SAMPLES = (trip, order, evening)

EXAMPLES = [
    pytest.param(name, example, id=f"{name}: {example.title}")
    for name, kind in kinds().items()
    for example in kind.examples
]


def offered(example: Example, name: str) -> Damage:
    state = state_at(example.clean, example.round)
    matching = [
        damage
        for damage in kinds()[name].damages(state, example.clean)
        if (damage.node, damage.pointer) == (example.node, example.pointer)
        and dumps(damage.before) == dumps(example.before)
        and dumps(damage.after) == dumps(example.after)
    ]
    assert matching, "the example's damage is not among those offered"
    return matching[0]


@pytest.mark.parametrize(("name", "example"), EXAMPLES)
def test_examples_are_offered_and_found(name: str, example: Example) -> None:
    damage = offered(example, name)
    state = damaged(state_at(example.clean, example.round), example.clean, damage)
    found = list(kinds()[name].detect(state))
    assert all(finding.kind == name and 0 < finding.confidence <= 1 for finding in found)
    if example.found:
        # Of a call that is gone, those that were to use its result can be found.
        assert {damage.node, *damage.changes} & {finding.node for finding in found}


@pytest.mark.parametrize("name", kinds())
def test_clean_samples_raise_no_alarm(name: str) -> None:
    for sample in SAMPLES:
        for round in range(1, sample().rounds() + 1):
            found = list(kinds()[name].detect(state_at(sample(), round)))
            assert not [finding for finding in found if finding.confidence >= 0.5]


def test_fourteen_kinds_in_three_dimensions() -> None:
    assert {kind.dimension for kind in kinds().values()} == set(DIMENSIONS)
    assert set(kinds()) == {
        "Dependence_Error",
        "Dependence_Null",
        "Null_Error",
        "Parallelism_Error",
        "Parameter_Error",
        "Parameter_Invalid",
        "Parameter_Missing",
        "Serial_Error",
        "Timeout_Error",
        "Tool_name_Error",
        "Tool_select_Error",
        "Toolcall_Missing",
        "Toolcall_Redundancy",
        "Type_Error",
    }


def states(corpus: list[CleanPlan]) -> Iterator[tuple[CleanPlan, State]]:
    for clean in corpus:
        for round in range(1, min(clean.rounds(), 4)):
            yield clean, state_at(clean, round)


def spelled(plan: Plan, damage: Damage) -> str:
    tasks = sorted(plan.replaced(damage.changes).to_json()["tasks"], key=lambda task: task["id"])
    for task in tasks:
        task["dep"] = sorted(task["dep"])
    return dumps([tasks, damage.fault and [damage.node, damage.fault]])


def test_no_two_kinds_offer_the_same_damaged_plan(corpus: list[CleanPlan]) -> None:
    for clean, state in states(corpus[:40]):
        undamaged = spelled(state.plan, Damage("", "", None, None, "", {}))
        found: dict[str, set[str]] = defaultdict(set)
        for name, kind in kinds().items():
            for damage in kind.damages(state, clean):
                found[spelled(state.plan, damage)].add(name)
        assert undamaged not in found
        assert all(len(names) == 1 for names in found.values())


def test_no_kind_offers_a_damage_twice(corpus: list[CleanPlan]) -> None:
    for clean, state in states(corpus[:20]):
        for kind in kinds().values():
            damages = [spelled(state.plan, damage) for damage in kind.damages(state, clean)]
            assert len(damages) == len(set(damages)), kind.name


@pytest.mark.parametrize("name", kinds())
def test_damaged_plans_are_sound(name: str, corpus: list[CleanPlan]) -> None:
    for clean, state in states(corpus[:25] if kinds()[name].reach == "task" else corpus):
        for damage in kinds()[name].damages(state, clean):
            plan = state.plan.replaced(damage.changes)
            assert plan_problems(plan.to_json()) == []
            if damage.pointer in ("", "/dep"):
                graph = networkx.DiGraph(
                    (other, task.id) for task in plan.tasks.values() for other in task.depends_on
                )
                assert networkx.is_directed_acyclic_graph(graph)
            old = [state.plan.tasks[id] for id in damage.changes if id in state.plan.tasks]
            assert not any(task.status for task in old)


@pytest.mark.parametrize("name", kinds())
def test_only_allowed_tasks_change(name: str, corpus: list[CleanPlan]) -> None:
    for number, (clean, state) in enumerate(states(corpus)):
        allowed = {id for place, id in enumerate(clean.calls) if (place + number) % 3}
        for damage in kinds()[name].damages(state, clean, only=allowed):
            old = {id for id in damage.changes if id in state.plan.tasks}
            assert old <= allowed | {RESPONSE}
            if damage.fault or damage.node in state.plan.tasks:
                assert damage.node in allowed


def test_what_is_offered_under_a_restriction_is_what_keeps_to_it(corpus: list[CleanPlan]) -> None:
    for clean, state in states(corpus[:30]):
        allowed = set(list(clean.calls)[::2])
        for kind in kinds().values():
            free = [
                spelled(state.plan, damage)
                for damage in kind.damages(state, clean)
                if {id for id in damage.changes if id in state.plan.tasks} <= allowed | {RESPONSE}
                and (damage.node in allowed or damage.node not in state.plan.tasks)
            ]
            kept = [
                spelled(state.plan, damage) for damage in kind.damages(state, clean, only=allowed)
            ]
            # A new task's `only` says what it is modelled on, which its text doesn't show.
            assert kept == free if kind.reach != "plan" else set(kept) <= set(free), kind.name


@pytest.mark.parametrize("name", kinds())
def test_the_same_damages_in_the_same_order(name: str) -> None:
    for sample in SAMPLES:
        state = state_at(sample(), 1)
        first = [repr(damage) for damage in kinds()[name].damages(state, sample())]
        assert first == [repr(damage) for damage in kinds()[name].damages(state, sample())]


@pytest.mark.parametrize("name", kinds())
def test_a_second_damage_keeps_the_plan_sound(name: str) -> None:
    """After any damage to one task, the other tasks' damages still make sound plans."""
    for sample in SAMPLES:
        clean, state = sample(), state_at(sample(), 1)
        for other in kinds().values():
            if other.name in ("Null_Error", "Timeout_Error"):
                continue  # Nothing in the plan changes.
            firsts = list(other.damages(state, clean))
            for first in firsts[:: len(firsts) // 8 + 1]:
                after = damaged(state, clean, first)
                rest = set(clean.calls) - set(first.changes) - {first.node}
                seconds = list(kinds()[name].damages(after, clean, only=rest))
                for second in seconds[:: len(seconds) // 8 + 1]:
                    assert plan_problems(after.plan.replaced(second.changes).to_json()) == []
