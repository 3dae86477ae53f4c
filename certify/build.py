"""Certifies a folder of rows: every row, every file, and what the manifest says of them."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from hashlib import blake2b, file_digest
from multiprocessing import get_context
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from certify.report import Found, Report
from certify.row import examine
from plan.json_text import Json, escape, loads
from plan.problem import Problem
from plan.row import COLUMNS, ERROR_FIELDS, INJECTED, Row

MANIFEST = "manifest.json"
RELEASE = "release"
SPLITS = ("train", "validation", "test")
AHEAD = 3

Progress = Callable[[int, int], None]
"""Takes the number of rows done and of all rows."""


class NoBuild(ValueError):
    """A folder holds no rows that could be certified.

    Attributes:
        where: the path.
        found: what is there.
        expected: what should be there.
    """

    def __init__(self, where: str, found: str, expected: str) -> None:
        super().__init__(f"{where}: found {found}, expected {expected}")
        self.where = where
        self.found = found
        self.expected = expected


@dataclass(frozen=True, slots=True)
class Part:
    """One row group of one file."""

    folder: str
    file: str
    level: str
    split: str
    group: int
    rows: int


@dataclass(frozen=True, slots=True)
class Sight:
    """What is kept of a row for the questions that need all rows.

    ``query``, ``tools`` and ``id`` are 8-byte hashes.
    """

    query: bytes
    tools: bytes
    id: bytes
    query_id: bytes
    source: bytes


@dataclass(slots=True)
class Outcome:
    """What a worker found in one part."""

    part: Part
    report: Report
    sights: list[Sight] = field(default_factory=list)
    counts: Counter[tuple[str, ...]] = field(default_factory=Counter)


def certify_folder(path: Path, *, workers: int = 1, progress: Progress | None = None) -> Report:
    """Certify every row of ``data/<level>/<split>-*.parquet``, and the manifest.

    One row group for each worker is in memory at a time, and five short hashes a row.

    Args:
        path: the folder that a build wrote.
        workers: number of processes.
        progress: called after each row group with (rows done, rows in all).

    Raises:
        NoBuild: the folder isn't there, or holds no manifest or no rows.
    """
    path = Path(path)
    if not path.is_dir():
        raise NoBuild(str(path), "no such folder", f"a folder with {MANIFEST} and data/")
    manifest = _manifest(path)
    report = Report()
    files = sorted(file for file in (path / "data").glob("*/*.parquet"))
    if not files:
        raise NoBuild(str(path / "data"), "no rows", "data/<level>/<split>-*.parquet")
    listed = _listed(manifest.get("files"))
    _check_files(path, listed, files, report)
    parts = [part for file in files for part in _parts(path, file, listed, report)]
    total, done = sum(part.rows for part in parts), 0
    whole = _Whole()
    for outcome in _run(parts, workers):
        report.take(outcome.report)
        whole.take(outcome, report)
        done += outcome.part.rows
        if progress is not None:
            progress(done, total)
    _check_counts(manifest, report, whole)
    return report


def _manifest(path: Path) -> Mapping[str, Json]:
    file = path / MANIFEST
    try:
        value = loads(file.read_bytes())
    except OSError:
        raise NoBuild(str(file), "no such file", "the manifest that a build writes") from None
    except ValueError:
        raise NoBuild(str(file), "no JSON", "the manifest that a build writes") from None
    if not isinstance(value, dict):
        raise NoBuild(str(file), "no object", "the manifest that a build writes")
    if value.get("kind") == RELEASE:
        raise NoBuild(str(file), "a release's manifest", "the manifest that a build writes")
    return value


def _check_files(
    path: Path,
    listed: Mapping[str, Mapping[str, Json]],
    files: Sequence[Path],
    report: Report,
) -> None:
    """Compare each file's hash with the manifest's, and the lists of files."""
    if not listed:
        report.add(Found(MANIFEST, "", Problem("manifest", "/files", "it lists no files")))
    for name, about in sorted(listed.items()):
        file = path / name
        if not file.is_file():
            report.add(Found(name, "", Problem("file_missing", "", "the manifest lists it")))
            continue
        with file.open("rb") as stream:
            found = file_digest(stream, "sha256").hexdigest()
        if found != about.get("sha256"):
            message = f"sha256 {found}, the manifest says {about.get('sha256')}"
            report.add(Found(name, "", Problem("file_changed", "", message)))
    for file in files:
        name = file.relative_to(path).as_posix()
        if listed and name not in listed:
            report.add(Found(name, "", Problem("file_unlisted", "", "not in the manifest")))


def _listed(files: Json) -> dict[str, Mapping[str, Json]]:
    """Return what a manifest says of each file, by its path."""
    if not isinstance(files, list):
        return {}
    return {
        about["path"]: about
        for about in files
        if isinstance(about, dict) and isinstance(about.get("path"), str)
    }


def _parts(
    path: Path, file: Path, listed: Mapping[str, Mapping[str, Json]], report: Report
) -> list[Part]:
    """Return the row groups of a file whose columns are a row's."""
    name = file.relative_to(path).as_posix()
    about = listed.get(name, {})
    level, split = file.parent.name, file.name.partition("-")[0]
    try:
        with pq.ParquetFile(file) as opened:
            schema, metadata = opened.schema_arrow, opened.metadata
            sizes = [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]
    except (OSError, pa.ArrowException) as error:
        report.add(Found(name, "", Problem("unreadable", "", str(error).splitlines()[0])))
        return []
    expected = about.get("rows", sum(sizes))
    if (about.get("level", level), about.get("split", split), expected) != (
        level,
        split,
        sum(sizes),
    ):
        message = f"{level}, {split}, {sum(sizes)} rows: the manifest says otherwise"
        report.add(Found(name, "", Problem("counts", "", message)))
    if tuple(schema.names) != COLUMNS:
        message = "expected the columns " + ", ".join(COLUMNS)
        report.add(Found(name, "", Problem("columns", "", message)))
        return []
    for column in schema:
        if column.type != _type(column.name):
            message = f"expected {_type(column.name)}, found {column.type}"
            report.add(Found(name, "", Problem("columns", f"/{column.name}", message)))
            return []
    if split not in SPLITS:
        report.add(Found(name, "", Problem("split", "", f"expected one of {', '.join(SPLITS)}")))
    return [Part(str(path), name, level, split, i, size) for i, size in enumerate(sizes)]


