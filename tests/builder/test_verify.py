"""Verifying a release: whatever is spoilt is caught, and the message names the place."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from builder.checks import scoring_copy
from builder.checks.certificates import certify_release
from builder.checks.files import check_files, list_files, measure
from builder.checks.manifest import check_manifest, read_manifest
from builder.checks.metadata import check_croissant, read_through
from builder.checks.outcome import FAILED, MOST_KEPT, OK, SKIPPED, Check, Findings, Report
from builder.checks.rows import MOST_ROW_BYTES, check_rows
from builder.checks.scoring_copy import check_scoring
from builder.commands import main
from builder.refusal import Refusal
from builder.verify import silent, verify
from plan.json_text import dumps
from plan.row import Row
from tests.builder.releases import (
    assemble,
    change_manifest,
    change_rows,
    copy,
    hash_again,
    parquet,
)
from tests.hub.server import LoopbackHub

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return assemble(tmp_path_factory.mktemp("releases"))


@pytest.fixture
def spoilt(release: Path, tmp_path: Path) -> Path:
    return copy(release, tmp_path)


def run(folder: Path) -> Report:
    return verify(folder, workers=1)


def check(folder: Path, name: str) -> Check:
    """Make one of a release's checks."""
    manifest, _ = read_manifest(folder)
    names = list_files(folder)
    files = measure(folder, names, silent)
    if name == "rows":
        return check_rows(folder, names, silent)[0]
    if name == "certificates":
        return certify_release(folder, manifest, files, 0, 1, silent)
    if name == "scoring":
        return check_scoring(folder, manifest, files)
    if name == "croissant":
        return check_croissant(folder, files)
    against_sums, sums = check_files(folder, files)
    if name == "files":
        return against_sums
    assert name == "manifest"
    _, counts = check_rows(folder, names, silent)
    return check_manifest(folder, manifest, files, sums, counts, None)


def said(one: Check) -> str:
    """Return where problems stand, and what was found there."""
    assert one.verdict == (FAILED if one.count else OK)
    return "\n".join(f"{problem.where}: {problem.found}" for problem in one.problems)


def test_a_release_as_it_was_assembled(release: Path) -> None:
    report = run(release)
    assert report.ok, report.to_text()
    assert (report.kind, report.name, report.version) == ("release", "rows", "1.0.0")
    names = ("files", "manifest", "rows", "certificates", "card", "croissant", "scoring")
    assert [(one.name, one.verdict) for one in report.checks] == [(name, OK) for name in names]
    seen = {one.name: one.seen for one in report.checks}
    assert "rows certified" in seen["certificates"]
    assert not seen["certificates"].startswith("0 ")
    assert "mlcroissant read 0" not in seen["croissant"]
    assert "alone it scored 5 gold plans" in seen["scoring"]
    assert "All is well." in report.to_text()
    assert json.loads(dumps(report.to_json()))["ok"] is True


def test_what_the_hub_adds_is_no_extra_file(spoilt: Path) -> None:
    (spoilt / ".gitattributes").write_text("*.parquet filter=lfs\n")
    (spoilt / ".cache" / "huggingface").mkdir(parents=True)
    (spoilt / ".cache" / "huggingface" / "x.lock").touch()
    files = measure(spoilt, list_files(spoilt), silent)
    assert check_files(spoilt, files)[0].verdict == OK


