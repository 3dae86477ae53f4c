"""The builds that a release is made of: read, compared with their manifests, certified."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from builder.pipeline import Progress
from builder.refusal import Refusal
from builder.resume.files import digest
from builder.resume.fingerprint import fingerprint
from builder.resume.folder import MANIFEST, WORK
from certify.build import certify_folder
from hub_card import manifest as manifests
from plan.json_text import Json
from plan.row import LEVEL1, LEVEL2

LEVELS = (LEVEL1, LEVEL2)
MOST_SHOWN = 5


@dataclass(frozen=True, slots=True)
class File:
    """A Parquet file of a build; ``rows`` as the manifest says."""

    path: Path
    name: str
    split: str
    rows: int


@dataclass(frozen=True, slots=True)
class Build:
    """A build: its folder, its manifest, its level, and its Parquet files in order."""

    folder: Path
    manifest: dict[str, Json]
    level: str
    files: tuple[File, ...]

    @property
    def is_certified(self) -> bool:
        """Tell whether each row was certified when it was built."""
        return bool(self.manifest["arguments"].get("certify"))


def open_builds(folders: Sequence[Path], workers: int, progress: Progress) -> tuple[Build, ...]:
    """Return the builds, in the order of their levels, each row of them certified.

    Raises:
        Refusal: a folder holds no finished build, or one that was changed since, or a row
            fails its certificate; or two builds are of one level.
        OSError: a file can't be read.
    """
    builds: dict[str, Build] = {}
    for folder in folders:
        build = _read(folder)
        other = builds.setdefault(build.level, build)
        if other is not build:
            raise Refusal(
                str(folder),
                f"a build of {build.level}, as {other.folder} is",
                "one build of each level",
                "leave one out",
            )
    ordered = tuple(builds[level] for level in LEVELS if level in builds)
    total = sum(len(build.files) for build in ordered)
    with progress("hashing builds", total, "file") as advance:
        for build in ordered:
            for file, about in zip(build.files, build.manifest["files"], strict=True):
                sha256, size = digest(file.path)
                if (sha256, size) != (about.get("sha256"), about.get("bytes")):
                    raise _changed(file.path, "its SHA-256 isn't the manifest's")
                advance(1)
    for build in ordered:
        if not build.is_certified:
            _certify(build, workers, progress)
    return ordered


def _read(folder: Path) -> Build:
    path = folder / MANIFEST
    try:
        manifest = manifests.read(path)
        level = manifest["arguments"].get("level")
        if level not in LEVELS:
            raise ValueError(f"no manifest: the level is {level!r}")
        files = tuple(_file(folder, about) for about in manifest["files"])
    except FileNotFoundError:
        raise _no_build(folder) from None
    except NotADirectoryError:
        raise Refusal(
            str(folder), "a file", "a folder that a build wrote", "give the folder"
        ) from None
    except ValueError as error:
        raise Refusal(
            str(path),
            str(error),
            "the manifest of a build",
            "give a folder that build-level1 or build-level2 wrote",
        ) from None
    if manifest.get("fingerprint") != fingerprint(manifest["arguments"]):
        raise _changed(path, "its fingerprint isn't that of its arguments")
    for file in files:
        if not file.path.is_file():
            raise _changed(file.path, "missing")
    there = {found.relative_to(folder).as_posix() for found in folder.glob("data/*/*.parquet")}
    extra = sorted(there - {file.name for file in files})
    if extra:
        raise _changed(folder / extra[0], "not in the manifest")
    if not files:
        raise _changed(path, "it lists no files of rows")
    return Build(folder, manifest, level, files)


def _file(folder: Path, about: Mapping[str, Json]) -> File:
    try:
        name, split, rows = about["path"], about["split"], int(about["rows"])
        if not name.startswith(f"data/{about['level']}/{split}-") or ".." in name:
            raise ValueError
    except (KeyError, TypeError, ValueError, AttributeError):
        raise ValueError('no manifest: "files" holds what is no file of rows') from None
    return File(folder / name, name, split, rows)


def _no_build(folder: Path) -> Refusal:
    if (folder / WORK).is_dir():
        return Refusal(
            str(folder),
            "a build that was stopped before its end",
            "a finished build",
            "give the command that began it again: it goes on where it stopped",
        )
    return Refusal(
        str(folder),
        f"no {MANIFEST}" if folder.is_dir() else "there is no such folder",
        "a folder that build-level1 or build-level2 wrote",
        "check the path, or build first",
    )


def _changed(path: Path, found: str) -> Refusal:
    return Refusal(
        str(path),
        found,
        "a build as it was written: a release holds nothing else",
        "remove the folder and build again; the same command gives the same bytes",
    )


def _certify(build: Build, workers: int, progress: Progress) -> None:
    rows = sum(file.rows for file in build.files)
    with progress(f"certifying {build.level}", rows, "row") as advance:
        before = 0

        def show(done: int, total: int) -> None:
            nonlocal before
            advance(done - before)
            before = done

        report = certify_folder(build.folder, workers=workers, progress=show)
    if not report.ok:
        raise Refusal(
            str(build.folder),
            f"{report.failed:,} of {rows:,} rows fail their certificate, or the folder does"
            if report.failed
            else "the folder fails its certificate",
            "rows whose every label is proved; it was built with --no-certify",
            f"see what is wrong with `pararecover certify {build.folder}`",
        )
