"""The export itself: from rows and predictions to a folder of examples and a report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import islice
from pathlib import Path

from builder.inspect import find_files
from builder.parquet import read_rows
from builder.pool import Pool, default_workers
from builder.refusal import Refusal
from builder.resume.files import digest, whole_folder
from builder.training.choice import Entry, Given, Judge, Shard, make
from builder.training.files import Writer
from builder.training.holdout import KIN, TEST, Rows, read_places
from builder.training.predictions import (
    Index,
    Place,
    Source,
    find_sources,
    read_index,
    read_prediction,
)
from builder.training.report import render, summarise
from builder.training.request import SAVED, Request
from builder.training.tally import ADMITTED, OTHER_SPLIT, UNKNOWN, Tally
from plan.json_text import Json
from scoring.judgements import Judgements, read_judgements
from scoring.predictions import FIRST_EPOCH, JUDGEMENTS

SHARD = 16
"""Rows that one process takes at a time."""
MANY = 500
"""Answers from which further processes are worth their start."""

Progress = Callable[[str, int | None, str], AbstractContextManager[Callable[[int], None]]]


def export(
    request: Request, judge: Judge, progress: Progress, workers: int | None = None
) -> dict[str, Json]:
    """Write a training set and return its report, as ``--json`` prints it.

    Args:
        request: what is asked for.
        judge: scores an answer where there are no judgements.
        progress: makes a progress bar of words, total and unit.
        workers: processes; None for one for each processor where there is much to do.

    Raises:
        Refusal: an input can't be worked with; nothing is written.
        OSError: a file can't be read or written.
    """
    files = find_files(request.rows)
    if not files:
        raise Refusal(
            f"--rows {request.rows}",
            "no rows" if request.rows.is_dir() else "there is no such folder",
            "a build's or release's folder, with data/LEVEL/*.parquet in it",
            "give the folder that a build wrote",
        )
    sources = find_sources(request.episodes)
    judgements = [_read_judgements(source) for source in sources if request.judge == SAVED]
    with whole_folder(request.out) as folder:
        with progress("reading rows", None, "row") as advance:
            rows = read_places(files, advance)
        size = sum(source.path.stat().st_size for source in sources)
        with progress("reading answers", size, "byte") as advance:
            index = read_index(sources, advance)
        tally = Tally()
        fitting = _admit(request, rows, index, tally)
        written: list[Path] = []
        total = sum(map(len, fitting.values()))
        processes = workers or (default_workers() if total >= MANY else 1)
        with (
            progress("scoring", total, "answer") as advance,
            Pool(processes) as pool,
        ):
            for split in request.splits:
                paths = [path for own, path in rows.files if own == split]
                shards = _shards(request, judge, _gather(paths, fitting, index, judgements))
                with Writer(folder, split, request.formats, request.style) as writer:
                    for made in pool.run(make, shards):
                        tally.add(made.tally)
                        tally.examples[split] += len(made.examples)
                        for example in made.examples:
                            writer.write(example)
                            tally.measure(example)
                        advance(made.answers)
                written += writer.files
        summary = summarise(request, index, judgements, tally)
        summary["files"] = [
            {"path": path.name, "sha256": hash, "bytes": size}
            for path in written
            for hash, size in [digest(path)]
        ]
        (folder / REPORT).write_text(render(summary), encoding="utf-8")
    return summary


REPORT = "report.md"


def _read_judgements(source: Source) -> Judgements:
    path = source.path.parent / JUDGEMENTS
    if not path.is_file():
        raise Refusal(
            f"--episodes {source.given}",
            f"no {JUDGEMENTS} beside the predictions",
            "a judge's saved scores, as `pararecover evaluate` writes them",
            "save them there, or leave out --judge saved and have the rule judge score",
        )
    return read_judgements(path)


def _admit(request: Request, rows: Rows, index: Index, tally: Tally) -> dict[str, list[Place]]:
    """Return the predictions whose rows may be trained on, and count all others."""
    admitted: dict[str, list[Place]] = {}
    for id, places in index.places.items():
        place = rows.place.get(id, UNKNOWN)
        if place in request.splits:
            admitted[id] = places
            place = ADMITTED
        elif place not in (TEST, KIN, UNKNOWN):
            place = OTHER_SPLIT
        tally.lines[place] += len(places)
    return admitted


def _gather(
    paths: Sequence[Path],
    fitting: Mapping[str, Sequence[Place]],
    index: Index,
    judgements: Sequence[Judgements],
) -> Iterator[Entry]:
    """Yield each row that has predictions, with all of them."""
    for path in paths:
        for row in read_rows(path):
            given = []
            for place in fitting.get(row.instance_id, ()):
                prediction = read_prediction(index, place)
                epoch = prediction.get("epoch", FIRST_EPOCH)
                scores = (
                    judgements[place.source].scores(row.instance_id, epoch) if judgements else None
                )
                given.append(Given(index.sources[place.source].agent, prediction, scores))
            if given:
                yield row, tuple(given)


def _shards(request: Request, judge: Judge, entries: Iterable[Entry]) -> Iterator[Shard]:
    left = iter(entries)
    while some := tuple(islice(left, SHARD)):
        yield Shard(request, judge, some)
