"""Provenance measured on hand-labelled trajectories, and on the embedded source."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from plan.json_text import lookup
from plan.reference import resolve
from source_button.ingest import Parsed, Reject, parse_line
from source_button.synthesis import synthesize, truth

SAMPLES = os.environ.get("PARARECOVER_SAMPLES")
needs_samples = pytest.mark.skipif(
    SAMPLES is None, reason="PARARECOVER_SAMPLES names no folder of samples"
)
KINDS = ("data", "computed", "order")


def _lines(name: str) -> list[bytes]:
    assert SAMPLES is not None
    text = (Path(SAMPLES) / "button" / name).read_bytes()
    return [line for line in text.split(b"\n") if line.strip()]


def _compare(parsed: Parsed, edges: list[dict[str, Any]], counts: Counter[tuple[str, str]]) -> None:
    for kind in KINDS:
        true = {(edge["from"], edge["to"]) for edge in edges if edge["kind"] == kind}
        found = {(edge.before, edge.after) for edge in parsed.clean.edges if edge.kind == kind}
        counts[kind, "right"] += len(true & found)
        counts[kind, "wrong"] += len(found - true)
        counts[kind, "missed"] += len(true - found)


def _precision(counts: Counter[tuple[str, str]], kind: str) -> float:
    found = counts[kind, "right"] + counts[kind, "wrong"]
    return counts[kind, "right"] / found if found else 1.0


def _recall(counts: Counter[tuple[str, str]], kind: str) -> float:
    true = counts[kind, "right"] + counts[kind, "missed"]
    return counts[kind, "right"] / true if true else 1.0


@needs_samples
def test_edges_are_those_of_the_gold_labels() -> None:
    lines = _lines("button_gold.jsonl")
    counts: Counter[tuple[str, str]] = Counter()
    for text in _lines("button_gold_edges.jsonl"):
        label = json.loads(text)
        parsed = parse_line(lines[label["line"]], "gold", label["line"] + 1)
        assert isinstance(parsed, Parsed), parsed
        _compare(parsed, label["edges"], counts)
        pairs = {(edge.before, edge.after) for edge in parsed.clean.edges}
        assert pairs.isdisjoint(tuple(pair) for pair in label["independent_pairs"])
        assert [call["id"] for call in label["calls"]] == list(parsed.clean.calls)
        assert [call["turn"] for call in label["calls"]] == [
            call.turn for call in parsed.clean.calls.values()
        ]
        assert parsed.layers() == label["layers"]
    assert _precision(counts, "data") >= 0.98
    assert _recall(counts, "data") >= 0.95
    assert _precision(counts, "computed") >= 0.9
    assert _precision(counts, "order") >= 0.9


@needs_samples
def test_arguments_resolve_to_what_was_sent() -> None:
    for number, line in enumerate(_lines("button_gold.jsonl"), 1):
        parsed = parse_line(line, "gold", number)
        assert isinstance(parsed, Parsed)
        results = {call.id: call.result for call in parsed.clean.calls.values()}
        for call in parsed.clean.calls.values():
            sent = resolve(
                call.arguments, results, lambda place, _, sent=call.sent: lookup(sent, place)
            )
            assert json.dumps(sent) == json.dumps(call.sent)


@needs_samples
def test_malformed_lines_come_out_as_expected() -> None:
    lines = _lines("button_malformed.jsonl")
    gold = [json.loads(text) for text in _lines("button_gold_edges.jsonl")]
    codes = {
        "invalid_json_line": "json",
        "no_tool_block": "no_tool_block",
        "call_json_broken": "call_json",
        "unknown_tool": "unknown_tool",
        "missing_required_argument": "missing_argument",
        "fewer_results": "result_count",
        "results_reordered": "results_reordered",
        "bom": "bom",
        "duplicate_keys": "duplicate_key",
    }
    for text in _lines("button_malformed_expected.jsonl"):
        expected = json.loads(text)
        found = parse_line(lines[expected["line"]], "malformed", expected["line"] + 1)
        code = codes[expected["kind"]]
        if expected["expected"] == "reject":
            assert isinstance(found, Reject)
            assert found.code == code
        else:
            assert isinstance(found, Parsed)
            assert code in {warning.code for warning in found.warnings}
            edges = {(e["from"], e["to"]) for e in gold[expected["base_line"]]["edges"]}
            assert {(edge.before, edge.after) for edge in found.clean.edges} == edges


def test_edges_are_the_true_ones_of_the_embedded_source() -> None:
    counts: Counter[tuple[str, str]] = Counter()
    for number, line in enumerate(synthesize(300, seed=7)):
        parsed = parse_line(line, "synthetic", number + 1)
        assert isinstance(parsed, Parsed), parsed
        assert not parsed.warnings
        _compare(parsed, truth(number, seed=7), counts)
    assert _precision(counts, "data") >= 0.98
    assert _recall(counts, "data") >= 0.98
    assert _precision(counts, "computed") >= 0.9
    assert _recall(counts, "computed") >= 0.85
    assert _precision(counts, "order") >= 0.95
    assert _recall(counts, "order") >= 0.75
