import pytest
from hypothesis import given
from hypothesis import strategies as st

from plan.json_text import dumps, equal, escape, loads, lookup, replaced, split_pointer, walk

scalars = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8)
json_values = st.recursive(
    scalars | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=12,
)


def test_one_value_has_one_text() -> None:
    assert dumps({"b": 1, "a": [True, None, "ü"]}) == '{"a":[true,null,"ü"],"b":1}'


def test_a_pointer_goes_on_into_json_text() -> None:
    assert lookup({"body": '{"rooms": [{"id": "R-1"}]}'}, "/body/rooms/0/id") == "R-1"


@pytest.mark.parametrize("pointer", ["/x", "/list/2", "/list/01", "/list/-", "/text/a", "/one/a"])
def test_a_pointer_to_nothing_is_a_lookup_error(pointer: str) -> None:
    with pytest.raises(LookupError):
        lookup({"list": [1, 2], "text": "no json", "one": 1}, pointer)


def test_a_pointer_begins_with_a_slash() -> None:
    with pytest.raises(ValueError, match="begins with"):
        split_pointer("a/b")


def test_numbers_compare_by_value_and_booleans_are_no_numbers() -> None:
    assert equal(1, 1.0)
    assert not equal(1, True)
    assert not equal({"a": [0]}, {"a": [False]})


@given(json_values)
def test_canonical_text_round_trips(value: object) -> None:
    assert dumps(loads(dumps(value))) == dumps(value)


@given(json_values)
def test_every_place_is_found_where_walk_says(value: object) -> None:
    if isinstance(value, str):
        return
    for pointer, item in walk(value):
        assert equal(lookup(value, pointer), item)


@given(json_values, scalars)
def test_a_replaced_place_holds_the_new_value_and_the_document_is_untouched(
    value: object, new: object
) -> None:
    before = dumps(value)
    for pointer, _ in walk(value):
        assert equal(lookup(replaced(value, pointer, new), pointer), new)
    assert dumps(value) == before


@given(st.text())
def test_escaped_tokens_split_back(token: str) -> None:
    assert split_pointer("/" + escape(token)) == [token]
