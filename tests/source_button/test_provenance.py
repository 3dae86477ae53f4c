"""Where arguments come from: one example for each rule, and laws."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from plan.graph import is_acyclic
from plan.json_text import lookup
from plan.reference import references, resolve
from source_button.ingest import Parsed, parse_record

Json = Any


def _parse(record: Json) -> Parsed:
    found = parse_record(record, "f", 1)
    assert isinstance(found, Parsed), found
    return found


def _edges(parsed: Parsed) -> list[tuple[str, str, str]]:
    return [(edge.before, edge.after, edge.kind) for edge in parsed.clean.edges]


def _argument(parsed: Parsed, id: str, name: str) -> Json:
    return parsed.clean.calls[id].arguments[name]


RESULT = {
    "id": "ORD-5512",
    "total": "$1,245.30",
    "grams": 404.0,
    "day": "2024-08-16",
    "when": "2024-06-14T15:00:00Z",
    "site": "North Depot",
    "url": "https://x.example.com/o/9QX-4TT",
    "text": "It builds on 'Scaling Curiosity' by Ana Prieto.",
    "raw": '{"inner": [{"code": "ZK-77"}]}',
    "lines": [{"sku": "KSM-P8", "cost": 12.5}, {"sku": "ALP-C8", "cost": 30.25}],
    "status": "pending",
    "currency": "USD",
    "count": 3,
    "ok": True,
    "title": "Snake Plant",
}


@pytest.mark.parametrize(
    ("sent", "spelled", "kind"),
    [
        ("ORD-5512", {"$ref": "1#/id"}, "data"),
        (RESULT["lines"], {"$ref": "1#/lines"}, "data"),
        (RESULT["lines"][1], {"$ref": "1#/lines/1"}, "data"),
        (["KSM-P8", "ALP-C8"], [{"$ref": "1#/lines/0/sku"}, {"$ref": "1#/lines/1/sku"}], "data"),
        ("Order ORD-5512!", {"$concat": ["Order ", {"$ref": "1#/id"}, "!"]}, "data"),
        (
            "https://y.example.com/ORD-5512?a=b",
            {"$concat": ["https://y.example.com/", {"$ref": "1#/id"}, "?a=b"]},
            "data",
        ),
        ("ZK-77", {"$ref": "1#/raw/inner/0/code"}, "data"),
        (RESULT["raw"], {"$ref": "1#/raw"}, "data"),
        ({"inner": [{"code": "ZK-77"}]}, {"$computed": [{"$ref": "1#/raw"}]}, "data"),
        ([{"code": "ZK-77"}], {"$ref": "1#/raw/inner"}, "data"),
        (json.dumps(RESULT["lines"]), {"$computed": [{"$ref": "1#/lines"}]}, "data"),
        (1245.3, {"$computed": [{"$ref": "1#/total"}]}, "data"),
        (404, {"$computed": [{"$ref": "1#/grams"}]}, "data"),
        ("snake  PLANT ", {"$computed": [{"$ref": "1#/title"}]}, "data"),
        ("Scaling Curiosity", {"$computed": [{"$ref": "1#/text"}]}, "data"),
        ("9QX-4TT", {"$computed": [{"$ref": "1#/url"}]}, "data"),
        (
            "https://y.example.com/?at=North+Depot",
            {"$computed": [{"$ref": "1#/site"}]},
            "data",
        ),
        ("by August 16, 2024", {"$computed": [{"$ref": "1#/day"}]}, "computed"),
        ("on 16.08.2024", {"$computed": [{"$ref": "1#/day"}]}, "computed"),
        ("2024-06-14", {"$computed": [{"$ref": "1#/when"}]}, "computed"),
    ],
)
def test_values_that_come_from_a_result(
    record: Callable[..., Json], sent: Json, spelled: Json, kind: str
) -> None:
    parsed = _parse(record([("look", {"q": "x"}, RESULT)], [("use", {"it": sent}, "fine")]))
    assert _edges(parsed) == [("1", "2", kind)]
    assert _argument(parsed, "2", "it") == spelled


@pytest.mark.parametrize(
    ("key", "sent"),
    [
        ("status", "pending"),
        ("currency", "USD"),
        ("number", 3),
        ("flag", True),
        ("what", "nothing of this"),
        ("text", "It is pending and ok"),
        ("nothing", None),
        ("empty", []),
    ],
)
def test_values_that_say_nothing(record: Callable[..., Json], key: str, sent: Json) -> None:
    parsed = _parse(record([("look", {"q": "x"}, RESULT)], [("use", {key: sent}, "fine")]))
    assert _edges(parsed) == []
    assert _argument(parsed, "2", key) == sent


def test_what_the_user_said_needs_no_result(record: Callable[..., Json]) -> None:
    parsed = _parse(
        record(
            [("look", {"q": "x"}, RESULT)],
            "It is order ord-5512 of August 16, 2024 over 1,245.30.",
            [("use", {"a": "ORD-5512", "b": "2024-08-16", "c": 1245.3}, "fine")],
        )
    )
    assert _edges(parsed) == []


def test_what_the_assistant_wrote_is_only_echoed(record: Callable[..., Json]) -> None:
    parsed = _parse(
        record(
            [("create", {"title": "Team Outing 7"}, {"title": "Team Outing 7", "id": "E-1"})],
            [("use", {"title": "Team Outing 7", "event_id": "E-100"}, "fine")],
        )
    )
    assert _edges(parsed) == []


def test_the_maker_of_an_id_is_the_source_not_its_echo(record: Callable[..., Json]) -> None:
    parsed = _parse(
        record(
            [("create", {"title": "x"}, {"doc": "doc_8f31"})],
            [("add", {"doc": "doc_8f31", "text": "y"}, {"doc": "doc_8f31", "ok": True})],
            [("use", {"doc": "doc_8f31"}, "fine")],
        )
    )
    assert _edges(parsed) == [("1", "2", "data"), ("1", "3", "data")]


def test_a_selecting_call_is_the_source(record: Callable[..., Json]) -> None:
    rows = [{"id": "W-204", "name": "Stone"}, {"id": "W-377", "name": "Lune"}]
    parsed = _parse(
        record(
            [("search", {"q": "x"}, {"rows": rows})],
            [("filter", {"rows": rows}, {"best": rows[1:]})],
            [("get", {"id": "W-377"}, {}), ("get", {"id": "W-377", "row": rows[1]}, {})],
        )
    )
    assert _edges(parsed) == [("1", "2", "data"), *[("2", "3", "data")], *2 * [("2", "4", "data")]]


def test_equal_values_are_told_apart_by_their_neighbours(record: Callable[..., Json]) -> None:
    stamp = "2024-03-11T08:15:42Z"
    parsed = _parse(
        record(
            [
                ("stat", {"n": "a"}, {"t": stamp}),
                ("stat", {"n": "b"}, {"t": "2024-03-11T08:20:00Z"}),
            ],
            [("stat", {"n": "c"}, {"t": stamp})],
            [("compare", {"t": stamp, "all": [stamp, "2024-03-11T08:20:00Z"]}, {})],
        )
    )
    call = parsed.clean.calls["4"]
    assert call.arguments == {
        "t": {"$ref": "3#/t"},
        "all": [{"$ref": "1#/t"}, {"$ref": "2#/t"}],
    }
    assert call.depends_on == ("1", "2", "3")


def test_calls_of_one_turn_are_independent(record: Callable[..., Json]) -> None:
    parsed = _parse(
        record([("make", {"q": "x"}, {"id": "ID-9001"}), ("use", {"id": "ID-9001"}, "fine")])
    )
    assert _edges(parsed) == []


@pytest.mark.parametrize(
    ("key", "value", "thought"),
    [
        ("total_cost", 42.75, ""),
        ("average_cost", 21.38, ""),
        ("price_difference", 17.75, ""),
        ("deposit", 6.05, "A deposit of 20% of the second."),
        ("reminder_date", "2024-08-14", "Two days before the delivery."),
    ],
)
def test_values_that_were_worked_out(
    record: Callable[..., Json], key: str, value: Json, thought: str
) -> None:
    parsed = _parse(
        record(
            [("look", {"q": "x"}, {"rows": RESULT["lines"], "day": "2024-08-16"})],
            [("use", {key: value}, "fine")],
            thought=thought,
        )
    )
    assert set(_edges(parsed)) == {("1", "2", "computed")}
    assert list(_argument(parsed, "2", key)) == ["$computed"]


def test_a_figure_worked_out_from_the_object_next_to_it(record: Callable[..., Json]) -> None:
    stock = {"items": [{"id": "INV-GLV", "available": 5, "damaged": 3}]}
    parsed = _parse(
        record(
            [("stock", {"q": "x"}, stock)],
            [("reserve", {"items": [{"item": "INV-GLV", "quantity": 2}]}, "fine")],
        )
    )
    assert _edges(parsed) == [("1", "2", "data"), ("1", "2", "computed")]
    assert _argument(parsed, "2", "items") == [
        {
            "item": {"$ref": "1#/items/0/id"},
            "quantity": {
                "$computed": [{"$ref": "1#/items/0/available"}, {"$ref": "1#/items/0/damaged"}]
            },
        }
    ]


@pytest.mark.parametrize(
    ("first", "second", "ordered"),
    [
        (("log_water_intake", {"user": "u-5521", "ml": 1500}, {"ok": True}),
         ("fetch_water_intake", {"user": "u-5521"}, {"ml": 2250}), True),
        (("log_water_intake", {"user": "u-5521", "ml": 1500}, {"ok": True}),
         ("fetch_step_count", {"user": "u-5521"}, {"steps": 9}), False),
        (("grant_user_access", {"email": "j@x.org", "role": "analyst"}, {"ok": True}),
         ("verify_user_access", {"email": "j@x.org"}, {"ok": True}), True),
        (("grant_user_access", {"email": "j@x.org", "role": "analyst"}, {"ok": True}),
         ("get_user_portfolios", {"email": "j@x.org"}, {"n": 1}), False),
        (("create_portfolio", {"email": "j@x.org"}, {"portfolio_id": "PF-118"}),
         ("show_all", {"email": "j@x.org"}, {"found": ["PF-118"]}), True),
        (("get_weather", {"city": "Rome-1"}, {"sun": True}),
         ("get_news", {"city": "Rome-1"}, {"n": 3}), False),
        (("add_text", {"slide": "sl_42", "text": "a"}, {"ok": True}),
         ("add_text", {"slide": "sl_42", "text": "b"}, {"ok": True}), False),
    ],
)  # fmt: skip
def test_order_needs_evidence(
    record: Callable[..., Json], first: Json, second: Json, ordered: bool
) -> None:
    parsed = _parse(record([first], [second], query="User u-5521, j@x.org, Rome-1, sl_42"))
    assert _edges(parsed) == ([("1", "2", "order")] if ordered else [])


def test_an_object_is_sent_after_it_was_changed(record: Callable[..., Json]) -> None:
    parsed = _parse(
        record(
            [("create_cart", {"q": "x"}, {"cart_id": "cart-9aa1"})],
            [("set_delivery_address", {"cart_id": "cart-9aa1", "address": "Elm 1"}, "ok")],
            [("place_order", {"cart_id": "cart-9aa1"}, {"order": "ORD-7"})],
        )
    )
    assert _edges(parsed) == [("1", "2", "data"), ("1", "3", "data"), ("2", "3", "order")]


def test_a_stated_condition_orders_two_calls(record: Callable[..., Json]) -> None:
    check = ("check_room_availability", {"room": "Room B-12"}, {"available": True})
    book = ("book_room", {"room": "Room B-12"}, "ok")
    for thought, edges in (
        ("The room is available, so I book it.", [("1", "2", "order")]),
        ("Now the booking.", []),
    ):
        parsed = _parse(record([check], [book], query="Room B-12.", thought=thought))
        assert _edges(parsed) == edges


SCALARS = st.sampled_from(
    ["ORD-5512", "ord-5512", "North Depot", "2024-08-16", "August 16, 2024", "pending", "USD", "",
     "See ORD-5512 at North Depot, $1,245.30", '{"a": ["ZK-77"]}', "ZK-77", "~a/b", 3, 404, 404.0,
     1245.3, "$1,245.30", 17.75, 30.25, 12.5, 42.75, True, None]
)  # fmt: skip
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["id", "a", "a/b", "~c", "total", ""]), inner, max_size=3)
    ),
    max_leaves=6,
)
CALLS = st.tuples(
    st.sampled_from(["make_it", "get_it", "filter_rows", "send_mail", "check_it"]),
    st.dictionaries(st.sampled_from(["id", "total", "text", "rows", "a/b"]), VALUES, max_size=3),
    VALUES,
)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    turns=st.lists(st.lists(CALLS, min_size=1, max_size=3) | SCALARS.map(str), max_size=5),
    first=CALLS,
    query=SCALARS.map(str),
)
def test_laws(record: Callable[..., Json], turns: Json, first: Json, query: str) -> None:
    parsed = _parse(record([first], *turns, query=query))
    clean = parsed.clean
    assert is_acyclic(clean.dependencies)
    results = {call.id: call.result for call in clean.calls.values()}
    for edge in clean.edges:
        before, after = clean.calls[edge.before], clean.calls[edge.after]
        assert before.turn < after.turn
        if edge.kind != "order":
            assert edge.argument is not None
            assert edge.source is not None
            lookup(after.sent, edge.argument)
            lookup(before.result, edge.source)
    for call in clean.calls.values():
        sent = resolve(
            call.arguments, results, lambda place, _, sent=call.sent: lookup(sent, place)
        )
        assert json.dumps(sent) == json.dumps(call.sent)
        flowing = {edge.before for edge in clean.edges if edge.after == call.id}
        assert {reference.node for reference in references(call.arguments)} <= flowing
        assert call.depends_on == (tuple(sorted(flowing, key=int)) or ("root",))
    again = parse_record(record([first], *turns, query=query), "f", 1)
    assert again == parsed
