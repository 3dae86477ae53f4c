"""pararecover run-agent: predictions in row order, the same bytes whoever works on them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from builder.commands import main
from builder.inspect import find_files
from builder.parquet import read_rows
from environment.agents.names import AGENTS
from scoring.rubric import KEYS


def run(*words: object, code: int = 0) -> Result:
    done = CliRunner().invoke(main, [str(word) for word in words])
    assert done.exit_code == code, done.output + repr(done.exception)
    return done


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("rows") / "level2"
    run("build-level2", "--size", 45, "--workers", 1, "--no-certify", "--out", out)
    return out


def predictions(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "predictions.jsonl").read_text().splitlines()]


def test_a_line_for_each_row_in_the_rows_order(rows: Path, tmp_path: Path) -> None:
    out = tmp_path / "oracle"
    run("run-agent", "oracle", "--rows", rows, "--out", out, "--workers", 1)
    made = predictions(out)
    expected = {row.instance_id: row for file in find_files(rows) for row in read_rows(file)}
    assert {one["instance_id"] for one in made} == expected.keys()
    splits = [one["instance_id"] for one in made]
    test = [row.instance_id for row in read_rows(next(rows.glob("data/*/test-*")))]
    assert splits[-len(test) :] == test
    for one in made:
        episode, row = one["episode"], expected[one["instance_id"]]
        assert episode.keys() == {
            "agent", "reached", "solved", "response_round", "rounds", "calls", "steps"
        }  # fmt: skip
        assert episode["agent"] == "oracle"
        assert episode["solved"]
        assert episode["response_round"] == row.recovery_round_gt
        assert one["output"] == episode["steps"][0]["output"]
        assert episode["steps"][0]["round"] == row.t
    about = json.loads((out / "run.json").read_text())
    assert about["agent"] == "oracle"
    assert about["overall"]["solved"] == about["levels"]["level2"]["rows"] == len(made)
    assert sorted(path.name for path in out.iterdir()) == ["predictions.jsonl", "run.json"]


def test_the_bytes_do_not_depend_on_the_number_of_workers(rows: Path, tmp_path: Path) -> None:
    noise = ["--noise", "d3=0.5", "--noise", "s2=0.3", "--seed", 3]
    for workers in (1, 2):
        out = tmp_path / str(workers)
        run("run-agent", "noisy-oracle", "--rows", rows, "--out", out, *noise, "-q", "--workers",
            workers)  # fmt: skip
    for name in ("predictions.jsonl", "run.json"):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()
    spoilt = [one["spoilt"] for one in predictions(tmp_path / "1") if "spoilt" in one]
    about = json.loads((tmp_path / "1" / "run.json").read_text())
    assert about["noise"] == {"d3": 0.5, "s2": 0.3}
    assert about["spoilt"] == {
        item: sum(item in one for one in spoilt) for item in ("d3", "s2")
    }  # fmt: skip
    assert 0 < about["spoilt"]["d3"] < about["overall"]["rows"]


def test_another_seed_words_things_otherwise_and_ends_alike(rows: Path, tmp_path: Path) -> None:
    made = []
    for seed in (0, 1):
        out = tmp_path / str(seed)
        run("run-agent", "oracle", "--rows", rows, "--out", out, "--seed", seed, "--split", "test")
        made.append(predictions(out))
    assert all(a["output"] != b["output"] for a, b in zip(*made, strict=True))
    for one in (*made[0], *made[1]):
        del one["output"], one["episode"]["steps"]
    assert made[0] == made[1]


@pytest.mark.parametrize("agent", AGENTS)
def test_every_agent_can_be_run_and_is_summed_up(agent: str, rows: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = run("run-agent", agent, "--rows", rows, "--out", out, "--limit", 5, "--workers", 1)
    assert f"{agent}\n" in words.output
    assert "5 rows" in words.output
    about = json.loads(
        run("run-agent", agent, "--rows", rows, "--out", tmp_path / "json", "--limit", 5,
            "--workers", 1, "--json").output
    )  # fmt: skip
    assert about["overall"]["rows"] == len(predictions(out)) == 5
    assert (out / "predictions.jsonl").read_bytes() == (
        tmp_path / "json" / "predictions.jsonl"
    ).read_bytes()


def test_rows_are_chosen_by_level_split_and_number(rows: Path, tmp_path: Path) -> None:
    test = [row.instance_id for row in read_rows(next(rows.glob("data/*/test-*")))]
    for name, chosen in (("a", ["--split", "test"]), ("b", ["--split", "test", "--limit", "2"])):
        run("run-agent", "do-nothing", "--rows", rows, "--out", tmp_path / name, *chosen)
    assert [one["instance_id"] for one in predictions(tmp_path / "a")] == test
    assert [one["instance_id"] for one in predictions(tmp_path / "b")] == test[:2]


def test_rows_of_a_release_are_read_as_json_lines(rows: Path, tmp_path: Path) -> None:
    folder = tmp_path / "release" / "data" / "level2"
    folder.mkdir(parents=True)
    records = [row.to_record() for row in read_rows(next(rows.glob("data/*/test-*")))]
    with gzip.open(folder / "test.jsonl.gz", "wt") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)
    run("run-agent", "oracle", "--rows", tmp_path / "release", "--out", tmp_path / "a")
    run("run-agent", "oracle", "--rows", rows, "--split", "test", "--out", tmp_path / "b")
    assert (tmp_path / "a" / "predictions.jsonl").read_bytes() == (
        tmp_path / "b" / "predictions.jsonl"
    ).read_bytes()


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["sorcerer"], "sorcerer"),
        (["oracle", "--noise", "d3=0.5"], "only with noisy-oracle"),
        (["noisy-oracle", "--noise", "d3"], "as in d3=0.5"),
        (["noisy-oracle", "--noise", "d3=2"], "from 0 to 1"),
        (["noisy-oracle", "--noise", "d3=nan"], "from 0 to 1"),
        (["noisy-oracle", "--noise", "d9=0.5"], f"one of {', '.join(KEYS)}"),
        (["noisy-oracle", "--noise", "d3=0.5", "--noise", "d3=0.1"], "given twice"),
        (["oracle", "--level", "level1"], "no rows of level1"),
        (["oracle", "--limit", "0"], "0"),
        (["oracle", "--seed", "-1"], "expected 0 to"),
        (["oracle", "--workers", "0"], "0"),
    ],
)
def test_what_cannot_be_done_is_refused_in_words(
    words: list[str], found: str, rows: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    output = run("run-agent", *words, "--rows", rows, "--out", out, code=2).output
    assert found in " ".join(output.split())
    assert not out.exists()


def test_a_folder_with_anything_in_it_is_refused_and_left_alone(rows: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("precious")
    output = run("run-agent", "oracle", "--rows", rows, "--out", tmp_path, code=2).output
    assert "holds mine.txt" in output
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
    file = tmp_path / "mine.txt"
    assert (
        "not a folder" in run("run-agent", "oracle", "--rows", rows, "--out", file, code=2).output
    )


def test_what_a_killed_run_left_behind_is_cleared_away(rows: Path, tmp_path: Path) -> None:
    (tmp_path / ".predictions.jsonl.77.tmp").write_text("half a li")
    run("run-agent", "oracle", "--rows", rows, "--out", tmp_path, "--limit", 2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["predictions.jsonl", "run.json"]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_row_that_no_longer_runs_as_it_says_is_refused(
    workers: int, rows: Path, tmp_path: Path
) -> None:
    records = [row.to_record() for row in read_rows(next(rows.glob("data/*/test-*")))]
    records[-1]["observations"] = records[-1]["observations"].replace(
        '"results":', '"results":0,"x":'
    )
    source = tmp_path / "test.jsonl"
    source.write_text("".join(json.dumps(record) + "\n" for record in records))
    out = tmp_path / "out"
    output = run(
        "run-agent", "oracle", "--rows", source, "--out", out, "--workers", workers, code=2
    ).output
    assert records[-1]["instance_id"] in output
    assert "certify" in output
    assert not out.exists()


@pytest.mark.parametrize(
    ("column", "text"),
    [("plan", "{}"), ("clean_plan", "no"), ("tools", "[1]"), ("faults", '[{"round": 1}]')],
)
def test_a_spoilt_row_is_refused_by_name(
    column: str, text: str, rows: Path, tmp_path: Path
) -> None:
    record = next(iter(read_rows(next(rows.glob("data/*/test-*"))))).to_record()
    record[column] = text
    source = tmp_path / "test.jsonl"
    source.write_text(json.dumps(record) + "\n")
    output = run("run-agent", "oracle", "--rows", source, "--out", tmp_path / "out", code=2).output
    assert record["instance_id"] in output


def test_the_help_gives_examples() -> None:
    output = run("run-agent", "--help").output
    assert "pararecover run-agent noisy-oracle" in output
    assert all(agent in output for agent in AGENTS)
