"""From builds to a release folder: rows, what is counted of them, and what is told of them."""

from __future__ import annotations

import platform
import shutil
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import scoring
from builder import report
from builder.pipeline import Progress
from builder.pool import Pool, default_workers
from builder.refusal import Refusal
from builder.release import changelog, texts
from builder.release.builds import Build, open_builds
from builder.release.data import Written, gather, write_rows
from builder.release.overlap import Shared, check_rows, find_shared
from builder.release.preview import write_preview
from builder.release.request import Previous, Request, check
from builder.resume.files import digest, whole_folder
from builder.resume.fingerprint import code, versions
from builder.resume.folder import MANIFEST
from hub_card import citation, croissant
from hub_card import manifest as manifests
from hub_card.examples import Chooser
from hub_card.extras import NotInstalled
from hub_card.facts import PREVIEW, Facts, SplitFacts
from hub_card.statistics import Collector, Statistics
from plan.json_text import Json
from plan.row import Row
from taxonomy.registry import kinds

SUMS = "SHA256SUMS"
LICENSE = "cc-by-4.0"
LIBRARIES = ("jinja2", "matplotlib", "pyyaml")
"""What writes a release's bytes, beside what writes a build's."""

SCORING_FILES = (".py", ".md", ".typed")


def assemble(request: Request, progress: Progress, workers: int | None = None) -> dict[str, Json]:
    """Write a release folder, whole or not at all, and return its manifest.

    Args:
        request: what is asked for.
        progress: opens a progress bar.
        workers: processes; None for one for each processor.

    Raises:
        Refusal: an option or a build can't be worked with; nothing is written.
        OSError: a file can't be read or written.
    """
    with _extras():
        _import_extras()
        previous = check(request)
        notes = changelog.read_notes(request.notes) if request.notes else []
        processes = workers or default_workers()
        with whole_folder(request.out) as folder:
            builds = open_builds(request.builds, processes, progress)
            return _Release(request, previous, notes, builds, folder, progress).write(processes)


@contextmanager
def _extras() -> Iterator[None]:
    try:
        yield
    except NotInstalled as error:
        raise Refusal(error.where, error.found, error.expected, error.remedy) from None


def _import_extras() -> None:
    """Say at once what is missing, not after all rows are written."""
    for name in LIBRARIES:
        try:
            metadata.version(name)
        except metadata.PackageNotFoundError:
            raise NotInstalled(name, "assembling a release") from None


