"""Writes the README's tour: runs its commands in a temporary folder and keeps what they print.

Run from the repository's folder, installed: ``python -m scripts.readme_tour README.md``.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

BEGIN = "<!-- tour: begin; written by `make docs` from scripts/readme_tour.py -->"
END = "<!-- tour: end -->"


@dataclass(frozen=True, slots=True)
class Step:
    """A paragraph, the command or Python that it speaks of, and how much to show of it.

    Attributes:
        words: Markdown.
        code: a shell command, or Python if ``language`` says so.
        language: sh or python.
        until: a regular expression; from the first line that matches, output is left out.
    """

    words: str
    code: str
    language: str = "sh"
    until: str = ""


STEPS = (
    Step(
        "Build three hundred rows. A row has errors in each of its last two or three rounds; each "
        "row's labels are proved before it is written, and nothing is asked of the network.",
        "build-level2 --rounds 3 --size 300",
    ),
    Step(
        "Look at one. The agent holds G(t-1) and sees what the last round returned; below stand "
        "the labels, which it doesn't see, and a recovery that was run to the end.",
        "pararecover inspect level2-seed0 --width 94",
        until="^Others: ",
    ),
    Step(
        "Prove all of them again, from the files alone, with code that knows no injector. A "
        "flipped label, a changed argument or a changed byte ends in exit code 1.",
        "pararecover certify level2-seed0",
        until="^injected, certified",
    ),
    Step(
        "Read them with any parquet reader; [Rows](docs/rows.md) explains each column.",
        """\
import pyarrow.parquet as parquet

row = parquet.read_table("level2-seed0/data/level2").to_pylist()[0]
print(row["error_kinds"], "in the state of round", row["t"])
for error in row["errors"]:
    print(error["round"], error["origin"], error["kind"], error["node"] + error["pointer"])
""",
        "python",
    ),
    Step(
        "Let agents answer. Two built-in ones play the test split here: the oracle knows "
        "everything, blind retry calls again what failed and thinks no further. "
        "[A language model](docs/evaluate.md) does the same through any endpoint.",
        "pararecover run-agent oracle --rows level2-seed0 --split test --out oracle\n"
        "pararecover run-agent blind-retry --rows level2-seed0 --split test --out blind-retry",
    ),
    Step(
        "Score the answers by the [SDE rubric](docs/rubric.md), offline and the same every time. "
        "E5 counts the rounds that the damage had cost before the agent was asked, so the "
        "oracle's isn't 100.",
        "python -m scoring --rows level2-seed0 --split test \\\n"
        "  --predictions oracle --predictions blind-retry",
    ),
    Step(
        "Make a training set of the good answers; the test split never enters.",
        "pararecover run-agent oracle --rows level2-seed0 --split train --out teacher --quiet\n"
        "pararecover export-training sft --episodes teacher --rows level2-seed0 --out sft",
    ),
    Step(
        "Use trajectories of your own. Here three synthesised ones stand for them; a line that is "
        "no correct trajectory is listed with its place and reason, and never dropped silently.",
        "pararecover synthesize --n 3 --seed 1 --out button.jsonl\n"
        "pararecover ingest --source button.jsonl --out plans\n"
        "build-level1 --source button.jsonl --size 20 --out mine",
    ),
)


def render() -> str:
    """Return the tour as Markdown; raises CalledProcessError if a command fails."""
    with tempfile.TemporaryDirectory() as folder:
        return "\n".join(part for step in STEPS for part in show(step, Path(folder)))


def show(step: Step, folder: Path) -> Iterator[str]:
    """Run a step in a folder and yield its Markdown."""
    yield f"{step.words}\n"
    if step.language == "sh":
        yield "```console"
        for command in re.split(r"(?<!\\)\n", step.code):
            yield f"$ {command}"
            yield from shown_lines(run(["bash", "-c", command], folder), step.until)
    else:
        yield f"```{step.language}\n{step.code}```\n\n```text"
        yield from shown_lines(run([sys.executable, "-c", step.code], folder), step.until)
    yield "```\n"


def run(words: list[str], folder: Path) -> str:
    """Return what a command prints on both outputs, the environment's scripts being on PATH."""
    scripts = str(Path(sys.executable).parent)
    return subprocess.run(
        words,
        cwd=folder,
        env={**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "94"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
    ).stdout


def shown_lines(output: str, until: str) -> Iterator[str]:
    """Yield an output's lines up to the first that matches, blank ends removed."""
    lines = [line.rstrip() for line in output.strip().splitlines()]
    if until:
        cut = next((n for n, line in enumerate(lines) if re.search(until, line)), len(lines))
        lines = lines[:cut]
    while lines and not lines[-1]:
        lines.pop()
    yield from lines


def put_in(page: str, tour: str) -> str:
    """Return the README with the tour between its marks."""
    before, _, rest = page.partition(BEGIN)
    _, mark, after = rest.partition(END)
    if not mark:
        raise ValueError(f"README.md lacks the marks {BEGIN!r} and {END!r}")
    return f"{before}{BEGIN}\n\n{tour}\n{END}{after}"


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.write_text(put_in(path.read_text(encoding="utf-8"), render()), encoding="utf-8")
