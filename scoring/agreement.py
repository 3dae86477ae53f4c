"""Agreement between two judges, people included, and of the rankings that they give.

``python -m scoring.agreement A B`` compares two files; ``--model`` compares rankings;
``--sheet`` writes a sheet for a person to fill in. See ``docs/judges.md``.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import combinations
from math import isnan, nan, sqrt
from pathlib import Path

from scoring.json_text import Json
from scoring.judgements import COMPUTED, Judgements, read_judgements
from scoring.lines import refuse_os_error
from scoring.predictions import read_predictions
from scoring.refusal import Problem, Refusal, listed
from scoring.rows import find_files, read_rows
from scoring.rubric import DIMENSION_NAMES, DIMENSIONS, ITEMS, KEYS, dimension_scores, mean
from scoring.sheet import read_sheet, sample, write_sheet

LEVELS = (0.0, 0.5, 1.0)
OVERALL = "overall"

Pair = tuple[float, float]
"""What two judges gave one item of one answer."""

Matrix = tuple[tuple[int, ...], ...]
"""Counts; rows are the first judge's `LEVELS`, columns the second's."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two judges agree on an item or a group of items.

    For a group, `ema`, `mae` and the means are the means of its items (as in the paper's
    table 5), `confusion` and both kappas are of its pairs taken together.

    Attributes:
        n: pairs in which both gave a score.
        left_out: pairs in which either gave none.
        ema: exact match accuracy, the paper's equation 5.
        mae: mean absolute error, equation 6.
        mean_a, mean_b: each judge's mean over these pairs.
        kappa: Cohen's, all disagreements weighing the same; NaN where chance alone
            would agree fully.
        kappa_linear: Cohen's, a disagreement by two levels weighing twice one by one.
        pearson: correlation, of E5 only.
        confusion: None for E5, which has no levels; its `ema` and kappas are NaN.
    """

    n: int
    left_out: int
    ema: float
    mae: float
    mean_a: float
    mean_b: float
    kappa: float = nan
    kappa_linear: float = nan
    pearson: float = nan
    confusion: Matrix | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two judges compared.

    Attributes:
        items: by key.
        groups: ``si``, ``dr``, ``es`` and ``overall``, over the items that judges are
            asked about: S5 and E5 are computed and would only flatter.
        shared: answers that both judged.
        only_a, only_b: answers that one of them judged.
    """

    items: Mapping[str, Agreement]
    groups: Mapping[str, Agreement]
    shared: int
    only_a: int
    only_b: int


def compare(a: Judgements, b: Judgements, *, items: Sequence[str] = KEYS) -> Comparison:
    """Compare two judges on the answers that both judged."""
    shared = [key for key in a.by_key if key in b.by_key]
    pairs = {
        item: [(a.by_key[key].scores[item], b.by_key[key].scores[item]) for key in shared]
        for item in items
    }
    found = {item: _agreement(item, pairs[item]) for item in items}
    members = {
        **{group: [item for item in items if item in DIMENSIONS[group]] for group in DIMENSIONS},
        OVERALL: list(items),
    }
    asked = {group: [item for item in of if item not in COMPUTED] for group, of in members.items()}
    return Comparison(
        found,
        {group: _together([found[item] for item in of]) for group, of in asked.items() if of},
        len(shared),
        len(a.by_key) - len(shared),
        len(b.by_key) - len(shared),
    )


def _agreement(item: str, pairs: Sequence[Pair]) -> Agreement:
    known = [pair for pair in pairs if not any(map(isnan, pair))]
    mae = mean([abs(one - other) for one, other in known])
    first, second = [one for one, _ in known], [other for _, other in known]
    counts = len(known), len(pairs) - len(known)
    if _HAS_LEVELS[item]:
        matrix = confusion(known)
        ema = mean([float(one == other) for one, other in known])
        return Agreement(
            *counts,
            ema,
            mae,
            mean(first),
            mean(second),
            kappa(matrix),
            kappa(matrix, linear=True),
            confusion=matrix,
        )
    return Agreement(*counts, nan, mae, mean(first), mean(second), pearson=pearson(first, second))


