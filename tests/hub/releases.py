"""Small releases made by hand, for tests of the way to the Hub alone."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from hub_card.manifest import spell_release, spell_sums

CONFIGS: Mapping[str, Mapping[str, int]] = {
    "level1": {"train": 6, "validation": 2, "test": 3},
    "preview": {"train": 2},
}


def write_release(
    folder: Path,
    version: str = "1.0.0",
    *,
    words: str = "row",
    configs: Mapping[str, Mapping[str, int]] = CONFIGS,
    files: Mapping[str, bytes] | None = None,
) -> Path:
    """Write a folder as `pararecover release` lays it out; ``words`` stand in every row."""
    folder.mkdir(parents=True)
    contents = {
        "LICENSE": b"Apache-2.0\n",
        "figures/kinds.png": b"\x89PNG\0picture",
        **(files or {}),
    }
    contents["CHANGELOG.md"] = f"# {version}\n\nRows of {words}.\n".encode()
    contents["README.md"] = _card(configs)
    for config, splits in configs.items():
        for split, count in splits.items():
            place = folder / f"data/{config}/{split}-00000-of-00001.parquet"
            place.parent.mkdir(parents=True, exist_ok=True)
            pq.write_table(_table(f"{config}-{split}-{words}", count), place)
    for path, data in contents.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return finish(folder, version, configs)


def finish(folder: Path, version: str, configs: Mapping[str, Mapping[str, int]] = CONFIGS) -> Path:
    """Write manifest and sums of what stands in the folder."""
    for name in ("manifest.json", "SHA256SUMS"):
        (folder / name).unlink(missing_ok=True)
    found = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    hashes = {path: sha256(data).hexdigest() for path, data in found.items()}
    manifest = spell_release(
        {
            "name": "rows",
            "version": version,
            "builds": {},
            "files": [
                {"path": path, "bytes": len(found[path]), "sha256": hashes[path]}
                for path in sorted(found)
            ],
            "rows": {config: dict(splits) for config, splits in configs.items()},
            "changelog": [],
            "previous": None,
            "versions": {"pararecover": "0"},
        }
    )
    (folder / "manifest.json").write_bytes(manifest)
    hashes["manifest.json"] = sha256(manifest).hexdigest()
    (folder / "SHA256SUMS").write_bytes(spell_sums(hashes))
    return folder


def _table(words: str, count: int) -> pa.Table:
    return pa.table(
        {
            "instance_id": pa.array([f"{words}-{number}" for number in range(count)]),
            "error_kinds": pa.array([[words]] * count, type=pa.list_(pa.string())),
            "errors": pa.array(
                [[{"kind": words, "round": 1}]] * count,
                type=pa.list_(pa.struct([("kind", pa.string()), ("round", pa.int64())])),
            ),
            "t": pa.array(range(count), type=pa.int64()),
        }
    )


def _card(configs: Mapping[str, Mapping[str, int]]) -> bytes:
    lines = ["---", "license: cc-by-4.0", "configs:"]
    for place, (config, splits) in enumerate(configs.items()):
        lines += [f"- config_name: {config}", *(["  default: true"] if not place else [])]
        lines.append("  data_files:")
        for split in splits:
            lines += [f"  - split: {split}", f"    path: data/{config}/{split}-*.parquet"]
    return "\n".join([*lines, "---", "", "# Rows", ""]).encode()
