"""The command line: help, refusals with exit code 2, and each command at work."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from builder.commands import main
from source_button.synthesis import synthesize
from taxonomy.registry import kinds

ROOT = Path(__file__).resolve().parents[2]


def run(*words: object, code: int = 0, **options: Any) -> Result:
    done = CliRunner().invoke(main, [str(word) for word in words], **options)
    assert done.exit_code == code, done.output + repr(done.exception)
    return done


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("built") / "out"
    run("build-level2", "--size", 30, "--workers", 1, "--no-certify", "--out", out)
    return out


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["build-level2", "--rounds", "1"], "build-level1"),
        (["build-level2", "--rounds", "0"], "expected 2 to 38"),
        (["build-level2", "--rounds", "-3"], "expected 2 to 38"),
        (["build-level2", "--rounds", "99"], "40 rounds"),
        (["build-level1", "--size", "0"], "expected a number of rows"),
        (["build-level1", "--size", "-1"], "expected a number of rows"),
        (["build-level1", "--size", "some"], "expected a number of rows"),
        (["build-level1", "--seed", "-1"], "expected 0 to"),
        (["build-level1", "--split", "0.8,0.2"], "found 2 shares"),
        (["build-level1", "--split", "0.8,0.1,0.2"], "add up to 1.1"),
        (["build-level1", "--split", "1.2,-0.1,-0.1"], "from 0 to 1"),
        (["build-level1", "--split", "a,b,c"], "expected the shares"),
        (["build-level1", "--controls", "2"], "from 0 to 1"),
        (["build-level1", "--controls", "nan"], "from 0 to 1"),
        (["build-level1", "--workers", "0"], "0"),
        (["build-level1", "--source", "nowhere.jsonl"], "no such file"),
        (["build-level1", "--distribution", "nowhere.json"], "no such file"),
        (["build-level1", "--source", "x", "--plans", "3"], "--plans"),
        (["regenerate", "nowhere.json", "--seed", "1", "--out", "x"], "no such file"),
        (["inspect", "nowhere"], "no such folder"),
        (["sample", "nowhere"], "no rows"),
        (["certify", "nowhere"], "no such folder"),
        (["kinds", "Typo_Error"], "no such kind"),
        (["synthesize", "--n", "0"], "0"),
        (["ingest", "--source", "nowhere.jsonl", "--out", "x"], "no such file"),
    ],
)
def test_what_cannot_be_done_is_refused_in_words(
    words: list[str], found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert found in run(*words, code=2).output
    assert not list(tmp_path.iterdir())


def test_the_command_line_starts_without_heavy_libraries() -> None:
    code = (
        "import sys, builder.commands; "
        "print([m for m in ('pyarrow', 'faker', 'networkx', 'tqdm', 'jsonschema_rs', 'numpy')"
        " if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"


def test_the_default_folder_tells_level_and_seed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run("build-level1", "--size", 5, "--seed", 3, "--no-certify", "--workers", 1)
    assert (tmp_path / "level1-seed3" / "manifest.json").is_file()


def test_json_prints_one_object(tmp_path: Path) -> None:
    words = ["build-level1", "--size", 5, "--no-certify", "--workers", 1, "--json"]
    said = json.loads(run(*words, "--out", tmp_path / "out").stdout)
    assert said["rows"]["built"] == 5
    assert not said["already_done"]
    assert json.loads(run(*words, "--out", tmp_path / "out").stdout)["already_done"]


def test_standard_input_is_a_source(tmp_path: Path) -> None:
    text = b"\n".join(synthesize(8, seed=4))
    words = ["build-level1", "--source", "-", "--no-certify", "--workers", 1, "--quiet"]
    run(*words, "--out", tmp_path / "out", input=text)
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["arguments"]["source"][0]["name"] == "stdin"
    assert manifest["rows"]["asked"] == manifest["corpus"]["usable"] == 8


def test_inspect_shows_a_row(built: Path) -> None:
    shown = run("inspect", built, "--width", 90).output
    for part in ("What the user wants", "What is wrong", "What happened", "The gold recovery"):
        assert part in shown
    assert "Traceback" not in shown
    row = json.loads(run("inspect", built, "--json").stdout)
    assert row["instance_id"] in shown
    assert all(kind in shown for kind in row["error_kinds"])
    again = run("inspect", built, row["instance_id"][:-3], "--width", 90).output
    assert row["instance_id"] in again
    assert "no row with the id 'nobody'" in run("inspect", built, "nobody", code=2).output


def test_inspect_finds_a_kind(built: Path) -> None:
    row = json.loads(run("inspect", built, "--json").stdout)
    kind = row["error_kinds"][0]
    assert kind in json.loads(run("inspect", built, "--kind", kind, "--json").stdout)["error_kinds"]
    assert "no row with Typo" in run("inspect", built, "--kind", "Typo", code=2).output


def test_sample_writes_a_sheet(built: Path, tmp_path: Path) -> None:
    out = tmp_path / "audit.csv"
    run("sample", built, "-n", 7, "--out", out)
    with out.open(encoding="utf-8-sig", newline="") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == 7
    assert all(line["instance_id"] in line["row"] for line in lines)
    run("sample", built, "--out", out, code=2)


def test_regenerate_follows_the_recipe(built: Path, tmp_path: Path) -> None:
    words = ["regenerate", built / "manifest.json", "--workers", 1, "--quiet"]
    run(*words, "--seed", 0, "--out", tmp_path / "same")
    run(*words, "--seed", 1, "--out", tmp_path / "other")
    manifests = {
        name: json.loads((path / "manifest.json").read_text())
        for name, path in (
            ("first", built),
            ("same", tmp_path / "same"),
            ("other", tmp_path / "other"),
        )
    }
    assert manifests["same"] == manifests["first"]
    assert manifests["other"]["files"] != manifests["first"]["files"]
    for part in ("kinds_by_round", "rounds"):
        asked = [
            {kind: counts["asked"] for kind, counts in column.items()}
            for name in ("first", "other")
            for column in [manifests[name]["counts"][part]]
            if isinstance(column, dict)
        ]
        assert asked == asked[:1] * len(asked)


def test_regenerate_wants_the_very_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "corpus.jsonl"
    source.write_bytes(b"\n".join(synthesize(10, seed=2)))
    first, second = tmp_path / "first", tmp_path / "second"
    run("build-level1", "--source", source, "--no-certify", "--workers", 1, "--out", first)
    monkeypatch.chdir(tmp_path)
    words = ["regenerate", first, "--seed", 8, "--workers", 1, "--out", second]
    source.rename(tmp_path / "moved.jsonl")
    assert "corpus.jsonl" in run(*words, code=2).output
    other = tmp_path / "other.jsonl"
    other.write_bytes(b"\n".join(synthesize(10, seed=3)))
    assert "hash" in run(*words, "--source", other, code=2).output
    assert not second.exists()
    run(*words, "--source", "moved.jsonl")
    assert (second / "manifest.json").is_file()


def test_ingest_and_synthesize(tmp_path: Path) -> None:
    corpus, plans = tmp_path / "corpus.jsonl", tmp_path / "plans"
    run("synthesize", "--n", 4, "--seed", 1, "--out", corpus)
    assert corpus.read_bytes().splitlines() == list(synthesize(4, seed=1))
    run("synthesize", "--n", 4, "--out", corpus, code=2)
    printed = run("synthesize", "--n", 2, "--seed", 1)
    assert printed.stdout_bytes.splitlines() == list(synthesize(2, seed=1))
    run("ingest", "--source", corpus, "--out", plans, "--strict")
    assert sorted(path.name for path in plans.iterdir()) == [
        "plans.jsonl",
        "rejects.jsonl",
        "summary.json",
    ]
    corpus.write_bytes(corpus.read_bytes() + b"{}\n")
    summary = json.loads(
        run("ingest", "--source", corpus, "--out", plans, "--strict", "--json", code=1).stdout
    )
    assert (summary["plans"], summary["rejects"]) == (4, 1)
    (plans / "mine.txt").write_text("mine")
    run("ingest", "--source", corpus, "--out", plans, code=2)


def test_kinds_lists_the_taxonomy() -> None:
    shown = run("kinds").output
    assert all(f"  {kind} " in shown for kind in kinds())
    one = next(iter(kinds()))
    assert "How it is told apart" in run("kinds", one).output
    assert set(json.loads(run("kinds", "--json").stdout)) == set(kinds())
