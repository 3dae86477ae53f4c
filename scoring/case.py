"""A row as the judges need it: what was sent, what is right already, what is wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from scoring.answer import RESPONSE, ROOT, Plan, Task, plan_of
from scoring.graph import ancestors
from scoring.json_text import Json, dumps, loads_lenient, lookup
from scoring.reference import UnresolvedError, computed_in, resolve


@dataclass(frozen=True, slots=True)
class CleanCall:
    """A call of the clean plan.

    ``arguments`` hold references, ``sent`` the values that they stand for; calls of one
    ``turn`` are independent of each other unless one leads to the other.
    """

    id: str
    turn: int
    name: str
    arguments: Mapping[str, Json]
    sent: Mapping[str, Json]
    depends_on: tuple[str, ...]
    result: Json


@dataclass(frozen=True, slots=True)
class Sent:
    """A call that was sent, with what came back.

    ``result`` is `UNKNOWN` where a simulated call has no recording.
    """

    round: int
    node: str
    name: str
    arguments: Mapping[str, Json]
    result: Json


TEXTS = ("query", "tools", "history", "plan", "observations")

UNKNOWN = object()
"""The result of a call that nothing was recorded for."""


@dataclass(frozen=True)
class Case:
    """One row, parsed.

    Attributes:
        instance_id, level, query_id, query: as in the row.
        tools: the tool list by name.
        plan: G(t-1).
        history: the earlier rounds, as JSON.
        observations: O(t), as JSON.
        errors: the error structs.
        error_kinds: kinds of the injected errors.
        clean: calls of the clean plan, by id.
        gold: the gold plan.
        clean_json, gold_json, plan_json: the same columns as JSON.
        round_gt, recovery_round_gt, funcall_times_gt, t: as in the row.
        log: every call that was sent, in order.
        texts: the input columns' texts.
    """

    instance_id: str
    level: str
    query_id: str
    query: str
    tools: Mapping[str, Json]
    plan: Plan
    history: Sequence[Mapping[str, Json]]
    observations: Sequence[Mapping[str, Json]]
    errors: Sequence[Mapping[str, Json]]
    error_kinds: Sequence[str]
    clean: Mapping[str, CleanCall]
    gold: Plan
    clean_json: Json
    gold_json: Json
    plan_json: Json
    round_gt: int
    recovery_round_gt: int
    funcall_times_gt: int
    t: int
    log: tuple[Sent, ...] = field(repr=False)
    texts: tuple[str, ...] = field(repr=False)

    @classmethod
    def from_record(cls, record: Mapping[str, Json]) -> Case:
        """Parse a row, given as a mapping from column to value.

        Raises:
            KeyError, TypeError, ValueError: it is no row.
        """
        clean_json = loads_lenient(record["clean_plan"])
        gold_json = loads_lenient(record["gold_plan"])
        plan_json = loads_lenient(record["plan"])
        history = loads_lenient(record["history"])
        observations = loads_lenient(record["observations"])
        t = record["t"]
        rounds = [(past["round"], past["observations"]) for past in history]
        return cls(
            instance_id=record["instance_id"],
            level=record["level"],
            query_id=record["query_id"],
            query=record["query"],
            tools={tool["name"]: tool for tool in loads_lenient(record["tools"])},
            plan=plan_of(plan_json),
            history=history,
            observations=observations,
            errors=list(record["errors"]),
            error_kinds=list(record["error_kinds"]),
            clean={
                task["id"]: CleanCall(
                    task["id"],
                    task["turn"],
                    task["name"],
                    task["para"],
                    task["sent"],
                    tuple(other for other in task["dep"] if other != ROOT),
                    task["results"],
                )
                for task in clean_json["tasks"]
                if task["id"] not in (ROOT, RESPONSE)
            },
            gold=plan_of(gold_json),
            clean_json=clean_json,
            gold_json=gold_json,
            plan_json=plan_json,
            round_gt=record["round_gt"],
            recovery_round_gt=record["recovery_round_gt"],
            funcall_times_gt=record["funcall_times_gt"],
            t=t,
            log=tuple(
                Sent(round, seen["id"], seen["name"], seen["arguments"], seen["results"])
                for round, seen_all in [*rounds, (t, observations)]
                for seen in seen_all
            ),
            texts=tuple(record[column] for column in TEXTS),
        )

    @cached_property
    def past(self) -> list[Plan]:
        """The plans of the earlier rounds."""
        return [plan_of(past["plan"]) for past in self.history]

    @cached_property
    def keys(self) -> dict[str, list[str]]:
        """Ids of clean calls by `call_key`, in the clean plan's order."""
        found: dict[str, list[str]] = {}
        for id, call in self.clean.items():
            found.setdefault(call_key(call.name, call.sent), []).append(id)
        return found

    @cached_property
    def clean_ancestors(self) -> dict[str, frozenset[str]]:
        """For every clean call, those that must run before it."""
        return ancestors({id: call.depends_on for id, call in self.clean.items()})

    @cached_property
    def right(self) -> dict[str, Sent]:
        """The clean calls that have been made rightly by round t."""
        return self.right_calls(self.log)

    @cached_property
    def sent(self) -> frozenset[str]:
        """Nodes that have been sent by round t."""
        return frozenset(seen.node for seen in self.log)

    @cached_property
    def advanced(self) -> Plan:
        """G(t-1) with the statuses that round t has given: what do-nothing answers."""
        return {
            id: Task(
                task.id,
                task.name,
                task.arguments,
                task.description,
                task.depends_on,
                task.status or id in self.sent,
            )
            for id, task in self.plan.items()
        }

    def are_independent(self, a: str, b: str) -> bool:
        """Tell whether two clean calls are certainly independent: one turn, no path."""
        return (
            a != b
            and self.clean[a].turn == self.clean[b].turn
            and a not in self.clean_ancestors[b]
            and b not in self.clean_ancestors[a]
        )

    def right_calls(self, log: Sequence[Sent]) -> dict[str, Sent]:
        """Return, by clean id, the first sent call that does what the clean call does.

        Same tool, equal arguments, the recorded result, and every clean predecessor made
        rightly in an earlier round.
        """
        made: dict[str, list[Sent]] = {}
        for seen in log:
            if seen.result is not UNKNOWN:
                made.setdefault(call_key(seen.name, seen.arguments), []).append(seen)
        right: dict[str, Sent] = {}
        for id in self.clean_ancestors:
            call = self.clean[id]
            if any(other not in right for other in call.depends_on):
                continue
            earliest = max((right[other].round for other in call.depends_on), default=0)
            recorded = dumps(call.result)
            fitting = [
                seen
                for seen in made.get(call_key(call.name, call.sent), ())
                if seen.round > earliest and dumps(seen.result) == recorded
            ]
            if fitting:
                right[id] = min(fitting, key=lambda seen: (seen.round, seen.node != id))
        return right

    @cached_property
    def computed(self) -> list[tuple[str, str, str, Json]]:
        """(tool, JSON Pointer, inputs' text, value) of what the clean plan works out."""
        results = {id: call.result for id, call in self.clean.items()}
        found = []
        for call in self.clean.values():
            for place, inputs in computed_in(call.arguments):
                try:
                    values = [
                        resolve(item, results, lambda _, inside: inside, place) for item in inputs
                    ]
                    value = lookup(call.sent, place)
                except LookupError:
                    continue
                found.append((call.name, place, dumps(values), value))
        return found

    def compute(self, name: str, place: str, inputs: list[Json]) -> Json:
        """Return what a ``$computed`` stands for: the recorded value where its inputs are.

        Raises:
            UnresolvedError: the inputs are others than the recorded ones.
        """
        text = dumps(inputs)

        def fits(one: tuple[str, str, str, Json]) -> int:
            return 2 * (one[0] == name) + (one[1] == place)

        known = [one for one in self.computed if one[2] == text]
        if known:
            return max(known, key=fits)[3]
        if any(map(fits, self.computed)):
            raise UnresolvedError(place)
        return inputs[0] if len(inputs) == 1 else inputs


def call_key(name: str, arguments: Mapping[str, Json]) -> str:
    """Return a text that is the same for equal calls."""
    return f"{name} {dumps(arguments)}"
