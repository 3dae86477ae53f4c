"""Examples: a decision as chat messages, its answer as one assistant turn."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

from builder.training.decisions import Decision
from environment.agents.agent import spell
from environment.agents.prompt import messages
from plan.json_text import Json, dump_bytes, dumps
from plan.reference import has_reference
from plan.state import State
from plan.task import Plan
from plan.tool import Tool
from scoring.answer import plan_json

TEXT = "text"
TOOL_CALLS = "tool-calls"

Message = dict[str, Json]
"""A chat message: ``role``, ``content``, and with tool calls ``tool_calls``."""

UNREADABLE = "no plan can be read"
UNSPELLABLE = "a value can't be written as JSON"
BLANK = "the answer is empty"
NOT_RECORDED = "no record of what was sent"
NOTHING_TO_CALL = "nothing is called"
UNRESOLVED = "a call's input could not be resolved"

CALLING = """\
You are an agent that fulfils a user's request with tools, in rounds. A plan says which calls \
there are to make; it may hold mistakes, and so may what has been sent.

You get one JSON object:
- "query": what the user asked for.
- "history": the earlier rounds, each with the plan before it and what its calls returned.
- "round": the round that has just been executed.
- "plan": the plan before that round. A task has an id, a tool's name, its arguments in "para" \
({"$ref": "3#/price"} stands for the value at /price in the result of task 3), the tasks that it \
waits for in "dep", and a status: true once it was sent.
- "observations": what the calls of that round returned.

Say first what ran, what is wrong if anything is, its root cause, what it affects, and how you \
repair it. Name tasks, tools, parameters and values as they stand there and invent none. Then \
call, all in parallel, every tool that can be called now and that the query still needs: with \
values in place of references, all required parameters and no unknown ones. What went well is \
not called again; what failed or was called wrongly is. Calls that need results that are not \
there yet wait for a later round."""


def prompt(state: State, style: str) -> list[Message]:
    """Return the system and the user message that ask for an answer to a state."""
    if style == TEXT:
        return [dict(message) for message in messages(state)]
    # The tools are given by the chat template, from a column of their own.
    parts: dict[str, Json] = {
        "query": state.query,
        "history": [past.to_json() for past in state.history],
        "round": state.round,
        "plan": state.plan.to_json(),
        "observations": [seen.to_json() for seen in state.observations],
    }
    text = ",\n".join(f'"{key}":{dumps(value)}' for key, value in parts.items())
    return [
        {"role": "system", "content": CALLING},
        {"role": "user", "content": f"{{{text}}}"},
    ]


def good_turn(decision: Decision, style: str) -> Message | str:
    """Return an answer as an assistant turn to be learnt, or why it can't be one.

    As text it is spelled just as the prompt asks, however it was spelled before.
    """
    plan = decision.answer.plan
    if plan is None:
        return UNREADABLE
    try:
        written = plan_json(plan)
        dump_bytes(written)
        turn = (
            _text_turn(spell(decision.answer.thought, Plan.from_json(written)))
            if style == TEXT
            else _calling_turn(decision)
        )
        dump_bytes(turn)
    except TypeError:
        return UNSPELLABLE
    return turn


def bad_turn(decision: Decision, style: str) -> Message | str:
    """Return an answer as an assistant turn to be avoided, or why it can't be one.

    As text, an answer that isn't spelled as the prompt asks stays as it was: that is part of
    what is bad about it.
    """
    if style == TEXT and decision.output is not None and not decision.answer.is_strict:
        return _text_turn(decision.output) if decision.output.strip() else BLANK
    return good_turn(decision, style)


def _text_turn(text: str) -> Message:
    return {"role": "assistant", "content": text}


def _calling_turn(decision: Decision) -> Message | str:
    if decision.sent is None:
        return NOT_RECORDED
    if not decision.sent:
        return NOTHING_TO_CALL
    if any(has_reference(seen.arguments) for seen in decision.sent):
        return UNRESOLVED
    return {
        "role": "assistant",
        "content": decision.answer.thought,
        "tool_calls": [
            {
                "type": "function",
                "id": _call_id(decision.state, seen.id),
                "function": {"name": seen.name, "arguments": seen.arguments},
            }
            for seen in decision.sent
        ],
    }


def _call_id(state: State, node: str) -> str:
    """Return nine letters and digits, which is what the strictest chat templates ask for."""
    key = dump_bytes([state.query, state.round, node])
    return blake2b(key, digest_size=8).hexdigest()[:9]


def function_tools(tools: Iterable[Tool]) -> list[Json]:
    """Return a tool list in OpenAI's form, as chat templates take it."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.parameters,
            },
        }
        for tool in tools
    ]
