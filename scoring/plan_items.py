"""Items that are decided by the plan: S2 to S5 and E1 to E4.

Every item that counts faults gives 1 for none, 0.5 where at most half of what it looks at
is at fault, else 0. An answer without a single pending call where calls are still needed
shows nothing and gets 0 on S2, S3 and E1 to E4.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from scoring.alignment import Alignment, align
from scoring.answer import RESPONSE, ROOT, Answer, Plan, Task
from scoring.case import Case
from scoring.json_text import dumps, loads_lenient, lookup
from scoring.legality import is_legal
from scoring.reference import nodes_in, stands, targets
from scoring.simulation import Outcome, run_plan

PLAN_KEYS = ("s2", "s3", "s4", "s5", "e1", "e2", "e3", "e4")


def level(faults: int, judged: int) -> float:
    """Return 1 without faults, 0.5 where at most half of what is judged is at fault, else 0."""
    if not faults:
        return 1.0
    return 0.5 if 2 * faults <= judged else 0.0


@dataclass(frozen=True)
class Reading:
    """An answer's plan, aligned and executed.

    Attributes:
        case: the row.
        plan: the answer's plan.
        alignment: how it stands to the clean plan.
        outcome: what comes of it.
    """

    case: Case
    plan: Plan
    alignment: Alignment
    outcome: Outcome

    @cached_property
    def before(self) -> Reading:
        """What doing nothing would have come to."""
        return _read(self.case, self.case.advanced)

    @property
    def needed(self) -> list[str]:
        """The clean calls that hadn't been made rightly by round t."""
        return [id for id in self.case.clean if id not in self.case.right]


def read_plan(case: Case, answer: Answer) -> Reading | None:
    """Align and execute an answer's plan; None where there is none."""
    if answer.plan is None:
        return None
    return _read(case, answer.plan)


def _read(case: Case, plan: Plan) -> Reading:
    return Reading(case, plan, align(case, plan), run_plan(case, plan))


def plan_scores(case: Case, answer: Answer, reading: Reading | None) -> dict[str, float]:
    """Return S2 to S5 and E1 to E4."""
    if reading is None:
        return dict.fromkeys(PLAN_KEYS, 0.0)
    scores = {"s4": _statuses(reading), "s5": float(answer.is_strict)}
    if reading.needed and not reading.alignment.pending:
        return {**dict.fromkeys(PLAN_KEYS, 0.0), **scores}
    before = reading.before
    gold = align(case, case.gold)
    return {
        **scores,
        "s2": _waits(reading),
        "s3": _legality(reading),
        "e1": _minimality(reading, before, gold),
        "e2": _closure(reading, before),
        "e3": _goals(reading),
        "e4": _necessity(reading),
    }


def _statuses(reading: Reading) -> float:
    """Score S4: every sent call says so, unless it is to be called again for a reason.

    Judged are the calls of round t and whatever is wrong elsewhere.
    """
    case, plan = reading.case, reading.plan
    right = {seen.node for seen in case.right.values()}
    wrong = {id for id in case.sent if id not in plan or (not plan[id].status and id in right)} | {
        id for id, task in plan.items() if id != ROOT and task.status and id not in case.sent
    }
    return level(len(wrong), len(wrong | {seen["id"] for seen in case.observations}))


def lost_waits(reading: Reading) -> set[str]:
    """Return the pending tasks that may run before something that they need.

    Also ``response``, where a needed call may still be pending when it runs.
    """
    case, alignment = reading.case, reading.alignment
    nodes = alignment.nodes
    found = set()
    for id, task in alignment.pending.items():
        before = alignment.before[id]
        needs = {other for other in nodes_in(task.arguments) if other in alignment.pending}
        if id in alignment.meaning:
            needs |= {
                nodes[other]
                for other in case.clean_ancestors[alignment.meaning[id]]
                if other in nodes
            }
        if not needs - {id} <= before:
            found.add(id)
    if not alignment.meaning.keys() <= alignment.before[RESPONSE]:
        found.add(RESPONSE)
    return found


def needless_waits(reading: Reading) -> set[tuple[str, str]]:
    """Return pairs of clean calls: the first waits for the second, and certainly needn't."""
    case, meaning = reading.case, reading.alignment.meaning
    return {
        (call, meaning[other])
        for id, call in meaning.items()
        for other in reading.alignment.before[id]
        if other in meaning
        and (
            case.are_independent(call, meaning[other])
            or call in case.clean_ancestors[meaning[other]]
        )
    }


def _waits(reading: Reading) -> float:
    """Score S2; judged are the pending tasks that stand for clean calls, and the response."""
    nodes = reading.alignment.nodes
    wrong = lost_waits(reading) | {nodes[call] for call, _ in needless_waits(reading)}
    return level(len(wrong), len(reading.alignment.meaning) + 1)


def _legality(reading: Reading) -> float:
    """Score S3 on the pending calls."""
    pending = reading.alignment.pending
    wrong = [id for id in pending if not _is_legal(reading, id)]
    return level(len(wrong), len(pending))


