"""The release's legal texts: licences and attribution."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources

_LICENSE = """\
The rows and everything that is told of them (data/, tables/, figures/, reports/ and the files
beside them) are licensed under the Creative Commons Attribution 4.0 International licence
(CC BY 4.0), whose text is part 1 below. NOTICE says what must be said of the sources.

The code in scoring/ is licensed under the Apache License, Version 2.0, whose text is part 2 below.

"""
_RULE = "-" * 100 + "\n"


def spell_license() -> bytes:
    """Return the text of ``LICENSE``: which licence covers what, and both in full."""
    parts = [_LICENSE]
    for number, name in enumerate(("CC-BY-4.0", "Apache-2.0"), 1):
        text = (resources.files("hub_card.licenses") / f"{name}.txt").read_text(encoding="utf-8")
        parts += [_RULE, f"Part {number}: {name}\n", _RULE, "\n", text.rstrip() + "\n\n"]
    return "".join(parts).rstrip().encode() + b"\n"


def spell_notice(name: str, attribution: Sequence[str]) -> bytes:
    """Return the text of ``NOTICE``: what must be said of the sources."""
    parts = [
        name,
        *attribution,
        "Kinds, levels and the rows' spelling of plans follow the paper ParaRecover: A "
        "Process-Level Benchmark for Error Localization and Recovery in Parallel Tool-Use Agents "
        "(Guan, Yin, Shen, 2026). This dataset is independent of its authors.",
        "scoring/: copyright the ParaRecover toolkit authors, Apache License, Version 2.0.",
    ]
    return ("\n\n".join(parts) + "\n").encode()
