"""The command that runs a language model over a split."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import click

from builder.commands.outcome import (
    DONE,
    FAULTY,
    SETTINGS,
    bar,
    examples,
    print_json,
    resumable,
)
from builder.evaluation.settings import BUILT_IN, PROVIDER
from plan.row import LEVEL1, LEVEL2


@click.command(
    context_settings=SETTINGS,
    epilog=examples(
        "pararecover evaluate --rows level2-seed0 --mock --limit 20 --out mock",
        "pararecover evaluate --rows level2-seed0 --model openai/gpt-4o --limit 20 --out gpt-4o",
        "pararecover evaluate --rows level2-seed0 --model openai/qwen3-8b"
        " --base-url http://127.0.0.1:8000/v1 --out qwen",
        "pararecover evaluate --rows level2-seed0 --model openai/gpt-4o --judge openai/gpt-4o-mini"
        " --out judged",
        "python -m scoring --rows level2-seed0 --predictions gpt-4o",
        "inspect view --log-dir gpt-4o/logs",
    ),
)
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
    help="Folder of the run; given again, the run goes on in it.",
)
@click.option(
    "--model",
    metavar="MODEL",
    help="As inspect-ai names it: openai/NAME, anthropic/NAME, openai-api/SERVICE/NAME, …",
)
@click.option(
    "--mock",
    is_flag=False,
    flag_value="oracle",
    type=click.Choice(BUILT_IN),
    help="A built-in agent in place of a model, offline; --mock alone means the oracle.",
)
@click.option(
    "--base-url",
    metavar="URL",
    help="The model's endpoint. [default: OPENAI_BASE_URL, or the provider's]",
)
@click.option(
    "--api-key-env",
    metavar="VAR",
    help="The environment variable that holds the key. "
    "[default: the provider's, such as OPENAI_API_KEY]",
)
@click.option(
    "--split",
    type=click.Choice(["train", "validation", "test"]),
    default="test",
    show_default=True,
    help="Which rows.",
)
@click.option("--level", type=click.Choice([LEVEL1, LEVEL2]), help="Only rows of this level.")
@click.option(
    "--limit", type=click.IntRange(1), metavar="N", help="Only the first N rows of each level."
)
@click.option(
    "--episode/--single",
    default=True,
    show_default=True,
    help="Play each row until the response or 40 rounds, or ask for one answer only.",
)
@click.option(
    "--epochs",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    metavar="N",
    help="How often each row is played.",
)
@click.option(
    "--judge",
    metavar="rule|MODEL",
    default="rule",
    show_default=True,
    help="The rule judge, free, or a model.",
)
@click.option("--judge-base-url", metavar="URL", help="The judge's endpoint.")
@click.option(
    "--judge-api-key-env",
    metavar="VAR",
    help="The environment variable that holds the judge's key.",
)
@click.option(
    "--temperature", type=click.FloatRange(0), metavar="T", help="[default: the endpoint's]"
)
@click.option("--top-p", type=click.FloatRange(0, 1), metavar="P", help="[default: the endpoint's]")
@click.option(
    "--max-tokens",
    type=click.IntRange(1),
    metavar="N",
    help="Of one answer. [default: the endpoint's]",
)
@click.option(
    "--seed", type=click.IntRange(0), metavar="S", help="Passed on to endpoints that take one."
)
@click.option(
    "--max-connections",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    metavar="N",
    help="Requests under way at once.",
)
@click.option(
    "--max-retries",
    type=click.IntRange(0),
    default=8,
    show_default=True,
    metavar="N",
    help="How often a request is sent again after a fault that may pass.",
)
@click.option(
    "--timeout", type=click.IntRange(1), metavar="SECONDS", help="Until one attempt is given up."
)
@click.option(
    "--cache/--no-cache",
    default=True,
    show_default=True,
    help="Keep each answer in DIR/cache as it comes, so that a stopped run asks for none again.",
)
@click.option(
    "--price-in",
    type=click.FloatRange(0),
    metavar="P",
    help="Money for a million tokens of prompts.",
)
@click.option(
    "--price-out",
    type=click.FloatRange(0),
    metavar="P",
    help="Money for a million tokens of answers.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--quiet", "-q", is_flag=True, help="No progress bar and no table.")
@resumable
def evaluate(
    rows: Path,
    out: Path,
    model: str | None,
    mock: str | None,
    base_url: str | None,
    api_key_env: str | None,
    split: str,
    level: str | None,
    limit: int | None,
    episode: bool,
    epochs: int,
    judge: str,
    judge_base_url: str | None,
    judge_api_key_env: str | None,
    temperature: float | None,
    top_p: float | None,
    max_tokens: int | None,
    seed: int | None,
    max_connections: int,
    max_retries: int,
    timeout: int | None,
    cache: bool,
    price_in: float | None,
    price_out: float | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Let a language model repair the rows of a split, and score it; exit 0, or 1 if some failed.

    The folder of --out gets predictions.jsonl, run.json and inspect-ai's logs. Stopped, the
    same command goes on and asks for no answer twice.
    """
    from builder.evaluation.report import Prices
    from builder.evaluation.run import evaluate as run
    from builder.evaluation.settings import Endpoint, Sampling, Settings, Transport

    if (model is None) == (mock is None):
        raise click.UsageError("give a --model, or --mock for a run without one")
    if (price_in is None) != (price_out is None):
        raise click.UsageError("--price-in and --price-out belong together")
    agent = Endpoint(model or f"{PROVIDER}/{mock}", base_url, _key(api_key_env, "--api-key-env"))
    judging = Endpoint(judge, judge_base_url, _key(judge_api_key_env, "--judge-api-key-env"))
    settings = Settings(
        rows=rows,
        agent=agent,
        split=split,
        level=level,
        limit=limit,
        judge=None if judge == "rule" else judging,
        single=not episode,
        epochs=epochs,
        sampling=Sampling(temperature, top_p, max_tokens, seed),
        transport=Transport(max_connections, max_retries, timeout, cache),
    )
    prices = None if price_in is None or price_out is None else Prices(price_in, price_out)
    with ExitStack() as shown:

        def begin(total: int, done: int) -> Callable[[int], None]:
            advance = shown.enter_context(bar(quiet, "evaluating", total, "row"))
            advance(done)
            return advance

        report = run(settings, out, begin, prices)
    if as_json:
        print_json(report.to_json())
    elif not quiet:
        click.echo(report.to_text())
        click.echo(
            f"\n{out}: predictions.jsonl, run.json, logs (inspect view --log-dir {out}/logs)"
        )
    sys.exit(DONE if report.is_complete else FAULTY)


def _key(variable: str | None, option: str) -> str | None:
    """Return the key that an environment variable holds; None if none is named."""
    from builder.refusal import Refusal

    if variable is None:
        return None
    key = os.environ.get(variable)
    if not key:
        raise Refusal(
            f"{option} {variable}",
            "there is no such environment variable, or it is empty",
            "the name of one that holds the key",
            f"export {variable}=… first; the key itself doesn't belong on the command line",
        )
    return key
