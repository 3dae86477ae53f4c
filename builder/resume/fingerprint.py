"""What a build's bytes depend on: its arguments, its sources and the code itself."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from configparser import ConfigParser
from hashlib import blake2b
from importlib import metadata
from pathlib import Path

from plan.json_text import Json, dump_bytes

ROOMS = (
    "builder",
    "certify",
    "environment",
    "hub_card",
    "plan",
    "scoring",
    "source_button",
    "taxonomy",
)
LIBRARIES = ("faker", "orjson", "pyarrow")


def version() -> str:
    """Return the installed version; in a bare checkout, what ``setup.cfg`` says."""
    try:
        return metadata.version("pararecover")
    except metadata.PackageNotFoundError:
        setup = ConfigParser()
        setup.read(Path(__file__).resolve().parents[2] / "setup.cfg")
        return setup.get("metadata", "version", fallback="0+unknown")


def versions() -> dict[str, str]:
    """Return the versions that a build's bytes depend on."""
    found = {"pararecover": version(), "python": platform.python_version()}
    for library in LIBRARIES:
        found[library] = metadata.version(library)
    return found


def code() -> str:
    """Return a hash over all of the rooms' files, so that a changed checkout shows."""
    state = blake2b(digest_size=16)
    root = Path(__file__).resolve().parents[2]
    for room in ROOMS:
        for path in sorted((root / room).rglob("*")):
            if path.suffix in (".py", ".json", ".toml", ".md", ".jinja"):
                state.update(path.relative_to(root).as_posix().encode() + b"\0")
                state.update(path.read_bytes() + b"\0")
    return state.hexdigest()


def fingerprint(arguments: Mapping[str, Json]) -> str:
    """Return a hash of what a build was asked for, versions and code included."""
    return blake2b(dump_bytes(arguments), digest_size=16).hexdigest()
