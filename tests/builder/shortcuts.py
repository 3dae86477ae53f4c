"""What a lazy reader could go by: surface features of tasks and rows, and fair comparisons.

A *unit* is one row: its damaged tasks, and the clean tasks of the same plan that the same
damage could have hit just as well (same kind, same state, sent in the coming round or not
as the damaged one was). So what a kind needs in order to be possible (a literal, a
dependency, a confusable tool) is on both sides, and only what the damage itself changes is
left to be seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from random import Random
from statistics import fmean
from typing import Any

from builder.cascade import must_wait, start
from environment.world import World
from plan.clean import CleanPlan
from plan.graph import layers
from plan.json_text import dumps, loads
from plan.reference import is_expression
from plan.row import Row
from plan.state import State
from plan.task import RESPONSE, ROOT, Plan
from taxonomy.registry import kinds

Task = Mapping[str, Any]

IDS = 100
"""One past the largest id of a plan with up to 25 calls."""

STRUCTURE = ("dependencies", "layer", "waited_for")
"""What the graph shows: how many dependencies, which layer, how many tasks wait for it."""

PLACE = ("place", "place_less_rank")
"""Where a task stands in the list. The list is sorted by layer, so it goes with the layer."""

HISTORY = (
    "not_before",
    "text_differs",
    "meaning_differs",
    "meaning_differs_from_first",
    "same_words",
)
"""What a comparison with the plans before shows."""

VALUES = ("parameters", "literals", "key_length", "value_length", "longest", "text_length")

STRUCTURAL: Mapping[str, tuple[str, ...]] = {
    # These four change a dependency, so the graph differs by definition; of where the task
    # stands, `place_in_layer` is what the graph doesn't give. Nothing else is left out.
    "Dependence_Error": (*STRUCTURE, *PLACE),
    "Dependence_Null": (*STRUCTURE, *PLACE),
    "Parallelism_Error": (*STRUCTURE, *PLACE),
    "Serial_Error": (*STRUCTURE, *PLACE),
    # The name is spelled otherwise, at times in a style without underscores, and nobody else's.
    "Tool_name_Error": ("name_words", "name_again"),
    # One parameter fewer, a required one: what is left has other lengths.
    "Parameter_Missing": VALUES,
    # What used the lost call has a literal for a reference, and the lost call's dependencies.
    "Toolcall_Missing": (*STRUCTURE, *PLACE, *VALUES),
    # Nothing waits for a needless call, it depends on what it repeats, and a repeat is there
    # twice, its arguments being those of another call. Among the calls that it may repeat are
    # some that were sent, of which `HISTORY` speaks otherwise; for that one, see `pending`.
    "Toolcall_Redundancy": (*STRUCTURE, *PLACE, *VALUES, *HISTORY, "name_again"),
}
"""Features that a kind changes by definition; for a kind that isn't here, all must be mute."""


@dataclass(frozen=True, slots=True)
class Unit:
    """Pairs of (damaged, clean) tasks of one row, as places in ``nodes``.

    ``pending`` are those of two pending tasks, which is all of them for most kinds.
    """

    kind: str
    query: str
    history: bool
    nodes: Sequence[Mapping[str, float]]
    texts: Sequence[str]
    results: Sequence[Any]
    pairs: Sequence[tuple[int, int]]
    pending: Sequence[tuple[int, int]]


def unit_of(row: Row) -> Unit | None:
    """The fair comparisons that a row offers; None if there are none."""
    tools, plan = loads(row.tools), loads(row.plan)
    history = loads(row.history)
    clean = CleanPlan.from_row_json(row.query, tools, loads(row.clean_plan))
    pairs = list(_pairs(row, clean, Plan.from_json(plan)))
    if not pairs:
        return None
    sent = {task["id"] for task in plan["tasks"] if task["status"]}
    ids = list(dict.fromkeys(id for pair in pairs for id in pair))
    at = {id: place for place, id in enumerate(ids)}
    features = node_features(plan["tasks"], tools, [past["plan"]["tasks"] for past in history])
    texts = {task["id"]: head(task) for task in plan["tasks"]}
    rounds = [*(past["observations"] for past in history[-1:]), loads(row.observations)]
    results = {seen["id"]: seen["results"] for round in rounds for seen in round}
    return Unit(
        row.error_kinds[0],
        row.query_id,
        row.t > 1,
        [features[id] for id in ids],
        [texts[id] for id in ids],
        [results.get(id) for id in ids],
        [(at[bad], at[good]) for bad, good in pairs],
        [(at[bad], at[good]) for bad, good in pairs if good not in sent],
    )


def _pairs(row: Row, clean: CleanPlan, plan: Plan) -> Iterator[tuple[str, str]]:
    kind, node = row.error_kinds[0], row.errors[0].node
    frontier = set(plan.frontier())
    pending = [task.id for task in plan.pending()]
    if kind == "Toolcall_Redundancy":
        yield from ((node, other) for other in _models(row, clean) if other in plan.tasks)
        return
    hit = _hits(row, clean)
    if kind != "Toolcall_Missing":
        runs = node in frontier
        others = (id for id in pending if id != node and runs in hit.get(id, {}))
        yield from ((node, other) for other in others)
        return
    # The lost call isn't there to be looked at; those that would have used it are. Compared
    # are the users of two calls that don't use each other, less those that use both.
    users = {id: set().union(*found.values()) for id, found in hit.items()}
    mine = users.get(node, set())
    for other, theirs in users.items():
        if other != node and other not in mine and node not in theirs:
            for bad in sorted(mine - theirs):
                yield from ((bad, good) for good in sorted(theirs - mine) if good in pending)


