"""Whole sources: every line is a plan, a reject or blank, and files appear whole."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from plan.json_text import replaced, walk
from source_button.ingest import (
    Parsed,
    Reject,
    ingest,
    parse_line,
    parse_record,
    plan_record,
    read_plan_record,
    read_plans,
)
from source_button.reader import SourceError

FIND = ("find", {"city": "Rome"}, {"id": "H-77"})
BOOK = ("book", {"hotel": "H-77"}, {"ok": True})


def _lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_bytes().split(b"\n") if line]


def test_lines_add_up(tmp_path: Path, record: Callable[..., Any]) -> None:
    good = json.dumps(record([FIND], [BOOK])).encode()
    first = tmp_path / "a.jsonl"
    first.write_bytes(b"\n".join([good, b"", b"{", b"  ", good + b"\r", b"\xef\xbb\xbf" + good]))
    second = tmp_path / "b.gz"
    second.write_bytes(gzip.compress(good + b"\n" + b"x" * 5000 + b"\n"))
    out = tmp_path / "out"
    read = 0

    def progress(size: int) -> None:
        nonlocal read
        read += size

    summary = ingest([str(first), str(second)], out, max_line=4000, progress=progress)
    assert read == first.stat().st_size + second.stat().st_size
    assert summary == json.loads((out / "summary.json").read_text())
    assert sorted(os.listdir(out)) == ["plans.jsonl", "rejects.jsonl", "summary.json"]
    assert {key: summary[key] for key in ("lines", "plans", "rejects", "blank")} == {
        "lines": 8,
        "plans": 4,
        "rejects": 2,
        "blank": 2,
    }
    assert summary["rejects_by_code"] == {"json": 1, "line_too_long": 1}
    assert summary["warnings_by_code"] == {"bom": 1, "crlf": 1}
    assert [file["lines"] for file in summary["files"]] == [6, 2]
    rejects = _lines(out / "rejects.jsonl")
    assert [(r["file"], r["line"], r["code"]) for r in rejects] == [
        (str(first), 3, "json"),
        (str(second), 2, "line_too_long"),
    ]
    plan = _lines(out / "plans.jsonl")[0]
    assert list(plan) == sorted(
        ["source", "query", "tools", "tasks", "edges", "layers", "warnings"]
    )
    assert plan["source"] == {"file": str(first), "line": 1}
    assert plan["layers"] == [["1"], ["2"]]
    assert plan["edges"] == [
        {"from": "1", "to": "2", "kind": "data", "argument": "/hotel", "source": "/id"}
    ]
    assert plan["tasks"][1] == {
        "id": "2",
        "turn": 2,
        "name": "book",
        "arguments": {"hotel": {"$ref": "1#/id"}},
        "sent": {"hotel": "H-77"},
        "depends_on": ["1"],
        "description": "Does book.",
        "result": {"ok": True},
    }


def test_plan_lines_are_read_back(record: Callable[..., Any]) -> None:
    parsed = parse_line(json.dumps(record([FIND], [BOOK])).encode() + b"\r", "f", 9)
    assert isinstance(parsed, Parsed)
    assert read_plan_record(json.loads(json.dumps(plan_record(parsed)))) == parsed


def test_nothing_appears_where_a_source_is_broken(
    tmp_path: Path, record: Callable[..., Any]
) -> None:
    good = json.dumps(record([FIND])).encode() + b"\n"
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(good * 9, mtime=0)[:-6])
    out = tmp_path / "out"
    with pytest.raises(SourceError):
        ingest([str(path)], out)
    assert os.listdir(out) == []
    with pytest.raises(SourceError, match=r"no such file.*is a folder"):
        ingest([str(tmp_path / "gone"), str(tmp_path)], out)


@pytest.mark.parametrize(("text", "holds"), [(b"", "no bytes"), (b"\n \n", "only blank lines")])
def test_a_source_without_records_is_refused(tmp_path: Path, text: bytes, holds: str) -> None:
    path = tmp_path / "empty"
    path.write_bytes(text)
    with pytest.raises(SourceError, match=f"no records, it holds {holds}"):
        ingest([str(path)], tmp_path / "out")
    assert os.listdir(tmp_path / "out") == []


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_bytes_raise(record: Callable[..., Any], data: st.DataObject) -> None:
    text = bytearray(json.dumps(record([FIND, FIND], "More.", [BOOK])).encode())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(text) - 1))
        length = data.draw(st.integers(0, 30))
        text[place : place + length] = data.draw(
            st.binary(max_size=4)
            | st.sampled_from([b'"', b"{", b"]", b"null", b"<call>", b"1e999"])
        )
    found = parse_line(bytes(text).replace(b"\n", b" "), "f", 1)
    assert found is None or isinstance(found, (Parsed, Reject))
    if isinstance(found, Reject):
        json.dumps(found.to_json())


@given(data=st.binary())
def test_no_random_bytes_raise(data: bytes) -> None:
    parse_line(data, "f", 1)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["tool", "<call>", "{}", "x"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            ["name", "arguments", "results", "parameters", "type", "properties", "required",
             "function", "items", "enum", "$ref", "anyOf", "description"]
        ),
        inner,
        max_size=4,
    ),
    max_leaves=15,
)  # fmt: skip


@settings(max_examples=300)
@given(tools=JSON, calls=JSON, results=JSON)
def test_no_shape_of_json_raises(tools: Any, calls: Any, results: Any) -> None:
    messages = [
        {"role": "system", "content": f"<tool>{json.dumps(tools)}</tool>"},
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": f"<call>{json.dumps(calls)}</call>"},
        {"role": "tool", "content": json.dumps(results)},
    ]
    line = json.dumps({"messages": messages}).encode()
    assert isinstance(parse_line(line, "f", 1), (Parsed, Reject))


PERSON = {
    "type": "object",
    "properties": {"name": {"type": ["string", "null"], "minLength": 1}, "age": {"type": "int"}},
    "required": ["name"],
    "additionalProperties": {"anyOf": [{"type": "string", "pattern": "^a"}, {"enum": [1, None]}]},
}
TOOLS: list[Any] = [
    {
        "name": "find",
        "description": "Finds a hotel. And more.",
        "parameters": {"city": {"type": "string", "description": "Where."}},
        "required": ["city"],
        "responses": {"hotels": {"type": "array", "items": {"type": "object"}}},
    },
    {
        "type": "function",
        "function": {
            "name": "book",
            "description": "Books it.",
            "parameters": {
                "type": "object",
                "properties": {
                    "hotel": {"type": "string"},
                    "guests": {"type": "array", "items": {"$ref": "#/$defs/person"}, "minItems": 1},
                },
                "required": ["hotel"],
                "$defs": {"person": PERSON},
            },
            "returns": PERSON,
        },
    },
    {"name": "pay", "description": "Pays.", "parameters": [{"name": "sum", "required": True}]},
]
CALLS: list[list[Any]] = [
    [{"name": "find", "arguments": {"city": "Rome"}}],
    [
        {"name": "book", "arguments": {"hotel": "H-77", "guests": [{"name": "Ann", "age": 1}]}},
        {"name": "pay", "arguments": {"sum": 120.5}},
    ],
]
RESULTS: list[list[Any]] = [
    [{**CALLS[0][0], "results": {"hotels": [{"id": "H-77", "price": "$120.50", "left": [1, 2]}]}}],
    [{**CALLS[1][0], "results": {"name": "Ann"}}, {**CALLS[1][1], "results": None}],
]


def _whole(tools: Any, calls: Any, results: Any) -> dict[str, Any]:
    messages = [
        {"role": "system", "content": f"<tool>{json.dumps(tools)}</tool>"},
        {"role": "user", "content": "A hotel in Rome."},
    ]
    for call, result in zip(calls, results, strict=True):
        messages.append({"role": "assistant", "content": f"So. <call>{json.dumps(call)}</call>"})
        messages.append({"role": "tool", "content": json.dumps(result)})
    return {"messages": [*messages, {"role": "assistant", "content": "<final>Done.</final>"}]}


def test_the_record_of_the_next_law_is_good() -> None:
    assert isinstance(parse_record(_whole(TOOLS, CALLS, RESULTS), "f", 1), Parsed)


@settings(max_examples=1500)
@given(data=st.data(), where=st.sampled_from(["tools", "calls", "results", "record"]), new=JSON)
def test_any_json_at_any_place_is_a_plan_or_a_reject(
    data: st.DataObject, where: str, new: Any
) -> None:
    parts: dict[str, Any] = {"tools": TOOLS, "calls": CALLS, "results": RESULTS}
    turn = data.draw(st.integers(0, 1))
    old = {**parts, "calls": CALLS[turn], "results": RESULTS[turn]}.get(where)
    if old is None:
        old = _whole(TOOLS, CALLS, RESULTS)
    places = [pointer for pointer, _ in walk(old)]
    changed = replaced(old, data.draw(st.sampled_from(places)), new)
    if where in ("calls", "results"):
        changed = replaced(parts[where], f"/{turn}", changed)
    record = changed if where == "record" else _whole(**{**parts, where: changed})
    found = parse_line(json.dumps(record).encode(), "f", 1)
    assert isinstance(found, (Parsed, Reject))
    if isinstance(found, Reject):
        assert all(problem.message for problem in found.problems)
        json.dumps(found.to_json())
    else:
        assert read_plan_record(json.loads(json.dumps(plan_record(found)))) == found


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(kinds=st.lists(st.sampled_from(["plan", "reject", "blank"]), max_size=9))
def test_plans_rejects_and_blanks_are_the_lines(
    tmp_path: Path, record: Callable[..., Any], kinds: list[str]
) -> None:
    text = {"plan": json.dumps(record([FIND])), "reject": "[]", "blank": ""}
    path = tmp_path / "lines"
    path.write_text("".join(text[kind] + "\n" for kind in kinds))
    found = list(read_plans([str(path)]))
    assert [
        "blank" if one is None else "plan" if isinstance(one, Parsed) else "reject" for one in found
    ] == kinds