_HAS_LEVELS = {item.key: item.levels is not None for item in ITEMS}


def _together(members: Sequence[Agreement]) -> Agreement:
    matrix = tuple(
        tuple(sum(counts) for counts in zip(*rows, strict=True))
        for rows in zip(*(one.confusion for one in members if one.confusion), strict=True)
    )
    return Agreement(
        sum(one.n for one in members),
        sum(one.left_out for one in members),
        mean([one.ema for one in members]),
        mean([one.mae for one in members]),
        mean([one.mean_a for one in members]),
        mean([one.mean_b for one in members]),
        kappa(matrix),
        kappa(matrix, linear=True),
        confusion=matrix,
    )


def confusion(pairs: Iterable[Pair]) -> Matrix:
    """Count pairs of levels."""
    counts = [[0] * len(LEVELS) for _ in LEVELS]
    for one, other in pairs:
        counts[LEVELS.index(one)][LEVELS.index(other)] += 1
    return tuple(map(tuple, counts))


def kappa(matrix: Matrix, *, linear: bool = False) -> float:
    """Return Cohen's kappa of a confusion matrix.

    Args:
        matrix: counts.
        linear: weigh a disagreement by its distance in levels, instead of all the same.
    """
    rows = [sum(row) for row in matrix]
    columns = [sum(column) for column in zip(*matrix, strict=True)]
    observed = expected = 0
    for i, row in enumerate(matrix):
        for j, count in enumerate(row):
            weight = abs(i - j) if linear else int(i != j)
            observed += weight * count
            expected += weight * rows[i] * columns[j]
    return 1 - observed * sum(rows) / expected if expected else nan


def pearson(first: Sequence[float], second: Sequence[float]) -> float:
    """Return the correlation; NaN where either doesn't vary."""
    mean_a, mean_b = mean(list(first)), mean(list(second))
    both = [(a - mean_a, b - mean_b) for a, b in zip(first, second, strict=True)]
    spread = sqrt(sum(a * a for a, _ in both)) * sqrt(sum(b * b for _, b in both))
    return sum(a * b for a, b in both) / spread if spread else nan


@dataclass(frozen=True, slots=True)
class Ranking:
    """Models ranked by two judges (the paper's table 6).

    Attributes:
        level: whose rows these are; "" for all.
        averages: by model, Avg (0 to 100) by each judge, over answers that both judged.
        rows: by model, how many these are.
        tau: Kendall's tau-b.
        swaps: pairs of models that the second judge ranks the other way round, the first
            judge's better one first.
    """

    level: str
    averages: Mapping[str, Pair]
    rows: Mapping[str, int]
    tau: float
    swaps: tuple[tuple[str, str], ...]


def rank(level: str, scores: Mapping[str, Sequence[Pair]]) -> Ranking:
    """Rank models by two judges.

    Args:
        level: whose rows these are.
        scores: by model, Avg of each answer by both judges.
    """
    averages = {
        model: (mean([one for one, _ in pairs]), mean([other for _, other in pairs]))
        for model, pairs in scores.items()
    }
    ordered = sorted(averages, key=lambda model: -averages[model][0])
    swaps = tuple(
        (one, other)
        for one, other in combinations(ordered, 2)
        if averages[one][0] > averages[other][0] and averages[one][1] < averages[other][1]
    )
    return Ranking(
        level,
        averages,
        {model: len(pairs) for model, pairs in scores.items()},
        kendall(list(averages.values())),
        swaps,
    )


def kendall(pairs: Sequence[Pair]) -> float:
    """Return Kendall's tau-b; NaN where either side has only ties."""
    balance = untied_a = untied_b = 0
    for (a, b), (c, d) in combinations(pairs, 2):
        first, second = (a > c) - (a < c), (b > d) - (b < d)
        balance += first * second
        untied_a += first != 0
        untied_b += second != 0
    return balance / sqrt(untied_a * untied_b) if untied_a and untied_b else nan


