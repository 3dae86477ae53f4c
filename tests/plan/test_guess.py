from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plan.guess import guess
from plan.json_text import Json, equal, type_name

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.floats(-1e9, 1e9)
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("value", "kept", "gone"),
    [
        ("HTL-85326", "HTL-", "85326"),
        ("Room R-4412 at 83.15 a night", "a night", "4412"),
        ("2026-03-04T09:30:00Z", "T", "2026-03-04"),
        ("ada.lane@mail.example.org", "@mail.example.org", "ada.lane"),
    ],
)
def test_a_guess_keeps_the_form_and_none_of_the_content(value: str, kept: str, gone: str) -> None:
    for seed in range(30):
        made = guess(value, Random(seed))
        assert isinstance(made, str)
        assert kept in made
        assert gone not in made


def test_names_and_sentences_are_replaced_whole() -> None:
    for seed in range(30):
        assert "Cortez" not in guess("Tracey Cortez", Random(seed))
        assert "candidate" not in guess("The best candidate is free on Monday", Random(seed))


def test_a_single_word_is_nothing_to_guess() -> None:
    assert guess("economy", Random(0)) is None


@given(json_values, st.integers(0, 2**32))
def test_a_guess_has_the_type_of_the_value_and_is_never_right(value: Json, seed: int) -> None:
    made = guess(value, Random(seed))
    if made is not None:
        assert not equal(made, value)
        assert type_name(made) == type_name(value)


@given(json_values, st.integers(0, 2**32))
def test_the_same_lots_give_the_same_guess(value: Json, seed: int) -> None:
    first, again = guess(value, Random(seed)), guess(value, Random(seed))
    assert (first is None) == (again is None)
    assert first is None or equal(first, again)
