"""A release's files against ``SHA256SUMS``: none missing, none extra, none changed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from builder.checks.outcome import Check, Findings
from builder.resume.files import digest

if TYPE_CHECKING:
    from builder.pipeline import Progress

SUMS = "SHA256SUMS"
AGAIN = "get the release again, or assemble it anew with `pararecover release`"

# What the Hub and its client add to a repository, and git to a clone.
IGNORED = frozenset({".gitattributes", ".git", ".cache"})

_LINE = re.compile(r"([0-9a-f]{64})  (\S.*)")

Digest = tuple[str, int]
"""A file's SHA-256 in hexadecimal, and its size in bytes."""


def list_files(folder: Path) -> list[str]:
    """Return the paths of a release's files, sorted; what the Hub adds is left out."""
    found = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return sorted(path.as_posix() for path in found if path.parts[0] not in IGNORED)


def measure(folder: Path, names: Sequence[str], progress: Progress) -> dict[str, Digest]:
    """Return each file's digest, by its path.

    Raises:
        OSError: one can't be read.
    """
    found: dict[str, Digest] = {}
    with progress("hashing", len(names), "file") as advance:
        for name in names:
            found[name] = digest(folder / name)
            advance(1)
    return found


def check_files(
    folder: Path, files: Mapping[str, Digest]
) -> tuple[Check, Mapping[str, str] | None]:
    """Compare files with ``SHA256SUMS``; return also what it lists, None where it is missing."""
    findings = Findings()
    if SUMS not in files:
        findings.add(SUMS, "there is no such file", "a hash of every other file", AGAIN)
        return Check.of("files", f"{len(files)} files", findings), None
    listed = _read(folder / SUMS, findings)
    for name in sorted(listed.keys() | files.keys()):
        if name == SUMS:
            continue
        if name not in files:
            findings.add(name, "there is no such file", f"a file, as {SUMS} lists it", AGAIN)
        elif name not in listed:
            findings.add(
                name, f"{SUMS} doesn't list it", "no further files", f"remove it; or {AGAIN}"
            )
        elif files[name][0] != listed[name]:
            findings.add(
                name,
                f"its SHA-256 is {files[name][0]}",
                f"{listed[name]}, as {SUMS} says",
                AGAIN,
            )
    size = sum(size for _, size in files.values())
    return Check.of(
        "files", f"{len(files)} files, {size:,} bytes, against {SUMS}", findings
    ), listed


def _read(path: Path, findings: Findings) -> dict[str, str]:
    try:
        text = path.read_bytes().decode()
    except UnicodeDecodeError as error:
        findings.add(SUMS, f"byte {error.start} is no UTF-8", "text", AGAIN)
        return {}
    lines = text.split("\n")
    if lines.pop():
        findings.add(f"{SUMS}, line {len(lines) + 1}", "it has no end", "a line break", AGAIN)
        lines = text.split("\n")
    listed: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        fields = _LINE.fullmatch(line)
        where = f"{SUMS}, line {number}"
        if fields is None:
            findings.add(where, repr(line[:100]), "a SHA-256, two blanks and a path", AGAIN)
        elif listed and fields[2] <= next(reversed(listed)):
            findings.add(where, f"{fields[2]} stands here", "paths in order, each once", AGAIN)
        else:
            listed[fields[2]] = fields[1]
    return listed
