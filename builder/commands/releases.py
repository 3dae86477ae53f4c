"""The commands that read releases: verify, diff."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

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
    tell,
)

_REMOTE = re.compile(r"(?P<repo>[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*)@(?P<tag>[\w./-]+)", re.ASCII)


class Place(NamedTuple):
    """A folder on this disk, its name for people, and the tag that it was fetched by."""

    folder: Path
    where: str
    tag: str | None


@contextmanager
def opened(text: str) -> Iterator[Place]:
    """Yield a folder as it is, or a release of the Hub, fetched for as long as it is needed.

    Raises:
        Refusal: it is neither, or it can't be fetched.
    """
    from tempfile import TemporaryDirectory

    from builder.refusal import Refusal

    path = Path(text)
    remote = _REMOTE.fullmatch(text)
    if path.exists() or remote is None:
        if not path.exists() and re.fullmatch(r"[\w.-]+/[\w.-]+", text):
            raise Refusal(
                text,
                "there is no such folder",
                "a folder, or REPO_ID@TAG for a release on the Hub",
                f"check the path, or add the tag, as in {text}@v1.0.0",
            )
        yield Place(path, text, None)
        return
    from hub_card.extras import NotInstalled
    from hub_card.hub import Hub, HubError, find_token

    with TemporaryDirectory(prefix="pararecover-") as room:
        try:
            hub = Hub(token=find_token())
            folder = hub.fetch(remote["repo"], remote["tag"], Path(room) / "release")
        except (HubError, NotInstalled) as error:
            raise Refusal(error.where, error.found, error.expected, error.remedy) from None
        yield Place(folder, text, remote["tag"])


@click.command(
    context_settings=SETTINGS,
    epilog=examples(
        "pararecover verify release-1.0.0",
        "pararecover verify ada/recovery-rows@v1.0.0",
        "pararecover verify release-1.0.0 --json > verified.json",
    ),
)
@click.argument("release", metavar="DIR|REPO_ID@TAG")
@workers_option
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON object.")
@click.option("--quiet", "-q", is_flag=True, help="No progress bar and no table.")
@guarded
def verify(release: str, workers: int | None, as_json: bool, quiet: bool) -> None:
    """Check all that a release promises; exit 0 or 1.

    Every file against SHA256SUMS and the manifest; every row in both formats; every label's
    certificate; the card; the Croissant description; the scoring code, run alone. Of a build's
    folder, which promises less, rows and files are certified.
    """
    from builder.verify import verify as check

    with opened(release) as place:
        report = check(
            place.folder,
            workers=workers,
            progress=partial(bar, quiet),
            where=place.where,
            tag=place.tag,
        )
    tell(report, as_json=as_json, quiet=quiet)


@click.command(
    context_settings=SETTINGS,
    epilog=examples(
        "pararecover diff release-1.0.0 release-1.1.0",
        "pararecover diff ada/recovery-rows@v1.0.0 release-1.1.0 --markdown",
        "pararecover diff level2-seed0 level2-seed1",
    ),
)
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON object.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Print lines for a changelog.")
@click.option("--quiet", "-q", is_flag=True, help="No progress bar and no table.")
@guarded
def diff(old: str, new: str, as_json: bool, as_markdown: bool, quiet: bool) -> None:
    """Show what changed from OLD to NEW: folders, or releases on the Hub as REPO_ID@TAG.

    Rows added, removed and changed, by column and by kind; columns, splits and other files; and
    what that demands of the version number. Exit 1 if NEW's version is too small a step.

    Major: a row changed under its id or went to another split, or a column, split or config is
    gone. Minor: rows, columns, splits or configs added, rows removed, or other scoring code.
    Patch: the same rows.
    """
    from builder.difference import diff as compare
    from builder.difference import markdown
    from builder.refusal import Refusal

    if as_json and as_markdown:
        raise Refusal("--json --markdown", "both", "one of them", "leave one out")
    with opened(old) as before, opened(new) as after:
        difference = compare(
            before.folder,
            after.folder,
            progress=partial(bar, quiet),
            old_where=before.where,
            new_where=after.where,
        )
    if as_json:
        print_json(difference.to_json())
    elif as_markdown:
        click.echo(markdown(difference), nl=False)
    elif not quiet:
        click.echo(difference.to_text(), nl=False)
    sys.exit(FAULTY if difference.obeys is False else DONE)
