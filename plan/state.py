"""The state at a round: what an agent has before it, and what the damage starts from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from plan.execution import Observation
from plan.json_text import Json
from plan.task import Plan
from plan.tool import Tool


@dataclass(frozen=True, slots=True)
class Round:
    """One round of the history: G(round-1) and O(round)."""

    round: int
    plan: Plan
    observations: tuple[Observation, ...]

    def to_json(self) -> dict[str, Json]:
        """Return the round's spelling in a row's ``history``."""
        return {
            "round": self.round,
            "plan": self.plan.to_json(),
            "observations": [seen.to_json() for seen in self.observations],
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Json]) -> Round:
        """Read a round as `to_json` writes it."""
        return cls(
            value["round"],
            Plan.from_json(value["plan"]),
            tuple(Observation.from_json(seen) for seen in value["observations"]),
        )


@dataclass(frozen=True, slots=True)
class State:
    """The state at round t, as an agent sees it.

    Attributes:
        round: t, from 1.
        query: what the user asked for.
        tools: the tool list by name.
        plan: G(t-1).
        observations: O(t); empty where round t hasn't run yet.
        history: (G(0), O(1)), …, (G(t-2), O(t-1)).
    """

    round: int
    query: str
    tools: Mapping[str, Tool]
    plan: Plan
    observations: tuple[Observation, ...] = ()
    history: tuple[Round, ...] = ()
