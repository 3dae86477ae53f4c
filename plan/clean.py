"""Clean plans: a correct trajectory as a DAG with its recorded results."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from plan import graph
from plan.graph import sinks
from plan.json_text import Json, dump_bytes, dumps, loads
from plan.laws import Laws
from plan.task import RESPONSE, ROOT, Plan, Task
from plan.tool import Tool

DATA = "data"
COMPUTED = "computed"
ORDER = "order"


@dataclass(frozen=True, slots=True)
class Edge:
    """Why one call comes after another.

    ``kind`` is data (an argument refers), computed (an argument is worked out) or order
    (the later call is only right after the earlier one; no value flows, and ``argument``
    and ``source`` are None). ``argument`` is a JSON Pointer into the later call's
    arguments, ``source`` one into the earlier call's result.
    """

    before: str
    after: str
    kind: str
    argument: str | None
    source: str | None

    def to_json(self) -> dict[str, Json]:
        """Return the edge's spelling."""
        return {
            "from": self.before,
            "to": self.after,
            "kind": self.kind,
            "argument": self.argument,
            "source": self.source,
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Json]) -> Edge:
        """Read an edge as `to_json` writes it."""
        return cls(value["from"], value["to"], value["kind"], value["argument"], value["source"])


@dataclass(frozen=True, slots=True)
class Call:
    """One recorded call.

    ``arguments`` hold references, ``sent`` the values that were really sent. ``turn`` is
    the assistant message that made the call, from 1; calls of one turn are independent of
    each other by BUTTON's own rule. ``depends_on`` lists the sources of every edge, or
    ``root``.
    """

    id: str
    turn: int
    name: str
    arguments: Mapping[str, Json]
    sent: Mapping[str, Json]
    description: str
    depends_on: tuple[str, ...]
    result: Json

    def task(self) -> Task:
        """Return the call as a pending task."""
        return Task(self.id, self.name, self.arguments, self.description, self.depends_on)


