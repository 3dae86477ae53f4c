"""What a user asks of a release, and what can be said of it before any row is read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from builder.refusal import Refusal
from builder.resume.folder import MANIFEST
from builder.semver import Version
from hub_card.manifest import read_release
from plan.json_text import Json

NAME_LENGTH = 96


@dataclass(frozen=True, slots=True)
class Request:
    """What a user asked for.

    Attributes:
        builds: folders that builds wrote, one of each level.
        name: the release's name, spelled as a repository's.
        version: X.Y.Z.
        out: the folder to write.
        previous: the folder of the release before.
        date: YYYY-MM-DD, to be told as the day of publication.
        repo_id: ``namespace/name`` on the Hub.
        notes: a file of changelog lines.
    """

    builds: tuple[Path, ...]
    name: str
    version: str
    out: Path
    previous: Path | None = None
    date: str | None = None
    repo_id: str | None = None
    notes: Path | None = None


@dataclass(frozen=True, slots=True)
class Previous:
    """The release before: its folder, its version and its manifest."""

    folder: Path
    version: Version
    manifest: dict[str, Json]


def check(request: Request) -> Previous | None:
    """Check everything but the builds; return the release before, if one is named.

    Raises:
        Refusal: an option can't be worked with.
    """
    version = _read_version(request.version)
    if not _is_name(request.name):
        raise Refusal(
            f"--name {request.name}",
            "no name that a repository may have",
            f"letters, digits, - _ and ., {NAME_LENGTH} at most; no - or . at an end, no -- and "
            "no .., not ending in .git",
            "give a name such as pararecover-embedded",
        )
    if request.repo_id is not None:
        _check_repo_id(request.repo_id)
    if request.date is not None:
        _check_date(request.date)
    return _read_previous(request.previous, version) if request.previous else None


def _read_version(text: str) -> Version:
    try:
        return Version.parse(text)
    except ValueError:
        raise Refusal(
            f"--version {text}",
            "no semantic version",
            "MAJOR.MINOR.PATCH without leading zeros, such as 1.0.0 or 1.1.0-rc.1; the tag on "
            "the Hub gets the v",
            "see https://semver.org",
        ) from None


def _is_name(text: str) -> bool:
    return (
        re.fullmatch(r"[\w.-]+", text, re.ASCII) is not None
        and len(text) <= NAME_LENGTH
        and text[0] not in "-."
        and text[-1] not in "-."
        and "--" not in text
        and ".." not in text
        and not text.endswith(".git")
    )


def _check_repo_id(repo_id: str) -> None:
    owner, slash, name = repo_id.partition("/")
    if not (slash and _is_name(owner) and _is_name(name) and len(repo_id) <= NAME_LENGTH):
        raise Refusal(
            f"--repo-id {repo_id}",
            "no name of a repository",
            f"NAMESPACE/NAME, {NAME_LENGTH} characters at most: letters, digits, - _ and .",
            "give the user or organisation, a slash, and the repository's name",
        )


def _check_date(text: str) -> None:
    try:
        if date.fromisoformat(text).isoformat() != text:
            raise ValueError
    except ValueError:
        raise Refusal(
            f"--date {text}", "no day", "YYYY-MM-DD", "give the day of publication, or none"
        ) from None


def _read_previous(folder: Path, version: Version) -> Previous:
    path = folder / MANIFEST
    try:
        manifest = read_release(path)
        before = Version.parse(manifest["version"])
    except FileNotFoundError:
        raise Refusal(
            f"--previous {folder}",
            f"no {MANIFEST}" if folder.is_dir() else "there is no such folder",
            "the folder of the release before",
            "give a folder that `pararecover release` wrote, or a snapshot of the Hub",
        ) from None
    except ValueError as error:
        raise Refusal(
            str(path),
            str(error),
            "the manifest of the release before",
            "give a folder that `pararecover release` wrote, or a snapshot of the Hub",
        ) from None
    if not version.is_later(before):
        raise Refusal(
            f"--version {version}",
            f"not above {before}, the version of {folder}",
            f"a version above {before}",
            "give a higher one; versions are never given twice",
        )
    return Previous(folder, before, manifest)
