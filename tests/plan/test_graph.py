"""Our few lines of layers and ancestors against networkx."""

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from plan.graph import ancestors, descendants, is_acyclic, layers, sinks


@st.composite
def dags(draw: st.DrawFn) -> dict[str, list[str]]:
    size = draw(st.integers(1, 8))
    nodes = draw(st.permutations([str(number) for number in range(size)]))
    return {
        node: [other for other in nodes[:place] if draw(st.booleans())]
        for place, node in enumerate(nodes)
    }


graphs = st.dictionaries(
    st.sampled_from("abcdef"), st.lists(st.sampled_from("abcdef"), unique=True), min_size=1
)


def to_networkx(dependencies: dict[str, list[str]]) -> "nx.DiGraph[str]":
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(dependencies)
    graph.add_edges_from(
        (other, node)
        for node, before in dependencies.items()
        for other in before
        if other in dependencies
    )
    return graph


@given(dags())
def test_layers_are_topological_generations(dependencies: dict[str, list[str]]) -> None:
    found = layers(dependencies)
    for number, generation in enumerate(nx.topological_generations(to_networkx(dependencies))):
        assert all(found[node] == number for node in generation)


@given(dags())
def test_ancestors_and_descendants(dependencies: dict[str, list[str]]) -> None:
    graph = to_networkx(dependencies)
    for node in dependencies:
        assert ancestors(dependencies, node) == nx.ancestors(graph, node)
        assert descendants(dependencies, node) == nx.descendants(graph, node)
    assert sinks(dependencies) == [n for n in dependencies if graph.out_degree(n) == 0]


@given(graphs)
def test_cycles_are_seen(dependencies: dict[str, list[str]]) -> None:
    graph = to_networkx(dependencies)
    assert is_acyclic(dependencies) == nx.is_directed_acyclic_graph(graph)
