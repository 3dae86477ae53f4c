"""A release folder: whole or not at all, the same bytes each time, nothing false in it."""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import builder.release.assembly
import builder.release.data
from builder.parquet import read_rows, schema, tabulate, write_parquet
from builder.refusal import Refusal
from builder.release.data import Piece, Sight, Written
from builder.release.overlap import check_rows, find_shared
from builder.release.preview import choose
from hub_card.facts import SplitFacts
from hub_card.manifest import read, read_release
from plan.json_text import dump_bytes
from plan.row import Row
from scoring.rows import find_files
from scoring.rows import read_rows as read_records
from taxonomy.registry import kinds
from tests.builder.assembled import build, build_both, release, run

# pandas, pyarrow and matplotlib warn each other; no warning is ours.
pytestmark = pytest.mark.filterwarnings("default")
pytest.importorskip("jinja2", reason="the extra hub is not installed")
pytest.importorskip("matplotlib", reason="the extra hub is not installed")

Change = Callable[[Path], None]


@pytest.fixture(scope="module")
def builds(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return build_both(tmp_path_factory.mktemp("builds"))


@pytest.fixture(scope="module")
def released(builds: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("released") / "release"
    release(out, *builds)
    return out


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def lines(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path) as file:
        return [json.loads(line) for line in file]


# ---------------------------------------------------------------- what is in it


def test_the_folder_is_laid_out_as_the_repository_will_be(released: Path) -> None:
    names = set(contents(released))
    assert {
        *("README.md", "CHANGELOG.md", "CITATION.cff", "LICENSE", "NOTICE"),
        *("croissant.json", "manifest.json", "SHA256SUMS"),
        "data/preview/train-00000-of-00001.parquet",
        *(f"reports/{level}{end}" for level in ("level1", "level2") for end in (".md",)),
        *("scoring/__main__.py", "scoring/prompts/judge.md", "figures/kinds.svg"),
        *("figures/kinds.png", "tables/splits.csv", "tables/splits.md"),
    } <= names
    for level in ("level1", "level2"):
        for split in ("train", "validation", "test"):
            assert f"data/{level}/{split}-00000-of-00001.parquet" in names
            assert f"data/{level}/{split}.jsonl.gz" in names
    assert not [name for name in names if "__pycache__" in name or name.startswith(".")]


def test_the_manifest_tells_of_every_file_and_the_sums_check(released: Path) -> None:
    manifest = read_release(released / "manifest.json")
    found = contents(released)
    listed = {file["path"]: file for file in manifest["files"]}
    assert list(listed) == sorted(found.keys() - {"manifest.json", "SHA256SUMS"})
    for name, file in listed.items():
        assert file["bytes"] == len(found[name])
        assert file["sha256"] == hashlib.sha256(found[name]).hexdigest()
    sums = dict(reversed(line.split("  ", 1)) for line in found["SHA256SUMS"].decode().splitlines())
    assert sums.keys() == found.keys() - {"SHA256SUMS"}
    assert sums["manifest.json"] == hashlib.sha256(found["manifest.json"]).hexdigest()
    assert manifest["rows"]["level1"] == {
        split: len(lines(released / f"data/level1/{split}.jsonl.gz"))
        for split in ("train", "validation", "test")
    }
    assert manifest["previous"] is None
    assert manifest["certified"] == {"level1": "when built", "level2": "when built"}


def test_the_rows_are_the_builds_rows_byte_for_byte(
    released: Path, builds: tuple[Path, Path]
) -> None:
    for folder in builds:
        for path in folder.glob("data/*/*.parquet"):
            assert (released / path.relative_to(folder)).read_bytes() == path.read_bytes()


def test_json_lines_hold_the_same_rows_as_parquet(released: Path) -> None:
    for path in released.glob("data/level*/*.parquet"):
        expected = [dump_bytes(row.to_record()) for row in read_rows(path)]
        with gzip.open(path.parent / f"{path.name.partition('-')[0]}.jsonl.gz") as file:
            assert file.read().splitlines() == expected


def test_rows_in_the_middle_of_groups_give_the_same_parquet(released: Path, tmp_path: Path) -> None:
    path = released / "data/level2/train-00000-of-00001.parquet"
    rows = list(read_rows(path))
    write_parquet(tmp_path / "again.parquet", [tabulate(rows[:7]), tabulate(rows[7:])])
    assert (tmp_path / "again.parquet").read_bytes() == path.read_bytes()
    with pq.ParquetFile(path) as file:
        assert file.schema_arrow.equals(schema())
        column = file.metadata.row_group(0).column(0)
        assert column.has_offset_index
        assert column.has_column_index


def test_scoring_reads_a_release_without_its_preview(released: Path) -> None:
    ids = [
        record["instance_id"]
        for file in find_files(released)
        for _, record in read_records(file)
        if isinstance(record, dict)
    ]
    assert len(ids) == len(set(ids)) == 84
    assert all(file.path.name.endswith(".jsonl.gz") for file in find_files(released))


def test_the_preview_has_every_kind_and_train_rows_only(released: Path) -> None:
    rows = list(read_rows(released / "data/preview/train-00000-of-00001.parquet"))
    train = [
        row
        for level in ("level1", "level2")
        for row in read_rows(released / f"data/{level}/train-00000-of-00001.parquet")
    ]
    by_id = {row.instance_id: row for row in train}
    assert len({row.instance_id for row in rows}) == len(rows) == 30
    assert all(by_id[row.instance_id] == row for row in rows)
    there = {kind for row in train for kind in row.error_kinds}
    assert {kind for row in rows for kind in row.error_kinds} == there
    assert {row.level for row in rows} == {"level1", "level2"}


def test_scoring_runs_out_of_a_copy_of_its_folder_alone(released: Path, tmp_path: Path) -> None:
    shutil.copytree(released / "scoring", tmp_path / "scoring")
    rows = released / "data" / "level2" / "test.jsonl.gz"
    gold = tmp_path / "gold.jsonl"
    gold.write_text(
        "".join(
            json.dumps(
                {
                    "instance_id": row["instance_id"],
                    "thought": "",
                    "plan": json.loads(row["gold_plan"]),
                }
            )
            + "\n"
            for row in lines(rows)
        )
    )
    done = subprocess.run(
        [
            *(sys.executable, "-S", "-m", "scoring", "--rows", str(rows)),
            *("--predictions", str(gold), "--json", "--quiet"),
        ],
        cwd=tmp_path,
        env={"PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    scores = json.loads(done.stdout)
    assert scores["n"] == len(lines(rows))
    assert scores["e2"] == 100


def test_licences_and_attribution_stand_in_full(released: Path) -> None:
    text = (released / "LICENSE").read_text()
    own = Path(__file__).parents[2] / "LICENSE"
    assert own.read_text().strip() in text
    assert "Creative Commons Attribution 4.0 International Public License" in text
    assert "Section 8 -- Interpretation." in text
    notice = (released / "NOTICE").read_text()
    for build_ in read_release(released / "manifest.json")["builds"].values():
        assert build_["attribution"] in notice


def test_a_release_of_button_rows_carries_buttons_attribution(tmp_path: Path) -> None:
    run("synthesize", "--n", 60, "--seed", 3, "--out", tmp_path / "button.jsonl")
    rows = tmp_path / "rows"
    run(
        *("build-level1", "--source", tmp_path / "button.jsonl", "--size", 30),
        *("--workers", 1, "--out", rows),
    )
    release(tmp_path / "release", rows)
    for name in ("NOTICE", "README.md"):
        assert "PKU-Baichuan-MLSystemLab" in (tmp_path / "release" / name).read_text(), name


def test_verify_finds_nothing_wrong(released: Path) -> None:
    from builder.verify import verify

    report = verify(released, workers=1)
    assert report.ok, report.to_text()


# ---------------------------------------------------------------- the same bytes


def test_two_releases_of_the_same_builds_are_the_same_bytes(
    released: Path, builds: tuple[Path, Path], tmp_path: Path
) -> None:
    # Other workers, another order of the builds.
    named = ("--name", "tiny-rows", "--version", "1.0.0", "--out", tmp_path / "again")
    run("release", *reversed(builds), *named, "--workers", 2)
    assert contents(tmp_path / "again") == contents(released)


def test_the_date_and_the_repository_are_told_where_they_are_given(
    builds: tuple[Path, Path], tmp_path: Path
) -> None:
    out = tmp_path / "release"
    release(out, *builds, "--date", "2026-03-01", "--repo-id", "someone/tiny-rows")
    citation = (out / "CITATION.cff").read_text()
    assert "date-released: 2026-03-01" in citation
    assert "https://huggingface.co/datasets/someone/tiny-rows" in citation
    assert "## 1.0.0 (2026-03-01)" in (out / "CHANGELOG.md").read_text()
    card = (out / "README.md").read_text()
    assert 'load_dataset("someone/tiny-rows", "level1", revision="v1.0.0")' in card
    described = json.loads((out / "croissant.json").read_bytes())
    assert described["datePublished"] == "2026-03-01"


def test_the_citation_is_yaml_that_says_what_is_cited(released: Path) -> None:
    yaml = pytest.importorskip("yaml", reason="the extra hub is not installed")
    cited = yaml.safe_load((released / "CITATION.cff").read_text())
    assert cited["cff-version"] == "1.2.0"
    assert cited["type"] == "dataset"
    assert (cited["title"], cited["version"]) == ("tiny-rows", "1.0.0")
    assert all(one["authors"] and one["title"] for one in cited["references"])
    assert [author["family-names"] for author in cited["references"][0]["authors"]] == [
        *("Guan", "Yin", "Shen")
    ]


# ---------------------------------------------------------------- versions


def test_a_second_version_tells_what_changed(
    released: Path, builds: tuple[Path, Path], tmp_path: Path
) -> None:
    fresh = build(tmp_path / "fresh", "level1", "--seed", 4)
    notes = tmp_path / "notes.md"
    notes.write_text("- Fresh rows for LEVEL-1,\n  from another seed.\n\nA second note.\n")
    more = ("--previous", released, "--notes", notes)
    failed = release(tmp_path / "out", fresh, builds[1], *more, version="1.0.1", code=2)
    assert "too small a step after 1.0.0" in failed.stderr
    assert "1.1.0 at least" in failed.stderr
    assert not (tmp_path / "out").exists()
    release(tmp_path / "out", fresh, builds[1], *more, version="1.1.0")

    manifest = read_release(tmp_path / "out" / "manifest.json")
    sha256 = hashlib.sha256((released / "manifest.json").read_bytes()).hexdigest()
    assert manifest["previous"] == {"version": "1.0.0", "manifest_sha256": sha256}
    new, old = manifest["changelog"]
    assert new["lines"][:2] == ["Fresh rows for LEVEL-1, from another seed.", "A second note."]
    assert any("42" in line and "seed 4 instead of 0" in line for line in new["lines"][2:])
    assert old == {"version": "1.0.0", "date": None, "lines": ["First version."]}
    told = (tmp_path / "out" / "CHANGELOG.md").read_text()
    assert told.index("## 1.1.0") < told.index("A second note.") < told.index("## 1.0.0")
    assert "A second note." in (tmp_path / "out" / "README.md").read_text()


@pytest.mark.parametrize("version", ["1.0", "v1.0.0", "1.0.0.0", "01.0.0", "one", "1.0.0-", ""])
def test_what_is_no_semantic_version_is_refused(version: str, tmp_path: Path) -> None:
    failed = release(tmp_path / "out", tmp_path / "nowhere", version=version, code=2)
    assert "no semantic version" in failed.stderr


@pytest.mark.parametrize("version", ["1.0.0", "1.0.0-rc.1", "0.9.9"])
def test_a_version_must_be_above_the_one_before(
    version: str, released: Path, builds: tuple[Path, Path], tmp_path: Path
) -> None:
    failed = release(*(tmp_path / "out", *builds, "--previous", released), version=version, code=2)
    assert "not above 1.0.0" in failed.stderr


# ---------------------------------------------------------------- what is refused


def spoil_byte(folder: Path) -> None:
    path = folder / "data/level1/train-00000-of-00001.parquet"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def remove_file(folder: Path) -> None:
    (folder / "data/level1/test-00000-of-00001.parquet").unlink()


def add_file(folder: Path) -> None:
    path = folder / "data/level1/train-00000-of-00001.parquet"
    shutil.copy(path, path.with_name("train-00001-of-00002.parquet"))


def change_recipe(folder: Path) -> None:
    path = folder / "manifest.json"
    path.write_text(path.read_text().replace('"seed": 0', '"seed": 1'))


def lose_manifest(folder: Path) -> None:
    (folder / "manifest.json").unlink()


def stop_build(folder: Path) -> None:
    lose_manifest(folder)
    (folder / ".work").mkdir()


def spoil_manifest(folder: Path) -> None:
    (folder / "manifest.json").write_text('{"format": 1, "arguments": {}}')


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (spoil_byte, "its SHA-256 isn't the manifest's"),
        (remove_file, "missing"),
        (add_file, "not in the manifest"),
        (change_recipe, "its fingerprint isn't that of its arguments"),
        (lose_manifest, "no manifest.json"),
        (stop_build, "stopped before its end"),
        (spoil_manifest, "no manifest"),
    ],
)
def test_a_changed_build_is_refused_and_nothing_is_left(
    change: Change, found: str, builds: tuple[Path, Path], tmp_path: Path
) -> None:
    changed = tmp_path / "changed"
    shutil.copytree(builds[0], changed)
    change(changed)
    failed = release(tmp_path / "out", changed, builds[1], code=2)
    assert found in failed.stderr
    assert "to do:" in failed.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["changed"]


def test_what_is_no_build_is_refused(
    released: Path, builds: tuple[Path, Path], tmp_path: Path
) -> None:
    assert "no such folder" in release(tmp_path / "out", tmp_path / "x", code=2).stderr
    assert "a release's manifest" in release(tmp_path / "out", released, code=2).stderr
    file = builds[0] / "report.md"
    assert "a file" in release(tmp_path / "out", file, code=2).stderr


def test_two_builds_of_one_level_are_refused(builds: tuple[Path, Path], tmp_path: Path) -> None:
    again = tmp_path / "again"
    shutil.copytree(builds[0], again)
    failed = release(tmp_path / "out", builds[0], again, code=2)
    assert "one build of each level" in failed.stderr


def test_a_folder_in_use_is_left_alone(builds: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.tex").write_text("Years of work.")
    failed = release(tmp_path / "out", *builds, code=2)
    assert "thesis.tex" in failed.stderr
    assert contents(tmp_path) == {"out/thesis.tex": b"Years of work."}


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--name", "two words"),
        ("--name", "-rows"),
        ("--name", "a..b"),
        ("--name", "r" * 97),
        ("--repo-id", "rows"),
        ("--repo-id", "a/b/c"),
        ("--date", "2026-02-30"),
        ("--date", "20260301"),
        ("--notes", "nowhere.md"),
        ("--previous", "nowhere"),
    ],
)
def test_options_that_cannot_be_worked_with_are_refused_before_anything_is_read(
    option: str, value: str, tmp_path: Path
) -> None:
    words = ["--name", "rows", "--version", "1.0.0", "--out", tmp_path / "out", option, value]
    failed = run("release", tmp_path / "nowhere", *words, code=2)
    assert value in failed.stderr
    assert "Traceback" not in failed.stderr


def rewrite(folder: Path, change: Callable[[Row], Row]) -> None:
    """Change the first row of a build's training split, and its hash in the manifest."""
    name = "data/level1/train-00000-of-00001.parquet"
    first, *rest = read_rows(folder / name)
    write_parquet(folder / name, [tabulate([change(first), *rest])])
    manifest = read(folder / "manifest.json")
    data = (folder / name).read_bytes()
    for file in manifest["files"]:
        if file["path"] == name:
            file.update(sha256=hashlib.sha256(data).hexdigest(), bytes=len(data))
    (folder / "manifest.json").write_text(json.dumps(manifest))


def test_an_uncertified_build_is_certified_now(tmp_path: Path) -> None:
    rows = build(tmp_path / "rows", "level1", "--no-certify")
    release(tmp_path / "out", rows)
    manifest = read_release(tmp_path / "out" / "manifest.json")
    assert manifest["certified"] == {"level1": "when released"}
    assert manifest["builds"]["level1"]["arguments"]["certify"] is False
    assert "Every row is certified." in (tmp_path / "out" / "reports" / "level1.md").read_text()

    def lie(row: Row) -> Row:
        return replace(row, round_gt=row.round_gt + 1)

    rewrite(rows, lie)
    failed = release(tmp_path / "lie", rows, code=2)
    assert "fail their certificate" in failed.stderr
    assert not (tmp_path / "lie").exists()


def test_a_row_that_is_too_large_is_named_and_refused(
    builds: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = {
        row.instance_id: len(dump_bytes(row.to_record()))
        for path in builds[0].glob("data/*/*.parquet")
        for row in read_rows(path)
    }
    largest = max(sizes, key=lambda id: sizes[id])
    monkeypatch.setattr(builder.release.data, "MOST_ROW_BYTES", sizes[largest] - 1)
    failed = release(tmp_path / "out", builds[0], code=2)
    assert largest in failed.stderr
    assert f"{sizes[largest]:,} bytes" in failed.stderr
    assert list(tmp_path.iterdir()) == []


def test_what_is_not_installed_is_said_before_anything_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(builder.release.assembly, "LIBRARIES", ("no-such-package",))
    failed = release(tmp_path / "out", tmp_path / "nowhere", code=2)
    assert "no-such-package" in failed.stderr
    assert "pip install 'pararecover[hub]'" in failed.stderr


# ---------------------------------------------------------------- what splits share


def written(config: str, split: str, *sights: Sight) -> Written:
    nowhere = Path("nowhere")
    piece = Piece(nowhere, nowhere, nowhere, f"data/{config}/{split}.parquet", config, split)
    return Written(piece, SplitFacts(len(sights), 0, 0, ()), sights, ())


def sight(id: str, query: str, tools: str, *own: str) -> Sight:
    return Sight(id, query.encode(), tools.encode(), own)


def test_an_id_may_stand_only_once() -> None:
    with pytest.raises(Refusal, match="1 ids stand more than once: a"):
        check_rows(
            [
                written("level1", "train", sight("a", "q", "t")),
                written("level2", "train", sight("a", "q", "t")),
            ]
        )


@pytest.mark.parametrize(("other", "word"), [(("q", "u"), "query"), (("r", "t"), "set of called")])
def test_a_group_in_two_splits_of_a_level_is_refused(other: tuple[str, str], word: str) -> None:
    with pytest.raises(Refusal, match=word):
        check_rows(
            [
                written("level1", "train", sight("a", "q", "t")),
                written("level1", "test", sight("b", *other)),
            ]
        )


def test_what_two_levels_share_across_splits_is_counted() -> None:
    pieces = [
        written("level1", "train", sight("a", "q", "t"), sight("b", "q", "t")),
        written("level1", "test", sight("c", "r", "u")),
        written("level2", "train", sight("d", "s", "u"), sight("e", "z", "z")),
        written("level2", "test", sight("f", "q", "t")),
    ]
    check_rows(pieces)
    found = [one.to_json() for one in find_shared(pieces)]
    assert found == [
        {
            "splits": ["level1/train", "level2/test"],
            "queries": 1,
            "tool_sets": 1,
            "rows": [2, 1],
        },
        {
            "splits": ["level1/test", "level2/train"],
            "queries": 0,
            "tool_sets": 1,
            "rows": [1, 1],
        },
    ]


def test_builds_of_one_recipe_share_nothing_and_others_are_told_of(
    released: Path, builds: tuple[Path, Path], tmp_path: Path
) -> None:
    assert read_release(released / "manifest.json")["shared"] == []
    other = build(tmp_path / "other", "level2", "--split", "0.2,0.4,0.4")
    done = release(tmp_path / "out", builds[0], other)
    shared = read_release(tmp_path / "out" / "manifest.json")["shared"]
    splits = {
        f"{level}/{split}": {row.query for row in read_rows(path)}
        for level, folder in (("level1", builds[0]), ("level2", other))
        for split in ("train", "validation", "test")
        for path in folder.glob(f"data/{level}/{split}-*.parquet")
    }
    assert shared
    for one in shared:
        a, b = one["splits"]
        assert one["queries"] == len(splits[a] & splits[b])
        assert f"{a} and {b}" in done.stderr
        assert f"{a} and {b}" in (tmp_path / "out" / "README.md").read_text()
    assert {"level1/train", "level2/test"} in [set(one["splits"]) for one in shared]


# ---------------------------------------------------------------- the preview's rule


def test_the_preview_takes_the_kinds_in_turn_by_the_least_id() -> None:
    names = tuple(kinds())[:2]
    piece = written(
        "level1",
        "train",
        sight("d", "", "", names[0]),
        sight("c", "", "", names[0]),
        sight("b", "", "", names[1]),
        sight("a", "", ""),
    )
    assert choose([piece], 3, names) == [(0, 1), (0, 2), (0, 3)]
    assert choose([piece], 9, names) == [(0, 1), (0, 2), (0, 3), (0, 0)]


def test_a_release_without_training_rows_has_no_preview(tmp_path: Path) -> None:
    rows = build(tmp_path / "rows", "level1", "--split", "0,0,1")
    release(tmp_path / "out", rows)
    assert not (tmp_path / "out" / "data" / "preview").exists()
    assert read_release(tmp_path / "out" / "manifest.json")["rows"] == {"level1": {"test": 42}}
