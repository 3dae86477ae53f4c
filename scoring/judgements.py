"""Judgements in files: what a judge said of each answer, so that nobody has to ask again.

One JSON object per line::

    {"instance_id": "…", "epoch": 1, "judge": "…",
     "scores": {"s1": 1.0, …, "e5": 0.75}, "reasons": {"s1": "…"}}

``epoch`` (1 where it is missing) and ``reasons`` may be left out. ``scores`` has all fifteen
keys, and null is NaN:
the item doesn't apply, or no usable reply was got.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import isnan, nan
from pathlib import Path

from scoring.json_text import Json
from scoring.lines import read_lines, refuse_os_error
from scoring.predictions import FIRST_EPOCH, Key, read_key
from scoring.refusal import Problem, short
from scoring.rubric import ITEMS, KEYS, Scores

COMPUTED = ("s5", "e5")
"""Items that no judge is asked about; thirteen are left (ParaRecover, section 3.3)."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What one judge said of one answer.

    Attributes:
        instance_id: the row.
        judge: the judge's name; for a model, the model and the prompts' hash.
        scores: all fifteen keys.
        reasons: by item, where there is one.
        epoch: which of several answers to the row it is.
    """

    instance_id: str
    judge: str
    scores: Scores
    reasons: Mapping[str, str] = field(default_factory=dict)
    epoch: int = FIRST_EPOCH

    @property
    def key(self) -> Key:
        """What judgements of the same answer share."""
        return self.instance_id, self.epoch

    def to_json(self) -> dict[str, Json]:
        """Return the line's value, NaN spelled as None."""
        return {
            "instance_id": self.instance_id,
            "epoch": self.epoch,
            "judge": self.judge,
            "scores": {key: None if isnan(self.scores[key]) else self.scores[key] for key in KEYS},
            **({"reasons": dict(self.reasons)} if self.reasons else {}),
        }

    def line(self) -> str:
        """Return the judgement as a line of a file, its end included.

        Raises:
            KeyError: an item has no score, not even NaN.
        """
        # ASCII only: reasons come from models, and may hold half a surrogate pair.
        return json.dumps(self.to_json(), separators=(",", ":")) + "\n"


@dataclass(frozen=True, slots=True)
class Judgements:
    """A file of judgements.

    Attributes:
        by_key: the judgements; of several on one answer the last.
        problems: lines that are no judgement.
        duplicates: where a judgement was replaced by a later one on the same answer.
    """

    by_key: Mapping[Key, Judgement]
    problems: tuple[Problem, ...] = ()
    duplicates: tuple[Problem, ...] = ()

    @property
    def judges(self) -> list[str]:
        """Names of the judges, sorted."""
        return sorted({judgement.judge for judgement in self.by_key.values()})

    def scores(self, instance_id: str, epoch: int = FIRST_EPOCH) -> Scores | None:
        """Return what was said of an answer, or None if nothing was: scoring without calls."""
        found = self.by_key.get((instance_id, epoch))
        return found.scores if found else None


def read_judgements(path: Path) -> Judgements:
    """Read a file of judgements (``.jsonl``, ``.jsonl.gz``).

    Raises:
        Refusal: the file can't be read at all; lines that are no judgement are reported.
    """
    by_key: dict[Key, Judgement] = {}
    problems: list[Problem] = []
    duplicates: list[Problem] = []
    for where, record in read_lines(path):
        judgement = record if isinstance(record, Problem) else _judgement(where, record)
        if isinstance(judgement, Problem):
            problems.append(judgement)
            continue
        if judgement.key in by_key:
            found = f"a further judgement of {judgement.instance_id}, epoch {judgement.epoch}"
            duplicates.append(Problem(where, found, "one of each answer; the last counts"))
        by_key[judgement.key] = judgement
    return Judgements(by_key, tuple(problems), tuple(duplicates))


def write_judgements(path: Path, judgements: Iterable[Judgement]) -> None:
    """Write a file of judgements, whole or not at all.

    Raises:
        Refusal: it can't be written.
    """
    half = path.with_name(path.name + ".part")
    try:
        with half.open("w", encoding="utf-8", newline="\n") as out:
            out.writelines(judgement.line() for judgement in judgements)
        half.replace(path)
    except OSError as error:
        raise refuse_os_error(error, path) from None


def _judgement(where: str, record: Mapping[str, Json]) -> Judgement | Problem:
    answer = read_key(where, record)
    if isinstance(answer, Problem):
        return answer
    instance_id, epoch = answer
    judge = record.get("judge")
    if not isinstance(judge, str) or not judge:
        return Problem(where, f"/judge is {short(judge)}", "the judge's name")
    reasons = record.get("reasons", {})
    if not isinstance(reasons, dict) or not all(isinstance(text, str) for text in reasons.values()):
        return Problem(where, f"/reasons is {short(reasons)}", "an object of texts")
    scores = record.get("scores")
    if not isinstance(scores, dict):
        return Problem(where, f"/scores is {short(scores)}", "an object with s1 to e5")
    for key in dict.fromkeys((*KEYS, *scores)):
        if key not in scores:
            return Problem(where, f"/scores lacks {key}", "s1 to e5, null where it doesn't apply")
        if key not in KEYS:
            return Problem(where, f"/scores has {short(key)}", "no keys but s1 to e5")
        if scores[key] is not None and not is_score(key, scores[key]):
            return Problem(
                where, f"/scores/{key} is {short(scores[key])}", f"{allowed(key)}, or null"
            )
    return Judgement(
        instance_id,
        judge,
        {key: nan if scores[key] is None else float(scores[key]) for key in KEYS},
        reasons,
        epoch,
    )


def is_score(key: str, score: Json) -> bool:
    """Tell whether an item can have this score."""
    if isinstance(score, bool) or not isinstance(score, (int, float)):
        return False
    levels = _LEVELS[key]
    return 0 <= score <= 1 if levels is None else score in levels


def allowed(key: str) -> str:
    """Return the scores that an item can have, in words."""
    levels = _LEVELS[key]
    if levels is None:
        return "a number from 0 to 1"
    texts = [f"{level:g}" for level in levels]
    return f"{', '.join(texts[:-1])} or {texts[-1]}"


_LEVELS: Mapping[str, tuple[float, ...] | None] = {item.key: item.levels for item in ITEMS}
