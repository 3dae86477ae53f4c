"""The noisy oracle: spoils chosen items of the rubric on purpose, and as little else as it can.

It is the instrument that tests a judge. Each item has a small function of its own that
spoils the plan about to be written, or the claims of the thought (which otherwise follow the
plan, spoilt or not), or, for S5, the text. A function returns None where its item can't be
spoilt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random

from environment.agents.agent import spell
from environment.agents.facts import (
    Cause,
    Change,
    Facts,
    Scene,
    Seen,
    find_facts,
    worded,
)
from environment.agents.names import ITEMS
from environment.agents.oracle import look
from environment.agents.thought import write
from environment.episode import Episode
from environment.oracle import FRESH
from environment.rightness import right_calls
from plan.graph import ancestors, layers, sinks
from plan.json_text import Json, equal
from plan.reference import references
from plan.row import INJECTED
from plan.state import State
from plan.task import RESPONSE, ROOT, Plan, Task
from plan.tool import describe

SpoilPlan = Callable[[Scene, Plan, Random], Plan | None]
SpoilFacts = Callable[[Scene, Plan, Facts, Random], Facts | None]


class NoisyOracle:
    """An oracle whose answer to a row's state is spoilt in chosen items; later ones are sound.

    Whether an item is spoilt on a row, and how, doesn't depend on its share otherwise: what
    a smaller share spoils, a larger one spoils alike.

    Attributes:
        spoilt: the items that were really spoilt.
    """

    __slots__ = ("_drawn", "_episode", "_lots", "_phrases", "spoilt")

    def __init__(self, episode: Episode, shares: Mapping[str, float], lots: Random) -> None:
        """Draw which items to spoil.

        Args:
            episode: the episode to play.
            shares: the probability with which each item (``s1`` … ``e5``) is spoilt.
            lots: the row's own generator.

        Raises:
            KeyError: there is no such item.
        """
        self._episode = episode
        self._phrases = Random(lots.getrandbits(64))
        draws = {item: (lots.random(), lots.getrandbits(64)) for item in ITEMS}
        unknown = shares.keys() - draws.keys()
        if unknown:
            raise KeyError(min(unknown))
        self._lots = {item: Random(seed) for item, (_, seed) in draws.items()}
        self._drawn = [item for item, (lot, _) in draws.items() if lot < shares.get(item, 0.0)]
        self.spoilt: tuple[str, ...] = ()

    def answer(self, state: State) -> str:
        """Return the oracle's answer, spoilt where it was drawn so."""
        scene = look(self._episode, state)
        drawn = self._drawn if state.round == self._episode.row.t else []
        spoilt: list[str] = []
        plan = scene.plan
        for item in drawn:
            if item in PLAN_ITEMS:
                changed = PLAN_ITEMS[item](scene, plan, self._lots[item])
                if changed is not None:
                    plan = changed
                    spoilt.append(item)
        facts = find_facts(scene, plan)
        for item in drawn:
            if item in FACT_ITEMS:
                told = FACT_ITEMS[item](scene, plan, facts, self._lots[item])
                if told is not None:
                    facts = told
                    spoilt.append(item)
        output = spell(write(facts, self._phrases), plan)
        if "s5" in drawn:
            output = mar(output, self._lots["s5"])
            spoilt.append("s5")
        if drawn:
            self.spoilt = tuple(item for item in ITEMS if item in spoilt)
        return output


# The text.


def mar(output: str, lots: Random) -> str:
    """S5: break the plan's JSON so that only a tolerant reader makes it out."""
    head, mark, rest = output.partition("<plan>")
    plan, end, tail = rest.rpartition("</plan>")
    body = plan.rstrip()[:-1]
    broken = lots.choice(
        (
            f"\n```json\n{body},}}\n```\n",
            f"\n{body}  // the plan for the next rounds\n}}\n",
            f"\n```\n{body}, /* done */ }}\n```\n",
        )
    )
    return f"{head}{mark}{broken}{end}{tail}"


