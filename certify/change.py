"""Finds, blind to the labels, what has been done to a row's plans.

Every plan is compared with the clean plan, call by call and by id; ids of the plans and of
the clean plan are the same. What a careless agent wrote in place of a failed call's result
is told from the difference between one plan and the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from certify.case import SPECIAL, Case, Report, task_of
from certify.kinds import (
    NULL_ERROR,
    PARAMETER_ERROR,
    PARAMETER_INVALID,
    PARAMETER_MISSING,
    TIMEOUT_ERROR,
    TOOL_NAME_ERROR,
    TOOL_SELECT_ERROR,
    TOOLCALL_MISSING,
    TOOLCALL_REDUNDANCY,
    TYPE_ERROR,
)
from certify.structure import Dependencies, behind, decide, depths, inherited, unused
from certify.value import CONTENT, Legality
from plan.execution import OK
from plan.json_text import Json, dump_bytes, escape, lookup, overlap, replaced, split_pointer
from plan.reference import has_reference, is_expression, references
from plan.task import RESPONSE, ROOT, Task


@dataclass(frozen=True, slots=True)
class Change:
    """An injected error as found.

    Attributes:
        kind: which of the fourteen.
        node: the damaged call.
        first: the first round whose plan holds it; a fault's own round.
        pointers: JSON Pointers into the task's spelling that may name its place.
        partner: the lost or needlessly added dependency of a structural kind, else "".
        waits: it only counts while its call is pending.
        blame: JSON Pointers into the arguments that an error message about it may name.
    """

    kind: str
    node: str
    first: int
    pointers: tuple[str, ...]
    partner: str = ""
    waits: bool = False
    blame: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MadeUp:
    """A literal that stands where a reference to a failed call stood.

    ``round`` is the first round whose plan holds it, ``pointer`` one into the arguments.
    """

    round: int
    node: str
    pointer: str
    before: Json
    after: Json
    failed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Absent:
    """Stands for a value that isn't there."""


ABSENT = Absent()


def differences(before: Json, after: Json, pointer: str = "") -> Iterator[tuple[str, Json, Json]]:
    """Yield (JSON Pointer, before, after) for the outermost places that differ.

    Expressions are compared whole; what is missing on one side is `ABSENT` there.
    """
    if isinstance(before, dict) and isinstance(after, dict):
        if not is_expression(before) and not is_expression(after):
            for key in sorted(before.keys() | after.keys()):
                old, new = before.get(key, ABSENT), after.get(key, ABSENT)
                if type(old) is not str or type(new) is not str or old != new:
                    yield from differences(old, new, f"{pointer}/{escape(key)}")
            return
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, item in enumerate(before):
            yield from differences(item, after[index], f"{pointer}/{index}")
        return
    if before is ABSENT and after is ABSENT:
        return
    if before is ABSENT or after is ABSENT or dump_bytes(before) != dump_bytes(after):
        yield pointer, before, after


def find_changes(
    case: Case, legality: Legality, report: Report
) -> tuple[list[Change], list[MadeUp]]:
    """Return what was injected, and what an agent made up, in the order of their rounds.

    Reported are changes that are none of the kinds, that vanish again, that touch a call
    after it had been sent, and calls that carry two of them.
    """
    return _Search(case, legality, report).run()