def _is_legal(reading: Reading, id: str) -> bool:
    case, task = reading.case, reading.alignment.pending[id]
    tool = case.tools.get(task.name)
    if tool is None or not is_legal(tool, task.arguments):
        return False
    if any(
        other not in reading.plan and other not in case.sent for other in nodes_in(task.arguments)
    ):
        return False
    # A sent call's result is known, so what is not in it can't be meant.
    return not _dangles(case, task) and not _is_impossible(case, task)


def _dangles(case: Case, task: Task) -> bool:
    results = {seen.node: seen.result for seen in case.right.values()}
    return any(
        node in results and not stands(results[node], pointer)
        for node, pointer in targets(task.arguments)
    )


def _is_impossible(case: Case, task: Task) -> bool:
    """Tell whether a value stands there that the row's labels know to be impossible."""
    for error in case.errors:
        if error["kind"] == "Parameter_Invalid" and error["pointer"].startswith("/para/"):
            damaged = case.plan.get(error["node"]) or case.advanced.get(error["node"])
            if damaged is None or damaged.name != task.name:
                continue
            try:
                value = lookup(task.arguments, error["pointer"].removeprefix("/para"))
            except LookupError:
                continue
            if dumps(value) == dumps(loads_lenient(error["after"])):
                return True
    return False


def _minimality(reading: Reading, before: Reading, gold: Alignment) -> float:
    """Score E1: what was sound still is what it was.

    Judged are the sent calls, and the pending tasks that the gold plan leaves alone.
    """
    case, plan = reading.case, reading.plan
    right = {seen.node for seen in case.right.values()}
    altered = {
        id
        for id in case.sent
        if id in plan
        and (id in right if not plan[id].status else not _is_unchanged(plan[id], case.plan.get(id)))
    }
    sound = [
        id
        for id, task in before.alignment.pending.items()
        if id in before.alignment.meaning and _is_unchanged(case.gold.get(id), task)
    ]
    now = {origin: id for id, origin in reading.alignment.origin.items()}
    nodes = reading.alignment.nodes
    for id in sound:
        call = before.alignment.meaning[id]
        new = nodes.get(call) or now.get(id)
        # What is lost altogether is a matter of E3.
        if new is not None and _is_altered(reading.alignment, before.alignment, gold, new, id):
            altered.add(id)
    return level(len(altered), len(sound) + len(case.sent))


def _is_unchanged(new: Task | None, old: Task | None) -> bool:
    return (
        new is not None
        and old is not None
        and new.name == old.name
        and set(new.depends_on) == set(old.depends_on)
        and dumps(new.arguments) == dumps(old.arguments)
    )


def _is_altered(now: Alignment, before: Alignment, gold: Alignment, new: str, old: str) -> bool:
    """Tell whether a task makes another call than a sound one did, or waits for others.

    A wait that comes or goes with the repair of another task is no alteration.
    """
    call = before.meaning[old]
    if now.meaning.get(new, now.repeats.get(new)) != call:
        return True
    task, was = now.pending[new], before.pending[old]
    if task.name != was.name or task.arguments.keys() != was.arguments.keys():
        return True
    if old in before.exact and new not in now.exact:
        return True
    waits = _waits_of(now, new)
    some = [_waits_of(before, old), _waits_of(gold, gold.nodes.get(call, old))]
    lost = (some[0] & some[1] & now.nodes.keys()) - waits
    return bool(lost or waits - some[0] - some[1])


def _waits_of(alignment: Alignment, id: str) -> set[str]:
    """Return the clean calls for whose tasks a task waits."""
    before = alignment.before.get(id, ())
    return {alignment.meaning[other] for other in before if other in alignment.meaning}


def _closure(reading: Reading, before: Reading) -> float:
    """Score E2: everything that would stay wrong if nothing were done is repaired."""
    case = reading.case
    wrong: dict[tuple[str, str], bool] = {}
    for call in case.clean:
        if call not in before.outcome.right:
            wrong["call", call] = call not in reading.outcome.right
    still = needless_waits(reading)
    for pair in needless_waits(before):
        wrong["wait", " ".join(pair)] = pair in still
    kept = set(reading.alignment.origin.values())
    repeated = set(reading.alignment.repeats.values())
    for id in needless(before):
        # Of two equal calls either may be the one too many.
        again = before.alignment.repeats.get(id)
        wrong["task", id] = id in kept if again is None else again in repeated
    left = [what for what, is_left in wrong.items() if is_left]
    if not left:
        return 1.0
    roots = {error["node"] for error in case.errors if error["origin"] == "injected"}
    repaired = {id for (_, id), is_left in wrong.items() if not is_left}
    return 0.5 if 2 * len(left) <= len(wrong) or roots & repaired else 0.0


def needless(reading: Reading) -> set[str]:
    """Return the pending tasks that stand for no call that is still needed."""
    alignment = reading.alignment
    return {id for id in alignment.pending if id not in alignment.meaning}


def _goals(reading: Reading) -> float:
    """Score E3: every call that is still needed stands in the plan."""
    lost = [call for call in reading.needed if call not in reading.alignment.nodes]
    return level(len(lost), len(reading.needed))


def _necessity(reading: Reading) -> float:
    """Score E4: every pending call is one that is still needed."""
    return level(len(needless(reading)), len(reading.alignment.pending))
