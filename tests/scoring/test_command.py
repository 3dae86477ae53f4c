"""``python -m scoring``: what it prints, what it writes, and how it ends."""

from __future__ import annotations

import configparser
import csv
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from plan.row import Row
from scoring.__main__ import VERSION, main
from scoring.metrics import METRICS
from scoring.rubric import KEYS
from tests.certify.rows import rows_of

ROOT = Path(__file__).resolve().parents[2]


def rows() -> list[Row]:
    """Four LEVEL-1 rows with an error, one without, three LEVEL-2 rows."""
    single = [row for kind in ("Type_Error", "Serial_Error") for row in rows_of(kind, most=3)[:2]]
    return [*single, rows_of(most=1)[0], *rows_of("Parameter_Missing", "Null_Error")[:3]]


def gold(row: Row) -> dict[str, Any]:
    nodes = ", ".join(error.node for error in row.errors)
    return {
        "instance_id": row.instance_id,
        "output": f"<thought>Wrong: {nodes}.</thought><plan>{row.gold_plan}</plan>",
        "episode": {
            "agent": "oracle",
            "reached": True,
            "solved": True,
            "response_round": row.recovery_round_gt,
            "rounds": row.recovery_round_gt,
            "calls": row.funcall_times_gt,
            "steps": [],
        },
    }


def unchanged(row: Row) -> dict[str, Any]:
    return {"instance_id": row.instance_id, "thought": "Go on.", "plan": json.loads(row.plan)}


