"""The world of one row: what every call of it would return, and why.

The world knows the clean plan's recordings and the row's seed, nothing of damage. The same
call in the same world always has the same result, so rows re-execute byte for byte.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from hashlib import blake2b
from random import Random

from environment import plausible, wording
from plan.clean import CleanPlan
from plan.execution import EMPTY, ERROR, OK, TIMEOUT, Execution
from plan.guess import guess
from plan.json_text import Json, dump_bytes, escape, lookup, split_pointer
from plan.legality import Broken
from plan.reference import COMPUTED, UnresolvedError, parts, references, resolve
from plan.rules import Rule, broken
from plan.task import RESPONSE, ROOT, Plan, Task


class World:
    """Executes calls and rounds for one clean plan and one seed.

    Attributes:
        clean: the clean plan.
        seed: the row's seed.
        written: canonical text of each clean call's arguments, by id.
        recorded: (tool, canonical text of the arguments sent) of each clean call, by id.

    Where it is proved that every clean call waits for all that it refers to, sends what was
    recorded when it is executed on the recorded results, and repeats no other call, that is
    taken for granted.
    """

    __slots__ = (
        "_computed",
        "_is_proved",
        "_recordings",
        "_story_day",
        "clean",
        "recorded",
        "seed",
        "written",
    )

    def __init__(self, clean: CleanPlan, seed: int, *, is_proved: bool = False) -> None:
        self.clean = clean
        self.seed = seed
        calls = clean.calls.items()
        self.written = {id: dump_bytes(call.arguments) for id, call in calls}
        self.recorded = clean.recorded
        self._is_proved = is_proved
        self._story_day: date | None = None
        self._recordings: dict[tuple[str, bytes], Json] = {}
        self._computed: list[_Computed] = []
        results = {id: call.result for id, call in calls}
        for id, call in calls:
            self._recordings.setdefault(self.recorded[id], call.result)
            if _COMPUTED not in self.written[id]:
                continue
            for place, inputs in _computed_places(call.arguments):
                try:
                    values = [resolve(item, results, _nested, place) for item in inputs]
                    value = lookup(call.sent, place)
                except LookupError:
                    continue
                self._computed.append(_Computed(call.name, place, dump_bytes(values), value))

    def lots(self, *parts: Json) -> Random:
        """Return the generator that belongs to this world and these parts."""
        digest = blake2b(dump_bytes([self.seed, *parts]), digest_size=8).digest()
        return Random(int.from_bytes(digest, "big"))

    def run(
        self, plan: Plan, log: Sequence[Execution], round: int, faults: Mapping[str, str]
    ) -> list[Execution]:
        """Execute the frontier of a plan as one round; the response is no call.

        Args:
            plan: G(round-1).
            log: everything executed so far.
            round: the round's number, from 1.
            faults: node to timeout or empty, for this round.
        """
        results = usable_results(log)
        return [
            self.execute(plan.tasks[id], results, round, faults.get(id))
            for id in plan.frontier()
            if id != RESPONSE
        ]

    def execute(
        self, task: Task, results: Mapping[str, Json], round: int, fault: str | None
    ) -> Execution:
        """Send one call, in the order of checks of DESIGN section 6.

        Args:
            task: the call.
            results: the usable results by node.
            round: the round's number.
            fault: timeout or empty if asked for, else None.
        """
        call = self.clean.calls.get(task.id)
        if (
            call is None
            or not self._is_proved
            or fault is not None
            or task.arguments is not call.arguments
            or task.name != call.name
            or not self._reads_recordings(task.id, results)
        ):
            return self._execute(task, results, round, fault)
        return Execution(round, task.id, call.name, call.sent, OK, call.result)

    def _reads_recordings(self, id: str, results: Mapping[str, Json]) -> bool:
        """Tell whether all that a clean call waits for came back as recorded."""
        calls = self.clean.calls
        for other in calls[id].depends_on:
            if other != ROOT and results.get(other, _ABSENT) is not calls[other].result:
                return False
        return True

    def _execute(
        self, task: Task, results: Mapping[str, Json], round: int, fault: str | None
    ) -> Execution:
        name = task.name
        arguments: Mapping[str, Json]
        arguments, failed = self._resolved(task, results)

        def end(
            outcome: str, result: Json, cause: str = "", at: str = "", synthetic: bool = False
        ) -> Execution:
            return Execution(round, task.id, name, arguments, outcome, result, cause, at, synthetic)

        tool = self.clean.tools.get(name)
        if tool is None:
            return end(ERROR, wording.unknown_tool(name, self.lots(name)), "unknown_tool")
        if fault is not None:
            lots = self.lots("fault", fault, round, name, arguments)
            if fault == "timeout":
                return end(TIMEOUT, wording.timeout(name, lots), "fault")
            recorded = self._recordings.get((name, dump_bytes(arguments)))
            return end(EMPTY, wording.empty(recorded, lots), "fault")
        if failed is not None:
            lots = self.lots("reference", name, failed.argument, failed.pointer)
            source = f"{failed.node}#{failed.pointer}"
            text = wording.reference(_place(failed.argument), source, lots)
            return end(ERROR, text, "reference", failed.argument)
        key = dump_bytes(arguments)
        recorded = self._recordings.get((name, key), _ABSENT)
        if recorded is not _ABSENT:
            call = self.clean.calls.get(task.id)
            if call is not None and self.recorded[task.id][1] == key:
                arguments = call.sent
            return end(OK, recorded)
        problem = self.check(name, arguments)
        lots = self.lots(name, arguments)
        if problem is not None:
            if problem.keyword == "value":
                text = wording.value(_place(problem.at), problem.value, lots)
                return end(ERROR, text, "value", problem.at)
            text = wording.schema(
                name,
                problem.keyword,
                _place(problem.at),
                problem.expected,
                problem.found,
                problem.value,
                lots,
            )
            return end(ERROR, text, "schema", problem.at)
        recordings = [
            (call.sent, call.result) for call in self.clean.calls.values() if call.name == name
        ]
        made = plausible.result(arguments, tool.returns, recordings, self._day(), lots)
        return end(OK, made, synthetic=True)

    def _day(self) -> date:
        """Return a day around which the story plays: the first that it speaks of."""
        if self._story_day is None:
            self._story_day = next(self._days(), date(2025, 3, 3))
        return self._story_day

    def _days(self) -> Iterator[date]:
        for call in self.clean.calls.values():
            for found in _DAY.finditer(dump_bytes([call.sent, call.result])):
                try:
                    yield date.fromisoformat(found[0].decode())
                except ValueError:
                    continue

    def check(self, name: str, arguments: Mapping[str, Json]) -> Broken | None:
        """Return what is wrong with a listed tool's call by its schema and value rules.

        Where a renamed parameter breaks the schema twice (one key unknown, one missing),
        the world's seed decides which of them an API would name.
        """
        checker = self.clean.laws.checker(name)
        found = [] if checker.accepts(arguments) else checker.broken(arguments)
        if len(found) == 1:
            return found[0]
        if found:
            return found[self.lots(name, sorted(arguments)).randrange(len(found))]
        wrong = broken(self.rules(name), arguments)
        if wrong:
            rule = wrong[0]
            return Broken("value", rule.pointer, "", "", lookup(arguments, rule.pointer))
        return None

    def rules(self, name: str) -> tuple[Rule, ...]:
        """Return the value rules of a listed tool, its recorded calls being examples."""
        return self.clean.laws.rules(name)

    def _resolved(
        self, task: Task, results: Mapping[str, Json]
    ) -> tuple[dict[str, Json], UnresolvedError | None]:
        """Resolve each argument; the first that can't be stays as it stands."""
        failed: UnresolvedError | None = None
        # In the order of canonical text, so that a row's text fails as the plan did.
        arguments = dict(sorted(task.arguments.items()))
        for key, value in arguments.items():
            if isinstance(value, (dict, list)):
                compute = partial(self._compute, task.name)
                try:
                    arguments[key] = resolve(value, results, compute, f"/{escape(key)}")
                except UnresolvedError as error:
                    # As it was raised, it would hold this frame, and so the world, in a circle.
                    failed = failed or UnresolvedError(error.node, error.pointer, error.argument)
        return arguments, failed

    def _compute(self, name: str, place: str, inputs: list[Json]) -> Json:
        """Return the recorded value if the inputs are the recorded ones, else a plausible one.

        Right inputs give the recorded value to another tool or under another parameter's
        name too: what was worked out doesn't depend on who asks.
        """
        key = dump_bytes(inputs)
        known = [one for one in self._computed if one.inputs == key]
        if known:
            return max(known, key=lambda one: one.fits(name, place)).value
        if self._computed:
            model = max(self._computed, key=lambda one: one.fits(name, place))
            if model.fits(name, place):
                made = guess(model.value, self.lots("computed", name, place, inputs))
                return model.value if made is None else made
        return inputs[0] if len(inputs) == 1 else inputs


