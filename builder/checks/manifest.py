"""A release's manifest: that it holds together, and says what the files say."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from builder.checks.files import AGAIN, SUMS, Digest
from builder.checks.outcome import Check, Findings
from builder.refusal import Refusal
from builder.semver import Version
from plan.json_text import Json, escape, loads
from plan.row import LEVEL1, LEVEL2

MANIFEST = "manifest.json"
FORMAT = 1
RELEASE = "release"
BUILD = "build"
PREVIEW = "preview"
CONFIGS = (LEVEL1, LEVEL2, PREVIEW)

# Whatever else a release holds, without these it is none.
NEEDED = (
    "README.md",
    "CHANGELOG.md",
    "CITATION.cff",
    "LICENSE",
    "NOTICE",
    "croissant.json",
    "scoring/__init__.py",
    "scoring/__main__.py",
)

Manifest = Mapping[str, Json]
Rows = Mapping[tuple[str, str], int]
"""Numbers of rows by config and split."""


def read_manifest(folder: Path) -> tuple[Manifest, str]:
    """Return a folder's manifest, and whether it is a release's or a build's.

    Raises:
        Refusal: there is none, or it can't be read.
    """
    path = folder / MANIFEST
    if not folder.is_dir():
        raise Refusal(
            str(folder),
            "there is no such folder" if not folder.exists() else "it is no folder",
            "the folder that `pararecover release` or a build wrote",
            "check the path; of a release on the Hub give REPO_ID@TAG, such as me/rows@v1.0.0",
        )
    try:
        value = loads(path.read_bytes())
    except FileNotFoundError:
        raise Refusal(
            str(folder),
            f"no {MANIFEST}",
            "the folder that `pararecover release` or a build wrote",
            "check the path",
        ) from None
    except ValueError as error:
        raise Refusal(str(path), f"no JSON: {error}", "a manifest", AGAIN) from None
    if not isinstance(value, dict):
        raise Refusal(str(path), "no object", "a manifest", AGAIN)
    return value, RELEASE if value.get("kind") == RELEASE else BUILD


def text_at(manifest: Manifest, name: str) -> str:
    """Return a text of the manifest; "" where there is none."""
    value = manifest.get(name)
    return value if isinstance(value, str) else ""


def object_at(manifest: Manifest, name: str) -> Manifest:
    """Return an object of the manifest; an empty one where there is none."""
    value = manifest.get(name)
    return value if isinstance(value, dict) else {}


def check_manifest(
    folder: Path,
    manifest: Manifest,
    files: Mapping[str, Digest],
    sums: Mapping[str, str] | None,
    rows: Rows,
    tag: str | None,
) -> Check:
    """Compare a release's manifest with its files, and with itself.

    Args:
        folder: the release.
        manifest: what stands in ``manifest.json``.
        files: every file's digest.
        sums: what ``SHA256SUMS`` lists, if it is there.
        rows: rows read from Parquet.
        tag: the tag that it was fetched by, if it was.
    """
    findings = Findings()
    _check_head(manifest, tag, findings)
    _check_listed(manifest, files, sums, findings)
    for name in NEEDED:
        if name not in files and (sums is None or name not in sums):
            findings.add(name, "there is no such file", "a file of every release", AGAIN)
    _check_rows(manifest, rows, findings)
    _check_builds(manifest, rows, findings)
    if text_at(manifest, "version"):
        _check_spelled(folder, manifest, files, findings)
    count = len(manifest["files"]) if isinstance(manifest.get("files"), list) else 0
    seen = f"{count} files, {len(object_at(manifest, 'builds'))} builds, version"
    return Check.of("manifest", f"{seen} {text_at(manifest, 'version') or '?'}", findings)


def _check_head(manifest: Manifest, tag: str | None, findings: Findings) -> None:
    if manifest.get("format") != FORMAT:
        _add(findings, "/format", repr(manifest.get("format")), str(FORMAT))
    if not text_at(manifest, "name"):
        _add(findings, "/name", repr(manifest.get("name")), "the release's name")
    version = _version(manifest.get("version"), "/version", findings)
    is_told = tag is not None and re.match(r"v\d", tag)  # Branches and commits tell no version.
    if is_told and version is not None and tag != f"v{manifest['version']}":
        findings.add(
            f"{MANIFEST}: /version",
            str(manifest["version"]),
            f"what the tag {tag} says",
            "fetch the release by its own tag, or tag the right commit",
        )
    previous = manifest.get("previous")
    if previous is not None:
        if not isinstance(previous, dict) or not re.fullmatch(
            r"[0-9a-f]{64}", text_at(previous, "manifest_sha256")
        ):
            _add(
                findings, "/previous", repr(previous)[:100], "version and manifest_sha256, or null"
            )
        else:
            before = _version(previous.get("version"), "/previous/version", findings)
            if before is not None and version is not None and not version.is_later(before):
                _add(findings, "/version", str(version), f"a version later than {before}")
    versions = object_at(manifest, "versions")
    if not versions or not all(isinstance(value, str) for value in versions.values()):
        _add(findings, "/versions", repr(versions)[:100], "the packages that the bytes depend on")


def _version(value: Json, path: str, findings: Findings) -> Version | None:
    try:
        return Version.parse(value)
    except (TypeError, ValueError):
        _add(findings, path, repr(value), "a version such as 1.0.0")
        return None


def _check_listed(
    manifest: Manifest,
    files: Mapping[str, Digest],
    sums: Mapping[str, str] | None,
    findings: Findings,
) -> None:
    """Compare the manifest's list with ``SHA256SUMS``, which is compared with the files."""
    hashes = sums if sums is not None else {name: sha256 for name, (sha256, _) in files.items()}
    source = SUMS if sums is not None else "the file"
    seen: set[str] = set()
    last = ""
    entries = manifest.get("files")
    if not isinstance(entries, list):
        _add(findings, "/files", repr(entries)[:100], "a list of files")
        return
    for index, entry in enumerate(entries):
        where = f"/files/{index}"
        name = text_at(entry, "path") if isinstance(entry, dict) else ""
        if not name:
            _add(findings, where, repr(entry)[:100], "path, bytes and sha256")
            continue
        if name <= last:
            _add(findings, where, f"{name} after {last}", "paths in order, each once")
        last = name
        seen.add(name)
        if name not in hashes:
            missing = f"{source} doesn't know it" if name in files else "there is no such file"
            _add(findings, where, f"{name}: {missing}", "the files of the release")
        elif entry.get("sha256") != hashes[name]:
            _add(
                findings,
                where,
                f"{name}: {entry.get('sha256')}",
                f"{hashes[name]}, as {source} says",
            )
        elif (
            name in files
            and (files[name][0], files[name][1])
            != (
                hashes[name],
                entry.get("bytes"),
            )
            and files[name][0] == hashes[name]
        ):
            _add(findings, where, f"{name}: {entry.get('bytes')} bytes", f"{files[name][1]} bytes")
    for name in sorted(hashes.keys() - seen - {MANIFEST, SUMS}):
        _add(findings, "/files", f"{name} isn't listed", "every file but the manifest and the sums")


