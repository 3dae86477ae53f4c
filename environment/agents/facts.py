"""What a perfect agent knows after a round, as claims that can be put into words.

Made from the row's labels, the log and the plan about to be written; `thought` words it,
`noise` spoils single claims first.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from plan.clean import CleanPlan
from plan.execution import EMPTY, OK, Execution
from plan.json_text import Json, dumps, equal, loads, split_pointer, type_name, walk
from plan.reference import has_reference, references, renamed, target, text_of
from plan.row import INJECTED, PROPAGATED, ErrorLabel
from plan.state import State
from plan.task import RESPONSE, ROOT, Plan, Task

SHORT = 70
"""Characters up to which a value is quoted whole."""

MOST_QUOTED = 200
MOST_EDGES = 5
MOST_EARLIER = 6


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything that an oracle answers from.

    Attributes:
        clean: the clean plan.
        state: the state at round t.
        log: everything executed, round t included.
        errors: the row's labels; none in later rounds.
        places: which node of the oracle's plan stands for each clean call.
        plan: the oracle's plan, G(t).
    """

    clean: CleanPlan
    state: State
    log: Sequence[Execution]
    errors: Sequence[ErrorLabel]
    places: Mapping[str, str]
    plan: Plan


@dataclass(frozen=True, slots=True)
class Seen:
    """What a call of a round returned; ``quote`` stands in its result, "" for none."""

    round: int
    node: str
    tool: str
    failed: bool
    quote: str
    key: str = ""


@dataclass(frozen=True, slots=True)
class Cause:
    """A root cause: ``what`` is wrong with a node, and how it should be.

    Attributes:
        what: timeout, empty, name, tool, missing, needless, absent, unknown, type, value,
            lost, wrong, early, wait; blamed for a wrong guess.
        node: the node; "" for a lost call of which no plan tells.
        tool: its tool as it stands in the plan.
        key: the parameter, where it is one.
        found: what stands there, in words.
        wanted: what should, in words.
        lost: dependencies that it should have and hasn't; of a lost call, its consumers.
        gained: dependencies that it has and shouldn't.
        quote: words of an observation that show it; "" where none do.
    """

    what: str
    node: str
    tool: str
    key: str = ""
    found: str = ""
    wanted: str = ""
    lost: tuple[str, ...] = ()
    gained: tuple[str, ...] = ()
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that the new plan does.

    ``verb`` is mark, keep, tool, set, unset, rename, rewire, again, add, extra, recall,
    redo, drop, response or finish.
    """

    verb: str
    nodes: tuple[str, ...]
    tool: str = ""
    key: str = ""
    text: str = ""
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Facts:
    """The claims of a thought, in the order in which they are put.

    Attributes:
        round: t.
        tools: (node, tool) of the previous plan.
        edges: (node, dependency) of the previous plan.
        seen: results of round t, and failures of earlier ones.
        causes: the root causes; none where none is known.
        verdict: without causes: fine, or mended if all that failed was made good, or still.
        made_up: (node, parameter) whose values were invented for failed results.
        affected: nodes downstream that can't be right.
        changes: what the new plan does.
    """

    round: int
    tools: tuple[tuple[str, str], ...]
    edges: tuple[tuple[str, str], ...]
    seen: tuple[Seen, ...]
    causes: tuple[Cause, ...]
    verdict: str
    made_up: tuple[tuple[str, str], ...]
    affected: tuple[str, ...]
    changes: tuple[Change, ...]


def find_facts(scene: Scene, plan: Plan) -> Facts:
    """Return what is to be said where ``plan`` is the plan about to be written."""
    state = scene.state
    injected = [error for error in scene.errors if error.origin == INJECTED]
    hit = {id: None for error in injected for id in error.affected}
    affected = tuple(id for id in state.plan.tasks if id in hit)
    roots = [id for error in injected for id in _shown_at(scene, error.node)]
    tools, edges = _anchors(state.plan, roots, affected)
    seen = _sightings(scene)
    changes = tuple(find_changes(scene, plan))
    repairs = any(change.verb not in ("mark", "keep", "finish") for change in changes)
    failed = any(one.failed for one in seen)
    return Facts(
        state.round,
        tools,
        edges,
        seen,
        tuple(_cause(scene, error) for error in injected),
        "still" if repairs else "mended" if failed else "fine",
        tuple(
            (error.node, split_pointer(error.pointer)[1])
            for error in scene.errors
            if error.origin == PROPAGATED and error.pointer.startswith("/para/")
        ),
        affected,
        changes,
    )


def _shown_at(scene: Scene, node: str) -> list[str]:
    """Return where an error at a node shows: there, or around the gap that a lost call leaves."""
    if node in scene.state.plan.tasks:
        return [node]
    users = [id for id, call in scene.clean.calls.items() if node in call.depends_on]
    return [*users, *scene.clean.calls[node].depends_on]


def _anchors(
    plan: Plan, roots: Sequence[str], affected: Sequence[str]
) -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]:
    """Return the nodes and the dependencies of the plan that the diagnosis rests on."""
    about = [id for id in dict.fromkeys([*roots, *affected]) if id in plan.tasks and id != ROOT]
    if not about:
        about = [task.id for task in plan.pending()] or [task.id for task in plan.calls()]
    edges = [
        (id, other)
        for id in [*about, *(task.id for task in plan.calls()), RESPONSE]
        for other in plan.tasks[id].depends_on
        if other != ROOT
    ]
    named = tuple((id, plan.tasks[id].name) for id in about[:3])
    return named, tuple(list(dict.fromkeys(edges))[:MOST_EDGES])


def _sightings(scene: Scene) -> tuple[Seen, ...]:
    now = scene.state.round
    earlier = [seen for seen in scene.log if seen.outcome != OK and seen.round < now]
    last = [seen for seen in scene.log if seen.round == now]
    return tuple(_seen(seen) for seen in [*earlier[-MOST_EARLIER:], *last])


def _seen(seen: Execution) -> Seen:
    if seen.outcome != OK:
        return Seen(seen.round, seen.node, seen.name, True, message(seen))
    for pointer, value in walk(seen.result):
        if isinstance(value, (str, int, float)) and len(dumps(value)) <= SHORT:
            key = split_pointer(pointer)[-1] if pointer else ""
            return Seen(seen.round, seen.node, seen.name, False, dumps(value), key)
    return Seen(seen.round, seen.node, seen.name, False, "")


def message(seen: Execution) -> str:
    """Return the words of a failed call's result that say most."""
    if seen.outcome == EMPTY:
        return text_of(seen.result) or '""'
    texts = [value for _, value in walk(seen.result) if isinstance(value, str)]
    return (max(texts, key=len, default="") or dumps(seen.result))[:MOST_QUOTED]


