"""The commands that read rows: certify, inspect, sample, kinds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from builder.commands.build import refuse_negative, workers_option
from builder.commands.outcome import (
    SETTINGS,
    bar,
    examples,
    guarded,
    print_json,
    tell,
)

if TYPE_CHECKING:
    from plan.row import Row

_COLOURS: dict[str, dict[str, Any]] = {
    "heading": {"bold": True},
    "good": {"fg": "green"},
    "now": {"fg": "cyan"},
    "bad": {"fg": "red"},
    "dim": {"dim": True},
}


@click.command(
    context_settings=SETTINGS,
    epilog=examples(
        "pararecover certify level2-seed0",
    ),
)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@workers_option
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON object.")
@click.option("--quiet", "-q", is_flag=True, help="No progress bar and no table.")
@guarded
def certify(folder: Path, workers: int | None, as_json: bool, quiet: bool) -> None:
    """Prove every label of a build, or say what is wrong; exit 0 or 1.

    Each row's damages are found anew from its plans, its observations and gold plan are
    executed again, files are compared with their hashes, and splits with each other.
    """
    from builder.pool import default_workers
    from builder.refusal import Refusal
    from certify.build import NoBuild, certify_folder

    try:
        with bar(quiet, "certifying", None, "row") as advance:
            before = 0

            def show(done: int, total: int) -> None:
                nonlocal before
                advance(done - before)
                before = done

            report = certify_folder(folder, workers=workers or default_workers(), progress=show)
    except NoBuild as error:
        remedy = "give the folder that a build wrote, or check a release by `pararecover verify`"
        raise Refusal(error.where, error.found, error.expected, remedy) from None
    tell(report, as_json=as_json, quiet=quiet)


@click.command(
    context_settings=SETTINGS,
    epilog=examples(
        "pararecover inspect level2-seed0",
        "pararecover inspect level2-seed0 --kind Serial_Error",
        "pararecover inspect level2-seed0 level2-3f0c",
    ),
)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("instance_id", metavar="[ID]", required=False)
@click.option("--kind", metavar="KIND", help="Without an ID: a row with an error of this kind.")
@click.option("--width", type=click.IntRange(40), metavar="W", help="Columns. [default: terminal]")
@click.option("--json", "as_json", is_flag=True, help="Print the row as one JSON object.")
@guarded
def inspect(
    folder: Path, instance_id: str | None, kind: str | None, width: int | None, as_json: bool
) -> None:
    """Show a row: the plan, what is wrong where, what happened, and the gold recovery.

    ID is an instance_id or its beginning; without it some row is shown.
    """
    import shutil

    from builder.inspect import draw, find_files, find_row, list_ids
    from builder.refusal import Refusal

    files = find_files(folder)
    if not files:
        raise Refusal(
            str(folder),
            "no rows" if folder.is_dir() else "there is no such folder",
            "a build's folder, with data/LEVEL/*.parquet in it",
            "give the folder that a build wrote",
        )
    found = find_row(files, instance_id, kind)
    if found is None:
        known = ", ".join(id for id, _ in list_ids(files, 3))
        raise Refusal(
            str(folder),
            f"no row with the id {instance_id!r}" if instance_id else f"no row with {kind}",
            f"an instance_id such as {known}"
            if instance_id
            else "a kind that has rows; `pararecover kinds` lists all",
            "give another, or none to see some row",
        )
    row, path = found
    if as_json:
        print_json(_decoded(row))
        return
    columns = width or shutil.get_terminal_size((100, 24)).columns
    click.echo(draw(row, columns, lambda text, colour: click.style(text, **_COLOURS[colour])))
    if instance_id is None:
        click.echo("\nOthers: pararecover inspect " + f"{folder} ID, such as")
        for id, kinds in list_ids(files, 4):
            click.echo(f"  {id}  {', '.join(kinds) or 'control'}")
    else:
        click.echo(f"\nIn {path}")


_JSON_COLUMNS = (
    "tools",
    "history",
    "plan",
    "observations",
    "clean_plan",
    "gold_plan",
    "faults",
)


def _decoded(row: Row) -> dict[str, Any]:
    from plan.json_text import loads

    record = row.to_record()
    for column in _JSON_COLUMNS:
        record[column] = loads(record[column])
    return record


@click.command(
    context_settings=SETTINGS,
    epilog=examples("pararecover sample level2-seed0 --n 100 --out audit.csv"),
)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--n",
    "-n",
    "number",
    type=click.IntRange(1),
    default=100,
    show_default=True,
    metavar="N",
    help="Number of rows.",
)
@click.option(
    "--seed",
    type=int,
    default=0,
    show_default=True,
    metavar="S",
    callback=refuse_negative,
    help="Which rows are drawn.",
)
@click.option(
    "--out", "-o", default="audit.csv", show_default=True, metavar="FILE", help="CSV to write."
)
@guarded
def sample(folder: Path, number: int, seed: int, out: str) -> None:
    """Write a sheet for a human audit: rows as text, with empty columns for verdicts."""
    from builder.audit import write_sheet
    from builder.inspect import find_files
    from builder.refusal import Refusal

    files = find_files(folder)
    if not files:
        raise Refusal(
            str(folder),
            "no rows",
            "a build's folder, with data/LEVEL/*.parquet in it",
            "give the folder that a build wrote",
        )
    path = Path(out)
    if path.exists():
        raise Refusal(f"--out {out}", "it is there already", "a new file", "choose another name")
    written = write_sheet(path, files, number, seed)
    click.echo(f"{out}: {written} rows")


@click.command(
    context_settings=SETTINGS,
    epilog=examples("pararecover kinds", "pararecover kinds Serial_Error"),
)
@click.argument("kind", metavar="[KIND]", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@guarded
def kinds(kind: str | None, as_json: bool) -> None:
    """List the error kinds, or explain one."""
    from builder.refusal import Refusal
    from taxonomy.registry import kinds as registered

    known = registered()
    if kind is not None and kind not in known:
        raise Refusal(
            kind, "there is no such kind", f"one of {', '.join(known)}", "check its spelling"
        )
    chosen = [known[kind]] if kind else list(known.values())
    if as_json:
        print_json(
            {one.name: {"dimension": one.dimension, "doc": one.doc.strip()} for one in chosen}
        )
    elif kind:
        click.echo(f"{chosen[0].name} ({chosen[0].dimension})\n\n{chosen[0].doc.strip()}")
    else:
        dimension = ""
        for one in chosen:
            if one.dimension != dimension:
                dimension = one.dimension
                click.secho(dimension, bold=True)
            click.echo(f"  {one.name:<20} {one.doc.strip().splitlines()[0]}")
