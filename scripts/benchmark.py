"""Measures the toolkit, in one run, against what the machine can do.

    python scripts/benchmark.py                      everything (about ten minutes)
    python scripts/benchmark.py --quick              small sizes (about a minute)
    python scripts/benchmark.py stages detectors     some sections only

Sections: ``corpus`` (what the embedded source is like), ``provenance`` (precision and recall
of edges), ``stages`` (microseconds a row, and the ratio to orjson's parse and dump of the
same bytes), ``matrix`` (kinds injected against kinds certified), ``detectors`` (blind
precision and recall by kind), ``workers`` (rows a second), ``memory`` (peak of the largest
process), ``paper`` (the paper's sizes), ``scoring`` (predictions a second, and the ratio to
parsing the same files).

Provenance on hand-labelled trajectories needs PARARECOVER_SAMPLES.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import orjson

from builder.levels import Recipe, Source, build_row, examine, feasible_rounds, last_rounds
from builder.parquet import schema, tabulate
from certify.row import certify_row, found_errors
from environment.world import World
from plan.execution import Observation
from plan.row import INJECTED, Row
from plan.state import Round, State
from plan.task import Plan
from plan.tool import Tool
from source_button.ingest import Parsed, parse_line
from source_button.provenance import infer
from source_button.strict_json import parse
from source_button.synthesis import synthesize_one, truth
from source_button.trajectory import Trajectory, read_record
from taxonomy.registry import kinds

SEED = 0
KINDS = list(kinds())
PAPER_ROWS = {"level1": 2612, "level2": 5202}


def main() -> None:
    """Run the sections that were asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sections", nargs="*", metavar="SECTION", help="default: all")
    parser.add_argument("--quick", action="store_true", help="small sizes")
    options = parser.parse_args()
    unknown = set(options.sections) - SECTIONS.keys()
    if unknown:
        parser.error(f"no section {', '.join(sorted(unknown))}; there are {', '.join(SECTIONS)}")
    for name, section in SECTIONS.items():
        if not options.sections or name in options.sections:
            print(f"\n== {name}", flush=True)
            section(options.quick)


def _print_table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    texts = [[str(cell) for cell in row] for row in (head, *rows)]
    widths = [max(len(row[column]) for row in texts) for column in range(len(head))]
    for row in texts:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        print("  ".join(cells))


# What the embedded source is like, and how well its data flow is found -----------------------


def corpus(quick: bool) -> None:
    """Mean depth, width and calls of synthesised trajectories."""
    count = 500 if quick else 2000
    depths, widths, calls = [], [], []
    sets: Counter[tuple[str, ...]] = Counter()
    for source in _sources(count):
        layers = Counter(source.clean.layers.values())
        depths.append(len(layers))
        widths.append(max(layers.values()))
        calls.append(len(source.clean.calls))
        sets[tuple(sorted({call.name for call in source.clean.calls.values()}))] += 1
    _print_table(
        ("of one trajectory", "mean", "least", "most"),
        [
            (name, f"{statistics.mean(values):.2f}", min(values), max(values))
            for name, values in (("depth", depths), ("width", widths), ("calls", calls))
        ],
    )
    print(f"{count} trajectories, {len(sets)} sets of called tools")


def provenance(quick: bool) -> None:
    """Precision and recall of edges, by distinct pairs."""
    counts: dict[str, Counter[tuple[str, str]]] = {"embedded": Counter()}
    for index in range(300 if quick else 2000):
        parsed = parse_line(synthesize_one(index, seed=SEED), "embedded", index + 1)
        assert isinstance(parsed, Parsed), parsed
        _compare(parsed, truth(index, seed=SEED), counts["embedded"])
    samples = os.environ.get("PARARECOVER_SAMPLES")
    if samples is None:
        print("PARARECOVER_SAMPLES is not set: hand-labelled trajectories are left out")
    else:
        counts["hand-labelled"] = Counter()
        folder = Path(samples) / "button"
        lines = (folder / "button_gold.jsonl").read_bytes().split(b"\n")
        for text in (folder / "button_gold_edges.jsonl").read_bytes().splitlines():
            label = json.loads(text)
            parsed = parse_line(lines[label["line"]], "gold", label["line"] + 1)
            assert isinstance(parsed, Parsed), parsed
            _compare(parsed, label["edges"], counts["hand-labelled"])
            found = {(edge.before, edge.after) for edge in parsed.clean.edges}
            for pair in label["independent_pairs"]:
                counts["hand-labelled"]["independent", "wrong"] += tuple(pair) in found
    for name, count in counts.items():
        print(name)
        _print_table(
            ("edges", "right", "wrong", "missed", "precision", "recall"),
            [
                (
                    kind,
                    right := count[kind, "right"],
                    wrong := count[kind, "wrong"],
                    missed := count[kind, "missed"],
                    f"{right / max(right + wrong, 1):.4f}",
                    f"{right / max(right + missed, 1):.4f}",
                )
                for kind in ("data", "computed", "order")
            ],
        )
    if samples is not None:
        wrong = counts["hand-labelled"]["independent", "wrong"]
        print(f"edges between certainly independent pairs: {wrong}")


