"""The command that turns scored answers into training sets: export-training."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click

from builder.commands.build import workers_option
from builder.commands.outcome import (
    DONE,
    FAULTY,
    SETTINGS,
    bar,
    examples,
    guarded,
    print_json,
)


class Choices(click.ParamType):  # type: ignore[type-arg]  # not generic before 8.4
    """One or several of a few words, separated by commas."""

    def __init__(self, *words: str) -> None:
        self.words = words
        self.name = ",".join(words)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """Return the chosen words in their own order."""
        if isinstance(value, tuple):
            return value
        asked = [word.strip() for word in str(value).split(",")]
        if not set(asked) <= set(self.words) or len(set(asked)) < len(asked):
            self.fail(
                f"found {value!r}; expected one or several of {', '.join(self.words)}, "
                "each once, with commas between them.",
                param,
                ctx,
            )
        return tuple(word for word in self.words if word in asked)


_SHARED: list[Callable[[Callable[..., Any]], Callable[..., Any]]] = [
    click.option(
        "--episodes",
        "-e",
        multiple=True,
        required=True,
        metavar="DIR",
        type=click.Path(path_type=Path),
        help="Folder that an agent's run wrote (predictions.jsonl), or such a file; may be given "
        "several times.",
    ),
    click.option(
        "--rows",
        "-r",
        required=True,
        metavar="DIR",
        type=click.Path(path_type=Path),
        help="Folder of the build or release that the agents answered.",
    ),
    click.option(
        "--out", "-o", required=True, metavar="DIR", help="Folder to write; new or empty."
    ),
    click.option(
        "--judge",
        type=click.Choice(["rule", "saved"]),
        default="rule",
        show_default=True,
        help="The rule judge, or what another judge said: judgements.jsonl in each folder of "
        "--episodes, as `pararecover evaluate` writes it.",
    ),
    click.option(
        "--splits",
        type=Choices("train", "validation"),
        default="train",
        show_default=True,
        help="Splits whose rows are taken; the test split never is.",
    ),
    click.option(
        "--style",
        type=click.Choice(["text", "tool-calls"]),
        default="text",
        show_default=True,
        help="The answer as the agent's text, thought and plan; or as a thought and the tool calls "
        "of its next round, with a column of tools.",
    ),
    click.option(
        "--as",
        "formats",
        type=Choices("jsonl", "parquet"),
        default="jsonl,parquet",
        show_default=True,
        help="Formats to write.",
    ),
    workers_option,
    click.option("--json", "as_json", is_flag=True, help="Print the report as one JSON object."),
    click.option("--quiet", "-q", is_flag=True, help="No progress bar and no summary."),
]

_POINTS = click.FloatRange(0, 15)


def _shared_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(_SHARED):
        command = option(command)
    return command


@click.group(
    "export-training",
    context_settings=SETTINGS,
    epilog=examples(
        "pararecover run-agent oracle --rows level2-seed0 --out oracle",
        "pararecover export-training sft --episodes oracle --rows level2-seed0 --out sft",
    ),
)
def export_training() -> None:
    """Make training sets of scored answers, in the shapes that TRL takes."""


@export_training.command(
    "sft",
    context_settings=SETTINGS,
    epilog=examples(
        "pararecover export-training sft -e oracle -e qwen -r level2-seed0 -o sft",
        "pararecover export-training sft -e qwen -r rows -o sft --above 12 --style tool-calls",
    ),
)
@_shared_options
@click.option(
    "--above",
    type=_POINTS,
    default=10.0,
    show_default=True,
    metavar="POINTS",
    help="An answer is taken if it has more points, of 15.",
)
@click.option(
    "--format",
    "shape",
    type=click.Choice(["prompt-completion", "messages"]),
    default="prompt-completion",
    show_default=True,
    help="Columns prompt and completion, or the whole chat as messages.",
)
@click.option(
    "--all-steps",
    is_flag=True,
    help="Of solved episodes whose first answer is taken, take the later answers too; they are "
    "not scored.",
)
@guarded
def sft(as_json: bool, quiet: bool, out: str, **options: Any) -> None:
    """Write examples for supervised fine-tuning: the good answers."""
    _export("sft", as_json, quiet, out, options)


@export_training.command(
    "dpo",
    context_settings=SETTINGS,
    epilog=examples(
        "pararecover export-training dpo -e oracle -e noisy -r level2-seed0 -o dpo",
        "pararecover export-training dpo -e qwen -e llama -r rows -o dpo --gap 3 --pairs all",
    ),
)
@_shared_options
@click.option(
    "--minimum",
    type=_POINTS,
    default=3.0,
    show_default=True,
    metavar="POINTS",
    help="Both answers of a pair have at least so many points, of 15.",
)
@click.option(
    "--gap",
    type=_POINTS,
    default=5.0,
    show_default=True,
    metavar="POINTS",
    help="The better answer has more than so many points more.",
)
@click.option(
    "--pairs",
    type=click.Choice(["best", "all"]),
    default="best",
    show_default=True,
    help="The best and the worst answer of each state, or all pairs far enough apart.",
)
@guarded
def dpo(as_json: bool, quiet: bool, out: str, **options: Any) -> None:
    """Write preference pairs: a better and a worse answer each."""
    _export("dpo", as_json, quiet, out, options)


def _export(kind: str, as_json: bool, quiet: bool, out: str, options: dict[str, Any]) -> None:
    from builder.training.export import export
    from builder.training.report import brief
    from builder.training.request import Request
    from scoring.rule_judge import judge

    workers = options.pop("workers")
    request = Request(kind=kind, out=Path(out), **options)
    summary = export(request, judge, partial(bar, quiet), workers)
    if as_json:
        print_json({"out": out, **summary})
    elif not quiet:
        click.echo(brief(out, summary))
        click.echo(f"  see       {Path(out) / 'report.md'}")
    problems = []
    if not summary["examples"]["total"]:
        problems.append("No answer qualifies; report.md says why.")
    broken = summary["problems"]["count"]
    if broken:
        problems.append(f"{broken:,} lines have problems:")
        problems += [f"  {problem}" for problem in summary["problems"]["first"][:3]]
    unknown = summary["lines"]["unknown row"]
    if unknown:
        problems.append(
            f"{unknown:,} predictions are of rows that --rows does not hold: give the folder that "
            "the agents answered."
        )
    if problems:
        click.echo("\n".join(problems), err=True)
    sys.exit(FAULTY if problems else DONE)
