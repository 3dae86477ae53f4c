"""The command that plays rows with a built-in agent: run-agent."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from builder.commands.build import refuse_negative, workers_option
from builder.commands.outcome import SETTINGS, bar, examples, guarded, print_json
from environment.agents.names import AGENTS, ITEMS, NOISY_ORACLE
from plan.json_text import Json
from plan.row import LEVEL1, LEVEL2


class Noise(click.ParamType):  # type: ignore[type-arg]  # not generic before 8.4
    """An item of the rubric and the share of answers in which it is spoilt."""

    name = "ITEM=SHARE"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, float]:
        """Return the item and the share."""
        if isinstance(value, tuple):
            return value[0], value[1]
        item, _, text = str(value).partition("=")
        item = item.strip().lower()
        if item not in ITEMS:
            self.fail(
                f"found {value!r}; expected ITEM=SHARE, ITEM being one of {', '.join(ITEMS)}.",
                param,
                ctx,
            )
        try:
            share = float(text)
        except ValueError:
            share = -1.0
        if not 0 <= share <= 1:
            self.fail(f"found {value!r}; expected a share from 0 to 1, as in d3=0.5.", param, ctx)
        return item, share


@click.command(
    "run-agent",
    context_settings=SETTINGS,
    epilog=examples(
        "pararecover run-agent oracle --rows level2-seed0 --out oracle",
        "pararecover run-agent blind-retry --rows level2-seed0 --split test --out retry",
        "pararecover run-agent noisy-oracle --rows level2-seed0 --noise d3=0.5 --out noisy",
        "python -m scoring --rows level2-seed0 --predictions oracle",
    ),
)
@click.argument("agent", metavar="AGENT", type=click.Choice(AGENTS))
@click.option(
    "--rows",
    "-r",
    metavar="DIR",
    type=click.Path(path_type=Path),
    required=True,
    help="A build's or a release's folder, or a file of rows.",
)
@click.option(
    "--out",
    "-o",
    metavar="DIR",
    type=click.Path(path_type=Path),
    required=True,
    help="Folder to write: predictions.jsonl and run.json.",
)
@click.option("--level", type=click.Choice([LEVEL1, LEVEL2]), help="Only rows of this level.")
@click.option(
    "--split",
    type=click.Choice(["train", "validation", "test"]),
    help="Only rows of this split. [default: all]",
)
@click.option(
    "--limit", type=click.IntRange(1), metavar="N", help="Only the first N rows of each level."
)
@click.option(
    "--seed",
    type=int,
    default=0,
    show_default=True,
    metavar="S",
    callback=refuse_negative,
    help="What the oracles draw at random follows from it: phrasings, and what is spoilt.",
)
@click.option(
    "--noise",
    type=Noise(),
    multiple=True,
    help="With noisy-oracle: spoil this item of the rubric (s1 to s5, d1 to d5, e1 to e5) in "
    "this share of the answers. May be given several times.",
)
@workers_option
@click.option("--json", "as_json", is_flag=True, help="Print a summary as one JSON object.")
@click.option("--quiet", "-q", is_flag=True, help="No progress bar and no summary.")
@guarded
def run_agent(
    agent: str,
    rows: Path,
    out: Path,
    level: str | None,
    split: str | None,
    limit: int | None,
    seed: int,
    noise: tuple[tuple[str, float], ...],
    workers: int | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Let a built-in AGENT play rows to their end, and write its predictions.

    \b
    oracle        repairs everything, from the labels and the clean plan
    do-nothing    notes what came back, and goes on with the plan as it stands
    restart       makes every call of the first plan again
    blind-retry   calls again, unchanged, what seems to have failed
    noisy-oracle  the oracle, with chosen items of the rubric spoilt on purpose
    """
    from builder.playing import Request, run_agent
    from builder.pool import default_workers
    from builder.refusal import Refusal

    items = [item for item, _ in noise]
    twice = next((item for item in items if items.count(item) > 1), None)
    if twice or (noise and agent != NOISY_ORACLE):
        raise Refusal(
            "--noise",
            f"{twice} is given twice" if twice else f"given to {agent}",
            "each item once" if twice else f"--noise only with {NOISY_ORACLE}",
            "leave one out",
        )
    request = Request(agent, rows, out, level, split, limit, seed, dict(noise))
    with bar(quiet, f"playing {agent}", None, "row") as advance:
        run = run_agent(request, workers or default_workers(), advance)
    if as_json:
        print_json({"out": str(out), **run})
    elif not quiet:
        click.echo(summarise(out, run))


def summarise(out: Path, run: Mapping[str, Json]) -> str:
    """Return what a user sees at the end of a run."""
    lines = [f"{out}: {run['agent']}"]
    groups = dict(run["levels"])
    if len(groups) > 1:
        groups["overall"] = run["overall"]
    for name, tally in groups.items():
        rows = tally["rows"]
        lines.append(
            f"  {name:<8} {rows:,} rows, {tally['reached'] / rows:.1%} reached, "
            f"{tally['solved'] / rows:.1%} solved, {tally['mean_rounds']:.2f} rounds and "
            f"{tally['mean_calls']:.2f} calls on average"
        )
    for item, share in run["noise"].items():
        count = run["spoilt"].get(item, 0)
        lines.append(f"  {item:<8} spoilt in {count:,} rows (asked for {share:.0%} of them)")
    lines.append(f"  see      {out / 'predictions.jsonl'}, or score it with `python -m scoring`")
    return "\n".join(lines)
