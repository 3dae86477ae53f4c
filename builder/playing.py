"""Lets a built-in agent play rows, and writes its predictions.

A row's line depends on the row, the agent, the noise and the seed alone, so the bytes don't
depend on the number of workers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from random import Random

from builder.pool import Pool
from builder.refusal import Refusal
from builder.resume.files import whole, write_whole
from builder.resume.fingerprint import code, version
from builder.row_files import Hashed, choose_rows
from environment.agents.agent import play
from environment.agents.noise import NoisyOracle
from environment.agents.roster import make_agent
from environment.episode import Episode
from plan.execution import Observation
from plan.json_text import Json, dump_bytes
from plan.row import Row
from scoring.answer import plan_json, read_text
from scoring.predictions import FILE, RUN

SHARD_ROWS = 20


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be played.

    Attributes:
        agent: one of `environment.agents.roster.AGENTS`.
        rows: a build's or a release's folder, or a file of rows.
        out: the folder to write.
        level, split, limit: see `choose_rows`.
        seed: what agents draw at random follows from it.
        noise: of the noisy oracle, each item's share of spoilt answers.
    """

    agent: str
    rows: Path
    out: Path
    level: str | None = None
    split: str | None = None
    limit: int | None = None
    seed: int = 0
    noise: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Played:
    """One row as played: its line of the predictions file and what is counted of it."""

    line: bytes
    level: str
    reached: bool
    solved: bool
    rounds: int
    calls: int
    spoilt: tuple[str, ...]


@dataclass(slots=True)
class Tally:
    """How the episodes of some rows ended.

    ``rounds`` and ``calls`` are sums over the rows, those before the agent included.
    """

    rows: int = 0
    reached: int = 0
    solved: int = 0
    rounds: int = 0
    calls: int = 0

    def add(self, played: Played) -> None:
        """Count a row."""
        self.rows += 1
        self.reached += played.reached
        self.solved += played.solved
        self.rounds += played.rounds
        self.calls += played.calls

    def to_json(self) -> dict[str, Json]:
        """Return counts of rows, and means over them."""
        return {
            "rows": self.rows,
            "reached": self.reached,
            "solved": self.solved,
            "mean_rounds": self.rounds / self.rows,
            "mean_calls": self.calls / self.rows,
        }


def run_agent(request: Request, workers: int, advance: Callable[[int], None]) -> dict[str, Json]:
    """Play the rows and write ``predictions.jsonl`` and ``run.json``; return the latter.

    Args:
        request: what to play.
        workers: processes.
        advance: called with the number of rows that have been played since.

    Raises:
        Refusal: the folder isn't empty, there are no rows, or one can't be played.
    """
    created = _claim(request.out)
    try:
        run = _run(request, workers, advance)
    except BaseException:
        if created and not any(request.out.iterdir()):
            request.out.rmdir()
        raise
    write_whole(request.out / RUN, dump_bytes(run) + b"\n")
    return run


def _run(request: Request, workers: int, advance: Callable[[int], None]) -> dict[str, Json]:
    rows = Hashed(choose_rows(
        request.rows, level=request.level, split=request.split, limit=request.limit
    ))  # fmt: skip
    tallies: dict[str, Tally] = {}
    overall = Tally()
    spoilt: Counter[str] = Counter()
    shard = partial(play_rows, request.agent, request.seed, dict(request.noise))
    with whole(request.out / FILE) as path, path.open("wb") as file, Pool(workers) as pool:
        for done in pool.run(shard, _shards(rows)):
            for played in done:
                file.write(played.line)
                overall.add(played)
                tallies.setdefault(played.level, Tally()).add(played)
                spoilt.update(played.spoilt)
            advance(len(done))
    return {
        "agent": request.agent,
        "model": None,
        "seed": request.seed,
        "noise": dict(sorted(request.noise.items())),
        "spoilt": dict(sorted(spoilt.items())),
        "prompt": None,
        "code": code(),
        "version": version(),
        "rows": rows.digest(),
        "selection": {"level": request.level, "split": request.split, "limit": request.limit},
        "state": "complete",
        "overall": overall.to_json(),
        "levels": {level: tally.to_json() for level, tally in sorted(tallies.items())},
    }


def _shards(rows: Iterable[Row]) -> Iterator[list[Row]]:
    waiting = iter(rows)
    while shard := list(islice(waiting, SHARD_ROWS)):
        yield shard


def play_rows(agent: str, seed: int, noise: Mapping[str, float], rows: list[Row]) -> list[Played]:
    """Play rows, each with a generator of its own.

    Raises:
        Refusal: a row can't be played.
    """
    return [play_row(agent, seed, noise, row) for row in rows]


def play_row(agent: str, seed: int, noise: Mapping[str, float], row: Row) -> Played:
    """Play one row; its generator follows from the seed and the row's id."""
    digest = blake2b(dump_bytes([seed, row.instance_id, "agent"]), digest_size=16).digest()
    episode = begin(row)
    player = make_agent(agent, episode, Random(int.from_bytes(digest, "big")), noise)
    play(episode, player)
    record = episode.record(agent)
    spoilt = player.spoilt if isinstance(player, NoisyOracle) else ()
    prediction: dict[str, Json] = {
        "instance_id": row.instance_id,
        "output": record["steps"][0]["output"],
        "episode": record,
    }
    if spoilt:
        prediction["spoilt"] = list(spoilt)
    return Played(
        dump_bytes(prediction) + b"\n",
        row.level,
        record["reached"],
        record["solved"],
        record["rounds"],
        record["calls"],
        spoilt,
    )


def begin(row: Row) -> Episode:
    """Return a row's episode, having made sure that its rounds come out as the row says.

    Raises:
        Refusal: the row's text is spoilt, or its environment is another version's.
    """
    try:
        episode = Episode(row, read_plan)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise _refuse(row, f"can't be read: {error!r}") from None
    state = episode.state
    seen = {past.round: past.observations for past in state.history}
    seen[state.round] = state.observations
    for round, observations in seen.items():
        made = [done.observation() for done in episode.log if done.round == round]
        if _text(made) != _text(observations):
            raise _refuse(row, f"its calls of round {round} return something else now")
    return episode


def _text(observations: Iterable[Observation]) -> list[bytes]:
    return sorted(dump_bytes(one.to_json()) for one in observations)


def _refuse(row: Row, found: str) -> Refusal:
    return Refusal(
        row.instance_id,
        found,
        "a row as this version of pararecover builds it",
        "`pararecover certify` tells which rows are sound; build the others again",
    )


def read_plan(output: str) -> Json | None:
    """Return the plan of an agent's output as JSON, read tolerantly; None if there is none."""
    plan = read_text(output).plan
    return None if plan is None else plan_json(plan)


def _claim(out: Path) -> bool:
    """Make sure that a folder is there and empty; return whether it had to be made."""
    if out.exists() and not out.is_dir():
        raise Refusal(
            f"--out {out}", "not a folder", "a new or empty folder", "choose another name"
        )
    if not out.exists():
        out.mkdir(parents=True)
        return True
    names = []
    for path in sorted(out.iterdir()):
        # A run that was killed may have left these.
        if path.name.startswith((f".{FILE}.", f".{RUN}.")) and path.suffix == ".tmp":
            path.unlink()
        else:
            names.append(path.name)
    if names:
        raise Refusal(
            f"--out {out}",
            f"holds {', '.join(names[:3])}{', …' if len(names) > 3 else ''}",
            "a new or empty folder",
            "choose another folder; nothing was touched",
        )
    return False
