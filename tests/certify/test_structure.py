"""The structural decision, on small plans and against the injectors' own on random ones."""

import networkx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from certify.structure import Structure, decide, depths, inherited, unused, without_root
from plan.clean import DATA, Call, CleanPlan, Edge
from plan.state import State
from plan.tool import Tool
from taxonomy.structure import Structure as Injectors

NULL, PARALLEL, WRONG, SERIAL = (
    "Dependence_Null",
    "Parallelism_Error",
    "Dependence_Error",
    "Serial_Error",
)

#  1 ─ 3 ─ 5 ─ 6      7 stands alone; 1, 2, 7 are one turn, 3 and 4 another.
#  2 ─ 4 ─ 5
PLAN = {"1": [], "2": [], "7": [], "3": ["1"], "4": ["2"], "5": ["3", "4"], "6": ["5"]}
TURNS = {"1": 1, "2": 1, "7": 1, "3": 2, "4": 2, "5": 3, "6": 4}


def kind_of(node, new, *, sent=(), plan=PLAN, feeds=None):
    dependencies = without_root(plan)
    found = decide(
        dependencies,
        depths(dependencies),
        node,
        new,
        feeds=dependencies[node] if feeds is None else feeds,
        turns=TURNS,
        sent=sent,
    )
    return found and (found.kind, found.partner, found.waits)


@pytest.mark.parametrize(
    ("node", "new", "expected"),
    [
        ("6", [], (NULL, "5", False)),
        ("5", [], (NULL, "3", False)),
        ("6", ["3", "4"], (PARALLEL, "5", False)),
        ("3", ["root"], (PARALLEL, "1", False)),
        ("5", ["4"], (NULL, "3", True)),
        # 5 gives up 3 but takes 1, which 4 doesn't bring: 5 still runs after 3's layer.
        ("5", ["1", "4"], None),
        ("5", ["4", "7"], (WRONG, "3", True)),
        ("3", ["7"], (WRONG, "1", True)),
        ("6", ["3"], None),
        ("3", ["1", "4"], (SERIAL, "4", False)),
        ("2", ["7"], (SERIAL, "7", False)),
        ("3", ["1", "2"], None),
        ("5", ["3", "4", "7"], None),
        ("4", ["2", "6"], None),
        ("4", ["2", "4"], None),
        ("4", ["2", "nowhere"], None),
        ("6", ["root"], None),
        ("7", [], None),
    ],
)
def test_decision(node, new, expected):
    assert kind_of(node, new) == expected


def test_only_pending_calls_count():
    assert kind_of("3", ["root"], sent={"1"}) is None
    assert kind_of("6", [], sent={"5"}) is None
    assert kind_of("5", ["4"], sent={"3"}) is None
    assert kind_of("3", ["1", "4"], sent={"4"}) is None
    assert kind_of("5", [], sent={"5"}) is None


def test_only_data_edges_count():
    assert kind_of("3", ["root"], feeds=frozenset()) is None
    assert kind_of("5", ["4"], feeds={"4"}) is None


def test_a_lost_source_that_is_still_implied_is_no_loss():
    plan = {"1": [], "3": ["1"], "5": ["1", "3"]}
    assert kind_of("5", ["3"], plan=plan) is None


def test_consumers_inherit():
    left = inherited(without_root(PLAN), ["5"])
    assert left["6"] == {"3", "4"}
    assert unused(left) == {"6", "7"}
    assert unused(inherited(without_root(PLAN), ["6"])) == {"5", "7"}
    assert inherited(without_root(PLAN), ["3", "5"])["6"] == {"1", "4"}


@st.composite
def plans(draw):
    size = draw(st.integers(2, 7))
    plan: dict[str, list[str]] = {}
    turns: dict[str, int] = {}
    for place in range(1, size + 1):
        id = str(place)
        plan[id] = sorted(draw(st.sets(st.sampled_from(sorted(plan)), max_size=3))) if plan else []
        ready = 1 + max((turns[other] for other in plan[id]), default=0)
        latest = max(turns.values(), default=1)
        turns[id] = max(ready, draw(st.sampled_from([latest, latest + 1])))
    sent: set[str] = set()
    for id in plan:
        if set(plan[id]) <= sent and draw(st.booleans()):
            sent.add(id)
    node = draw(st.sampled_from(sorted(plan)))
    new = draw(st.sets(st.sampled_from([other for other in plan if other != node]), max_size=3))
    dep = sorted(new) or draw(st.sampled_from([[], ["root"]]))
    return plan, turns, sent, node, dep


@given(plans())
def test_layers_are_those_of_networkx(made):
    plan = made[0]
    graph = networkx.DiGraph([(other, id) for id, before in plan.items() for other in before])
    graph.add_nodes_from(plan)
    expected = {
        id: layer
        for layer, ids in enumerate(networkx.topological_generations(graph), 1)
        for id in ids
    }
    assert depths(without_root(plan)) == expected


@given(plans())
def test_the_injectors_decide_alike(made):
    """Two readings of one definition: what an injector offers, the certificate finds."""
    plan, turns, sent, node, dep = made
    if plan[node] == sorted(other for other in dep if other != "root") and dep:
        return
    tool = Tool("ask", "Ask.", {"type": "object", "properties": {}})
    calls = {
        id: Call(id, turns[id], "ask", {}, {}, "", tuple(before) or ("root",), None)
        for id, before in plan.items()
    }
    edges = tuple(
        Edge(other, id, DATA, "/x", "") for id, before in plan.items() for other in before
    )
    clean = CleanPlan("?", {"ask": tool}, calls, edges)
    state = clean.plan().replaced({id: calls[id].task().changed(status=True) for id in sent})
    graph = networkx.DiGraph([(other, id) for id, before in plan.items() for other in before])
    graph.add_edges_from((other, node) for other in dep)
    cyclic = not networkx.is_directed_acyclic_graph(graph)
    offered = (
        None
        if cyclic or node in sent
        else Injectors(State(1, "?", clean.tools, state), clean).decide(node, dep)
    )
    dependencies = without_root(plan)
    found = decide(
        dependencies,
        depths(dependencies),
        node,
        dep,
        feeds=dependencies[node],
        turns=turns,
        sent=sent,
    )
    if offered is not None:
        assert isinstance(found, Structure)
        assert found.kind == offered
    elif found is not None:
        # The injectors also leave out what could be sent in the coming round.
        assert found.waits
        assert all(other in sent for other in dep if other != "root")
