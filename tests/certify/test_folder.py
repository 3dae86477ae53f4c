"""Folders: files, hashes, counts and splits, and every row in them."""

import json
import shutil
from collections import Counter
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from builder.parquet import tabulate, write_parquet
from certify.build import NoBuild, certify_folder
from certify.kinds import KINDS
from plan.row import INJECTED, Row
from tests.certify.rows import build, rows_of, with_error


def controls() -> list[Row]:
    made = [build(name, (), 2) for name in ("trip", "order")]
    return [row for row in made if row is not None]


def manifest_of(folder: Path, rows: dict[str, list[Row]]) -> dict:
    every = [row for own in rows.values() for row in own]
    damaged = [row for row in every if row.error_kinds]
    kinds = Counter(kind for row in damaged for kind in row.error_kinds)
    shown: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
    for row in every:
        for error in row.errors:
            if error.origin == INJECTED:
                shown[error.kind][error.visibility] += 1
    counted = {kind: {"asked": 9, "built": kinds[kind], "short": 0} for kind in KINDS}
    return {
        "format": 1,
        "rows": {"built": len(damaged), "controls": len(every) - len(damaged), "total": len(every)},
        "counts": {
            "kinds": counted,
            "kinds_by_round": [counted],
            "rounds": {"1": {"asked": 9, "built": len(damaged)}},
            "splits": {split: len(own) for split, own in rows.items()},
            "downstream": {"none": len(damaged)},
            "visibility": shown,
            "propagated": sum(e.origin != INJECTED for row in every for e in row.errors),
            **{
                column: Counter(str(getattr(row, column)) for row in every)
                for column in ("t", "round_gt", "recovery_round_gt")
            },
        },
        "files": [
            {
                "path": path.relative_to(folder).as_posix(),
                "level": "level1",
                "split": path.name.split("-")[0],
                "rows": len(rows[path.name.split("-")[0]]),
                "sha256": sha256(path.read_bytes()).hexdigest(),
            }
            for path in sorted(folder.glob("data/*/*.parquet"))
        ],
    }


def write(folder: Path, rows: dict[str, list[Row]]) -> Path:
    data = folder / "data" / "level1"
    data.mkdir(parents=True)
    for split, own in rows.items():
        write_parquet(data / f"{split}-00000-of-00001.parquet", [tabulate(own)])
    seal(folder, rows)
    return folder


def seal(folder: Path, rows: dict[str, list[Row]]) -> None:
    (folder / "manifest.json").write_text(json.dumps(manifest_of(folder, rows)))


@pytest.fixture(scope="module")
def rows() -> dict[str, list[Row]]:
    """Rows of every kind; the two plans stand in different splits."""
    every = [row for kind in KINDS for row in rows_of(kind, most=2)]
    unique = list({row.instance_id: row for row in [*every, *controls()]}.values())
    return {
        "train": [row for row in unique if row.query_id == "q-trip"],
        "test": [row for row in unique if row.query_id == "q-order"],
    }


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory, rows: dict[str, list[Row]]) -> Path:
    return write(tmp_path_factory.mktemp("sound") / "rows", rows)


@pytest.fixture
def folder(sound: Path, tmp_path: Path) -> Path:
    shutil.copytree(sound, tmp_path / "rows")
    return tmp_path / "rows"


def codes(folder: Path) -> set[str]:
    return set(certify_folder(folder).codes)


def test_a_sound_folder(sound, rows):
    seen = []
    report = certify_folder(sound, progress=lambda done, total: seen.append((done, total)))
    total = sum(map(len, rows.values()))
    assert report.problems == []
    assert report.ok
    assert (report.certified, report.failed, report.controls) == (total, 0, len(controls()))
    assert seen[-1] == (total, total)
    assert set(report.matrix) == {(kind, kind) for kind in KINDS}
    text = report.to_text()
    assert text.startswith(f"{total} of {total} rows certified")
    assert all(kind in text for kind in KINDS)
    told = json.loads(json.dumps(report.to_json()))
    assert told["ok"]
    assert told["matrix"]["Type_Error"] == {"Type_Error": report.matrix["Type_Error", "Type_Error"]}


def test_two_workers_report_the_same(sound):
    assert certify_folder(sound, workers=2).to_json() == certify_folder(sound).to_json()


