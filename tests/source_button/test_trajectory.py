"""Records: what is read, what is tolerated with a warning, what is rejected and why."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from source_button.ingest import Parsed, Reject, parse_line

FIND = ("find", {"city": "Rome"}, {"id": "H-77", "price": 120.5})
BOOK = ("book", {"hotel": "H-77"}, {"ok": True})


def _parse(record: Any) -> Parsed | Reject | None:
    text = record if isinstance(record, str) else json.dumps(record)
    return parse_line(text.encode(), "f.jsonl", 3)


def _codes(found: Parsed | Reject | None) -> list[str]:
    assert found is not None
    problems = found.warnings if isinstance(found, Parsed) else found.problems
    return [problem.code for problem in problems]


def _replaced(record: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    """Return the record with text replaced in the messages' content."""
    messages = [
        {**message, "content": message["content"].replace(old, new)}
        for message in record["messages"]
    ]
    assert messages != record["messages"]
    return {"messages": messages}


def test_a_plain_record_becomes_a_plan(record: Callable[..., Any]) -> None:
    found = _parse(record([FIND], [BOOK], query="A hotel in Rome."))
    assert isinstance(found, Parsed)
    clean = found.clean
    assert (found.file, found.line, clean.query, found.warnings) == (
        "f.jsonl",
        3,
        "A hotel in Rome.",
        (),
    )
    assert clean.calls["1"].depends_on == ("root",)
    assert clean.calls["1"].description == "Does find."
    assert clean.calls["2"].arguments == {"hotel": {"$ref": "1#/id"}}
    assert clean.calls["2"].sent == {"hotel": "H-77"}
    assert clean.calls["2"].depends_on == ("1",)
    assert found.layers() == [["1"], ["2"]]


def test_later_user_messages_are_part_of_the_query_if_calls_follow(
    record: Callable[..., Any],
) -> None:
    full = record([FIND], "Now book it.", [BOOK])
    full["messages"].append({"role": "user", "content": "Thanks!"})
    found = _parse(full)
    assert isinstance(found, Parsed)
    assert found.query == "Please help.\n\nNow book it."


@pytest.mark.parametrize(
    ("old", "new", "warning"),
    [
        ("</call>", "", "call_unclosed"),
        ("<call>[", "<call>```json\n[", None),
        ('{"city": "Rome"}}]</call>', '"{\\"city\\": \\"Rome\\"}"}]</call>', "arguments_text"),
        ('"results"', '"result"', "result_key"),
        ("<final>Done.</final>", "Done.", None),
    ],
)
def test_harmless_oddities_are_read(
    record: Callable[..., Any], old: str, new: str, warning: str | None
) -> None:
    changed = _replaced(record([FIND]), old, new)
    if "```" in new:
        changed = _replaced(changed, "]</call>", "]\n```</call>")
    found = _parse(changed)
    assert isinstance(found, Parsed), found
    assert found.clean.calls["1"].sent == {"city": "Rome"}
    assert _codes(found) == ([warning] if warning else [])


def test_single_objects_are_read_as_lists_of_one(record: Callable[..., Any]) -> None:
    found = _parse(_replaced(_replaced(record([FIND]), "<call>[", "<call>"), "]</call>", "</call>"))
    assert isinstance(found, Parsed)
    assert not found.warnings
    messages = record([FIND])["messages"]
    messages[3]["content"] = messages[3]["content"][1:-1]
    found = _parse({"messages": messages})
    assert isinstance(found, Parsed)
    assert found.clean.calls["1"].result == FIND[2]


def test_several_tool_messages_for_one_turn(record: Callable[..., Any]) -> None:
    messages = record([FIND, BOOK])["messages"]
    first, second = json.loads(messages[3]["content"])
    messages[3:4] = [
        {"role": "tool", "content": json.dumps(first)},
        {"role": "tool", "content": json.dumps([second])},
    ]
    found = _parse({"messages": messages})
    assert isinstance(found, Parsed)
    assert _codes(found) == ["several_results"]
    assert [call.result for call in found.clean.calls.values()] == [FIND[2], BOOK[2]]