# The plan.


def spoil_s2(scene: Scene, plan: Plan, lots: Random) -> Plan | None:
    """S2: let a task run before something that it needs, or wait for what it certainly needn't.

    By preference so that nothing comes of it: another wait holds the task back all the same.
    """
    known = certain_waits(scene, plan) | certain_waits(scene, scene.state.plan)
    offers = [made for made in _serialised(scene, plan) if certain_waits(scene, made) - known]
    for task in [*plan.pending(), plan.tasks[RESPONSE]]:
        for other in task.depends_on:
            if other == ROOT or plan.tasks[other].status:
                continue
            made = plan.replaced({task.id: task.changed(depends_on=_without(task, other))})
            if other not in ancestors(made.dependencies, task.id):
                offers.append(made)
    return _least(scene, plan, offers, lots)


def spoil_s3(scene: Scene, plan: Plan, lots: Random) -> Plan | None:
    """S3: give a pending call a parameter that its tool doesn't have, or a wrong type."""
    offers: list[Plan] = []
    for task in plan.pending():
        tool = scene.clean.tools[task.name]
        foreign = [
            name
            for other in scene.clean.tools.values()
            for name in other.properties
            if name not in tool.properties
        ]
        if foreign and not tool.is_open:
            arguments = {**task.arguments, lots.choice(foreign): "standard"}
            offers.append(plan.replaced({task.id: task.changed(arguments=arguments)}))
        for name, value in task.arguments.items():
            schema = tool.properties.get(name)
            if isinstance(schema, dict) and schema.get("type") in _SCALARS and _is_scalar(value):
                arguments = {**task.arguments, name: {"value": value}}
                offers.append(plan.replaced({task.id: task.changed(arguments=arguments)}))
    return _least(scene, plan, offers, lots)


def spoil_s4(scene: Scene, plan: Plan, lots: Random) -> Plan | None:
    """S4: say of a call that was never sent that it was.

    A needless pending call that should go stays as sent, or else one more is noted, as sent
    already; no other task has to do with it.
    """
    kept = list(_dropped(scene, plan))
    if kept:
        task = lots.choice(kept)
        return plan.replaced({task.id: task.changed(status=True)})
    models = [plan.tasks[seen.id] for seen in scene.state.observations] or plan.calls()
    if not models:
        return None
    task = _copied(scene, plan, lots.choice(models)).changed(status=True)
    return plan.replaced({task.id: task})


def spoil_e1(scene: Scene, plan: Plan, lots: Random) -> Plan | None:
    """E1: change what was sound for no reason.

    By preference a sound pending call waits for one of another turn, which delays nothing;
    else a call that was made rightly is written down with another argument, or other
    dependencies, than it had.
    """
    sound = _unchanged(scene, plan)
    free = [
        made
        for made in _needless(scene, plan)
        if rounds_to_go(made) == rounds_to_go(plan)
        and any(made.tasks[id] is not plan.tasks[id] for id in sound)
    ]
    if free:
        return lots.choice(free)
    offers: list[Plan] = []
    for id in sorted({seen.node for seen in right_calls(scene.clean, scene.log).values()}):
        task = plan.tasks.get(id)
        if task is None:
            continue
        literals = [key for key, value in task.arguments.items() if _is_scalar(value)]
        if literals:
            key = lots.choice(literals)
            arguments = {**task.arguments, key: _other(task.arguments[key])}
            offers.append(plan.replaced({id: task.changed(arguments=arguments)}))
        elif ROOT not in task.depends_on:
            offers.append(plan.replaced({id: task.changed(depends_on=[ROOT])}))
    return lots.choice(offers) if offers else None


