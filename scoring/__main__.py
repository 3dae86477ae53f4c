"""``python -m scoring``: scores predictions against rows and prints or writes the figures."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn, TextIO

from scoring import rule_judge
from scoring.case import Case
from scoring.grading import MISSING, UNPARSABLE, Judge, by_file, by_rules, grade
from scoring.json_text import Json
from scoring.judgements import Judgements, read_judgements
from scoring.lines import refuse_os_error
from scoring.metrics import Result, Summary, summarize
from scoring.predictions import JUDGEMENTS, Predictions, default_name, read_predictions
from scoring.refusal import Problem, Refusal, listed
from scoring.rows import SPLITS, RowFile, find_files, read_rows
from scoring.tables import (
    FORMATS,
    Table,
    efficacy_table,
    efficiency_table,
    figures_table,
    items_table,
    judges_table,
    kinds_table,
    models_table,
)

VERSION = "0.1.0"

DONE = 0
FAULTY = 1
REFUSED = 2
INTERRUPTED = 130

SAVED = "saved"
SUMMARY = "summary.json"
SCORES = "scores.jsonl"
TABLES = "tables"
_WORK = ".part"

_DESCRIPTION = """\
Score answers to damaged plans by the fifteen items of the SDE rubric.

Every row counts: one without a prediction scores 0, and so does, in all that asks for a
plan, an answer whose plan can't be read. Of two answers to a row the last counts. All
figures are from 0 to 100; docs/rubric.md says what each is.
"""

_EPILOG = """\
examples:
  python -m scoring --rows level1-seed0 --predictions runs/oracle
  python -m scoring --rows level1-seed0 --split test --predictions answers.jsonl --out scored
  python -m scoring --rows release --predictions small=a.jsonl --predictions large=b.jsonl
  python -m scoring --rows rows.jsonl.gz --predictions a.jsonl --json
  python -m scoring --rows release --predictions runs/gpt --judge saved --judge rule

a line of PREDICTIONS:
  {"instance_id": "level1-3f0c", "output": "<thought>…</thought><plan>{…}</plan>"}
or "thought" and "plan" instead of "output"; "epoch" where a row is answered several times;
"episode" where the plan was run to its end.

exit codes:
  0 done   1 --strict, and predictions are missing or can't be used   2 bad usage or input
