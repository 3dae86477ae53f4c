"""A tiny release folder and the facts of it, made without the release's own assembly."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import scoring
from builder.parquet import tabulate, write_parquet
from hub_card import attribution
from hub_card.card import render
from hub_card.examples import choose
from hub_card.facts import Facts, measure
from hub_card.figures import write_figures
from hub_card.statistics import Statistics, collect
from hub_card.tables import write_tables
from plan.json_text import Json
from plan.row import Row
from taxonomy.registry import kinds
from tests.builder.rows import cascades, rows_of

NAME = "tiny-rows"


@cache
def placed() -> tuple[tuple[str, str, Row], ...]:
    """Rows of every kind and of three rounds, with the config and split that they stand in."""
    found: list[tuple[str, str, Row]] = []
    for kind in kinds():
        one, other = rows_of(kind, 2)
        found += [("level1", "train", one), ("level1", "test", other)]
    found += [
        ("level2", "train" if number < 2 else "test", row)
        for number, row in enumerate(cascades(3, 3))
    ]
    clean = replace(found[0][2], error_kinds=[], errors=[], rounds=0)
    found.append(("level1", "train", clean))
    # Ids stand for a plan and a variant, and these rows share both.
    return tuple(
        (config, split, replace(row, instance_id=f"{config}-{number:02}"))
        for number, (config, split, row) in enumerate(found)
    )


@cache
def statistics() -> Statistics:
    return collect(placed())


def arguments(level: str, **changed: Json) -> dict[str, Json]:
    """What a build was asked for, as its manifest says it."""
    return {
        "level": level,
        "source": "embedded",
        "size": 12,
        "plans": 30,
        "seed": 4,
        "rounds": 1 if level == "level1" else 3,
        "distribution": {"name": "paper", "columns": []},
        "split": [0.6, 0.2, 0.2],
        "controls": 0.25,
        "certify": True,
        "versions": {"pararecover": "0.1.0", "faker": "40.63.0"},
        **changed,
    }


def builds(**changed: Json) -> dict[str, dict[str, Json]]:
    """Manifests with what the card and the tables read of them."""
    found: dict[str, dict[str, Json]] = {}
    for config, one in statistics().configs.items():
        columns = [
            {
                kind: {
                    "asked": column.get(kind, 0) + (kind == "Type_Error"),
                    "built": column.get(kind, 0),
                    "short": int(kind == "Type_Error"),
                }
                for kind in kinds()
            }
            for column in one.rounds
        ]
        found[config] = {
            "arguments": arguments(config, **changed),
            "counts": {"kinds_by_round": columns},
        }
    return found


def write(folder: Path, *, figures: bool = False, **changed: object) -> Facts:
    """Write a release folder, but for its manifest; ``changed`` are fields of the facts."""
    configs: dict[str, dict[str, Sequence[Row]]] = {}
    for config, split, row in placed():
        splits = configs.setdefault(config, {})
        splits[split] = [*splits.get(split, ()), row]
    configs["preview"] = {"train": configs["level1"]["train"][:3]}
    told: dict[str, dict[str, object]] = {}
    for config, splits in configs.items():
        (folder / "data" / config).mkdir(parents=True)
        for split, rows in splits.items():
            name = f"data/{config}/{split}-00000-of-00001.parquet"
            write_parquet(folder / name, [tabulate(rows)])
            told.setdefault(config, {})[split] = measure(folder, [name])
            with gzip.open(folder / "data" / config / f"{split}.jsonl.gz", "wt") as file:
                file.writelines(json.dumps(row.to_record()) + "\n" for row in rows)
    tables = write_tables(statistics(), builds(), folder / "tables")
    drawn = write_figures(statistics(), choose(placed()), folder / "figures") if figures else []
    shutil.copytree(
        Path(scoring.__file__).parent,
        folder / "scoring",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    fields: Mapping[str, object] = {
        "name": NAME,
        "version": "1.2.3",
        "repo_id": None,
        "title": "Tiny Rows",
        "license": "cc-by-4.0",
        "attribution": (attribution.EMBEDDED,),
        "configs": told,
        "default_config": "level1",
        "builds": builds(),
        "statistics": statistics(),
        "tables": tuple(path.relative_to(folder).as_posix() for path in tables),
        "figures": tuple(path.relative_to(folder).as_posix() for path in drawn),
        **changed,
    }
    facts = Facts(**fields)  # type: ignore[arg-type]  # fields of several types by name
    (folder / "README.md").write_text(render(facts), encoding="utf-8")
    return facts
