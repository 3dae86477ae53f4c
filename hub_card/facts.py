"""What a release is made of, as its card, its tables and its metadata tell it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq

from hub_card.statistics import Statistics
from plan.json_text import Json
from plan.row import COLUMNS, ERROR_FIELDS, INPUT_COLUMNS

INPUT = "input"
LABEL = "label"

PREVIEW = "preview"
SPLITS = ("train", "validation", "test")


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the rows, or a field of one of their errors.

    Attributes:
        name: its name in every file.
        type: string, JSON (canonical JSON text in a string), int, list of string, or list of
            struct.
        side: `INPUT`, which agents may see, or `LABEL`, which they may not.
        meaning: what stands in it; Markdown.
    """

    name: str
    type: str
    side: str
    meaning: str


def _columns(
    names: Sequence[str], inputs: Iterable[str], told: Mapping[str, tuple[str, str]]
) -> tuple[Column, ...]:
    given = frozenset(inputs)
    return tuple(
        Column(name, told[name][0], INPUT if name in given else LABEL, told[name][1])
        for name in names
    )


ROW_COLUMNS = _columns(
    COLUMNS,
    INPUT_COLUMNS,
    {
        "instance_id": ("string", "the row's name; tells nothing of its damage"),
        "level": ("string", "`level1` or `level2`"),
        "query_id": ("string", "rows of one query share it; they stand in one split"),
        "query": ("string", "what the user asked for"),
        "tools": (
            "JSON",
            "the tool list: `name`, `description`, `parameters` (JSON Schema), sometimes `returns`",
        ),
        "history": (
            "JSON",
            "the earlier rounds: `round`, `plan`, `observations`, as an agent would have seen them",
        ),
        "plan": ("JSON", "G(t-1), the plan before the agent"),
        "observations": (
            "JSON",
            "O(t), what the plan's frontier returned: `id`, `name`, `arguments` as sent, `results`",
        ),
        "error_kinds": (
            "list of string",
            "kinds of the injected errors, in the order of their rounds; empty for a control row",
        ),
        "errors": ("list of struct", "every error, see below"),
        "clean_plan": (
            "JSON",
            "the undamaged plan, with `turn`, `sent`, recorded `results`, and `edges`",
        ),
        "gold_plan": (
            "JSON",
            "a recovery that was run to the end; one of several right answers",
        ),
        "faults": (
            "JSON",
            "what the environment was asked for: `round`, `node`, `kind` (`timeout` or `empty`)",
        ),
        "round_gt": ("int", "rounds of the clean plan: layers of calls, and the response"),
        "recovery_round_gt": (
            "int",
            "fewest total rounds from this state, rounds already spent included",
        ),
        "funcall_times_gt": ("int", "calls of the clean plan"),
        "t": ("int", "the round of the state, from 1"),
        "rounds": ("int", "rounds that carry an injected error"),
        "downstream": (
            "string",
            "whether a later error stands below an earlier one: `yes`, or `no: ` and why; "
            "empty with fewer than two errors",
        ),
        "source_kind": ("string", "what the trajectory was read from"),
        "source_id": ("string", "the record it was read from"),
        "seed": (
            "int",
            "the row's own seed; with the columns above it gives every result again",
        ),
    },
)

ERROR_COLUMNS = _columns(
    ERROR_FIELDS,
    (),
    {
        "round": ("int", "the round it belongs to: it sits in G(round-1) or in O(round)"),
        "kind": ("string", "one of the fourteen; a propagated error carries its root's"),
        "dimension": ("string", "Structural-related, Parameter-related or Tool-related"),
        "node": ("string", "the damaged task's id"),
        "pointer": (
            "string",
            'JSON Pointer into the task (`/para/date`, `/dep`, `/name`, `""` for all of it), '
            "or `/results`",
        ),
        "before": ("JSON", "what stood there in the undamaged plan; `null` for nothing"),
        "after": ("JSON", "what stands there now; `null` for nothing"),
        "visibility": (
            "string",
            "`explicit`: an observation says so; `silent`: executed, or never seen, and nothing "
            "says so; `latent`: the damaged task hasn't run; `masked`: another failure hides it",
        ),
        "origin": ("string", "`injected`, or `propagated` from an injected one"),
        "root": ("int", "for a propagated error, its root's index in this list; else -1"),
        "affected": (
            "list of string",
            "tasks downstream that can't be right because of it",
        ),
    },
)


@dataclass(frozen=True, slots=True)
class SplitFacts:
    """A split of a config.

    Attributes:
        rows: how many.
        bytes: of the rows in memory, as Arrow, which is what `datasets` calls num_bytes.
        download: bytes of the Parquet files.
        files: paths of the Parquet files in the release folder, in order.
    """

    rows: int
    bytes: int
    download: int
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Facts:
    """What is said of a release.

    Attributes:
        name: the release's name, which may be a repository's: letters, digits, ``-_.``.
        version: X.Y.Z.
        repo_id: ``namespace/name`` on the Hub, where it is known.
        title: the name for people.
        license: the rows' licence as the Hub spells it; code in ``scoring/`` is Apache-2.0.
        attribution: what must be said of the sources, a paragraph each.
        configs: by config (``level1``, ``level2``, `PREVIEW`) and split.
        default_config: the one that loads where none is named.
        builds: by config, the manifest of the build that its rows came from.
        statistics: counted over the rows; `PREVIEW` need not be in it.
        changelog: (version, lines), the newest first.
        date: YYYY-MM-DD, where it is told.
        previous: the version before, where there is one.
        columns: of the rows, in order.
        error_fields: of one error in the column ``errors``.
        tables, figures: paths in the release folder.
        has_scoring: whether the scoring code stands in the release folder.
        audit: lines on a human audit's agreement, where there was one; Markdown.
        shared: what different splits of two levels have in common, a sentence for each two.
    """

    name: str
    version: str
    repo_id: str | None
    title: str
    license: str
    attribution: tuple[str, ...]
    configs: Mapping[str, Mapping[str, SplitFacts]]
    default_config: str
    builds: Mapping[str, Mapping[str, Json]]
    statistics: Statistics
    changelog: Sequence[tuple[str, Sequence[str]]] = ()
    date: str | None = None
    previous: str | None = None
    columns: tuple[Column, ...] = ROW_COLUMNS
    error_fields: tuple[Column, ...] = ERROR_COLUMNS
    tables: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()
    has_scoring: bool = True
    audit: str | None = None
    shared: tuple[str, ...] = ()

    @property
    def levels(self) -> tuple[str, ...]:
        """Return the configs that hold rows of their own, without the preview."""
        return tuple(config for config in self.configs if config != PREVIEW)

    @property
    def rows(self) -> int:
        """Return the number of rows of all configs but the preview, which repeats some."""
        return sum(split.rows for level in self.levels for split in self.configs[level].values())


def measure(folder: Path, files: Iterable[str]) -> SplitFacts:
    """Return what is told of a split that stands in Parquet files of a release folder.

    Raises:
        OSError: a file can't be read.
        pyarrow.ArrowInvalid: a file is no Parquet.
    """
    paths = tuple(files)
    rows = size = 0
    for path in paths:
        with pq.ParquetFile(folder / path) as file:
            rows += file.metadata.num_rows
            # One group in memory at a time, as rows may be large.
            size += sum(
                file.read_row_group(group).nbytes for group in range(file.metadata.num_row_groups)
            )
    return SplitFacts(rows, size, sum((folder / path).stat().st_size for path in paths), paths)
