"""Training sets: who gets in, in which shape, and that chat templates can show it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import isclose
from pathlib import Path
from random import Random
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from builder.commands import main
from builder.commands.training import export_training
from builder.inspect import find_files
from builder.parquet import read_rows, write_parquet
from builder.parquet import tabulate as tabulate_rows
from builder.refusal import Refusal
from builder.training.choice import Judge
from builder.training.decisions import first_decision, later_decisions
from builder.training.examples import function_tools, prompt
from builder.training.export import export
from builder.training.request import Request
from environment.agents.agent import Agent, play, spell
from environment.agents.oracle import Oracle
from environment.episode import Episode, read_state
from plan.json_text import loads
from plan.row import Row
from plan.state import State
from plan.task import RESPONSE, ROOT
from scoring.answer import Answer, plan_json, read_text
from scoring.case import Case
from scoring.rubric import KEYS
from tests.builder.chat_templates import TEMPLATES, rendered_calls, rendered_tools, renderer

# pandas, pyarrow and dill warn each other while datasets is imported; no warning is ours.
pytestmark = pytest.mark.filterwarnings("default")

NOISE = tuple(word for item in KEYS for word in ("--noise", f"{item}=0.8"))


def run(*words: object, code: int = 0) -> Result:
    done = CliRunner().invoke(main, [str(word) for word in words])
    assert done.exit_code == code, done.output + repr(done.exception)
    return done


def read(output: str) -> Any:
    answer = read_text(output)
    return None if answer.plan is None else plan_json(answer.plan)


def all_rows(folder: Path) -> list[tuple[str, Row]]:
    return [
        (path.name.split("-")[0], row) for path in find_files(folder) for row in read_rows(path)
    ]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("training") / "rows"
    words = ["--size", 40, "--workers", 1, "--split", "0.6,0.2,0.2", "--controls", 0.1]
    run("build-level2", *words, "--no-certify", "--quiet", "--out", out)
    return out


@pytest.fixture(scope="module")
def played(built: Path) -> dict[str, Path]:
    """A bootstrap without any model: three built-in agents play all rows."""
    folders = {name: built.parent / name for name in ("oracle", "noisy-oracle", "do-nothing")}
    for name, out in folders.items():
        noise = NOISE if name == "noisy-oracle" else ()
        run("run-agent", name, "--rows", built, "--out", out, "--workers", 1, "--quiet", *noise)
    return folders


@pytest.fixture(scope="module")
def words(built: Path, played: Mapping[str, Path]) -> list[object]:
    """The options that every export here needs."""
    return ["--rows", built, *(word for one in played.values() for word in ("--episodes", one))]


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def turns(example: Mapping[str, Any]) -> list[list[Any]]:
    """The chats of an example, from the system message to the end."""
    if "messages" in example:
        return [example["messages"]]
    answers = [example[key] for key in ("completion", "chosen", "rejected") if key in example]
    return [example["prompt"] + answer for answer in answers]


# ---------------------------------------------------------------- shapes

SHAPES = [
    (kind, style, shape)
    for style in ("text", "tool-calls")
    for kind, shape in (
        ("sft", ("--format", "prompt-completion", "--all-steps")),
        ("sft", ("--format", "messages")),
        ("dpo", ("--gap", "1", "--pairs", "all")),
    )
]


@pytest.fixture(scope="module", params=SHAPES, ids=lambda one: "-".join((*one[:2], one[2][1])))
def exported(request: Any, words: list[object], tmp_path_factory: pytest.TempPathFactory) -> Path:
    kind, style, shape = request.param
    out = tmp_path_factory.mktemp("exported") / "set"
    run("export-training", kind, *words, "--out", out, "--style", style, *shape)
    return out


def test_every_example_is_of_one_shape_and_ends_in_one_assistant_turn(exported: Path) -> None:
    examples = lines(exported / "train.jsonl")
    assert len(examples) > 5
    assert len({tuple(example) for example in examples}) == 1
    for example in examples:
        for chat in turns(example):
            assert [message["role"] for message in chat] == ["system", "user", "assistant"]
            assert all(isinstance(message["content"], str) for message in chat)
    shapes = {tuple(chat[-1]) for example in examples for chat in turns(example)}
    assert shapes in ({("role", "content")}, {("role", "content", "tool_calls")})
    assert ("tools" in examples[0]) == (("role", "content", "tool_calls") in shapes)


@pytest.mark.parametrize("name", TEMPLATES)
def test_chat_templates_show_every_value_once_encoded_and_no_nulls(
    exported: Path, name: str
) -> None:
    render = renderer(TEMPLATES[name])
    for example in lines(exported / "train.jsonl"):
        tools = example.get("tools")
        for chat in turns(example):
            text = render(chat, tools)
            calls = [call["function"] for call in chat[-1].get("tool_calls", [])]
            assert rendered_calls(text) == calls
            assert rendered_tools(text) == (tools or [])
            assert all(message["content"].strip() in text for message in chat)
            # A null that a loader put in would be printed as Python's None.
            given = json.dumps([chat, tools], ensure_ascii=False)
            assert text.count("None") <= given.count("None")


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_prompt_alone_begins_as_the_whole_chat_does(exported: Path, name: str) -> None:
    render = renderer(TEMPLATES[name])
    example = lines(exported / "train.jsonl")[0]
    for chat in turns(example):
        whole = render(chat, example.get("tools"))
        assert whole.startswith(render(chat[:-1], example.get("tools"), prompt=True))


def same(a: Any, b: Any) -> bool:
    """Equal, but for the last bit of a number: see docs/train.md, "Loading"."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float) and isinstance(b, float):
        return isclose(a, b, rel_tol=1e-15, abs_tol=0.0)
    return type(a) is type(b) and bool(a == b)


