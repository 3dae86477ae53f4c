"""Types, contents and value rules, with examples of what breaks each."""

from dataclasses import replace
from datetime import date

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from certify.rule import days, holds
from certify.value import CONTENT, TYPE, Legality, has_type, schema_fault
from plan import rules
from plan.clean import Call, CleanPlan
from plan.json_text import Json
from plan.rules import Rule
from plan.tool import Tool
from taxonomy.breakages import breakages, disorders
from tests.plan.test_rules import CASES

RULES = {
    "date": (
        ["2026-02-28", "28/02/2026", "2/28/2026", "March 5, 2026", "5 Mar 2026", "next week"],
        ["2026-02-32", "2026-13-01", "31/31/2026", "2025-02-29", "February 30, 2026"],
    ),
    "time": (["09:30", "23:59:59", "9:30 pm", "noon"], ["25:00", "10:61", "13:00 pm", "00:10 AM"]),
    "datetime": (
        ["2026-05-01T10:00:00Z", "2026-05-01 10:00", "tomorrow at ten"],
        ["2026-05-41T10:00:00Z", "2026-05-01T26:00:00+02:00"],
    ),
    "email": (
        ["a@example.com", "Ann <ann.b@mail.example.org>", "a@x.org, b@y.org", "the boss"],
        ["a@example", "a b@example.com", "a@@example.com", "@example.com", "a.@x.org", "a@x..org"],
    ),
    "url": (
        ["https://example.com/a?b=c", "http://user@host.org:80/", "www.example.com", "example"],
        [
            *("htp://example.com", "https//example.com", "http:/example.com", "https://"),
            *("www,x.com", "https://reviews,example.com/a", "https://a;b.org", "https://a.org:x"),
            *("https://a..org/", "https://a b.org", "https://@a.org", "https://a\\b.org"),
        ],
    ),
    "phone": (["+49 30 1234567", "(030) 123-4567", "911", "the desk"], ["+1", "+49 30 12a4567"]),
    "ip": (["192.168.0.1", "10.0.0.0/8", "::1", "localhost"], ["192.168.0.256", "1.2.3", "g::1"]),
    "uuid": (
        ["123e4567-e89b-12d3-a456-426614174000", "abc"],
        ["123e4567-e89b-12d3-a456-42661417400g", "123e4567-e89b-12d3-a456-42661417400"],
    ),
    "file_path": (["/tmp/a|b.pdf", "C:\\data\\a.csv"], ["C:\\a|b.pdf", "/tmp/a\0.pdf"]),
    "color": (["#fff", "#a0B1c2", "red"], ["#ggg", "#12345"]),
    "timezone": (["Europe/Berlin", "UTC+2", "CET"], ["Eurpoe/Berlin", "UTC+25"]),
    "currency": (["EUR", "usd", "euros"], ["EUX", "XYZ"]),
    "country": (["DE", "us", "Germany"], ["QQ", "XX"]),
    "language": (["en", "pt-BR", "German"], ["xx", "qq-DE"]),
}


@pytest.mark.parametrize("name", sorted(RULES))
def test_texts(name):
    rule = Rule(name, "/x")
    good, bad = RULES[name]
    assert [text for text in good if not holds(rule, {"x": text})] == []
    assert [text for text in bad if holds(rule, {"x": text})] == []
    for other in (None, 3, True, {}, []):
        assert holds(rule, {"x": other})
    assert holds(rule, {})


@pytest.mark.parametrize(
    ("rule", "good", "bad"),
    [
        (Rule("enum", "/x", ("a", "b")), ["a", 3], ["c", ""]),
        (Rule("enum", "/x", (1, 2)), [1, 2.0, "a"], [3]),
        (Rule("latitude", "/x", (-90, 90)), [0, -90], [90.5, -91]),
        (Rule("longitude", "/x", (-180, 180)), [180], [181]),
        (Rule("count", "/x", (0, None)), [0, 7], [-1, 1.5]),
        (Rule("percentage", "/x", (0, 100)), [12.5], [101, -1]),
        (Rule("price", "/x", (0, None)), [1.5], [-0.01]),
        (Rule("range", "/x", (1, 5)), [1, 5, True], [0, 6]),
        (
            Rule("id_pattern", "/x", "^(?i:HT)-[0-9]+$"),
            ["HT-1", "ht-20"],
            ["HT1", "XX-1", "HT-1\n"],
        ),
        (Rule("date", "/x", "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"), ["2026-01-01"], ["1 Jan 2026"]),
        (Rule("email", "/x", "@"), ["a@b.org"], ["nobody"]),
    ],
)
def test_bounds(rule, good, bad):
    assert [value for value in good if not holds(rule, {"x": value})] == []
    assert [value for value in bad if holds(rule, {"x": value})] == []


