"""The source, surveyed: every record becomes a stored clean plan or a reject.

Surveying is a pure function of one shard of the source. A shard leaves two files: the
plans, each compressed on its own so that any of them can be read alone, and an index that
says what each plan allows. The index is written last; where it stands, the shard is done.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import zstandard

from builder import levels
from builder.levels import Masks, Source
from builder.refusal import Refusal
from builder.resume.files import BLOCK, digest, whole, write_whole
from plan.clean import CleanPlan
from plan.json_text import Json, dump_bytes, loads
from source_button.ingest import Parsed, Reject, parse_line, read_line
from source_button.reader import Line, read_lines

SHARD_RECORDS = 100
SHARD_BYTES = 8 << 20
STDIN = "-"


BUTTON = "button"
EMBEDDED = "embedded"


@dataclass(frozen=True, slots=True)
class File:
    """One file of the source: its name in rows and manifests, its place, its hash."""

    name: str
    path: Path
    sha256: str
    size: int

    def to_json(self) -> dict[str, Json]:
        """Return what a manifest keeps of it."""
        return {"name": self.name, "sha256": self.sha256, "bytes": self.size}


@dataclass(frozen=True, slots=True)
class Shard:
    """A stretch of the source.

    Attributes:
        work: the build's hidden folder.
        index: the shard's number, from 0.
        lines: of a file's shard; `file` is the file's name in rows.
        first: of the embedded source's shard, the first trajectory's number, from 0.
        count: how many trajectories to synthesise.
        seed: the embedded source's seed.
    """

    work: Path
    index: int
    lines: tuple[Line, ...] = ()
    first: int = 0
    count: int = 0
    seed: int = 0

    @property
    def plans(self) -> Path:
        """The file of stored plans."""
        return self.work / "plans" / f"{self.index:06d}.plans"

    @property
    def contents(self) -> Path:
        """The index file; where it stands, the shard is done."""
        return self.work / "plans" / f"{self.index:06d}.json"


@dataclass(frozen=True, slots=True)
class Entry:
    """A usable plan as the index keeps it.

    ``masks`` say which kinds its rounds allow; ``tools`` names the set of called tools;
    ``offset`` and ``length`` are the stored plan's place, ``size`` its bytes.
    """

    shard: int
    source_id: str
    query_id: str
    masks: Masks
    depth: int
    width: int
    calls: int
    tools: str
    offset: int
    length: int
    size: int


@dataclass(frozen=True, slots=True)
class Survey:
    """A shard's index: usable plans, rejects as JSON objects, and counts of lines."""

    entries: tuple[Entry, ...]
    rejects: tuple[dict[str, Json], ...]
    lines: int
    blank: int
    warnings: Mapping[str, int]


def open_files(paths: Sequence[str], spool: Path) -> tuple[File, ...]:
    """Hash the source's files; standard input (``-``) is kept in the spool folder first.

    Raises:
        Refusal: a path is no file, or two hold the same bytes.
        OSError: one can't be read.
    """
    files: list[File] = []
    for text in paths:
        path = Path(text)
        if text == STDIN:
            path = spool / "stdin"
            with path.open("wb") as file:
                while block := sys.stdin.buffer.read(BLOCK):
                    file.write(block)
        elif not path.exists():
            raise Refusal(
                f"--source {text}", "there is no such file", "a BUTTON file", "check the path"
            )
        elif path.is_dir():
            raise Refusal(
                f"--source {text}",
                "a folder",
                "a BUTTON file: JSON Lines, plain or compressed with gzip or zstd",
                "give each file with a --source of its own",
            )
        sha256, size = digest(path)
        for other in files:
            if other.sha256 == sha256:
                raise Refusal(
                    f"--source {text}",
                    f"the same bytes as {other.path}",
                    "each file once",
                    "leave one out; --size takes several variants of a plan",
                )
        name = "stdin" if text == STDIN else path.name
        if any(other.name == name for other in files):
            name = f"{path.resolve().parent.name}/{name}"
        if any(other.name == name for other in files):
            name = f"{sha256[:8]}/{path.name}"
        files.append(File(name, path, sha256, size))
    return tuple(files)


def embedded_shards(work: Path, plans: int, seed: int) -> Iterator[Shard]:
    """Yield the shards of the embedded source."""
    for index, first in enumerate(range(0, plans, SHARD_RECORDS)):
        count = min(SHARD_RECORDS, plans - first)
        yield Shard(work, index, first=first, count=count, seed=seed)


def file_shards(work: Path, files: Sequence[File]) -> Iterator[Shard]:
    """Yield the shards of files, in order; lines are read as they are asked for.

    Raises:
        SourceError: a file can't be read to its end.
    """
    index = size = 0
    lines: list[Line] = []
    for file in files:
        for line in read_lines(str(file.path)):
            lines.append(Line(file.name, line.number, line.data, line.size))
            size += len(line.data or b"")
            if len(lines) == SHARD_RECORDS or size >= SHARD_BYTES:
                yield Shard(work, index, tuple(lines))
                index, size, lines = index + 1, 0, []
    if lines:
        yield Shard(work, index, tuple(lines))


