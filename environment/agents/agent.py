"""What an agent is, and how its answer is spelled."""

from __future__ import annotations

from typing import Protocol

from environment.episode import Episode
from plan.json_text import dumps
from plan.state import State
from plan.task import Plan


class Agent(Protocol):
    """Answers states; one is made for each episode, and may remember it."""

    def answer(self, state: State) -> str:
        """Return the raw output for a state: a thought and G(t)."""
        ...


def spell(thought: str, plan: Plan) -> str:
    """Return an answer in the strict spelling."""
    return f"<thought>{thought}</thought>\n<plan>{dumps(plan.to_json())}</plan>"


def play(episode: Episode, agent: Agent) -> None:
    """Let an agent play an episode to its end, all calls being simulated."""
    while not episode.is_over:
        episode.give(agent.answer(episode.state))