def rank_models(
    models: Mapping[str, tuple[Judgements, Judgements]], levels: Mapping[str, str] | None = None
) -> list[Ranking]:
    """Rank models by two judges, level by level.

    Args:
        models: by name, what each judge said of the model's answers.
        levels: each row's level; None to rank over all rows.
    """
    scores: dict[str, dict[str, list[Pair]]] = {}
    for name, (a, b) in models.items():
        for key, judgement in a.by_key.items():
            level = "" if levels is None else levels.get(key[0])
            if level is None or key not in b.by_key:
                continue
            pair = (
                dimension_scores(judgement.scores)["avg"],
                dimension_scores(b.by_key[key].scores)["avg"],
            )
            if not any(map(isnan, pair)):
                scores.setdefault(level, {}).setdefault(name, []).append(pair)
    return [rank(level, scores[level]) for level in sorted(scores)]


def _plain(value: object) -> Json:
    """Return the JSON of dataclasses, NaN spelled as None."""
    if isinstance(value, (Agreement, Comparison, Ranking)):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and isnan(value) else value


Table = list[list[str]]
"""Rows of cells, the head first."""


def agreement_table(found: Comparison) -> Table:
    """Return the form of the paper's table 5, an item or group per row."""
    head = ["", "name", "n", "left out", "EMA", "MAE", "mean A", "mean B"]
    table = [[*head, "kappa", "linear kappa", "Pearson"]]
    names = {item.key: item.name for item in ITEMS} | dict(DIMENSION_NAMES)
    for key, one in (*found.items.items(), *found.groups.items()):
        numbers = (one.ema, one.mae, one.mean_a, one.mean_b, one.kappa, one.kappa_linear)
        counts = [f"{one.n}", f"{one.left_out}"]
        shown = [_number(number) for number in (*numbers, one.pearson)]
        table.append([key, names.get(key, ""), *counts, *shown])
    return table


def confusion_table(found: Comparison) -> Table:
    """Return every confusion matrix as a row, A's score before B's."""
    table = [["A, B", *(f"{one:g}, {other:g}" for one in LEVELS for other in LEVELS)]]
    for key, one in (*found.items.items(), *found.groups.items()):
        if one.confusion is not None:
            table.append([key, *(f"{count}" for row in one.confusion for count in row)])
    return table


def ranking_table(ranking: Ranking) -> Table:
    """Return the form of the paper's table 6 for one level."""
    return [
        ["model", "rows", "A", "B"],
        *(
            [model, f"{ranking.rows[model]}", f"{a:.2f}", f"{b:.2f}"]
            for model, (a, b) in ranking.averages.items()
        ),
    ]


def _number(value: float) -> str:
    return "–" if isnan(value) else f"{value:.4f}"


