"""Runs a damaged trajectory: clean rounds first, then one error a round."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import dropwhile, takewhile
from random import Random

from builder.renaming import settle
from environment.careless import MadeUp, advance, invent
from environment.world import World
from plan.clean import CleanPlan
from plan.damage import Damage
from plan.execution import OK, Execution, Fault
from plan.reference import references
from plan.state import Round, State
from plan.task import RESPONSE, Plan, Task
from taxonomy.kind import ErrorKind

STANDS_FROM_THE_START = 0.95
"""Share of the damage to plans that stands in all earlier plans too, where it can.

Else a comparison of two plans would locate it. Where a share s of the damage stands from the
start, that comparison tells damaged from clean tasks with an AUC of 1 - s/2 in rows that
have a history; the half that one would think of first leaves it at 0.75.
"""


PATIENCE = 9
"""How many damages are looked at for one that could have stood from the start."""


@dataclass(frozen=True, slots=True)
class Injected:
    """An injected error: its round, kind and damage."""

    round: int
    kind: ErrorKind
    damage: Damage


@dataclass(slots=True)
class Cascade:
    """A trajectory in the making, at round ``round``, that ends with round ``until``.

    A ``frugal`` one saves later tasks for the errors that are still to come.
    ``plan`` is G(round-1), ``log`` everything executed before it, ``clean`` the clean plan
    that it departs from, ``sound`` what is known of that as long as nothing is wrong.
    ``touched`` are the tasks that an injected error changed, added or will hit, and those that
    a needless call repeats: damaged themselves, they would make it the needed one. ``under``
    are the clean calls that descend from the tasks of injected errors.
    """

    sound: Sound
    lots: Random
    plan: Plan
    round: int
    until: int
    frugal: bool = False
    log: list[Execution] = field(default_factory=list)
    history: list[Round] = field(default_factory=list)
    injected: list[Injected] = field(default_factory=list)
    inventions: list[tuple[int, MadeUp]] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    last: list[Execution] = field(default_factory=list)
    world: World = field(init=False)
    clean: CleanPlan = field(init=False)
    touched: set[str] = field(init=False, default_factory=set)
    under: set[str] = field(init=False, default_factory=set)

    def __post_init__(self) -> None:
        self.world = self.sound.world
        self.clean = self.world.clean

    def injure(self, kind: ErrorKind) -> bool:
        """Put one damage of a kind into the plan or the coming round.

        Downstream of the earlier errors where that can be, and in all earlier plans too
        where that can be. Returns False, and changes nothing, where the state allows no
        damage of the kind.
        """
        hidden = bool(self.history) and self.lots.random() < STANDS_FROM_THE_START
        for group in self._groups(kind):
            spare: Damage | None = None
            for tried, damage in enumerate(self._offers(kind, group, hidden)):
                damaged = self._damaged_plan(kind, damage)
                if damaged is None:
                    continue
                earlier = self._earlier(damage) if hidden and damage.changes else self.history
                if earlier is None:
                    spare = spare or damage
                    if tried < PATIENCE:
                        continue
                    break
                self._suffer(kind, damage, damaged, earlier)
                return True
            if spare is not None:
                self._suffer(kind, spare, self.plan.replaced(spare.changes), self.history)
                return True
        return False

    def _damaged_plan(self, kind: ErrorKind, damage: Damage) -> Plan | None:
        """Return the plan with a damage; None if it could not stand to the last round."""
        damaged = self.plan.replaced(damage.changes) if damage.changes else self.plan
        frontier = damaged.frontier()
        if not frontier or RESPONSE in frontier:
            return None
        if must_wait(kind.name, damage) and self._runs_in(damaged, damage.node) <= self.until:
            return None
        return damaged

    def _suffer(self, kind: ErrorKind, damage: Damage, damaged: Plan, history: list[Round]) -> None:
        self.plan, self.history = damaged, history
        if damage.fault is not None:
            self.faults.append(Fault(self.round, damage.node, damage.fault))
        self.injected.append(Injected(self.round, kind, damage))
        self.under |= self.clean.descendants(damage.node)
        self.touched.add(damage.node)
        self.touched.update(id for id in damage.changes if id != RESPONSE)
        new = damage.changes.get(damage.node)
        if new is not None and new.id not in self.clean.calls:
            self.touched.update(
                call.id
                for call in self.clean.calls.values()
                if call.name == new.name and call.arguments == new.arguments
            )

    def run(self) -> bool:
        """Execute the round. Returns False if nothing but the response could run."""
        frontier = self.plan.frontier()
        if not frontier or RESPONSE in frontier:
            return False
        faults = {fault.node: fault.kind for fault in self.faults if fault.round == self.round}
        self.last = self.world.run(self.plan, self.log, self.round, faults)
        self.log += self.last
        return True

    def go_on(self) -> None:
        """Write the next plan as a careless agent would, and step into the next round."""
        seen = tuple(execution.observation() for execution in self.last)
        self.history.append(Round(self.round, self.plan, seen))
        plan = advance(self.plan, self.last)
        self.plan, inventions = invent(plan, self.last, self.world, self.lots, skip=self.touched)
        self.round += 1
        self.inventions += [(self.round, invention) for invention in inventions]

    def below(self, earlier: Sequence[Injected]) -> set[str]:
        """Return the clean calls that descend from the tasks of the given errors."""
        found: set[str] = set()
        for one in earlier:
            found |= self.clean.descendants(one.damage.node)
        return found

    def descends(self, damage: Damage, earlier: Sequence[Injected]) -> bool:
        """Tell whether a damage lies downstream of the tasks of the given errors."""
        below = self.below(earlier)
        if damage.node in self.clean.calls:
            return damage.node in below
        task = damage.changes.get(damage.node)
        heads = below | {one.damage.node for one in earlier}
        return task is not None and any(other in heads for other in task.depends_on)

    def _groups(self, kind: ErrorKind) -> list[list[str]]:
        """Return the tasks that may be damaged, or modelled on, the preferred ones first.

        First those downstream of an earlier error; within them, while errors are still to
        come, those that leave something downstream of themselves, and of these, in a
        frugal trajectory, those that run next.
        """
        touched = self.touched
        made_up = {invention.node for _, invention in self.inventions}
        # A new task may be modelled on any call, sent or not; others must be pending.
        tasks = self.plan.calls() if kind.reach == "plan" else self.plan.pending()
        free = [
            task.id
            for task in tasks
            if task.id not in touched
            and (kind.reach in ("task", "round") or task.id not in made_up)
        ]
        self.lots.shuffle(free)
        below = self.under
        parents = self.sound.parents if self.round < self.until else frozenset()
        soon = set(self.plan.frontier()) if self.frugal and parents else set(free)
        groups: dict[tuple[bool, bool, bool], list[str]] = {}
        for id in free:
            key = (id not in below, id not in parents, id not in soon)
            groups.setdefault(key, []).append(id)
        return [groups[key] for key in sorted(groups)]

    def _offers(self, kind: ErrorKind, group: Sequence[str], hidden: bool) -> Iterator[Damage]:
        """Yield damages in the order in which to try them, at most a few a task.

        New calls that are to be ``hidden`` in earlier plans are, where there are such, those
        that couldn't have run before this round.
        """
        state = State(
            self.round,
            self.clean.query,
            self.clean.tools,
            self.plan,
            history=tuple(self.history),
        )
        known = {} if self.injected else self.sound.damages
        for id in group:
            only = {id}
            if kind.reach == "consumers":
                users = self._users(id)
                only |= {task.id for task in users}
                if only & self.touched or any(self._is_mixed(task, id) for task in users):
                    continue
            key = (kind.name, self.round, id)
            if key not in known:
                offered = kind.damages(state, self.clean, only=only)
                known[key] = list(offered if kind.reach == "plan" else of_task(offered, id))
            found = known[key]
            if self.inventions:
                found = [damage for damage in found if not self._is_made_up(damage)]
            if hidden and kind.reach == "plan":
                found = [damage for damage in found if self._waits(damage)] or found
            yield from self._drawn(found)

    def _users(self, id: str) -> list[Task]:
        """Return the pending tasks that wait for a call, or would if nothing were damaged."""
        return [
            task
            for task in self.plan.pending()
            if id in task.depends_on or id in self.clean.dependencies.get(task.id, ())
        ]

    def _is_mixed(self, task: Task, id: str) -> bool:
        """Tell whether a call's result and a failed one's make up one argument together.

        Whatever stood there instead would come of both.
        """
        failed = {seen.node for seen in self.log if seen.outcome != OK}
        if not failed:
            return False
        nodes: dict[str, set[str]] = {}
        for found in references(task.arguments):
            nodes.setdefault(found.argument, set()).add(found.node)
        return any(id in inside and inside & failed for inside in nodes.values())

    def _drawn(self, found: Sequence[Damage]) -> Iterator[Damage]:
        """Yield up to three damages: first a way is drawn, then one of its damages."""
        if not found:
            return
        ways: dict[str, list[Damage]] = {}
        for damage in found:
            ways.setdefault(damage.way, []).append(damage)
        names = sorted(ways)
        for _ in range(3):
            damage = self.lots.choice(ways[self.lots.choice(names)])
            yield settle(damage, self.plan, self.clean, self.lots)

    def _waits(self, damage: Damage) -> bool:
        """Tell whether a new task couldn't have run in an earlier round."""
        task, before = damage.changes.get(damage.node), self.history[-1].plan.tasks
        return task is not None and any(
            other not in before or not before[other].status for other in task.depends_on
        )

    def _runs_in(self, plan: Plan, node: str) -> int:
        """Return the round in which a task will run if nothing else changes."""
        before = [plan.tasks[other] for other in plan.tasks[node].depends_on]
        waits = [self._runs_in(plan, task.id) + 1 for task in before if not task.status]
        return max(waits, default=self.round)

    def _is_made_up(self, damage: Damage) -> bool:
        return any(
            invention.node == damage.node
            and (damage.pointer + "/").startswith(f"/para{invention.pointer}/")
            for _, invention in self.inventions
        )

    def _earlier(self, damage: Damage) -> list[Round] | None:
        """Return the history as if a damage had stood in all earlier plans.

        None where it couldn't have: every earlier round must run the very same calls.
        """
        earlier: list[Round] = []
        for past in self.history:
            plan = backdated(past.plan, self.plan, damage, self.clean)
            if plan is None or set(plan.frontier()) != set(past.plan.frontier()):
                return None
            earlier.append(Round(past.round, plan, past.observations))
        return earlier


