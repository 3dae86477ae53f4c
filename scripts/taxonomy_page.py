"""Writes ``docs/taxonomy.md`` from the kinds' own documentation and examples.

Run from the repository's folder: ``python -m scripts.taxonomy_page docs/taxonomy.md``.
"""

from __future__ import annotations

import sys
from itertools import groupby
from pathlib import Path

from plan.json_text import Json, dumps
from taxonomy.kind import HEADINGS, ErrorKind
from taxonomy.registry import kinds

INTRODUCTION = """\
# The kinds of error

<!-- Written by `make docs` from taxonomy/kinds/; change the docstrings there. -->

A kind is a change to pending calls of a plan, or to what a round returned. The kinds are
disjoint: of any damaged plan at most one kind is true, and where two would fit, the damage
is not drawn. Each is injected by code that offers every possible damage, found blind (without
the clean plan) by a detector, and proved by a certificate that shares code with neither.
"""


def render() -> str:
    """Return the whole page as Markdown."""
    known = list(kinds().values())
    parts = [INTRODUCTION, contents(known)]
    for dimension, members in groupby(known, key=lambda kind: kind.dimension):
        parts.append(f"## {dimension}\n")
        parts.extend(section(kind) for kind in members)
    return "\n".join(parts)


def contents(known: list[ErrorKind]) -> str:
    """Return a table of the kinds, each with the first sentence of its documentation."""
    rows = [
        f"| [{kind.name}](#{kind.name.lower()}) | {kind.dimension} | {summary(kind)} |"
        for kind in known
    ]
    return "\n".join(["| kind | dimension | in a sentence |", "| --- | --- | --- |", *rows, ""])


def summary(kind: ErrorKind) -> str:
    """Return the first paragraph of a kind's documentation on one line."""
    return " ".join(kind.doc.strip().split("\n\n", 1)[0].split()).replace("|", "\\|")


def section(kind: ErrorKind) -> str:
    """Return a kind's section: its documentation with real headings, and its examples."""
    lines = [f"### {kind.name}", ""]
    for line in kind.doc.strip().splitlines():
        if line in HEADINGS:
            lines += [f"#### {line}", ""]
        elif not line or line.strip("-="):
            lines.append(line)
    lines += ["", "#### Examples", "", "| what it shows | place | before | after |"]
    lines.append("| --- | --- | --- | --- |")
    lines += [
        f"| {example.title} | `{example.pointer or '/'}` of node {example.node} "
        f"| {cell(example.before)} | {cell(example.after)} |"
        for example in kind.examples
    ]
    return "\n".join([*lines, ""])


def cell(value: Json) -> str:
    """Return a JSON value as a table's cell, shortened to 80 characters."""
    text = "" if value is None else dumps(value)
    if len(text) > 80:
        text = text[:79] + "…"
    text = text.replace("|", "\\|")
    return f"`{text}`" if text else "(nothing)"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(render(), encoding="utf-8")