@dataclass(frozen=True, slots=True)
class CleanPlan:
    """A correct trajectory: query, tools, calls by id in call order, and edges.

    ``dependencies`` are each call's, ``root`` and ``response`` being no calls;
    ``layers`` are each call's layer, from 1: the round in which it runs; ``laws`` say what
    is legal for the tools.
    """

    query: str
    tools: Mapping[str, Tool]
    calls: Mapping[str, Call]
    edges: tuple[Edge, ...]
    dependencies: Mapping[str, tuple[str, ...]] = field(init=False, repr=False, compare=False)
    layers: Mapping[str, int] = field(init=False, repr=False, compare=False)
    laws: Laws = field(init=False, repr=False, compare=False)
    _ancestors: Mapping[str, frozenset[str]] | None = field(init=False, repr=False, compare=False)
    _carried: frozenset[tuple[str, str]] | None = field(init=False, repr=False, compare=False)
    _recorded: Mapping[str, tuple[str, bytes]] | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # Asked for all the time, and a plan never changes.
        dependencies = {id: call.depends_on for id, call in self.calls.items()}
        object.__setattr__(self, "dependencies", dependencies)
        numbers = {id: layer + 1 for id, layer in graph.layers(dependencies).items()}
        object.__setattr__(self, "layers", numbers)
        recorded = [(call.name, call.sent) for call in self.calls.values()]
        object.__setattr__(self, "laws", Laws(self.tools, recorded))
        object.__setattr__(self, "_ancestors", None)
        object.__setattr__(self, "_carried", None)
        object.__setattr__(self, "_recorded", None)

    def relabelled(self, calls: Mapping[str, Call], edges: tuple[Edge, ...]) -> CleanPlan:
        """Return the plan with its own calls and edges under other ids."""
        copy = CleanPlan(self.query, self.tools, calls, edges)
        object.__setattr__(copy, "laws", self.laws)
        return copy

    @property
    def ancestors(self) -> Mapping[str, frozenset[str]]:
        """Each call's ancestors among the calls; what waits for itself has none."""
        if self._ancestors is None:
            found: dict[str, frozenset[str]] = {}
            for id in self.layers:  # sources come first
                known = [other for other in self.calls[id].depends_on if other in found]
                found[id] = frozenset(known).union(*(found[other] for other in known))
            object.__setattr__(self, "_ancestors", {id: found.get(id, _NONE) for id in self.calls})
        assert self._ancestors is not None
        return self._ancestors

    @property
    def carried(self) -> frozenset[tuple[str, str]]:
        """The pairs of calls that a data edge joins."""
        if self._carried is None:
            pairs = frozenset((one.before, one.after) for one in self.edges if one.kind == DATA)
            object.__setattr__(self, "_carried", pairs)
        assert self._carried is not None
        return self._carried

    @property
    def recorded(self) -> Mapping[str, tuple[str, bytes]]:
        """What each call sent: a tool, and the canonical text of the arguments."""
        if self._recorded is None:
            found = {id: (call.name, dump_bytes(call.sent)) for id, call in self.calls.items()}
            object.__setattr__(self, "_recorded", found)
        assert self._recorded is not None
        return self._recorded

    def descendants(self, id: str) -> set[str]:
        """Return the calls that wait for a call, directly or through others."""
        return {other for other, before in self.ancestors.items() if id in before}

    def rounds(self) -> int:
        """Return the number of rounds (the paper's G): tool layers and the response."""
        return max(self.layers.values(), default=0) + 1

    def plan(self) -> Plan:
        """Return G(0): nothing sent, the response after the calls that nothing else uses."""
        last = sinks(self.dependencies) or [ROOT]
        return Plan.of(
            [
                Task(ROOT, ROOT, {}, self.query, (), True),
                *(call.task() for call in self.calls.values()),
                Task(RESPONSE, RESPONSE, {}, RESPONSE_DESCRIPTION, tuple(last)),
            ]
        )

    def ends(self, lost: Collection[str] = ()) -> list[str]:
        """Return the calls that no other uses once some are lost, in call order.

        What used a lost call now uses what that one did.
        """
        used: set[str] = set()
        for call in self.calls.values():
            needs = [] if call.id in lost else list(call.depends_on)
            while needs:
                other = needs.pop()
                if other in lost:
                    needs.extend(self.calls[other].depends_on)
                else:
                    used.add(other)
        return [id for id in self.calls if id not in lost and id not in used]

    def are_independent(self, a: str, b: str) -> bool:
        """Tell whether two calls are certainly independent: same turn and no path."""
        return (
            a != b
            and self.calls[a].turn == self.calls[b].turn
            and a not in self.ancestors[b]
            and b not in self.ancestors[a]
        )

    def canonical(self) -> CleanPlan:
        """Return the plan with every object's keys in the order of canonical text.

        What a row's text says again: worlds answer alike before and after it is written.
        """
        tools = [tool.to_json() for tool in self.tools.values()]
        return CleanPlan.from_row_json(
            self.query, loads(dumps(tools)), loads(dumps(self.to_row_json()))
        )

    def to_row_json(self) -> dict[str, Json]:
        """Return the row's ``clean_plan``: the plan, with recordings and edges."""
        text = self.plan().to_json()
        for task in text["tasks"]:
            call = self.calls.get(task["id"])
            if call is not None:
                task["turn"] = call.turn
                task["sent"] = call.sent
                task["results"] = call.result
        text["edges"] = [edge.to_json() for edge in self.edges]
        return text

    @classmethod
    def from_row_json(cls, query: str, tools: Sequence[Json], value: Json) -> CleanPlan:
        """Read the row's ``clean_plan`` with its ``query`` and ``tools``."""
        return cls(
            query,
            {tool["name"]: Tool.from_json(tool) for tool in tools},
            {
                task["id"]: Call(
                    task["id"],
                    task["turn"],
                    task["name"],
                    task["para"],
                    task["sent"],
                    task["desc"],
                    tuple(task["dep"]),
                    task["results"],
                )
                for task in value["tasks"]
                if task["id"] not in (ROOT, RESPONSE)
            },
            tuple(Edge.from_json(edge) for edge in value["edges"]),
        )


_NONE: frozenset[str] = frozenset()
RESPONSE_DESCRIPTION = "Summarise the results and answer the user."
