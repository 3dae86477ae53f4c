"""The registry of error kinds: walks ``taxonomy/kinds`` and checks what it finds."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache

import taxonomy.kinds
from taxonomy.kind import DIMENSIONS, HEADINGS, ErrorKind


@cache
def kinds() -> Mapping[str, ErrorKind]:
    """Return every kind by name, ordered by dimension, then name.

    Raises:
        TypeError: a module in the folder defines no well-formed kind.
    """
    found = []
    for module in pkgutil.iter_modules(taxonomy.kinds.__path__, "taxonomy.kinds."):
        kind = getattr(importlib.import_module(module.name), "KIND", None)
        if not isinstance(kind, ErrorKind):
            raise TypeError(f"{module.name}: expected KIND = ErrorKind(...)")
        missing = [heading for heading in HEADINGS if f"\n{heading}\n" not in f"\n{kind.doc}\n"]
        if missing or not kind.examples or kind.dimension not in DIMENSIONS:
            raise TypeError(
                f"{module.name}: {kind.name} needs examples, a known dimension and the "
                f"headings {', '.join(HEADINGS)} (missing: {', '.join(missing) or 'none'})"
            )
        found.append(kind)
    found.sort(key=lambda kind: (DIMENSIONS.index(kind.dimension), kind.name))
    return {kind.name: kind for kind in found}
