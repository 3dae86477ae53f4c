"""No text of a label stands in an input."""

from __future__ import annotations

import re

from certify.case import Case, Report
from certify.kinds import DIMENSIONS
from plan.json_text import dump_bytes
from plan.row import EXPLICIT, INJECTED, LATENT, MASKED, PROPAGATED, SILENT

FORBIDDEN = tuple(
    word.casefold()
    for word in (
        *DIMENSIONS,
        *sorted(set(DIMENSIONS.values())),
        EXPLICIT,
        SILENT,
        LATENT,
        MASKED,
        INJECTED,
        PROPAGATED,
        "synthetic",
        "perturbed",
        "pararecover",
    )
)
"""Kinds, dimensions, visibilities, origins, and the generator's own words."""

# Every kind ends in one of these, every dimension in the last: one search stands for many.
_ENDINGS = ("_error", "_null", "_invalid", "_missing", "_redundancy")
_KIND = re.compile("_(?:" + "|".join(ending[1:] for ending in _ENDINGS) + ")")
_RELATED = "-related"
_WORDS = tuple(word for word in FORBIDDEN if not word.endswith((*_ENDINGS, _RELATED)))


def find_leaks(case: Case, report: Report) -> None:
    """Report words of labels in plans and observations that the source doesn't hold itself.

    Text that comes from the query, the tools or the recordings is not the row's doing.
    Descriptions are wordings of tools and results (`certify.wording`).
    """
    pieces: set[str] = set()
    for plan, keyed in zip(case.plans, case.keyed, strict=True):
        for id, arguments in keyed.items():
            if arguments != case.keys.get(id):
                pieces.add(f"{plan[id]['name']} {arguments.decode()}")
    for seen in case.log:
        call = case.clean.calls.get(seen.node)
        if call is None or seen.result is not call.result:
            pieces.add(dump_bytes([seen.name, seen.arguments, seen.result]).decode())
    # The mark of a shortened result is often all that isn't ASCII, which folds much faster.
    text = "\n".join(pieces).replace("…", "\n").casefold()
    if not _KIND.search(text) and not any(word in text for word in (_RELATED, *_WORDS)):
        return
    row = case.row
    source = f"{row.query}\n{row.tools}\n{row.clean_plan}".casefold()
    for word in FORBIDDEN:
        if word in text and word not in source:
            report("leak", "/plan", f"an input holds {word!r}")
