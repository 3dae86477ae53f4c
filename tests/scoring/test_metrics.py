"""Figures from scored answers, and their confidence intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import fsum, isnan, nan
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.levels import Recipe, build_row
from plan.row import Row
from scoring.bootstrap import Packing, intervals
from scoring.case import Case
from scoring.metrics import (
    METRICS,
    ZERO,
    Result,
    efficiency,
    kinds_of,
    measure,
    measure_missing,
    summarize,
)
from scoring.predictions import Episode
from scoring.rubric import KEYS
from scoring.simulation import Outcome
from tests.builder.rows import cascades, rows_of, source

PERFECT = dict.fromkeys(KEYS, 1.0)
UNREACHED = Outcome(False, False, None, 5, frozenset(), {})

numbers = st.one_of(st.just(nan), st.floats(0, 1))


def a_case(**changes: object) -> Case:
    case = Case.from_record(rows_of("Type_Error", 1)[0].to_record())
    return replace(case, **changes)  # type: ignore[arg-type]  # fields by name


def a_control() -> Case:
    row = build_row(source(0), Recipe("level1", (), 0, 0))
    assert isinstance(row, Row)
    return Case.from_record(row.to_record())


def solved(round: int, calls: int) -> Outcome:
    return Outcome(True, True, round, calls, frozenset(), {})


def named(values: Sequence[float]) -> dict[str, float]:
    return dict(zip(METRICS, values, strict=True))


def result(value: float, *, level: str = "level1", query: str = "q", kind: str = "A") -> Result:
    return Result(level, query, {kind: "Tool-related"}, (value,) * len(METRICS))


# One answer


def test_the_papers_worked_example_takes_18_rounds_where_6_are_needed() -> None:
    case = a_case(round_gt=6, recovery_round_gt=9)
    found = named(measure(case, PERFECT, UNREACHED, Episode(True, True, 18, 30)))
    assert found["episode_e5"] == pytest.approx(0.33, abs=0.005)
    assert found["episode_e5_star"] == pytest.approx(0.5)
    assert found["pass_at_1"] == found["reached"] == 1
    assert found["e5_star"] == found["tool_use_efficiency"] == 0


def test_a_response_after_round_40_is_none() -> None:
    for round, passed in ((40, 1.0), (41, 0.0)):
        found = named(measure(a_case(), PERFECT, UNREACHED, Episode(True, True, round, 30)))
        assert found["pass_at_1"] == found["reached"] == passed
        assert (found["episode_e5"] > 0) == bool(passed)


def test_a_response_without_the_calls_is_reached_but_not_passed() -> None:
    found = named(measure(a_case(), PERFECT, UNREACHED, Episode(True, False, 2, 1)))
    assert (found["reached"], found["pass_at_1"], found["episode_e5"]) == (1, 0, 0)


def test_calls_sent_in_vain_lower_the_efficiency() -> None:
    case = a_case(funcall_times_gt=6)
    assert named(measure(case, PERFECT, solved(5, 8), None))["tool_use_efficiency"] == 0.75
    assert named(measure(case, PERFECT, solved(5, 6), None))["tool_use_efficiency"] == 1
    assert efficiency(False, 6, 6) == efficiency(True, 0, 0) == 0
    assert efficiency(True, 6, 5) == 1


def test_without_an_episode_its_figures_are_unknown_not_zero() -> None:
    found = named(measure(a_case(), PERFECT, solved(5, 6), None))
    assert isnan(found["pass_at_1"])
    assert isnan(found["episode_e5"])
    assert (found["coverage"], found["episode_coverage"]) == (1, 0)


def test_dimensions_weigh_the_same_and_items_that_do_not_apply_have_no_part() -> None:
    scores = {**PERFECT, "s1": 0.5, "d1": nan, "d2": 0.0}
    found = named(measure(a_case(), scores, UNREACHED, None))
    assert (found["si"], found["dr"], found["es"]) == (0.9, 0.75, 1)
    assert found["avg"] == pytest.approx((0.9 + 0.75 + 1) / 3)
    assert isnan(found["d1"])


def test_a_row_without_a_prediction_scores_the_worst_of_everything() -> None:
    found = named(measure_missing(a_case(), has_episodes=True))
    assert found.pop("invalid_dag_rate") == 1
    assert isnan(found.pop("false_alarm_rate"))
    assert set(found.values()) == {0}
    unknown = named(measure_missing(a_case(), has_episodes=False))
    assert isnan(unknown["pass_at_1"])
    assert unknown["e5"] == unknown["tool_use_efficiency"] == unknown["coverage"] == 0


def test_crying_wolf_costs_on_rows_without_an_error() -> None:
    control = a_control()
    calm = named(measure(control, PERFECT, UNREACHED, None))
    alarmed = named(measure(control, {**PERFECT, "d3": 0.0}, UNREACHED, None))
    assert (calm["false_alarm_rate"], alarmed["false_alarm_rate"]) == (0, 1)
    assert isnan(named(measure(a_case(), ZERO, UNREACHED, None))["false_alarm_rate"])


# Many answers


def test_figures_are_means_from_0_to_100() -> None:
    found = summarize([result(1), result(0.5), result(nan), result(0)])
    assert found.overall.answers == 4
    assert found.overall.values == dict.fromkeys(METRICS, 50.0)
    assert found.overall.intervals == {}


def test_a_row_counts_for_each_of_its_kinds_in_its_level() -> None:
    rows = [*rows_of("Type_Error", 1), *rows_of("Null_Error", 1), *cascades(3, 4)]
    cases = [Case.from_record(row.to_record()) for row in rows]
    found = summarize(
        [Result(case.level, case.query_id, kinds_of(case), (1.0,) * len(METRICS)) for case in cases]
    )
    assert {level: figures.answers for level, figures in found.levels.items()} == {
        "level1": 2,
        "level2": 4,
    }
    assert list(found.kinds["level1"]) == ["Type_Error", "Null_Error"]
    for kind, figures in found.kinds["level2"].items():
        assert figures.answers == sum(kind in row.error_kinds for row in rows[2:])
    assert set(found.kinds["level2"]) == {kind for row in rows[2:] for kind in row.error_kinds}
    assert found.dimensions["Null_Error"] == "Tool-related"


def test_json_nests_kinds_in_levels_and_spells_unknown_as_null() -> None:
    found = summarize([result(0.25), result(nan, level="level2", kind="B")]).to_json()
    assert (found["si"], found["n"]) == (25.0, 2)
    assert found["levels"]["level1"]["kinds"]["A"]["pass_at_1"] == 25.0
    assert found["levels"]["level2"]["kinds"]["B"]["pass_at_1"] is None
    assert found["levels"]["level2"].keys() == {*METRICS, "n", "kinds"}


@given(st.lists(st.tuples(numbers, st.sampled_from("abcd")), min_size=2), st.randoms())
def test_the_order_of_answers_moves_nothing(answers: list[tuple[float, str]], lots: Random) -> None:
    results = [result(value, query=query) for value, query in answers]
    first = summarize(results, resamples=10, seed=3).to_json()
    lots.shuffle(results)
    assert summarize(results, resamples=10, seed=3).to_json() == first


# Intervals


@given(
    st.integers(1, 4).flatmap(
        lambda width: st.lists(st.lists(numbers, min_size=width, max_size=width), min_size=1)
    )
)
def test_packed_sums_give_the_means_of_each_column(rows: list[list[float]]) -> None:
    packing = Packing(rows)
    means = packing.means(sum(packing.pack(row, place) for place, row in enumerate(rows)))
    for column, mean in zip(zip(*rows, strict=True), means, strict=True):
        known = [value for value in column if not isnan(value)]
        if known:
            assert mean == pytest.approx(fsum(known) / len(known), abs=1e-9)
        else:
            assert isnan(mean)


def test_intervals_are_those_of_a_bootstrap_without_packing() -> None:
    lots = Random(5)
    groups = [
        [lots.choice((0.0, 0.5, 1.0, nan)) for _ in range(lots.randint(1, 4))] for _ in range(30)
    ]
    flat = [[value] for group in groups for value in group]
    packing = Packing(flat)
    places = iter(range(len(flat)))
    packed = [sum(packing.pack([value], next(places)) for value in group) for group in groups]
    ((low, high),) = intervals(packed, packing, resamples=41, lots=Random(9))

    again = Random(9)
    means = []
    for _ in range(41):
        drawn = again.choices(groups, k=len(groups))
        values = [value for group in drawn for value in group if not isnan(value)]
        means.append(fsum(values) / len(values))
    means.sort()
    # The 2.5th and 97.5th percentile of 41 values are the second and the last but one.
    assert [low, high] == pytest.approx([means[1], means[-2]])


def test_more_queries_narrow_an_interval_and_more_rows_of_one_query_do_not() -> None:
    def width(queries: int, rows: int) -> float:
        results = [
            result(query % 2, query=str(query)) for query in range(queries) for _ in range(rows)
        ]
        low, high = summarize(results, resamples=300, seed=1).overall.intervals["si"]
        assert low <= 50 <= high
        return high - low

    assert width(400, 1) < width(100, 1) / 1.5
    assert width(100, 4) == width(100, 1)


def test_a_seed_gives_its_intervals_again_and_one_query_gives_none() -> None:
    results = [result(query % 3 / 2, query=str(query)) for query in range(20)]
    first, same, other = (summarize(results, resamples=50, seed=seed) for seed in (1, 1, 2))
    assert first == same
    assert first.overall.intervals != other.overall.intervals
    alone = summarize(results[:1], resamples=50).overall
    assert alone.to_json()["intervals"]["si"] == [None, None]
