"""Runs a plan to its end, one round after another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from environment.careless import advance
from environment.rightness import is_solved
from environment.world import World
from plan.execution import Execution
from plan.task import RESPONSE, Plan

MAXIMUM_ROUNDS = 40
"""The paper's bound (appendix H); all rounds count, those already spent included."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended.

    ``round`` is the one in which the response ran, or None if it never did; ``solved``
    whether the response ran and every clean call had been made rightly.
    """

    round: int | None
    solved: bool
    log: tuple[Execution, ...]


def run_to_end(world: World, plan: Plan, log: Sequence[Execution], after: int) -> Ending:
    """Execute a plan, changing nothing but statuses, from the round after ``after`` on."""
    done = list(log)
    for round in range(after + 1, MAXIMUM_ROUNDS + 1):
        frontier = plan.frontier()
        if not frontier:
            break
        executions = world.run(plan, done, round, {})
        done += executions
        if RESPONSE in frontier:
            return Ending(round, is_solved(world.clean, done), tuple(done))
        plan = advance(plan, executions)
    return Ending(None, False, tuple(done))