def _compare(
    parsed: Parsed, edges: Sequence[dict[str, Any]], counts: Counter[tuple[str, str]]
) -> None:
    for kind in ("data", "computed", "order"):
        true = {(edge["from"], edge["to"]) for edge in edges if edge["kind"] == kind}
        found = {(edge.before, edge.after) for edge in parsed.clean.edges if edge.kind == kind}
        counts[kind, "right"] += len(true & found)
        counts[kind, "wrong"] += len(found - true)
        counts[kind, "missed"] += len(true - found)


# Where the time goes --------------------------------------------------------------------------


class _Clock:
    """Adds up the processor seconds of named stages; what else runs doesn't count."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)

    @contextmanager
    def measure(self, stage: str) -> Iterator[None]:
        start = time.process_time()
        yield
        self.seconds[stage] += time.process_time() - start


def stages(quick: bool) -> None:
    """Microseconds a row in each stage, one core, and the ratio to orjson on the same bytes."""
    count = 150 if quick else 600
    lines = [synthesize_one(index, seed=SEED) for index in range(count)]
    for level, rounds in (("level1", 1), ("level2", 3)):
        _measure_level(level, rounds, lines[: count // 10], silent=True)
        _measure_level(level, rounds, lines, silent=False)


def _measure_level(level: str, rounds: int, lines: Sequence[bytes], *, silent: bool) -> None:
    import io

    import pyarrow.parquet as pq

    clock = _Clock()
    lots = Random(SEED)
    rows: list[Row] = []
    used: list[bytes] = []
    failed = 0
    executing = _timed_execution(clock)
    for number, line in enumerate(lines, 1):
        with clock.measure("parse"):
            read = read_record(parse(line))
        assert isinstance(read, Trajectory)
        with clock.measure("provenance"):
            infer(read)
        parsed = parse_line(line, "embedded", number)
        assert isinstance(parsed, Parsed)
        with clock.measure("survey"):
            clean = parsed.clean.canonical()
            bare = Source(clean, "embedded", f"embedded-0:{number}", f"q-{number}")
            masks = examine(bare)
            assert not isinstance(masks, str), masks
        source = Source(clean, "embedded", bare.source_id, bare.query_id, masks)
        row = None
        while row is None:
            wanted = _draw(lots, source, rounds)
            executing(True)
            with clock.measure("perturb"):
                made = build_row(source, Recipe(level, wanted, failed, SEED))
            executing(False)
            if isinstance(made, Row):
                row = made
            else:
                failed += 1
        with clock.measure("certify"):
            assert certify_row(row) == []
        rows.append(row)
        used.append(line)
    with clock.measure("write"):
        pq.write_table(tabulate(rows), io.BytesIO(), compression="zstd", compression_level=3)
    records = [orjson.dumps(row.to_record()) for row in rows]
    with clock.measure("orjson"):
        for record, line in zip(records, used, strict=True):
            orjson.loads(line)
            orjson.dumps(orjson.loads(record))
    if silent:
        return
    seconds = clock.seconds
    seconds["perturb"] -= seconds["execute"]
    names = ("parse", "provenance", "survey", "perturb", "execute", "certify", "write")
    total = sum(seconds[name] for name in names)
    print(f"{level}, {rounds} error(s) a row, {len(rows)} rows, {failed} recipes that failed")
    _print_table(
        ("stage", "us a row", "%"),
        [
            (name, f"{seconds[name] / len(rows) * 1e6:.0f}", f"{seconds[name] / total * 100:.0f}")
            for name in names
        ]
        + [("all", f"{total / len(rows) * 1e6:.0f}", "100")],
    )
    size = (sum(map(len, records)) + sum(map(len, used))) / len(rows)
    floor = seconds["orjson"] / len(rows) * 1e6
    print(
        f"orjson, parse and dump of the same {size / 1024:.1f} KiB: {floor:.0f} us; "
        f"ratio {total / seconds['orjson']:.0f}"
    )
    assert len(schema()) == len(rows[0].to_record())


def _draw(lots: Random, source: Source, rounds: int) -> tuple[str, ...]:
    assert source.masks is not None
    size = min(rounds, len(source.masks))
    while True:
        wanted = tuple(lots.choice(KINDS) for _ in range(size))
        if last_rounds(source.masks, wanted):
            return wanted


def _timed_execution(clock: _Clock) -> Callable[[bool], None]:
    """Return a switch that counts the environment's rounds as a stage of their own."""
    run = World.run

    def timed(*args: Any) -> Any:
        with clock.measure("execute"):
            return run(*args)

    def switch(on: bool) -> None:
        # A method is replaced for the length of one call, so that a stage within is timed.
        World.run = timed if on else run  # type: ignore[method-assign, assignment]  # see above

    return switch


