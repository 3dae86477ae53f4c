"""The commands that users type; each loads what it needs only when it runs."""

from __future__ import annotations

import click

from builder.commands.agents import run_agent
from builder.commands.build import build_level1, build_level2, regenerate
from builder.commands.corpus import ingest, synthesize
from builder.commands.evaluate import evaluate
from builder.commands.outcome import SETTINGS, examples, show_version
from builder.commands.push import push_release
from builder.commands.release import release
from builder.commands.releases import diff, verify
from builder.commands.rows import certify, inspect, kinds, sample
from builder.commands.training import export_training


@click.group(
    context_settings=SETTINGS,
    epilog=examples(
        "pararecover build-level2 --rounds 3",
        "pararecover inspect level2-seed0",
        "pararecover build-level2 --rounds 3 --source button_instruct.jsonl",
        title="A first benchmark, then one of your own trajectories",
    ),
)
@show_version
def main() -> None:
    """Build certified benchmarks of damaged tool-call plans."""


for command in (
    build_level1,
    build_level2,
    regenerate,
    ingest,
    synthesize,
    certify,
    release,
    verify,
    diff,
    push_release,
    inspect,
    sample,
    kinds,
    run_agent,
    evaluate,
    export_training,
):
    main.add_command(command)

__all__ = ["build_level1", "build_level2", "main", "push_release"]