def test_datasets_loads_parquet_without_inserting_nulls(exported: Path, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets", reason="the extra hub is not installed")
    loaded = datasets.load_dataset(
        "parquet", data_files=str(exported / "train.parquet"), cache_dir=str(tmp_path)
    )["train"]
    written = lines(exported / "train.jsonl")
    assert len(loaded) == len(written)
    assert all(map(same, loaded, written))


def test_json_lines_load_exactly_as_the_page_says(exported: Path) -> None:
    datasets = pytest.importorskip("datasets", reason="the extra hub is not installed")

    def read_lines(path: str) -> Iterator[Any]:
        with Path(path).open(encoding="utf-8") as file:
            yield from map(json.loads, file)

    path = exported / "train.jsonl"
    loaded = datasets.IterableDataset.from_generator(read_lines, gen_kwargs={"path": str(path)})
    assert list(loaded) == lines(path)


def test_the_same_command_writes_the_same_bytes(
    exported: Path, words: list[object], request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    kind, style, shape = request.node.callspec.params["exported"]
    again = tmp_path / "again"
    run("export-training", kind, *words, "--out", again, "--style", style, *shape)
    assert sorted(path.name for path in again.iterdir()) == [
        "report.md",
        "train.jsonl",
        "train.parquet",
    ]
    for path in again.iterdir():
        assert path.read_bytes() == (exported / path.name).read_bytes(), path.name


def test_the_bytes_do_not_depend_on_the_number_of_workers(
    words: list[object], tmp_path: Path
) -> None:
    for workers in (1, 2):
        out = tmp_path / str(workers)
        run("export-training", "dpo", *words, "--gap", 1, "--out", out, "--workers", workers)
    for path in (tmp_path / "1").iterdir():
        assert path.read_bytes() == (tmp_path / "2" / path.name).read_bytes(), path.name


def test_plain_text_needs_nothing_but_texts_in_parquet(words: list[object], tmp_path: Path) -> None:
    run("export-training", "sft", *words, "--out", tmp_path / "set", "--as", "parquet")
    assert [path.name for path in sorted((tmp_path / "set").iterdir())] == [
        "report.md",
        "train.parquet",
    ]
    schema = pq.read_schema(tmp_path / "set" / "train.parquet")
    assert str(schema.field("prompt").type) == (
        "list<element: struct<role: string, content: string>>"
    )
    assert schema.field("completion").type == schema.field("prompt").type


# ---------------------------------------------------------------- the test split


@pytest.mark.parametrize("kind", ["sft", "dpo"])
def test_the_test_split_never_enters(
    built: Path, words: list[object], kind: str, tmp_path: Path
) -> None:
    options = ("--above", 0) if kind == "sft" else ("--minimum", 0, "--gap", 0, "--pairs", "all")
    splits = ("--splits", "train,validation")
    run("export-training", kind, *words, *options, *splits, "--out", tmp_path / "set")
    held = [row for split, row in all_rows(built) if split == "test"]
    assert held
    written = b"".join(path.read_bytes() for path in (tmp_path / "set").glob("*.jsonl")).decode()
    for row in held:
        assert row.instance_id not in written
        assert json.dumps(row.query, ensure_ascii=False)[1:-1] not in written
    splits_of = {row.instance_id: split for split, row in all_rows(built)}
    for split in ("train", "validation"):
        ids = {example["instance_id"] for example in lines(tmp_path / "set" / f"{split}.jsonl")}
        assert ids
        assert {splits_of[id] for id in ids} == {split}


def called(row: Row) -> frozenset[str]:
    tasks = loads(row.clean_plan)["tasks"]
    return frozenset(task["name"] for task in tasks if task["id"] not in (ROOT, RESPONSE))


@pytest.mark.parametrize("shared", ["query", "clean_plan"])
def test_what_shares_a_group_with_a_test_row_is_held_out_too(
    built: Path, played: Mapping[str, Path], shared: str, tmp_path: Path
) -> None:
    rows = tmp_path / "rows" / "data" / "level2"
    shutil.copytree(built / "data" / "level2", rows)
    one, *others = read_rows(next(rows.glob("train-*")))
    test = next(read_rows(next(rows.glob("test-*"))))
    # As if a build of the other level had put a train row's query, or tools, into its test split.
    kin = {**test.to_record(), "instance_id": "level1-x", shared: getattr(one, shared)}
    other = tmp_path / "rows" / "data" / "level1"
    other.mkdir()
    write_parquet(other / "test-00000-of-00001.parquet", [tabulate_rows([Row.from_record(kin)])])
    words = ["--rows", tmp_path / "rows", "--episodes", played["oracle"], "--json"]
    out = tmp_path / "set"
    said = json.loads(run("export-training", "sft", *words, "--out", out).stdout)
    ids = {example["instance_id"] for example in lines(out / "train.jsonl")}
    assert ids
    assert one.instance_id not in ids
    held = [row for row in others if row.query == one.query or called(row) == called(one)]
    assert ids.isdisjoint(row.instance_id for row in held)
    assert said["lines"]["group of test"] >= len(held) + 1


def test_every_prediction_is_counted_once(
    built: Path, played: Mapping[str, Path], tmp_path: Path
) -> None:
    text = (played["oracle"] / "predictions.jsonl").read_text(encoding="utf-8")
    first = text.splitlines()[0]
    mixed = tmp_path / "mixed.jsonl"
    mixed.write_text(
        text
        + json.dumps({**json.loads(first), "instance_id": "nobody"})
        + "\n\nno json\n{}\n"
        + first
        + "\n"
    )
    words = ["--rows", built, "--episodes", mixed, "--json"]
    done = run("export-training", "sft", *words, "--out", tmp_path / "set", code=1)
    said = json.loads(done.stdout)
    counts = dict(said["lines"])
    assert counts.pop("read") == sum(counts.values()) == len(text.splitlines()) + 4
    assert (counts["unknown row"], counts["unreadable"], counts["duplicate"]) == (1, 2, 1)
    assert sum(said["answers"].values()) == counts["admitted"]
    assert counts["test"] == sum(split == "test" for split, _ in all_rows(built))
    assert f"{mixed}:" in done.stderr
    assert "does not hold" in done.stderr


# ---------------------------------------------------------------- thresholds


def told_points(case: Case, answer: Answer) -> dict[str, float]:
    """A judge that gives as many points as the thought asks for."""
    wanted = float(answer.thought)
    return {key: min(1.0, max(0.0, wanted - place)) for place, key in enumerate(KEYS)}


@contextmanager
def no_bar(words: str, total: int | None, unit: str) -> Iterator[Any]:
    yield lambda count: None


def exported_points(
    kind: str,
    built: Path,
    out: Path,
    points: Sequence[float],
    judge: Judge = told_points,
    **rest: Any,
) -> list[Any]:
    """Export answers of one train row that a judge gives the points asked for."""
    row = next(row for split, row in all_rows(built) if split == "train")
    plan = read_state(row).plan
    folder = out / "episodes"
    folder.mkdir(parents=True)
    (folder / "predictions.jsonl").write_text(
        "".join(
            json.dumps(
                {
                    "instance_id": row.instance_id,
                    "epoch": number,
                    "output": spell(f"{wanted}", plan),
                }
            )
            + "\n"
            for number, wanted in enumerate(points, 1)
        )
    )
    request = Request(kind, built, (folder,), out / "set", formats=("jsonl",), **rest)
    export(request, judge, no_bar)
    path = out / "set" / "train.jsonl"
    return lines(path) if path.exists() else []


def test_sft_takes_more_than_ten_points(built: Path, tmp_path: Path) -> None:
    found = exported_points("sft", built, tmp_path, [9.5, 10, 10.5, 15])
    assert [example["score"] for example in found] == [10.5, 15]


def test_sft_takes_the_same_answer_once(built: Path, tmp_path: Path) -> None:
    assert len(exported_points("sft", built, tmp_path, [12, 13, 12])) == 2


@pytest.mark.parametrize(
    ("points", "pair"),
    [
        ([3, 8], None),  # a gap of five is not over five
        ([3, 8.5], (8.5, 3)),
        ([2.5, 14], None),  # three points are asked of both
        ([3, 2.5, 8.5], (8.5, 3)),
        ([6, 12, 3.5, 9], (12, 3.5)),
        ([14], None),
        ([14, 14], None),
    ],
)
def test_dpo_pairs_the_best_with_the_worst(
    built: Path, tmp_path: Path, points: list[float], pair: tuple[float, float] | None
) -> None:
    found = exported_points("dpo", built, tmp_path, points)
    assert [(one["score_chosen"], one["score_rejected"]) for one in found] == [pair] * bool(pair)


def test_all_pairs_are_those_far_enough_apart(built: Path, tmp_path: Path) -> None:
    found = exported_points("dpo", built, tmp_path, [3, 4, 9, 14], pairs="all")
    assert [(one["score_chosen"], one["score_rejected"]) for one in found] == [
        (14, 3),
        (14, 4),
        (9, 3),
    ]


def test_thresholds_are_options(built: Path, tmp_path: Path) -> None:
    assert len(exported_points("sft", built, tmp_path / "a", [2, 3], above=2)) == 1
    assert len(exported_points("dpo", built, tmp_path / "b", [1, 3], minimum=1, gap=1.5)) == 1


def test_dust_of_addition_does_not_pass_a_threshold(built: Path, tmp_path: Path) -> None:
    def dusty(case: Case, answer: Answer) -> dict[str, float]:
        # 0.1 + 0.2 is more than 0.3.
        return {**dict.fromkeys(KEYS, 0.0), "s1": 0.1, "s2": 0.2}

    assert exported_points("sft", built, tmp_path, [0.3], dusty, above=0.3) == []


def test_saved_judgements_stand_in_for_the_rule_judge(
    built: Path, played: Mapping[str, Path], tmp_path: Path
) -> None:
    folder = tmp_path / "episodes"
    shutil.copytree(played["oracle"], folder)
    words = ["--rows", built, "--episodes", folder, "--judge", "saved", "--json"]
    refused = run("export-training", "sft", *words, "--out", tmp_path / "set", code=2)
    assert "judgements.jsonl" in refused.output
    train = [row.instance_id for split, row in all_rows(built) if split == "train"]
    with (folder / "judgements.jsonl").open("w") as file:
        for id, score in zip(train[:4], (0.5, 1, 1, 0.5), strict=True):
            line = {"instance_id": id, "judge": "someone", "scores": dict.fromkeys(KEYS, score)}
            file.write(json.dumps(line | {"scores": {**line["scores"], "s5": 1}}) + "\n")
    said = json.loads(run("export-training", "sft", *words, "--out", tmp_path / "set").stdout)
    assert {one["instance_id"] for one in lines(tmp_path / "set" / "train.jsonl")} == {*train[1:3]}
    assert said["judge"] == ["someone"]
    assert said["answers"]["not judged"] == len(train) - 4


# ---------------------------------------------------------------- decisions


class Watched:
    """An agent whose every state is kept."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.states: list[State] = []

    def answer(self, state: State) -> str:
        self.states.append(state)
        # One answer in the middle can't be read, and spends its round.
        return "I don't know." if len(self.states) == 2 else self.agent.answer(state)


def test_the_states_of_an_episode_follow_from_its_record(built: Path) -> None:
    for _, row in all_rows(built)[:8]:
        episode = Episode(row, read)
        watched = Watched(Oracle(episode, Random(1)))
        play(episode, watched)
        record = episode.record("watched")
        prediction = {"output": record["steps"][0]["output"], "episode": record}
        first = first_decision(read_state(row), prediction)
        found = [first, *later_decisions(first, prediction)]
        assert len(found) > 2
        assert [one.state for one in found] == watched.states


def test_later_steps_are_taken_only_from_solved_episodes_that_began_well(
    built: Path, played: Mapping[str, Path], tmp_path: Path
) -> None:
    words = ["--rows", built, "--episodes", played["oracle"], "--json"]
    run("export-training", "sft", *words, "--out", tmp_path / "first")
    run("export-training", "sft", *words, "--out", tmp_path / "all", "--all-steps")
    first, later = (lines(tmp_path / name / "train.jsonl") for name in ("first", "all"))
    rows = {row.instance_id: row for _, row in all_rows(built)}
    assert all(one["round"] == rows[one["instance_id"]].t for one in first)
    assert [one for one in later if one["round"] == rows[one["instance_id"]].t] == first
    assert len(later) > len(first)
    spoilt = tmp_path / "unsolved"
    spoilt.mkdir()
    unsolved = [
        {**one, "episode": {**one["episode"], "solved": False}}
        for one in lines(played["oracle"] / "predictions.jsonl")
    ]
    (spoilt / "predictions.jsonl").write_text("".join(json.dumps(one) + "\n" for one in unsolved))
    words = ["--rows", built, "--episodes", spoilt, "--all-steps"]
    run("export-training", "sft", *words, "--out", tmp_path / "none")
    rounds = [one["round"] for one in lines(tmp_path / "none" / "train.jsonl")]
    assert rounds == [one["round"] for one in first]


def test_tool_calls_are_what_the_next_round_sends(built: Path, played: Mapping[str, Path]) -> None:
    out = built.parent / "calls"
    words = ["--rows", built, "--episodes", played["oracle"], "--style", "tool-calls"]
    run("export-training", "sft", *words, "--out", out)
    rows = {row.instance_id: row for _, row in all_rows(built)}
    steps = {
        one["instance_id"]: one["episode"]["steps"]
        for one in lines(played["oracle"] / "predictions.jsonl")
    }
    for example in lines(out / "train.jsonl"):
        (turn,) = example["completion"]
        sent = steps[example["instance_id"]][0]
        assert turn["content"] == read_text(sent["output"]).thought
        assert [call["function"] for call in turn["tool_calls"]] == [
            {"name": seen["name"], "arguments": seen["arguments"]} for seen in sent["observations"]
        ]
        state = read_state(rows[example["instance_id"]])
        assert example["tools"] == function_tools(state.tools.values())
        # The tools stand in their column, and not in the prompt as well.
        assert '"parameters"' not in example["prompt"][1]["content"]


def test_what_can_be_no_turn_is_left_out_and_counted(built: Path, tmp_path: Path) -> None:
    row = next(row for split, row in all_rows(built) if split == "train")
    plan = read_state(row).plan
    fenced = f"```json\n{json.dumps(plan.to_json())}\n```"
    outputs = ["no plan at all", f"<thought>14</thought><plan>{fenced}</plan>", spell("3", plan)]
    folder = tmp_path / "episodes"
    folder.mkdir()
    (folder / "predictions.jsonl").write_text(
        "".join(
            json.dumps({"instance_id": row.instance_id, "epoch": epoch, "output": output}) + "\n"
            for epoch, output in enumerate(outputs)
        )
    )

    def judge(case: Case, answer: Answer) -> dict[str, float]:
        return told_points(case, answer) if answer.plan else dict.fromkeys(KEYS, 1.0)

    def request(kind: str, name: str, **rest: Any) -> Request:
        return Request(kind, built, (folder,), tmp_path / name, formats=("jsonl",), **rest)

    said = export(request("sft", "sft"), judge, no_bar)
    assert said["answers"] == {"no plan can be read": 1, "too few points": 1, "used": 1}
    (example,) = lines(tmp_path / "sft" / "train.jsonl")
    # Whatever had to be tolerated is not learnt: the turn is spelled as the prompt asks.
    assert example["completion"] == [{"role": "assistant", "content": spell("14", plan)}]
    export(request("dpo", "dpo"), judge, no_bar)
    (pair,) = lines(tmp_path / "dpo" / "train.jsonl")
    assert (pair["score_chosen"], pair["score_rejected"]) == (14, 3)
    said = export(request("sft", "calls", style="tool-calls"), judge, no_bar)
    assert said["answers"]["no record of what was sent"] == 1
    assert not list((tmp_path / "calls").glob("*.jsonl"))


def test_a_turn_without_calls_or_with_a_reference_is_no_tool_call(
    built: Path, played: Mapping[str, Path], tmp_path: Path
) -> None:
    train = [row.instance_id for split, row in all_rows(built) if split == "train"]
    folder = tmp_path / "episodes"
    folder.mkdir()
    answers = [
        one
        for one in lines(played["oracle"] / "predictions.jsonl")
        if one["instance_id"] in train and one["episode"]["steps"][0]["observations"]
    ][:3]
    silent, unresolved, sound = (one["episode"]["steps"][0] for one in answers)
    silent["observations"] = []
    unresolved["observations"][0]["arguments"] = {"of": ["a", {"$ref": "3#/price"}]}
    (folder / "predictions.jsonl").write_text("".join(json.dumps(one) + "\n" for one in answers))
    words = ["--rows", built, "--episodes", folder, "--style", "tool-calls", "--json"]
    said = json.loads(run("export-training", "sft", *words, "--out", tmp_path / "set").stdout)
    assert said["answers"] == {
        "a call's input could not be resolved": 1,
        "nothing is called": 1,
        "used": 1,
    }
    (example,) = lines(tmp_path / "set" / "train.jsonl")
    assert example["instance_id"] == answers[2]["instance_id"]
    assert len(example["completion"][0]["tool_calls"]) == len(sound["observations"])


def test_the_prompt_is_the_one_that_agents_get(built: Path, played: Mapping[str, Path]) -> None:
    out = built.parent / "prompts"
    run("export-training", "sft", "--rows", built, "--episodes", played["oracle"], "--out", out)
    rows = {row.instance_id: row for _, row in all_rows(built)}
    for example in lines(out / "train.jsonl"):
        assert example["prompt"] == prompt(read_state(rows[example["instance_id"]]), "text")


# ---------------------------------------------------------------- the command


def test_the_report_tells_counts_and_lengths(words: list[object], tmp_path: Path) -> None:
    done = run("export-training", "dpo", *words, "--out", tmp_path / "set", "--gap", 3)
    report = (tmp_path / "set" / "report.md").read_text(encoding="utf-8")
    pairs = lines(tmp_path / "set" / "train.jsonl")
    longest = max(sum(len(part["content"]) for part in pair["prompt"]) for pair in pairs)
    assert f"{len(pairs)} (train {len(pairs)})" in done.output
    for text in (f"{longest:,}", "tokens, roughly", "train.parquet", "noisy-oracle"):
        assert text in report


def test_the_page_names_every_option() -> None:
    page = (Path(__file__).parents[2] / "docs" / "train.md").read_text(encoding="utf-8")
    for command in export_training.commands.values():
        for parameter in command.params:
            if parameter.name != "help":
                assert f"`{parameter.opts[0]}" in page, parameter.opts[0]


def test_inputs_that_cannot_be_used_are_refused_and_leave_nothing(
    built: Path, played: Mapping[str, Path], tmp_path: Path
) -> None:
    oracle = played["oracle"]
    full = tmp_path / "full"
    full.mkdir()
    (full / "mine.txt").write_text("mine")
    for rows, episodes, out, rest, found in (
        (tmp_path / "none", oracle, "set", (), "no such folder"),
        (built, tmp_path / "none", "set", (), "no such file"),
        (built, built, "set", (), "predictions.jsonl"),
        (built, oracle, "full", (), "holds mine.txt"),
        (built, oracle, "set", ("--splits", "test"), "expected one or several of train"),
        (built, oracle, "set", ("--as", "csv"), "expected one or several of jsonl"),
        (built, oracle, "set", ("--above", "16"), "0<=x<=15"),
    ):
        words = ["--rows", rows, "--episodes", episodes, "--out", tmp_path / out, *rest]
        assert found in run("export-training", "sft", *words, code=2).output
    assert [path.name for path in tmp_path.iterdir()] == ["full"]


def test_nothing_qualifies(built: Path, played: Mapping[str, Path], tmp_path: Path) -> None:
    words = ["--rows", built, "--episodes", played["oracle"], "--above", 15]
    done = run("export-training", "sft", *words, "--out", tmp_path / "set", code=1)
    assert "No answer qualifies" in done.stderr
    assert [path.name for path in (tmp_path / "set").iterdir()] == ["report.md"]


def test_a_file_whose_name_tells_no_split_is_refused(
    built: Path, played: Mapping[str, Path], tmp_path: Path
) -> None:
    rows = tmp_path / "rows" / "data" / "level2"
    shutil.copytree(built / "data" / "level2", rows)
    next(rows.glob("test-*")).rename(rows / "held.parquet")
    with pytest.raises(Refusal, match="tells no split"):
        export(
            Request("sft", tmp_path / "rows", (played["oracle"],), tmp_path / "set"),
            told_points,
            no_bar,
        )
    assert not (tmp_path / "set").exists()