# Whether the labels are true, and what can be seen blind --------------------------------------


def _sources(count: int) -> Iterator[Source]:
    for index in range(count):
        parsed = parse_line(synthesize_one(index, seed=SEED), "embedded", index + 1)
        assert isinstance(parsed, Parsed), parsed
        clean = parsed.clean.canonical()
        bare = Source(clean, "embedded", f"embedded-{SEED}:{index + 1}", f"q-{index}")
        yield Source(clean, "embedded", bare.source_id, bare.query_id, feasible_rounds(bare))


def _rows(count: int) -> Iterator[tuple[str, Row]]:
    """Yield LEVEL-1 rows of every kind that each plan allows."""
    for source in _sources(count):
        for kind in KINDS:
            assert source.masks is not None
            if last_rounds(source.masks, (kind,)):
                row = build_row(source, Recipe("level1", (kind,), 0, SEED))
                if isinstance(row, Row):
                    yield kind, row


def matrix(quick: bool) -> None:
    """Kinds injected (down) against kinds that the certificate finds by itself (across)."""
    found: Counter[tuple[str, str]] = Counter()
    for kind, row in _rows(30 if quick else 200):
        for change in found_errors(row):
            found[kind, change.kind] += 1
    _print_table(
        ("injected", *(str(number) for number in range(1, len(KINDS) + 1))),
        [
            (f"{number:2} {kind}", *(found[kind, other] or "." for other in KINDS))
            for number, kind in enumerate(KINDS, 1)
        ],
    )
    off = sum(count for (a, b), count in found.items() if a != b)
    print(f"{sum(found.values())} errors found, {off} of them off the diagonal")


def detectors(quick: bool) -> None:
    """Blind precision and recall by kind on LEVEL-1 rows, false alarms on clean states.

    A finding counts as right where it names the kind and the node of the injected error,
    and is at least half sure.
    """
    right: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    rows: Counter[str] = Counter()
    alarms: Counter[str] = Counter()
    clean_states = 0
    for source in _sources(30 if quick else 150):
        for wanted in ((), *((kind,) for kind in KINDS)):
            assert source.masks is not None
            if not last_rounds(source.masks, wanted):
                continue
            row = build_row(source, Recipe("level1", wanted, 0, SEED))
            if not isinstance(row, Row):
                continue
            state = _state(row)
            seen = {
                (finding.kind, finding.node)
                for kind in kinds().values()
                for finding in kind.detect(state)
                if finding.confidence >= 0.5
            }
            if not wanted:
                clean_states += 1
                alarms.update({kind for kind, _ in seen})
                continue
            rows[wanted[0]] += 1
            true = {(one.kind, one.node) for one in row.errors if one.origin == INJECTED}
            right[wanted[0]] += bool(true & seen)
            # What follows from an error is no false alarm of another kind's detector.
            touched = {one.node for one in row.errors} | {
                node for one in row.errors for node in one.affected
            }
            wrong.update({kind for kind, node in seen - true if node not in touched})
    _print_table(
        ("kind", "rows", "recall", "precision", "false alarms on clean states"),
        [
            (
                kind,
                rows[kind],
                f"{right[kind] / max(rows[kind], 1):.3f}",
                f"{right[kind] / max(right[kind] + wrong[kind], 1):.3f}",
                f"{alarms[kind]} of {clean_states}",
            )
            for kind in KINDS
        ],
    )


def _state(row: Row) -> State:
    """Return the state that a row's input columns show."""
    return State(
        row.t,
        row.query,
        {tool["name"]: Tool.from_json(tool) for tool in orjson.loads(row.tools)},
        Plan.from_json(orjson.loads(row.plan)),
        tuple(map(Observation.from_json, orjson.loads(row.observations))),
        tuple(map(Round.from_json, orjson.loads(row.history))),
    )


# The real commands ----------------------------------------------------------------------------


