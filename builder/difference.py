"""Compares two releases or builds, row by row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from builder.changes import (
    CONTROL,
    SPLIT,
    ConfigDifference,
    Difference,
    Rows,
    Side,
    changelog_lines,
    markdown,
)
from builder.checks.files import SUMS, list_files
from builder.checks.manifest import BUILD, MANIFEST, Manifest, object_at, read_manifest, text_at
from builder.refusal import Refusal
from builder.resume.files import digest
from builder.splits import NAMES
from plan.json_text import Json, dump_bytes, dumps, loads

if TYPE_CHECKING:
    from builder.pipeline import Advance, Progress

__all__ = ["Difference", "changelog_lines", "diff", "markdown"]

MOST_NAMED = 5
BATCH_ROWS = 64
_HASH = 8
_HEAD = 5
_ID = "instance_id"


@contextmanager
def silent(words: str, total: int | None, unit: str) -> Iterator[Advance]:
    """Show no progress."""
    yield lambda count: None


def diff(
    old: Path,
    new: Path,
    *,
    progress: Progress = silent,
    old_where: str | None = None,
    new_where: str | None = None,
    new_version: str | None = None,
) -> Difference:
    """Compare two folders of rows: releases, or builds.

    Rows are read once, some dozens in memory at a time; of each old row its id and eight bytes
    for each column are kept.

    Args:
        old: the folder of the earlier rows.
        new: the folder of the later ones.
        progress: opens a progress bar.
        old_where: the earlier rows' name for people; the folder's if None.
        new_where: the later ones'.
        new_version: of a new release that has no manifest yet.

    Raises:
        Refusal: one holds no rows, can't be read, or has an id twice.
        OSError: a file can't be read.
    """
    before = _open(old)
    after = _open(new, allow_bare=new_version is not None)
    names = sorted(before.files.keys() | after.files.keys())
    total = sum(_count(path) for side in (before, after) for path in side.paths())
    with progress("comparing rows", total, "row") as advance:
        configs = [_compare(config, before, after, advance) for config in names]
    return Difference(
        Side(old_where or str(old), text_at(before.manifest, "version")),
        Side(new_where or str(new), new_version or text_at(after.manifest, "version")),
        configs,
        _compare_files(before, after),
        tuple(_compare_wording(old, new)),
    )


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder of rows: by config, the Parquet files and their splits, in order."""

    path: Path
    manifest: Manifest
    is_release: bool
    files: Mapping[str, Sequence[tuple[Path, str]]]

    def paths(self) -> Iterator[Path]:
        for files in self.files.values():
            for path, _ in files:
                yield path

    def recipe(self, config: str) -> Manifest:
        """Return the arguments of the build that a config's rows came from."""
        if not self.is_release:
            arguments = object_at(self.manifest, "arguments")
            return arguments if arguments.get("level") == config else {}
        return object_at(object_at(object_at(self.manifest, "builds"), config), "arguments")


def _open(folder: Path, *, allow_bare: bool = False) -> _Folder:
    bare = allow_bare and folder.is_dir() and not (folder / MANIFEST).exists()
    manifest, kind = ({}, BUILD) if bare else read_manifest(folder)
    files: dict[str, list[tuple[Path, str]]] = {}
    for path in sorted(folder.glob("data/*/*.parquet")):
        split = path.name.partition("-")[0]
        files.setdefault(path.parent.name, []).append((path, split))
    if not files:
        raise Refusal(
            str(folder),
            "no rows",
            "a release's or a build's folder, with data/CONFIG/SPLIT-*.parquet in it",
            "check the path",
        )
    return _Folder(folder, manifest, bare or kind != BUILD, files)


def _schema(path: Path) -> pa.Schema:
    try:
        schema = pq.read_schema(path)
    except pa.ArrowException as error:
        raise _unreadable(path, error) from None
    if _ID not in schema.names:
        raise Refusal(str(path), f"no column {_ID}", "rows of a benchmark", "check the path")
    return schema


def _unreadable(path: Path, error: Exception) -> Refusal:
    return Refusal(
        str(path),
        f"it can't be read: {(str(error).splitlines() or [''])[0]}",
        "Parquet",
        "get the rows again; `pararecover verify` says what else is wrong",
    )


