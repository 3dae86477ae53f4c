"""The world of one row: what every call of it would return, and why.

The world knows the clean plan's recordings and the row's seed, nothing of damage. The same
call in the same world always has the same result, so rows re-execute byte for byte.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from random import Random

from environment import plausible, wording
from plan.clean import CleanPlan
from plan.execution import EMPTY, ERROR, OK, TIMEOUT, Execution
from plan.json_text import Json, dump_bytes, dumps, lookup, split_pointer
from plan.legality import Broken, Checker, checker
from plan.reference import COMPUTED, UnresolvedError, parts, references, resolve
from plan.rules import Rule, broken, infer
from plan.task import RESPONSE, Plan, Task


class World:
    """Executes calls and rounds for one clean plan and one seed."""

    __slots__ = ("_checkers", "_computed", "_recordings", "_rules", "clean", "layers", "seed")

    def __init__(self, clean: CleanPlan, seed: int) -> None:
        self.clean = clean
        self.seed = seed
        self.layers = clean.layers()
        self._checkers: dict[str, Checker] = {}
        self._rules: dict[str, tuple[Rule, ...]] = {}
        self._recordings: dict[tuple[str, bytes], Json] = {}
        self._computed: dict[tuple[str, str], list[tuple[bytes, Json]]] = {}
        results = {id: call.result for id, call in clean.calls.items()}
        for call in clean.calls.values():
            self._recordings.setdefault((call.name, dump_bytes(call.sent)), call.result)
            for place, inputs in _computed_places(call.arguments):
                try:
                    values = [resolve(item, results, _nested, place) for item in inputs]
                    value = lookup(call.sent, place)
                except LookupError:
                    continue
                self._computed.setdefault((call.name, place), []).append(
                    (dump_bytes(values), value)
                )

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
        name = task.name
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
        made = plausible.result(arguments, tool.returns, recordings, lots)
        return end(OK, made, synthetic=True)

    def check(self, name: str, arguments: Mapping[str, Json]) -> Broken | None:
        """Return what is wrong with a listed tool's call by its schema and value rules.

        Where a renamed parameter breaks the schema twice (one key unknown, one missing),
        the world's seed decides which of them an API would name.
        """
        found = self._checker(name).broken(arguments)
        if found:
            return found[self.lots(name, sorted(arguments)).randrange(len(found))]
        wrong = broken(self.rules(name), arguments)
        if wrong:
            rule = wrong[0]
            return Broken("value", rule.pointer, "", "", lookup(arguments, rule.pointer))
        return None

    def rules(self, name: str) -> tuple[Rule, ...]:
        """Return the value rules of a listed tool, its recorded calls being examples."""
        rules = self._rules.get(name)
        if rules is None:
            examples = [call.sent for call in self.clean.calls.values() if call.name == name]
            rules = self._rules[name] = infer(self.clean.tools[name], examples)
        return rules

    def _checker(self, name: str) -> Checker:
        known = self._checkers.get(name)
        if known is None:
            known = self._checkers[name] = checker(dumps(self.clean.tools[name].parameters))
        return known

    def _resolved(
        self, task: Task, results: Mapping[str, Json]
    ) -> tuple[dict[str, Json], UnresolvedError | None]:
        """Resolve each argument; the first that can't be stays as it stands."""
        failed: UnresolvedError | None = None
        arguments: dict[str, Json] = {}

        def compute(place: str, inputs: list[Json]) -> Json:
            return self._compute(task.name, place, inputs)

        # In the order of canonical text, so that a row's text fails as the plan did.
        for key, value in sorted(task.arguments.items()):
            if not isinstance(value, (dict, list)):
                arguments[key] = value
                continue
            try:
                arguments[key] = resolve(value, results, compute, f"/{_escape(key)}")
            except UnresolvedError as error:
                failed = failed or error
                arguments[key] = value
        return arguments, failed

    def _compute(self, name: str, place: str, inputs: list[Json]) -> Json:
        """Return the recorded value if the inputs are the recorded ones, else a plausible one."""
        key = dump_bytes(inputs)
        recorded = self._computed.get((name, place), ())
        for known, value in recorded:
            if known == key:
                return value
        lots = self.lots("computed", name, place, inputs)
        if recorded:
            model = recorded[0][1]
            made = plausible.made_up(model, lots)
            return model if made is None else made
        return inputs[0] if len(inputs) == 1 else inputs


_ABSENT = object()


def usable_results(log: Sequence[Execution]) -> dict[str, Json]:
    """Return each node's latest result that a reference may read."""
    return {seen.node: seen.result for seen in log if seen.outcome == OK}


@lru_cache(maxsize=4096)
def _escape(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def _nested(place: str, inputs: list[Json]) -> Json:
    return inputs


def _computed_places(arguments: Mapping[str, Json]) -> list[tuple[str, list[Json]]]:
    """Return (JSON Pointer, inputs) of every ``$computed`` in the arguments."""
    places: list[tuple[str, list[Json]]] = []
    if COMPUTED not in dumps(arguments):
        return places
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
