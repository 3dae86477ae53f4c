"""Laws of the embedded source: what every trajectory and the catalogue must satisfy."""

from __future__ import annotations

import functools
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import jsonschema_rs
import orjson
import pytest

from source_button.synthesis import read_catalogue, synthesize, synthesize_one, truth, wishes
from source_button.synthesis.model import Every, Made, Ref, Sequence, Text
from source_button.synthesis.wording import compile_template

SEED = 11
SAMPLE = 300


@dataclass(frozen=True, slots=True)
class Read:
    """One trajectory, read back by code that shares nothing with the generator."""

    messages: list[dict[str, str]]
    tools: dict[str, dict[str, Any]]
    turns: list[list[dict[str, Any]]]
    results: list[dict[str, Any]]

    @property
    def calls(self) -> list[dict[str, Any]]:
        return [call for turn in self.turns for call in turn]


def read(line: bytes) -> Read:
    messages = orjson.loads(line)["messages"]
    listed = re.search(r"<tool>(.*)</tool>", messages[0]["content"], re.DOTALL)
    assert listed is not None
    tools = {tool["name"]: tool for tool in orjson.loads(listed.group(1))}
    turns = []
    results: list[dict[str, Any]] = []
    for message in messages:
        content = message["content"]
        if message["role"] == "assistant" and "<call>" in content:
            found = re.search(r"<call>(.*)</call>", content, re.DOTALL)
            assert found is not None
            turns.append(orjson.loads(found.group(1)))
        if message["role"] == "tool":
            results += orjson.loads(content)
    return Read(messages, tools, turns, results)


@functools.cache
def sample() -> tuple[Read, ...]:
    return tuple(read(line) for line in synthesize(SAMPLE, seed=SEED))


@functools.cache
def sample_truth() -> tuple[list[dict[str, Any]], ...]:
    return tuple(truth(index, seed=SEED) for index in range(SAMPLE))


def point(value: Any, pointer: str) -> Any:
    for part in pointer.split("/")[1:]:
        value = value[int(part)] if isinstance(value, list) else value[part]
    return value


def layers_of(calls: int, edges: list[dict[str, Any]]) -> list[int]:
    layers = [0] * (calls + 1)
    for target in range(1, calls + 1):
        sources = [int(e["from"]) for e in edges if int(e["to"]) == target]
        layers[target] = 1 + max((layers[s] for s in sources), default=0)
    return layers[1:]


def test_a_line_depends_on_seed_and_number_only() -> None:
    forwards = list(synthesize(40, seed=SEED))
    backwards = [synthesize_one(index, seed=SEED) for index in reversed(range(40))]
    assert forwards == backwards[::-1]
    assert forwards != list(synthesize(40, seed=SEED + 1))
    assert len(set(forwards)) == 40


