"""Reads what an agent answered to the rows, one line for each, and how its episodes went."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from scoring.answer import Answer, read_parts, read_text
from scoring.json_text import Json, loads_lenient
from scoring.lines import read_lines
from scoring.refusal import Problem, Refusal, short

FILE = "predictions.jsonl"
RUN = "run.json"
JUDGEMENTS = "judgements.jsonl"

FIRST_EPOCH = 1
"""The epoch of a line that names none."""

Key = tuple[str, int]
"""``instance_id`` and epoch."""


@dataclass(frozen=True, slots=True)
class Episode:
    """How an episode ended; see `docs/evaluate.md`.

    Attributes:
        reached: the response was executed.
        solved: reached, and every call of the clean plan made rightly.
        response_round: the absolute round in which the response ran, or None.
        calls: calls sent in all rounds, those before the agent included.
    """

    reached: bool
    solved: bool
    response_round: int | None
    calls: int

    def to_json(self) -> dict[str, Json]:
        """Return the episode as a record."""
        return {
            "reached": self.reached,
            "solved": self.solved,
            "response_round": self.response_round,
            "calls": self.calls,
        }


@dataclass(frozen=True, slots=True)
class Prediction:
    """One answer, not yet read: raw text, or thought and plan; and its episode, if any."""

    output: str | None
    thought: Json
    plan: Json
    episode: Episode | None

    def read(self) -> Answer:
        """Read the answer."""
        if self.output is not None:
            return read_text(self.output)
        return read_parts(self.thought, self.plan)


@dataclass(frozen=True, slots=True)
class Predictions:
    """The answers of one agent.

    Attributes:
        name: what tables call it.
        paths: the files.
        lines: how many lines were there that aren't blank.
        by_key: the answer to each row in each epoch; of several the last.
        epochs: every row is expected in each of them.
        has_episodes: whether any line has an episode record.
        duplicates: where an earlier answer was replaced by a later one.
        malformed: lines that hold no prediction, and episodes that are left out.
        runs: descriptions of runs that stand beside the files.
    """

    name: str
    paths: Sequence[Path]
    lines: int
    by_key: Mapping[Key, Prediction]
    epochs: tuple[int, ...]
    has_episodes: bool
    duplicates: Sequence[Problem]
    malformed: Sequence[Problem]
    runs: Sequence[Json]


def locate(path: Path) -> Path:
    """Return the file of predictions that a path means: itself, or a folder's.

    Raises:
        Refusal: there is none.
    """
    file = path / FILE if path.is_dir() else path
    if not file.is_file():
        raise Refusal(
            str(path),
            f"no {FILE} in it" if path.is_dir() else "no such file",
            f"a file of predictions, or a folder with {FILE}",
            "check the path; `pararecover run-agent` writes such a folder",
        )
    return file


def default_name(path: Path) -> str:
    """Return what to call predictions that no name was given for."""
    file = locate(path).resolve()
    return file.parent.name if file.name == FILE else file.name.partition(".")[0]


def read_predictions(*paths: Path, name: str | None = None) -> Predictions:
    """Read an agent's files of predictions, or folders with one.

    Steps of episodes are passed over: their end tells all that is scored.

    Args:
        paths: at least one.
        name: what tables call the agent; None for the first path's.

    Raises:
        Refusal: a file can't be read.
    """
    files = [locate(path) for path in paths]
    by_key: dict[Key, Prediction] = {}
    places: dict[Key, str] = {}
    duplicates: list[Problem] = []
    malformed: list[Problem] = []
    lines = 0
    for where, record in chain.from_iterable(map(read_lines, files)):
        lines += 1
        found = record if isinstance(record, Problem) else _prediction(where, record)
        if isinstance(found, Problem):
            malformed.append(found)
            continue
        key, prediction, problem = found
        if problem is not None:
            malformed.append(problem)
        if key in by_key:
            duplicates.append(
                Problem(
                    places[key],
                    f"another answer to {_named(key)} follows ({where}) and replaces it",
                    "one answer to each row in each epoch",
                )
            )
        by_key[key] = prediction
        places[key] = where
    runs = (_read_run(file.parent / RUN) for file in files if file.name == FILE)
    return Predictions(
        default_name(paths[0]) if name is None else name,
        files,
        lines,
        by_key,
        tuple(sorted({epoch for _, epoch in by_key})) or (FIRST_EPOCH,),
        any(prediction.episode is not None for prediction in by_key.values()),
        duplicates,
        malformed,
        [run for run in runs if run is not None],
    )


def _named(key: Key) -> str:
    instance_id, epoch = key
    return f"{instance_id!a}, epoch {epoch}"


def read_key(where: str, record: Mapping[str, Json]) -> Key | Problem:
    """Return which row and epoch a line is about."""
    instance_id = record.get("instance_id")
    if not isinstance(instance_id, str):
        return Problem(where, f"/instance_id is {short(instance_id)}", "a row's instance_id")
    epoch = record.get("epoch", FIRST_EPOCH)
    if not isinstance(epoch, int) or isinstance(epoch, bool):
        return Problem(where, f"/epoch is {short(epoch)}", "an integer")
    return instance_id, epoch


def _prediction(
    where: str, record: Mapping[str, Json]
) -> tuple[Key, Prediction, Problem | None] | Problem:
    """Return a line's prediction, and why its episode is left out, if it is."""
    key = read_key(where, record)
    if isinstance(key, Problem):
        return key
    output = record.get("output")
    if output is not None and not isinstance(output, str):
        return Problem(where, f"/output is {short(output)}", "the answer's text")
    if output is None and record.get("plan") is None and record.get("thought") is None:
        return Problem(where, "no answer", 'a text under "output", or "thought" and "plan"')
    episode = _episode(where, record.get("episode"))
    problem = episode if isinstance(episode, Problem) else None
    prediction = Prediction(
        output,
        None if output is not None else record.get("thought"),
        None if output is not None else record.get("plan"),
        None if isinstance(episode, Problem) else episode,
    )
    return key, prediction, problem


def _episode(where: str, record: Json) -> Episode | Problem | None:
    if record is None:
        return None
    if not isinstance(record, dict):
        return Problem(where, f"/episode is {short(record)}", "an object")
    for name in ("reached", "solved"):
        if not isinstance(record.get(name), bool):
            return Problem(where, f"/episode/{name} is {short(record.get(name))}", "true or false")
    response_round = record.get("response_round")
    if response_round is not None and not _counts(response_round, 1):
        found = f"/episode/response_round is {short(response_round)}"
        return Problem(where, found, "a round, from 1, or null")
    if not _counts(record.get("calls"), 0):
        found = f"/episode/calls is {short(record.get('calls'))}"
        return Problem(where, found, "a number of calls")
    episode = Episode(record["reached"], record["solved"], response_round, record["calls"])
    if episode.reached != (response_round is not None) or (episode.solved and not episode.reached):
        return Problem(
            where,
            "/episode: " + ", ".join(f"{key} {value}" for key, value in episode.to_json().items()),
            "a response_round where it reached the response, and only then solved",
        )
    return episode


def _counts(value: Json, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _read_run(path: Path) -> Json:
    """Return what a run's description says; None where there is none that can be read."""
    try:
        return loads_lenient(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