def _text(table: Table, markdown: bool) -> str:
    if markdown:
        rule = ["---", *("---:" for _ in table[0][1:])]
        return "\n".join(f"| {' | '.join(row)} |" for row in (table[0], rule, *table[1:]))
    widths = [max(len(cell) for cell in column) for column in zip(*table, strict=True)]
    words = {0, *(i for i, cell in enumerate(table[0]) if cell == "name")}
    return "\n".join(
        "  ".join(
            cell.ljust(width) if i in words else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in table
    )


def _comparison_text(found: Comparison, names: Sequence[str], markdown: bool) -> str:
    return "\n\n".join(
        (
            f"A = {names[0]}, B = {names[1]}: {found.shared} answers judged by both, "
            f"{found.only_a} by A only, {found.only_b} by B only",
            _text(agreement_table(found), markdown),
            _text(confusion_table(found), markdown),
        )
    )


def _rankings_text(rankings: Sequence[Ranking], markdown: bool) -> str:
    parts = []
    for ranking in rankings:
        swaps = "; ".join(f"{one} above {other} only by A" for one, other in ranking.swaps)
        parts += [
            ranking.level or "all rows",
            _text(ranking_table(ranking), markdown),
            f"Kendall's tau {_number(ranking.tau)}; {swaps or 'no pair swaps'}",
        ]
    return "\n\n".join(parts)


EPILOG = """examples:
  python -m scoring.agreement rule.jsonl gpt.jsonl
  python -m scoring.agreement sheet.csv gpt.jsonl --items d1,d2,es --out agreement.md
  python -m scoring.agreement --model small s-rule.jsonl s-gpt.jsonl \\
      --model large l-rule.jsonl l-gpt.jsonl --rows rows
  python -m scoring.agreement --sheet sheet.csv --rows rows --predictions run --n 50 --seed 1

exit codes:
  0 done   1 done, but lines or cells couldn't be used   2 bad usage or input
"""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m scoring.agreement",
        description="Compare two judges of the same answers, rank models by two judges, or "
        "write a sheet for a person to judge by.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    judged = "judgements (.jsonl, .jsonl.gz) or a filled-in sheet (.csv)"
    parser.add_argument("a", nargs="?", type=Path, metavar="A", help=judged)
    parser.add_argument("b", nargs="?", type=Path, metavar="B", help="the other judge's")
    parser.add_argument(
        "--items",
        type=_items,
        default=KEYS,
        metavar="LIST",
        help="items and dimensions to compare, such as d1,d2,es (default: all)",
    )
    parser.add_argument(
        "--model",
        nargs=3,
        action="append",
        metavar=("NAME", "A", "B"),
        help="a model's name and two judges' files on its answers; give it once per model",
    )
    parser.add_argument(
        "--sheet", type=Path, metavar="FILE", help="write a sheet (.csv) to fill in"
    )
    parser.add_argument("--rows", type=Path, help="rows: a file, or a build's or release's folder")
    parser.add_argument("--predictions", type=Path, help="answers: a file, or a run's folder")
    parser.add_argument(
        "--n", type=_positive, default=50, help="answers in the sheet (default: 50)"
    )
    parser.add_argument("--seed", type=int, default=0, help="decides which answers (default: 0)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quiet", "-q", action="store_true", help="no progress")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="write there: .json, .md or, by any other name, text",
    )
    return parser


def _items(text: str) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for name in filter(None, text.casefold().replace(" ", "").split(",")):
        if name not in KEYS and name not in DIMENSIONS:
            raise argparse.ArgumentTypeError(
                f"{name!r} is neither an item ({', '.join(KEYS)}) nor a dimension "
                f"({', '.join(DIMENSIONS)})"
            )
        found.update(dict.fromkeys(DIMENSIONS.get(name, (name,))))
    return tuple(key for key in KEYS if key in found)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 on")
    return int(text)