def spoil_e2(scene: Scene, plan: Plan, lots: Random) -> Plan | None:
    """E2: leave one thing unrepaired, by preference one that leaves the rest in order.

    In this order: arguments that only rest on a failure stay (legal, and wrong); other
    arguments, needless waits and needless calls stay; a call isn't made.
    """
    roots = {
        error.node
        for error in scene.errors
        if error.origin == INJECTED and error.pointer not in ("", "/results", "/dep")
    }
    legal: list[Plan] = []
    other: list[Plan] = []
    for origin, task in _mended(scene, plan):
        old = scene.state.plan.tasks[origin]
        sources = {found.node for found in references(old.arguments)}
        if sources <= plan.tasks.keys() and (
            old.name != task.name or not equal(old.arguments, task.arguments)
        ):
            # It still waits for what it should; only its content is of the past.
            made = task.changed(name=old.name, arguments=old.arguments)
            (other if origin in roots else legal).append(plan.replaced({task.id: made}))
        elif {*old.depends_on} != {*task.depends_on} and {*old.depends_on} <= plan.tasks.keys():
            made = task.changed(depends_on=old.depends_on)
            other.append(plan.replaced({task.id: made}))
    other += [
        _waiting(plan.replaced({task.id: task}), RESPONSE, task.id)
        for task in _dropped(scene, plan)
    ]
    fresh = [task for task in plan.pending() if task.id not in scene.state.plan.tasks]
    lost = [_removed(plan, task.id) for task in fresh if len(plan.pending()) > 1]
    for offers in (legal, other, lost):
        sane = [made for made in offers if RESPONSE in layers(made.dependencies)]
        if sane:
            return lots.choice(sane)
    return None


def spoil_e3(scene: Scene, plan: Plan, lots: Random) -> Plan | None:
    """E3: drop a call that the query asks for in the end, by preference a sound one.

    Where it is the only call left there would be no plan left to judge: nothing is spoilt.
    """
    pending = [task.id for task in plan.pending()]
    last = [scene.places[id] for id in sinks(scene.clean.dependencies)]
    last = [id for id in last if id in pending]
    if not last or len(pending) < 2:
        return None
    sound = [id for id in last if id in _unchanged(scene, plan)]
    hit = {id for error in scene.errors for id in error.affected}
    return _removed(plan, lots.choice([id for id in sound if id not in hit] or sound or last))


def spoil_e4(scene: Scene, plan: Plan, lots: Random) -> Plan | None:
    """E4: add a legal call that serves nothing: one that was made rightly already, or will be.

    The response waits for it, unless that alone would delay it.
    """
    right = {seen.node for seen in right_calls(scene.clean, scene.log).values()}
    models = [plan.tasks[id] for id in sorted(right) if id in plan.tasks] or plan.pending()
    if not models:
        return None
    extra = _copied(scene, plan, lots.choice(models))
    alone = plan.replaced({extra.id: extra})
    waited = _waiting(alone, RESPONSE, extra.id)
    return waited if rounds_to_go(waited) == rounds_to_go(plan) else alone


def spoil_e5(scene: Scene, plan: Plan, lots: Random) -> Plan | None:
    """E5: waste rounds: let a call wait for one of another turn that it doesn't need."""
    slow = [made for made in _needless(scene, plan) if rounds_to_go(made) > rounds_to_go(plan)]
    return _least(scene, plan, slow, lots)


def rounds_to_go(plan: Plan) -> int:
    """Return the rounds until the response runs, if nothing fails and nothing changes."""
    return _depths(plan)[RESPONSE]


def _depths(plan: Plan) -> dict[str, int]:
    """Return in which of the coming rounds, from 1, each pending node runs."""
    pending = {task.id: task.depends_on for task in plan.tasks.values() if not task.status}
    return {id: layer + 1 for id, layer in layers(pending).items()}


def certain_waits(scene: Scene, plan: Plan) -> set[tuple[str, str]]:
    """Return the pairs of clean calls of which the first waits for the second, and needn't.

    Both are pending, and certainly independent.
    """
    places = _pending_places(scene, plan)
    return {
        (id, other)
        for id, node in places.items()
        for before in [ancestors(plan.dependencies, node)]
        for other, its in places.items()
        if its in before and scene.clean.are_independent(id, other)
    }


