"""The Croissant description: valid, complete, and read by MLCommons' own library."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from builder.parquet import read_rows
from plan.row import COLUMNS, ERROR_FIELDS, Row
from tests.builder.assembled import build_both, release

# pandas and rdflib warn each other; no warning is ours.
pytestmark = pytest.mark.filterwarnings("default")
pytest.importorskip("jinja2", reason="the extra hub is not installed")
pytest.importorskip("matplotlib", reason="the extra hub is not installed")

SPLITS = ("train", "validation", "test")


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("released")
    release(folder / "release", *build_both(folder), "--date", "2026-03-01")
    return folder / "release"


def described(released: Path) -> dict[str, Any]:
    value = json.loads((released / "croissant.json").read_bytes())
    assert isinstance(value, dict)
    return value


def test_every_file_of_rows_is_described_with_its_hash(released: Path) -> None:
    manifest = json.loads((released / "manifest.json").read_bytes())
    files = [one for one in described(released)["distribution"] if "sha256" in one]
    assert [(one["contentUrl"], one["sha256"]) for one in files] == [
        (file["path"], file["sha256"])
        for file in manifest["files"]
        if file["path"].startswith("data/")
    ]


def test_every_config_and_split_has_every_column(released: Path) -> None:
    sets = {one["@id"]: one for one in described(released)["recordSet"]}
    assert list(sets) == [
        *("level1", *(f"level1/{split}" for split in SPLITS)),
        *("level2", *(f"level2/{split}" for split in SPLITS)),
        "preview",
    ]
    for id, one in sets.items():
        fields = {field["name"]: field for field in one["field"]}
        assert tuple(name for name in fields if name != "split") == COLUMNS
        assert tuple(sub["name"] for sub in fields["errors"]["subField"]) == ERROR_FIELDS
        assert ("split" in fields) == ("/" not in id)
        assert all(field["description"] for field in fields.values())


def test_ids_are_never_given_twice(released: Path) -> None:
    def ids(value: Any) -> Iterator[str]:
        if isinstance(value, dict):
            if "@type" in value and "@id" in value:
                yield value["@id"]
            for inner in value.values():
                yield from ids(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from ids(inner)

    found = list(ids(described(released)["distribution"] + described(released)["recordSet"]))
    assert len(found) == len(set(found))


def flat(record: dict[str, Any], prefix: str) -> dict[str, Any]:
    """Return a record as a row has it: names without their record set, texts for bytes."""

    def plain(value: Any) -> Any:
        if isinstance(value, bytes):
            return value.decode()
        if isinstance(value, dict):
            return {key.rpartition("/")[2]: plain(inner) for key, inner in value.items()}
        return [plain(inner) for inner in value] if isinstance(value, list) else value

    return {key.removeprefix(f"{prefix}/"): plain(value) for key, value in record.items()}


def test_mlcroissant_reads_the_rows_that_were_released(released: Path) -> None:
    croissant = pytest.importorskip("mlcroissant", reason="mlcroissant is not installed")
    dataset = croissant.Dataset(jsonld=str(released / "croissant.json"))
    issues = dataset.metadata.ctx.issues
    assert not issues.errors
    # Without a repository the description has no address of its own to give.
    assert not [text for text in issues.warnings if "recommended" not in text]
    rows = {
        split: list(read_rows(released / f"data/level2/{split}-00000-of-00001.parquet"))
        for split in SPLITS
    }
    for split, own in rows.items():
        records = [flat(one, f"level2/{split}") for one in dataset.records(f"level2/{split}")]
        assert [Row.from_record(record) for record in records] == own
    whole = [flat(one, "level2") for one in dataset.records("level2")]
    assert {record["instance_id"]: record["split"] for record in whole} == {
        row.instance_id: split for split, own in rows.items() for row in own
    }
    by_id = {row.instance_id: row for own in rows.values() for row in own}
    assert all(Row.from_record(one) == by_id[one["instance_id"]] for one in whole)


def test_mlcroissant_picks_a_split(released: Path) -> None:
    croissant = pytest.importorskip("mlcroissant", reason="mlcroissant is not installed")
    dataset = croissant.Dataset(jsonld=str(released / "croissant.json"))
    records = list(dataset.records("level1", filters={"level1/split": "test"}))
    rows = list(read_rows(released / "data/level1/test-00000-of-00001.parquet"))
    assert [one["level1/instance_id"].decode() for one in records] == [
        row.instance_id for row in rows
    ]


def test_mlcroissant_refuses_a_file_that_was_changed(released: Path, tmp_path: Path) -> None:
    croissant = pytest.importorskip("mlcroissant", reason="mlcroissant is not installed")
    changed = tmp_path / "changed"
    shutil.copytree(released, changed)
    path = changed / "data" / "level1" / "test.jsonl.gz"
    path.write_bytes((changed / "data" / "level1" / "train.jsonl.gz").read_bytes())
    dataset = croissant.Dataset(jsonld=str(changed / "croissant.json"))
    with pytest.raises(croissant.GenerationError) as raised:
        list(dataset.records("level1/test"))
    assert "is not identical" in str(raised.value.__cause__)
