"""The commands that users type; each loads what it needs only when it runs."""

from __future__ import annotations

import click

from builder.commands.build import build_level1, build_level2, regenerate
from builder.commands.corpus import ingest, synthesize
from builder.commands.outcome import show_version
from builder.commands.rows import certify, inspect, kinds, sample


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@show_version
def main() -> None:
    """Build certified benchmarks of damaged tool-call plans.

    \b
    A first benchmark, from a corpus that is synthesised:
      pararecover build-level2 --rounds 3
      pararecover inspect level2-seed0
    From your own trajectories:
      pararecover build-level2 --rounds 3 --source button_instruct.jsonl
    """


for command in (
    build_level1,
    build_level2,
    regenerate,
    ingest,
    synthesize,
    certify,
    inspect,
    sample,
    kinds,
):
    main.add_command(command)

__all__ = ["build_level1", "build_level2", "main"]