def main(words: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = _parser()
    asked = parser.parse_args(words)
    for stream in (sys.stdout, sys.stderr):
        # A terminal without some letter shows its code.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # real streams
    try:
        problems = _run(parser, asked)
        sys.stdout.flush()
    except Refusal as error:
        print(f"Error: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader has gone (`| head`); the interpreter must not try to flush again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        return 130
    if problems:
        print(f"Problems: {len(problems):,}\n{listed(problems)}", file=sys.stderr)
    return 1 if problems else 0


def _run(parser: argparse.ArgumentParser, asked: argparse.Namespace) -> list[Problem]:
    """Do what is asked; return what couldn't be used."""
    problems: list[Problem] = []
    if sum((asked.a is not None, asked.model is not None, asked.sheet is not None)) > 1:
        parser.error("give only one of: two files A and B, --model, --sheet")
    if asked.sheet is not None:
        if asked.rows is None or asked.predictions is None:
            parser.error("--sheet needs --rows and --predictions")
        _write_sheet(asked, problems)
    elif asked.model is not None:
        _rank(asked, problems)
    elif asked.b is not None:
        _compare(asked, problems)
    else:
        parser.error("give two files A and B, or --model, or --sheet")
    return problems


def _read(path: Path, problems: list[Problem]) -> Judgements:
    found = read_sheet(path) if path.suffix in (".csv", ".tsv") else read_judgements(path)
    problems += [*found.problems, *found.duplicates]
    if len(found.judges) > 1:
        raise Refusal(
            str(path),
            f"judgements by {', '.join(found.judges)}",
            "one judge's",
            "put each judge's lines into a file of its own",
        )
    if not found.by_key:
        raise Refusal(
            str(path),
            f"no judgements{f'; {problems[0]}' if problems else ''}",
            "at least one",
            "check that this is the file, and that a sheet is filled in",
        )
    return found


def _compare(asked: argparse.Namespace, problems: list[Problem]) -> None:
    a, b = _read(asked.a, problems), _read(asked.b, problems)
    found = compare(a, b, items=asked.items)
    if not found.shared:
        raise Refusal(
            f"{asked.a} and {asked.b}",
            "no answer that both judged",
            "the same instance_id and epoch in both",
            "check that both are about the same answers",
        )
    names = [a.judges[0], b.judges[0]]
    value = {"a": names[0], "b": names[1], **_plain(found)}
    _give(asked, value, lambda markdown: _comparison_text(found, names, markdown))


def _rank(asked: argparse.Namespace, problems: list[Problem]) -> None:
    models = {
        name: (_read(Path(a), problems), _read(Path(b), problems)) for name, a, b in asked.model
    }
    if len(models) < len(asked.model):
        raise Refusal("--model", "the same name twice", "a name for each model", "rename one")
    levels = None
    if asked.rows is not None:
        levels = {
            record["instance_id"]: record["level"]
            for record in _rows(asked.rows, asked.quiet, problems)
        }
    rankings = rank_models(models, levels)
    if not rankings:
        raise Refusal(
            "--model",
            "no answer that both judges judged" + (" and that is in --rows" if levels else ""),
            "judgements of the same answers",
            "check that the files belong together",
        )
    _give(
        asked,
        {"rankings": _plain(rankings)},
        lambda markdown: _rankings_text(rankings, markdown),
    )


def _rows(path: Path, quiet: bool, problems: list[Problem]) -> Iterator[dict[str, Json]]:
    shows = not quiet and sys.stderr.isatty()
    rows = (record for file in find_files(path) for _, record in read_rows(file))
    for number, record in enumerate(rows, 1):
        if shows and number % 100 == 0:
            print(f"\r\033[Kreading rows: {number:,}", end="", file=sys.stderr, flush=True)
        if isinstance(record, Problem):
            problems.append(record)
        else:
            yield record
    if shows:
        print("\r\033[K", end="", file=sys.stderr, flush=True)


def _write_sheet(asked: argparse.Namespace, problems: list[Problem]) -> None:
    predictions = read_predictions(asked.predictions)
    problems += [*predictions.malformed, *predictions.duplicates]
    entries = sample(_rows(asked.rows, asked.quiet, problems), predictions, asked.n, asked.seed)
    if not entries:
        raise Refusal(
            f"{asked.rows} and {asked.predictions}",
            "no row that was answered",
            "predictions of these rows",
            "check that both belong together",
        )
    write_sheet(asked.sheet, entries)
    if asked.json:
        print(json.dumps({"sheet": str(asked.sheet), "answers": len(entries)}))
    else:
        few = f" ({asked.n} were asked for)" if len(entries) < asked.n else ""
        print(f"{len(entries)} answers{few} to judge in {asked.sheet}")


def _give(asked: argparse.Namespace, value: dict[str, Json], text: Callable[[bool], str]) -> None:
    as_json = json.dumps(value, ensure_ascii=False)
    print(as_json if asked.json else text(False))
    if asked.out is None:
        return
    suffix = asked.out.suffix
    try:
        asked.out.write_text(
            (as_json if suffix == ".json" else text(suffix == ".md")) + "\n", encoding="utf-8"
        )
    except OSError as error:
        raise refuse_os_error(error, asked.out) from None


if __name__ == "__main__":
    sys.exit(main())