def of_task(offered: Iterable[Damage], id: str) -> Iterator[Damage]:
    """Yield one task's damages, which come one after the other."""
    others_first = dropwhile(lambda damage: damage.node != id, offered)
    return takewhile(lambda damage: damage.node == id, others_first)


def backdated(past: Plan, now: Plan, damage: Damage, clean: CleanPlan) -> Plan | None:
    """Return an earlier plan with a damage in it, or None where it doesn't fit.

    Args:
        past: the earlier plan.
        now: the plan that the damage was drawn for, before it.
        damage: the change to pending tasks.
        clean: the clean plan.
    """
    changes: dict[str, Task | None] = {}
    left = past.tasks.keys() - {id for id, changed in damage.changes.items() if changed is None}
    for id, changed in damage.changes.items():
        then, before = past.tasks.get(id), now.tasks.get(id)
        if then is None or before is None:
            if then is not before:
                return None
            changes[id] = changed
        elif id == RESPONSE and changed is not None:
            # What ends the plan now may have been used then by a call that is lost since.
            ends = clean.ends(clean.calls.keys() - left)
            gained = [
                other
                for other in changed.depends_on
                if other not in before.depends_on and (other not in clean.calls or other in ends)
            ]
            kept = [
                other
                for other in then.depends_on
                if other in changed.depends_on or other not in before.depends_on
            ]
            kept += [other for other in gained if other not in kept]
            changes[id] = then.changed(depends_on=kept)
        elif then.status or not _same(then, before):
            return None
        else:
            changes[id] = changed
    plan = past.replaced(changes)
    known = plan.tasks.keys()
    if any(other not in known for task in plan.tasks.values() for other in task.depends_on):
        return None
    return plan


