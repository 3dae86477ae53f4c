"""A call that the task needs isn't in the plan.

What it is
----------
A needed call is gone from the unfinished part of the plan. Those that would have used
its result go on without: with a value that nobody fetched, or without the input.

Why agents make it
------------------
The value looks known, or guessing it is quicker than asking; a last step, such as telling
somebody, is forgotten once the work is done.

How it is injected
------------------
A pending call is removed. Each pending call that waited for it inherits its dependencies; each
argument that read its result becomes a made-up literal of the same JSON type, plausible
and never the recorded value, or the whole parameter is left out where it isn't required. If
nothing waited for it but the response, the response waits for what came before.

How it is told apart
--------------------
A clean call has no counterpart. In the structural kinds the call still stands, only a link
to it is wrong; a made-up literal after a failed call is that failure's consequence.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import islice

from plan.clean import Call, CleanPlan
from plan.damage import Damage, Finding
from plan.json_text import Json, lookup, replaced, split_pointer
from plan.reference import references
from plan.state import State
from plan.task import RESPONSE, ROOT, Task
from taxonomy.evidence import Evidence
from taxonomy.examples import evening, order, trip
from taxonomy.intact import has_clean_arguments, intact_tasks, is_intact
from taxonomy.kind import TOOL, ErrorKind, Example
from taxonomy.legal_call import LegalCalls
from taxonomy.literal import made_up, shape
from taxonomy.structure import waiting

NAME = "Toolcall_Missing"

VARIANTS = 2
"""How many different literals are offered in place of a missing result."""


def damages(
    state: State, clean: CleanPlan, *, only: Collection[str] | None = None
) -> Iterator[Damage]:
    """Yield the removal of each pending call, with each way its consumers go on."""
    tasks = state.plan.tasks
    pending = sum(not task.status for task in state.plan.calls())
    if pending < 2:
        return  # With nothing left to call, the plan would be over.
    legal = LegalCalls(clean)
    users = _users(state, clean)
    for task, call in intact_tasks(state, clean, only):
        if not has_clean_arguments(task, call):
            continue
        consumers = [tasks[id] for id in users.get(task.id, ()) if id != RESPONSE]
        if not all(_may_change(consumer, clean, only) for consumer in consumers):
            continue
        ends: dict[str, Task | None] = {task.id: None}
        if task.id in tasks[RESPONSE].depends_on:
            ends[RESPONSE] = _without_end(tasks[RESPONSE], task.id, state, clean)
        before = task.to_json()
        for way, changed in _continuations(task.id, call, consumers, legal):
            yield Damage(task.id, "", before, None, way, {**ends, **changed})


def _users(state: State, clean: CleanPlan) -> dict[str, list[str]]:
    """Return, by call, the tasks that wait for it or read its result."""
    users: dict[str, list[str]] = {}
    for id, task in state.plan.tasks.items():
        needs = dict.fromkeys(task.depends_on)
        call = clean.calls.get(id)
        # A task with its clean dependencies reads nothing that it doesn't wait for.
        if call is None or not is_intact(task, call):
            needs.update((found.node, None) for found in references(task.arguments))
        for other in needs:
            users.setdefault(other, []).append(id)
    return users


def _may_change(task: Task, clean: CleanPlan, only: Collection[str] | None) -> bool:
    call = clean.calls.get(task.id)
    return (
        call is not None
        and not task.status
        and (only is None or task.id in only)
        and is_intact(task, call)
    )


def _without_end(response: Task, gone: str, state: State, clean: CleanPlan) -> Task:
    """Return the response waiting for what the removed call leaves as the plan's ends.

    Ends by the clean plan: needless or lost waits elsewhere make and unmake none.
    """
    lost = {id for id in clean.calls if id not in state.plan.tasks or id == gone}
    kept = [other for other in response.depends_on if other != gone]
    ends = clean.ends(lost)
    return response.changed(depends_on=waiting([*kept, *ends]))


def _continuations(
    gone: str, call: Call, consumers: list[Task], legal: LegalCalls
) -> Iterator[tuple[str, dict[str, Task | None]]]:
    """Yield (way, changed consumers) of each way to go on without the removed call."""
    places = {
        consumer.id: list(
            dict.fromkeys(
                found.argument for found in references(consumer.arguments) if found.node == gone
            )
        )
        for consumer in consumers
    }
    if not any(places.values()):
        changed: dict[str, Task | None] = {
            one.id: _inheriting(one, call, one.arguments) for one in consumers
        }
        yield ("nothing_read" if consumers else "end"), changed
        return
    guesses = {
        (consumer.id, place): _Guesses(consumer, place, legal)
        for consumer in consumers
        for place in places[consumer.id]
    }
    for leave_out, variant in (*((False, number) for number in range(VARIANTS)), (True, 0)):
        changed = {}
        sorts: list[str] = []
        left_out = 0
        for consumer in consumers:
            mine = {place: guesses[consumer.id, place] for place in places[consumer.id]}
            filled = _filled(consumer, mine, legal, leave_out, variant)
            if filled is None:
                break
            arguments, sort, dropped = filled
            left_out += dropped
            sorts += sort
            changed[consumer.id] = _inheriting(consumer, call, arguments)
        else:
            if not leave_out or left_out:
                yield ("left_out" if left_out else sorts[0]), changed


def _inheriting(consumer: Task, call: Call, arguments: Mapping[str, Json]) -> Task:
    kept = [other for other in consumer.depends_on if other != call.id]
    return consumer.changed(arguments=arguments, depends_on=waiting([*kept, *call.depends_on]))


def _filled(
    consumer: Task,
    guesses: Mapping[str, _Guesses],
    legal: LegalCalls,
    leave_out: bool,
    variant: int,
) -> tuple[Mapping[str, Json], list[str], int] | None:
    """Return a consumer's arguments without the missing result; None if none are legal.

    With them come the sorts of literals put in, and how many parameters were left out.
    """
    required = legal.clean.tools[consumer.name].required
    arguments, sent = consumer.arguments, legal.clean.calls[consumer.id].sent
    sorts: list[str] = []
    dropped = 0
    for place, made in guesses.items():
        key = split_pointer(place)[0]
        if leave_out and key not in required:
            if key in arguments:
                dropped += 1
                arguments = _without(arguments, key)
                sent = _without(sent, key)
            continue
        guess = made.nth(variant)
        if guess is None:
            return None
        arguments = replaced(arguments, place, guess)
        sent = replaced(sent, place, guess)
        sorts.append(shape(guess))
    # Each guess is legal alone; together, or without what was left out, they may not be.
    if (dropped or len(sorts) > 1) and not legal.is_legal(consumer.name, sent):
        return None
    return arguments, sorts, dropped


class _Guesses:
    """The legal literals for one place of a consumer, found as they are asked for."""

    __slots__ = ("_found", "_more")

    def __init__(self, consumer: Task, place: str, legal: LegalCalls) -> None:
        sent = legal.clean.calls[consumer.id].sent
        self._found: list[Json] = []
        self._more = _legal_guesses(consumer.name, sent, place, legal)

    def nth(self, variant: int) -> Json:
        """Return the nth literal, None if there are fewer."""
        missing = variant + 1 - len(self._found)
        self._found.extend(islice(self._more, max(missing, 0)))
        return self._found[variant] if variant < len(self._found) else None


def _legal_guesses(
    name: str, sent: Mapping[str, Json], place: str, legal: LegalCalls
) -> Iterator[Json]:
    try:
        recorded = lookup(sent, place)
    except LookupError:
        return
    for guess in made_up(recorded):
        if legal.is_legal(name, replaced(sent, place, guess)):
            yield guess


def _without(arguments: Mapping[str, Json], key: str) -> dict[str, Json]:
    return {other: value for other, value in arguments.items() if other != key}


def detect(state: State) -> Iterator[Finding]:
    """Guess at calls that hold a value which nobody asked for and nothing returned.

    Weak evidence, stronger where the call waits for a result that it doesn't use.
    """
    plan = state.plan
    evidence = Evidence(state)
    for task in plan.calls():
        missing = {
            found.node for found in references(task.arguments) if found.node not in plan.tasks
        }
        if missing:
            reason = f"reads the result of {min(missing)}, which isn't in the plan"
            yield Finding(NAME, task.id, "", 0.8, reason)
            continue
        place = next(evidence.unexplained(task), None)
        if place is None:
            continue
        needs = {found.node for found in references(task.arguments)}
        idle = any(other in plan.tasks and other != ROOT for other in set(task.depends_on) - needs)
        reason = f"nothing explains the value of {place}"
        yield Finding(NAME, task.id, f"/para{place}", 0.6 if idle else 0.3, reason)


def _spelled(task_id: str, clean: CleanPlan) -> Json:
    return clean.calls[task_id].task().to_json()


KIND = ErrorKind(
    name=NAME,
    dimension=TOOL,
    doc=__doc__,
    damages=damages,
    detect=detect,
    reach="consumers",
    examples=(
        Example(
            "the hotel is booked by a made-up id, hotels were never searched",
            trip(),
            2,
            "3",
            "",
            _spelled("3", trip()),
            None,
        ),
        Example(
            "the forecast is never asked for, the note is left out",
            trip(),
            2,
            "4",
            "",
            _spelled("4", trip()),
            None,
            found=False,
        ),
        Example(
            "the day of delivery is made up",
            order(),
            2,
            "4",
            "",
            _spelled("4", order()),
            None,
            found=False,
        ),
        Example(
            "the last step is forgotten",
            evening(),
            2,
            "4",
            "",
            _spelled("4", evening()),
            None,
            found=False,
        ),
    ),
)