class _Release:
    """One release on its way."""

    def __init__(
        self,
        request: Request,
        previous: Previous | None,
        notes: Sequence[str],
        builds: Sequence[Build],
        folder: Path,
        progress: Progress,
    ) -> None:
        self.request = request
        self.previous = previous
        self.notes = list(notes)
        self.builds = builds
        self.folder = folder
        self.progress = progress
        self.known: dict[str, tuple[str, int]] = {}  # digests of what doesn't change any more

    def write(self, workers: int) -> dict[str, Json]:
        work = self.folder / ".work"
        work.mkdir()
        with Pool(workers) as pool:
            written = write_rows(self.builds, self.folder, work, pool, self.progress)
        work.rmdir()
        check_rows(written)
        shared = find_shared(written)
        configs = gather(written)
        preview = write_preview(written, self.folder, tuple(kinds()))
        if preview is not None:
            configs[PREVIEW] = {"train": preview}
        self._write_reports()
        self._copy_scoring()
        facts = self._tell(configs, shared, written)
        manifest = self._tell_changes(facts, shared, self.notes or [changelog.FIRST])
        if self.previous is not None:
            # A release is compared as a whole, so it must stand before its changelog can.
            lines = [*self.notes, *self._compare(self.previous)]
            manifest = self._tell_changes(facts, shared, lines)
        return manifest

    def _tell_changes(
        self, facts: Facts, shared: Sequence[Shared], lines: Sequence[str]
    ) -> dict[str, Json]:
        """Write the files that tell what is new, and what hangs on these files' bytes."""
        new = {"version": self.request.version, "date": self.request.date, "lines": list(lines)}
        entries = changelog.entries(new, self.previous)
        told = tuple((entry["version"], tuple(entry["lines"])) for entry in entries)
        self._write_texts(replace(facts, changelog=told), entries)
        for name in (MANIFEST, SUMS):
            (self.folder / name).unlink(missing_ok=True)
        files = self._digest()
        content = {
            "name": self.request.name,
            "version": self.request.version,
            "builds": {build.level: build.manifest for build in self.builds},
            "certified": {
                build.level: "when built" if build.is_certified else "when released"
                for build in self.builds
            },
            "files": files,
            "rows": {
                config: {split: one.rows for split, one in splits.items()}
                for config, splits in facts.configs.items()
            },
            "shared": [one.to_json() for one in shared],
            "previous": self._previous(),
            "changelog": entries,
            "versions": _versions(),
            "code": code(),
        }
        (self.folder / MANIFEST).write_bytes(manifests.spell_release(content))
        sums = {file["path"]: file["sha256"] for file in files}
        sums[MANIFEST] = digest(self.folder / MANIFEST)[0]
        (self.folder / SUMS).write_bytes(manifests.spell_sums(sums))
        return manifests.read_release(self.folder / MANIFEST)

    def _compare(self, previous: Previous) -> list[str]:
        """Return what the rows and files say is new.

        Raises:
            Refusal: the version is too near to the one before, for what has changed.
        """
        from builder.difference import changelog_lines, diff

        found = diff(previous.folder, self.folder, progress=self.progress)
        if found.obeys is False:
            _, why = found.reasons[0]
            raise Refusal(
                f"--version {self.request.version}",
                f"too small a step after {previous.version}: {why}",
                f"a {found.demanded} step, to {previous.version.after(found.demanded)} at least",
                f"give that version; `pararecover diff {previous.folder} DIR` says what differs",
            )
        return changelog_lines(found)

    def _write_reports(self) -> None:
        folder = self.folder / "reports"
        folder.mkdir()
        for build in self.builds:
            # Written anew: the build's manifest is what was checked, its report is not.
            text = report.render(_certified(build.manifest))
            (folder / f"{build.level}.md").write_text(text, encoding="utf-8")
            rejects = build.folder / "rejects.jsonl"
            if rejects.is_file():
                shutil.copyfile(rejects, folder / f"{build.level}-rejects.jsonl")

    def _copy_scoring(self) -> None:
        source = Path(scoring.__file__).parent
        for path in sorted(source.rglob("*")):
            if path.suffix in SCORING_FILES and path.is_file():
                target = self.folder / "scoring" / path.relative_to(source)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)

    def _tell(
        self,
        configs: Mapping[str, Mapping[str, SplitFacts]],
        shared: Sequence[Shared],
        written: Sequence[Written],
    ) -> Facts:
        """Count the rows, draw tables and figures, and return all that is told but changes."""
        builds = {build.level: _certified(build.manifest) for build in self.builds}
        statistics, examples = self._count(written)
        return Facts(
            name=self.request.name,
            version=self.request.version,
            repo_id=self.request.repo_id,
            title=self.request.name,
            license=LICENSE,
            attribution=tuple(
                dict.fromkeys(build.manifest["attribution"] for build in self.builds)
            ),
            configs=configs,
            default_config=next(iter(configs)),
            builds=builds,
            statistics=statistics,
            date=self.request.date,
            previous=str(self.previous.version) if self.previous else None,
            tables=self._write_tables(statistics, builds),
            figures=self._write_figures(statistics, examples),
            shared=tuple(map(str, shared)),
        )

    def _count(self, written: Sequence[Written]) -> tuple[Statistics, Mapping[str, Row]]:
        """Return counts over all rows, and the rows to draw, in one pass."""
        from builder.parquet import read_rows

        collector, chooser = Collector(), Chooser()
        rows = sum(one.facts.rows for one in written)
        with self.progress("counting", rows, "row") as advance:
            for one in written:
                for row in read_rows(one.piece.folder / one.piece.name):
                    collector.add(one.piece.config, one.piece.split, row)
                    chooser.add(one.piece.config, one.piece.split, row)
                    advance(1)
        return collector.statistics(), chooser.examples()

    def _write_tables(
        self, statistics: Statistics, builds: Mapping[str, Mapping[str, Json]]
    ) -> tuple[str, ...]:
        from hub_card.tables import write_tables

        return self._name(write_tables(statistics, builds, self.folder / "tables"))

    def _write_figures(
        self, statistics: Statistics, examples: Mapping[str, Row]
    ) -> tuple[str, ...]:
        from hub_card.figures import write_figures

        with self.progress("drawing figures", None, "figure"):
            return self._name(write_figures(statistics, examples, self.folder / "figures"))

    def _name(self, paths: Iterable[Path]) -> tuple[str, ...]:
        return tuple(path.relative_to(self.folder).as_posix() for path in paths)

    def _write_texts(self, facts: Facts, entries: Sequence[changelog.Entry]) -> None:
        from hub_card.card import render

        contents = {
            "README.md": render(facts).encode(),
            "CHANGELOG.md": changelog.spell(facts.title, entries),
            "CITATION.cff": citation.spell(facts),
            "LICENSE": texts.spell_license(),
            "NOTICE": texts.spell_notice(facts.title, facts.attribution),
            "croissant.json": croissant.spell(facts, self._digest("data")),
        }
        for name, data in contents.items():
            (self.folder / name).write_bytes(data)

    def _digest(self, under: str = ".") -> list[dict[str, Json]]:
        """Return what a manifest keeps of each file, in the order of their paths."""
        paths = [path for path in (self.folder / under).rglob("*") if path.is_file()]
        files = []
        for name in sorted(self._name(paths)):
            if name.startswith("data/") and name not in self.known:
                self.known[name] = digest(self.folder / name)
            sha256, size = self.known.get(name) or digest(self.folder / name)
            files.append({"path": name, "bytes": size, "sha256": sha256})
        return files

    def _previous(self) -> Json:
        if self.previous is None:
            return None
        sha256, _ = digest(self.previous.folder / MANIFEST)
        return {"version": str(self.previous.manifest["version"]), "manifest_sha256": sha256}


def _certified(manifest: Mapping[str, Json]) -> dict[str, Json]:
    """Return a build's manifest with what is true by now: every row is certified."""
    return {**manifest, "arguments": {**manifest["arguments"], "certify": True}}


def _versions() -> dict[str, str]:
    """Return the versions that a release's bytes depend on."""
    found = versions()
    for name in LIBRARIES:
        found[name] = metadata.version(name)
    return {**found, "python": platform.python_version(), "zlib": zlib.ZLIB_RUNTIME_VERSION}
