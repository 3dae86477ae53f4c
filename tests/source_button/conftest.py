"""Records in BUTTON's format, made by tests."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

Json = Any
Step = tuple[str, dict[str, Json], Json]


def _tool(name: str, arguments: dict[str, Json]) -> dict[str, Json]:
    return {
        "name": name,
        "description": f"Does {name}. And more.",
        "parameters": {key: {"description": key} for key in arguments},
        "required": [],
    }


def _record(
    *turns: Sequence[Step] | str, query: str = "Please help.", thought: str = "Next."
) -> dict[str, Json]:
    """Return a record of turns; a text is a further user message before the next turn."""
    tools: dict[str, dict[str, Json]] = {}
    messages: list[dict[str, str]] = [{"role": "user", "content": query}]
    for turn in turns:
        if isinstance(turn, str):
            messages.append({"role": "assistant", "content": "Tell me more."})
            messages.append({"role": "user", "content": turn})
            continue
        for name, arguments, _ in turn:
            made = tools.setdefault(name, _tool(name, arguments))
            made["parameters"].update(_tool(name, arguments)["parameters"])
        calls = [{"name": name, "arguments": arguments} for name, arguments, _ in turn]
        results = [{"name": n, "arguments": a, "results": r} for n, a, r in turn]
        messages.append(
            {"role": "assistant", "content": f"{thought} <call>{json.dumps(calls)}</call>"}
        )
        messages.append({"role": "tool", "content": json.dumps(results)})
    messages.append({"role": "assistant", "content": "<final>Done.</final>"})
    system = f"You have tools: <tool>{json.dumps(list(tools.values()))}</tool>"
    return {"messages": [{"role": "system", "content": system}, *messages]}


@pytest.fixture(scope="session")
def record() -> Callable[..., dict[str, Json]]:
    """Make a record from turns of (tool, arguments, result)."""
    return _record
