"""Builds end to end: the same bytes by every route, counts that add up, honest refusals."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from builder import pipeline
from builder.commands import main
from builder.parquet import read_rows, schema
from plan.row import COLUMNS
from source_button.synthesis import synthesize

ROOT = Path(__file__).resolve().parents[2]
# A shell that starts tests in the background lets its children ignore Ctrl-C.
START = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from builder.commands import main; main()"
)
LEVEL2 = ["build-level2", "--size", "320", "--no-certify", "--quiet", "--seed", "5"]


def run(*words: object, code: int = 0) -> str:
    done = CliRunner().invoke(main, [str(word) for word in words])
    assert done.exit_code == code, done.output + repr(done.exception)
    return done.output


def tree(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def manifest_of(folder: Path) -> Any:
    return json.loads((folder / "manifest.json").read_text())


def rows_of(folder: Path) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for path in sorted(folder.glob("data/*/*.parquet")):
        found.setdefault(path.name.partition("-")[0], []).extend(read_rows(path))
    return found


@pytest.fixture(scope="module")
def level2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("level2") / "out"
    run(*LEVEL2, "--workers", 1, "--out", out)
    return out


# ---------------------------------------------------------------- the same bytes


def test_two_workers_write_the_same_bytes(level2: Path, tmp_path: Path) -> None:
    run(*LEVEL2, "--workers", 2, "--out", tmp_path / "out")
    assert tree(tmp_path / "out") == tree(level2)


def test_the_size_of_shards_changes_no_byte(
    level2: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "SHARD_TRIALS", 33)
    monkeypatch.setattr(pipeline, "REPAIR_TRIALS", 3)
    monkeypatch.setattr("builder.corpus.SHARD_RECORDS", 70)
    run(*LEVEL2, "--workers", 1, "--out", tmp_path / "out")
    assert tree(tmp_path / "out") == tree(level2)


MOMENTS: dict[str, Callable[[Path], bool]] = {
    "at once": lambda out: (out / ".work").exists(),
    "while plans are read": lambda out: any(out.glob(".work/*/plans/*.json")),
    "while rows are built": lambda out: any(out.glob(".work/*/rows/0-*.json")),
    "while files are written": lambda out: any(out.glob("data/*/*.parquet")),
    "before the manifest": lambda out: (out / "rejects.jsonl").exists(),
}


@pytest.mark.slow
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_killed_build_goes_on_to_the_same_bytes(
    level2: Path, tmp_path: Path, moment: str
) -> None:
    out = tmp_path / "out"
    words = [*LEVEL2, "--workers", "2", "--out", str(out)]
    process = subprocess.Popen(
        [sys.executable, "-c", START, *words],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.DEVNULL,
    )
    while not MOMENTS[moment](out) and process.poll() is None:
        time.sleep(0.002)
    children = children_of(process.pid)
    process.send_signal(signal.SIGKILL)
    process.wait()
    deadline = time.monotonic() + 20
    while any(Path(f"/proc/{child}").exists() for child in children):
        assert time.monotonic() < deadline, "workers outlive their parent"
        time.sleep(0.05)
    run(*words)
    assert tree(out) == tree(level2)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupted_build_says_how_to_go_on(level2: Path, tmp_path: Path, workers: int) -> None:
    out = tmp_path / "out"
    words = [*LEVEL2, "--workers", str(workers), "--out", str(out)]
    process = subprocess.Popen(
        [sys.executable, "-c", START, *words],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while not MOMENTS["while plans are read"](out) and process.poll() is None:
        time.sleep(0.002)
    os.killpg(process.pid, signal.SIGINT)
    said = process.communicate()[1]
    assert process.returncode == 130, said
    assert "goes on where it stopped" in said
    assert "Traceback" not in said
    run(*words)
    assert tree(out) == tree(level2)


def children_of(pid: int) -> list[int]:
    """The process's children, where the system tells."""
    try:
        return [int(text) for text in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def test_a_file_source_and_two_levels(tmp_path: Path) -> None:
    source = tmp_path / "corpus.jsonl"
    lines = [*synthesize(60, seed=9), b"no json", b"", b"{}"]
    source.write_bytes(b"\n".join(lines) + b"\n")
    one, two, again = (tmp_path / name for name in ("one", "two", "again"))
    run("build-level1", "--source", source, "--no-certify", "--out", one)
    run("build-level2", "--source", source, "--no-certify", "--out", two)
    corpus = manifest_of(one)["corpus"]
    assert corpus["lines"] == 63
    assert corpus["lines"] == corpus["plans"] + corpus["rejects"] + corpus["blank"]
    assert corpus["plans"] == corpus["usable"] + corpus["unusable"]
    rejects = [json.loads(line) for line in (one / "rejects.jsonl").read_text().splitlines()]
    assert len(rejects) == corpus["rejects"] + corpus["unusable"]
    assert [reject["line"] for reject in rejects if reject["code"] != "unusable"] == [61, 63]
    assert manifest_of(one)["rows"]["asked"] == corpus["usable"]
    # Both levels split the source's plans alike.
    splits = [
        {row.query_id: split for split, rows in rows_of(out).items() for row in rows}
        for out in (one, two)
    ]
    assert all(splits[0].get(query, split) == split for query, split in splits[1].items())
    # Packed, the same lines are another file, yet the same rows.
    packed = tmp_path / "packed" / "corpus.jsonl"
    packed.parent.mkdir()
    import gzip

    packed.write_bytes(gzip.compress(source.read_bytes()))
    run("build-level1", "--source", packed, "--no-certify", "--out", again)
    data = [{k: v for k, v in tree(out).items() if k.startswith("data")} for out in (one, again)]
    assert data[0] == data[1]
    run("build-level1", "--source", source, "--no-certify", "--strict", "--out", one, code=1)


# ---------------------------------------------------------------- what is in them


def test_counts_add_up_and_agree_with_the_rows(level2: Path) -> None:
    manifest, rows = manifest_of(level2), rows_of(level2)
    counted = manifest["rows"]
    assert counted["asked"] == counted["built"] + counted["short"] == 320
    assert sum(map(len, rows.values())) == counted["total"]
    assert {name: len(own) for name, own in rows.items()} == {
        name: n for name, n in manifest["counts"]["splits"].items() if n
    }
    for index, column in enumerate(manifest["counts"]["kinds_by_round"]):
        built = Counter(
            row.error_kinds[index]
            for own in rows.values()
            for row in own
            if len(row.error_kinds) > index
        )
        for kind, counts in column.items():
            assert counts["asked"] == counts["built"] + counts["short"], kind
            assert counts["built"] == built[kind], kind
    assert sum(one["rows"] for one in manifest["shortfalls"]) == counted["short"]
    assert all(one["reason"] and one["kind"] for one in manifest["shortfalls"])
    lengths = Counter(row.rounds for own in rows.values() for row in own)
    assert lengths == {int(k): v["built"] for k, v in manifest["counts"]["rounds"].items()}


def test_files_are_as_the_manifest_says(level2: Path) -> None:
    for file in manifest_of(level2)["files"]:
        path = level2 / file["path"]
        data = path.read_bytes()
        assert len(data) == file["bytes"]
        assert hashlib.sha256(data).hexdigest() == file["sha256"]
        with pq.ParquetFile(path) as opened:
            assert opened.metadata.num_rows == file["rows"]
            assert opened.schema_arrow.equals(schema())
            assert tuple(opened.schema_arrow.names) == COLUMNS
            assert opened.metadata.row_group(0).column(0).compression == "ZSTD"
            assert opened.metadata.row_group(0).column(0).has_offset_index


def test_groups_stay_in_one_split(level2: Path) -> None:
    seen: dict[tuple[str, object], str] = {}
    for split, rows in rows_of(level2).items():
        for row in rows:
            tasks = json.loads(row.clean_plan)["tasks"]
            names = frozenset(task["name"] for task in tasks) - {"root", "response"}
            for key in (("query", row.query), ("tools", names)):
                assert seen.setdefault(key, split) == split


def test_ids_are_unique_and_seeds_differ(level2: Path, tmp_path: Path) -> None:
    run("build-level2", "--size", 40, "--plans", 15, "--no-certify", "--out", tmp_path / "out")
    rows = [row for own in rows_of(tmp_path / "out").values() for row in own]
    assert len({row.instance_id for row in rows}) == len(rows)
    assert len({row.source_id for row in rows}) < len(rows)
    others = {row.instance_id for own in rows_of(level2).values() for row in own}
    assert not others & {row.instance_id for row in rows}


def test_controls_stand_beside_the_quotas(tmp_path: Path) -> None:
    run("build-level1", "--size", 60, "--controls", 0.25, "--no-certify", "--out", tmp_path / "out")
    manifest = manifest_of(tmp_path / "out")
    rows = [row for own in rows_of(tmp_path / "out").values() for row in own]
    assert sum(not row.error_kinds for row in rows) == manifest["rows"]["controls"] == 15
    assert sum(bool(row.error_kinds) for row in rows) == manifest["rows"]["built"]


def test_more_rounds_than_plans_allow_are_reported(tmp_path: Path) -> None:
    out = tmp_path / "out"
    run("build-level2", "--rounds", 9, "--size", 200, "--plans", 40, "--no-certify", "--out", out)
    manifest = manifest_of(out)
    assert manifest["rows"]["asked"] == manifest["rows"]["built"] + manifest["rows"]["short"]
    assert manifest["rows"]["short"] > 0
    assert "layers of calls" in (out / "report.md").read_text()


def test_a_kind_that_no_plan_allows_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "one.jsonl"
    source.write_bytes(next(iter(synthesize(1, seed=0))))
    kinds = tmp_path / "kinds.json"
    # One row can't have all kinds: what is left over is no error.
    kinds.write_text('{"Serial_Error": 1}')
    out = tmp_path / "out"
    done = CliRunner().invoke(
        main,
        ["build-level1", "--source", str(source), "--distribution", str(kinds), "--out", str(out)],
    )
    assert done.exit_code in (0, 2)
    if done.exit_code == 2:
        assert "Serial_Error" in done.output
        assert not out.exists()


@pytest.mark.slow
def test_two_thousand_certified_rows_keep_to_the_distribution(tmp_path: Path) -> None:
    for command in ("build-level1", "build-level2"):
        out = tmp_path / command
        run(command, "--size", 2000, "--workers", 2, "--quiet", "--out", out)
        manifest = manifest_of(out)
        assert manifest["bugs"]["count"] == 0
        assert max(manifest["distance"]["rounds"]) <= 0.005


# ---------------------------------------------------------------- folders


def test_a_finished_build_is_left_alone(level2: Path) -> None:
    before = tree(level2)
    assert "already built" in run(*[w for w in LEVEL2 if w != "--quiet"], "--out", level2)
    assert tree(level2) == before


def test_other_arguments_on_a_folder_are_refused(level2: Path) -> None:
    before = tree(level2)
    said = run(*LEVEL2, "--controls", 0.5, "--seed", 6, "--out", level2, code=2)
    assert "--controls" in said
    assert "--seed 5 then, 6 now" in said
    assert "--split" not in said
    assert tree(level2) == before


def test_a_damaged_folder_is_refused(level2: Path, tmp_path: Path) -> None:
    import shutil

    out = tmp_path / "out"
    shutil.copytree(level2, out)
    next(out.glob("data/*/*.parquet")).unlink()
    assert "missing" in run(*LEVEL2, "--out", out, code=2)


def test_a_started_build_refuses_other_arguments_and_a_second_process(tmp_path: Path) -> None:
    from builder.refusal import Refusal
    from builder.resume.folder import claim

    out = tmp_path / "out"
    first = claim(out, {"seed": 1})
    with pytest.raises(Refusal, match="another process"):
        claim(out, {"seed": 1})
    first.release()
    with pytest.raises(Refusal, match="--seed 1 then, 2 now"):
        claim(out, {"seed": 2})
    again = claim(out, {"seed": 1})
    assert again.state == "resumed"
    again.abandon()


def test_a_refused_build_leaves_nothing(tmp_path: Path) -> None:
    source = tmp_path / "none.jsonl"
    source.write_text("no json\n")
    said = run("build-level1", "--source", source, "--out", tmp_path / "out", code=2)
    assert "1 rejected" in said
    assert not (tmp_path / "out").exists()
