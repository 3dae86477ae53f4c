"""A pending call is made to wait for another one that it has nothing to do with.

What it is
----------
In the unfinished part of the plan two calls that don't depend on each other, and could run in
one round, are put in a row. Nothing is lost but time: every needed dependency still stands.

Why agents make it
------------------
Habit of going step by step, in the order in which the request names things; or fear of
starting two calls at once.

How it is injected
------------------
u is added to the dependencies of v. Both are pending and certainly independent: called in
one turn of the recorded trajectory, with no path between them. v's round gets later by it.

How it is told apart
--------------------
No dependency is lost, unlike in the other three structural kinds; one is needless. Calls
of different turns with no known need are uncertain and are never made to wait.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from plan.clean import CleanPlan
from plan.damage import Damage, Finding
from plan.state import State
from taxonomy.examples import evening, order, trip
from taxonomy.intact import intact_tasks
from taxonomy.kind import STRUCTURAL, ErrorKind, Example
from taxonomy.structure import SERIAL_ERROR, Structure, find, rewired, waiting


def damages(
    state: State, clean: CleanPlan, *, only: Collection[str] | None = None
) -> Iterator[Damage]:
    """Yield every needless wait of one call for another of the same turn."""
    structure = Structure(state, clean)
    depth = structure.depth
    for task, call in intact_tasks(state, clean, only):
        for other in structure.present:
            if (
                clean.calls[other].turn != call.turn
                or other not in structure.pending
                or depth[other] < depth[task.id]
            ):
                continue
            after = waiting([*task.depends_on, other])
            if structure.makes(SERIAL_ERROR, task, after):
                first = "first" if depth[task.id] == 1 else "next"
                beside = "beside" if depth[other] == depth[task.id] else "later"
                yield rewired(task, after, f"{first}_{beside}")


def detect(state: State) -> Iterator[Finding]:
    """Find calls that wait for a result of which they use nothing."""
    return find(state, SERIAL_ERROR)


KIND = ErrorKind(
    name=SERIAL_ERROR,
    dimension=STRUCTURAL,
    doc=__doc__,
    damages=damages,
    detect=detect,
    examples=(
        Example(
            "the search for hotels waits for the forecast",
            trip(),
            2,
            "3",
            "/dep",
            ["1"],
            ["1", "4"],
        ),
        Example(
            "cinemas are looked for only once restaurants have been found",
            evening(),
            1,
            "2",
            "/dep",
            ["root"],
            ["1"],
        ),
        Example(
            "the delivery is estimated after the discount is known",
            order(),
            2,
            "4",
            "/dep",
            ["1", "2"],
            ["1", "2", "3"],
        ),
    ),
)
