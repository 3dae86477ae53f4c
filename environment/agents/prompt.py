"""The prompt of a replanner: what a model is told, and how a state is shown to it.

The requirements are those of ParaRecover, section 2 (the agent maps G(t-1) and O(t) to a
thought and G(t)), in our own words.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

from plan.json_text import Json, dumps
from plan.state import State

PROMPT_VERSION = "1"
"""Raised by hand when the wording's meaning changes; `prompt_hash` tells any change."""

Message = dict[str, str]
"""A chat message: ``role`` (system, user or assistant) and ``content``."""

SYSTEM = """\
You are the planner of a tool-using agent. The work is a plan: a directed acyclic graph whose \
nodes are tool calls. It is executed in rounds. In each round every pending task whose \
dependencies have all been sent is executed, all of them in parallel. After each round you get \
the state, find out what went wrong, if anything, and write the plan anew.

# What you get

One JSON object:
- "round": t, the round that has just been executed.
- "query": what the user asked for.
- "tools": the tools that may be called, with their parameters as JSON Schema.
- "history": the earlier rounds, each with the plan before it and what its calls returned.
- "plan": the plan before round t.
- "observations": what the calls of round t returned: the task's id, the tool's name, the \
arguments as they were sent, and the results. It is empty if nothing could be executed.

# What a task is

- "id": a text, unique in the plan.
- "name": the tool's name, exactly as in "tools".
- "para": the arguments, an object.
- "desc": what the call is for; once it was sent, its result's text is appended.
- "dep": ids of the tasks that must have been sent before it; ["root"] if there are none.
- "status": true once the call was sent, whatever came back; false while it is pending.
"root" is the query and "response" the final answer to the user. Both are always in the plan. \
"response" depends on the tasks whose results nothing else uses, and ends the work when it is \
executed.

Inside "para" a result of another task is written as a reference, never in prose:
- {"$ref": "ID#/POINTER"}: the value at a JSON Pointer in the result of task ID, such as \
{"$ref": "3#/flights/0/price"}; "ID#" is the whole result.
- {"$concat": ["text ", {"$ref": "3#/city"}]}: a text with results inside it.
- {"$computed": [{"$ref": "3#/a"}, {"$ref": "4#/b"}]}: a value that has to be worked out from \
results. Keep such a value as it is, also when you make its call again: what you word or reckon \
yourself may come out otherwise.
A task that refers to another lists it in "dep". Values that you know may be written as they are.

# What to do

1. Read the plan against the query, the tools and the history, and the observations against the \
calls that were sent. Say which tasks ran, and for each whether it did what it was meant to do: \
a call can fail openly, return nothing, time out, or return a result that looks fine and is wrong \
because the call was.
2. If something is wrong, find the root cause and not only the symptom: which task, which \
parameter, dependency or tool, in which round. Errors may be older than this round, there may be \
several, and some have not shown yet because their task is still pending. Look for:
   - dependencies that are wrong, missing or needless: a task must wait for what it uses, and for \
nothing that is independent of it;
   - parameters that are misnamed, missing, of the wrong type, or impossible in content;
   - tools that don't exist, or that are the wrong ones for the purpose;
   - calls that are missing, and calls that serve nothing;
   - results that are empty, and calls that timed out.
3. Say what it affects: which later tasks used a wrong or missing result, or are going to.
4. Repair it with the smallest change that makes the whole query succeed in the fewest rounds:
   - Keep tasks that were sent exactly as they are (id, name, para, dep); they are history. To \
make a call again, add a new task with a new id, and let the tasks that need its result depend \
on it and refer to it. This goes for every later task that ran on a wrong result too.
   - A failure that passes, such as a timeout or an empty result of a call that was right, needs \
the same call again.
   - Change pending tasks in place, and only those that are wrong. Leave sound tasks alone.
   - Remove pending tasks that serve nothing. Add none that the query doesn't need.
   - Independent tasks run in parallel: give each only the dependencies that it needs.
   - Call only tools of the list, with all required parameters, no others than the tool has, and \
values of the right type.
   - Serve the whole query, all of it and nothing else.
5. If nothing is wrong, change nothing but what point 6 asks for.
6. Bring the plan up to date: set "status" to true for the tasks that were executed in round t, \
whatever came back, and leave the others as they are; append the text of each one's result to its \
"desc". Do not set the status of "response".
7. Claim only what the state shows. Name tasks by their ids, tools and parameters by their names, \
and quote the values and messages that you rely on. Invent no ids, tools, values or results.

# How to answer

Exactly two blocks, and nothing before, between or after them:

<thought>
your reasoning, in plain text: what ran, what is wrong, its root cause, what it affects, how the \
plan is repaired
</thought>
<plan>
{"tasks": [{"id": "root", "name": "root", "para": {}, "desc": "…", "dep": [], "status": true}, …]}
</plan>

The plan is complete, root and response included, and strict JSON: double quotes, true, false and \
null, no comments, no trailing commas, no code fence. Each task has exactly the keys id, name, \
para, desc, dep and status."""


def messages(state: State, demonstrations: Sequence[tuple[State, str]] = ()) -> list[Message]:
    """Return the chat that asks for the answer to a state.

    The same state always gives the same text. Nothing but the state's inputs is in it.

    Args:
        state: the state at round t.
        demonstrations: other states with a good answer to each, shown before (few-shot).
    """
    chat = [{"role": "system", "content": SYSTEM}]
    for shown, answer in demonstrations:
        chat.append({"role": "user", "content": state_text(shown)})
        chat.append({"role": "assistant", "content": answer})
    chat.append({"role": "user", "content": state_text(state)})
    return chat


def state_text(state: State) -> str:
    """Return a state as one JSON object.

    What stays the same over an episode stands first, so that a provider that caches the
    beginnings of prompts has something to reuse.
    """
    parts: dict[str, Json] = {
        "query": state.query,
        "tools": [tool.to_json() for tool in state.tools.values()],
        "history": [past.to_json() for past in state.history],
        "round": state.round,
        "plan": state.plan.to_json(),
        "observations": [seen.to_json() for seen in state.observations],
    }
    return "{" + ",\n".join(f'"{key}":{dumps(value)}' for key, value in parts.items()) + "}"


def prompt_hash(demonstrations: Sequence[tuple[State, str]] = ()) -> str:
    """Return a hash of all that a model is told besides the state."""
    told = [PROMPT_VERSION, SYSTEM, *([state_text(s), answer] for s, answer in demonstrations)]
    return blake2b(dumps(told).encode(), digest_size=8).hexdigest()