def _type(column: str) -> pa.DataType:
    if column in ("round_gt", "recovery_round_gt", "funcall_times_gt", "t", "rounds", "seed"):
        return pa.int64()
    if column == "error_kinds":
        return pa.list_(pa.string())
    if column == "errors":
        inner = {"round": pa.int64(), "root": pa.int64(), "affected": pa.list_(pa.string())}
        return pa.list_(pa.struct([(name, inner.get(name, pa.string())) for name in ERROR_FIELDS]))
    return pa.string()


def _run(parts: Iterable[Part], workers: int) -> Iterator[Outcome]:
    """Yield the parts' outcomes in their order, a few of them in flight."""
    if workers <= 1:
        yield from map(certify_part, parts)
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        flying: deque[Future[Outcome]] = deque()
        for part in parts:
            flying.append(pool.submit(certify_part, part))
            if len(flying) >= workers * AHEAD:
                yield flying.popleft().result()
        while flying:
            yield flying.popleft().result()


def certify_part(part: Part) -> Outcome:
    """Certify the rows of one row group."""
    outcome = Outcome(part, Report())
    report = outcome.report
    try:
        with pq.ParquetFile(Path(part.folder) / part.file) as file:
            records = file.read_row_group(part.group, columns=list(COLUMNS)).to_pylist()
    except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
        message = f"row group {part.group}: {str(error).splitlines()[0]}"
        report.add(Found(part.file, "", Problem("unreadable", "", message)))
        return outcome
    for record in records:
        _certify(record, outcome)
    return outcome


def _certify(record: Mapping[str, Json], outcome: Outcome) -> None:
    part, report = outcome.part, outcome.report
    report.rows[part.level, part.split] += 1
    nulls = [column for column in COLUMNS if record[column] is None]
    if nulls or any(None in error.values() for error in record["errors"] or ()):
        problem = Problem("null", f"/{nulls[0]}" if nulls else "/errors", "nothing stands there")
        report.failed += 1
        report.add(Found(part.file, str(record["instance_id"]), problem))
        return
    row = Row.from_record(record)
    certificate = examine(row)
    problems = list(certificate.problems)
    if row.level != part.level:
        problems.append(Problem("level", "/level", f"the row stands among those of {part.level}"))
    verdict = "failed" if problems else "certified"
    if problems:
        report.failed += 1
    else:
        report.certified += 1
        report.controls += not row.errors
    for kind in row.error_kinds:
        report.kinds.setdefault(kind, Counter())[verdict] += 1
    report.matrix.update(certificate.pairs)
    for problem in problems:
        report.add(Found(part.file, row.instance_id, problem))
    _count(row, part.split, outcome.counts)
    outcome.sights.append(
        Sight(
            _hash(row.query),
            _hash("\n".join(certificate.tools)),
            _hash(row.instance_id),
            _hash(row.query_id),
            _hash(f"{row.source_kind}\n{row.source_id}"),
        )
    )