def test_reordered_results_are_matched_by_name_and_arguments(record: Callable[..., Any]) -> None:
    rome = ("find", {"city": "Rome"}, "A")
    oslo = ("find", {"city": "Oslo"}, "B")
    messages = record([rome, oslo, BOOK])["messages"]
    results = json.loads(messages[3]["content"])
    messages[3]["content"] = json.dumps([results[2], results[1], results[0]])
    found = _parse({"messages": messages})
    assert isinstance(found, Parsed)
    assert _codes(found) == ["results_reordered"]
    assert [call.result for call in found.clean.calls.values()] == ["A", "B", {"ok": True}]


def test_results_that_fit_no_call_for_sure_are_rejected(record: Callable[..., Any]) -> None:
    rome = ("find", {"city": "Rome"}, "A")
    oslo = ("find", {"city": "Oslo"}, "B")
    messages = record([rome, oslo])["messages"]
    messages[3]["content"] = messages[3]["content"].replace("Rome", "Paris").replace("Oslo", "Bonn")
    assert _codes(_parse({"messages": messages})) == ["result_match"]


def test_a_closing_tag_inside_an_argument(record: Callable[..., Any]) -> None:
    found = _parse(record([("note", {"text": "write </call> here"}, "ok")]))
    assert isinstance(found, Parsed)
    assert found.clean.calls["1"].sent == {"text": "write </call> here"}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("nonsense", "json"),
        ("[1, 2]", "not_button"),
        ('{"conversations": []}', "not_button"),
        ('{"messages": {}}', "not_button"),
        ('{"messages": []}', "no_tool_block"),
        ('{"messages": [5]}', "message_type"),
        ('{"messages": [{"role": "user"}]}', "message_content"),
        ('{"messages": [{"role": "boss", "content": "x"}]}', "message_role"),
        ('{"messages": [], "messages": []}', "duplicate_key"),
        ('{"messages": [NaN]}', "json"),
        ('{"messages": "\\ud800"}', "encoding"),
        ('{"messages": [18446744073709551616]}', "integer_range"),
        ("[" * 10_000 + "]" * 10_000, "nesting"),
    ],
)
def test_lines_that_are_no_record(text: str, code: str) -> None:
    found = _parse(text)
    assert isinstance(found, Reject)
    assert found.code == code


def test_bytes_that_are_no_utf8() -> None:
    found = parse_line(b'{"messages": "\xff"}', "f", 1)
    assert isinstance(found, Reject)
    assert found.code == "encoding"


@pytest.mark.parametrize(
    ("old", "new", "code", "path"),
    [
        ("<tool>", "<tools>", "no_tool_block", "/messages/0/content"),
        ("</tool>", "", "tool_json", "/messages/0/content"),
        ('}}]</call>', '}]</call>', "call_json", "/messages/2/content"),
        ('<call>[{"name": "find"', '<call>[{"name": "seek"', "unknown_tool",
         "/messages/2/content/0/name"),
        ('[{"name": "find", "arguments": {"city": "Rome"}}]</call>', "[]</call>", "call_empty",
         "/messages/2/content"),
        ('{"city": "Rome"}}]</call>', '{"city": "Rome", "city": "Oslo"}}]</call>',
         "duplicate_key", "/messages/2/content/0/arguments/city"),
        ('{"city": "Rome"}}]</call>', '{"town": "Rome"}}]</call>', "unknown_argument",
         "/messages/2/content/0/arguments/town"),
        ('{"city": "Rome"}}]</call>', '["Rome"]}]</call>', "arguments_type",
         "/messages/2/content/0/arguments"),
        ('"required": []', '"required": ["city", "day"]', "missing_argument",
         "/messages/2/content/0/arguments"),
        ('{"description": "city"}', '{"type": "number"}', "argument_type",
         "/messages/2/content/0/arguments/city"),
        ('"results": {"id"', '"results": {"id": 1, "id"', "duplicate_key",
         "/messages/3/content/0/results/id"),
        ('"results"', '"outcome"', "result_missing", "/messages/3/content/0"),
        ("120.5", "NaN", "results_json", "/messages/3/content"),
        ("120.5", "9" * 30, "integer_range", "/messages/3/content/0/results/price"),
        ("120.5", "[" * 200 + "]" * 200, "nesting", "/messages/3/content/0"),
        ("120.5", "[" * 20_000 + "]" * 20_000, "nesting", "/messages/3/content"),
        ('"Rome"}}]</call>', '{"$ref": "1#/id"}}}]</call>', "reference_lookalike",
         "/messages/2/content/0/arguments/city"),
        ('"Rome"}}]</call>', '[{"$concat": ["a"]}]}}]</call>', "reference_lookalike",
         "/messages/2/content/0/arguments/city/0"),
    ],
)  # fmt: skip
def test_records_without_a_provably_clean_call(
    record: Callable[..., Any], old: str, new: str, code: str, path: str
) -> None:
    found = _parse(_replaced(record([FIND]), old, new))
    assert isinstance(found, Reject)
    assert (found.problems[0].code, found.problems[0].path) == (code, path)


