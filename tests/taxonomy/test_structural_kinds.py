"""The four structural kinds against their definition, written anew with networkx."""

from __future__ import annotations

from collections.abc import Collection
from itertools import chain, combinations

import networkx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plan.clean import CleanPlan
from plan.state import State
from plan.task import ROOT
from taxonomy.examples import Step, damaged, sample_plan, sample_tool, state_at
from taxonomy.registry import kinds

STRUCTURAL = ("Dependence_Error", "Dependence_Null", "Parallelism_Error", "Serial_Error")


def graph_of(dependencies: dict[str, Collection[str]]) -> networkx.DiGraph:
    graph = networkx.DiGraph()
    for node, before in dependencies.items():
        graph.add_edges_from((other, node) for other in before)
        graph.add_node(node)
        graph.add_edge(ROOT, node)
    return graph


def layer(graph: networkx.DiGraph, node: str) -> int:
    above = networkx.subgraph(graph, {node, *networkx.ancestors(graph, node)})
    return networkx.dag_longest_path_length(above)


def defined_kind(state: State, clean: CleanPlan, v: str, dep: Collection[str]) -> str | None:
    """DESIGN section 12, "Structural kinds: one decision", word by word."""
    clean_dep = {id: set(call.depends_on) - {ROOT} for id, call in clean.calls.items()}
    old = graph_of(clean_dep)
    pending = {task.id for task in state.plan.pending()}
    data = {(edge.before, edge.after) for edge in clean.edges if edge.kind == "data"}
    D, new = clean_dep[v], set(dep) - {ROOT}
    if v not in pending:
        return None
    if not dep:
        certain = D and all((u, v) in data for u in D)
        return "Dependence_Null" if certain and D & pending else None
    if v in new or any(v in networkx.ancestors(old, other) for other in new):
        return None
    graph = graph_of({**clean_dep, v: new})
    gone = [u for u in D & pending if (u, v) in data and u not in networkx.ancestors(graph, v)]
    later = bool(new & pending)  # v doesn't run in the coming round
    for u in gone:
        if new == D - {u} | clean_dep[u] and layer(graph, v) <= layer(graph, u):
            return "Parallelism_Error"
    for u in gone:
        if new and new == D - {u} and layer(graph, v) > layer(graph, u) and later:
            return "Dependence_Null"
    for u in gone:
        for w in new - D:
            if (
                new == D - {u} | {w}
                and w not in networkx.ancestors(old, v)
                and w not in networkx.descendants(old, v)
                and w not in networkx.descendants(old, u)
                and layer(graph, v) > layer(graph, u)
                and later
            ):
                return "Dependence_Error"
    for w in new - D:
        if (
            new == D | {w}
            and w in pending
            and clean.are_independent(v, w)
            and layer(graph, v) > layer(old, v)
        ):
            return "Serial_Error"
    return None


@st.composite
def clean_plans(draw: st.DrawFn, size: int = 6) -> CleanPlan:
    """Random DAGs of calls whose turns rise; a call depends on earlier turns only."""
    tool = sample_tool("step", "Do a step.", seed="integer?")
    steps: list[Step] = []
    turn = 1
    for number in range(draw(st.integers(1, size))):
        turn += draw(st.integers(0, 1))
        arguments = {}
        worked_out = {}
        after = []
        for source in range(number):
            if steps[source].turn == turn:
                continue
            match draw(st.sampled_from(["", "", "", "data", "data", "computed", "order"])):
                case "data":
                    arguments[f"from_{source}"] = {"$ref": f"{source + 1}#/out"}
                case "computed":
                    arguments[f"sum_{source}"] = {"$computed": [{"$ref": f"{source + 1}#/out"}]}
                    worked_out[f"/sum_{source}"] = number
                case "order":
                    after.append(str(source + 1))
        steps.append(Step("step", arguments, {"out": number}, after, worked_out, turn))
    return sample_plan("Do the steps.", [tool], steps)


