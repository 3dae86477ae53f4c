"""Quotas, distributions and seating: counts add up, and what can be filled is."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.distribution import TABLES, choose
from builder.quotas import GOES_ON, NOBODY, apportion, match, rows_by_rounds
from builder.refusal import Refusal
from builder.seating import demand

KINDS = tuple(TABLES)


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=20).filter(any), st.integers(0, 10_000))
def test_parts_add_up_and_are_within_one_of_their_share(weights: list[int], total: int) -> None:
    parts = apportion(weights, total)
    assert sum(parts) == total
    for weight, part in zip(weights, parts, strict=True):
        assert abs(part - Fraction(weight * total, sum(weights))) < 1
        assert weight or not part


@given(st.integers(0, 20_000), st.integers(2, 38))
def test_rows_by_rounds_add_up(total: int, rounds: int) -> None:
    lengths = rows_by_rounds(total, rounds)
    assert sum(lengths.values()) == total
    assert list(lengths) == list(range(2, rounds + 1))


def test_three_rounds_stand_as_in_the_paper() -> None:
    assert rows_by_rounds(6593, 3) == {2: 3843, 3: 2750}
    assert rows_by_rounds(100, 2) == {2: 100}
    many = rows_by_rounds(1_000_000, 5)
    assert many[2] == round(1_000_000 * (1 - GOES_ON))
    assert many[5] == round(1_000_000 * GOES_ON**3)


@given(st.data())
def test_matching_gives_only_allowed_kinds_and_fills_all_that_can_be(data: st.DataObject) -> None:
    kinds = data.draw(st.integers(1, 5))
    masks = data.draw(st.lists(st.integers(0, 2**kinds - 1), max_size=12))
    quotas = [0] * kinds
    for kind in data.draw(st.lists(st.integers(0, kinds - 1), max_size=len(masks))):
        quotas[kind] += 1
    given_ = match(masks, quotas, Random(data.draw(st.integers(0, 99))))
    assert len(given_) == len(masks)
    for mask, kind in zip(masks, given_, strict=True):
        assert kind == NOBODY or mask >> kind & 1
    for kind, quota in enumerate(quotas):
        assert given_.count(kind) <= quota
    assert len(masks) - given_.count(NOBODY) == most_filled(masks, quotas)


def most_filled(masks: list[int], quotas: list[int]) -> int:
    """Kuhn's matching, one place at a time: slow, and nothing like what is tested."""
    places = [kind for kind, quota in enumerate(quotas) for _ in range(quota)]
    taken: dict[int, int] = {}

    def settle(seat: int, seen: set[int]) -> bool:
        for place, kind in enumerate(places):
            if masks[seat] >> kind & 1 and place not in seen:
                seen.add(place)
                if place not in taken or settle(taken[place], seen):
                    taken[place] = seat
                    return True
        return False

    return sum(settle(seat, set()) for seat in range(len(masks)))


@pytest.mark.parametrize(
    ("level", "rounds", "sums"), [("level1", 1, [4033]), ("level2", 4, [6593, 6593, 2750, 2750])]
)
def test_the_papers_tables(level: str, rounds: int, sums: list[int]) -> None:
    distribution = choose("paper", level, KINDS)
    columns = [sum(distribution.column(index)) for index in range(rounds)]
    # The paper's own third column adds up to one less than it says.
    assert all(abs(found - said) <= 1 for found, said in zip(columns, sums, strict=True))


@given(st.integers(0, 3000), st.integers(2, 6))
def test_every_error_round_has_as_many_kinds_as_rows(rows: int, rounds: int) -> None:
    wanted = demand(choose("paper", "level2", KINDS), rows, rounds, dealt=False)
    assert wanted.rows == rows
    for index, quotas in enumerate(wanted.quotas):
        assert sum(quotas) == sum(n for length, n in wanted.lengths.items() if length > index)


def test_a_file_gives_shares_counts_or_rounds(tmp_path: Path) -> None:
    shares = tmp_path / "shares.json"
    shares.write_text('{"Type_Error": 0.1, "Null_Error": 0.9}')
    distribution = choose(str(shares), "level1", KINDS)
    assert apportion(distribution.column(0), 10)[KINDS.index("Null_Error")] == 9
    counts = tmp_path / "counts.json"
    counts.write_text('{"rounds": [{"Type_Error": 3}, {"Type_Error": 1, "Null_Error": 1}]}')
    distribution = choose(str(counts), "level2", KINDS)
    assert sum(distribution.column(0)) == 3
    assert distribution.column(1) == distribution.column(5)
    lines = tmp_path / "lines.csv"
    lines.write_text("kind,round1,round2\nType_Error,0.25,1\nNull_Error,0.75,\n")
    distribution = choose(str(lines), "level2", KINDS)
    assert distribution.column(0)[KINDS.index("Null_Error")] == Fraction(3, 4)
    assert type(distribution).from_json(distribution.to_json(), KINDS) == distribution


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("a.json", '{"Type_Error": 0.5}', "add up to 0.5"),
        ("a.json", '{"Typo_Error": 1.0}', "'Typo_Error' is no kind"),
        ("a.json", '{"Type_Error": 1.5, "Null_Error": -0.5}', "less than 0"),
        ("a.json", '{"Type_Error": 0.5, "Type_Error": 0.5}', "stands twice"),
        ("a.json", '{"Type_Error": NaN}', "no finite number"),
        ("a.json", '{"Type_Error": true}', "no finite number"),
        ("a.json", '{"Type_Error": 0}', "add up to 0"),
        ("a.json", '{"rounds": []}', "no list of objects"),
        ("a.json", "[]", "no JSON object"),
        ("a.json", "{", "no JSON"),
        ("a.csv", "Type_Error,1\n", "no header"),
        ("a.csv", "kind,share\nType_Error,1,2\n", "3 columns"),
        ("a.csv", "kind,share\nType_Error,much\n", "no finite number"),
        ("b.csv", "kind,share\nType_Error,0.5\nTypo,0.5\n", "'Typo' is no kind"),
    ],
)
def test_a_bad_file_is_refused_in_words(tmp_path: Path, name: str, text: str, found: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(Refusal) as refusal:
        choose(str(path), "level1", KINDS)
    assert found in str(refusal.value)
    assert str(path) in refusal.value.where