def test_each_flipped_byte_is_caught_by_name(release: Path, tmp_path: Path) -> None:
    spoilt = copy(release, tmp_path)
    names = list_files(spoilt)
    whole = measure(spoilt, names, silent)
    for name in names:
        data = (spoilt / name).read_bytes()
        for place in sorted({0, len(data) // 3, len(data) // 2, len(data) - 1} - {-1}):
            if place >= len(data):
                continue
            other = bytearray(data)
            other[place] ^= 1
            (spoilt / name).write_bytes(other)
            files = {**whole, **measure(spoilt, [name], silent)}
            found, _ = check_files(spoilt, files)
            # A byte of the sums themselves spoils a hash, or the name of a file.
            assert found.verdict == FAILED, (name, place)
            assert name in "".join(map(str, found.problems)), (name, place)
        (spoilt / name).write_bytes(data)


def test_each_missing_file_is_named(release: Path, tmp_path: Path) -> None:
    spoilt = copy(release, tmp_path)
    whole = measure(spoilt, list_files(spoilt), silent)
    for name in whole:
        if name == "SHA256SUMS":
            continue
        rest = {key: one for key, one in whole.items() if key != name}
        (problem,) = check_files(spoilt, rest)[0].problems
        assert (problem.where, problem.found) == (name, "there is no such file")


@pytest.mark.parametrize("name", ["more.txt", "data/level1/notes.txt", "scoring/more.py"])
def test_a_file_too_many_is_named(name: str, spoilt: Path) -> None:
    (spoilt / name).write_text("x = 1\n")
    assert f"{name}: SHA256SUMS doesn't list it" in said(check(spoilt, "files"))


@pytest.mark.parametrize(
    ("name", "checks"),
    [
        ("data/level1/train-00000-of-00001.parquet", {"files", "rows", "certificates"}),
        ("data/level2/train.jsonl.gz", {"files", "rows"}),
        ("scoring/rubric.py", {"files", "scoring"}),
        ("croissant.json", {"files", "croissant"}),
        ("README.md", {"files"}),
    ],
)
def test_damaged_files_never_end_in_a_traceback(name: str, checks: set[str], spoilt: Path) -> None:
    data = bytearray((spoilt / name).read_bytes())
    data[len(data) // 2 : len(data) // 2 + 40] = bytes(40)
    (spoilt / name).write_bytes(data)
    report = run(spoilt)
    failed = {one.name for one in report.checks if one.verdict == FAILED}
    assert checks <= failed, report.to_text()
    assert name in "".join(problem.where for problem in report.problems)


@pytest.mark.parametrize("name", ["SHA256SUMS", "croissant.json", "CITATION.cff", "README.md"])
def test_a_release_that_lacks_a_part(name: str, spoilt: Path) -> None:
    (spoilt / name).unlink()
    report = run(spoilt)
    assert not report.ok
    assert name in [problem.where for problem in report.problems]


# With right hashes, so that only the rows themselves can tell.


def swap_labels(rows: list[Row]) -> list[Row]:
    columns = ("error_kinds", "errors")
    a, b = next(
        (a, b)
        for a in range(len(rows))
        for b in range(a + 1, len(rows))
        if rows[a].error_kinds and rows[b].error_kinds and rows[a].errors != rows[b].errors
    )
    swapped = list(rows)
    for one, other in ((a, b), (b, a)):
        swapped[one] = replace(rows[one], **{name: getattr(rows[other], name) for name in columns})
    return swapped


@pytest.mark.parametrize("config", ["level1", "level2"])
def test_swapped_labels_are_caught_by_their_rows(config: str, spoilt: Path) -> None:
    before: list[Row] = []

    def change(rows: list[Row]) -> list[Row]:
        before.extend(rows)
        return swap_labels(rows)

    change_rows(spoilt, config, "train", change)
    changed = [
        old.instance_id for old, new in zip(before, swap_labels(before), strict=True) if old != new
    ]
    told = said(check(spoilt, "certificates"))
    assert len(changed) == 2
    assert all(f"data/{config}/train-00000-of-00001.parquet: {id}" in told for id in changed)


@pytest.mark.parametrize(
    "column", ["clean_plan", "recovery_round_gt", "faults", "plan", "t", "query"]
)
def test_a_changed_value_is_caught_by_its_row(column: str, spoilt: Path) -> None:
    chosen: list[Row] = []

    def change(rows: list[Row]) -> list[Row]:
        chosen.append(rows[0])
        value = getattr(rows[0], column)
        other = value + 1 if isinstance(value, int) else value.replace("2", "3", 1) + " "
        return [replace(rows[0], **{column: other}), *rows[1:]]

    change_rows(spoilt, "level1", "test", change)
    assert chosen[0].instance_id in said(check(spoilt, "certificates"))
    assert check(spoilt, "rows").verdict == OK


def test_a_changed_label_is_caught_by_its_row(spoilt: Path) -> None:
    chosen: list[str] = []

    def change(rows: list[Row]) -> list[Row]:
        place = next(place for place, row in enumerate(rows) if row.errors)
        row = rows[place]
        chosen.append(row.instance_id)
        errors = [replace(row.errors[0], pointer="/para/nothing"), *row.errors[1:]]
        return [*rows[:place], replace(row, errors=errors), *rows[place + 1 :]]

    change_rows(spoilt, "level2", "validation", change)
    assert chosen[0] in said(check(spoilt, "certificates"))
    assert check(spoilt, "rows").verdict == OK


@pytest.mark.parametrize("format", ["parquet", "lines"])
def test_formats_that_differ_are_caught_by_line(format: str, spoilt: Path) -> None:
    def change(rows: list[Row]) -> list[Row]:
        return [rows[0], replace(rows[1], source_id="another"), *rows[2:]]

    change_rows(spoilt, "level1", "validation", change, formats=[format])
    (problem,) = check(spoilt, "rows").problems
    assert problem.where == "data/level1/validation.jsonl.gz, line 2"
    assert problem.found.endswith("another source_id")


@pytest.mark.parametrize("format", ["parquet", "lines"])
def test_a_row_in_one_format_only(format: str, spoilt: Path) -> None:
    change_rows(spoilt, "level1", "validation", lambda rows: rows[:-1], formats=[format])
    assert "it has no counterpart in data/level1/validation" in said(check(spoilt, "rows"))


def test_a_line_that_is_no_json(spoilt: Path) -> None:
    path = spoilt / "data/level1/test.jsonl.gz"
    lines = gzip.decompress(path.read_bytes()).split(b"\n")
    path.write_bytes(gzip.compress(b"\n".join([lines[0][:-1], *lines[1:]])))
    (problem,) = check(spoilt, "rows").problems
    assert problem.where == "data/level1/test.jsonl.gz, line 1"
    assert problem.found.startswith("no JSON")


def test_a_row_twice_is_named_with_both_places(spoilt: Path) -> None:
    change_rows(spoilt, "level1", "validation", lambda rows: [*rows, rows[0]])
    found, counts = check_rows(spoilt, list_files(spoilt), silent)
    (problem,) = found.problems
    file = "data/level1/validation-00000-of-00001.parquet"
    assert problem.where.startswith(f"{file}, row {counts['level1', 'validation']}: level1-")
    assert problem.found == f"it stands in {file}, row 1 already"


def test_a_query_in_two_splits_is_named_with_both_places(spoilt: Path) -> None:
    taken: list[Row] = []

    def take(rows: list[Row]) -> list[Row]:
        taken.append(rows[0])
        return rows

    change_rows(spoilt, "level1", "train", take)
    twin = replace(taken[0], instance_id="level1-0123456789abcdef")
    change_rows(spoilt, "level1", "test", lambda rows: [*rows, twin])
    (problem,) = check(spoilt, "rows").problems
    assert "level1-0123456789abcdef" in problem.where
    assert "stands in train too: data/level1/train-00000-of-00001.parquet" in problem.found


def test_a_preview_that_shows_other_rows(spoilt: Path) -> None:
    def change(rows: list[Row]) -> list[Row]:
        return [replace(rows[0], query="another"), *rows[1:]]

    change_rows(spoilt, "preview", "train", change, formats=["parquet"])
    (problem,) = check(spoilt, "rows").problems
    assert problem.where.startswith("data/preview/train-00000-of-00001.parquet, row 1: level")
    assert problem.found == "no train split has this row"


def test_a_row_that_is_too_large_is_named(spoilt: Path) -> None:
    def change(rows: list[Row]) -> list[Row]:
        return [replace(rows[0], downstream="x" * MOST_ROW_BYTES), *rows[1:]]

    change_rows(spoilt, "level1", "test", change)
    (problem,) = check(spoilt, "rows").problems
    assert "test-00000-of-00001.parquet, row 1: level1-" in problem.where
    assert f"{MOST_ROW_BYTES:,} at most" in problem.expected


def test_parts_of_a_series_that_are_missing(spoilt: Path) -> None:
    parquet(spoilt, "level1", "train").rename(spoilt / "data/level1/train-00001-of-00002.parquet")
    problem = check(spoilt, "rows").problems[0]
    assert problem.where == "data/level1/train-*.parquet"
    assert problem.found == "train-00001-of-00002.parquet"


def test_files_of_other_names_under_data(spoilt: Path) -> None:
    for name in ("data/level3/train-00000-of-00001.parquet", "data/level1/dev.jsonl.gz"):
        (spoilt / name).parent.mkdir(exist_ok=True)
        (spoilt / name).touch()
    assert [problem.where for problem in check(spoilt, "rows").problems] == [
        "data/level1/dev.jsonl.gz",
        "data/level3/train-00000-of-00001.parquet",
    ]


def change_at(*path: str, to: Any) -> Callable[[Any], None]:
    def change(content: Any) -> None:
        for word in path[:-1]:
            content = content[word]
        content[path[-1]] = to

    return change


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (change_at("rows", "level1", "test", to=99), "/rows/level1/test: 99 rows"),
        (change_at("rows", "level3", to={"train": 1}), "/rows/level3/train: 1 rows"),
        (change_at("name", to=None), "/name: None"),
        (change_at("version", to="1.0"), "/version: '1.0'"),
        (change_at("versions", to={}), "/versions: {}"),
        (change_at("previous", to="0.9.0"), "/previous: '0.9.0'"),
        (
            change_at("previous", to={"version": "1.0.0", "manifest_sha256": "0" * 64}),
            "/version: 1.0.0",
        ),
        (change_at("builds", "level1", "arguments", "level", to="level2"), "/builds/level1/arg"),
        (lambda content: content["files"].pop(3), "isn't listed"),
        (lambda content: content["files"].append(content["files"][0]), "CHANGELOG.md after"),
        (lambda content: content["files"][2].update(bytes=1), "/files/2"),
        (lambda content: content["files"][2].update(sha256="0" * 64), "/files/2"),
        (lambda content: content["files"].append({"path": "zzz"}), "zzz: there is no such"),
        (lambda content: content["files"].append(7), "7"),
        (change_at("files", to=None), "/files: None"),
    ],
)
def test_a_manifest_that_is_wrong(change: Callable[[Any], None], where: str, spoilt: Path) -> None:
    change_manifest(spoilt, change)
    assert where in said(check(spoilt, "manifest"))


def test_counts_of_a_build_that_the_rows_do_not_have(spoilt: Path) -> None:
    change_manifest(
        spoilt, change_at("builds", "level2", "counts", "kinds", "Type_Error", "built", to=77)
    )
    assert "manifest.json: /builds/level2/counts/kinds/Type_Error: the rows say" in said(
        check(spoilt, "certificates")
    )


def test_a_version_that_files_tell_otherwise(spoilt: Path) -> None:
    spelled = {
        "CITATION.cff": "\nversion: 1.0.0",
        "CHANGELOG.md": "\n## 1.0.0",
        "croissant.json": '"version": "1.0.0"',
    }
    for name, text in spelled.items():
        content = (spoilt / name).read_text()
        assert content.count(text) == 1
        (spoilt / name).write_text(content.replace(text, text.replace("1.0.0", "1.0.7")))
    hash_again(spoilt)
    found = said(check(spoilt, "manifest"))
    assert found == "\n".join(f"{name}: version 1.0.7" for name in sorted(spelled))


def test_a_tag_that_is_not_the_version(release: Path) -> None:
    report = verify(release, workers=1, where="me/rows@v1.1.0", tag="v1.1.0")
    (problem,) = report.problems
    assert (problem.where, problem.found) == ("manifest.json: /version", "1.0.0")
    assert problem.expected == "what the tag v1.1.0 says"
    assert report.to_text().startswith("me/rows@v1.1.0: rows 1.0.0\n")


def test_a_wrong_hash_in_the_croissant_file(spoilt: Path) -> None:
    path = spoilt / "croissant.json"
    described = json.loads(path.read_text())
    one = next(
        one
        for one in described["distribution"]
        if one.get("contentUrl", "").endswith("level1/test.jsonl.gz")
    )
    right = one["sha256"]
    one["sha256"] = "0" * 64
    path.write_text(json.dumps(described))
    found = said(check(spoilt, "croissant"))
    assert f"data/level1/test.jsonl.gz: sha256 {'0' * 64}" in found
    # mlcroissant refuses it by itself, too.
    assert "mlcroissant" in found
    assert right in found


def test_rows_that_mlcroissant_cannot_read(spoilt: Path) -> None:
    path = spoilt / "croissant.json"
    path.write_text(path.read_text().replace('"column": "query"', '"column": "question"'))
    findings = Findings()
    read_through(spoilt, {}, findings)
    assert "mlcroissant" in findings.problems[0].found
    assert "question" in findings.problems[0].found


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("scoring/rubric.py", "import numpy\n", "line 1"),
        ("scoring/rubric.py", "if True:\n    from plan.row import Row\n", "line 2"),
        ("scoring/rubric.py", "def broken(:\n", "no Python"),
        ("scoring/prompts/judge.md", "Say yes.\n", "its SHA-256 is"),
        ("scoring/more.py", "x = 1\n", "it is no part of the scoring code"),
    ],
)
def test_scoring_code_that_is_not_this_toolkits(
    name: str, text: str, found: str, spoilt: Path
) -> None:
    (spoilt / name).write_text(text)
    hash_again(spoilt)
    told = said(check(spoilt, "scoring"))
    assert name in told
    assert found in told