def _build(level: str, rows: int, workers: int, *more: str) -> tuple[float, float]:
    """Run a build in a new process; return its seconds and the peak MB of its largest one."""
    folder = Path(tempfile.mkdtemp())
    command = [
        sys.executable, "-c", "from builder.commands import main; main()",
        f"build-{level}", "--size", str(rows), "--workers", str(workers), "--quiet",
        "--out", str(folder / "out"), *more,
    ]  # fmt: skip
    if level == "level2":
        command += ["--rounds", "3"]
    start = time.perf_counter()
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - start
    shutil.rmtree(folder)
    # 1 means done, with attempts that went wrong and were made up for, which it has told.
    if process.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)}: exit code {process.returncode}")
    return seconds, usage.ru_maxrss / 1024


def workers(quick: bool) -> None:
    """Rows a second with one and two workers, synthesis and certificates included."""
    rows = 300 if quick else 2000
    table = []
    for level in PAPER_ROWS:
        one, _ = _build(level, rows, 1)
        two, _ = _build(level, rows, 2)
        table.append((level, f"{rows / one:.0f}", f"{rows / two:.0f}", f"{one / two:.2f}"))
    _print_table(("level", "rows/s, 1 worker", "rows/s, 2 workers", "ratio"), table)


def memory(quick: bool) -> None:
    """Peak memory of the largest process of a build, by number of rows."""
    for rows in (300, 1000) if quick else (1_000, 10_000, 100_000):
        seconds, peak = _build("level2", rows, 2)
        print(f"{rows:7} rows, {seconds:6.1f} s, {peak:4.0f} MB at most", flush=True)


