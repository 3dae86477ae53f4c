"""Predictions are joined by id; what can't be used is counted, and of two the last counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scoring.predictions import Episode, default_name, read_predictions
from scoring.refusal import Refusal

PLAN = {
    "tasks": [
        {"id": "root", "name": "root", "para": {}, "desc": "", "dep": [], "status": True},
        {"id": "4", "name": "find", "para": {"q": 1}, "desc": "", "dep": ["root"], "status": True},
        {
            "id": "response",
            "name": "response",
            "para": {},
            "desc": "",
            "dep": ["4"],
            "status": False,
        },
    ]
}
OUTPUT = f"<thought>Why not.</thought><plan>{json.dumps(PLAN)}</plan>"
EPISODE = {
    "agent": "a",
    "reached": True,
    "solved": True,
    "response_round": 5,
    "rounds": 5,
    "calls": 7,
}


def write(path: Path, *records: Any) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


@pytest.mark.parametrize(
    "answer",
    [
        {"output": OUTPUT},
        {"output": json.dumps({"thought": "Why not.", "plan": PLAN})},
        {"thought": "Why not.", "plan": PLAN},
        {"thought": "Why not.", "plan": json.dumps(PLAN)},
    ],
)
def test_an_answer_may_be_spelled_in_four_ways(answer: dict[str, Any], tmp_path: Path) -> None:
    found = read_predictions(write(tmp_path / "a.jsonl", {"instance_id": "r", **answer}))
    read = found.by_key["r", 1].read()
    assert read.is_strict
    assert read.thought == "Why not."
    assert read.plan is not None
    assert list(read.plan) == ["root", "4", "response"]
    assert (found.name, found.lines, found.epochs, found.has_episodes) == ("a", 1, (1,), False)


def test_of_two_answers_to_a_row_the_last_counts_and_the_first_is_named(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.jsonl",
        {"instance_id": "r", "output": "first"},
        {"instance_id": "other", "output": "x"},
        {"instance_id": "r", "output": "second"},
    )
    found = read_predictions(path)
    assert found.by_key["r", 1].output == "second"
    (replaced,) = found.duplicates
    assert replaced.where == f"{path}:1"
    assert f"{path}:3" in replaced.found
    assert not found.malformed


def test_epochs_are_answers_of_their_own(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.jsonl",
        {"instance_id": "r", "output": "x", "epoch": 2},
        {"instance_id": "r", "output": "y"},
    )
    found = read_predictions(path)
    assert found.epochs == (1, 2)
    assert not found.duplicates
    assert [found.by_key["r", epoch].output for epoch in (1, 2)] == ["y", "x"]


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ([], "a JSON array"),
        ({"output": OUTPUT}, "/instance_id is None"),
        ({"instance_id": 7, "output": OUTPUT}, "/instance_id is 7"),
        ({"instance_id": "r"}, "no answer"),
        ({"instance_id": "r", "output": None}, "no answer"),
        ({"instance_id": "r", "output": ["x"]}, "/output is ['x']"),
        ({"instance_id": "r", "output": OUTPUT, "epoch": "one"}, "/epoch is 'one'"),
        ({"instance_id": "r", "output": OUTPUT, "epoch": True}, "/epoch is True"),
    ],
)
def test_a_line_without_a_prediction_is_counted(record: Any, words: str, tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", record, {"instance_id": "good", "output": OUTPUT})
    found = read_predictions(path)
    assert (found.lines, list(found.by_key)) == (2, [("good", 1)])
    (problem,) = found.malformed
    assert str(problem).startswith(f"{path}:1: {words}")


def test_an_episode_is_kept_by_its_end(tmp_path: Path) -> None:
    steps = [{"round": 3, "output": OUTPUT, "observations": []}]
    path = write(
        tmp_path / "a.jsonl",
        {"instance_id": "r", "output": OUTPUT, "episode": {**EPISODE, "steps": steps}},
    )
    found = read_predictions(path)
    assert found.has_episodes
    assert found.by_key["r", 1].episode == Episode(True, True, 5, 7)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"solved": "yes"}, "/episode/solved is 'yes'"),
        ({"reached": None}, "/episode/reached is None"),
        ({"response_round": 0}, "/episode/response_round is 0"),
        ({"calls": -1}, "/episode/calls is -1"),
        ({"calls": True}, "/episode/calls is True"),
        ({"response_round": None}, "expected a response_round where it reached"),
        ({"reached": False, "response_round": None}, "and only then solved"),
    ],
)
def test_an_episode_that_contradicts_itself_is_left_out_and_its_answer_kept(
    change: dict[str, Any], words: str, tmp_path: Path
) -> None:
    episode = {**EPISODE, **change}
    path = write(tmp_path / "a.jsonl", {"instance_id": "r", "output": OUTPUT, "episode": episode})
    found = read_predictions(path)
    assert found.by_key["r", 1].episode is None
    (problem,) = found.malformed
    assert words in str(problem)


def test_a_run_is_a_folder_and_gives_its_name(tmp_path: Path) -> None:
    run = tmp_path / "small-model"
    run.mkdir()
    write(run / "predictions.jsonl", {"instance_id": "r", "output": OUTPUT})
    write(run / "run.json", {"agent": "llm"})
    found = read_predictions(run)
    assert (found.name, found.runs) == ("small-model", [{"agent": "llm"}])
    assert default_name(run / "predictions.jsonl") == "small-model"


def test_several_files_of_one_agent_are_joined(tmp_path: Path) -> None:
    one = write(
        tmp_path / "1.jsonl",
        {"instance_id": "a", "output": "x"},
        {"instance_id": "b", "output": "x"},
    )
    two = write(tmp_path / "2.jsonl", {"instance_id": "b", "output": "y"})
    found = read_predictions(one, two, name="both")
    assert (found.name, found.lines, len(found.duplicates)) == ("both", 3, 1)
    assert found.by_key["b", 1].output == "y"


def test_a_path_without_predictions_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match=r"no predictions\.jsonl in it"):
        read_predictions(tmp_path)
    with pytest.raises(Refusal, match="no such file"):
        read_predictions(tmp_path / "nowhere.jsonl")
