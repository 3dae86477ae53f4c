"""Clean plans for the kinds' laws: the readable samples and a hundred synthetic ones."""

from __future__ import annotations

import pytest

from plan.clean import CleanPlan
from source_button.ingest import Parsed, parse_line
from source_button.synthesis import synthesize_one
from taxonomy.examples import evening, order, trip


@pytest.fixture(scope="session")
def corpus() -> list[CleanPlan]:
    plans = [trip(), order(), evening()]
    for number in range(100):
        parsed = parse_line(synthesize_one(number, seed=7), "synthetic", number + 1)
        if isinstance(parsed, Parsed):
            plans.append(parsed.clean)
    return plans
