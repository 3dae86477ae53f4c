"""What is counted and measured while an export runs."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from builder.training.files import Example
from builder.training.holdout import KIN, TEST
from plan.json_text import Json, dumps

CHARACTERS_PER_TOKEN = 4
"""A rough figure for English text and JSON; every tokenizer has its own."""
LONGEST = 5

ADMITTED = "admitted"
OTHER_SPLIT = "another split"
UNKNOWN = "unknown row"
LINES = (ADMITTED, TEST, KIN, OTHER_SPLIT, UNKNOWN)


@dataclass(slots=True)
class Tally:
    """What is counted while an export runs."""

    lines: Counter[str] = field(default_factory=Counter)
    answers: Counter[str] = field(default_factory=Counter)
    later: Counter[str] = field(default_factory=Counter)
    states: Counter[str] = field(default_factory=Counter)
    examples: Counter[str] = field(default_factory=Counter)
    points: dict[str, Counter[int]] = field(default_factory=dict)
    agents: dict[str, Counter[str]] = field(default_factory=dict)
    kinds: Counter[str] = field(default_factory=Counter)
    lengths: dict[str, list[int]] = field(default_factory=dict)
    longest: list[tuple[int, str]] = field(default_factory=list)

    def note(self, agent: str, what: str) -> None:
        """Count something of an agent."""
        self.agents.setdefault(agent, Counter())[what] += 1

    def add(self, other: Tally) -> None:
        """Add another tally's counts of answers, states, agents and kinds."""
        for mine, more in (
            (self.answers, other.answers),
            (self.later, other.later),
            (self.states, other.states),
            (self.kinds, other.kinds),
        ):
            mine.update(more)
        for agent, counts in other.agents.items():
            self.agents.setdefault(agent, Counter()).update(counts)
        for agent, values in other.points.items():
            self.points.setdefault(agent, Counter()).update(values)

    def measure(self, example: Example) -> None:
        """Take an example's lengths."""
        sizes = {part: _length(example[part]) for part in _MEASURED if part in example}
        if "messages" in example:
            *before, last = example["messages"]
            sizes = {**sizes, "prompt": _length(before), "completion": _length([last])}
        for part, size in sizes.items():
            self.lengths.setdefault(part, []).append(size)
        entry = sizes["prompt"] + sizes.get("tools", 0), example["instance_id"]
        if len(self.longest) < LONGEST:
            heapq.heappush(self.longest, entry)
        else:
            heapq.heappushpop(self.longest, entry)


_MEASURED = ("prompt", "completion", "chosen", "rejected", "tools")


def _length(items: Sequence[Mapping[str, Json]]) -> int:
    """Return the characters of messages' contents and calls, or of tools' JSON text."""
    return sum(
        len(item["content"]) + sum(len(dumps(call)) for call in item.get("tool_calls", ()))
        if "content" in item
        else len(dumps(item))
        for item in items
    )
