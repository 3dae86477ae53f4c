from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plan.json_text import Json
from plan.rules import Rule, accepts, broken, holds, infer, places
from plan.tool import Tool


def tool(**properties: Json) -> Tool:
    return Tool("use", "Use it.", {"type": "object", "properties": properties})


def text(description: str = "", **more: Json) -> Json:
    return {"type": "string", "description": description, **more}


NUMBER: Json = {"type": "number"}
INTEGER: Json = {"type": "integer"}


# parameter, schema, recorded value, rule, values that keep it, values that break it
CASES: list[tuple[str, Json, Json, str, list[Json], list[Json]]] = [
    (
        "date",
        text(format="date"),
        "2026-05-14",
        "date",
        ["2024-02-29"],
        ["2026-02-32", "2026-13-01", "2025-02-29", "14-05-2026", "2026-5-14", ""],
    ),
    (
        "start_date",
        text("Day of arrival"),
        "14/05/2026",
        "date",
        ["05/14/2026", "2026-05-14", "May 5, 2026", "tomorrow", "31.12.2026"],
        ["32/05/2026", "13/13/2026", "2026-02-30", "February 30, 2026"],
    ),
    ("when", text(), "2026-05-14", "date", ["next Friday"], ["2026-00-14"]),
    ("time", text("HH:MM"), "18:30", "time", ["00:00", "9 pm", "9:15 PM"], ["25:61", "18:75"]),
    (
        "send_at",
        text(format="date-time"),
        "2026-06-08T17:45:00Z",
        "datetime",
        ["2026-06-08T17:45:00+02:00", "2026-06-08 17:45"],
        ["2026-06-08T27:45:00Z", "2026-06-31T17:45:00Z", "2026-06-08"],
    ),
    (
        "email",
        text(),
        "john.doe@example.com",
        "email",
        ["Ann <ann@example.com>", "a@x.org, b@y.org", "jörg+x@mail.example.de"],
        ["john.doe@", "@example.com", "john doe@example.com", "john.doe", "j@example..com"],
    ),
    (
        "page_url",
        text(),
        "https://example.com/x",
        "url",
        ["http://localhost:8000", "ftp://files.example.com", "example.com/a", "myapp://open"],
        ["htp:/x", "https:/example.com", "https://", "https://a b.com", "htps://example.com"],
    ),
    (
        "phone",
        text(),
        "+1 202 555 0148",
        "phone",
        ["(030) 5550-1234", "1-800-FLOWERS", "+4930555012"],
        ["+1 202 5S5 0148", "+1 202", "++12025550148", "+1202555014812025550148"],
    ),
    ("currency", text("ISO 4217"), "EUR", "currency", ["usd", "BTC"], ["ERU", "EURO", "EU"]),
    ("to_currency", text(), "EUR", "currency", ["US dollars", "$"], ["EUX"]),
    ("country_code", text(), "AT", "country", ["Austria", "USA"], ["QT"]),
    ("target_language", text("Language code"), "es", "language", ["pt-BR", "French"], ["qx"]),
    ("latitude", NUMBER, 48.2, "latitude", [-90, 90], [123.4, -90.5]),
    ("lng", NUMBER, 16.4, "longitude", [-180], [181]),
    ("guests", INTEGER, 2, "count", [0, 40], [-1]),
    ("num_reviews", NUMBER, 2, "count", [10], [-3, 2.5]),
    (
        "tip_percent",
        {"type": "number", "minimum": 0, "maximum": 100},
        15,
        "percentage",
        [0, 100],
        [130, -1],
    ),
    ("discount_percentage", NUMBER, 15, "percentage", [100], [130]),
    ("month", INTEGER, 5, "calendar", [1, 12], [0, 13]),
    ("max_price", NUMBER, 20.5, "price", [0], [-20.5]),
    ("duration", NUMBER, 45, "measure", [0], [-45]),
    ("level", {"type": "integer", "exclusiveMinimum": 0}, 3, "range", [1], [0, -3]),
    ("share", {"type": "number", "exclusiveMaximum": 1}, 0.5, "range", [0.999], [1, 1.5]),
    ("cabin", text(enum=["economy", "business"]), "economy", "enum", [], ["Economy", "first"]),
    ("order_id", text(), "ORD-204417", "id_pattern", ["ord-1"], ["ODR-204417", "204417"]),
    ("document_id", text(), "doc_8f31c2", "id_pattern", ["doc_1"], ["8f31c2", "doc-8f31c2"]),
    (
        "ticket",
        text(pattern="^TK-[0-9]{4}$"),
        "TK-4471",
        "id_pattern",
        ["TK-0000"],
        ["TK-447", "KT-4471"],
    ),
    ("slot", text(pattern="^[a-z]+$"), "abc", "pattern", ["z"], ["Abc"]),
    (
        "ip_address",
        text(),
        "10.24.7.31",
        "ip",
        ["10.0.0.0/8", "::1", "example.com"],
        ["10.24.7.256", "10.24.7", "10.24.7.31.5"],
    ),
    ("file_path", text(), "/var/log/app.log", "file_path", ["notes.txt"], ["/var/l\0g/app.log"]),
    (
        "session",
        text(),
        "5f0c2a4e-2b7d-4a51-9b0e-3d0a2f6c1e55",
        "uuid",
        ["anything"],
        ["5f0c2a4e-2b7d-4a51-9b0e-3d0a2f6c1e5z"],
    ),
    ("color", text(), "#12ab3f", "color", ["red", "#fff"], ["#12ab3", "#12gb3f"]),
    ("timezone", text(), "Europe/Vienna", "timezone", ["UTC", "+02:00"], ["Europa/Vienna"]),
]


