"""Measures how often tools that may be taken for each other should be listed together.

    python scripts/weigh_twins.py

Writes `source_button/synthesis/shares.json`: for each tool, the share of its calls beside
which a twin is listed. To be run after any change to the catalogue.

Wrong selections are drawn from plans in which all twins are listed. Where a's calls turn into
b's more often than b's into a's, b is listed beside a that much less often.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import orjson

from plan.state import State
from source_button.ingest import Parsed, parse_line
from source_button.synthesis.registry import compile_catalogue
from source_button.synthesis.trajectory import write_line
from taxonomy.registry import kinds

PLANS = 10_000
SEED = 4711
TARGET = Path(__file__).resolve().parents[1] / "source_button" / "synthesis" / "shares.json"


def main() -> None:
    """Count, weigh and write."""
    catalogue = compile_catalogue({})
    kind = kinds()["Tool_select_Error"]
    flow: defaultdict[tuple[str, str], float] = defaultdict(float)
    for index in range(PLANS):
        parsed = parse_line(write_line(index, SEED, catalogue), "twins", index + 1)
        if not isinstance(parsed, Parsed):
            continue
        clean = parsed.clean.canonical()
        plan, depth = clean.plan(), clean.rounds() - 1
        for number in range(1, depth + 1):
            state = State(number, clean.query, clean.tools, plan)
            found: dict[str, list[tuple[str, str]]] = {}
            for damage in kind.damages(state, clean):
                found.setdefault(damage.node, []).append((damage.before, damage.after))
            for swaps in found.values():
                for swap in swaps:
                    # As the builder draws: a round, then a task, then what becomes of it.
                    flow[swap] += 1 / (depth * len(found) * len(swaps))
            sent = [plan.tasks[id] for id in plan.frontier()]
            plan = plan.replaced({task.id: task.changed(status=True) for task in sent})
    pairs = sorted({pair for domain in catalogue.domains for pair in domain.twins})
    shares: dict[str, dict[str, float]] = {}
    for pair in pairs:
        for name, other in (pair, pair[::-1]):
            there, back = flow[name, other], flow[other, name]
            share = min(back / there, 1.0) if there else 1.0
            shares.setdefault(name, {})[other] = round(share, 3)
    option = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS
    TARGET.write_bytes(orjson.dumps(shares, option=option) + b"\n")


if __name__ == "__main__":
    main()