def _pending_places(scene: Scene, plan: Plan) -> dict[str, str]:
    """Return the pending nodes that stand for clean calls, by those calls' ids."""
    return {
        id: node
        for id, node in scene.places.items()
        if node in plan.tasks and not plan.tasks[node].status
    }


def _serialised(scene: Scene, plan: Plan) -> list[Plan]:
    """Return the plans in which one pending call waits for another that it has no path to."""
    clean, places = scene.clean, _pending_places(scene, plan)
    before = {id: ancestors(clean.dependencies, id) for id in places}
    waits = {id: ancestors(plan.dependencies, node) for id, node in places.items()}
    return [
        _waiting(plan, node, its)
        for id, node in places.items()
        for other, its in places.items()
        if id != other
        and id not in before[other]
        and other not in before[id]
        and its not in waits[id]
        and node not in waits[other]
    ]


def _needless(scene: Scene, plan: Plan) -> list[Plan]:
    """Return the plans with one more wait, of which nothing says for certain that it is needless.

    It stands between calls of different turns, and brings no certain one with it.
    """
    known = certain_waits(scene, plan)
    return [made for made in _serialised(scene, plan) if certain_waits(scene, made) <= known]


def _unchanged(scene: Scene, plan: Plan) -> list[str]:
    """Return the pending calls that the plan leaves as they were."""
    before = scene.state.plan.tasks
    return [
        task.id
        for task in plan.pending()
        if task.id in before
        and before[task.id].name == task.name
        and equal(before[task.id].arguments, task.arguments)
        and {*before[task.id].depends_on} == {*task.depends_on}
    ]


def _mended(scene: Scene, plan: Plan) -> Iterator[tuple[str, Task]]:
    """Yield the pending calls that aren't as they were, with the node that each was before."""
    sound = _unchanged(scene, plan)
    for id, node in _pending_places(scene, plan).items():
        if node not in sound and id in scene.state.plan.tasks:
            yield id, plan.tasks[node]


def _dropped(scene: Scene, plan: Plan) -> Iterator[Task]:
    """Yield the pending calls that are gone, as far as what they waited for is there."""
    for task in scene.state.plan.pending():
        if task.id not in plan.tasks and {*task.depends_on} <= plan.tasks.keys():
            yield task


def _copied(scene: Scene, plan: Plan, task: Task) -> Task:
    """Return a pending task like another, under a fresh id."""
    number = 1
    while f"{FRESH}{number}" in plan.tasks:
        number += 1
    tool = scene.clean.tools.get(task.name)
    text = task.description if tool is None else describe(tool)
    return task.changed(id=f"{FRESH}{number}", description=text, status=False)


def _waiting(plan: Plan, id: str, other: str) -> Plan:
    """Return the plan with one node waiting for another too."""
    task = plan.tasks[id]
    before = [one for one in task.depends_on if one != ROOT]
    return plan.replaced({id: task.changed(depends_on=[*before, other])})


def _least(scene: Scene, plan: Plan, offers: Sequence[Plan], lots: Random) -> Plan | None:
    """Draw among the plans that do least harm beside what they are meant to do.

    First of all calls should still run after what they need, then the response shouldn't
    run later, then sound calls should be left alone.
    """
    if not offers:
        return None
    sound = _unchanged(scene, plan)

    def harm(made: Plan) -> tuple[bool, int, int]:
        touched = sum(made.tasks.get(id) != plan.tasks[id] for id in sound)
        return not _is_in_order(scene, made), rounds_to_go(made), touched

    costs = [harm(made) for made in offers]
    least = min(costs)
    return lots.choice([made for made, cost in zip(offers, costs, strict=True) if cost == least])


