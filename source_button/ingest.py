"""From lines of BUTTON JSONL to clean plans, rejects and a summary."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO

from plan.clean import Call, CleanPlan, Edge
from plan.json_text import Json, dump_bytes
from plan.problem import Problem
from plan.task import ROOT
from plan.tool import Tool, describe
from source_button.provenance import infer
from source_button.reader import MAX_LINE, Line, SourceError, check_sources, read_lines
from source_button.strict_json import JsonError, parse
from source_button.trajectory import Trajectory, read_record

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Parsed:
    """A line that is a clean plan.

    Attributes:
        file: the source as the user gave it.
        line: from 1, lines ending at line feeds only.
        clean: the plan.
        warnings: what was mapped, reordered or doubtful, without loss.
    """

    file: str
    line: int
    clean: CleanPlan
    warnings: tuple[Problem, ...]

    @property
    def query(self) -> str:
        """The user's messages up to the last call, joined by a blank line."""
        return self.clean.query

    def layers(self) -> list[list[str]]:
        """Return the ids of each layer of calls, in call order."""
        found: dict[int, list[str]] = {}
        for id, layer in self.clean.layers.items():
            found.setdefault(layer, []).append(id)
        return [sorted(found[layer], key=list(self.clean.calls).index) for layer in sorted(found)]


@dataclass(frozen=True, slots=True)
class Reject:
    """A line that is no clean plan, and everything that keeps it from being one.

    The first of ``problems`` gives the reject its code, path and message.
    """

    file: str
    line: int
    problems: tuple[Problem, ...]

    @property
    def code(self) -> str:
        """A stable word for scripts."""
        return self.problems[0].code

    def to_json(self) -> dict[str, Json]:
        """Return the line of ``rejects.jsonl``; ``also`` holds the further problems."""
        first = self.problems[0]
        return {
            "file": self.file,
            "line": self.line,
            "code": first.code,
            "path": first.path,
            "message": first.message,
            "also": [_problem_json(problem) for problem in self.problems[1:]],
        }


def parse_line(data: bytes, file: str, line: int) -> Parsed | Reject | None:
    """Return the plan or reject of one line of BUTTON JSONL, or None if it is blank.

    Args:
        data: the line without its line feed; a byte order mark before it and a carriage return
            after it are dropped with a warning.
        file: the source, for messages.
        line: the line's number in it, from 1.

    Never raises on any bytes.
    """
    warnings: list[Problem] = []
    if data[:3] == _BOM:
        data = data[3:]
        warnings.append(Problem("bom", "", "a byte order mark stands before the record; dropped"))
    if not data.strip():
        return None
    if data[-1:] == b"\r":
        data = data[:-1]
        warnings.append(Problem("crlf", "", "the line ends in a carriage return; dropped"))
    try:
        value = parse(data)
    except JsonError as error:
        return Reject(file, line, (Problem(error.code, error.path, error.message),))
    return _read(value, file, line, warnings)


def parse_record(value: Json, file: str, line: int) -> Parsed | Reject:
    """Return the plan or reject of one decoded record, such as a synthesised one."""
    return _read(value, file, line, [])


def _read(value: Json, file: str, line: int, warnings: list[Problem]) -> Parsed | Reject:
    found = read_record(value)
    if not isinstance(found, Trajectory):
        return Reject(file, line, tuple(found))
    arguments, edges = infer(found)
    before: dict[str, list[str]] = {str(n): [] for n in range(1, len(found.calls) + 1)}
    for edge in edges:
        if edge.before not in before[edge.after]:
            before[edge.after].append(edge.before)
    calls = {}
    for number, recorded in enumerate(found.calls, 1):
        id = str(number)
        calls[id] = Call(
            id,
            recorded.turn,
            recorded.name,
            arguments[number - 1],
            recorded.arguments,
            describe(found.tools[recorded.name]),
            tuple(sorted(before[id], key=int)) or (ROOT,),
            recorded.result,
        )
    clean = CleanPlan(found.query, found.tools, calls, tuple(edges))
    return Parsed(file, line, clean, (*warnings, *found.warnings))


def plan_record(parsed: Parsed) -> dict[str, Json]:
    """Return the line of ``plans.jsonl``."""
    clean = parsed.clean
    return {
        "source": {"file": parsed.file, "line": parsed.line},
        "query": clean.query,
        "tools": [tool.to_json() for tool in clean.tools.values()],
        "tasks": [
            {
                "id": call.id,
                "turn": call.turn,
                "name": call.name,
                "arguments": call.arguments,
                "sent": call.sent,
                "depends_on": list(call.depends_on),
                "description": call.description,
                "result": call.result,
            }
            for call in clean.calls.values()
        ],
        "edges": [edge.to_json() for edge in clean.edges],
        "layers": parsed.layers(),
        "warnings": [_problem_json(warning) for warning in parsed.warnings],
    }


def read_plan_record(value: Mapping[str, Json]) -> Parsed:
    """Read a line of ``plans.jsonl`` as `plan_record` writes it."""
    clean = CleanPlan(
        value["query"],
        {tool["name"]: Tool.from_json(tool) for tool in value["tools"]},
        {
            task["id"]: Call(
                task["id"],
                task["turn"],
                task["name"],
                task["arguments"],
                task["sent"],
                task["description"],
                tuple(task["depends_on"]),
                task["result"],
            )
            for task in value["tasks"]
        },
        tuple(Edge.from_json(edge) for edge in value["edges"]),
    )
    warnings = tuple(Problem(w["code"], w["path"], w["message"]) for w in value["warnings"])
    return Parsed(value["source"]["file"], value["source"]["line"], clean, warnings)


