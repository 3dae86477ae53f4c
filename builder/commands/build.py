"""The commands that build: build-level1, build-level2, regenerate."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import click

from builder.commands.outcome import (
    DONE,
    FAULTY,
    SETTINGS,
    bar,
    examples,
    print_json,
    resumable,
    show_version,
)
from plan.json_text import Json
from plan.row import LEVEL1, LEVEL2

# An episode ends after 40 rounds; behind its errors it needs a round of calls and the answer.
MOST_ROUNDS = 38
MOST_WORKERS = 64
MOST_ROWS = 10_000_000


class Size(click.ParamType):  # type: ignore[type-arg]  # not generic before 8.4
    """A number of rows, or ``all``."""

    name = "N|all"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> int | str:
        """Return the number, or ``all``."""
        if isinstance(value, int):
            return value
        if value == "all":
            return "all"
        try:
            number = int(str(value))
        except ValueError:
            number = 0
        if not 1 <= number <= MOST_ROWS:
            self.fail(
                f"found {value!r}; expected a number of rows from 1 to {MOST_ROWS:,}, "
                'or "all" for one row of each usable plan.',
                param,
                ctx,
            )
        return number


class Split(click.ParamType):  # type: ignore[type-arg]  # not generic before 8.4
    """Three shares that add up to one."""

    name = "A,B,C"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, ...]:
        """Return the shares of train, validation and test."""
        if isinstance(value, tuple):
            return tuple(map(float, value))
        expected = "expected the shares of train, validation and test, such as 0.8,0.1,0.1"
        try:
            shares = tuple(float(part) for part in str(value).split(","))
        except ValueError:
            self.fail(f"found {value!r}; {expected}.", param, ctx)
        if len(shares) != 3:
            self.fail(f"found {len(shares)} shares; {expected}.", param, ctx)
        if not all(0 <= share <= 1 for share in shares):
            self.fail(f"found {value!r}; {expected}, each from 0 to 1.", param, ctx)
        if abs(sum(shares) - 1) > 1e-6:
            self.fail(f"the shares add up to {sum(shares):g}; {expected}, 1 in all.", param, ctx)
        return shares


class Share(click.ParamType):  # type: ignore[type-arg]  # not generic before 8.4
    """A share from 0 to 1."""

    name = "P"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the share."""
        try:
            number = float(value)
        except ValueError:
            number = -1.0
        if not 0 <= number <= 1:
            self.fail(f"found {value!r}; expected a share from 0 to 1.", param, ctx)
        return number


def check_rounds(_: click.Context, param: click.Parameter, value: int) -> int:
    """Refuse numbers of error rounds that no row can have."""
    if value == 1:
        raise click.BadParameter(
            "rows with one error are LEVEL-1; build them with `build-level1`, "
            "or give --rounds 2 or more.",
            param=param,
        )
    if not 2 <= value <= MOST_ROUNDS:
        raise click.BadParameter(
            f"found {value}; expected 2 to {MOST_ROUNDS}. An episode ends after 40 rounds, and "
            "behind the last error it needs a round of calls and one for the response. "
            "Each error needs a layer of calls of its own, so plans set a lower bound.",
            param=param,
        )
    return value


def refuse_negative(_: click.Context, param: click.Parameter, value: int) -> int:
    """Refuse seeds that the rows' seed column can't hold."""
    if not 0 <= value < 2**62:
        raise click.BadParameter(f"found {value}; expected 0 to 2^62 - 1.", param=param)
    return value


def workers_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--workers``."""
    return click.option(
        "--workers",
        type=click.IntRange(1, MOST_WORKERS),
        metavar="W",
        help="Processes; the bytes don't depend on it. [default: one for each processor]",
    )(command)


def source_option(words: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return an option ``--source``."""
    return click.option("--source", "-s", multiple=True, metavar="FILE", help=words)


_SHARED: list[Callable[[Callable[..., Any]], Callable[..., Any]]] = [
    source_option(
        "BUTTON JSON Lines, plain, .gz or .zst, or - for standard input; may be given several "
        "times. Without it, trajectories are synthesised."
    ),
    click.option("--out", "-o", metavar="DIR", help="Folder to write. [default: LEVEL-seedS]"),
    click.option(
        "--size",
        type=Size(),
        help='Number of rows. More rows than plans take several variants of a plan; "all" is one '
        "row of each usable plan. [default: all with --source, else 2000]",
    ),
    click.option(
        "--seed",
        type=int,
        default=0,
        show_default=True,
        metavar="S",
        callback=refuse_negative,
        help="What is drawn at random follows from it, a synthesised corpus too.",
    ),
    click.option(
        "--distribution",
        default="paper",
        show_default=True,
        metavar="paper|uniform|FILE",
        help="Shares of the kinds: the paper's tables 10 and 11, all alike, or a JSON or CSV file: "
        '{"Type_Error": 0.5, "Null_Error": 0.5}, {"rounds": [{…}, {…}]}, or lines under '
        "kind,share or kind,round1,round2. Shares add up to 1; counts will do as well.",
    ),
    click.option(
        "--split",
        type=Split(),
        default="0.8,0.1,0.1",
        show_default=True,
        help="Shares of train, validation and test; groups are kept together.",
    ),
    click.option(
        "--controls",
        type=Share(),
        default=0.0,
        show_default=True,
        help="Undamaged rows to add, as a share of the rows asked for.",
    ),
    click.option(
        "--plans",
        type=click.IntRange(1, MOST_ROWS),
        metavar="N",
        help="Trajectories to synthesise where there is no --source. [default: as many as rows, "
        "and a few more]",
    ),
    workers_option,
    click.option("--no-certify", is_flag=True, help="Don't prove each row's labels."),
    click.option("--strict", is_flag=True, help="Exit with 1 if a line was rejected."),
    click.option("--json", "as_json", is_flag=True, help="Print a summary as one JSON object."),
    click.option("--quiet", "-q", is_flag=True, help="No progress bars and no summary."),
]


