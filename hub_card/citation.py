"""``CITATION.cff``: how to cite a release (Citation File Format 1.2.0)."""

from __future__ import annotations

import json
from collections.abc import Iterator

from hub_card.facts import Facts
from plan.json_text import Json

HUB = "https://huggingface.co/datasets"

_SPDX = {"cc-by-4.0": "CC-BY-4.0", "apache-2.0": "Apache-2.0"}


def spell(facts: Facts) -> bytes:
    """Return the file's text: the same for the same facts."""
    lines = [
        "cff-version: 1.2.0",
        "message: If you use this dataset, please cite it, and the papers that it builds on.",
        "type: dataset",
        f"title: {_quote(facts.title)}",
        f"version: {facts.version}",
        *([f"date-released: {facts.date}"] if facts.date else []),
        "authors:",
        f"  - name: {_quote(_author(facts))}",
        *([f"license: {_SPDX[facts.license]}"] if facts.license in _SPDX else []),
        *([f"url: {_quote(f'{HUB}/{facts.repo_id}')}"] if facts.repo_id else []),
        "references:",
        *_paper(
            "generic",
            "ParaRecover: A Process-Level Benchmark for Error Localization and Recovery in "
            "Parallel Tool-Use Agents",
            2026,
            ("Bowen Guan", "Zhentao Yin", "Yanming Shen"),
            "https://arxiv.org/abs/2609.12345",
        ),
        *_paper(
            "conference-paper",
            "Facilitating Multi-turn Function Calling for LLMs via Compositional Instruction "
            "Tuning",
            2025,
            (
                "Mingyang Chen",
                "Haoze Sun",
                "Tianpeng Li",
                "Fan Yang",
                "Hao Liang",
                "Keer Lu",
                "Bin Cui",
                "Wentao Zhang",
                "Zenan Zhou",
                "Weipeng Chen",
            ),
            "https://github.com/PKU-Baichuan-MLSystemLab/BUTTON",
            ["    conference:", "      name: International Conference on Learning Representations"],
        ),
    ]
    return "\n".join(lines).encode() + b"\n"


def _author(facts: Facts) -> str:
    # Who publishes is known by the namespace; names of people are theirs to add.
    return facts.repo_id.partition("/")[0] if facts.repo_id else f"The authors of {facts.title}"


def _paper(
    kind: str, title: str, year: int, authors: tuple[str, ...], url: str, more: Json = ()
) -> Iterator[str]:
    yield f"  - type: {kind}"
    yield f"    title: {_quote(title)}"
    yield f"    year: {year}"
    yield f"    url: {_quote(url)}"
    yield from more
    yield "    authors:"
    for author in authors:
        given, _, family = author.rpartition(" ")
        yield f"      - given-names: {given}"
        yield f"        family-names: {family}"


def _quote(text: str) -> str:
    # A JSON string is a YAML string as well, whatever stands in it.
    return json.dumps(text, ensure_ascii=False)
