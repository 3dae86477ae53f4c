"""A pending call waits for the wrong call in place of one whose result it needs.

What it is
----------
In the unfinished part of the plan a dependency names the wrong node: v should wait for u and
waits for an unrelated w instead. u is no longer before v, a spurious dependency stands in its
place, and v still runs in a later round than u would have.

Why agents make it
------------------
Ids are copied from a neighbouring task, or two parallel branches are mixed up while the plan
is written again. The plan still looks complete: every task waits for something.

How it is injected
------------------
One dependency u of v, of which an argument of v certainly reads the result, is replaced by a
call w that is neither before nor after v and doesn't come after u. Both u and v are pending,
and v doesn't run in the coming round.

How it is told apart
--------------------
Nothing stands in u's place in Dependence_Null. In Parallelism_Error v runs in u's own round;
that is what the paper's example (node 3 waits for node 1, not for node 2) often comes to.
In Serial_Error no dependency is lost.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from plan.clean import CleanPlan
from plan.damage import Damage, Finding
from plan.state import State
from taxonomy.examples import order, trip
from taxonomy.intact import intact_tasks
from taxonomy.kind import STRUCTURAL, ErrorKind, Example
from taxonomy.structure import DEPENDENCE_ERROR, Structure, find, rewired


def damages(
    state: State, clean: CleanPlan, *, only: Collection[str] | None = None
) -> Iterator[Damage]:
    """Yield every replacement of a needed dependency by an unrelated call."""
    structure = Structure(state, clean)
    before = structure.before
    for task, call in intact_tasks(state, clean, only):
        for lost in call.depends_on:
            if not structure.can_lose(task.id, lost):
                continue
            for wrong in structure.present:
                if wrong == task.id or wrong in before[task.id]:
                    continue
                if task.id in before[wrong] or lost in before[wrong]:
                    continue
                after = [wrong if other == lost else other for other in task.depends_on]
                if structure.makes(DEPENDENCE_ERROR, task, after):
                    yield rewired(task, after, _way(structure, lost, wrong))


def _way(structure: Structure, lost: str, wrong: str) -> str:
    if wrong not in structure.pending:
        return "sent"
    distance = structure.depth[wrong] - structure.depth[lost]
    return "sibling" if distance == 0 else "earlier" if distance < 0 else "later"


def detect(state: State) -> Iterator[Finding]:
    """Find calls that read a result they don't wait for, and wait for one they don't read."""
    return find(state, DEPENDENCE_ERROR)


KIND = ErrorKind(
    name=DEPENDENCE_ERROR,
    dimension=STRUCTURAL,
    doc=__doc__,
    damages=damages,
    detect=detect,
    examples=(
        Example(
            "the hotel is booked after the forecast, not after the search for hotels",
            trip(),
            2,
            "6",
            "/dep",
            ["3"],
            ["4"],
        ),
        Example(
            "one of two: the delivery is estimated after the discount, not after the product",
            order(),
            1,
            "4",
            "/dep",
            ["1", "2"],
            ["3", "2"],
        ),
    ),
)