def shared_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add what both levels share, in the order of the help."""
    for option in reversed(_SHARED):
        command = option(command)
    return command


@click.command(
    "build-level1",
    context_settings=SETTINGS,
    epilog=examples(
        "build-level1",
        "build-level1 --source button_instruct.jsonl --size 2612 --out level1",
        "build-level1 --distribution uniform --controls 0.1 --seed 7",
    ),
)
@shared_options
@show_version
@resumable
def build_level1(**options: Any) -> None:
    """Build LEVEL-1 rows: one error, in the round before the agent.

    A stopped build goes on where it was when the same command is given again.
    """
    _build(LEVEL1, 1, options)


@click.command(
    "build-level2",
    context_settings=SETTINGS,
    epilog=examples(
        "build-level2 --rounds 3",
        "build-level2 --rounds 3 --source button_instruct.jsonl --size all --out level2",
        "build-level2 --rounds 2 --size 500 --workers 1 --json",
    ),
)
@click.option(
    "--rounds",
    type=int,
    default=3,
    show_default=True,
    metavar="R",
    callback=check_rounds,
    help="The most errors of a row, 2 or more; with 3, rows have two or three.",
)
@shared_options
@show_version
@resumable
def build_level2(rounds: int, **options: Any) -> None:
    """Build LEVEL-2 rows: an error in each of the last two or more rounds.

    A stopped build goes on where it was when the same command is given again.
    """
    _build(LEVEL2, rounds, options)


def _build(level: str, rounds: int, options: Mapping[str, Any]) -> None:
    from builder.distribution import choose
    from builder.pipeline import Request
    from builder.refusal import Refusal
    from taxonomy.registry import kinds

    if options["plans"] and options["source"]:
        raise Refusal(
            "--plans",
            "given together with --source",
            "--plans only where trajectories are synthesised",
            "leave one out",
        )
    request = Request(
        level=level,
        source=options["source"],
        out=Path(options["out"] or f"{level}-seed{options['seed']}"),
        size=options["size"],
        plans=options["plans"],
        seed=options["seed"],
        rounds=rounds,
        distribution=choose(options["distribution"], level, tuple(kinds())),
        split=options["split"],
        controls=options["controls"],
        certify=not options["no_certify"],
    )
    run(request, options)


def run(request: Any, options: Mapping[str, Any]) -> None:
    """Build, tell what came out, and exit."""
    from builder.pipeline import build
    from builder.pool import default_workers

    quiet = options["quiet"]
    result = build(request, options["workers"] or default_workers(), partial(bar, quiet))
    manifest = result.manifest
    if options["as_json"]:
        print_json(
            {
                "out": str(request.out),
                "already_done": result.was_done,
                "resumed": result.resumed,
                **{name: manifest[name] for name in _SUMMARY},
                "distance": manifest["distance"]["rounds"],
                "splits": manifest["counts"]["splits"],
                "rejects": manifest["corpus"]["rejects"],
                "certified": manifest["arguments"]["certify"],
            }
        )
    elif not quiet:
        click.echo(summarise(request.out, manifest, result.was_done))
    bugs = manifest["bugs"]["count"]
    if bugs:
        click.echo(
            f"{bugs:,} attempts to build a row went wrong, or their certificate refused it; no "
            f"such row was kept. This is a bug of pararecover; see {request.out / 'report.md'}. "
            "The first:\n  " + "\n  ".join(manifest["bugs"]["first"][:3]),
            err=True,
        )
    rejects = manifest["corpus"]["rejects"] + manifest["corpus"]["unusable"]
    if rejects and options["strict"]:
        click.echo(
            f"{rejects} lines gave no usable plan (--strict); "
            f"{request.out / 'rejects.jsonl'} lists them.",
            err=True,
        )
        sys.exit(FAULTY)
    sys.exit(FAULTY if bugs else DONE)


_SUMMARY = ("rows", "shortfalls", "files", "fingerprint", "split_deviation")


def summarise(out: Path, manifest: Mapping[str, Json], was_done: bool) -> str:
    """Return what a user sees at the end of a build."""
    from builder.splits import NAMES

    rows, corpus = manifest["rows"], manifest["corpus"]
    splits = ", ".join(f"{name} {manifest['counts']['splits'][name]:,}" for name in NAMES)
    distances = ", ".join(f"{100 * value:.2f} %" for value in manifest["distance"]["rounds"])
    rejects = corpus["rejects"] + corpus["unusable"]
    lines = [
        f"{out}: already built with these arguments, nothing to do." if was_done else f"{out}:",
        f"  rows      {rows['built']:,} of {rows['asked']:,} asked"
        + (f", {rows['short']:,} short" if rows["short"] else "")
        + (f", and {rows['controls']:,} controls" if rows["controls"] else "")
        + (", each certified" if manifest["arguments"]["certify"] else ", not certified"),
        f"  splits    {splits}",
        f"  distance  {distances} from the distribution asked for",
        f"  plans     {corpus['used']:,} used of {corpus['usable']:,} usable"
        + (f"; {rejects:,} lines left out, see rejects.jsonl" if rejects else ""),
        f"  see       {out / 'report.md'}, or `pararecover inspect {out}`",
    ]
    return "\n".join(lines)


@click.command(
    context_settings=SETTINGS,
    epilog=examples(
        "pararecover regenerate level2-seed0/manifest.json --seed 1 --out level2-seed1",
        "pararecover regenerate rows/manifest.json --seed 2 --out rows-2 --source button.jsonl",
    ),
)
@click.argument("manifest", type=click.Path(path_type=Path))
@click.option(
    "--seed", type=int, required=True, metavar="S", callback=refuse_negative, help="The new seed."
)
@click.option("--out", "-o", required=True, metavar="DIR", help="Folder to write.")
@source_option(
    "The files that the manifest names, in any order. Without it they are looked for by name in "
    "the current folder and beside the manifest."
)
@workers_option
@click.option("--json", "as_json", is_flag=True, help="Print a summary as one JSON object.")
@click.option("--quiet", "-q", is_flag=True, help="No progress bars and no summary.")
@resumable
def regenerate(
    manifest: Path, seed: int, out: str, source: tuple[str, ...], **options: Any
) -> None:
    """Build MANIFEST's recipe again with another seed.

    Everything but the seed is taken from the manifest. A synthesised corpus follows the seed,
    so its plans are new as well; files must be the ones that the manifest names, by their
    hashes. With the manifest's own seed the same bytes come out, under the same versions.
    """
    from builder.corpus import EMBEDDED
    from builder.distribution import Distribution
    from builder.pipeline import Request
    from taxonomy.registry import kinds

    asked = _read_arguments(manifest)
    embedded = asked["source"] == EMBEDDED
    request = Request(
        level=asked["level"],
        source=() if embedded else _find_sources(manifest, asked["source"], source),
        out=Path(out),
        size=asked["size"],
        plans=asked["plans"],
        seed=seed,
        rounds=asked["rounds"],
        distribution=Distribution.from_json(asked["distribution"], tuple(kinds())),
        split=tuple(asked["split"]),
        controls=asked["controls"],
        certify=asked["certify"],
    )
    run(request, {**options, "strict": False})


def _read_arguments(path: Path) -> Mapping[str, Json]:
    from builder.refusal import Refusal
    from hub_card.manifest import read

    if path.is_dir():
        path = path / "manifest.json"
    try:
        arguments: Mapping[str, Json] = read(path)["arguments"]
        missing = [name for name in _NEEDED if name not in arguments]
        if missing:
            raise ValueError(f"it lacks the arguments {', '.join(missing)}")
    except FileNotFoundError:
        raise Refusal(
            str(path),
            "there is no such file",
            "the manifest.json of a build",
            "give the path of a build's manifest.json",
        ) from None
    except ValueError as error:
        raise Refusal(
            str(path), str(error), "the manifest.json of a build", "give another file"
        ) from None
    return arguments


_NEEDED = (
    "level",
    "source",
    "size",
    "plans",
    "rounds",
    "distribution",
    "split",
    "controls",
    "certify",
)


def _find_sources(
    manifest: Path, recorded: list[Mapping[str, Json]], given: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the files with the recorded hashes, in the recorded order."""
    from builder.refusal import Refusal
    from builder.resume.files import digest

    names = [os.path.basename(str(one["name"])) for one in recorded]
    places = [Path(text) for text in given] or [
        folder / name for name in names for folder in (Path(), manifest.parent)
    ]
    hashes: dict[str, str] = {}
    for path in places:
        if path.is_file():
            hashes.setdefault(digest(path)[0], str(path))
        elif given:
            raise Refusal(
                f"--source {path}",
                "there is no such file",
                "a source of the manifest",
                "check the path",
            )
    lost = [one["name"] for one in recorded if one["sha256"] not in hashes]
    if lost:
        raise Refusal(
            str(manifest),
            f"made from {', '.join(lost)}; "
            + ("none of the files given has" if given else "no file was found that has")
            + " the hash that it records",
            "the very files, byte for byte: "
            + ", ".join(f"{one['name']} (SHA-256 {one['sha256'][:16]}…)" for one in recorded),
            "give each with --source FILE",
        )
    return tuple(hashes[one["sha256"]] for one in recorded)