def _same(a: Task, b: Task) -> bool:
    return a.name == b.name and a.arguments == b.arguments and a.depends_on == b.depends_on


def must_wait(kind: str, damage: Damage) -> bool:
    """Tell whether a damage is only certain while its task is pending.

    So it is by rules 3 and 4 of the structural decision (DESIGN section 12).
    """
    return kind == "Dependence_Error" or (kind == "Dependence_Null" and bool(damage.after))


def start(
    world: World, lots: Random, clean_rounds: int, until: int, *, frugal: bool = False
) -> Cascade:
    """Return a trajectory whose first rounds went well, to be led to the round ``until``."""
    return Sound(world).start(lots, clean_rounds, until, frugal=frugal)


class Sound:
    """A trajectory as long as nothing is wrong, worked out once for all tries of a row.

    The recordings answer, as they would if the environment ran the calls.

    Attributes:
        damages: those found so far for the first error, by kind, round and task.
        parents: what any clean call waits for.
    """

    __slots__ = ("_executions", "_history", "_plan", "damages", "parents", "world")

    def __init__(self, world: World) -> None:
        self.world = world
        self.damages: dict[tuple[str, int, str], list[Damage]] = {}
        self.parents = frozenset().union(*world.clean.dependencies.values())
        self._plan = world.clean.plan()
        self._history: list[Round] = []
        self._executions: list[list[Execution]] = []

    def start(
        self, lots: Random, clean_rounds: int, until: int, *, frugal: bool = False
    ) -> Cascade:
        """Return a trajectory whose first rounds went well, to be led to the round ``until``."""
        while len(self._history) < clean_rounds:
            self._go_on()
        later = self._history[clean_rounds:]
        return Cascade(
            self,
            lots,
            later[0].plan if later else self._plan,
            clean_rounds + 1,
            until,
            frugal,
            [seen for round in self._executions[:clean_rounds] for seen in round],
            self._history[:clean_rounds],
            last=self._executions[clean_rounds - 1] if clean_rounds else [],
        )

    def _go_on(self) -> None:
        clean, round = self.world.clean, len(self._history) + 1
        layers = clean.layers
        last = [
            Execution(round, id, call.name, call.sent, OK, call.result)
            for id, call in clean.calls.items()
            if layers[id] == round
        ]
        seen = tuple(execution.observation() for execution in last)
        self._executions.append(last)
        self._history.append(Round(round, self._plan, seen))
        self._plan = advance(self._plan, last)
