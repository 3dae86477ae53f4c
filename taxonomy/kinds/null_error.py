"""A call comes back with an empty result.

What it is
----------
The tool was called rightly and returned nothing: an empty object, list or text, null, or a
text that only says that there is no data.

Why agents make it
------------------
They don't: the service had nothing to give for some passing reason. The mistake is to go on
as if there were a result.

How it is injected
------------------
The environment is asked to return an empty result for one call of the coming round; it words
and shapes it. Where the recorded result is itself empty, nothing is drawn.

How it is told apart
--------------------
A call that never answered is Timeout_Error; a message that names an input is a consequence
of a wrong call.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from plan.clean import CleanPlan
from plan.damage import Damage, Finding
from plan.execution import EMPTY, is_empty
from plan.state import State
from taxonomy.examples import evening, order, trip
from taxonomy.fault import asked_faults, observations
from taxonomy.kind import TOOL, ErrorKind, Example

NAME = "Null_Error"


def damages(
    state: State, clean: CleanPlan, *, only: Collection[str] | None = None
) -> Iterator[Damage]:
    """Yield the loss of each result of the coming round that isn't empty anyway."""
    return (
        damage for damage in asked_faults(state, clean, EMPTY, only) if not is_empty(damage.before)
    )


def detect(state: State) -> Iterator[Finding]:
    """Find observations that hold nothing."""
    for seen in observations(state):
        if is_empty(seen.results):
            yield Finding(NAME, seen.id, "/results", 0.95, "the result is empty")


KIND = ErrorKind(
    name=NAME,
    dimension=TOOL,
    doc=__doc__,
    damages=damages,
    detect=detect,
    reach="round",
    examples=(
        Example(
            "no flights come back",
            trip(),
            1,
            "2",
            "/results",
            {"offers": [{"offer_id": "OF-88213", "price": 214.5}]},
            None,
        ),
        Example("no discount comes back", order(), 2, "3", "/results", {"percent": 10}, None),
        Example("the message isn't confirmed", evening(), 3, "5", "/results", "delivered", None),
    ),
)
