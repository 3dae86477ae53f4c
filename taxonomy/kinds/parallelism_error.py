"""Two calls that must run one after the other are planned for the same round.

What it is
----------
In the unfinished part of the plan v needs u's result, but v is given the prerequisites of u
itself, so that both run side by side and v can't have what it needs.

Why agents make it
------------------
Eager parallelisation: two calls look alike or belong to one step of the user's request, and
are started together.

How it is injected
------------------
In v's dependencies u is replaced by u's own dependencies (``root`` for a call of the first
round), such that both fall in one round. An argument of v certainly reads u's result, and u
and v are pending.

How it is told apart
--------------------
The dependencies of v are stated, not empty as in Dependence_Null, and put v in u's round;
in Dependence_Error v runs later than u. Serial_Error is the reverse: a needless wait.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from plan.clean import CleanPlan
from plan.damage import Damage, Finding
from plan.state import State
from plan.task import ROOT
from taxonomy.examples import evening, order, trip
from taxonomy.intact import intact_tasks, is_intact
from taxonomy.kind import STRUCTURAL, ErrorKind, Example
from taxonomy.structure import PARALLELISM_ERROR, Structure, find, rewired, waiting


def damages(
    state: State, clean: CleanPlan, *, only: Collection[str] | None = None
) -> Iterator[Damage]:
    """Yield, for each needed dependency, the task's move into that dependency's round."""
    structure = Structure(state, clean)
    tasks = state.plan.tasks
    for task, call in intact_tasks(state, clean, only):
        for lost in call.depends_on:
            # If u itself was moved elsewhere, sharing its prerequisites shares no round.
            if not structure.can_lose(task.id, lost) or not is_intact(
                tasks[lost], clean.calls[lost]
            ):
                continue
            inherited = clean.calls[lost].depends_on
            kept = [other for other in task.depends_on if other != lost]
            after = waiting([*kept, *inherited])
            if structure.makes(PARALLELISM_ERROR, task, after):
                yield rewired(task, after, _way(kept, after))


def _way(kept: list[str], after: list[str]) -> str:
    if after == [ROOT]:
        return "first_round"
    if not kept:
        return "same_prerequisites"
    return "shortcut" if len(after) == len(kept) else "joined_prerequisites"


def detect(state: State) -> Iterator[Finding]:
    """Find calls that read a result of their own round."""
    return find(state, PARALLELISM_ERROR)


KIND = ErrorKind(
    name=PARALLELISM_ERROR,
    dimension=STRUCTURAL,
    doc=__doc__,
    damages=damages,
    detect=detect,
    examples=(
        Example(
            "the hotel is booked in the round in which hotels are searched",
            trip(),
            2,
            "6",
            "/dep",
            ["3"],
            ["1"],
        ),
        Example(
            "the table is reserved in the first round, beside the search for restaurants",
            evening(),
            1,
            "3",
            "/dep",
            ["1"],
            ["root"],
        ),
        Example(
            "the itinerary is written while the hotel is being booked",
            trip(),
            3,
            "7",
            "/dep",
            ["5", "6", "4"],
            ["5", "4", "3"],
        ),
        Example(
            "the receipt goes out in the round of the order",
            order(),
            3,
            "6",
            "/dep",
            ["5", "1"],
            ["1", "3", "4"],
        ),
    ),
)