def read_plans(
    sources: Sequence[str],
    *,
    max_line: int = MAX_LINE,
    stdin: BinaryIO | None = None,
    progress: Callable[[int], None] | None = None,
) -> Iterator[Parsed | Reject | None]:
    """Yield what each line of each source is: a plan, a reject, or None for a blank one.

    Args:
        sources: paths, or ``-`` for standard input; plain, gzip or zstd.
        max_line: bytes; a longer line is a reject and never held whole.
        stdin: stands for ``-``; by default the process's standard input.
        progress: called with numbers of bytes read.

    Raises:
        SourceError: a source can't be read, or not to its end.
    """
    for source in sources:
        for line in read_lines(source, max_line=max_line, stdin=stdin, progress=progress):
            yield read_line(line, max_line)


def read_line(line: Line, max_line: int = MAX_LINE) -> Parsed | Reject | None:
    """Return what a line read from a source is."""
    if line.data is None:
        found = f"the line has {line.size:,} bytes; expected {max_line:,} at most"
        return Reject(line.file, line.number, (Problem("line_too_long", "", found),))
    return parse_line(line.data, line.file, line.number)


def ingest(
    sources: Sequence[str],
    out: Path,
    *,
    max_line: int = MAX_LINE,
    stdin: BinaryIO | None = None,
    progress: Callable[[int], None] | None = None,
) -> dict[str, Json]:
    """Write ``plans.jsonl``, ``rejects.jsonl`` and ``summary.json`` into a folder.

    The three files appear whole, and only when every source has been read to its end; files
    of these names are replaced. Returns the summary: lines, plans, rejects, blank, and
    counts of rejects, warnings and edges by code or kind. Lines are plans, rejects and
    blank lines together, in total and for each file.

    Raises:
        SourceError: a source can't be read, or not to its end, or holds no records.
        OSError: the folder can't be written.
    """
    errors = check_sources(sources)
    if errors:
        raise (
            errors[0]
            if len(errors) == 1
            else SourceError(
                errors[0].file, 0, "; ".join([errors[0].message, *map(str, errors[1:])])
            )
        )
    out.mkdir(parents=True, exist_ok=True)
    counts = _Counts()
    with ExitStack() as stack:
        plans = _whole_file(stack, out / "plans.jsonl")
        rejects = _whole_file(stack, out / "rejects.jsonl")
        for source in sources:
            counts.begin(source)
            for line in read_lines(source, max_line=max_line, stdin=stdin, progress=progress):
                found = read_line(line, max_line)
                counts.add(found)
                if isinstance(found, Parsed):
                    plans.write(dump_bytes(plan_record(found)) + b"\n")
                elif found is not None:
                    rejects.write(dump_bytes(found.to_json()) + b"\n")
            if counts.here["blank"] == counts.here["lines"]:
                holds = "only blank lines" if counts.here["lines"] else "no bytes"
                expected = "expected JSON Lines, a trajectory in BUTTON's format on each"
                raise SourceError(source, 0, f"no records, it holds {holds}; {expected}")
        summary = counts.to_json()
        file = _whole_file(stack, out / "summary.json")
        file.write(json.dumps(summary, indent=2, sort_keys=True).encode() + b"\n")
    return summary


class _Counts:
    """What was found in how many lines."""

    def __init__(self) -> None:
        self.files: dict[str, dict[str, int]] = {}
        self.here: dict[str, int] = {}
        self.codes: dict[str, int] = {}
        self.warnings: dict[str, int] = {}
        self.edges: dict[str, int] = {}
        self.calls = 0

    def begin(self, file: str) -> None:
        # A file given twice is read twice, and its lines count twice.
        self.here = self.files.setdefault(file, {"lines": 0, "plans": 0, "rejects": 0, "blank": 0})

    def add(self, found: Parsed | Reject | None) -> None:
        self.here["lines"] += 1
        if found is None:
            self.here["blank"] += 1
        elif isinstance(found, Reject):
            self.here["rejects"] += 1
            self.codes[found.code] = self.codes.get(found.code, 0) + 1
        else:
            self.here["plans"] += 1
            self.calls += len(found.clean.calls)
            for code in {warning.code for warning in found.warnings}:
                self.warnings[code] = self.warnings.get(code, 0) + 1
            for edge in found.clean.edges:
                self.edges[edge.kind] = self.edges.get(edge.kind, 0) + 1

    def to_json(self) -> dict[str, Json]:
        totals = {
            key: sum(counts[key] for counts in self.files.values())
            for key in ("lines", "plans", "rejects", "blank")
        }
        return {
            **totals,
            "files": [{"file": file, **counts} for file, counts in self.files.items()],
            "calls": self.calls,
            "edges": self.edges,
            "rejects_by_code": self.codes,
            "warnings_by_code": self.warnings,
        }


def _whole_file(stack: ExitStack, path: Path) -> IO[bytes]:
    """Open a file that takes its name when the stack is left well, else is gone."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    file = os.fdopen(handle, "wb")

    def finish(kind: object, *_: object) -> None:
        try:
            if kind is None:
                file.flush()
                os.fsync(file.fileno())
                file.close()
                os.chmod(name, 0o644)
                os.replace(name, path)
        finally:
            file.close()
            Path(name).unlink(missing_ok=True)

    stack.push(finish)
    return file


def _problem_json(problem: Problem) -> dict[str, Json]:
    return {"code": problem.code, "path": problem.path, "message": problem.message}
