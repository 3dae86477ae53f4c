"""The rows of a release: Parquet through the one canonical writer, JSON Lines beside it.

A piece is one Parquet file of a build. Each is a pure function of its file, so that the
bytes don't depend on the number of workers.
"""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from builder.pipeline import Progress
from builder.pool import Pool
from builder.refusal import Refusal
from builder.release.builds import Build
from hub_card.facts import SplitFacts
from plan.json_text import dump_bytes, loads
from plan.row import COLUMNS, Row
from plan.task import RESPONSE, ROOT

MOST_ROW_BYTES = 2_000_000
"""What a row's record may take as JSON: the Hub's viewer shows no larger ones."""

GZIP_LEVEL = 6
MOST_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Piece:
    """One Parquet file to write, and its rows' JSON Lines in a file of the work folder.

    ``name`` is the file's path in the build and in the release.
    """

    source: Path
    folder: Path
    work: Path
    name: str
    config: str
    split: str

    @property
    def lines(self) -> Path:
        """The compressed lines, to be joined with those of the split's other pieces."""
        return self.work / f"{self.config}-{Path(self.name).stem}.jsonl.gz"


@dataclass(frozen=True, slots=True)
class Sight:
    """What is kept of a row for the questions that need all rows.

    ``query`` and ``tools``, the set of called tools, are 8-byte hashes.
    """

    id: str
    query: bytes
    tools: bytes
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Written:
    """A piece that was written; ``large`` holds (id, source, bytes) of rows over the limit."""

    piece: Piece
    facts: SplitFacts
    sights: tuple[Sight, ...]
    large: tuple[tuple[str, str, int], ...]


def write_rows(
    builds: Sequence[Build], folder: Path, work: Path, pool: Pool, progress: Progress
) -> list[Written]:
    """Write ``data/<config>/<split>-*.parquet`` and ``data/<config>/<split>.jsonl.gz``.

    Raises:
        Refusal: a row is over `MOST_ROW_BYTES`, or a build's file isn't as builds write them.
        OSError: a file can't be read or written.
    """
    pieces = [
        Piece(file.path, folder, work, file.name, build.level, file.split)
        for build in builds
        for file in build.files
    ]
    total = sum(file.rows for build in builds for file in build.files)
    written: list[Written] = []
    with progress("writing rows", total, "row") as advance:
        for one in pool.run(write_piece, pieces):
            written.append(one)
            advance(one.facts.rows)
    large = [row for one in written for row in one.large]
    if large:
        raise _refuse(large)
    _join(written, folder)
    return written


def write_piece(piece: Piece) -> Written:
    """Write one piece."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from builder.parquet import schema, write_parquet
    from hub_card.facts import measure

    sights: list[Sight] = []
    large: list[tuple[str, str, int]] = []
    target = piece.folder / piece.name
    target.parent.mkdir(parents=True, exist_ok=True)

    def tables(file: pq.ParquetFile, out: gzip.GzipFile) -> Iterator[pa.Table]:
        for group in range(file.num_row_groups):
            table = file.read_row_group(group, columns=list(COLUMNS))
            for record in table.to_pylist():
                row = Row.from_record(record)
                line = dump_bytes(row.to_record())
                if len(line) > MOST_ROW_BYTES:
                    large.append((row.instance_id, row.source_id, len(line)))
                out.write(line + b"\n")
                sights.append(_see(row))
            yield table

    with pq.ParquetFile(piece.source) as file, piece.lines.open("wb") as lines:
        if not file.schema_arrow.equals(schema()):
            raise Refusal(
                str(piece.source),
                "its columns are not those of rows",
                f"the columns {', '.join(COLUMNS)}, as this version writes them",
                "build the rows again with this version",
            )
        # No file name and no time: the same rows are the same bytes.
        with gzip.GzipFile("", "wb", GZIP_LEVEL, lines, mtime=0) as out:
            write_parquet(target, tables(file, out))
    return Written(piece, measure(piece.folder, [piece.name]), tuple(sights), tuple(large))


def _see(row: Row) -> Sight:
    tasks = loads(row.clean_plan)["tasks"]
    calls = {task["name"] for task in tasks if task["id"] not in (ROOT, RESPONSE)}
    return Sight(
        row.instance_id, _hash(row.query), _hash("\n".join(sorted(calls))), tuple(row.error_kinds)
    )


def _hash(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=8).digest()


def _join(written: Sequence[Written], folder: Path) -> None:
    """Append the pieces' lines: gzip's members may follow each other in one file."""
    for one in written:
        piece = one.piece
        path = folder / "data" / piece.config / f"{piece.split}.jsonl.gz"
        with path.open("ab") as out, piece.lines.open("rb") as lines:
            shutil.copyfileobj(lines, out, 1 << 20)
        piece.lines.unlink()


def _refuse(large: Sequence[tuple[str, str, int]]) -> Refusal:
    shown = ", ".join(
        f"{id} of {source} with {size:,} bytes" for id, source, size in large[:MOST_SHOWN]
    )
    more = f", and {len(large) - MOST_SHOWN:,} more" if len(large) > MOST_SHOWN else ""
    return Refusal(
        "rows",
        f"{len(large):,} over {MOST_ROW_BYTES:,} bytes: {shown}{more}",
        f"rows of {MOST_ROW_BYTES:,} bytes as JSON at most, which the Hub's viewer can show",
        "leave these trajectories out of the source, or shorten their results, and build again; "
        "rows are never cut",
    )


def gather(written: Sequence[Written]) -> dict[str, dict[str, SplitFacts]]:
    """Return what is told of each config's splits, pieces put together."""
    configs: dict[str, dict[str, SplitFacts]] = {}
    for one in written:
        splits = configs.setdefault(one.piece.config, {})
        before = splits.get(one.piece.split, SplitFacts(0, 0, 0, ()))
        splits[one.piece.split] = SplitFacts(
            before.rows + one.facts.rows,
            before.bytes + one.facts.bytes,
            before.download + one.facts.download,
            before.files + one.facts.files,
        )
    return configs