def _cause(scene: Scene, error: ErrorLabel) -> Cause:
    plan = scene.state.plan
    own = [seen for seen in scene.log if seen.node == error.node]
    quote = message(own[-1]) if own and own[-1].outcome != OK else ""
    before, after = loads(error.before), loads(error.after)
    known = {id: id for id in plan.tasks}
    here = {id: known.get(id, node) for id, node in scene.places.items()}
    if error.pointer == "" and before is not None:
        return _lost_call(scene, error.node, before, here)
    task = plan.tasks[error.node]
    if error.pointer == "":
        return Cause("needless", task.id, task.name, quote=quote)
    if error.pointer == "/results":
        what = "empty" if own and own[0].outcome == EMPTY else "timeout"
        return Cause(what, task.id, task.name, quote=quote)
    if error.pointer == "/name":
        what = "tool" if after in scene.state.tools else "name"
        return Cause(
            what, task.id, task.name, found=f"`{after}`", wanted=f"`{before}`", quote=quote
        )
    if error.pointer == "/dep":
        return _dependency(scene, task, before, after, quote)
    return _parameter(scene, error, task, before, after, here, quote)


def _lost_call(scene: Scene, id: str, before: Json, here: Mapping[str, str]) -> Cause:
    shown = any(id in past.plan.tasks for past in scene.state.history)
    consumers = [other for other, call in scene.clean.calls.items() if id in call.depends_on]
    present = tuple(other for other in consumers if other in scene.state.plan.tasks)
    wanted = ", ".join(
        f"`{key}` {worded(renamed(value, here))}" for key, value in list(before["para"].items())[:2]
    )
    return Cause("missing", id if shown else "", before["name"], wanted=wanted, lost=present)


def _dependency(
    scene: Scene, task: Task, before: Sequence[str], after: Sequence[str], quote: str
) -> Cause:
    present = scene.state.plan.tasks.keys()
    lost = tuple(id for id in before if id not in after and id != ROOT)
    gained = tuple(id for id in after if id not in before and id != ROOT)
    inherited = {other for id in lost for other in scene.clean.dependencies.get(id, ())}
    if not lost:
        what = "wait"
    elif not gained and (ROOT not in after or ROOT not in inherited):
        what = "lost"
    else:
        what = "early" if inherited.issuperset(gained) else "wrong"
    return Cause(
        what,
        task.id,
        task.name,
        lost=tuple(id if id in present else scene.places[id] for id in lost),
        gained=gained,
        quote=quote,
    )


