"""Answers as agents write them, scored by hand from docs/rubric.md before the judge was run.

A file of ``handwritten/`` is a row and some answers to it. An answer's ``expected`` holds a score
for every item, or a list of acceptable ones where the document leaves it open; ``why`` gives the
reasons. Many answers are right in another way than the gold plan, or wrong in one item only.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from scoring.answer import read_text
from scoring.case import Case
from scoring.rubric import KEYS
from scoring.rule_judge import judge

FOLDER = Path(__file__).parent / "handwritten"
FILES = sorted(FOLDER.glob("*.json"))

Written = dict[str, Any]


@cache
def written(file: Path) -> Written:
    return json.loads(file.read_text(encoding="utf-8"))


@cache
def case_of(file: Path) -> Case:
    return Case.from_record(written(file)["row"])


def answers() -> Iterator[Any]:
    for file in FILES:
        what = "+".join(written(file)["row"]["error_kinds"]) or "no error"
        for answer in written(file)["answers"]:
            yield pytest.param(file, answer, id=f"{what}: {answer['name']}")


@pytest.mark.parametrize(("file", "answer"), list(answers()))
def test_a_handwritten_answer_scores_as_a_reader_of_the_rubric_expects(
    file: Path, answer: Written
) -> None:
    scores = judge(case_of(file), read_text(answer["output"]))
    differing = {
        item: f"expected {expected}, got {scores[item]}"
        for item, expected in answer["expected"].items()
        if not is_acceptable(scores[item], expected)
    }
    assert not differing, answer["why"]


def is_acceptable(score: float, expected: float | list[float]) -> bool:
    """Whether a score is the expected one, or one of those the document leaves open."""
    acceptable = expected if isinstance(expected, list) else [expected]
    return any(score == pytest.approx(one, abs=1e-9) for one in acceptable)


def test_thirty_answers_to_a_dozen_rows_of_both_levels_are_written_out() -> None:
    rows = [written(file)["row"] for file in FILES]
    assert len(rows) >= 12
    assert sum(len(written(file)["answers"]) for file in FILES) >= 30
    assert {len(row["error_kinds"]) for row in rows} == {0, 1, 2, 3}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_item_of_every_answer_has_an_expectation(file: Path) -> None:
    for answer in written(file)["answers"]:
        assert set(answer["expected"]) == set(KEYS), answer["name"]