def ruled() -> list[tuple[Rule, list[Json]]]:
    """Every rule that `plan.rules` infers or knows, and sample values of all rules of its name."""
    samples: dict[str, list[Json]] = {name: [*good, *bad] for name, (good, bad) in RULES.items()}
    found: dict[Rule, None] = {Rule(name, "/x"): None for name in RULES}
    for name, schema, recorded, rule, right, wrong in CASES:
        tool = Tool("use", "Use it.", {"type": "object", "properties": {name: schema}})
        (one,) = rules.infer(tool, [{name: recorded}])
        found[replace(one, pointer="/x")] = None
        samples.setdefault(rule, []).extend([recorded, *right, *wrong])
    return [(rule, samples[rule.name]) for rule in found]


RULED = ruled()


def disagreement(rule: Rule, value: Json) -> bool:
    return holds(rule, {"x": value}) != rules.holds(rule, {"x": value})


@pytest.mark.parametrize("rule", [rule for rule, _ in RULED], ids=lambda rule: rule.name)
def test_the_environment_decides_alike(rule):
    """Two readings of each rule: on samples, and on everything that breaks one."""
    values = dict(RULED)[rule]
    made = [
        new
        for value in values
        if isinstance(value, (str, int, float)) and not isinstance(value, bool)
        for _, new in breakages(rule, value)
    ]
    assert [value for value in (*values, *made) if disagreement(rule, value)] == []
    assert [new for new in made if holds(rule, {"x": new})] == []


SIGNS = "abzAZ019 .-_/:;,@#?<>|\"'()[]+%\\\n\té²٣–"


@given(st.sampled_from(RULED), st.data())
def test_the_environment_decides_alike_on_slips(ruled, data):
    rule, values = ruled
    value = data.draw(st.sampled_from(values))
    if isinstance(value, str):
        for _ in range(data.draw(st.integers(1, 3))):
            at = data.draw(st.integers(0, len(value)))
            sign = data.draw(st.sampled_from(["", *SIGNS]))
            value = value[:at] + sign + value[at + data.draw(st.integers(0, 1)) :]
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        value += data.draw(st.sampled_from([-200, -1, -0.5, 0.5, 1, 200]))
    assert not disagreement(rule, value)


LAYOUTS = ("%Y-%m-%d", "%d/%m/%Y", "%m/%d/%Y", "%d %B %Y", "%b %d, %Y", "%Y/%m/%d", "%d.%m.%Y")
CLOCKS = ("", "", "T10:00:00Z", "T09:00:00Z", " 10:00", "T10:00:00+02:00", "T11:00", "x", " ")
moments = st.builds(
    lambda day, layout, clock: day.strftime(layout) + clock,
    st.dates(date(2026, 1, 1), date(2026, 3, 9)),
    st.sampled_from(LAYOUTS),
    st.sampled_from(CLOCKS),
)


@given(moments, moments)
def test_the_environment_orders_alike(start, end):
    rule = Rule("date_order", "/end", None, "/start")
    ends = [end, *(new for _, new in disorders("date_order", start, end))]
    for one in ends:
        arguments = {"start": start, "end": one}
        assert holds(rule, arguments) == rules.holds(rule, arguments)


@given(st.integers(-3, 3) | st.floats(-3, 3), st.integers(-3, 3) | st.floats(-3, 3))
def test_the_environment_bounds_alike(least, most):
    rule, arguments = Rule("bounds_order", "/max", None, "/min"), {"min": least, "max": most}
    assert holds(rule, arguments) == rules.holds(rule, arguments)


def test_places_inside_arguments():
    assert not holds(Rule("email", "/to/-"), {"to": ["a@b.org", "a@b"]})
    assert holds(Rule("email", "/to/-"), {"to": "a@b"})
    assert not holds(Rule("date", "/trip/day"), {"trip": {"day": "2026-02-30"}})


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ("2026-01-01", "2026-01-02", True),
        ("2026-01-02", "2026-01-01", False),
        ("2026-01-02", "2026-01-02", True),
        ("2026-01-02T11:00:00Z", "2026-01-02T10:00:00Z", False),
        ("5 January 2026", "4 January 2026", False),
        ("01/02/2026", "02/01/2026", True),
        ("soon", "2026-01-01", True),
        (3, 2, True),
    ],
)
def test_date_order(start, end, expected):
    rule = Rule("date_order", "/end", None, "/start")
    assert holds(rule, {"start": start, "end": end}) is expected


