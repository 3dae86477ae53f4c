"""A call times out.

What it is
----------
The tool was called rightly, and no answer came in time. What comes back is a message that
says so.

Why agents make it
------------------
They don't: the network or the service was slow. The mistake is to go on as if there
were a result, or to change a call that only has to be sent again.

How it is injected
------------------
The environment is asked to let one call of the coming round time out; it words the message.

How it is told apart
--------------------
An answer without content is Null_Error; a message that names a tool or an input is a
consequence of a wrong call.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from plan.clean import CleanPlan
from plan.damage import Damage, Finding
from plan.execution import TIMEOUT
from plan.json_text import Json
from plan.reference import text_of
from plan.state import State
from taxonomy.examples import evening, order, trip
from taxonomy.fault import asked_faults, observations
from taxonomy.kind import TOOL, ErrorKind, Example

NAME = "Timeout_Error"

LONGEST_MESSAGE = 400
"""Characters; a longer text with such words in it is a result that speaks of them."""

_MESSAGE = re.compile(
    r"tim(?:ed|e|ing)[\s_-]?out|deadline[\s_-]exceeded|(?:not|n't) respond(?:ed)? (?:with)?in"
    r"|no (?:response|answer) (?:was )?(?:received )?(?:with)?in|took too long|etimedout",
    re.IGNORECASE,
)


def damages(
    state: State, clean: CleanPlan, *, only: Collection[str] | None = None
) -> Iterator[Damage]:
    """Yield the timeout of each call of the coming round."""
    return asked_faults(state, clean, TIMEOUT, only)


def detect(state: State) -> Iterator[Finding]:
    """Find observations whose message says that time ran out."""
    for seen in observations(state):
        text = text_of(seen.results)
        if len(text) <= LONGEST_MESSAGE and _MESSAGE.search(text):
            sure = 0.95 if isinstance(seen.results, str) or _is_failure(seen.results) else 0.4
            yield Finding(NAME, seen.id, "/results", sure, "the message says that time ran out")


def _is_failure(result: Json) -> bool:
    return isinstance(result, dict) and (
        "error" in result
        or "detail" in result
        or result.get("success") is False
        or str(result.get("status")).casefold() in ("error", "failed", "timeout")
    )


KIND = ErrorKind(
    name=NAME,
    dimension=TOOL,
    doc=__doc__,
    damages=damages,
    detect=detect,
    reach="round",
    examples=(
        Example(
            "the search for cinemas times out",
            evening(),
            1,
            "2",
            "/results",
            [{"film_id": "F-2207", "title": "Night Train"}],
            None,
        ),
        Example(
            "the hotel's booking times out",
            trip(),
            3,
            "6",
            "/results",
            {"booking": "HB-40127", "status": "confirmed"},
            None,
        ),
        Example("the receipt times out", order(), 4, "6", "/results", {"sent": True}, None),
    ),
)