def test_foreign_code_is_never_run(spoilt: Path, tmp_path: Path) -> None:
    trace = tmp_path / "was run"
    (spoilt / "scoring/__init__.py").write_text(f"open({str(trace)!r}, 'w')\n")
    hash_again(spoilt)
    for made_by in (None, "99.0.0"):
        if made_by:
            change_manifest(spoilt, change_at("versions", "pararecover", to=made_by))
        found = check(spoilt, "scoring")
        assert found.verdict == (OK if made_by else FAILED)
        assert not trace.exists()
    assert "neither compared nor run" in found.notes[0]


def test_scoring_code_that_fails_alone(spoilt: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (spoilt / "scoring/rubric.py").write_text("raise RuntimeError('broken')\n")
    hash_again(spoilt)
    files = measure(spoilt, list_files(spoilt), silent)
    here = {name: sha256 for name, (sha256, _) in files.items() if name.startswith("scoring/")}
    monkeypatch.setattr(scoring_copy, "own_files", lambda: here)
    assert "scoring/: alone it ends with 1: RuntimeError: broken" in said(check(spoilt, "scoring"))


def test_of_many_problems_some_are_shown_and_all_are_counted(spoilt: Path) -> None:
    for number in range(30):
        (spoilt / f"more{number}.txt").touch()
    text = run(spoilt).to_text()
    assert "files: 30 problems" in text
    assert "… and 10 more" in text
    findings = Findings()
    for _ in range(MOST_KEPT + 5):
        findings.add("a", "b", "c", "d")
    assert (findings.count, len(findings.problems)) == (MOST_KEPT + 5, MOST_KEPT)


def test_a_build_is_certified(release: Path, tmp_path: Path) -> None:
    build = Path(shutil.copytree(release.parent / "level1-seed0", tmp_path / "build"))
    report = run(build)
    assert report.ok
    assert report.kind == "build"
    assert [one.verdict for one in report.checks] == [OK, SKIPPED, SKIPPED, SKIPPED]
    path = parquet(build, "level1", "test")
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    assert "data/level1/test-00000-of-00001.parquet" in said(run(build).checks[0])


@pytest.mark.parametrize(
    ("content", "found"),
    [(None, "no manifest.json"), (b"{", "no JSON"), (b"[]", "no object")],
)
def test_what_is_no_release(content: bytes | None, found: str, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "manifest.json").write_bytes(content)
    with pytest.raises(Refusal, match=found):
        run(tmp_path)


def test_the_command(release: Path, tmp_path: Path) -> None:
    def command(*words: object) -> tuple[int, str]:
        done = CliRunner().invoke(
            main, ["verify", "--workers", "1", *(str(word) for word in words)]
        )
        return done.exit_code, done.output

    code, text = command(release)
    assert (code, "All is well." in text) == (0, True)
    build = Path(shutil.copytree(release.parent / "level2-seed0", tmp_path / "build"))
    assert command(build, "--quiet") == (0, "")
    path = parquet(build, "level2", "train")
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    name = path.relative_to(build).as_posix()
    code, text = command(build)
    assert (code, f"  {name}: " in text) == (1, True)
    code, text = command(build, "--json")
    problems = json.loads(text)["checks"]["certificates"]["problems"]
    assert (code, problems[0]["where"]) == (1, name)
    assert command(build, "--quiet") == (1, "")
    code, text = command(tmp_path / "nowhere")
    assert (code, "there is no such folder" in text) == (2, True)
    code, text = command("ada/rows")
    assert (code, "ada/rows@v1.0.0" in text) == (2, True)


@pytest.mark.skipif(not find_spec("huggingface_hub"), reason="the extra hub is not installed")
def test_releases_on_the_hub(release: Path, tmp_path: Path) -> None:
    with LoopbackHub() as hub:

        def command(*words: str, code: int) -> str:
            done = subprocess.run(
                [sys.executable, "-c", "from builder.commands import main; main()", *words],
                env={**os.environ, **hub.environment(tmp_path / "home"), "PYTHONPATH": str(ROOT)},
                cwd=tmp_path,
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == code, done.stdout + done.stderr
            return done.stdout + done.stderr

        (account, *_) = hub.store.accounts.values()
        repository = hub.store.create(account, "me/rows", is_private=False)
        files = {name: (release / name).read_bytes() for name in list_files(release)}
        repository.tags["v1.0.0"] = repository.change("Release v1.0.0", files).oid
        assert "All is well." in command("verify", "me/rows@v1.0.0", "--workers", "1", code=0)
        text = command("diff", "me/rows@v1.0.0", str(release), code=0)
        assert "old  1.0.0 (me/rows@v1.0.0)" in text
        assert "Nothing differs." in text
        assert "v3.0.0" in command("verify", "me/rows@v3.0.0", code=2)
        assert "me/other" in command("diff", "me/other@v1.0.0", str(release), code=2)
