"""Answers as agents write them, scored by hand from docs/rubric.md before the judge was run.

A file of ``handwritten/`` is a row and some answers to it. An answer's ``expected`` holds a score
for every item, or a list of acceptable ones where the document leaves it open; ``why`` gives the
reasons. Many answers are right in another way than the gold plan, or wrong in one item only.

``known_gaps.json`` holds answers on which a reader and the judge differ, and ``gap`` says why.
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
FILES = sorted(FOLDER.glob("level*.json"))
GAPS = FOLDER / "known_gaps.json"

ALL_AGREEMENT = 1791 / 1800
THOUGHT_AGREEMENT = 711 / 720
THOUGHT_KEYS = ("s1", "d1", "d2", "d3", "d4", "d5")

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


def test_reader_and_judge_agree_as_far_as_measured_gaps_included() -> None:
    """Holds the share of scores on which they agree over every answer, gaps included.

    The judge has been mended with these answers at hand, so this tells that it stays mended,
    not how it does on others. On three batches (44, 14 and 13 answers), each measured before
    the judge was changed for it and before any expectation was reviewed, they agreed on 92.1,
    91.9 and 93.8 percent of all scores, and on 78.6, 75.7 and 81.5 percent of D1 to D5.
    """
    agreed, thought = [], []
    for file, answer in (*written_answers(), *gaps()):
        scores = judge(case_of(file), read_text(answer["output"]))
        for item, expected in answer["expected"].items():
            agreed.append(is_acceptable(scores[item], expected))
            if item in THOUGHT_KEYS:
                thought.append(agreed[-1])
    assert sum(agreed) / len(agreed) >= ALL_AGREEMENT
    assert sum(thought) / len(thought) >= THOUGHT_AGREEMENT


def test_every_known_gap_is_one_and_says_why() -> None:
    for file, answer in gaps():
        scores = judge(case_of(file), read_text(answer["output"]))
        assert answer["gap"], answer["name"]
        assert set(answer["expected"]) == set(KEYS), answer["name"]
        assert not all(
            is_acceptable(scores[item], expected) for item, expected in answer["expected"].items()
        ), f"{answer['name']} is no gap any more: move it to {file.name}"


def written_answers() -> Iterator[tuple[Path, Written]]:
    for file in FILES:
        for answer in written(file)["answers"]:
            yield file, answer


def gaps() -> Iterator[tuple[Path, Written]]:
    for answer in written(GAPS)["answers"]:
        yield FOLDER / f"{answer['row']}.json", answer