def offers(state: State, clean: CleanPlan) -> dict[tuple[str, frozenset[str]], str]:
    found = {}
    for name in STRUCTURAL:
        for damage in kinds()[name].damages(state, clean):
            assert damage.pointer == "/dep"
            assert damage.before == list(state.plan.tasks[damage.node].depends_on)
            changed = damage.changes[damage.node]
            assert changed is not None
            assert list(changed.depends_on) == damage.after
            assert changed.changed(depends_on=damage.before) == state.plan.tasks[damage.node]
            key = damage.node, frozenset(damage.after)
            assert key not in found
            found[key] = name
    return found


def everything(state: State, clean: CleanPlan) -> dict[tuple[str, frozenset[str]], str]:
    """Every way to rewire one call that the definition calls an error, by trying all."""
    found = {}
    for v in clean.calls:
        others = [other for other in clean.calls if other != v]
        subsets = chain.from_iterable(combinations(others, size) for size in range(len(others) + 1))
        for dep in chain([(ROOT,)], subsets):
            kind = defined_kind(state, clean, v, dep)
            if kind is not None:
                found[v, frozenset(dep)] = kind
    return found


@given(clean_plans(), st.integers(1, 4))
def test_exactly_what_the_definition_says_is_offered(clean: CleanPlan, round: int) -> None:
    state = state_at(clean, min(round, clean.rounds()))
    assert offers(state, clean) == everything(state, clean)


def test_offers_on_realistic_plans_are_of_the_defined_kind(corpus: list[CleanPlan]) -> None:
    seen: dict[str, int] = dict.fromkeys(STRUCTURAL, 0)
    for clean in corpus:
        for round in range(1, clean.rounds()):
            state = state_at(clean, round)
            for (v, dep), kind in offers(state, clean).items():
                assert defined_kind(state, clean, v, dep) == kind
                seen[kind] += 1
    assert all(seen.values())


@given(clean_plans(8), st.integers(1, 4))
def test_nothing_depends_on_ids(clean: CleanPlan, round: int) -> None:
    """Other ids in the clean plan give the same damages under the other ids."""
    names = {id: f"n{len(clean.calls) - place}" for place, id in enumerate(clean.calls)}
    other = renamed_plan(clean, names)
    round = min(round, clean.rounds())
    expected = {
        (names[v], frozenset(names.get(one, one) for one in dep)): kind
        for (v, dep), kind in offers(state_at(clean, round), clean).items()
    }
    assert offers(state_at(other, round), other) == expected


def renamed_plan(clean: CleanPlan, names: dict[str, str]) -> CleanPlan:
    from dataclasses import replace

    from plan.reference import renamed

    return replace(
        clean,
        calls={
            names[id]: replace(
                call,
                id=names[id],
                arguments=renamed(call.arguments, names),
                depends_on=tuple(names.get(one, one) for one in call.depends_on),
            )
            for id, call in clean.calls.items()
        },
        edges=tuple(
            replace(edge, before=names[edge.before], after=names[edge.after])
            for edge in clean.edges
        ),
    )


@given(clean_plans(7), st.integers(1, 3))
def test_detectors_name_the_kind_and_the_task(clean: CleanPlan, round: int) -> None:
    """Where data is all that flows, a lost dependency is found for certain."""
    if any(edge.kind == "order" for edge in clean.edges):
        return
    state = state_at(clean, min(round, clean.rounds()))
    for name in STRUCTURAL:
        for damage in kinds()[name].damages(state, clean):
            after = damaged(state, clean, damage)
            found = {
                other: [one for one in kinds()[other].detect(after) if one.node == damage.node]
                for other in STRUCTURAL
            }
            assert [other for other in STRUCTURAL if found[other]] == [name]


@pytest.mark.parametrize("name", STRUCTURAL)
def test_every_way_is_met(name: str, corpus: list[CleanPlan]) -> None:
    ways = {
        damage.way
        for clean in corpus
        for round in range(1, clean.rounds())
        for damage in kinds()[name].damages(state_at(clean, round), clean)
    }
    assert len(ways) >= {"Serial_Error": 2, "Parallelism_Error": 3}.get(name, 4)