def _count(path: Path) -> int:
    _schema(path)
    return int(pq.read_metadata(path).num_rows)


@dataclass(slots=True)
class _Names:
    """Texts, each with a number."""

    numbers: dict[str, int] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)

    def number(self, text: str) -> int:
        found = self.numbers.setdefault(text, len(self.texts))
        if found == len(self.texts):
            self.texts.append(text)
        return found


@dataclass(slots=True)
class _Tally:
    """Rows as they are counted."""

    count: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    splits: Counter[str] = field(default_factory=Counter)
    ids: list[str] = field(default_factory=list)

    def add(self, id: str, kinds: str, split: str) -> None:
        self.count += 1
        self.kinds.update(kinds.split("\n"))
        self.splits[split] += 1
        if len(self.ids) < MOST_NAMED:
            self.ids.append(id)

    def rows(self) -> Rows:
        kinds = dict(sorted(self.kinds.items()))
        splits = {name: self.splits[name] for name in sorted(self.splits, key=_split_order)}
        return Rows(self.count, kinds, splits, tuple(self.ids))


def _split_order(name: str) -> tuple[int, str]:
    return (NAMES.index(name), name) if name in NAMES else (len(NAMES), name)


def _compare(config: str, before: _Folder, after: _Folder, advance: Advance) -> ConfigDifference:
    old_files, new_files = before.files.get(config, ()), after.files.get(config, ())
    old_types, new_types = _types(old_files), _types(new_files)
    shared = [name for name in old_types if new_types.get(name) == old_types[name]]
    splits, kinds = _Names(), _Names()
    kept: dict[str, bytes] = {}
    for path, split, record in _records(old_files):
        head = bytes([splits.number(split)]) + kinds.number(_kinds(record)).to_bytes(_HEAD - 1)
        _once(kept, record[_ID], path)
        kept[record[_ID]] = head + _hashes(record, shared)
        advance(1)
    old, new = len(kept), 0
    unchanged = 0
    added, removed, changed = _Tally(), _Tally(), _Tally()
    columns: Counter[str] = Counter()
    met: set[str] = set()
    for path, split, record in _records(new_files):
        id = record[_ID]
        _once(met, id, path)
        met.add(id)
        new += 1
        advance(1)
        known = kept.pop(id, None)
        if known is None:
            added.add(id, _kinds(record), split)
            continue
        differing = [] if splits.texts[known[0]] == split else [SPLIT]
        found = _hashes(record, shared)
        if found != known[_HEAD:]:
            differing += [
                column
                for place, column in enumerate(shared)
                if _piece(found, place) != _piece(known[_HEAD:], place)
            ]
        if differing:
            columns.update(differing)
            changed.add(id, _kinds(record), split)
        else:
            unchanged += 1
    for id, known in kept.items():
        own = kinds.texts[int.from_bytes(known[1:_HEAD])]
        removed.add(id, own, splits.texts[known[0]])
    old_splits, new_splits = _splits(old_files), _splits(new_files)
    both = bool(old and new)
    return ConfigDifference(
        config=config,
        old=old,
        new=new,
        unchanged=unchanged,
        added=added.rows(),
        removed=removed.rows(),
        changed=changed.rows(),
        columns={name: columns[name] for name in [*shared, SPLIT] if columns[name]},
        columns_added=[name for name in new_types if name not in old_types] if both else [],
        columns_removed=[name for name in old_types if name not in new_types] if both else [],
        columns_retyped=[
            (name, old_types[name], kind)
            for name, kind in new_types.items()
            if both and old_types.get(name, kind) != kind
        ],
        splits_added=[name for name in new_splits if name not in old_splits] if both else [],
        splits_removed=[name for name in old_splits if name not in new_splits] if both else [],
        recipe=tuple(_compare_recipe(before.recipe(config), after.recipe(config))) if both else (),
    )


def _types(files: Sequence[tuple[Path, str]]) -> dict[str, str]:
    """Return the columns' types, the same in all files."""
    first: dict[str, str] = {}
    for path, _ in files:
        types = {column.name: str(column.type) for column in _schema(path)}
        if first and types != first:
            raise Refusal(
                str(path),
                f"other columns than in {files[0][0]}",
                "the same columns in all files of a config",
                "get the rows again; `pararecover verify` says what else is wrong",
            )
        first = types
    return first


