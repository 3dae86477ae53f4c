"""Bad inputs as folders: what a user sees when an input, a folder or an option is wrong.

Each folder of ``tests/bad_input`` is a case: ``input.*`` (or ``make.py``, which writes it),
``command.txt`` (else ``pararecover ingest --source input.jsonl --out out``) and ``error.txt``,
the exit code, what stood on the standard error, the rejects and the plans' warnings.
``command.txt`` may begin with lines that prepare the case:

    @folder NAME       make a folder
    @file NAME         make a small file
    @mode MODE NAME    set permission bits
    @no-override       let permission bits bind even for root
    @file-size BYTES   no file may grow past this, as on a full disk

To write every ``error.txt`` from what happens now, and read the difference afterwards:
``BAD_INPUT_WRITE=1 pytest tests/test_bad_input.py``.
"""

from __future__ import annotations

import configparser
import ctypes
import json
import os
import resource
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
CASES = sorted(path for path in (ROOT / "tests" / "bad_input").iterdir() if path.is_dir())
INGEST = "pararecover ingest --source input.jsonl --out out"

# From linux/prctl.h and linux/capability.h.
PR_CAPBSET_DROP = 24
CAP_DAC_OVERRIDE = 1
CAP_DAC_READ_SEARCH = 2


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_bad_input(case: Path, tmp_path: Path) -> None:
    for file in case.iterdir():
        if file.name not in ("command.txt", "error.txt"):
            shutil.copy(file, tmp_path / file.name)
    if (case / "make.py").exists():
        subprocess.run([sys.executable, "make.py"], cwd=tmp_path, check=True)
    command_file = case / "command.txt"
    lines = command_file.read_text().splitlines() if command_file.exists() else [INGEST]
    restrict = prepare([line[1:].split() for line in lines if line.startswith("@")], tmp_path)
    before = sorted(tmp_path.rglob("*"))
    (command,) = (line for line in lines if not line.startswith("@"))
    try:
        done = run(shlex.split(command), tmp_path, restrict)
    except subprocess.SubprocessError as error:
        pytest.skip(f"root can't give up its power over permission bits here: {error}")

    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode in (0, 1, 2), done
    assert len(done.stderr) < 20_000, "an error repeats its input"
    if done.returncode == 2:
        assert done.stderr.strip(), "exit code 2 without a word"
        left = [path for path in tmp_path.rglob("*") if path not in before and path.is_file()]
        assert not left or "full_disk" in case.name, f"left behind: {left}"
    account_for_lines(tmp_path / "out")

    seen = report(done, tmp_path)
    golden = case / "error.txt"
    if os.environ.get("BAD_INPUT_WRITE"):
        golden.write_text(seen, encoding="utf-8")
    assert seen == golden.read_text(encoding="utf-8")


def prepare(directives: list[list[str]], folder: Path) -> list[Callable[[], None]]:
    """Carry out the case's directives; return what the child must do before it starts."""
    restrict: list[Callable[[], None]] = []
    for name, *values in directives:
        match name:
            case "folder":
                (folder / values[0]).mkdir()
            case "file":
                (folder / values[0]).write_text("Not yours.\n")
            case "mode":
                (folder / values[1]).chmod(int(values[0], 8))
            case "no-override":
                if os.geteuid() == 0:
                    restrict.append(drop_override)
            case "file-size":
                limit = int(values[0])
                restrict.append(partial(resource.setrlimit, resource.RLIMIT_FSIZE, (limit, limit)))
            case _:
                raise ValueError(f"command.txt: @{name} is no directive")
    return restrict


def drop_override() -> None:
    """Give up root's power over permission bits, for this process and what it executes."""
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
        if libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl")


def run(
    words: list[str], folder: Path, restrict: list[Callable[[], None]]
) -> subprocess.CompletedProcess[str]:
    """Run a console script of setup.cfg as a user would, in the folder, without a terminal."""
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    scripts = dict(
        line.split(" = ")
        for line in setup["options.entry_points"]["console_scripts"].split("\n")
        if line
    )
    module, function = scripts[words[0]].split(":")
    start = f"import sys; sys.argv[0] = {words[0]!r}; from {module} import {function} as run; run()"

    def before_it_starts() -> None:
        for step in restrict:
            step()

    return subprocess.run(
        [sys.executable, "-c", start, *words[1:]],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100", "NO_COLOR": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=120,
        check=False,
        preexec_fn=before_it_starts,
    )


def account_for_lines(out: Path) -> None:
    """Check that lines read = plans + rejects + blank lines, where a command said so."""
    if not (out / "summary.json").exists():
        return
    summary = json.loads((out / "summary.json").read_text())
    read = summary["lines"]
    assert read == summary["plans"] + summary["rejects"] + summary["blank"], summary
    assert len(records(out / "plans.jsonl")) == summary["plans"]
    assert len(records(out / "rejects.jsonl")) == summary["rejects"]


def records(path: Path) -> list[dict[str, Any]]:
    """Return the records of a JSONL file; none where there is no file."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def report(done: subprocess.CompletedProcess[str], folder: Path) -> str:
    """Return what error.txt holds, with the temporary folder's path taken out."""
    parts = [f"exit {done.returncode}"]
    if done.stderr.strip():
        parts += ["", "standard error:", *done.stderr.strip().splitlines()]
    rejects = records(folder / "out" / "rejects.jsonl")
    if rejects:
        parts += ["", "rejects:"]
        for reject in rejects:
            parts.append(f"{reject['file']}:{reject['line']}: {problem(reject)}")
            parts += [f"  also {problem(other)}" for other in reject.get("also", [])]
    plans = records(folder / "out" / "plans.jsonl")
    if plans:
        parts += ["", "plans:"]
        for plan in plans:
            parts.append(f"{plan['source']['file']}:{plan['source']['line']}")
            parts += [f"  warning {problem(warning)}" for warning in plan["warnings"]]
    text = "\n".join(line.rstrip() for line in parts) + "\n"
    return text.replace(f"{folder}/", "").replace(str(folder), ".")


def problem(value: dict[str, Any]) -> str:
    """Return a problem as people read it."""
    return f"{value['path'] or '/'}: {value['message']} [{value['code']}]"