"""


@dataclass(slots=True)
class _Agent:
    """An agent on the way: its predictions, its judges, and what has been found so far."""

    predictions: Predictions
    judges: Sequence[Judge]
    counts: Counter[str] = field(default_factory=Counter)
    results: dict[str, list[Result]] = field(default_factory=dict)
    unknown: set[str] = field(default_factory=set)


def main(words: Sequence[str] | None = None) -> NoReturn:
    """Run the command and exit."""
    options = _parser().parse_args(words)
    for stream in (sys.stdout, sys.stderr):
        # A terminal without the paper's arrows shows their codes.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # real streams
    try:
        code = _run(options)
        sys.stdout.flush()
    except Refusal as error:
        print(f"Error: {error}", file=sys.stderr)
        code = REFUSED
    except BrokenPipeError:
        # The reader has gone (`| head`); the interpreter must not try to flush again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = DONE
    except OSError as error:
        print(f"Error: {refuse_os_error(error, Path(options.out or '.'))}", file=sys.stderr)
        code = REFUSED
    except KeyboardInterrupt:
        print("\nStopped; nothing was written.", file=sys.stderr)
        code = INTERRUPTED
    sys.exit(code)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m scoring",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add(
        "--rows",
        required=True,
        action="append",
        type=Path,
        metavar="ROWS",
        help="a file of rows (.jsonl, .jsonl.gz, .parquet) or the folder of a build or release; "
        "again for more",
    )
    add(
        "--predictions",
        required=True,
        action="append",
        metavar="[NAME=]PRED",
        help="a file of predictions, or the folder of a run; again for other agents, or with the "
        "same NAME for more of one",
    )
    add("--split", choices=SPLITS, help="only rows of this split [default: all]")
    add("--level", metavar="LEVEL", help="only rows of this level: level1 or level2")
    add(
        "--judge",
        action="append",
        metavar="JUDGE",
        help="who scores: `rule`; `saved`, the judgements.jsonl beside each PRED; or "
        "[NAME=]FILE, a file of judgements (NAME where there are several agents). Again for "
        "more: the first counts, and a table compares them [default: rule]",
    )
    add("--out", type=Path, metavar="DIR", help="write scores, summary and tables here")
    add(
        "--bootstrap",
        type=_count,
        default=1000,
        metavar="N",
        help="resamples for the 95 %% confidence intervals; 0 for none [default: 1000]",
    )
    add("--seed", type=_count, default=0, metavar="S", help="of the resamples [default: 0]")
    add("--strict", action="store_true", help="exit with 1 if predictions can't be used as given")
    add("--json", action="store_true", help="print everything as one JSON object")
    add("--quiet", "-q", action="store_true", help="no progress and no tables")
    add("--version", action="version", version=f"scoring {VERSION}")
    return parser


def _count(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = -1
    if number < 0:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a whole number from 0")
    return number


def _run(options: argparse.Namespace) -> int:
    files = [
        file
        for path in options.rows
        for file in find_files(path, split=options.split, level=options.level)
    ]
    show = _progress(options.quiet)
    with ExitStack() as stack:
        stack.callback(show, "")
        agents = _agents(options.predictions, options.judge or [rule_judge.NAME], show)
        work = None if options.out is None else stack.enter_context(_Folder(options.out))
        sinks: dict[str, TextIO] = {}
        if work is not None:
            for name in agents:
                sinks[name] = stack.enter_context(work.open(_of_agent(SCORES, name, len(agents))))
        rows = _score_rows(options, files, agents, sinks, show)
        summaries = {name: _summarize(agent, options, show) for name, agent in agents.items()}
        report = _report(agents, summaries, rows, options)
        tables = _tables(summaries)
        if work is not None:
            for sink in sinks.values():
                sink.close()
            _write(work, report, tables)
    narrowed = options.split is not None or options.level is not None
    faulty = [_warn(name, agent, narrowed) for name, agent in agents.items()]
    if options.json:
        print(json.dumps(report))
    elif not options.quiet:
        shown = ["models", "efficiency", "judges", *(["figures"] if len(agents) == 1 else [])]
        print("\n".join(tables[name].to_text() for name in shown if name in tables), end="")
    return FAULTY if options.strict and any(faulty) else DONE


def _score_rows(
    options: argparse.Namespace,
    files: Sequence[RowFile],
    agents: Mapping[str, _Agent],
    sinks: Mapping[str, TextIO],
    show: Callable[[str], None],
) -> int:
    """Grade all answers row by row, so that one row is in memory; return how many rows."""
    seen: dict[str, str] = {}
    faults: list[Problem] = []
    for where, case in _cases(files, options.level):
        if isinstance(case, Problem):
            faults.append(case)
        elif case.instance_id in seen:
            found = f"the instance_id {case.instance_id!a} of {seen[case.instance_id]} again"
            faults.append(Problem(where, found, "each row once"))
        else:
            seen[case.instance_id] = where
            for name, agent in agents.items():
                _grade(case, agent, sinks.get(name))
            if len(seen) % 50 == 0:
                show(f"{len(seen):,} rows scored")
    _refuse_rows(options, faults, len(seen))
    for agent in agents.values():
        agent.unknown = {id for id, _ in agent.predictions.by_key} - seen.keys()
    return len(seen)


def _summarize(
    agent: _Agent, options: argparse.Namespace, show: Callable[[str], None]
) -> dict[str, Summary]:
    return {
        judge: summarize(
            results,
            resamples=options.bootstrap,
            seed=options.seed,
            advance=lambda done, total: show(f"confidence intervals, {done} of {total}"),
        )
        for judge, results in agent.results.items()
    }


def _progress(quiet: bool) -> Callable[[str], None]:
    """Return what shows how far things are, on a terminal; "" wipes it away."""
    if quiet or not sys.stderr.isatty():
        return lambda words: None
    return lambda words: print(f"\r\033[K{words}", end="", file=sys.stderr, flush=True)


# What there is to score ------------------------------------------------------------------------


def _agents(
    predictions: Sequence[str], judges: Sequence[str], show: Callable[[str], None]
) -> dict[str, _Agent]:
    paths: dict[str, list[Path]] = {}
    for text in predictions:
        given, path = _named(text)
        name = default_name(path) if given is None else given
        alike = [other for other in paths if _file_name(other) == _file_name(name)]
        if alike and (given is None or alike != [name]):
            raise Refusal(
                f"--predictions {text}",
                f"named {name!a}, as others are",
                "a name of its own for each agent",
                f"say --predictions NAME={path}; one NAME may have several files",
            )
        paths.setdefault(name, []).append(path)
    show("reading predictions")
    found = {name: read_predictions(*own, name=name) for name, own in paths.items()}
    chosen: dict[str, list[Judge]] = {name: [] for name in found}
    for text in judges:
        for name, judge in _judges(text, found):
            if judge.name in (other.name for other in chosen[name]):
                raise Refusal(
                    f"--judge {text}",
                    f"{name} has a judge {judge.name!a} already",
                    "judges of different names",
                    "leave one out",
                )
            chosen[name].append(judge)
    for name, own in chosen.items():
        if not own:
            raise Refusal(
                "--judge", f"none for {name}", "one for each agent", f"say --judge {name}=FILE"
            )
    return {
        name: _Agent(found[name], own, results={judge.name: [] for judge in own})
        for name, own in chosen.items()
    }


def _judges(text: str, agents: Mapping[str, Predictions]) -> Iterator[tuple[str, Judge]]:
    """Yield an agent and its judge for each agent that a --judge is about."""
    if text == rule_judge.NAME:
        for name in agents:
            yield name, by_rules()
        return
    if text == SAVED:
        for name, agent in agents.items():
            yield name, _judge_of([path.parent / JUDGEMENTS for path in agent.paths])
        return
    given, path = _named(text)
    if given is None and len(agents) > 1:
        raise Refusal(
            f"--judge {text}",
            f"one file of judgements for {len(agents)} agents",
            "whose answers it judges",
            f"say --judge NAME={text}, NAME one of {', '.join(agents)}",
        )
    target = next(iter(agents)) if given is None else given
    if target not in agents:
        raise Refusal(
            f"--judge {text}",
            f"no predictions are named {target!a}",
            f"one of {', '.join(agents)}",
            "give their name",
        )
    yield target, _judge_of([path])


def _judge_of(paths: Sequence[Path]) -> Judge:
    files = [read_judgements(path) for path in paths]
    by_key = {key: one for file in files for key, one in file.by_key.items()}
    problems = [problem for file in files for problem in file.problems]
    if problems or not by_key:
        raise Refusal(
            "--judge " + " ".join(map(str, paths)),
            f"{len(problems)} lines are no judgement\n{listed(problems)}"
            if problems
            else "no judgements",
            "lines as a judge writes them",
            "judge again, or take the lines out",
        )
    return by_file(Judgements(by_key))


def _named(text: str) -> tuple[str | None, Path]:
    """Return name and path of NAME=PATH; no name for a path that holds a "=" itself."""
    name, equals, path = text.partition("=")
    if not equals or not name or Path(text).exists():
        return None, Path(text)
    return name, Path(path)


def _file_name(name: str) -> str:
    return re.sub(r"[^\w.-]+", "_", name)


def _of_agent(file: str, name: str, agents: int) -> str:
    """Return a file's name, with the agent's in it where there are several."""
    stem, dot, ending = file.partition(".")
    return file if agents == 1 else f"{stem}-{_file_name(name)}{dot}{ending}"


def _cases(files: Sequence[RowFile], level: str | None) -> Iterator[tuple[str, Case | Problem]]:
    for file in files:
        for where, record in read_rows(file, level=level):
            if isinstance(record, Problem):
                yield where, record
                continue
            try:
                case = Case.from_record(record)
            except (LookupError, TypeError, ValueError, AttributeError) as error:
                found = f"no row: {type(error).__name__}: {str(error)[:200]}"
                yield where, Problem(where, found, "the columns as docs/rows.md says")
                continue
            yield where, case


def _refuse_rows(options: argparse.Namespace, faults: Sequence[Problem], rows: int) -> None:
    if faults:
        raise Refusal(
            f"--rows {' '.join(map(str, options.rows))}",
            f"{len(faults)} rows can't be used\n{listed(faults)}",
            "whole rows, each once: figures over a part of them would mislead",
            "get the rows again",
        )
    if not rows:
        raise Refusal(
            f"--rows {' '.join(map(str, options.rows))}",
            f"no rows of {options.level}" if options.level else "no rows",
            "at least one row",
            "give other rows, or another --level",
        )


def _grade(case: Case, agent: _Agent, sink: TextIO | None) -> None:
    counts = agent.counts
    for found in grade(case, agent.predictions, agent.judges):
        counts["answers"] += 1
        counts["missing"] += found.state == MISSING
        counts["unparsable"] += found.state == UNPARSABLE
        counts["tolerated"] += bool(found.answer and found.answer.plan and found.answer.tolerated)
        counts["unjudged"] += bool(found.unjudged)
        for judge, result in found.results.items():
            agent.results[judge].append(result)
        if sink is not None:
            sink.write(json.dumps(found.to_json(agent.judges[0].name)) + "\n")


# What is said about it -------------------------------------------------------------------------


def _report(
    agents: Mapping[str, _Agent],
    summaries: Mapping[str, Mapping[str, Summary]],
    rows: int,
    options: argparse.Namespace,
) -> dict[str, Json]:
    about = {
        "rows": rows,
        "bootstrap": {"resamples": options.bootstrap, "seed": options.seed, "confidence": 95},
        "version": VERSION,
    }
    found = {name: _agent_json(agent, summaries[name]) for name, agent in agents.items()}
    if len(found) == 1:
        return {**next(iter(found.values())), **about}
    return {"models": found, **about}


def _agent_json(agent: _Agent, summaries: Mapping[str, Summary]) -> dict[str, Json]:
    found = {judge: summary.to_json() for judge, summary in summaries.items()}
    first = agent.judges[0].name
    predictions = agent.predictions
    return {
        **found[first],
        "model": predictions.name,
        "judge": first,
        "judges": found if len(found) > 1 else {},
        "predictions": {
            "lines": predictions.lines,
            "epochs": list(predictions.epochs),
            **{
                key: agent.counts[key]
                for key in ("answers", "missing", "unparsable", "tolerated", "unjudged")
            },
            "duplicate": len(predictions.duplicates),
            "malformed": len(predictions.malformed),
            "unknown": len(agent.unknown),
        },
        "runs": list(predictions.runs),
    }


def _tables(summaries: Mapping[str, Mapping[str, Summary]]) -> dict[str, Table]:
    first = {name: next(iter(judged.values())) for name, judged in summaries.items()}
    tables = [
        models_table(first),
        items_table(first),
        efficiency_table(first),
        efficacy_table(first),
        figures_table(first),
        *(
            kinds_table(name, summary, _of_agent("kinds", name, len(first)))
            for name, summary in first.items()
        ),
    ]
    if any(len(judged) > 1 for judged in summaries.values()):
        tables.append(judges_table(summaries))
    return {table.name: table for table in tables}


def _warn(name: str, agent: _Agent, narrowed: bool) -> bool:
    """Say what couldn't be used as given; return whether there was any of it."""
    predictions, counts = agent.predictions, agent.counts
    # Of fewer rows than were answered, some answers are to others.
    unknown = () if narrowed else sorted(agent.unknown)
    said = [
        (counts["missing"], "missing, which score 0", ()),
        (len(predictions.malformed), "malformed", predictions.malformed),
        (
            len(predictions.duplicates),
            "duplicate, of which the last counts",
            predictions.duplicates,
        ),
        (len(unknown), "unknown: no row has their instance_id", [ascii(id) for id in unknown]),
        (counts["unjudged"], "unjudged, which have no scores", ()),
    ]
    for count, words, examples in said:
        if count:
            print(f"{name}: {count:,} {words}", file=sys.stderr)
            if examples:
                print(listed(examples), file=sys.stderr)
    if counts["unparsable"]:
        print(f"{name}: {counts['unparsable']:,} without a plan that can be read", file=sys.stderr)
    return any(count for count, _, _ in said)