class _Search:
    """Walks through the plans of one row."""

    __slots__ = (
        "base",
        "case",
        "changes",
        "layers",
        "legality",
        "lost",
        "made_up",
        "report",
        "sinks",
        "standing",
        "versions",
    )

    def __init__(self, case: Case, legality: Legality, report: Report) -> None:
        self.case = case
        self.report = report
        self.legality = legality
        self.changes: dict[str, Change] = {}
        self.made_up: list[MadeUp] = []
        self.standing: dict[str, tuple[Json, ...]] = {
            id: (call.name, case.keys[id], frozenset(call.depends_on), case.dependencies[id])
            for id, call in case.clean.calls.items()
        }
        self.versions: dict[str, tuple[tuple[Json, ...], frozenset[str] | None]] = {}
        self.lost: frozenset[str] = frozenset()
        self.base: Dependencies = case.dependencies
        self.layers = case.layers
        self.sinks = unused(self.base)

    def run(self) -> tuple[list[Change], list[MadeUp]]:
        case = self.case
        for index in range(len(case.plans)):
            self._plan(index)
        for fault in case.faults:
            seen = case.executions.get(fault.node)
            kind = TIMEOUT_ERROR if fault.kind == "timeout" else NULL_ERROR
            if seen is None or seen.round != fault.round:
                continue
            if seen.cause != "fault" or seen.outcome != fault.kind:
                self.report("fault_hidden", "/faults", f"{fault.node!r} failed for another reason")
            self._add(Change(kind, fault.node, fault.round, ("/results",)), "/faults")
        self._check_needless()
        return sorted(self.changes.values(), key=lambda one: one.first), self.made_up

    def _add(self, change: Change, path: str) -> None:
        if change.node in self.changes:
            self.report("two_changes", path, f"{change.node!r} carries two errors")
        else:
            self.changes[change.node] = change

    def _plan(self, index: int) -> None:
        """Compare one plan with the clean one, and with the plan before it."""
        case, round = self.case, index + 1
        plan, path = case.plans[index], case.paths[index]
        lost = frozenset(case.clean.calls.keys() - plan.keys())
        if lost != self.lost:
            if not self.lost <= lost:
                self.report("change_vanished", path, "a lost call is back")
            for id in sorted(lost - self.lost):
                self._add(Change(TOOLCALL_MISSING, id, round, ("",)), path)
                if id in case.executions and case.executions[id].round < round:
                    self.report("sent_changed", path, f"{id!r} was sent and is gone")
            self.lost = lost
            self.base = inherited(case.dependencies, sorted(lost, key=case.layers.__getitem__))
            self.layers = depths(self.base) or case.layers
            self.sinks = unused(self.base)
        for id, text in case.keyed[index].items():
            task = plan[id]
            now = (task["name"], text, frozenset(task["dep"]), self.base.get(id))
            before = self.standing.get(id, ())
            if now == before:
                continue
            self.standing[id] = now
            if id in case.executions and case.executions[id].round < round:
                if now[:3] != before[:3]:
                    self.report("sent_changed", path, f"{id!r} was changed after it was sent")
                continue
            self._node(index, task_of(task))
        gone = [id for id in self.standing if id not in plan and id not in case.clean.calls]
        for id in gone:
            self.report("change_vanished", path, f"the new call {id!r} is gone again")
            del self.standing[id]
        added = frozenset(plan.keys() - case.clean.calls.keys() - SPECIAL)
        last = frozenset(plan[RESPONSE]["dep"]) - {ROOT}
        wanted = self.sinks | added
        if last != wanted:
            # What only a new call waits for may be left to it.
            waited = {other for id in added for other in plan[id]["dep"]}
            if not last <= wanted or not wanted - last <= waited:
                self.report("response", path, "it doesn't wait for what nothing else uses")

    def _node(self, index: int, task: Task) -> None:
        """Say what has been done to a task that isn't what it was."""
        case, path = self.case, self.case.paths[index]
        arguments = self._restored(index, task)
        if task.id in case.clean.calls:
            found = list(self._judge(index, task, arguments, path))
        else:
            found = self._needless(index, task, arguments, path)
        known = self.changes.get(task.id)
        written = arguments is task.arguments
        text = case.keyed[index][task.id] if written else dump_bytes(arguments)
        version = (task.name, text, frozenset(task.depends_on))
        earlier, inherits = self.versions.get(task.id, (version, self.base.get(task.id)))
        self.versions[task.id] = (version, self.base.get(task.id))
        if len(found) > 1:
            self.report("two_changes", path, f"{task.id!r} carries two errors")
        elif not found:
            if known is not None:
                self.report("change_vanished", path, f"{task.id!r} is whole again")
        elif known is None:
            self.changes[task.id] = found[0]
        elif (known.kind, known.pointers) != (found[0].kind, found[0].pointers):
            self.report("change_vanished", path, f"{task.id!r} is damaged in another way")
        is_new = known is None and bool(found)
        if version != earlier and not is_new and inherits == self.base.get(task.id):
            self.report("change_vanished", path, f"{task.id!r} is damaged in another way")

    def _restored(self, index: int, task: Task) -> Mapping[str, Json]:
        """Return the arguments as they were before anything was made up in them."""
        case, round = self.case, index + 1
        text = case.keyed[index - 1].get(task.id) if index else None
        if text is not None and text != case.keyed[index][task.id]:
            failed = {
                seen.node
                for seen in case.log
                if seen.round < round and seen.outcome != OK and _mark(seen.node) in text
            }
            earlier = case.plans[index - 1][task.id]["para"]
            for pointer, old, new in differences(earlier, task.arguments) if failed else ():
                if new is ABSENT or old is ABSENT or has_reference(new):
                    continue
                sources = tuple(sorted(failed & {one.node for one in references(old)}))
                if sources:
                    self.made_up.append(MadeUp(round, task.id, pointer, old, new, sources))
                    self._check_invention(task, pointer, new, case.paths[index])
        arguments: Mapping[str, Json] = task.arguments
        for one in self.made_up:
            if one.node == task.id:
                try:
                    stands = dump_bytes(lookup(arguments, one.pointer)) == dump_bytes(one.after)
                    arguments = replaced(arguments, one.pointer, one.before)
                except LookupError:
                    stands = False
                if not stands:
                    message = f"{task.id!r}: {one.pointer} isn't what was made up"
                    self.report("change_vanished", case.paths[index], message)
        return arguments

    def _check_invention(self, task: Task, pointer: str, value: Json, path: str) -> None:
        """Report a made-up value that is illegal, or true after all."""
        call = self.case.clean.calls.get(task.id)
        if call is None or (task.name != call.name and task.name in self.case.clean.tools):
            return
        key = split_pointer(pointer)[0]
        recorded: Json = ABSENT
        arguments: Mapping[str, Json] = task.arguments
        try:
            # Beside it, an injected error may stand in the same argument.
            recorded = lookup(call.sent, pointer)
            arguments = replaced(call.sent, pointer, value)
        except LookupError:
            pass
        fault = self.legality.fault(call.name, key, arguments[key])
        if fault is not None:
            self.report("made_up", path, f"{task.id!r}: {pointer} is made up with {fault}")
        if recorded is not ABSENT and dump_bytes(recorded) == dump_bytes(value):
            self.report("made_up", path, f"{task.id!r}: {pointer} is made up, yet right")

    def _judge(
        self, index: int, task: Task, arguments: Mapping[str, Json], path: str
    ) -> Iterator[Change]:
        """Yield the injected changes of a call of the clean plan."""
        case, round, id = self.case, index + 1, task.id
        call = case.clean.calls[id]
        listed = task.name in case.clean.tools
        if task.name != call.name and listed:
            problem = self.legality.problem(task.name, arguments)
            if problem is not None:
                self.report("undeclared_change", path, f"{id!r}: the new tool's call has {problem}")
            yield Change(TOOL_SELECT_ERROR, id, round, ("/name",))
        else:
            if task.name != call.name:
                yield Change(TOOL_NAME_ERROR, id, round, ("/name",))
            if arguments is not task.arguments or case.keyed[index][id] != case.keys[id]:
                yield from self._arguments(round, task, arguments, path)
        dep = task.depends_on
        if frozenset(dep) - {ROOT} != self.base[id] or not dep:
            # In isolation: lost calls count only where the call itself inherits from one.
            alone = self.base[id] == case.dependencies[id]
            structure = decide(
                case.dependencies if alone else self.base,
                case.layers if alone else self.layers,
                id,
                dep,
                feeds=case.feeds.get(id, frozenset()),
                turns={other: one.turn for other, one in case.clean.calls.items()},
                # Later rounds send more; the kind was settled when the change was made.
                sent=case.sent_before(known.first if (known := self.changes.get(id)) else round),
            )
            if structure is None:
                self.report("undeclared_change", path, f"the dep of {id!r} fits no kind")
            else:
                yield Change(
                    structure.kind, id, round, ("/dep",), structure.partner, structure.waits
                )

    def _arguments(
        self, round: int, task: Task, arguments: Mapping[str, Json], path: str
    ) -> Iterator[Change]:
        """Yield what has been done to the arguments of a call whose tool is the clean one."""
        call = self.case.clean.calls[task.id]
        tool = self.case.clean.tools[call.name]
        required = tool.required
        removed: dict[str, Json] = {}
        added: dict[str, Json] = {}
        changed: list[tuple[str, Json, Json]] = []
        for pointer, before, after in differences(call.arguments, arguments):
            top = pointer.count("/") == 1
            key = split_pointer(pointer)[0]
            if before is not ABSENT and self._lost_source(before):
                # The lost call explains a literal in its result's place, or nothing there.
                if after is not ABSENT and not has_reference(after):
                    self._check_invention(task, pointer, after, path)
                    continue
                if after is ABSENT and top and key not in required:
                    continue
            if top and after is ABSENT:
                removed[key] = before
            elif top and before is ABSENT:
                added[key] = after
            else:
                changed.append((pointer, before, after))
        for key, value in added.items():
            if key in tool.properties or tool.is_open:
                self.report("undeclared_change", path, f"{task.id!r} has a new argument {key!r}")
                continue
            text = dump_bytes(value)
            old = next((name for name, was in removed.items() if dump_bytes(was) == text), None)
            if old is None:
                self.report("undeclared_change", path, f"{task.id!r} has a new argument {key!r}")
                continue
            del removed[old]
            places = (f"/{escape(old)}", f"/{escape(key)}")
            yield Change(
                PARAMETER_ERROR,
                task.id,
                round,
                (*(f"/para{place}" for place in places), "/para"),
                blame=places,
            )
        for key in removed:
            place = f"/{escape(key)}"
            if key in required:
                yield Change(
                    PARAMETER_MISSING, task.id, round, (f"/para{place}", "/para"), blame=(place,)
                )
            else:
                self.report("undeclared_change", path, f"{task.id!r} lost the argument {key!r}")
        for pointer, before, after in changed:
            change = self._value(round, task, arguments, pointer, before, after)
            if change is None:
                self.report("undeclared_change", path, f"{task.id!r}: {pointer} fits no kind")
            else:
                yield change

    def _value(
        self,
        round: int,
        task: Task,
        arguments: Mapping[str, Json],
        pointer: str,
        before: Json,
        after: Json,
    ) -> Change | None:
        """Tell a wrong type from an impossible content."""
        call = self.case.clean.calls[task.id]
        if before is ABSENT or after is ABSENT or has_reference(before) or has_reference(after):
            return None
        key = split_pointer(pointer)[0]
        fault = self.legality.fault(call.name, key, arguments[key])
        if self.legality.fault(call.name, key, call.sent[key]) is not None:
            return None
        pointers = (f"/para{pointer}",)
        if fault is not None:
            place = f"/{escape(key)}{fault.pointer}"
            if not overlap(place, pointer):
                return None
            kind = PARAMETER_INVALID if fault.sort == CONTENT else TYPE_ERROR
            return Change(kind, task.id, round, pointers, blame=(place, pointer))
        broken = self.legality.broken(call.name, call.sent, arguments, pointer)
        if broken:
            return Change(PARAMETER_INVALID, task.id, round, pointers, blame=(pointer, *broken))
        return None

    def _lost_source(self, value: Json) -> bool:
        return bool(self.lost) and any(one.node in self.lost for one in references(value))

    def _needless(
        self, index: int, task: Task, arguments: Mapping[str, Json], path: str
    ) -> list[Change]:
        """Check that a new call is legal and serves nothing."""
        case = self.case
        plan, mark = case.plans[index], _mark(task.id)
        problem = self.legality.problem(task.name, arguments)
        if problem is not None:
            self.report("undeclared_change", path, f"the new call {task.id!r} has {problem}")
        for id, other in plan.items():
            uses = id != RESPONSE and task.id in other["dep"]
            reads = mark in case.keyed[index].get(id, b"") and any(
                one.node == task.id for one in references(other["para"])
            )
            if uses or reads:
                self.report("undeclared_change", path, f"{id!r} needs the new call {task.id!r}")
        sources = {one.node for one in references(arguments)}
        before = {id: frozenset(one["dep"]) for id, one in plan.items()}
        if not sources <= behind(before, task.id):
            self.report("undeclared_change", path, f"the new call {task.id!r} can't run")
        return [Change(TOOLCALL_REDUNDANCY, task.id, index + 1, ("",), blame=("*",))]

    def _check_needless(self) -> None:
        """Report new calls that do what a clean call was there for and no longer does."""
        case = self.case
        last = len(case.plans)
        for change in self.changes.values():
            if change.kind != TOOLCALL_REDUNDANCY:
                continue
            task = case.plans[-1].get(change.node)
            if task is None:
                continue
            for id, call in case.clean.calls.items():
                if (
                    call.name == task["name"]
                    and self._does(change.node, id)
                    and not all(
                        self._is_in_hand(index, id) for index in range(change.first - 1, last + 1)
                    )
                ):
                    message = f"the new call {change.node!r} does what {id!r} was there for"
                    self.report("undeclared_change", case.paths[-1], message)

    def _does(self, new: str, id: str) -> bool:
        """Tell whether a new call did, or will do, what a clean call is there for."""
        case = self.case
        seen = case.executions.get(new)
        if seen is not None:
            return seen.outcome == OK and dump_bytes(seen.arguments) == case.recorded[id][1]
        text = case.keyed[-1][new]
        return text == case.recorded[id][1] or (
            text == case.keys[id]
            and all(self._is_in_hand(len(case.plans), other) for other in case.dependencies[id])
        )

    def _is_in_hand(self, index: int, id: str) -> bool:
        """Tell whether, after some rounds, a clean call was sent as it should be or will be."""
        case = self.case
        seen = case.executions.get(id)
        if seen is not None and seen.round <= index:
            sent = (seen.name, dump_bytes(seen.arguments))
            return seen.outcome == OK and sent == case.recorded[id]
        index = min(index, len(case.plans) - 1)
        task = case.plans[index].get(id)
        return (
            task is not None
            and task["name"] == case.clean.calls[id].name
            and case.keyed[index][id] == case.keys[id]
        )


def _mark(node: str) -> bytes:
    """Return how every reference to a node begins in canonical text."""
    return f'"{node}#'.encode()
