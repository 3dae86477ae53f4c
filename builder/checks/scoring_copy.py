"""A release's ``scoring/``: this toolkit's own, and running alone from a copy of its folder."""

from __future__ import annotations

import ast
import gzip
import json
import shutil
import subprocess
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import scoring
from builder.checks.files import AGAIN, Digest
from builder.checks.manifest import Manifest, object_at
from builder.checks.outcome import Check, Findings
from builder.resume.files import digest
from builder.resume.fingerprint import version
from plan.json_text import Json, loads

ROOM = "scoring"
ROWS = 5
SECONDS = 120

# Nothing but the standard library is on the path; every module has to load, then to score.
_ALONE = """
import importlib, pkgutil, runpy, sys
sys.path.insert(0, sys.argv[1])
import scoring
for found in pkgutil.walk_packages(scoring.__path__, "scoring."):
    if not found.name.endswith("__main__"):
        importlib.import_module(found.name)
sys.argv = ["scoring", *sys.argv[2:]]
runpy.run_module("scoring", run_name="__main__")
"""


def own_files() -> dict[str, str]:
    """Return the SHA-256 of each file of the installed scoring package, as a release names it."""
    root = Path(scoring.__file__).resolve().parent
    return {
        f"{ROOM}/{path.relative_to(root).as_posix()}": digest(path)[0]
        for path in sorted(root.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def check_scoring(folder: Path, manifest: Manifest, files: Mapping[str, Digest]) -> Check:
    """Compare the release's scoring code with this toolkit's, and run it alone.

    Code that isn't this toolkit's own is read, never run: it may come from anywhere.
    """
    findings = Findings()
    here = {name: sha256 for name, (sha256, _) in files.items() if name.startswith(f"{ROOM}/")}
    _check_imports(folder, here, findings)
    made_by, own = object_at(manifest, "versions").get("pararecover"), version()
    if made_by != own:
        findings.notes.append(
            f"made by pararecover {made_by}; this is {own}, so its code was read, but neither "
            "compared nor run"
        )
        return Check.of(ROOM, f"{len(here)} files", findings)
    known = own_files()
    for name in sorted(known.keys() | here.keys()):
        if known.get(name) == here.get(name):
            continue
        if name not in here:
            problem = ("there is no such file", f"as in pararecover {own}")
        elif name not in known:
            problem = ("it is no part of the scoring code", f"only what pararecover {own} has")
        else:
            problem = (f"its SHA-256 is {here[name]}", f"{known[name]}, as in pararecover {own}")
        findings.add(name, *problem, AGAIN)
    if findings.count:
        return Check.of(ROOM, f"{len(here)} files; not run", findings)
    scored = _run(folder, files, findings)
    seen = f"{len(here)} files as in pararecover {own}; alone it scored {scored} gold plans"
    return Check.of(ROOM, seen, findings)


def _check_imports(folder: Path, names: Iterable[str], findings: Findings) -> None:
    for name in names:
        if not name.endswith(".py"):
            continue
        try:
            tree = ast.parse((folder / name).read_bytes(), name)
        except (SyntaxError, ValueError) as error:
            findings.add(name, f"no Python: {error}", "code that loads", AGAIN)
            continue
        for line, module in _imported(tree.body):
            if module not in sys.stdlib_module_names and module != ROOM:
                findings.add(
                    f"{name}, line {line}",
                    f"it imports {module}",
                    "the standard library and scoring alone; others inside functions",
                    AGAIN,
                )


def _imported(body: Iterable[ast.stmt]) -> Iterator[tuple[int, str]]:
    """Yield (line, top module) of all that is imported as soon as a module loads."""
    for statement in body:
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                yield statement.lineno, alias.name.partition(".")[0]
        elif isinstance(statement, ast.ImportFrom):
            if statement.level == 0 and statement.module:
                yield statement.lineno, statement.module.partition(".")[0]
        elif isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        elif isinstance(statement, ast.If) and ast.unparse(statement.test) == "TYPE_CHECKING":
            yield from _imported(statement.orelse)
        else:
            for field in ("body", "orelse", "finalbody", "handlers"):
                inner = getattr(statement, field, ())
                for one in inner:
                    yield from _imported(one.body if isinstance(one, ast.ExceptHandler) else [one])


def _run(folder: Path, files: Mapping[str, Digest], findings: Findings) -> int:
    """Score a few gold plans with a copy of the folder; return how many."""
    with TemporaryDirectory(prefix="pararecover-") as room:
        alone = Path(room)
        shutil.copytree(folder / ROOM, alone / ROOM, ignore=shutil.ignore_patterns("__pycache__"))
        rows = _write_rows(folder, files, alone)
        if not rows:
            findings.notes.append("no rows could be read to score")
        words = [sys.executable, "-I", "-S", "-B", "-c", _ALONE, str(alone)]
        words += ["--rows", "rows.jsonl", "--predictions", "gold.jsonl", "--json", "--quiet"]
        try:
            done = subprocess.run(
                words if rows else [*words[:7], "--help"],
                cwd=alone,
                capture_output=True,
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            findings.add(f"{ROOM}/", f"no end after {SECONDS} s", "scores", AGAIN)
            return 0
        if done.returncode:
            last = (done.stderr.decode(errors="replace").strip().splitlines() or ["nothing"])[-1]
            findings.add(
                f"{ROOM}/",
                f"alone it ends with {done.returncode}: {last}",
                "scores, from the standard library alone",
                AGAIN,
            )
        elif rows:
            _check_scores(done.stdout, rows, findings)
    return rows


def _check_scores(output: bytes, rows: int, findings: Findings) -> None:
    try:
        found = loads(output)
        # Recovery closure is the one item that every gold plan has in full.
        scores: Json = (found["n"], found["e2"])
    except (ValueError, TypeError, KeyError) as error:
        findings.add(f"{ROOM}/", f"no scores: {type(error).__name__}: {error}", "scores", AGAIN)
        return
    if scores != (rows, 100):
        findings.add(
            f"{ROOM}/",
            f"gold plans of {scores[0]} rows score {scores[1]} for recovery closure (E2)",
            f"100, of {rows} rows",
            AGAIN,
        )


def _write_rows(folder: Path, files: Mapping[str, Digest], alone: Path) -> int:
    """Write a few rows and their gold plans as predictions; return how many."""
    rows: list[Json] = []
    gold: list[Json] = []
    for name in sorted(name for name in files if name.endswith(".jsonl.gz")):
        try:
            with gzip.open(folder / name, "rb") as file:
                for line in islice(file, ROWS - len(rows)):
                    row = loads(line)
                    id, plan = row["instance_id"], loads(row["gold_plan"])
                    gold.append({"instance_id": id, "thought": "", "plan": plan})
                    rows.append(row)
        except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError):
            continue  # The rows' own check says what is wrong.
    for path, lines in (("rows.jsonl", rows), ("gold.jsonl", gold)):
        (alone / path).write_text("".join(json.dumps(line) + "\n" for line in lines))
    return len(rows)
