"""The manifest's text: what a build was made of, what came out, and each file's hash."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from plan.json_text import Json, loads

FORMAT = 1


def spell(manifest: Mapping[str, Json]) -> bytes:
    """Return the manifest's text: the same bytes for the same content, for people to read."""
    text = json.dumps({"format": FORMAT, **manifest}, indent=2, sort_keys=True, ensure_ascii=False)
    return text.encode() + b"\n"


def read(path: Path) -> dict[str, Json]:
    """Read a manifest.

    Raises:
        OSError: there is no such file, or it can't be read.
        ValueError: it is no manifest of this format; the text says why.
    """
    value = loads(path.read_bytes())
    if not isinstance(value, dict) or "format" not in value:
        raise ValueError('no manifest: expected an object with "format"')
    if value["format"] != FORMAT:
        raise ValueError(f"format {value['format']!r}; this version reads {FORMAT}")
    for name, kind in (("arguments", dict), ("files", list), ("rows", dict)):
        if not isinstance(value.get(name), kind):
            raise ValueError(f'no manifest: nothing fitting stands under "{name}"')
    return value
