"""Tools: what an agent may call, with parameters as a JSON Schema object."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from plan.json_text import Json


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool of a trajectory's list.

    Attributes:
        name: the exact name that a call must give.
        description: what the tool does.
        parameters: JSON Schema of type object, with ``properties`` and ``required``.
        returns: JSON Schema of the result, or None where the source gives none.
    """

    name: str
    description: str
    parameters: Mapping[str, Json]
    returns: Mapping[str, Json] | None = None

    @property
    def properties(self) -> Mapping[str, Json]:
        """Each parameter's JSON Schema by name."""
        return self.parameters.get("properties") or {}

    @property
    def required(self) -> list[str]:
        """Names of the parameters that a call must give, in the schema's order."""
        return self.parameters.get("required") or []

    @property
    def is_open(self) -> bool:
        """Whether the schema says that further parameters are welcome."""
        extra = self.parameters.get("additionalProperties", False)
        return extra is True or isinstance(extra, dict)

    def to_json(self) -> dict[str, Json]:
        """Return the tool as rows spell it."""
        text: dict[str, Json] = {
            "name": self.name,
            "description": self.description,
            "parameters": self.parameters,
        }
        if self.returns is not None:
            text["returns"] = self.returns
        return text

    @classmethod
    def from_json(cls, value: Mapping[str, Json]) -> Tool:
        """Read a tool as `to_json` writes it."""
        return cls(value["name"], value["description"], value["parameters"], value.get("returns"))


def describe(tool: Tool) -> str:
    """Return what a call of the tool is for: the first sentence of its description."""
    text = " ".join(tool.description.split())
    end = text.find(". ")
    sentence = text if end < 0 else text[: end + 1]
    return sentence or tool.name