def _is_in_order(scene: Scene, plan: Plan) -> bool:
    """Tell whether every call runs after what it needs, and the response after all of them."""
    depths, places = _depths(plan), _pending_places(scene, plan)
    return all(
        depths[node] < depths[RESPONSE]
        and all(
            depths[places[other]] < depths[node]
            for other in scene.clean.calls[id].depends_on
            if other in places
        )
        for id, node in places.items()
    )


def _without(task: Task, other: str) -> list[str]:
    return [one for one in task.depends_on if one != other] or [ROOT]


def _removed(plan: Plan, id: str) -> Plan:
    """Return the plan without a node; whoever waited for it waits for its dependencies."""
    gone = plan.tasks[id]
    changes: dict[str, Task | None] = {id: None}
    for task in plan.tasks.values():
        if id in task.depends_on:
            before = dict.fromkeys([*_without(task, id), *gone.depends_on])
            kept = [one for one in before if one != ROOT] or [ROOT]
            changes[task.id] = task.changed(depends_on=kept)
    return plan.replaced(changes)


_SCALARS = ("string", "integer", "number")


def _is_scalar(value: Json) -> bool:
    return isinstance(value, (str, int, float)) and not isinstance(value, bool)


def _other(value: Json) -> Json:
    """Return another scalar of the same type."""
    return f"{value} (checked)" if isinstance(value, str) else value + 1


# The claims.


def spoil_s1(scene: Scene, plan: Plan, facts: Facts, lots: Random) -> Facts | None:
    """S1: announce what the plan doesn't do, and pass over something that it does."""
    changes = list(facts.changes)
    done = [one for one in changes if one.verb not in ("mark", "keep", "finish", "response")]
    if done:
        node = lots.choice(done).nodes
        changes = [one for one in changes if one.nodes != node]
    touched = {one.tool for one in facts.changes}
    kept = [plan.tasks[id] for one in changes if one.verb == "keep" for id in one.nodes]
    dropped = [task for task in kept if task.name not in touched]
    pending = {task.name for task in plan.pending()}
    sent = [task for task in plan.calls() if task.status]
    idle = [task for task in sent if task.name not in pending | touched]
    if dropped:
        task = lots.choice(dropped)
        # What is announced to go can't at once be kept.
        changes = [
            replace(one, nodes=tuple(id for id in one.nodes if id != task.id))
            if one.verb == "keep"
            else one
            for one in changes
        ]
        changes = [one for one in changes if one.nodes or one.verb != "keep"]
        changes.append(Change("drop", (task.id,), task.name))
    elif idle:
        task = lots.choice(idle)
        changes.append(Change("redo", (task.id,), task.name))
    else:
        others = [
            Change("rename", (task.id,), task.name, key, name)
            for task in kept or sent
            if task.name in scene.state.tools
            for key in task.arguments
            for name in scene.state.tools[task.name].properties
            if name not in task.arguments
        ]
        others = others or [
            Change("rewire", (task.id,), task.name, others=(other.id,))
            for task in plan.calls()
            for other in plan.calls()
            if other.id != task.id and other.id not in task.depends_on
        ]
        if not others:
            return None
        changes.append(lots.choice(others))
    return replace(facts, changes=tuple(changes))


def spoil_d1(scene: Scene, plan: Plan, facts: Facts, lots: Random) -> Facts | None:
    """D1: misstate the previous plan: dependencies that aren't there, tools that aren't called."""
    before = scene.state.plan
    calls = before.calls()
    false = [
        (a.id, b.id)
        for a in calls
        for b in calls
        if a.id != b.id and b.id not in a.depends_on and a.id not in b.depends_on
    ] or [(a.id, b.id) for a in calls for b in calls if a.id in b.depends_on]
    edges = tuple(lots.sample(false, min(len(false), max(len(facts.edges), 2))))
    tools = []
    for node, tool in facts.tools:
        others = [name for name in sorted(scene.state.tools) if name != tool]
        if others:
            tools.append((node, lots.choice(others)))
    if not edges and not tools:
        return None
    return replace(facts, tools=tuple(tools), edges=edges)


