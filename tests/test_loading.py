"""A built folder loads as it is with the library that researchers use."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from builder.commands import build_level1
from plan.json_text import loads
from plan.row import COLUMNS, ERROR_FIELDS

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
