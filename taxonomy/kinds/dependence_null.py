"""A pending call no longer waits for a call whose result it needs.

What it is
----------
In the unfinished part of the plan a dependency is missing: v needs u's result, yet v's list of
dependencies is empty, or lost just u while others still keep v in a later round than u's.

Why agents make it
------------------
The plan is written anew each round, and links are left out when a task is copied. An argument
that names the result looks as if it were enough.

How it is injected
------------------
Either all dependencies of v are taken away, or one of several, of which an argument of v
certainly reads the result. In the first case v runs at once; in the second it still runs
later than u, only nothing says that it must. Dependencies that others imply anyway, or
that were sent already, aren't taken: nothing would change.

How it is told apart
--------------------
Another dependency stands in the lost one's place in Dependence_Error. In Parallelism_Error v
has stated dependencies and runs in u's own round because of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from plan.clean import CleanPlan
from plan.damage import Damage, Finding
from plan.state import State
from taxonomy.examples import order, trip
from taxonomy.intact import intact_tasks
from taxonomy.kind import STRUCTURAL, ErrorKind, Example
from taxonomy.structure import DEPENDENCE_NULL, Structure, find, rewired


def damages(
    state: State, clean: CleanPlan, *, only: Collection[str] | None = None
) -> Iterator[Damage]:
    """Yield, of each task, the loss of all its dependencies and of each single one."""
    structure = Structure(state, clean)
    for task, _ in intact_tasks(state, clean, only):
        before = task.depends_on
        if structure.makes(DEPENDENCE_NULL, task, ()):
            yield rewired(task, (), "the_only_one" if len(before) == 1 else "all")
        if len(before) == 1:
            continue
        for lost in before:
            after = [other for other in before if other != lost]
            if structure.makes(DEPENDENCE_NULL, task, after):
                yield rewired(task, after, "one_of_two" if len(before) == 2 else "one_of_many")


def detect(state: State) -> Iterator[Finding]:
    """Find calls that read a result they don't wait for, with nothing in its place."""
    return find(state, DEPENDENCE_NULL)


KIND = ErrorKind(
    name=DEPENDENCE_NULL,
    dimension=STRUCTURAL,
    doc=__doc__,
    damages=damages,
    detect=detect,
    examples=(
        Example(
            "the hotel is booked without waiting for anything",
            trip(),
            2,
            "6",
            "/dep",
            ["3"],
            [],
        ),
        Example(
            "one of three lost: the itinerary doesn't wait for the flight's booking",
            trip(),
            2,
            "7",
            "/dep",
            ["5", "6", "4"],
            ["6", "4"],
        ),
        Example(
            "one of three lost: the order doesn't wait for the estimated day of delivery",
            order(),
            1,
            "5",
            "/dep",
            ["1", "3", "4"],
            ["1", "3"],
        ),
    ),
)