def test_another_process_gives_the_same_bytes() -> None:
    code = (
        "import hashlib; from source_button.synthesis import synthesize_one as s;"
        f"print(hashlib.sha256(b''.join(s(i, seed={SEED}) for i in (7, 3, 39))).hexdigest())"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": hash_seed, "PYTHONPATH": ":".join(p for p in sys.path if p)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    }
    assert len(outputs) == 1


def test_messages_have_the_shape_of_button() -> None:
    for story in sample():
        roles = [message["role"] for message in story.messages]
        assert roles[:2] == ["system", "user"]
        assert roles[-1] == "assistant"
        assert all(a != b for a, b in pairwise(roles))
        assert "<final>" in story.messages[-1]["content"]
        assert [(c["name"], c["arguments"]) for c in story.calls] == [
            (r["name"], r["arguments"]) for r in story.results
        ]
        for message, following in pairwise(story.messages):
            content = message["content"]
            assert content.strip()
            if "<call>" in content and message["role"] == "assistant":
                assert content.split("<call>")[0].strip(), "a thought stands before the calls"
                assert following["role"] == "tool"
        system = story.messages[0]["content"]
        single = "You should call one function at a time, " in system
        assert single != ("If possible, you can call multiple functions in parallel, " in system)
        if single:
            assert all(len(turn) == 1 for turn in story.turns)


def test_structure_stays_within_its_bounds() -> None:
    depths = Counter[int]()
    for story, edges in zip(sample(), sample_truth(), strict=True):
        calls = story.calls
        assert 3 <= len(calls) <= 12
        assert all(1 <= len(turn) <= 4 for turn in story.turns)
        layers = layers_of(len(calls), edges)
        assert max(Counter(layers).values()) <= 4
        assert 2 <= max(layers) <= 7
        depths[max(layers)] += 1
    assert sum(n for depth, n in depths.items() if depth >= 3) >= 0.75 * SAMPLE
    assert 3.3 <= sum(depth * n for depth, n in depths.items()) / SAMPLE <= 4.2
    assert set(depths) >= {2, 3, 4, 5, 6}


def test_true_edges_point_at_what_flows() -> None:
    for story, edges in zip(sample(), sample_truth(), strict=True):
        turn_of = [n for n, turn in enumerate(story.turns) for _ in turn]
        for edge in edges:
            source, target = int(edge["from"]) - 1, int(edge["to"]) - 1
            assert turn_of[source] < turn_of[target]
            if edge["kind"] == "order":
                assert (edge["argument"], edge["source"]) == (None, None)
                continue
            value = point(story.calls[target]["arguments"], edge["argument"])
            origin = point(story.results[source]["results"], edge["source"])
            if edge["kind"] == "computed":
                continue
            if value == origin or (isinstance(value, list) and isinstance(origin, list)):
                continue
            if isinstance(value, str):
                written = str(int(origin)) if origin == int_or_none(origin) else str(origin)
                assert written in value
            else:
                assert f"{value:,.2f}" in origin


def int_or_none(value: Any) -> int | None:
    return int(value) if isinstance(value, float) and value.is_integer() else None


def test_flowing_values_are_told_by_no_one_else() -> None:
    """An exact value is in no other earlier result, so its source can be found again.

    A call that selects from a list repeats what it got and is the source by the labelling
    rules; calls that echo an argument are none.
    """
    clashes = total = 0
    for story, edges in zip(sample(), sample_truth(), strict=True):
        for edge in edges:
            if edge["kind"] != "data":
                continue
            value = point(story.calls[int(edge["to"]) - 1]["arguments"], edge["argument"])
            if isinstance(value, (list, dict)) or "/content" in edge["argument"]:
                continue
            total += 1
            needle = orjson.dumps(value)
            if needle in orjson.dumps(story.results[int(edge["from"]) - 1]["arguments"]):
                continue
            for number, result in enumerate(story.results[: int(edge["to"]) - 1], 1):
                echoed = needle in orjson.dumps(result["arguments"])
                if str(number) != edge["from"] and not echoed:
                    clashes += needle in orjson.dumps(result["results"])
    assert total > 500
    assert clashes == 0


def test_no_two_calls_are_equal() -> None:
    for story in sample():
        keys = [orjson.dumps([c["name"], c["arguments"]]) for c in story.calls]
        assert len(keys) == len(set(keys))


@functools.cache
def validator(name: str, part: str) -> Any:
    tool = read_catalogue().tools[name].describe()
    schema = {"type": "object", "properties": tool[part], "additionalProperties": False}
    schema["required"] = tool["required"] if part == "parameters" else list(tool[part])
    return jsonschema_rs.Draft202012Validator(schema, validate_formats=True)


def test_arguments_and_results_obey_the_schemas() -> None:
    for story in sample():
        assert 5 <= len(story.tools) <= 12
        for call in story.results:
            assert call["name"] in story.tools
            validator(call["name"], "parameters").validate(call["arguments"])
            validator(call["name"], "responses").validate(call["results"])


def test_results_are_never_empty() -> None:
    for story in sample():
        for call in story.results:
            assert call["results"]
            for value in call["results"].values():
                assert value not in (None, "", [], {})


def test_literals_come_from_the_user_or_an_earlier_result() -> None:
    """Ids, addresses and the like are never the assistant's invention."""
    for story in sample():
        known = ""
        for message in story.messages[1:]:
            if message["role"] == "assistant" and "<call>" in message["content"]:
                found = re.search(r"<call>(.*)</call>", message["content"], re.DOTALL)
                assert found is not None
                for call in orjson.loads(found.group(1)):
                    for value in call["arguments"].values():
                        if isinstance(value, str) and re.fullmatch(r"\S+@\S+|[A-Z]+-\d+", value):
                            assert value in known
            known += message["content"]


# However a sentence may say that it comes after what was said before it.
SEQUENCE = re.compile(
    r"\W*(?:and |but |please )*(?:then|next|now|after|afterwards|once|when|with (?:that|this|it)"
    r"|finally|lastly|last|at the end|in the end|at last|to (?:wrap|finish|end)|and to wrap"
    r"|second|third|later|subsequently|following|as soon|if|before|first|using)\b",
    re.IGNORECASE,
)


def test_words_of_order_stand_only_where_there_is_an_order() -> None:
    ordered = sentences_seen = 0
    for index in range(500):
        query = orjson.loads(synthesize_one(index, seed=SEED))["messages"][1]["content"]
        before: dict[str, set[str]] = {}
        for edge in truth(index, seed=SEED):
            behind = before.setdefault(edge["to"], set())
            behind |= {edge["from"], *before.get(edge["from"], ())}
        turns = read(synthesize_one(index, seed=SEED)).turns
        turn_of = [n for n, turn in enumerate(turns) for _ in turn]
        earlier: list[list[str]] = []
        for text, group in wishes(index, seed=SEED):
            assert text.casefold() in query.casefold()
            sentences_seen += 1
            if SEQUENCE.match(text):
                ordered += 1
                for calls in group:
                    for call in calls:
                        assert any(before.get(call, set()) & set(wish) for wish in earlier), text
                        # Nothing asked for before it may run beside it.
                        for other in [other for wish in earlier for other in wish]:
                            assert turn_of[int(other) - 1] < turn_of[int(call) - 1], text
            earlier += group
    assert sentences_seen > 1000
    assert ordered > 200


def test_clauses_say_no_order_of_their_own() -> None:
    """A clause's "before" and "after" are about days, never about other wishes."""
    for territory in read_catalogue().territories:
        for move in territory.moves:
            for text in (*move.step.ask, *move.step.do):
                assert not SEQUENCE.match(text), text
                assert " then" not in text, text


def test_some_talks_have_several_user_messages() -> None:
    several = sum(
        sum(message["role"] == "user" for message in story.messages) > 1 for story in sample()
    )
    single = sum("one function at a time" in s.messages[0]["content"] for s in sample())
    assert 0.05 * SAMPLE <= several <= 0.2 * SAMPLE
    assert 0.08 * SAMPLE <= single <= 0.23 * SAMPLE


def test_called_tools_vary() -> None:
    sets = Counter(frozenset(call["name"] for call in story.calls) for story in sample())
    assert len(sets) >= 0.8 * SAMPLE
    assert max(sets.values()) <= max(3, 0.02 * SAMPLE)


def test_the_catalogue_is_wide() -> None:
    catalogue = read_catalogue()
    assert len(catalogue.domains) >= 14
    assert len(catalogue.tools) >= 100
    for domain in catalogue.domains:
        assert len(domain.twins) >= 3, domain.name
        for first, second in domain.twins:
            shared = set(catalogue.tools[first].parameters) & set(
                catalogue.tools[second].parameters
            )
            assert first != second
            assert shared or (first, second) in EXEMPT
    kinds = Counter[str]()
    for tool in catalogue.tools.values():
        for schema in tool.describe()["parameters"].values():
            kinds.update([schema["type"], *(k for k in schema if k not in ("type", "items"))])
            if "format" in schema:
                kinds[schema["format"]] += 1
    for kind in ("date", "date-time", "email", "uri", "ipv4", "enum", "pattern", "minimum",
                 "maximum", "boolean", "array", "object", "integer", "number"):  # fmt: skip
        assert kinds[kind] > 0, kind


# Confused by their purpose rather than by their parameters.
EXEMPT = (("create_calendar_entry", "set_reminder"), ("get_order", "get_order_history"))


def test_every_tool_is_described() -> None:
    for tool in read_catalogue().tools.values():
        listed = tool.describe()
        assert listed["description"].endswith(".")
        assert listed["responses"]
        assert listed["parameters"]
        for schema in (*listed["parameters"].values(), *listed["responses"].values()):
            assert schema["type"]
            assert schema["description"]


def references(expression: Any) -> list[tuple[str, tuple[str, ...]]]:
    if isinstance(expression, (Ref, Every)):
        return [(expression.pool, expression.path)]
    if isinstance(expression, Text):
        names = [n for form in expression.forms for n in form.names if "." in n]
        return [(n.split(".")[0], tuple(n.split(".")[1:])) for n in names]
    if isinstance(expression, Made):
        return [r for _, part in expression.parts for r in references(part)]
    if isinstance(expression, Sequence):
        return [r for part in expression.parts for r in references(part)]
    inner = getattr(expression, "of", None)
    over = getattr(expression, "over", ())
    return [r for part in (inner, *over) if part is not None for r in references(part)]


def test_steps_refer_to_new_values_only() -> None:
    """What a result merely echoes has its source elsewhere; a reference to it would lie."""
    for territory in read_catalogue().territories:
        echoes: dict[str, set[str]] = {}
        for move in territory.moves:
            for pool, path, _, _ in move.gift_paths:
                if not path:
                    found = {n for n, part in move.tool.returns.items() if part.echo}
                    echoes.setdefault(pool, set()).update(found)
        for move in territory.moves:
            for _, expression, _ in move.arguments:
                for pool, path in references(expression):
                    assert not set(path[:1]) & echoes.get(pool, set()), (move.tool.name, pool, path)


def test_clauses_name_only_what_the_user_says() -> None:
    for territory in read_catalogue().territories:
        for move in territory.moves:
            slots = {name for names in move.slots.values() for name in names}
            for text in (*move.step.ask, *move.step.do):
                for name in compile_template(text).every_name:
                    if name not in ("lanes", "@thing", "@occasion"):
                        assert name in move.said or name in slots, (move.tool.name, text, name)
            for text in move.step.found:
                assert text[0] in "{" or text[0].isupper(), text
                assert text.endswith("."), text


@pytest.mark.parametrize("index", [0, 1, 2])
def test_truth_is_repeatable(index: int) -> None:
    assert truth(index, seed=SEED) == truth(index, seed=SEED)