def test_bounds_order():
    rule = Rule("bounds_order", "/max", None, "/min")
    assert holds(rule, {"min": 1, "max": 1})
    assert not holds(rule, {"min": 2, "max": 1})
    assert holds(rule, {"max": 1})


@given(st.dates())
def test_every_day_is_one(day):
    assert days(day.isoformat()) == [day]


SCHEMAS = [
    {"type": "string", "minLength": 2, "pattern": "^a"},
    {"type": "integer", "minimum": 1, "exclusiveMaximum": 9, "multipleOf": 2},
    {"type": ["number", "null"], "exclusiveMinimum": 0},
    {"enum": ["a", "b"]},
    {"type": "array", "items": {"type": "string"}, "minItems": 1, "uniqueItems": True},
    {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
    {"type": "object", "additionalProperties": {"type": "boolean"}},
    {"anyOf": [{"type": "string"}, {"type": "integer", "minimum": 3}]},
    {"allOf": [{"type": "integer"}, {"maximum": 5}]},
    {"const": 4},
    {},
]
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 12) | st.floats(-9, 12) | st.text("ab", max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner),
    max_leaves=5,
)


@given(st.sampled_from(SCHEMAS), json_values)
def test_faults_are_those_of_jsonschema(schema, value):
    valid = jsonschema.Draft202012Validator(schema).is_valid(value)
    assert (schema_fault(schema, value, schema) is None) == valid


@pytest.mark.parametrize(
    ("schema", "value", "sort", "pointer"),
    [
        ({"type": "integer"}, "16", TYPE, ""),
        ({"type": "integer"}, True, TYPE, ""),
        ({"type": "string"}, None, TYPE, ""),
        ({"type": "string", "enum": ["a"]}, "b", CONTENT, ""),
        ({"enum": ["a"]}, 3, TYPE, ""),
        ({"type": "array", "items": {"type": "string"}}, ["a", 3], TYPE, "/1"),
        ({"properties": {"a": {"minimum": 3}}}, {"a": 2}, CONTENT, "/a"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, 3, TYPE, ""),
        ({"anyOf": [{"type": "integer", "minimum": 3}, {"type": "null"}]}, 2, CONTENT, ""),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"type": "string"}}}, 2, TYPE, ""),
        (False, 2, CONTENT, ""),
    ],
)
def test_what_is_wrong(schema, value, sort, pointer):
    found = schema_fault(schema, value, schema)
    assert found is not None
    assert (found.sort, found.pointer) == (sort, pointer)


def test_references_are_legal_anywhere():
    assert schema_fault({"type": "integer"}, {"$ref": "3#/price"}, {}) is None
    assert schema_fault({"items": {"type": "integer"}}, [{"$computed": []}], {}) is None


def test_a_schema_that_refers_to_itself_ends():
    schema = {"$ref": "#"}
    assert schema_fault(schema, 3, schema) is None


def test_types():
    assert has_type(3.0, "integer")
    assert not has_type(3.5, "integer")
    assert not has_type(False, "number")
    assert has_type([], "anything")


def test_calls():
    tool = Tool(
        "book",
        "Book.",
        {
            "type": "object",
            "properties": {"day": {"type": "string", "format": "date"}, "n": {"type": "integer"}},
            "required": ["day"],
        },
    )
    sent = {"day": "2026-05-01"}
    call = Call("1", 1, "book", sent, sent, "", ("root",), None)
    legality = Legality(CleanPlan("?", {"book": tool}, {"1": call}, ()))
    assert legality.problem("book", {"day": "2026-05-02", "n": {"$ref": "1#/n"}}) is None
    assert legality.problem("book", {"day": {"$ref": "1#"}}) is None
    for wrong in ({}, {"day": "2026-05-32"}, {"day": 3}, {**sent, "n": "2"}, {**sent, "m": 2}):
        assert legality.problem("book", wrong) is not None
    assert legality.problem("hold", sent) is not None
    assert legality.broken("book", sent, {"day": "2026-05-32"}, "/day") == ("/day",)
    assert legality.broken("book", sent, {"day": "2026-05-30"}, "/day") == ()
    assert legality.broken("book", sent, {}, "/day") == ()
