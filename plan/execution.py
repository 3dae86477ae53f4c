"""What happens when a call is sent, and what an agent sees of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from plan.json_text import Json

OK = "ok"
ERROR = "error"
TIMEOUT = "timeout"
EMPTY = "empty"


@dataclass(frozen=True, slots=True)
class Execution:
    """One call as the environment's log keeps it.

    Attributes:
        round: the round in which it ran, from 1.
        node: the task's id.
        name: the tool's name as sent.
        arguments: the arguments as sent, references resolved where they could be.
        outcome: ok, error, timeout or empty.
        result: what came back.
        cause: why it failed: unknown_tool, fault, reference, schema or value; "" if ok.
        at: JSON Pointer, into the arguments, of the place that failed; "" for the call.
        synthetic: no recording was at hand, the result was made up.
    """

    round: int
    node: str
    name: str
    arguments: Mapping[str, Json]
    outcome: str
    result: Json
    cause: str = ""
    at: str = ""
    synthetic: bool = False

    def observation(self) -> Observation:
        """Return what an agent sees."""
        return Observation(self.node, self.name, self.arguments, self.result)


@dataclass(frozen=True, slots=True)
class Observation:
    """What an agent sees of a call: its id, tool, arguments as sent, and results."""

    id: str
    name: str
    arguments: Mapping[str, Json]
    results: Json

    def to_json(self) -> dict[str, Json]:
        """Return the observation's spelling."""
        return {
            "id": self.id,
            "name": self.name,
            "arguments": self.arguments,
            "results": self.results,
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Json]) -> Observation:
        """Read an observation as `to_json` writes it."""
        return cls(value["id"], value["name"], value["arguments"], value["results"])


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault that the environment was asked for: ``kind`` is timeout or empty."""

    round: int
    node: str
    kind: str

    def to_json(self) -> dict[str, Json]:
        """Return the fault's spelling in a row."""
        return {"round": self.round, "node": self.node, "kind": self.kind}

    @classmethod
    def from_json(cls, value: Mapping[str, Json]) -> Fault:
        """Read a fault as `to_json` writes it."""
        return cls(value["round"], value["node"], value["kind"])


def is_empty(result: Json) -> bool:
    """Tell whether a result holds nothing: {}, [], "", null, or a text that says so."""
    if result is None or result == {} or result == []:
        return True
    return isinstance(result, str) and (not result.strip() or says_empty(result))


def says_empty(text: str) -> bool:
    """Tell whether a whole text only says that nothing was found."""
    return text.strip().rstrip(".!").casefold() in EMPTY_TEXTS


EMPTY_TEXTS = frozenset(
    {
        "no data",
        "no results",
        "no results found",
        "no records found",
        "no data available",
        "nothing found",
        "no matching records",
        "empty response",
        "empty result set",
        "0 results",
        "none",
        "null",
        "n/a",
    }
)