def write(path: Path, records: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rows, and the answers of two agents to them."""
    folder = tmp_path_factory.mktemp("scored")
    write(folder / "rows.jsonl", [row.to_record() for row in rows()])
    write(folder / "gold.jsonl", [gold(row) for row in rows()])
    write(folder / "unchanged.jsonl", [unchanged(row) for row in rows()])
    return folder


Run = tuple[str, str]
"""Standard output and standard error."""


@pytest.fixture
def run(folder: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    def run(*words: object, code: int = 0, rows: Path = folder / "rows.jsonl") -> Run:
        with pytest.raises(SystemExit) as ended:
            main([*map(str, words), "--rows", str(rows)])
        said = capsys.readouterr()
        assert ended.value.code == code, said
        return said.out, said.err

    return run


# What is printed


def test_json_is_one_object_with_levels_and_kinds_below(run: Any, folder: Path) -> None:
    out, err = run("--predictions", folder / "gold.jsonl", "--json", "--bootstrap", 20)
    found = json.loads(out)
    assert err == ""
    assert {*METRICS, "n", "levels", "intervals", "predictions"} <= found.keys()
    assert (found["n"], found["rows"], found["coverage"]) == (8, 8, 100.0)
    for key in ("s2", "s3", "s4", "s5", "e1", "e2", "e3", "e4", "e5_star", "pass_at_1"):
        assert found[key] == 100.0, key
    assert 0 < found["e5"] < 100
    assert found["invalid_dag_rate"] == 0
    assert found["false_alarm_rate"] is not None
    levels = found["levels"]
    assert {level: levels[level]["n"] for level in levels} == {"level1": 5, "level2": 3}
    assert levels["level1"]["kinds"].keys() == {"Type_Error", "Serial_Error"}
    assert levels["level1"]["kinds"]["Serial_Error"]["n"] == 2
    low, high = found["intervals"]["e5"]
    assert low <= found["e5"] <= high
    assert found["predictions"] == {
        "lines": 8,
        "epochs": [1],
        "answers": 8,
        **dict.fromkeys(("missing", "unparsable", "tolerated", "unjudged"), 0),
        **dict.fromkeys(("duplicate", "malformed", "unknown"), 0),
    }


def test_several_agents_stand_in_one_table(run: Any, folder: Path) -> None:
    words = [
        "--predictions",
        folder / "gold.jsonl",
        "--predictions",
        f"as-is={folder}/unchanged.jsonl",
    ]
    out, _ = run(*words)
    assert [line.split()[0] for line in out.splitlines()[4:6]] == ["gold", "as-is"]
    found = json.loads(run(*words, "--json", "--bootstrap", 0)[0])["models"]
    assert found.keys() == {"gold", "as-is"}
    assert found["gold"]["e2"] > found["as-is"]["e2"]
    assert found["as-is"]["pass_at_1"] is None
    assert found["as-is"]["episode_coverage"] == 0


def test_files_of_one_name_are_one_agent_and_rows_may_come_in_parts(
    run: Any, folder: Path, tmp_path: Path
) -> None:
    lines = (folder / "gold.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "1.jsonl").write_text("".join(lines[:5]))
    (tmp_path / "2.jsonl").write_text("".join(lines[5:]))
    of_rows = (folder / "rows.jsonl").read_text().splitlines(keepends=True)
    for place, part in enumerate((of_rows[:3], of_rows[3:])):
        (tmp_path / f"rows{place}.jsonl").write_text("".join(part))
    words = [
        "--predictions",
        f"gold={tmp_path}/1.jsonl",
        "--predictions",
        f"gold={tmp_path}/2.jsonl",
    ]
    out, _ = run(
        *words, "--json", "--rows", tmp_path / "rows0.jsonl", rows=tmp_path / "rows1.jsonl"
    )
    whole, _ = run("--predictions", folder / "gold.jsonl", "--json")
    assert json.loads(out) == json.loads(whole)


def test_quiet_prints_nothing(run: Any, folder: Path) -> None:
    assert run("--predictions", folder / "gold.jsonl", "--quiet") == ("", "")


# What can't be used as given


def test_nothing_is_dropped_silently(run: Any, folder: Path, tmp_path: Path) -> None:
    lines = [gold(row) for row in rows()]
    spoilt = [
        lines[0],
        {**lines[0], "output": "<thought>No idea.</thought><plan>{</plan>"},
        {
            **lines[1],
            "output": lines[1]["output"].replace("<plan>", "```json\n").replace("</plan>", "\n```"),
        },
        {**lines[2], "instance_id": "nobody"},
        {"instance_id": lines[3]["instance_id"]},
        *lines[4:],
    ]
    path = write(tmp_path / "spoilt.jsonl", spoilt)
    words = ["--predictions", path, "--json", "--bootstrap", 0]
    out, err = run(*words)
    found = json.loads(out)
    counts = found["predictions"]
    assert counts == {
        "lines": 9,
        "epochs": [1],
        "answers": 8,
        "missing": 2,
        "unparsable": 1,
        "tolerated": 1,
        "unjudged": 0,
        "duplicate": 1,
        "malformed": 1,
        "unknown": 1,
    }
    # Two rows are missing, one has no plan, and one plan is read with tolerance only.
    assert (found["coverage"], found["e2"]) == (75.0, 62.5)
    assert (found["s5"], found["invalid_dag_rate"]) == (50.0, 50.0)
    for words_said in (
        "2 missing",
        "1 malformed",
        "1 duplicate",
        "1 unknown",
        "'nobody'",
        f"{path}:5",
    ):
        assert words_said in err
    assert run(*words, "--strict", code=1)[0] == out


def test_rows_left_out_on_purpose_make_no_answer_unknown(run: Any, folder: Path) -> None:
    out, err = run(
        "--predictions", folder / "gold.jsonl", "--level", "level2", "--json", "--strict"
    )
    assert err == ""
    assert json.loads(out)["predictions"]["unknown"] == 5
    assert json.loads(out)["levels"].keys() == {"level2"}


def test_a_row_is_expected_in_every_epoch(run: Any, folder: Path, tmp_path: Path) -> None:
    twice = [{**gold(row), "epoch": epoch} for row in rows() for epoch in (1, 2)]
    path = write(tmp_path / "twice.jsonl", twice[:-1])
    found = json.loads(run("--predictions", path, "--json")[0])
    assert (found["n"], found["rows"], found["predictions"]["missing"]) == (16, 8, 1)
    assert found["e2"] == pytest.approx(100 * 15 / 16)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["--predictions", "{gold}", "--level", "level9"], "no rows of level9"),
        (["--predictions", "{gold}", "--split", "test"], "doesn't tell its split"),
        (["--predictions", "nowhere.jsonl"], "no such file"),
        (["--predictions", "{gold}", "--predictions", "{gold}"], "a name of its own"),
        (["--predictions", "{gold}", "--judge", "nowhere.jsonl"], "nowhere.jsonl"),
        (["--predictions", "{gold}", "--judge", "{gold}"], "8 lines are no judgement"),
        (["--predictions", "{gold}", "--judge", "rule", "--judge", "rule"], "already"),
        (["--predictions", "{gold}", "--judge", "other={gold}"], "no predictions are named"),
        (["--predictions", "{gold}", "--out", "{gold}"], "not a folder"),
        (["--predictions", "{gold}", "--out", "{folder}"], "nothing was touched"),
        (["--predictions", "{gold}", "--bootstrap", "-1"], "a whole number from 0"),
        (["--predictions", "{gold}", "--bootstrap", "many"], "a whole number from 0"),
        ([], "--predictions"),
    ],
)
def test_what_cannot_be_done_is_refused_in_words(
    words: list[str], found: str, run: Any, folder: Path
) -> None:
    given = [word.format(gold=folder / "gold.jsonl", folder=folder) for word in words]
    before = sorted(folder.iterdir())
    out, err = run(*given, code=2)
    assert out == ""
    assert found in err
    assert sorted(folder.iterdir()) == before


def test_rows_that_cannot_be_used_are_all_named(run: Any, folder: Path, tmp_path: Path) -> None:
    first = rows()[0].to_record()
    path = write(
        tmp_path / "rows.jsonl", [first, first, {**first, "instance_id": "b", "plan": "{"}, {}]
    )
    _, err = run(
        "--predictions", folder / "gold.jsonl", "--out", tmp_path / "out", rows=path, code=2
    )
    assert "3 rows can't be used" in err
    for line in (2, 3, 4):
        assert f"{path}:{line}: " in err
    assert not (tmp_path / "out").exists()
    path.write_text("\n")
    assert "no rows" in run("--predictions", folder / "gold.jsonl", rows=path, code=2)[1]


# What is written


def test_scores_summary_and_tables_are_written(run: Any, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "deep" / "out"
    printed, _ = run("--predictions", folder / "gold.jsonl", "--out", out, "--json")
    assert json.loads((out / "summary.json").read_text()) == json.loads(printed)
    lines = [json.loads(line) for line in (out / "scores.jsonl").read_text().splitlines()]
    assert [line["instance_id"] for line in lines] == [row.instance_id for row in rows()]
    for line, row in zip(lines, rows(), strict=True):
        assert list(line["scores"]) == list(KEYS)
        assert line["static"]["response_round"] == row.recovery_round_gt
        assert (line["prediction"], line["tolerated"]) == ("read", [])
    names = {path.name for path in (out / "tables").iterdir()}
    assert names == {
        f"{table}.{ending}"
        for table in ("models", "items", "efficiency", "efficacy", "figures", "kinds")
        for ending in ("txt", "csv", "md")
    }
    with (out / "tables" / "kinds.csv").open() as file:
        kinds = [line["Kind"] for line in csv.DictReader(file)]
    assert {"Type_Error", "Serial_Error"} <= set(kinds)
    assert sorted(path.name for path in out.iterdir()) == ["scores.jsonl", "summary.json", "tables"]


def test_the_same_command_writes_the_same_bytes_over_earlier_scores(
    run: Any, folder: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    words = ["--predictions", folder / "gold.jsonl", "--out", out, "--quiet"]
    run(*words)
    first = {path: path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}
    run(*words, "--predictions", folder / "unchanged.jsonl")
    assert (out / "scores-unchanged.jsonl").exists()
    assert not (out / "scores.jsonl").exists()
    run(*words)
    assert {path: path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()} == first


def test_an_interrupted_command_leaves_nothing(
    run: Any, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("scoring.__main__.grade", interrupt)
    words = ["--predictions", folder / "gold.jsonl", "--out", tmp_path / "a" / "out"]
    assert "Stopped" in run(*words, code=130)[1]
    assert list(tmp_path.iterdir()) == []


# Judgements made before


def test_saved_judgements_score_again_without_a_judge(
    run: Any, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, _ = run("--predictions", folder / "gold.jsonl", "--out", tmp_path / "out", "--json")

    def fail(*_: object) -> None:
        raise AssertionError("nobody should be asked")

    monkeypatch.setattr("scoring.rule_judge.judge", fail)
    saved = tmp_path / "out" / "scores.jsonl"
    again, _ = run("--predictions", folder / "gold.jsonl", "--judge", saved, "--json")
    assert json.loads(again) == json.loads(first)
    # Beside the predictions they are found by themselves.
    beside = tmp_path / "gold"
    beside.mkdir()
    shutil.copy(folder / "gold.jsonl", beside / "predictions.jsonl")
    shutil.copy(saved, beside / "judgements.jsonl")
    again, _ = run("--predictions", beside, "--judge", "saved", "--json")
    assert json.loads(again) == json.loads(first)


def test_two_judges_are_compared_and_an_answer_that_one_passed_over_is_counted(
    run: Any, folder: Path, tmp_path: Path
) -> None:
    harsh = write(
        tmp_path / "harsh.jsonl",
        [
            {"instance_id": row.instance_id, "judge": "harsh", "scores": dict.fromkeys(KEYS, 0.0)}
            for row in rows()[1:]
        ],
    )
    words = ["--predictions", folder / "gold.jsonl", "--judge", "rule", "--judge", harsh]
    out, err = run(
        *words, "--bootstrap", 0, "--out", tmp_path / "out", "--strict", "--json", code=1
    )
    found = json.loads(out)
    assert "gold: 1 unjudged" in err
    assert found["judge"] == "rule"
    assert found["judges"]["rule"]["avg"] == found["avg"] > found["judges"]["harsh"]["avg"] == 0
    # What no judge decides doesn't depend on one.
    assert found["judges"]["harsh"]["e5_star"] == 100.0
    table = (tmp_path / "out" / "tables" / "judges.csv").read_text().splitlines()
    assert table[0] == "Model,LEVEL-1 rule,LEVEL-1 harsh,LEVEL-2 rule,LEVEL-2 harsh"


def test_a_file_of_judgements_says_whose_answers_it_judges(run: Any, folder: Path) -> None:
    two = ["--predictions", folder / "gold.jsonl", "--predictions", folder / "unchanged.jsonl"]
    path = folder / "gold.jsonl"
    assert "say --judge NAME=" in run(*two, "--judge", path, code=2)[1]


# On its own


@contextmanager
def copied(to: Path) -> Iterator[Path]:
    shutil.copytree(ROOT / "scoring", to / "scoring", ignore=shutil.ignore_patterns("__pycache__"))
    yield to


def test_a_copy_of_the_folder_needs_the_standard_library_only(
    run: Any, folder: Path, tmp_path: Path
) -> None:
    with copied(tmp_path) as home:
        words = ["--rows", folder / "rows.jsonl", "--predictions", folder / "gold.jsonl", "--json"]
        done = subprocess.run(
            [sys.executable, "-S", "-m", "scoring", *map(str, words)],
            cwd=home,
            env={},
            capture_output=True,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == json.loads(run(*words[2:])[0])


def test_help_has_examples_and_the_version_is_the_packages(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for word in ("--help", "--version"):
        with pytest.raises(SystemExit) as ended:
            main([word])
        assert ended.value.code == 0
    said = capsys.readouterr().out
    assert "python -m scoring --rows" in said
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    assert setup["metadata"]["version"] == VERSION
    assert said.endswith(f"scoring {VERSION}\n")
