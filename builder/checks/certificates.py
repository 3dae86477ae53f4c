"""A release's rows, certified from its files as a build's are."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import certify.report
from builder.checks.files import AGAIN, Digest
from builder.checks.manifest import CONFIGS, MANIFEST, PREVIEW, Manifest, object_at
from builder.checks.outcome import Check, Findings
from certify.build import NoBuild, certify_folder
from plan.json_text import dump_bytes

if TYPE_CHECKING:
    from builder.pipeline import Advance, Progress

UNPROVED = "don't use the row; report it to who published the release, or build it again"


def certify_release(
    folder: Path,
    manifest: Manifest,
    files: Mapping[str, Digest],
    rows: int,
    workers: int,
    progress: Progress,
) -> Check:
    """Certify every row of the levels; the preview repeats some of them."""
    findings = Findings()
    certified = total = 0
    there = {name.split("/")[1] for name in files if name.startswith("data/")}
    configs = [config for config in CONFIGS if config in there and config != PREVIEW]
    with progress("certifying", rows, "row") as advance:
        for config in configs:
            with TemporaryDirectory(prefix="pararecover-") as room:
                view = Path(room)
                _lay_out(folder, manifest, files, config, view)
                good, all = _certify(view, workers, f"/builds/{config}", findings, advance)
            certified, total = certified + good, total + all
    return Check.of("certificates", f"{certified} of {total} rows certified", findings)


def certify_build(folder: Path, workers: int, progress: Progress) -> Check:
    """Certify a build's folder, its files' hashes included."""
    findings = Findings()
    with progress("certifying", None, "row") as advance:
        certified, total = _certify(folder, workers, "", findings, advance)
    return Check.of(
        "certificates",
        f"{certified} of {total} rows certified, files against the manifest",
        findings,
    )


def _lay_out(
    folder: Path, manifest: Manifest, files: Mapping[str, Digest], config: str, view: Path
) -> None:
    """Show one config as the build that its rows came from."""
    own = [
        {"path": name, "sha256": sha256, "level": config}
        for name, (sha256, _) in files.items()
        if name.startswith(f"data/{config}/") and name.endswith(".parquet")
    ]
    build = object_at(object_at(manifest, "builds"), config)
    (view / MANIFEST).write_bytes(dump_bytes({**build, "files": own}))
    (view / "data").mkdir()
    (view / "data" / config).symlink_to((folder / "data" / config).resolve())


def _certify(
    folder: Path, workers: int, build: str, findings: Findings, advance: Advance
) -> tuple[int, int]:
    before = 0

    def show(done: int, _: int) -> None:
        nonlocal before
        advance(done - before)
        before = done

    try:
        report = certify_folder(folder, workers=workers, progress=show)
    except NoBuild as error:
        findings.add(
            f"data/{build.rpartition('/')[2]}" if build else error.where,
            error.found,
            error.expected,
            AGAIN,
        )
        return 0, 0
    for found in report.problems:
        _add(found, build, findings)
    findings.count += report.codes.total() - len(report.problems)
    return report.certified, report.certified + report.failed


def _add(found: certify.report.Found, build: str, findings: Findings) -> None:
    problem = found.problem
    path = f"{build}{problem.path}" if found.file == MANIFEST else problem.path
    place = f"{found.file}: {found.instance_id}" if found.instance_id else found.file
    findings.add(
        f"{place}: {path}" if path else place,
        f"{problem.message} [{problem.code}]",
        "what the certificate proves; docs/certificates.md says what that is",
        UNPROVED if found.instance_id else AGAIN,
    )