def _check_rows(manifest: Manifest, rows: Rows, findings: Findings) -> None:
    said = {
        (config, split): count
        for config, splits in object_at(manifest, "rows").items()
        if isinstance(splits, dict)
        for split, count in splits.items()
    }
    for config, split in sorted(said.keys() | rows.keys()):
        here, there = said.get((config, split), 0), rows.get((config, split), 0)
        if here != there:
            path = f"/rows/{escape(config)}/{escape(split)}"
            _add(findings, path, f"{here} rows", f"{there}, as the Parquet files hold")


def _check_builds(manifest: Manifest, rows: Rows, findings: Findings) -> None:
    builds = object_at(manifest, "builds")
    levels = {config for config, _ in rows if config != PREVIEW}
    for config in sorted(levels | builds.keys()):
        path = f"/builds/{escape(config)}"
        build = object_at(builds, config)
        if not build:
            _add(findings, path, "no manifest", "that of the build its rows came from")
            continue
        level = object_at(build, "arguments").get("level")
        if level != config:
            _add(findings, f"{path}/arguments/level", repr(level), config)
        splits: Counter[str] = Counter()
        for file in build["files"] if isinstance(build.get("files"), list) else ():
            if isinstance(file, dict) and isinstance(file.get("rows"), int):
                splits[text_at(file, "split")] += file["rows"]
        for split in sorted(splits.keys() | {split for own, split in rows if own == config}):
            if splits[split] != rows.get((config, split), 0):
                _add(
                    findings,
                    f"{path}/files",
                    f"{splits[split]} rows of {split}",
                    f"{rows.get((config, split), 0)}, as the Parquet files hold",
                )


def _check_spelled(
    folder: Path, manifest: Manifest, files: Mapping[str, Digest], findings: Findings
) -> None:
    """Find the manifest's version in every file that tells it."""
    expected = str(manifest["version"])
    for name, spellings in _SPELLED.items():
        if name not in files:
            continue
        text = (folder / name).read_bytes().decode(errors="replace")
        found = next(iter(_matches(text, spellings)), None)
        if found != expected:
            findings.add(
                name,
                "it tells no version" if found is None else f"version {found}",
                f"version {expected}, as {MANIFEST} says",
                AGAIN,
            )


_NUMBER = r"v?(\d+\.\d+\.\d+(?:-[\w.-]+)?)"
_SPELLED = {
    "CHANGELOG.md": rf"^#+ *\[?{_NUMBER}\]?",
    "CITATION.cff": rf"^version: *[\"']?{_NUMBER}[\"']? *$",
    "croissant.json": rf'^ *(?:{{ *)?"version": *"{_NUMBER}"',
}


def _matches(text: str, pattern: str) -> Iterator[str]:
    for found in re.finditer(pattern, text, re.MULTILINE):
        yield found[1]


def _add(findings: Findings, path: str, found: str, expected: str) -> None:
    findings.add(f"{MANIFEST}: {path}", found, expected, AGAIN)
