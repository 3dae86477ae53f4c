import pytest
from hypothesis import given
from hypothesis import strategies as st

from plan.json_text import Json
from plan.reference import (
    UnresolvedError,
    has_reference,
    is_expression,
    references,
    renamed,
    resolve,
    spell,
)

RESULTS = {"1": {"room": "R-12", "price": 45.0}, "2": {"guests": [{"name": "Ada"}]}}


def no_computing(place: str, inputs: list[Json]) -> Json:
    raise AssertionError(place)


def test_a_reference_stands_for_an_earlier_result() -> None:
    assert resolve({"$ref": "1#/room"}, RESULTS, no_computing) == "R-12"
    assert resolve({"$ref": "2#"}, RESULTS, no_computing) == RESULTS["2"]


def test_a_text_may_hold_results() -> None:
    text = {"$concat": ["Room ", {"$ref": "1#/room"}, " at ", {"$ref": "1#/price"}]}
    assert resolve(text, RESULTS, no_computing) == "Room R-12 at 45.0"


def test_a_computed_value_is_asked_for_with_its_inputs_and_place() -> None:
    asked = []

    def compute(place: str, inputs: list[Json]) -> Json:
        asked.append((place, inputs))
        return 90

    arguments = {"bill": {"total": {"$computed": [{"$ref": "1#/price"}]}}}
    assert resolve(arguments, RESULTS, compute) == {"bill": {"total": 90}}
    assert asked == [("/bill/total", [45.0])]


@pytest.mark.parametrize("spelling", ["9#/room", "1#/roof", "2#/guests/1"])
def test_what_is_not_there_is_unresolved(spelling: str) -> None:
    with pytest.raises(UnresolvedError) as caught:
        resolve({"list": [{"$ref": spelling}]}, RESULTS, no_computing)
    assert caught.value.argument == "/list/0"
    assert f"{caught.value.node}#{caught.value.pointer}" == spelling


def test_references_are_listed_with_place_and_kind() -> None:
    arguments = {
        "a": {"$ref": "1#/room"},
        "b": [{"$concat": ["x", {"$ref": "2#/guests"}]}, {"$computed": [{"$ref": "1#/price"}]}],
    }
    assert [(r.node, r.pointer, r.kind, r.argument) for r in references(arguments)] == [
        ("1", "/room", "data", "/a"),
        ("2", "/guests", "data", "/b/0"),
        ("1", "/price", "computed", "/b/1"),
    ]


@pytest.mark.parametrize(
    "literal",
    [{"$ref": "no mark"}, {"$ref": 3}, {"$ref": "1#x"}, {"$ref": "1#/a", "b": 1}, "1#/a", {}],
)
def test_nothing_else_refers(literal: Json) -> None:
    assert not is_expression(literal)
    assert not has_reference(literal)


@given(st.sampled_from(["1", "2", "3"]), st.sampled_from(["", "/a", "/a/0"]))
def test_renaming_and_back_changes_nothing(node: str, pointer: str) -> None:
    value = {"x": [spell(node, pointer), {"$concat": ["t", spell(node, pointer)]}]}
    there = {"1": "2", "2": "5", "3": "1"}
    back = {new: old for old, new in there.items()}
    assert renamed(renamed(value, there), back) == value