def test_a_changed_byte_is_caught(folder):
    file = next(folder.glob("data/*/train*.parquet"))
    data = bytearray(file.read_bytes())
    for place in (4, len(data) // 3, len(data) // 2, len(data) - 5):
        changed = bytearray(data)
        changed[place] ^= 1
        file.write_bytes(changed)
        assert "file_changed" in codes(folder)


def test_missing_and_added_files_are_caught(folder):
    file = next(folder.glob("data/*/train*.parquet"))
    shutil.copy(file, file.with_name("validation-00000-of-00001.parquet"))
    assert {"file_unlisted", "split_shared", "instance_id"} <= codes(folder)
    file.unlink()
    assert "file_missing" in codes(folder)


def test_what_is_no_parquet_is_caught(folder):
    next(folder.glob("data/*/train*.parquet")).write_bytes(b"PAR1 and nothing else")
    assert {"unreadable", "file_changed", "counts"} <= codes(folder)


@pytest.mark.parametrize("kind", KINDS)
def test_a_false_label_in_one_row_is_caught(tmp_path, rows, kind):
    other = "Type_Error" if kind != "Type_Error" else "Null_Error"
    spoilt = with_error(rows_of(kind)[0], kind=other)
    report = certify_folder(write(tmp_path / "rows", {"train": [spoilt]}))
    assert "kind" in report.codes
    assert (report.certified, report.failed) == (0, 1)
    assert report.matrix == {(other, kind): 1}
    assert report.problems[0].instance_id == spoilt.instance_id
    assert "1 of" not in report.to_text().splitlines()[0]


def test_shared_groups_are_caught(tmp_path, rows):
    train, test = rows["train"], rows["test"]
    mixed = {"train": [*train[1:], *test[1:]], "test": [train[0]], "validation": [test[0]]}
    report = certify_folder(write(tmp_path / "a", mixed))
    assert set(report.codes) == {"split_shared"}
    other = replace(train[0], query_id="q-other", source_id="other:1")
    assert "split_shared" in codes(write(tmp_path / "b", {"train": train[1:], "test": [other]}))


def test_ids_are_compared_over_all_rows(tmp_path, rows):
    first, second = rows["train"][:2]
    twice = replace(second, instance_id=first.instance_id)
    assert codes(write(tmp_path / "a", {"train": [first, twice]})) == {"instance_id"}
    mixed = replace(rows["test"][0], query_id=first.query_id)
    assert codes(write(tmp_path / "b", {"train": [first, mixed]})) == {"query_id"}
    source = replace(second, query_id="q-other")
    assert codes(write(tmp_path / "c", {"train": [first, source]})) == {"source_id"}


@pytest.mark.parametrize(
    "edit",
    [
        lambda m: m["counts"]["kinds"]["Type_Error"].update(built=0),
        lambda m: m["counts"]["kinds_by_round"][0]["Null_Error"].update(built=0),
        lambda m: m["counts"]["splits"].update(train=0),
        lambda m: m["counts"].update(propagated=99),
        lambda m: m["counts"]["t"].update({"9": 1}),
        lambda m: m["rows"].update(total=1),
        lambda m: m["rows"].update(controls=0),
        lambda m: m["files"][0].update(rows=1),
        lambda m: m["files"][0].update(split="validation"),
    ],
)
def test_false_counts_are_caught(folder, edit):
    manifest = json.loads((folder / "manifest.json").read_text())
    edit(manifest)
    (folder / "manifest.json").write_text(json.dumps(manifest))
    assert codes(folder) == {"counts"}


def test_a_manifest_without_counts_is_caught(folder):
    (folder / "manifest.json").write_text("{}")
    assert codes(folder) == {"manifest"}


def test_columns_are_checked(tmp_path, rows):
    folder = write(tmp_path / "rows", rows)
    file = next(folder.glob("data/*/test*.parquet"))
    table = pq.read_table(file)
    for changed in (
        table.drop_columns(["faults"]),
        table.set_column(table.column_names.index("t"), "t", table["t"].cast(pa.int32())),
    ):
        pq.write_table(changed, file)
        seal(folder, rows)
        assert "columns" in codes(folder)
    empty = [None] * table.num_rows
    place = table.column_names.index("query")
    pq.write_table(table.set_column(place, "query", pa.array(empty, pa.string())), file)
    seal(folder, rows)
    assert "null" in codes(folder)


def test_rows_of_another_level_are_caught(tmp_path, rows):
    folder = write(tmp_path / "rows", rows)
    (folder / "data" / "level1").rename(folder / "data" / "level2")
    assert {"level", "file_missing", "file_unlisted"} <= codes(folder)


def test_what_is_no_build_is_refused(tmp_path):
    with pytest.raises(NoBuild, match="no such folder"):
        certify_folder(tmp_path / "nowhere")
    with pytest.raises(NoBuild, match=r"manifest\.json"):
        certify_folder(tmp_path)
    (tmp_path / "manifest.json").write_text("[]")
    with pytest.raises(NoBuild, match="no object"):
        certify_folder(tmp_path)
    (tmp_path / "manifest.json").write_text("{")
    with pytest.raises(NoBuild, match="no JSON"):
        certify_folder(tmp_path)
    (tmp_path / "manifest.json").write_text('{"kind": "release"}')
    with pytest.raises(NoBuild, match="a release's manifest"):
        certify_folder(tmp_path)
    (tmp_path / "manifest.json").write_text("{}")
    with pytest.raises(NoBuild, match="no rows"):
        certify_folder(tmp_path)
