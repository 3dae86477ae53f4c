"""Manifests' text: what a build or a release was made of, what came out, each file's hash."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from plan.json_text import Json, loads

FORMAT = 1
RELEASE = "release"

_BUILD_PARTS = {"arguments": dict, "files": list, "rows": dict}
_RELEASE_PARTS = {
    "name": str,
    "version": str,
    "builds": dict,
    "files": list,
    "rows": dict,
    "changelog": list,
    "versions": dict,
}


def spell(manifest: Mapping[str, Json]) -> bytes:
    """Return the manifest's text: the same bytes for the same content, for people to read."""
    text = json.dumps({"format": FORMAT, **manifest}, indent=2, sort_keys=True, ensure_ascii=False)
    return text.encode() + b"\n"


def spell_release(manifest: Mapping[str, Json]) -> bytes:
    """Return the text of a release's manifest."""
    return spell({"kind": RELEASE, **manifest})


def read(path: Path) -> dict[str, Json]:
    """Read a build's manifest.

    Raises:
        OSError: there is no such file, or it can't be read.
        ValueError: it is no manifest of this format; the text says why.
    """
    value = _read(path)
    if value.get("kind") == RELEASE:
        raise ValueError("a release's manifest, not a build's")
    _check(value, _BUILD_PARTS)
    return value


def read_release(path: Path) -> dict[str, Json]:
    """Read a release's manifest.

    Raises:
        OSError: there is no such file, or it can't be read.
        ValueError: it is no manifest of this format; the text says why.
    """
    value = _read(path)
    if value.get("kind") != RELEASE:
        raise ValueError("no release's manifest; perhaps a build's")
    _check(value, _RELEASE_PARTS)
    for file in value["files"]:
        if not (
            isinstance(file, dict)
            and isinstance(file.get("path"), str)
            and isinstance(file.get("bytes"), int)
            and isinstance(file.get("sha256"), str)
        ):
            raise ValueError('no manifest: "files" holds what has no path, bytes and sha256')
    return value


def _read(path: Path) -> dict[str, Json]:
    value = loads(path.read_bytes())
    if not isinstance(value, dict) or "format" not in value:
        raise ValueError('no manifest: expected an object with "format"')
    if value["format"] != FORMAT:
        raise ValueError(f"format {value['format']!r}; this version reads {FORMAT}")
    return value


def _check(value: Mapping[str, Json], parts: Mapping[str, type]) -> None:
    for name, kind in parts.items():
        if not isinstance(value.get(name), kind):
            raise ValueError(f'no manifest: nothing fitting stands under "{name}"')


def spell_sums(files: Mapping[str, str]) -> bytes:
    """Return the text of ``SHA256SUMS``, which ``sha256sum --check`` reads.

    Args:
        files: each file's SHA-256 in hexadecimal, by its path.
    """
    return "".join(f"{files[path]}  {path}\n" for path in sorted(files)).encode()
