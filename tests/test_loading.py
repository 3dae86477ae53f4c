"""Builds and releases load as they are with the libraries that researchers use."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from builder.commands import build_level1
from builder.parquet import read_rows
from plan.json_text import loads
from plan.row import COLUMNS, ERROR_FIELDS, Row
from tests.builder.assembled import build_both, release

# pandas, pyarrow and dill warn each other while datasets is imported; no warning is ours.
pytestmark = pytest.mark.filterwarnings("default")


def test_datasets_loads_a_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets", reason="the extra hub is not installed")
    out = tmp_path / "rows"
    words = ["--size", "40", "--workers", "1", "--split", "0.5,0.25,0.25", "--out", str(out)]
    done = CliRunner().invoke(build_level1, words)
    assert done.exit_code == 0, done.output

    files = {
        split: [str(path) for path in sorted((out / "data" / "level1").glob(f"{split}-*.parquet"))]
        for split in ("train", "validation", "test")
    }
    loaded = datasets.load_dataset("parquet", data_files=files, cache_dir=str(tmp_path / "cache"))
    assert sum(loaded.num_rows.values()) == 40
    row = loaded["train"][0]
    assert tuple(row) == COLUMNS
    assert set(row["errors"][0]) == set(ERROR_FIELDS)
    assert loads(row["plan"])["tasks"]


LEVELS = ("level1", "level2")
SPLITS = ("train", "validation", "test")


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("released")
    pytest.importorskip("jinja2", reason="the extra hub is not installed")
    pytest.importorskip("matplotlib", reason="the extra hub is not installed")
    release(folder / "release", *build_both(folder))
    return folder / "release"


def expected(released: Path, config: str, split: str) -> list[dict[str, Any]]:
    paths = sorted((released / "data" / config).glob(f"{split}-*.parquet"))
    return [row.to_record() for path in paths for row in read_rows(path)]


@pytest.mark.parametrize("config", [*LEVELS, "preview"])
def test_datasets_loads_a_release_by_its_card(
    config: str, released: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    datasets = pytest.importorskip("datasets", reason="the extra hub is not installed")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    loaded = datasets.load_dataset(str(released), config, cache_dir=str(tmp_path / "cache"))
    assert tuple(loaded) == (("train",) if config == "preview" else SPLITS)
    for split in loaded:
        assert list(loaded[split]) == expected(released, config, split)
    # The card's own features, not what the files happen to hold.
    info = datasets.load_dataset_builder(str(released), config).info
    assert tuple(info.features) == COLUMNS
    assert info.splits["train"].num_examples == len(loaded["train"])
    assert info.features["errors"].feature["affected"].feature.dtype == "string"


def test_datasets_takes_the_first_level_where_none_is_named(
    released: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    datasets = pytest.importorskip("datasets", reason="the extra hub is not installed")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    loaded = datasets.load_dataset(str(released), cache_dir=str(tmp_path / "cache"))
    assert set(loaded["test"]["level"]) == {"level1"}


@pytest.mark.parametrize("level", LEVELS)
def test_pandas_loads_a_release(level: str, released: Path) -> None:
    pandas = pytest.importorskip("pandas", reason="the extra hub is not installed")
    rows = expected(released, level, "test")
    frame = pandas.read_parquet(released / f"data/{level}/test-00000-of-00001.parquet")
    assert tuple(frame.columns) == COLUMNS
    assert list(frame["plan"]) == [row["plan"] for row in rows]
    assert next(Row.from_record(record) for record in frame.to_dict("records")).errors
    lines = pandas.read_json(released / f"data/{level}/test.jsonl.gz", lines=True)
    assert list(lines["gold_plan"]) == [row["gold_plan"] for row in rows]
    assert list(lines["seed"]) == [row["seed"] for row in rows]


@pytest.mark.parametrize("level", LEVELS)
def test_polars_loads_a_release(level: str, released: Path) -> None:
    polars = pytest.importorskip("polars", reason="polars is not installed")
    frame = polars.read_parquet(str(released / f"data/{level}/train-*.parquet"))
    assert frame.to_dicts() == expected(released, level, "train")
    lines = polars.read_ndjson(released / f"data/{level}/train.jsonl.gz")
    assert lines.select(COLUMNS).to_dicts() == frame.to_dicts()


@pytest.mark.parametrize("level", LEVELS)
def test_duckdb_loads_a_release(level: str, released: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    files = released / "data" / level / "*.parquet"
    found = duckdb.sql(
        f"SELECT error.kind, count(*) FROM (SELECT unnest(errors) AS error FROM '{files}') "
        "WHERE error.origin = 'injected' GROUP BY ALL"
    ).fetchall()
    kinds = [
        kind
        for split in SPLITS
        for row in expected(released, level, split)
        for kind in row["error_kinds"]
    ]
    assert dict(found) == {kind: kinds.count(kind) for kind in set(kinds)}
    lines = released / "data" / level / "train.jsonl.gz"
    ids = duckdb.sql(f"SELECT instance_id FROM read_json('{lines}')").fetchall()
    assert [id for (id,) in ids] == [
        row["instance_id"] for row in expected(released, level, "train")
    ]