def spoil_d2(scene: Scene, plan: Plan, facts: Facts, lots: Random) -> Facts | None:
    """D2: read the results the wrong way round: failures as successes, successes as failures."""
    if not facts.seen:
        return None
    swapped = tuple(replace(one, failed=not one.failed, quote="", key="") for one in facts.seen)
    return replace(facts, seen=swapped)


def spoil_d3(scene: Scene, plan: Plan, facts: Facts, lots: Random) -> Facts | None:
    """D3: blame another node, by preference a symptom, in place of each root cause."""
    roots = {cause.node for cause in facts.causes}
    now = {seen.id for seen in scene.state.observations}
    calls = [task for task in scene.state.plan.calls() if task.id not in roots]
    lots.shuffle(calls)
    # Of a call that hasn't run at least nothing is said that its result refutes.
    calls.sort(key=lambda task: (task.id not in facts.affected, task.status, task.id in now))
    blamed = calls[: max(len(facts.causes), 1)]
    if not blamed:
        return None
    causes = []
    for index, task in enumerate(blamed):
        quote = facts.causes[index].quote if index < len(facts.causes) else ""
        key, found = "", ""
        if task.arguments:
            key = lots.choice(sorted(task.arguments))
            found = worded(task.arguments[key])
        causes.append(Cause("blamed", task.id, task.name, key, found, quote=quote))
    return replace(facts, causes=tuple(causes))


def spoil_d4(scene: Scene, plan: Plan, facts: Facts, lots: Random) -> Facts | None:
    """D4: misstate what is affected: nothing where something is, sound nodes where nothing is."""
    if facts.affected:
        return replace(facts, affected=(), made_up=())
    roots = {cause.node for cause in facts.causes}
    sound = [task.id for task in scene.state.plan.calls() if task.id not in roots]
    if not sound:
        return None
    return replace(facts, affected=tuple(lots.sample(sound, min(len(sound), 2))), made_up=())


def spoil_d5(scene: Scene, plan: Plan, facts: Facts, lots: Random) -> Facts | None:
    """D5: cite evidence that stands nowhere: invented messages, values and nodes."""
    known = {*plan.tasks, *scene.state.plan.tasks}
    known |= {id for past in scene.state.history for id in past.plan.tasks}
    node = str(next(number for number in range(lots.randrange(100, 900), 10_000)
                    if str(number) not in known))  # fmt: skip
    seen = [_invented(one, lots) for one in facts.seen]
    tool = lots.choice(sorted(scene.state.tools))
    seen.append(Seen(facts.round, node, tool, True, lots.choice(_MESSAGES)))
    causes = [replace(cause, quote=lots.choice(_MESSAGES)) for cause in facts.causes]
    return replace(facts, seen=tuple(seen), causes=tuple(causes))


def _invented(one: Seen, lots: Random) -> Seen:
    if one.failed:
        return replace(one, quote=lots.choice(_MESSAGES))
    return replace(one, quote=worded(lots.randrange(10**7, 10**8)).strip("`"), key="checksum")


_MESSAGES = (
    "Quota of 250 requests a day used up for tenant 7741.",
    "Licence key expired on 3 March, renewal pending.",
    "Certificate chain of the upstream host is not trusted.",
    "Maintenance window 02:00 to 04:00 in effect, ticket OPS-5529.",
    "Shard 14 is read-only after a failover.",
)


PLAN_ITEMS: Mapping[str, SpoilPlan] = {
    "s2": spoil_s2,
    "s3": spoil_s3,
    "s4": spoil_s4,
    "e1": spoil_e1,
    "e2": spoil_e2,
    "e3": spoil_e3,
    "e4": spoil_e4,
    "e5": spoil_e5,
}

FACT_ITEMS: Mapping[str, SpoilFacts] = {
    "s1": spoil_s1,
    "d1": spoil_d1,
    "d2": spoil_d2,
    "d3": spoil_d3,
    "d4": spoil_d4,
    "d5": spoil_d5,
}