def survey(shard: Shard) -> Survey:
    """Parse a shard's records and store its usable plans, unless that has been done."""
    done = read_survey(shard)
    if done is not None:
        return done
    found = _Surveyor(shard.index, EMBEDDED if shard.count else BUTTON)
    if shard.count:
        # Faker is slow to load, and a pool's main process doesn't need it.
        from source_button.synthesis import synthesize_one

        name = f"{EMBEDDED}-{shard.seed}"
        for number in range(shard.first, shard.first + shard.count):
            text = synthesize_one(number, seed=shard.seed)
            found.take(parse_line(text, name, number + 1))
    for line in shard.lines:
        found.take(read_line(line))
    with whole(shard.plans) as temporary:
        temporary.write_bytes(b"".join(found.stored))
    result = found.result(shard.count or len(shard.lines))
    write_whole(shard.contents, dump_bytes(_spell(result)))
    return result


def read_survey(shard: Shard) -> Survey | None:
    """Return what an earlier run found in a shard, or None."""
    try:
        value = loads(shard.contents.read_bytes())
        return Survey(
            tuple(_read_entry(*entry) for entry in value["entries"]),
            tuple(value["rejects"]),
            value["lines"],
            value["blank"],
            value["warnings"],
        )
    except FileNotFoundError:
        return None


def _read_entry(fields: list[Json], masks: list[list[int]]) -> Entry:
    return Entry(*(*fields[:3], tuple(map(tuple, masks)), *fields[3:]))


def _spell_entry(entry: Entry) -> Json:
    fields = [getattr(entry, field) for field in Entry.__slots__ if field != "masks"]
    return [fields, entry.masks]


def _spell(result: Survey) -> Json:
    return {
        "entries": [_spell_entry(entry) for entry in result.entries],
        "rejects": result.rejects,
        "lines": result.lines,
        "blank": result.blank,
        "warnings": result.warnings,
    }


class _Surveyor:
    """Collects what a shard holds."""

    def __init__(self, shard: int, source_kind: str) -> None:
        self.shard = shard
        self.source_kind = source_kind
        self.compressor = zstandard.ZstdCompressor(level=1)
        self.entries: list[Entry] = []
        self.rejects: list[dict[str, Json]] = []
        self.stored: list[bytes] = []
        self.offset = 0
        self.blank = 0
        self.warnings: dict[str, int] = {}

    def take(self, found: Parsed | Reject | None) -> None:
        if found is None:
            self.blank += 1
            return
        if isinstance(found, Reject):
            self.rejects.append(found.to_json())
            return
        text = store(found.clean)
        clean = restore(text)
        for warning in found.warnings:
            self.warnings[warning.code] = self.warnings.get(warning.code, 0) + 1
        source = Source(
            clean, self.source_kind, f"{found.file}:{found.line}", name_query(clean.query)
        )
        examined = levels.examine(source)
        if isinstance(examined, str):
            self.rejects.append(
                {
                    "file": found.file,
                    "line": found.line,
                    "code": "unusable",
                    "path": "",
                    "message": f"a plan, but no rows can be built from it: {examined}",
                }
            )
            return
        self.keep(source, text, examined)

    def keep(self, source: Source, text: bytes, masks: Masks) -> None:
        clean = source.clean
        layers = list(clean.layers.values())
        packed = self.compressor.compress(text)
        names = sorted({call.name for call in clean.calls.values()})
        self.entries.append(
            Entry(
                shard=self.shard,
                source_id=source.source_id,
                query_id=source.query_id,
                masks=masks,
                depth=max(layers, default=0),
                width=max(map(layers.count, layers), default=0),
                calls=len(clean.calls),
                tools=blake2b(dump_bytes(names), digest_size=8).hexdigest(),
                offset=self.offset,
                length=len(packed),
                size=len(text),
            )
        )
        self.stored.append(packed)
        self.offset += len(packed)

    def result(self, lines: int) -> Survey:
        return Survey(
            tuple(self.entries), tuple(self.rejects), lines, self.blank, dict(self.warnings)
        )


def name_query(query: str) -> str:
    """Return the name that all rows of one query share."""
    return "q-" + blake2b(query.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def store(clean: CleanPlan) -> bytes:
    """Return a plan's stored text: canonical, as the rows' texts are."""
    tools = [tool.to_json() for tool in clean.tools.values()]
    return dump_bytes([clean.query, tools, clean.to_row_json()])


def restore(text: bytes) -> CleanPlan:
    """Read what `store` wrote."""
    return CleanPlan.from_row_json(*loads(text))