@pytest.mark.parametrize(
    ("name", "schema", "recorded", "rule", "right", "wrong"), CASES, ids=[c[0] for c in CASES]
)
def test_rule(
    name: str, schema: Json, recorded: Json, rule: str, right: list[Json], wrong: list[Json]
) -> None:
    rules = infer(tool(**{name: schema}), [{name: recorded}])
    assert [one.name for one in rules] == [rule]
    assert rules[0].pointer == f"/{name}"
    for value in (recorded, *right):
        assert holds(rules[0], {name: value}), value
    for value in wrong:
        assert broken(rules, {name: value}) == list(rules), value


def test_at_least_fourteen_rules() -> None:
    assert len({case[3] for case in CASES} | {"date_order", "bounds_order"}) >= 14


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("city", "Lisbon"),
        ("day", "Saturday"),
        ("query", "2026-05-14"),
        ("title", "https://example.com"),
        ("promo_code", "SAVE-20"),
        ("user_id", "u-5521"),
        ("account_id", "CHK-2210"),
        ("language", "Go"),
        ("duration", "75:30"),
        ("version", "1.2.3.4"),
        ("handle", "@mara"),
        ("size", "eight people"),
        ("offset", -3),
        ("balance", -20.5),
        ("temperature", -12.5),
        ("price_change", -3),
        ("limit", -1),
    ],
)
def test_weak_hints_give_no_rule(name: str, value: Json) -> None:
    schema = {"type": "string"} if isinstance(value, str) else NUMBER
    assert infer(tool(**{name: schema}), [{name: value}]) == ()


def test_examples_that_disagree_give_no_rule() -> None:
    use = tool(order_id=text(), guests=INTEGER, start=text())
    examples: list[dict[str, Json]] = [
        {"order_id": "ORD-1", "guests": -1, "start": "2026-05-14"},
        {"order_id": "RET-2", "guests": 2, "start": "now"},
    ]
    assert infer(use, examples) != ()
    assert {rule.name for rule in infer(use, examples)} == {"date"}
    assert {rule.name for rule in infer(use, [*examples, {"start": "2026-05-99"}])} == set()


def test_two_ids_with_one_prefix_show_it() -> None:
    (rule,) = infer(tool(vendor_id=text()), [{"vendor_id": "CV-19"}, {"vendor_id": "CV-5"}])
    assert rule.name == "id_pattern"
    assert not accepts(rule, "VC-19")


def test_orders() -> None:
    use = tool(check_in=text(format="date"), check_out=text(format="date"))
    rules = infer(use, [])
    assert Rule("date_order", "/check_out", None, "/check_in") in rules
    stay = {"check_in": "2026-05-14", "check_out": "2026-05-17"}
    assert broken(rules, stay) == []
    assert [rule.name for rule in broken(rules, {**stay, "check_out": "2026-05-13"})] == [
        "date_order"
    ]
    assert [rule.name for rule in broken(rules, {**stay, "check_in": "2026-05-32"})] == ["date"]
    assert broken(rules, {**stay, "check_in": {"$ref": "1#/day"}}) == []

    limits = infer(tool(min_price=NUMBER, max_price=NUMBER), [{"min_price": 3, "max_price": 9}])
    assert [rule.name for rule in broken(limits, {"min_price": 3, "max_price": 2})] == [
        "bounds_order"
    ]
    assert broken(limits, {"max_price": 2}) == []
    turned = infer(tool(min_price=NUMBER, max_price=NUMBER), [{"min_price": 9, "max_price": 3}])
    assert "bounds_order" not in {rule.name for rule in turned}


