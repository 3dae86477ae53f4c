"""The command that assembles a release from builds: release."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import click

from builder.commands.build import workers_option
from builder.commands.outcome import SETTINGS, bar, examples, guarded, print_json
from plan.json_text import Json

_PATH = click.Path(path_type=Path)


@click.command(
    context_settings=SETTINGS,
    epilog=examples(
        "pararecover release level1-seed0 level2-seed0 --version 1.0.0 --name pararecover \\",
        "    --out release-1.0.0",
        "pararecover release level1-seed1 level2-seed1 --version 2.0.0 --name pararecover \\",
        "    --out release-2.0.0 --previous release-1.0.0 --notes notes.md --date 2026-03-01",
    ),
)
@click.argument("builds", metavar="BUILD_DIR...", nargs=-1, required=True, type=_PATH)
@click.option(
    "--version",
    required=True,
    metavar="X.Y.Z",
    help="Semantic version; above that of --previous. The tag on the Hub will be vX.Y.Z.",
)
@click.option(
    "--name",
    required=True,
    metavar="NAME",
    help="The dataset's name, spelled as a repository's: letters, digits, - _ and .",
)
@click.option(
    "--out",
    "-o",
    required=True,
    metavar="DIR",
    type=_PATH,
    help="Folder to write; new or empty. It appears whole or not at all.",
)
@click.option(
    "--previous",
    metavar="DIR",
    type=_PATH,
    help="Folder of the release before: what changed since goes into the changelog.",
)
@click.option(
    "--notes",
    metavar="FILE",
    type=_PATH,
    help="Changelog lines of your own, one for each thing that users notice.",
)
@click.option(
    "--repo-id",
    metavar="ID",
    help="NAMESPACE/NAME on the Hub, for the card's commands and links.",
)
@click.option(
    "--date",
    metavar="YYYY-MM-DD",
    help="Day of publication to be told. Without it no date is, and bytes don't depend on the day.",
)
@workers_option
@click.option("--json", "as_json", is_flag=True, help="Print a summary as one JSON object.")
@click.option("--quiet", "-q", is_flag=True, help="No progress bars and no summary.")
@guarded
def release(
    builds: tuple[Path, ...],
    as_json: bool,
    quiet: bool,
    workers: int | None,
    **options: Any,
) -> None:
    """Assemble a release of one or two builds, laid out as its repository on the Hub will be.

    Files of the builds are compared with their manifests; what was built with --no-certify is
    certified now. The same builds and options give the same bytes.
    """
    from builder.release import Request, assemble

    request = Request(builds=builds, **options)
    manifest = assemble(request, partial(bar, quiet), workers)
    if as_json:
        print_json({"out": str(request.out), **{name: manifest[name] for name in _SUMMARY}})
    elif not quiet:
        click.echo(summarise(request.out, manifest))
    if manifest["shared"]:
        click.echo(_warn(manifest["shared"]), err=True)


_SUMMARY = ("name", "version", "rows", "shared", "previous", "changelog", "files")


def summarise(out: Path, manifest: Mapping[str, Json]) -> str:
    """Return what a user sees at the end."""
    size = sum(file["bytes"] for file in manifest["files"])
    lines = [f"{out}: {manifest['name']} {manifest['version']}"]
    for config, splits in manifest["rows"].items():
        told = ", ".join(f"{split} {rows:,}" for split, rows in splits.items())
        lines.append(f"  {config:<9} {told}")
    lines += [
        f"  files     {len(manifest['files']) + 2:,}, {size / 1e6:,.1f} MB",
        f"  see       {out / 'README.md'}, or `pararecover verify {out}`",
    ]
    return "\n".join(lines)


def _warn(shared: list[Json]) -> str:
    from builder.release.overlap import tell

    return "\n".join(
        [
            "Warning: the two levels were not split alike:",
            *(f"  {tell(one)}" for one in shared),
            "Within a level nothing is shared. The card says so; to avoid it, build both levels "
            "with the same --source, --seed, --split and --plans.",
        ]
    )