# What is written -------------------------------------------------------------------------------


class _Folder:
    """A folder whose new files appear together at the end, or not at all."""

    def __init__(self, out: Path) -> None:
        """Check the folder.

        Raises:
            Refusal: it holds something else than earlier scores.
        """
        if out.exists() and not out.is_dir():
            raise Refusal(
                f"--out {out}", "not a folder", "a new or empty folder", "choose another name"
            )
        names = sorted(path.name for path in out.iterdir()) if out.is_dir() else []
        if names and SUMMARY not in names and names != [_WORK]:
            raise Refusal(
                f"--out {out}",
                f"holds {', '.join(names[:3])}{', …' if len(names) > 3 else ''}",
                "a new or empty folder, or one with earlier scores, which are replaced",
                "choose another folder; nothing was touched",
            )
        self._out = out
        self._work = out / _WORK
        self._made = [path for path in (out, *out.parents) if not path.exists()]

    def __enter__(self) -> _Folder:
        shutil.rmtree(self._work, ignore_errors=True)
        (self._work / TABLES).mkdir(parents=True)
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._work, ignore_errors=True)
        for path in self._made:
            if any(path.iterdir()):
                break
            path.rmdir()

    def open(self, name: str) -> TextIO:
        return (self._work / name).open("w", encoding="utf-8", newline="\n")

    def publish(self) -> None:
        """Replace earlier scores by the files written."""
        shutil.rmtree(self._out / TABLES, ignore_errors=True)
        for old in self._out.glob("scores*.jsonl"):
            old.unlink()
        names = sorted(path.name for path in self._work.iterdir())
        for name in sorted(names, key=lambda name: name == SUMMARY):
            (self._work / name).replace(self._out / name)


def _write(work: _Folder, found: Mapping[str, Json], tables: Mapping[str, Table]) -> None:
    for table in tables.values():
        for ending, render in FORMATS.items():
            with work.open(f"{TABLES}/{table.name}.{ending}") as file:
                file.write(render(table))
    with work.open(SUMMARY) as file:
        file.write(json.dumps(found, indent=1) + "\n")
    work.publish()


if __name__ == "__main__":
    main()