def test_places_inside_lists_and_objects() -> None:
    use = tool(
        recipients={"type": "array", "description": "E-mail addresses"},
        window={
            "type": "object",
            "properties": {"start": text(format="date"), "end": text(format="date")},
        },
        guests={
            "type": "array",
            "items": {"type": "object", "properties": {"email": text(format="email")}},
        },
    )
    arguments: dict[str, Json] = {
        "recipients": ["a@x.org", "b@y.org"],
        "window": {"start": "2026-05-14", "end": "2026-05-17"},
        "guests": [{"email": "c@z.org"}],
    }
    rules = infer(use, [arguments])
    assert {rule.pointer for rule in rules} == {
        "/recipients/-",
        "/window/start",
        "/window/end",
        "/guests/-/email",
    }
    (rule,) = (rule for rule in rules if rule.pointer == "/recipients/-")
    assert list(places(rule, arguments)) == [
        ("/recipients/0", "a@x.org"),
        ("/recipients/1", "b@y.org"),
    ]
    spoilt = {
        "recipients": ["a@x.org", "b@"],
        "window": {"start": "2026-05-14", "end": "2026-05-12"},
        "guests": [{"email": "c@z.org"}, {"email": "nobody"}],
    }
    assert {rule.pointer for rule in broken(rules, spoilt)} == {
        "/recipients/1",
        "/window/end",
        "/guests/1/email",
    }


def test_wrong_types_absent_places_and_references_break_nothing() -> None:
    for name, schema, recorded, *_ in CASES:
        rules = infer(tool(**{name: schema}), [{name: recorded}])
        odd: Json
        for odd in (None, True, [recorded], {"a": recorded}, {"$ref": "1#/x"}):
            assert broken(rules, {name: odd}) == []
        assert broken(rules, {name: 3 if isinstance(recorded, str) else "x"}) == []
        assert broken(rules, {}) == []


def test_names_and_schemas_that_are_odd() -> None:
    use = tool(**{"a/b~c": text(format="date"), "": {"type": 7}, "x": True, "y": {"pattern": "("}})
    rules = infer(use, [{"a/b~c": "2026-05-14", "": 1, "x": 2, "y": "("}])
    assert [rule.pointer for rule in rules] == ["/a~1b~0c"]
    assert [rule.name for rule in broken(rules, {"a/b~c": "2026-05-41"})] == ["date"]
    assert infer(Tool("bare", "", {}), [{"x": 1}]) == ()


VALUES = st.one_of(
    st.text(max_size=20),
    st.integers(-1000, 1000),
    st.floats(allow_nan=False, allow_infinity=False),
    st.dates().map(str),
    st.datetimes().map(lambda moment: moment.isoformat()),
    st.emails(),
    st.ip_addresses(v=4).map(str),
    st.uuids().map(str),
    st.sampled_from([case[2] for case in CASES]),
)


@given(
    name=st.sampled_from([case[0] for case in CASES]),
    kind=st.sampled_from(["string", "number", "integer", None]),
    values=st.lists(VALUES, min_size=1, max_size=3),
)
def test_every_example_satisfies_every_rule(
    name: str, kind: str | None, values: list[Json]
) -> None:
    schema: Json = {} if kind is None else {"type": kind}
    examples = [{name: value} for value in values]
    rules = infer(tool(**{name: schema}), examples)
    assert all(broken(rules, example) == [] for example in examples)


@given(moment=st.datetimes())
def test_real_moments_break_no_rule(moment: datetime) -> None:
    for form in ("%Y-%m-%d", "%d/%m/%Y", "%B %d, %Y", "%d %b %Y", "%Y/%m/%d"):
        written = moment.strftime(form)
        if len(written.rstrip()) >= 10:
            assert accepts(Rule("date", "/d"), written)
    assert accepts(Rule("datetime", "/d"), moment.isoformat())
