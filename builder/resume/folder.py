"""The claim on an output folder: new, to be resumed, done, or someone else's."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from builder.refusal import Refusal
from builder.resume.files import write_whole
from builder.resume.fingerprint import fingerprint
from plan.json_text import Json, dump_bytes, loads

WORK = ".work"
MANIFEST = "manifest.json"
ARGUMENTS = "arguments.json"

NEW = "new"
RESUMED = "resumed"
DONE = "done"


@dataclass(slots=True)
class Claim:
    """A folder that this process alone builds in.

    Attributes:
        folder: the output folder.
        work: its hidden folder for shards; bound to the fingerprint.
        state: new, resumed or done.
        created: whether the output folder wasn't there before.
    """

    folder: Path
    work: Path
    state: str
    created: bool
    lock: IO[bytes] | None

    def release(self) -> None:
        """Let other processes build here."""
        if self.lock is not None:
            self.lock.close()
            self.lock = None

    def finish(self) -> None:
        """Remove the shards; everything that is published stands in its place."""
        shutil.rmtree(self.folder / WORK, ignore_errors=True)
        self.release()

    def abandon(self) -> None:
        """Leave nothing behind of a build that can't go anywhere."""
        self.finish()
        if self.created and not any(self.folder.iterdir()):
            self.folder.rmdir()


def claim(folder: Path, arguments: Mapping[str, Json]) -> Claim:
    """Claim an output folder for a build.

    Args:
        folder: the output folder; made if it isn't there.
        arguments: everything that the build's bytes depend on.

    Raises:
        Refusal: the folder holds something else, another build, or is being built in.
    """
    manifest = folder / MANIFEST
    hidden = folder / WORK
    work = hidden / fingerprint(arguments)[:16]
    if folder.exists() and not folder.is_dir():
        raise Refusal(
            f"--out {folder}", "not a folder", "a new or empty folder", "choose another name"
        )
    if manifest.exists():
        _refuse_others(folder, _read(manifest).get("arguments"), arguments, "was built")
        _check_files(folder, _read(manifest))
        shutil.rmtree(hidden, ignore_errors=True)
        return Claim(folder, work, DONE, False, None)
    created = not folder.exists()
    names = sorted(path.name for path in folder.iterdir()) if not created else []
    if names and WORK not in names:
        raise Refusal(
            f"--out {folder}",
            f"holds {', '.join(names[:3])}{', …' if len(names) > 3 else ''}",
            "a new or empty folder, or one in which the same build was stopped",
            "choose another folder; nothing was touched",
        )
    started = hidden / ARGUMENTS
    state = NEW
    if started.exists():
        _refuse_others(folder, _read(started), arguments, "was started")
        state = RESUMED
    hidden.mkdir(parents=True, exist_ok=True)
    lock = (hidden / "lock").open("wb")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        raise Refusal(
            f"--out {folder}",
            "another process is building in it",
            "a folder of its own for each build",
            "wait for it to end, or choose another folder",
        ) from None
    write_whole(started, dump_bytes(arguments))
    for part in ("plans", "rows"):
        (work / part).mkdir(parents=True, exist_ok=True)
    return Claim(folder, work, state, created, lock)


def _read(path: Path) -> dict[str, Json]:
    try:
        value = loads(path.read_bytes())
    except ValueError as error:
        raise Refusal(
            str(path), f"no JSON: {error}", "a file as builds write it", "choose another folder"
        ) from None
    if not isinstance(value, dict):
        raise Refusal(
            str(path), "no JSON object", "a file as builds write it", "choose another folder"
        )
    return value


def _refuse_others(folder: Path, before: Json, now: Mapping[str, Json], verb: str) -> None:
    if not isinstance(before, dict):
        before = {}
    differing = [
        f"{_WORDS.get(name, f'--{name}')} {_short(before.get(name))} then, "
        f"{_short(now.get(name))} now"
        for name in sorted({*before, *now})
        if before.get(name) != now.get(name)
    ]
    if differing:
        raise Refusal(
            f"--out {folder}",
            f"{verb} with other arguments: " + "; ".join(differing),
            "the same arguments, to go on with the same build",
            "choose another folder, or give the arguments that it was started with",
        )


_WORDS = {
    "level": "the level",
    "source": "--source",
    "certify": "--no-certify, certified:",
    "versions": "the versions",
    "code": "pararecover's own code, hash",
}


def _short(value: Json) -> str:
    text = "nothing" if value is None else dump_bytes(value).decode()
    return text if len(text) <= 80 else text[:77] + "…"


def _check_files(folder: Path, manifest: Mapping[str, Json]) -> None:
    for file in manifest.get("files", []):
        path = folder / file["path"]
        if not path.is_file() or path.stat().st_size != file["bytes"]:
            raise Refusal(
                str(path),
                "missing" if not path.is_file() else f"{path.stat().st_size} bytes",
                f"a file of {file['bytes']} bytes, as {MANIFEST} says",
                "remove the folder and build again",
            )
