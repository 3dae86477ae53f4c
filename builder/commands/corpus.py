"""The commands that make or read trajectories: ingest, synthesize."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from builder.commands.build import MOST_ROWS, refuse_negative
from builder.commands.outcome import (
    DONE,
    FAULTY,
    SETTINGS,
    bar,
    examples,
    guarded,
    print_json,
)

WRITTEN = {"plans.jsonl", "rejects.jsonl", "summary.json"}


@click.command(
    context_settings=SETTINGS,
    epilog=examples(
        "pararecover ingest --source button_instruct.jsonl --out plans",
        "zcat *.gz | pararecover ingest --source - --out plans --strict",
    ),
)
@click.option(
    "--source",
    "-s",
    multiple=True,
    required=True,
    metavar="FILE",
    help="BUTTON JSON Lines, plain, .gz or .zst, or - for standard input; may be given several "
    "times.",
)
@click.option("--out", "-o", required=True, metavar="DIR", help="Folder to write; new or empty.")
@click.option("--strict", is_flag=True, help="Exit with 1 if a line was rejected.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as one JSON object.")
@click.option("--quiet", "-q", is_flag=True, help="No progress bar and no summary.")
@guarded
def ingest(source: tuple[str, ...], out: str, strict: bool, as_json: bool, quiet: bool) -> None:
    """Read trajectories into clean plans: plans.jsonl, rejects.jsonl, summary.json."""
    from builder.refusal import Refusal
    from source_button import ingest as ingestion

    folder = Path(out)
    if folder.exists() and not folder.is_dir():
        raise Refusal(f"--out {out}", "not a folder", "a new or empty folder", "choose another")
    names = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    if not names <= WRITTEN:
        first = ", ".join(sorted(names - WRITTEN)[:3])
        raise Refusal(
            f"--out {out}",
            f"holds {first}",
            "a new or empty folder, or an earlier ingest's, which is replaced",
            "choose another folder; nothing was touched",
        )
    known = all(name != "-" for name in source)
    total = sum(Path(name).stat().st_size for name in source if Path(name).is_file())
    with bar(quiet, "reading", total if known else None, "byte") as advance:
        summary = ingestion.ingest(source, folder, progress=advance)
    if as_json:
        print_json({"out": out, **summary})
    elif not quiet:
        click.echo(
            f"{out}: {summary['lines']:,} lines = {summary['plans']:,} plans + "
            f"{summary['rejects']:,} rejects + {summary['blank']:,} blank"
        )
    if not summary["plans"]:
        click.echo(f"No line is a plan; {out}/rejects.jsonl says why of each.", err=True)
    sys.exit(FAULTY if not summary["plans"] or (strict and summary["rejects"]) else DONE)


@click.command(
    context_settings=SETTINGS,
    epilog=examples(
        "pararecover synthesize --n 1000 --seed 1 --out button.jsonl",
        "pararecover synthesize -n 1 | python -m json.tool",
    ),
)
@click.option(
    "--n",
    "-n",
    "number",
    type=click.IntRange(1, MOST_ROWS),
    required=True,
    metavar="N",
    help="Number of trajectories.",
)
@click.option(
    "--seed",
    type=int,
    default=0,
    show_default=True,
    metavar="S",
    callback=refuse_negative,
    help="Line k depends on the seed and k alone.",
)
@click.option("--out", "-o", default="-", show_default=True, metavar="FILE", help="File; - prints.")
@click.option("--quiet", "-q", is_flag=True, help="No progress bar and no summary.")
@guarded
def synthesize(number: int, seed: int, out: str, quiet: bool) -> None:
    """Write synthesised trajectories as BUTTON JSON Lines."""
    from builder.refusal import Refusal
    from builder.resume.files import whole
    from source_button.synthesis import synthesize as make

    if out == "-":
        for line in make(number, seed=seed):
            sys.stdout.buffer.write(line + b"\n")
        sys.stdout.buffer.flush()
        return
    path = Path(out)
    if path.exists():
        raise Refusal(f"--out {out}", "it is there already", "a new file", "choose another name")
    path.parent.mkdir(parents=True, exist_ok=True)
    with (
        whole(path) as temporary,
        temporary.open("wb") as file,
        bar(quiet, "synthesising", number, "line") as advance,
    ):
        for line in make(number, seed=seed):
            file.write(line + b"\n")
            advance(1)
    if not quiet:
        click.echo(f"{out}: {number:,} trajectories", err=True)
