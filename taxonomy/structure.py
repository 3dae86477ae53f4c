"""The structural kinds: one decision for all four, and what a plan shows of them blind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from plan.clean import CleanPlan
from plan.damage import Damage, Finding
from plan.graph import ancestors, layers
from plan.reference import references
from plan.state import State
from plan.task import ROOT, Task
from taxonomy.evidence import Evidence
from taxonomy.words import acts

DEPENDENCE_ERROR = "Dependence_Error"
DEPENDENCE_NULL = "Dependence_Null"
PARALLELISM_ERROR = "Parallelism_Error"
SERIAL_ERROR = "Serial_Error"


class Structure:
    """What the decision asks of a clean plan and of which calls are still to be sent.

    Layers, ancestors and dependencies are the clean plan's: each change is judged in
    isolation, whatever else is wrong with the state's plan.

    Attributes:
        depth: each call's layer, from 1.
        before: each call's ancestors among the calls.
        pending: the calls that the state's plan has and hasn't sent.
        present: the calls that the state's plan has.
    """

    __slots__ = (
        "_data",
        "_dependencies",
        "_state",
        "before",
        "clean",
        "depth",
        "pending",
        "present",
    )

    def __init__(self, state: State, clean: CleanPlan) -> None:
        self.clean = clean
        self._state = state
        self._dependencies: dict[str, tuple[str, ...]] | None = None
        self.depth = clean.layers
        self.before = clean.ancestors
        tasks = state.plan.tasks
        self.present = [id for id in clean.calls if id in tasks]
        self.pending = {id for id in self.present if not tasks[id].status}
        self._data = clean.carried

    def can_lose(self, node: str, lost: str) -> bool:
        """Tell whether a dependency is one whose loss is certainly an error."""
        return lost in self.pending and (lost, node) in self._data

    def decide(self, node: str, dependencies: Sequence[str]) -> str | None:
        """Return the kind of giving one pending call other dependencies; None if none fits.

        The order of the questions is the definition of the four kinds; what falls through
        them is no certain error of one kind.
        """
        if node not in self.pending:
            return None
        clean = set(self.clean.calls[node].depends_on)
        clean.discard(ROOT)
        if not dependencies:
            certain = all((other, node) in self._data for other in clean)
            return None if not certain or self.pending.isdisjoint(clean) else DEPENDENCE_NULL
        given = set(dependencies)
        given.discard(ROOT)
        lost, added = clean - given, given - clean
        depth = self.depth
        layer = 1 + max((depth[other] for other in given), default=0)
        if not lost:
            if len(added) != 1:
                return None
            (wrong,) = added
            grows = layer > depth[node] and wrong in self.pending
            return SERIAL_ERROR if grows and self._are_independent(wrong, node) else None
        if len(lost) != 1:
            return None
        (missing,) = lost
        if not self.can_lose(node, missing) or self._reaches(given, missing):
            return None
        if layer <= depth[missing]:
            inherited = set(self.clean.calls[missing].depends_on)
            inherited.discard(ROOT)
            return PARALLELISM_ERROR if added == inherited - clean else None
        if self.pending.isdisjoint(given):
            return None
        if not added:
            return DEPENDENCE_NULL
        if len(added) != 1:
            return None
        (wrong,) = added
        related = wrong in self.before[node] or self._comes_before((node, missing), wrong)
        return None if related else DEPENDENCE_ERROR

    def _are_independent(self, a: str, b: str) -> bool:
        calls, before = self.clean.calls, self.before
        return (
            calls[a].turn == calls[b].turn and a != b and a not in before[b] and b not in before[a]
        )

    def _reaches(self, given: Iterable[str], missing: str) -> bool:
        return any(missing in self.before[other] for other in given)

    def _comes_before(self, nodes: Iterable[str], other: str) -> bool:
        return any(node == other or node in self.before[other] for node in nodes)

    def makes(self, kind: str, task: Task, dependencies: Sequence[str]) -> bool:
        """Tell whether a task's new dependencies are an error of one kind.

        They must also be there in the state's plan, and none may wait for the task in it.
        """
        if self.decide(task.id, dependencies) != kind:
            return False
        plan = self._state.plan
        new = [other for other in dependencies if other not in task.depends_on]
        return all(
            other == ROOT or (other in plan.tasks and not self._waits(other, task.id))
            for other in new
        )

    def _waits(self, node: str, other: str) -> bool:
        if self._dependencies is None:
            self._dependencies = self._state.plan.dependencies
        return other in ancestors(self._dependencies, node)


def rewired(task: Task, dependencies: Sequence[str], way: str) -> Damage:
    """Return the damage that gives a task other dependencies."""
    return Damage(
        task.id,
        "/dep",
        list(task.depends_on),
        list(dependencies),
        way,
        {task.id: task.changed(depends_on=dependencies)},
    )


def waiting(dependencies: Iterable[str]) -> list[str]:
    """Return dependencies as plans list them: ``root`` only where nothing else is left."""
    kept = [other for other in dict.fromkeys(dependencies) if other != ROOT]
    return kept or [ROOT]


def find(state: State, kind: str) -> Iterator[Finding]:
    """Yield what a plan's shape shows of one structural kind, without the clean plan.

    A result that an argument refers to and that needn't have come by then is certain; which
    kind it is, is read off what stands in the dependency's place.
    """
    return (finding for finding in _findings(state) if finding.kind == kind)


def _findings(state: State) -> Iterator[Finding]:
    evidence = Evidence(state)
    calls = {task.id: task for task in state.plan.calls()}
    dependencies = {id: task.depends_on for id, task in calls.items()}
    depth = layers(dependencies)
    needs = {
        id: {found.node for found in references(task.arguments) if found.node != id}
        for id, task in calls.items()
    }
    for id, task in calls.items():
        before = ancestors(dependencies, id)
        given = [other for other in task.depends_on if other in calls]
        lost = [other for other in calls if other in needs[id] and other not in before]
        idle = [other for other in given if other not in needs[id]]
        if lost:
            latest = max(lost, key=lambda other: depth.get(other, 0))
            kind, sure = _lost_kind(
                task, depth.get(id, 0), depth.get(latest, 0), calls[latest], idle
            )
            reason = f"an argument needs the result of {latest}, which needn't have run by then"
            yield Finding(kind, id, "/dep", sure, reason)
            continue
        for other in idle:
            rest = max((depth.get(one, 0) + 1 for one in given if one != other), default=0)
            # Who waits without need, although both could have run at once, was put in a row.
            if rest <= depth.get(other, 0):
                # A made-up value speaks for a missing call, a changed object for order.
                doubtful = next(evidence.unexplained(task), None) or acts(calls[other].name)
                sure = 0.4 if doubtful else 0.6
                reason = f"waits for {other}, whose result no argument needs"
                yield Finding(SERIAL_ERROR, id, "/dep", sure, reason)


def _lost_kind(
    task: Task, layer: int, lost_layer: int, lost: Task, idle: Sequence[str]
) -> tuple[str, float]:
    if not task.depends_on:
        return DEPENDENCE_NULL, 0.95
    if layer <= lost_layer:
        given = set(task.depends_on)
        beside = given.issuperset(lost.depends_on) or lost.depends_on == (ROOT,)
        return PARALLELISM_ERROR, 0.95 if beside else 0.6
    if idle:
        return DEPENDENCE_ERROR, 0.9
    return DEPENDENCE_NULL, 0.9