@dataclass(frozen=True, slots=True)
class _Computed:
    """A value that the trajectory worked out: for which tool, where, and from what."""

    name: str
    place: str
    inputs: bytes
    value: Json

    def fits(self, name: str, place: str) -> int:
        """Return how well it speaks for a place: 3 for its own, 0 if nothing is shared."""
        return 2 * (self.name == name) + (self.place == place)


_ABSENT = object()
_DAY = re.compile(rb"(?<!\d)\d{4}-\d\d-\d\d(?!\d)")
_COMPUTED = COMPUTED.encode()


def usable_results(log: Sequence[Execution]) -> dict[str, Json]:
    """Return each node's latest result that a reference may read."""
    return {seen.node: seen.result for seen in log if seen.outcome == OK}


def _nested(place: str, inputs: list[Json]) -> Json:
    return inputs


def _computed_places(arguments: Mapping[str, Json]) -> list[tuple[str, list[Json]]]:
    """Return (JSON Pointer, inputs) of every ``$computed`` in the arguments."""
    places: list[tuple[str, list[Json]]] = []
    for place in {found.argument: None for found in references(arguments)}:
        try:
            inputs = parts(lookup(arguments, place), COMPUTED)
        except LookupError:
            continue
        if inputs is not None:
            places.append((place, inputs))
    return places


def _place(pointer: str) -> str:
    """Return how an API names an argument: ``guests[1].name`` for ``/guests/1/name``."""
    text = ""
    for token in split_pointer(pointer):
        if token.isdecimal():
            text += f"[{token}]"
        else:
            text += f".{token}" if text else token
    return text
