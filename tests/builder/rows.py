"""Sources and rows of the embedded corpus, for tests."""

from __future__ import annotations

from functools import cache
from random import Random

from builder.levels import Recipe, Source, build_row, feasible_rounds, last_rounds
from plan.row import Row
from source_button.ingest import Parsed, parse_line
from source_button.synthesis import synthesize_one
from taxonomy.registry import kinds


@cache
def source(index: int) -> Source:
    parsed = parse_line(synthesize_one(index, seed=11), "embedded-11", index + 1)
    assert isinstance(parsed, Parsed)
    clean = parsed.clean.canonical()
    bare = Source(clean, "embedded", f"embedded-11:{index + 1}", f"q-{index}")
    return Source(clean, bare.source_kind, bare.source_id, bare.query_id, feasible_rounds(bare))


@cache
def rows_of(kind: str, count: int) -> tuple[Row, ...]:
    """LEVEL-1 rows of one kind, from the first plans that allow it."""
    found: list[Row] = []
    for index in range(200):
        if len(found) == count:
            break
        if last_rounds(source(index).masks or (), (kind,)):
            row = build_row(source(index), Recipe("level1", (kind,), 0, 0))
            if isinstance(row, Row):
                found.append(row)
    assert len(found) == count
    return tuple(found)


@cache
def cascades(rounds: int, count: int) -> tuple[Row, ...]:
    """LEVEL-2 rows of random kinds."""
    lots = Random(rounds)
    found: list[Row] = []
    for index in range(400):
        if len(found) == count:
            break
        wanted = tuple(lots.choice(list(kinds())) for _ in range(rounds))
        if last_rounds(source(index % 100).masks or (), wanted):
            row = build_row(source(index % 100), Recipe("level2", wanted, index // 100, 0))
            if isinstance(row, Row):
                found.append(row)
    assert len(found) == count
    return tuple(found)