def paper(quick: bool) -> None:
    """Both levels in the paper's sizes, two workers."""
    share = 10 if quick else 1
    total = 0.0
    for level, rows in PAPER_ROWS.items():
        seconds, _ = _build(level, rows // share, 2)
        total += seconds
        print(f"{level}: {rows // share} rows in {seconds:.1f} s")
    print(f"both: {total:.1f} s")


# How fast answers are scored -------------------------------------------------------------------


def scoring(quick: bool) -> None:
    """Predictions a second by the rules, one core, and the ratio to json on the same files.

    The answers are the gold plans, with a thought that names the damaged tasks.
    """
    from scoring.case import Case
    from scoring.grading import by_rules, grade
    from scoring.metrics import Result, summarize
    from scoring.predictions import read_predictions
    from scoring.rows import find_files, read_rows

    judges = [by_rules()]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        count = _write_answers(folder, 100 if quick else 400)
        size = sum(path.stat().st_size for path in folder.iterdir()) / count

        def score() -> list[Result]:
            predictions = read_predictions(folder / "answers.jsonl")
            results = [
                result
                for file in find_files(folder / "rows.jsonl")
                for _, record in read_rows(file)
                if isinstance(record, dict)
                for grades in grade(Case.from_record(record), predictions, judges)
                for result in grades.results.values()
            ]
            assert summarize(results).overall.answers == count
            return results

        def parse_lines() -> None:
            for path in folder.iterdir():
                with path.open("rb") as file:
                    for line in file:
                        json.loads(line)

        def parse_columns() -> None:
            for row in rows:
                for column in (
                    "tools",
                    "history",
                    "plan",
                    "observations",
                    "clean_plan",
                    "gold_plan",
                ):
                    json.loads(row[column])

        rows = [json.loads(line) for line in (folder / "rows.jsonl").read_bytes().splitlines()]
        results = score()
        lines = _least(parse_lines)
        stages = (
            ("json, lines of both files", lines),
            ("json, the rows' columns too", lines + _least(parse_columns)),
            ("read, judge, sum up", _least(score)),
            ("1,000 resamples", _least(lambda: summarize(results, resamples=1000))),
        )
    print(f"{count} answers, {size / 1024:.1f} KiB of row and prediction each")
    _print_table(
        ("", "us an answer", "answers a second", "ratio"),
        [
            (words, f"{spent / count * 1e6:.0f}", f"{count / spent:.0f}", f"{spent / lines:.1f}")
            for words, spent in stages
        ],
    )


def _least(work: Callable[[], object]) -> float:
    """Return the processor seconds of the fastest of three times."""
    spent = []
    for _ in range(3):
        start = time.process_time()
        work()
        spent.append(time.process_time() - start)
    return min(spent)


def _write_answers(folder: Path, count: int) -> int:
    """Write rows of both levels and the answers to them; return how many there are."""
    lots = Random(SEED)
    written = 0
    with (folder / "rows.jsonl").open("wb") as rows, (folder / "answers.jsonl").open("wb") as out:
        for source in _sources(count):
            for level, rounds in (("level1", 1), ("level2", 3)):
                row = build_row(source, Recipe(level, _draw(lots, source, rounds), 0, SEED))
                if not isinstance(row, Row):
                    continue
                nodes = ", ".join(error.node for error in row.errors)
                thought = f"Something went wrong at {nodes}."
                output = f"<thought>{thought}</thought><plan>{row.gold_plan}</plan>"
                answer = {"instance_id": row.instance_id, "output": output}
                rows.write(orjson.dumps(row.to_record()) + b"\n")
                out.write(orjson.dumps(answer) + b"\n")
                written += 1
    return written


def agents(quick: bool) -> None:
    """Mean score of each built-in agent's first answer by the rules, 0 to 100."""
    from scoring.rubric import KEYS

    for level, rows in _both_levels(100 if quick else 500):
        print(f"{level}: {len(rows)} rows")
        names = ("oracle", "do-nothing", "restart", "blind-retry")
        _print_table(
            ("agent", *KEYS, "e5*", "solved"),
            [(name, *_shares(_mean(_answers(rows, name, {})))) for name in names],
        )


def rubric(quick: bool) -> None:
    """What the noisy oracle spoils (down) and by how much each item's mean falls (across).

    Below it, the mean of the spoilt item at shares of 0, .25, .5, .75 and 1.
    """
    from scoring.rubric import KEYS

    for level, rows in _both_levels(60 if quick else 250):
        sound = dict(_answers(rows, "oracle", {}))
        lines = []
        falls = []
        for item in KEYS:
            spoilt = dict(_answers(rows, "noisy-oracle", {item: 1.0}, item))
            before = _mean((id, sound[id]) for id in spoilt)
            after = _mean(spoilt.items())
            lost = [f"{100 * (a - b):.0f}" for a, b in zip(before[:15], after[:15], strict=True)]
            lines.append((item, len(spoilt), *lost))
            shares = [
                _mean(_answers(rows, "noisy-oracle", {item: share}))[KEYS.index(item)]
                for share in (0, 0.25, 0.5, 0.75, 1)
            ]
            falls.append((item, *_shares(shares)))
        print(f"{level}: {len(rows)} rows")
        _print_table(("spoilt", "rows", *KEYS), lines)
        _print_table(("spoilt", "0", ".25", ".5", ".75", "1"), falls)


def _both_levels(count: int) -> Iterator[tuple[str, list[Row]]]:
    lots = Random(SEED)
    for level, rounds in (("level1", 1), ("level2", 3)):
        made = (
            build_row(source, Recipe(level, _draw(lots, source, rounds), 0, SEED))
            for source in _sources(2 * count)
        )
        yield level, [row for row in made if isinstance(row, Row)][:count]


def _answers(
    rows: Sequence[Row], agent: str, shares: Mapping[str, float], spoilt: str | None = None
) -> Iterator[tuple[str, list[float]]]:
    """Yield (instance id, the fifteen scores, E5*, solved) of an agent's first answers.

    With ``spoilt``, only of those in which that item could be spoilt.
    """
    from builder.playing import begin
    from environment.agents.noise import NoisyOracle
    from environment.agents.roster import make_agent
    from scoring.answer import read_text
    from scoring.case import Case
    from scoring.rule_judge import efficacy_star, judge
    from scoring.simulation import run_static

    for row in rows:
        episode = begin(row)
        player = make_agent(agent, episode, Random(row.seed), shares)
        output = player.answer(episode.state)
        if spoilt and not (isinstance(player, NoisyOracle) and spoilt in player.spoilt):
            continue
        case, answer = Case.from_record(row.to_record()), read_text(output)
        solved = float(run_static(case, answer).solved)
        yield row.instance_id, [*judge(case, answer).values(), efficacy_star(case, answer), solved]


def _mean(answers: Iterable[tuple[str, list[float]]]) -> list[float]:
    columns = zip(*(values for _, values in answers), strict=True)
    return [sum(column) / len(column) for column in columns]


def _shares(values: Sequence[float]) -> list[str]:
    return [f"{100 * value:.1f}" for value in values]


SECTIONS: dict[str, Callable[[bool], None]] = {
    "corpus": corpus,
    "provenance": provenance,
    "stages": stages,
    "matrix": matrix,
    "detectors": detectors,
    "workers": workers,
    "memory": memory,
    "paper": paper,
    "scoring": scoring,
    "agents": agents,
    "rubric": rubric,
}

if __name__ == "__main__":
    # A folder of its own would be found before the rooms otherwise.
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    main()
