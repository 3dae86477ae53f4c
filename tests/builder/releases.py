"""Releases for tests: assembled from small builds, spoilt, and given right hashes again."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from builder.checks.files import list_files
from builder.commands import main
from builder.parquet import read_rows, tabulate, write_parquet
from builder.resume.files import digest
from hub_card.manifest import spell, spell_sums
from plan.json_text import dump_bytes, dumps
from plan.row import COLUMNS, ErrorLabel, Row

NUMBERS = ("round_gt", "recovery_round_gt", "funcall_times_gt", "t", "rounds", "seed")


def run(*words: object) -> str:
    """Run a command that must succeed; return its output."""
    done = CliRunner().invoke(main, [str(word) for word in words])
    assert done.exit_code == 0, done.output + repr(done.exception)
    return done.output


def assemble(folder: Path, *, seed: int = 0) -> Path:
    """Build both levels, small, and return the folder of their release."""
    builds = []
    for level, size in (("level1", 24), ("level2", 10)):
        builds.append(folder / f"{level}-seed{seed}")
        run(f"build-{level}", "--size", size, "--plans", 60, "--seed", seed, "--controls", 0.1,
            "--workers", 1, "--out", builds[-1])  # fmt: skip
    out = folder / f"release-seed{seed}"
    run("release", *builds, "--name", "rows", "--version", "1.0.0", "--out", out, "--workers", 1)
    return out


def copy(release: Path, folder: Path) -> Path:
    """Return a copy that may be spoilt."""
    return Path(shutil.copytree(release, folder / "release"))


def change_manifest(release: Path, change: Callable[[Any], None]) -> None:
    """Change the manifest's content, and give it its right hash."""
    path = release / "manifest.json"
    content = json.loads(path.read_bytes())
    change(content)
    del content["format"]
    path.write_bytes(spell(content))
    _write_sums(release)


def hash_again(release: Path) -> None:
    """Write every hash anew: in the Croissant file, the manifest and the sums."""
    path = release / "croissant.json"
    if path.exists():
        described = json.loads(path.read_bytes())
        for one in described["distribution"]:
            if (release / one.get("contentUrl", "none")).is_file():
                one["sha256"] = digest(release / one["contentUrl"])[0]
        path.write_text(json.dumps(described, indent=1))

    def list_again(content: Any) -> None:
        content["files"] = [
            {"path": name, "bytes": digest(release / name)[1], "sha256": digest(release / name)[0]}
            for name in list_files(release)
            if name not in ("manifest.json", "SHA256SUMS")
        ]

    change_manifest(release, list_again)


def _write_sums(release: Path) -> None:
    names = [name for name in list_files(release) if name != "SHA256SUMS"]
    sums = {name: digest(release / name)[0] for name in names}
    (release / "SHA256SUMS").write_bytes(spell_sums(sums))


def parquet(release: Path, config: str, split: str) -> Path:
    """Return a split's one Parquet file."""
    return release / "data" / config / f"{split}-00000-of-00001.parquet"


def change_rows(
    release: Path,
    config: str,
    split: str,
    change: Callable[[list[Row]], list[Row]],
    *,
    formats: Sequence[str] = ("parquet", "lines"),
) -> None:
    """Change a split's rows in one or both formats, and write all hashes anew."""
    path = parquet(release, config, split)
    rows = change(list(read_rows(path)))
    if "parquet" in formats:
        write_parquet(path, [tabulate(rows)])
    if "lines" in formats:
        lines = b"".join(dump_bytes(row.to_record()) + b"\n" for row in rows)
        (path.parent / f"{split}.jsonl.gz").write_bytes(gzip.compress(lines, mtime=0))
    hash_again(release)


def blank(name: str, **columns: Any) -> Row:
    """Return a row that is nothing but a name, and the columns given."""
    empty: dict[str, Any] = {column: 0 if column in NUMBERS else "" for column in COLUMNS}
    return replace(Row(**{**empty, "error_kinds": [], "errors": []}), instance_id=name, **columns)


def injected(kind: str, node: str = "1") -> ErrorLabel:
    """Return a label."""
    return ErrorLabel(1, kind, "Tool-related", node, "/name", "null", "null", "silent",
                      "injected", -1, [])  # fmt: skip


def lay_out(
    folder: Path,
    configs: Mapping[str, Mapping[str, Sequence[Row]]],
    version: str | None = None,
    files: Mapping[str, str] | None = None,
) -> Path:
    """Write rows, and a manifest that tells just enough to compare them."""
    for config, splits in configs.items():
        for split, rows in splits.items():
            path = folder / "data" / config / f"{split}-00000-of-00001.parquet"
            path.parent.mkdir(parents=True, exist_ok=True)
            write_parquet(path, [tabulate(list(rows))])
    for name, text in (files or {}).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    kind = {"kind": "release", "version": version} if version else {}
    (folder / "manifest.json").write_text(dumps({"format": 1, **kind}))
    return folder