def _parameter(
    scene: Scene,
    error: ErrorLabel,
    task: Task,
    before: Json,
    after: Json,
    here: Mapping[str, str],
    quote: str,
) -> Cause:
    key = split_pointer(error.pointer)[1]
    call = scene.clean.calls[task.id]
    found, wanted = worded(after), worded(renamed(before, here))
    if key not in task.arguments:
        return Cause("absent", task.id, task.name, key, wanted=wanted, quote=quote)
    if key not in call.arguments:
        old = [name for name in call.arguments if name not in task.arguments]
        same = [name for name in old if equal(call.arguments[name], after)]
        name = (same or old or [""])[0]
        return Cause("unknown", task.id, task.name, key, f"`{key}`", f"`{name}`", quote=quote)
    what = "value" if type_name(before) == type_name(after) else "type"
    return Cause(what, task.id, task.name, key, found, wanted, quote=quote)


def worded(value: Json) -> str:
    """Return a value as a thought names it: short ones whole, others by what they are made of."""
    found = target(value)
    if found is not None:
        node, pointer = found
        return f"the result of node {node}" + (f" at `{pointer}`" if pointer else "")
    if has_reference(value):
        nodes = list(dict.fromkeys(one.node for one in references(value)))
        return f"a value made of what {listed(nodes)} returned"
    text = dumps(value)
    if len(text) <= SHORT:
        return f"`{text}`"
    if isinstance(value, str):
        return f"the text beginning `{value[: SHORT // 2].rstrip()}`"
    return f"{'a list' if isinstance(value, list) else 'an object'} of {len(value)} items"


def listed(ids: Collection[str]) -> str:
    """Return nodes in words: "node 3", "nodes 3, 4 and 7"; the response by its own name."""
    calls = [id for id in ids if id not in (RESPONSE, ROOT)]
    words = []
    if calls:
        head = ", ".join(calls[:-1])
        joined = f"{head} and {calls[-1]}" if head else calls[-1]
        words.append(f"node {joined}" if len(calls) == 1 else f"nodes {joined}")
    if ROOT in ids:
        words.append("the query alone" if not words else "the query")
    if RESPONSE in ids:
        words.append("the response")
    return " and ".join(words)


def find_changes(scene: Scene, plan: Plan) -> list[Change]:
    """Return what a plan does to that of the state, in the order in which to tell it."""
    before, now = scene.state.plan, {seen.id for seen in scene.state.observations}
    sent = {seen.node for seen in scene.log}
    clean_of = {node: id for id, node in scene.places.items()}
    marked: list[str] = []
    kept: list[str] = []
    changes: list[Change] = []
    for id, task in plan.tasks.items():
        if id in (ROOT, RESPONSE):
            continue
        old = before.tasks.get(id)
        if old is None and task.status:
            changes.append(Change("mark", (id,), task.name))
        elif old is None:
            origin = clean_of.get(id, "")
            verb = "again" if origin in sent else "add" if origin else "extra"
            others = tuple(other for other in task.depends_on if other != ROOT)
            changes.append(Change(verb, (id,), task.name, text=origin, others=others))
            if verb == "again":
                changes += _edits(before.tasks[origin], task, scene.places, wires=False)
        elif task.status and (old.status or id in now):
            if id in now:
                marked.append(id)
            changes += _edits(old, task, {})
        elif task.status != old.status or (id in now and not task.status):
            changes.append(Change("mark" if task.status else "recall", (id,), task.name))
        elif not task.status:
            edits = _edits(old, task, {})
            changes += edits
            if not edits:
                kept.append(id)
    gone = [id for id in before.tasks if id not in plan.tasks]
    changes += [Change("drop", (id,), before.tasks[id].name) for id in gone]
    last = plan.tasks[RESPONSE].depends_on
    if {*last} != {*before.tasks[RESPONSE].depends_on}:
        changes.append(Change("response", (), others=last))
    told: list[Change] = []
    if marked:
        told.append(Change("mark", tuple(marked)))
    told += changes
    if kept:
        told.append(Change("keep", tuple(kept)))
    if not changes and not kept:
        told.append(Change("finish", (), others=last))
    return told


def _edits(old: Task, new: Task, places: Mapping[str, str], *, wires: bool = True) -> list[Change]:
    """Return how a pending task differs; references of ``old`` are followed to ``places``."""
    edits: list[Change] = []
    if old.name != new.name:
        edits.append(Change("tool", (new.id,), new.name, text=old.name))
    arguments = renamed(old.arguments, places)
    gone = [key for key in arguments if key not in new.arguments]
    for key, value in new.arguments.items():
        if key in arguments:
            if not equal(arguments[key], value):
                edits.append(Change("set", (new.id,), new.name, key, worded(value)))
            continue
        was = [name for name in gone if equal(arguments[name], value)]
        if was:
            gone.remove(was[0])
            edits.append(Change("rename", (new.id,), new.name, was[0], key))
        else:
            edits.append(Change("set", (new.id,), new.name, key, worded(value)))
    edits += [Change("unset", (new.id,), new.name, key) for key in gone]
    if wires and {*old.depends_on} != {*new.depends_on}:
        edits.append(Change("rewire", (new.id,), new.name, others=new.depends_on))
    return edits