def test_values_that_only_resemble_references_are_values(record: Callable[..., Any]) -> None:
    value = {"$ref": "no reference", "$computed": 5}
    found = _parse(record([("note", {"a": value, "b": {"$ref": 5}}, "ok")]))
    assert isinstance(found, Parsed)
    assert found.clean.calls["1"].sent == {"a": value, "b": {"$ref": 5}}


def test_turns_and_results_must_alternate(record: Callable[..., Any]) -> None:
    messages = record([FIND], [BOOK])["messages"]
    assert _codes(_parse({"messages": messages[:3]})) == ["no_results"]
    assert _codes(_parse({"messages": messages[:3] + messages[4:]})) == ["no_results"]
    assert _codes(_parse({"messages": [*messages[:2], messages[3]]})) == [
        "stray_results",
        "no_calls",
    ]
    assert _codes(_parse({"messages": messages[:2]})) == ["no_calls"]
    assert _codes(_parse({"messages": [messages[0], *messages[2:]]})) == ["no_query"]
    fewer = json.dumps(json.loads(messages[3]["content"]) * 2)
    messages[3]["content"] = fewer
    assert _codes(_parse({"messages": messages})) == ["result_count"]


def test_all_problems_of_a_record_are_collected(record: Callable[..., Any]) -> None:
    changed = _replaced(record([FIND], [BOOK]), '"required": []', '"required": ["day"]')
    changed = _replaced(changed, '"results"', '"outcome"')
    found = _parse(changed)
    assert _codes(found) == [
        "missing_argument",
        "result_missing",
        "missing_argument",
        "result_missing",
    ]
    assert isinstance(found, Reject)
    line = found.to_json()
    assert (line["file"], line["line"], line["code"]) == ("f.jsonl", 3, "missing_argument")
    assert len(line["also"]) == 3


def test_types_that_still_say_the_same_are_warned_of(record: Callable[..., Any]) -> None:
    changed = _replaced(
        record([("pay", {"amount": "12.5", "note": 7}, "ok")]),
        '{"description": "amount"}, "note": {"description": "note"}',
        '{"type": "number"}, "note": {"type": "string"}',
    )
    assert _codes(_parse(changed)) == ["argument_type", "argument_type"]


def test_big_records_are_read(record: Callable[..., Any]) -> None:
    rows = [{"id": f"R-{n:06}", "text": "x" * 60} for n in range(50_000)]
    found = _parse(record([("list", {"all": True}, rows)], [("open", {"row": "R-049999"}, "ok")]))
    assert isinstance(found, Parsed)
    assert found.clean.calls["2"].arguments == {"row": {"$ref": "1#/49999/id"}}
    calls = [[("step", {"token": f"token-{n}"}, {"token": f"token-{n + 1}"})] for n in range(200)]
    found = _parse(record(*calls))
    assert isinstance(found, Parsed)
    assert found.layers() == [[str(n)] for n in range(1, 201)]