def _hits(row: Row, clean: CleanPlan) -> dict[str, dict[bool, set[str]]]:
    """Which tasks a kind could have hit in this state, before anything was damaged.

    With each, whether it would then run in the coming round, and which others change.
    """
    before = start(World(clean, 0), Random(0), row.t - 1, row.t)
    state = State(row.t, clean.query, clean.tools, before.plan, history=tuple(before.history))
    kind = kinds()[row.error_kinds[0]]
    found: dict[str, dict[bool, set[str]]] = {}
    for damage in kind.damages(state, clean):
        plan = before.plan.replaced(damage.changes)
        frontier = plan.frontier()
        if not frontier or RESPONSE in frontier:
            continue
        if must_wait(kind.name, damage) and _runs_in(plan, damage.node, row.t) <= row.t:
            continue
        changed = {id for id, task in damage.changes.items() if task and id != RESPONSE}
        runs = damage.node in frontier
        found.setdefault(damage.node, {}).setdefault(runs, set()).update(changed)
    return found


def _models(row: Row, clean: CleanPlan) -> list[str]:
    """The calls that a needless one could be modelled on and yet stand in all earlier plans.

    Those are pending or were sent in the last round: what would repeat an earlier one would
    have run before.
    """
    before = start(World(clean, 0), Random(0), row.t - 1, row.t)
    state = State(row.t, clean.query, clean.tools, before.plan, history=tuple(before.history))
    past = before.history[-1].plan.tasks if before.history else {}
    kind = kinds()["Toolcall_Redundancy"]
    found = []
    for id in clean.calls:
        for damage in kind.damages(state, clean, only={id}):
            task = damage.changes[damage.node]
            assert task is not None
            if not past or any(not past[other].status for other in task.depends_on):
                found.append(id)
                break
    return found


def _runs_in(plan: Plan, node: str, coming: int) -> int:
    before = [plan.tasks[other] for other in plan.tasks[node].depends_on]
    waits = [_runs_in(plan, task.id, coming) + 1 for task in before if not task.status]
    return max(waits, default=coming)


def head(task: Task) -> str:
    """A description without the result's text."""
    return _RESULT.split(str(task["desc"]))[0] if task["status"] else str(task["desc"])


_RESULT = re.compile(" (?:(?:Execution )?[Rr]esult:|Returned:|Output:|Got|->|Response received:) ")


def meaning(task: Task) -> tuple[str, str, tuple[str, ...]]:
    """What a semantic differ compares."""
    return task["name"], dumps(task["para"]), tuple(sorted(task["dep"]))


def node_features(
    tasks: Sequence[Task], tools: Sequence[Any], past: Sequence[Sequence[Task]]
) -> dict[str, dict[str, float]]:
    """Surface features of each call of a plan.

    Args:
        tasks: the plan, as the row spells it.
        tools: the row's tools.
        past: the earlier plans, the first one first.
    """
    calls = [task for task in tasks if task["id"] not in (ROOT, RESPONSE)]
    place = {task["id"]: at for at, task in enumerate(calls)}
    order = sorted(place, key=int)
    dep = {task["id"]: [one for one in task["dep"] if one in place] for task in calls}
    depth = layers(dep)
    listed = {tool["name"]: at / len(tools) for at, tool in enumerate(tools)}
    names = [task["name"] for task in calls]
    last = {task["id"]: task for task in past[-1]} if past else None
    first = {task["id"]: task for task in past[0]} if past else None
    found: dict[str, dict[str, float]] = {}
    for task in calls:
        id, text, given, para = task["id"], head(task), dep[task["id"]], task["para"]
        rank, number = order.index(id), int(id)
        # Any one of them, whatever their order: that is `dep_rising`'s affair.
        some = min(given, key=lambda one: _lot(f"{one} {id}"), default="")
        beside = [place[other] for other in place if depth[other] == depth[id]]
        literals = [_plain(value) for value in para.values() if not is_expression(value)]
        lengths = [len(value) for value in literals]
        found[id] = {
            "desc_length": len(text),
            "desc_words": len(text.split()),
            "desc_period": text.endswith("."),
            "desc_colon": ": " in text,
            "desc_capitals": sum(letter.isupper() for letter in text),
            "id": number,
            "id_rank": (rank + 0.5) / len(calls),
            "id_digits": len(id),
            "id_odd": number % 2,
            "gap_before": number - int(order[rank - 1] if rank else 0),
            "gap_after": int(order[rank + 1] if rank + 1 < len(order) else IDS) - number,
            "place": place[id] / len(calls),
            "place_less_rank": place[id] - rank,
            "place_in_layer": _side(place[id], beside, id),
            "dep_rising": int(given[0]) < int(given[-1]) if len(given) > 1 else _coin("r", id),
            "dep_above": int(some) > number if some else _coin("a", id),
            "dep_behind": sum(place[other] > place[id] for other in given),
            "dependencies": len(given),
            "layer": depth[id],
            "waited_for": sum(id in before for before in dep.values()),
            "parameters": len(para),
            "literals": len(literals),
            "key_length": fmean(map(len, para)) if para else 0,
            "value_length": fmean(lengths) if lengths else 0,
            "longest": max(lengths, default=0),
            "text_length": len(dumps(para)) / max(len(para), 1),
            "name_length": len(task["name"]),
            "name_words": task["name"].count("_"),
            "name_again": names.count(task["name"]) > 1,
            # A name outside the list has no place there; that it has none is the damage.
            "tool_place": listed.get(task["name"], _lot(id) % len(tools) / len(tools)),
            "not_before": last is not None and id not in last,
            "text_differs": _differs(last, task, dumps),
            "meaning_differs": _differs(last, task, meaning),
            "meaning_differs_from_first": _differs(first, task, meaning),
            "same_words": last is not None and id in last and last[id]["desc"] == task["desc"],
        }
    return found


