"""The command that publishes: push-release."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from builder.commands.outcome import (
    REFUSED,
    SETTINGS,
    bar,
    examples,
    print_json,
    resumable,
    show_version,
)
from plan.json_text import Json

if TYPE_CHECKING:
    from hub_card.hub import Hub
    from hub_card.push import Outcome, Plan, Release


@contextmanager
def hub_refusals() -> Iterator[None]:
    """Turn what the Hub refuses into a message and an exit code."""
    from builder.refusal import Refusal
    from hub_card.hub import HubError

    try:
        yield
    except HubError as error:
        refusal = Refusal(error.where, error.found, error.expected, error.remedy)
    else:
        return
    raise refusal


@click.command(
    "push-release",
    context_settings=SETTINGS,
    epilog=examples(
        "push-release release-1.0.0 ada/recovery-rows --dry-run",
        "push-release release-1.0.0 ada/recovery-rows --private",
        "HF_TOKEN=… push-release release-1.0.0 lab/recovery-rows --token-from-env --json",
    ),
)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("repo_id", metavar="REPO_ID")
@click.option(
    "--private",
    is_flag=True,
    help="Create the repository for its owners only. One that is there and public is refused.",
)
@click.option(
    "--branch",
    default="main",
    show_default=True,
    metavar="B",
    help="Branch to commit on; made from main if it isn't there.",
)
@click.option(
    "--dry-run",
    is_flag=True,
    help="List every file and byte that would go, and what would be deleted; send nothing. Needs "
    "no token for a public repository.",
)
@click.option(
    "--token-from-env",
    is_flag=True,
    help="Take the token from HF_TOKEN only, never one that `hf auth login` has stored.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    metavar="W",
    help="Processes for the certificates. [default: one for each processor]",
)
@click.option("--json", "as_json", is_flag=True, help="Print what was done as one JSON object.")
@click.option("--quiet", "-q", is_flag=True, help="No progress and no summary.")
@show_version
@resumable
def push_release(
    folder: Path,
    repo_id: str,
    private: bool,
    branch: str,
    dry_run: bool,
    token_from_env: bool,
    workers: int | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Publish the release in DIR as the dataset REPO_ID, under the tag v<version>.

    Hashes and certificates are checked first. Then one commit, which holds only what has changed;
    then the tag on it; then all files are fetched, and all rows loaded by that tag, with nothing
    cached, and compared with DIR. Stopped anywhere, the same command finishes, or says that all
    is done. HF_TOKEN, HF_ENDPOINT and HF_HUB_OFFLINE count as everywhere.
    """
    from hub_card.hub import Hub, bars, find_token
    from hub_card.push import describe, make_plan, push, read_folder

    with hub_refusals():
        release = read_folder(folder)
        hub = Hub(None, find_token(only_environment=token_from_env))
        _verify(folder, workers, quiet)
        shows = not (quiet or as_json) and sys.stderr.isatty()
        with bars(shows):
            if dry_run:
                plan = make_plan(hub, release, repo_id, _is_later, branch=branch)
                if as_json:
                    print_json(_spell_plan(plan, release, hub, repo_id, branch))
                elif not quiet:
                    click.echo(describe(plan, release, hub.page(repo_id), branch))
                return
            outcome = push(
                hub,
                release,
                repo_id,
                _is_later,
                private=private,
                branch=branch,
                tell=(lambda words: None) if quiet or as_json else partial(click.echo, err=True),
                shows_progress=shows,
            )
    if as_json:
        print_json(
            {
                **_spell_plan(outcome.plan, release, hub, repo_id, branch),
                "dry_run": False,
                "commit": outcome.commit,
                "private": outcome.is_private,
                "did": list(outcome.did),
                "already_done": not outcome.did,
                "checked": {
                    "files": len(release.files),
                    "rows": {config: dict(splits) for config, splits in outcome.rows.items()},
                },
            }
        )
    elif not quiet:
        click.echo(_summarise(outcome, release, hub, repo_id))


def _verify(folder: Path, workers: int | None, quiet: bool) -> None:
    """Exit with 2 and the list of problems unless the release is whole and certified."""
    from builder.verify import verify

    report = verify(folder, workers=workers, progress=partial(bar, quiet))
    if not report.ok:
        click.echo(report.to_text(), err=True)
        click.echo(f"{folder} was not pushed.", err=True)
        sys.exit(REFUSED)


def _is_later(version: str, other: str) -> bool:
    from builder.semver import Version

    return Version.parse(version).is_later(Version.parse(other))


def _spell_plan(
    plan: Plan, release: Release, hub: Hub, repo_id: str, branch: str
) -> dict[str, Json]:
    return {
        "repo_id": repo_id,
        "url": hub.page(repo_id),
        "branch": branch,
        "version": release.version,
        "tag": release.tag,
        "dry_run": True,
        "new_repository": plan.is_new,
        "parent": plan.parent,
        "commit": plan.commit,
        "tagged": plan.is_tagged,
        "bytes": plan.size,
        "send": [{"path": file.path, "bytes": file.size} for file in plan.send],
        "delete": [{"path": file.path, "bytes": file.size} for file in plan.delete],
        "unchanged": list(plan.same),
        "kept": list(plan.keep),
        "changed_there": list(plan.edited),
        "last_version": plan.last,
    }


def _summarise(outcome: Outcome, release: Release, hub: Hub, repo_id: str) -> str:
    plan, did = outcome.plan, set(outcome.did)
    lines = [
        f"{hub.page(repo_id)}: "
        + (f"{release.tag} is out." if did else f"{release.tag} was out already, nothing to do."),
        f"  commit    {outcome.commit}"
        + ("" if "commit" in did else ", made earlier" if did else ""),
    ]
    if "commit" in did:
        lines.append(
            f"  files     {len(plan.send):,} sent ({plan.size:,} bytes), {len(plan.same):,} "
            f"unchanged, {len(plan.delete):,} deleted"
        )
    lines += [
        f"  note      {path} had been changed there since v{plan.last}; that is replaced"
        for path in plan.edited
    ]
    rows = "; ".join(
        f"{config} " + ", ".join(f"{split} {count:,}" for split, count in splits.items())
        for config, splits in outcome.rows.items()
    )
    lines += [
        f"  checked   {len(release.files):,} files by their hashes, and all rows: {rows}",
        f"  seen by   {'its owners only' if outcome.is_private else 'everybody'}",
        f'  load      load_dataset("{repo_id}", "{next(iter(outcome.rows), "")}", '
        f'revision="{release.tag}")',
    ]
    return "\n".join(lines)
