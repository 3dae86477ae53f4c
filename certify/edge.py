"""The clean plan's edges are those that its arguments show, and its recordings bear them out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from certify.case import Case, Report
from plan.clean import COMPUTED, DATA, ORDER, Edge
from plan.json_text import Json, dump_bytes, escape, lookup
from plan.reference import COMPUTED as COMPUTED_KEY
from plan.reference import CONCAT, parts, target, text_of

_EXPRESSION = b'{"$'


class _Reading(NamedTuple):
    """A reference: a node, a pointer into its result, and where it stands in the arguments."""

    node: str
    pointer: str
    argument: str
    is_worked_out: bool


def check_edges(case: Case, report: Report) -> None:
    """Check edges, turns, and what was sent, against each call's arguments.

    Every reference has an edge and every edge that carries a value has a reference; a value
    is computed only where it is spelled so. Order edges stand between pairs that nothing
    else links. What a `$computed` gave is taken from the recording. That references resolve
    shows that the edges' sources do.
    """
    calls = case.clean.calls
    flows: dict[str, list[Edge]] = {id: [] for id in calls}
    for index, edge in enumerate(case.clean.edges):
        wrong = ""
        if calls[edge.before].turn >= calls[edge.after].turn:
            wrong = "it doesn't lead from an earlier turn to a later one"
        elif edge.kind == DATA or edge.kind == COMPUTED:
            flows[edge.after].append(edge)
        elif edge.kind != ORDER:
            wrong = f"no such kind: {edge.kind!r}"
        elif edge.argument is not None or edge.source is not None:
            wrong = "an order edge carries no value"
        if wrong:
            report("edge", f"/clean_plan/edges/{index}", wrong)
    linked = {(edge.before, id) for id, edges in flows.items() for edge in edges}
    ordered = [(edge.before, edge.after) for edge in case.clean.edges if edge.kind == ORDER]
    if len(set(ordered)) < len(ordered) or not linked.isdisjoint(ordered):
        report("edge", "/clean_plan/edges", "an order edge says nothing new")
    results = {id: call.result for id, call in calls.items()}
    for id, call in calls.items():
        found: list[_Reading] = []
        text = case.keys[id]
        if _EXPRESSION in text:
            try:
                text = dump_bytes(_filled(call.arguments, "", call.sent, results, found))
            except (LookupError, ValueError):
                text = b""
        if text != case.recorded[id][1]:
            message = f"the arguments of {id!r} don't give what was sent"
            report("sent", "/clean_plan", message)
        elif found or flows[id]:
            _match(id, found, flows[id], report)


def _filled(
    value: Json,
    place: str,
    sent: Mapping[str, Json],
    results: Mapping[str, Json],
    found: list[_Reading],
    is_worked_out: bool = False,
) -> Json:
    """Return a value with references replaced, adding each of them to a list.

    Raises:
        LookupError: nothing stands where one reads.
    """
    if isinstance(value, dict):
        if len(value) == 1:
            source = target(value)
            if source is not None:
                found.append(_Reading(*source, place, is_worked_out))
                return lookup(results[source[0]], source[1])
            inside = parts(value, CONCAT)
            if inside is not None:
                items = [_filled(i, place, sent, results, found, is_worked_out) for i in inside]
                return "".join(map(text_of, items))
            inside = parts(value, COMPUTED_KEY)
            if inside is not None:
                for item in inside:
                    _filled(item, place, sent, results, found, True)
                return lookup(sent, place)
        return {
            key: _filled(item, f"{place}/{escape(key)}", sent, results, found)
            if isinstance(item, (dict, list))
            else item
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [
            _filled(item, f"{place}/{index}", sent, results, found)
            if isinstance(item, (dict, list))
            else item
            for index, item in enumerate(value)
        ]
    return value


def _match(id: str, found: Sequence[_Reading], edges: Sequence[Edge], report: Report) -> None:
    """Report references without an edge, and edges without a reference or for the second time."""
    borne: set[Edge] = set()
    for one in found:
        fitting = [edge for edge in edges if edge.before == one.node and _is_of(edge, one)]
        if not fitting:
            message = f"{id!r} reads {one.node}#{one.pointer} at {one.argument} without an edge"
            report("edge", "/clean_plan/edges", message)
        borne.update(fitting)
    if len(borne) < len(edges):
        message = f"{id!r} has edges that its arguments don't bear out, or one of them twice"
        report("edge", "/clean_plan/edges", message)


def _is_of(edge: Edge, one: _Reading) -> bool:
    """Tell whether an edge stands for a reference; one edge may stand for a list of them."""
    argument, source = edge.argument, edge.source
    if not isinstance(argument, str) or not isinstance(source, str) or not argument:
        return False
    return (
        (edge.kind == DATA or one.is_worked_out)
        and (argument == one.argument or argument == one.argument.rpartition("/")[0])
        and (source == one.pointer or one.pointer.startswith(f"{source}/"))
    )