def _lot(text: str) -> int:
    """A number that a text decides; unlike those of a checksum, of no two alike."""
    return int.from_bytes(blake2b(text.encode(), digest_size=4).digest(), "big")


def _coin(salt: str, id: str) -> bool:
    """Noise, where there is no order to speak of, lest that show how many there are."""
    return bool(_lot(f"{salt}{id}") & 1)


def _side(place: int, beside: Sequence[int], id: str) -> bool:
    """Whether a task stands in the first half of its layer."""
    before = sum((at < place) - (at > place) for at in beside)
    return before < 0 if before else _coin("s", id)


def _differs(before: Mapping[str, Task] | None, task: Task, spell: Any) -> bool:
    if before is None:
        return False
    return task["id"] not in before or spell(before[task["id"]]) != spell(task)


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else dumps(value)


def row_features(row: Row) -> dict[str, float]:
    """Surface features of a whole row: of one pending task, and means over all of them."""
    tools, plan = loads(row.tools), loads(row.plan)["tasks"]
    past = [round["plan"]["tasks"] for round in loads(row.history)]
    nodes = node_features(plan, tools, past)
    waiting = [nodes[task["id"]] for task in plan if not task["status"] and task["id"] in nodes]
    ids = sorted(map(int, nodes))
    gaps = [after - before for before, after in zip([0, *ids], [*ids, IDS], strict=True)]
    response = plan[-1]
    seen = loads(row.observations)
    numbers = [int(one["id"]) for one in seen]
    one = waiting[int(row.instance_id[-6:], 16) % len(waiting)]
    return {
        **{f"one_{name}": value for name, value in one.items()},
        **{f"mean_{name}": fmean(node[name] for node in waiting) for name in waiting[0]},
        **{f"most_{name}": max(node[name] for node in waiting) for name in _MOST},
        # Of n numbers drawn evenly, the largest share to the nth power is even again.
        "largest_id": (ids[-1] / IDS) ** len(ids),
        "smallest_id": (1 - ids[0] / IDS) ** len(ids),
        "largest_gap": max(gaps),
        "smallest_gap": min(gaps),
        "response_rising": response["dep"][0] < response["dep"][-1],
        "response_length": len(response["desc"]),
        "seen_in_order": numbers == sorted(numbers),
        "seen_length": fmean(len(dumps(one["results"])) for one in seen),
        "gone": sum(task["id"] not in nodes for task in past[-1]) if past else 2,
    }


_MOST = ("not_before", "text_differs", "meaning_differs")

_ANY = {name for own in STRUCTURAL.values() for name in own}.difference(HISTORY)

_CROWD = (
    "mean_",
    "largest_gap",
    "smallest_gap",
    "one_gap",
    "one_id_rank",
    "most_text_differs",
)

ROW_STRUCTURAL: Mapping[str, tuple[str, ...]] = {
    "": tuple(f"{stem}_{name}" for name in sorted(_ANY) for stem in ("one", "mean")),
    # With one task fewer or more, gaps are wider or narrower, also as an id and its rank show
    # them together, and means less or more even.
    "Toolcall_Missing": _CROWD,
    # And one call more is seen.
    "Toolcall_Redundancy": (*_CROWD, "seen_length"),
    # Who waits for what decides how many tasks share a layer.
    "Serial_Error": ("mean_place_in_layer",),
    "Parallelism_Error": ("mean_place_in_layer",),
    "Dependence_Error": ("mean_place_in_layer",),
    # An empty result is what it is.
    "Null_Error": ("seen_length",),
}
"""As for tasks, by the start of a name. What one kind changes by definition tells it from
the others, and so the others from it; so what any kind changes, under "", is left out for
all."""


def leaves(value: Any) -> Iterator[str]:
    """The scalars of a result, as text."""
    if isinstance(value, dict):
        for item in value.values():
            yield from leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item)
    else:
        yield _plain(value)
