"""Verifies a release: files, manifest, rows, certificates, card, Croissant and scoring code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from builder.checks.files import check_files, list_files, measure
from builder.checks.manifest import BUILD, PREVIEW, check_manifest, read_manifest, text_at
from builder.checks.outcome import Check, Report
from builder.pool import default_workers

if TYPE_CHECKING:
    from builder.pipeline import Advance, Progress


@contextmanager
def silent(words: str, total: int | None, unit: str) -> Iterator[Advance]:
    """Show no progress."""
    yield lambda count: None


def verify(
    folder: Path,
    *,
    workers: int | None = None,
    progress: Progress = silent,
    where: str | None = None,
    tag: str | None = None,
) -> Report:
    """Check everything that a release promises of itself.

    A build's folder is certified only, with its files' hashes; it promises nothing else.

    Args:
        folder: the folder that `pararecover release` wrote, or one fetched from the Hub.
        workers: processes for the certificates; None for one for each processor.
        progress: opens a progress bar for each long check.
        where: the release's name for people; the folder's if None.
        tag: the tag that it was fetched by, if it was.

    Raises:
        Refusal: it is no folder of a release or a build.
        OSError: a file can't be read.
    """
    from builder.checks.certificates import certify_build, certify_release
    from builder.checks.metadata import check_card, check_croissant
    from builder.checks.rows import check_rows
    from builder.checks.scoring_copy import check_scoring

    manifest, kind = read_manifest(folder)
    processes = workers or default_workers()
    name = where or str(folder)
    if kind == BUILD:
        checks = [certify_build(folder, processes, progress)]
        checks += [
            Check.skipped(one, "a build has none; `pararecover release` makes one")
            for one in ("card", "croissant", "scoring")
        ]
        return Report(name, kind, "", "", checks)
    names = list_files(folder)
    files = measure(folder, names, progress)
    against_sums, sums = check_files(folder, files)
    rows, counts = check_rows(folder, names, progress)
    own = sum(count for (config, _), count in counts.items() if config != PREVIEW)
    checks = [
        against_sums,
        check_manifest(folder, manifest, files, sums, counts, tag),
        rows,
        certify_release(folder, manifest, files, own, processes, progress),
        check_card(folder),
        check_croissant(folder, files),
        check_scoring(folder, manifest, files),
    ]
    return Report(name, kind, text_at(manifest, "name"), text_at(manifest, "version"), checks)