def _count(row: Row, split: str, counts: Counter[tuple[str, ...]]) -> None:
    """Count a row by everything that a manifest counts rows by, under the manifest's names."""
    counts["rows", "total"] += 1
    counts["rows", "built" if row.error_kinds else "controls"] += 1
    counts["counts", "splits", split] += 1
    for column in ("t", "round_gt", "recovery_round_gt"):
        counts["counts", column, str(getattr(row, column))] += 1
    if not row.error_kinds:
        return
    counts["counts", "rounds", str(row.rounds)] += 1
    counts["counts", "downstream", row.downstream or "none"] += 1
    for index, kind in enumerate(row.error_kinds):
        counts["counts", "kinds", kind] += 1
        counts["counts", "kinds_by_round", str(index), kind] += 1
    for error in row.errors:
        if error.origin == INJECTED:
            counts["counts", "visibility", error.kind, error.visibility] += 1
        else:
            counts["counts", "propagated"] += 1


def _hash(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=8).digest()


@dataclass(slots=True)
class _Whole:
    """What all rows together have to keep to."""

    splits: dict[bytes, str] = field(default_factory=dict)
    ids: set[bytes] = field(default_factory=set)
    queries: dict[bytes, bytes] = field(default_factory=dict)
    sources: dict[bytes, bytes] = field(default_factory=dict)
    counts: Counter[tuple[str, ...]] = field(default_factory=Counter)

    def take(self, outcome: Outcome, report: Report) -> None:
        """Compare a part's rows with all rows before them."""
        part = outcome.part
        self.counts.update(outcome.counts)
        for sight in outcome.sights:
            # Groups are closed transitively if no key at all stands in two splits.
            for word, key in (("query", b"q" + sight.query), ("set of tools", b"t" + sight.tools)):
                other = self.splits.setdefault(key, part.split)
                if other != part.split:
                    message = f"a {word} stands in {other} and in {part.split}"
                    report.add(Found(part.file, "", Problem("split_shared", "", message)))
            if sight.id in self.ids:
                problem = Problem("instance_id", "/instance_id", "it stands twice")
                report.add(Found(part.file, "", problem))
            self.ids.add(sight.id)
            if self.queries.setdefault(sight.query_id, sight.query) != sight.query:
                problem = Problem("query_id", "/query_id", "another query has the same one")
                report.add(Found(part.file, "", problem))
            if self.sources.setdefault(sight.source, sight.query_id) != sight.query_id:
                problem = Problem("source_id", "/source_id", "its rows have several query ids")
                report.add(Found(part.file, "", problem))


COUNTED = ("total", "built", "controls")
"""The counts under a manifest's ``rows`` that rows themselves can tell."""


def _check_counts(manifest: Mapping[str, Json], report: Report, whole: _Whole) -> None:
    """Compare the manifest's counts with the rows'."""
    rows, counts = manifest.get("rows"), manifest.get("counts")
    if not isinstance(rows, dict) or not isinstance(counts, dict):
        report.add(Found(MANIFEST, "", Problem("manifest", "", "it has no counts")))
        return
    said = dict(_leaves(counts, ("counts",)))
    said.update((("rows", name), rows.get(name, 0)) for name in COUNTED)
    for key in sorted(said.keys() | whole.counts.keys()):
        found = whole.counts[key]
        if said.get(key, 0) != found:
            path = "".join(f"/{escape(word)}" for word in key)
            message = f"the rows say {found}, the manifest says {said.get(key, 0)}"
            report.add(Found(MANIFEST, "", Problem("counts", path, message)))


def _leaves(value: Json, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Json]]:
    """Yield (path, count) of nested counts; of {asked, built, …} only what was built."""
    if isinstance(value, dict):
        if "built" in value:
            yield path, value["built"]
            return
        for key, item in value.items():
            yield from _leaves(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _leaves(item, (*path, str(index)))
    else:
        yield path, value
