"""The built-in agents by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

from environment.agents.agent import Agent
from environment.agents.baselines import BlindRetry, DoNothing, Restart
from environment.agents.names import BLIND_RETRY, DO_NOTHING, NOISY_ORACLE, ORACLE, RESTART
from environment.agents.noise import NoisyOracle
from environment.agents.oracle import Oracle
from environment.episode import Episode


def make_agent(
    name: str, episode: Episode, lots: Random, shares: Mapping[str, float] | None = None
) -> Agent:
    """Return the agent of a name for one episode.

    Args:
        name: one of `names.AGENTS`.
        episode: the episode that it is to play; the oracles look into it.
        lots: the episode's own generator.
        shares: of the noisy oracle, the probability with which each item is spoilt.

    Raises:
        KeyError: there is no such agent.
    """
    if name == NOISY_ORACLE:
        return NoisyOracle(episode, shares or {}, lots)
    if name == ORACLE:
        # Both begin with the same draw: they differ in what is spoilt, and only in that.
        return Oracle(episode, Random(lots.getrandbits(64)))
    simple: Mapping[str, Callable[[], Agent]] = {
        DO_NOTHING: DoNothing,
        RESTART: Restart,
        BLIND_RETRY: BlindRetry,
    }
    return simple[name]()