def _splits(files: Sequence[tuple[Path, str]]) -> list[str]:
    return sorted({split for path, split in files if _count(path)}, key=_split_order)


def _records(files: Sequence[tuple[Path, str]]) -> Iterator[tuple[Path, str, dict[str, Any]]]:
    for path, split in files:
        try:
            with pq.ParquetFile(path) as file:
                for batch in file.iter_batches(BATCH_ROWS):
                    for record in batch.to_pylist():
                        yield path, split, record
        except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
            if isinstance(error, OSError) and error.errno:
                raise  # The system's own, such as no permission.
            raise _unreadable(path, error) from None


def _once(known: Container[str], id: str, path: Path) -> None:
    if id in known:
        raise Refusal(
            str(path),
            f"the id {id} stands twice in its config",
            "each id once",
            "get the rows again; `pararecover verify` says what else is wrong",
        )


def _kinds(record: Mapping[str, Any]) -> str:
    kinds = record.get("error_kinds")
    return "\n".join(sorted(set(kinds))) if isinstance(kinds, list) and kinds else CONTROL


def _hashes(record: Mapping[str, Any], columns: Sequence[str]) -> bytes:
    return b"".join(_hash(record[column]) for column in columns)


def _hash(value: Json) -> bytes:
    text = value.encode() if isinstance(value, str) else dump_bytes(value)
    return blake2b(text, digest_size=_HASH).digest()


def _piece(hashes: bytes, place: int) -> bytes:
    return hashes[place * _HASH : (place + 1) * _HASH]


# The code's hash changes with every commit, and says nothing that versions don't.
_NO_RECIPE = frozenset({"code", "versions", "level"})


def _compare_recipe(old: Manifest, new: Manifest) -> Iterator[tuple[str, str, str]]:
    if not old or not new:
        return
    for name in sorted((old.keys() | new.keys()) - _NO_RECIPE):
        if old.get(name) != new.get(name):
            yield name, dumps(old.get(name)), dumps(new.get(name))
    versions = object_at(old, "versions"), object_at(new, "versions")
    for name in sorted(versions[0].keys() | versions[1].keys()):
        if versions[0].get(name) != versions[1].get(name):
            yield name, dumps(versions[0].get(name)), dumps(versions[1].get(name))


def _compare_files(before: _Folder, after: _Folder) -> dict[str, dict[str, int]]:
    """Count the files that differ, the rows and the lists of files left out."""
    if not (before.is_release and after.is_release):
        return {}
    old, new = _others(before.path), _others(after.path)
    complete = bool(after.manifest)
    found: dict[str, dict[str, int]] = {}
    for name in sorted(old | new):
        area = "".join(name.partition("/")[:2])
        if name not in new:
            # A release in the making has yet to get its card.
            if not complete and not (after.path / area).exists():
                continue
            word = "removed"
        elif name not in old:
            word = "added"
        elif digest(before.path / name) != digest(after.path / name):
            word = "changed"
        else:
            continue
        counts = found.setdefault(area, {"added": 0, "removed": 0, "changed": 0})
        counts[word] += 1
    return found


def _others(folder: Path) -> set[str]:
    return {
        name
        for name in list_files(folder)
        if name not in (MANIFEST, SUMS) and not name.startswith("data/")
    }


def _compare_wording(old: Path, new: Path) -> Iterator[tuple[str, str, str]]:
    before, after = _described(old), _described(new)
    for name in sorted(before.keys() & after.keys()):
        if before[name] != after[name]:
            yield name, before[name], after[name]


def _described(folder: Path) -> dict[str, str]:
    """Return what a release's Croissant file says of each column, and of errors' fields."""
    found: dict[str, str] = {}
    try:
        value = loads((folder / "croissant.json").read_bytes())
        for one in value["recordSet"]:
            for field in one["field"]:
                inner = [
                    (f"{field['name']}/{sub['name']}", sub) for sub in field.get("subField", ())
                ]
                for name, told in [(field["name"], field), *inner]:
                    if "description" in told and name != "split":
                        found.setdefault(name, told["description"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}
    return found
