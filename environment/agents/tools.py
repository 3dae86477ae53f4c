"""A model in place of the simulation: it answers calls that were never recorded.

Which calls those are, and that they are legal, the world has said before; see
`Episode.waiting`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Sequence

from environment.episode import Episode
from plan.execution import Execution
from plan.json_text import Json, dumps

ATTEMPTS = 3

Message = dict[str, str]
"""A chat message: ``role`` (system, user or assistant) and ``content``."""

Ask = Callable[[Sequence[Message]], str]

SYSTEM = """\
You play the services behind a set of tools. You get one tool's definition, one call of it, and \
the calls that were made earlier in the same session with their results. Answer as the real \
service would: with plausible, specific data that agree with the arguments, with the earlier \
results, and with the tool's result schema where there is one. The same thing keeps its ids, \
names, prices and dates. The call is well-formed; only refuse it if it contradicts the earlier \
results, such as an id that they don't know.

Answer with one JSON object and nothing else: {"result": …} with what the tool returns, or \
{"error": "…"} with the service's error message."""

AGAIN = (
    'That is not one JSON object with either "result" or "error". Answer again with the JSON '
    "object alone."
)


def messages(episode: Episode, call: Execution) -> list[Message]:
    """Return what a model is asked about a call."""
    tool = episode.world.clean.tools[call.name]
    earlier = [
        {"name": seen.name, "arguments": seen.arguments, "results": seen.result}
        for seen in episode.log
        if seen.round < call.round
    ]
    asked = {
        "tool": tool.to_json(),
        "earlier_calls": earlier,
        "call": {"name": call.name, "arguments": call.arguments},
    }
    return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": dumps(asked)}]


def converse(
    episode: Episode, call: Execution, *, attempts: int = ATTEMPTS
) -> Generator[list[Message], str, None]:
    """Ask for one waiting call's result and settle it, whoever carries the messages.

    Yields messages, takes the model's text for each; malformed answers are asked for again.
    After the last attempt the call fails, as a service that can't be reached does.
    """
    said = messages(episode, call)
    for _ in range(attempts):
        text = yield said
        found = read(text)
        if found is not None:
            result, failed = found
            episode.settle(call.node, result, failed=failed)
            return
        said = [
            *said,
            {"role": "assistant", "content": text},
            {"role": "user", "content": AGAIN},
        ]
    refusal = {"error": f"{call.name} is not available at the moment."}
    episode.settle(call.node, refusal, failed=True)


def read(text: str) -> tuple[Json, bool] | None:
    """Return the result and whether it is an error; None if the text is no such answer."""
    start, end = text.find("{"), text.rfind("}")
    try:
        value = json.loads(text[start : end + 1])
        dumps(value)
    except (ValueError, TypeError, RecursionError):
        return None
    if not isinstance(value, dict) or len(value) != 1:
        return None
    if "error" in value:
        return {"error": value["error"]}, True
    return (value["result"], False) if "result" in value else None


class ToolAgent:
    """Answers an episode's waiting calls by asking a model, one after another."""

    __slots__ = ("_ask", "_attempts")

    def __init__(self, ask: Ask, *, attempts: int = ATTEMPTS) -> None:
        """Take what carries messages to the model and brings its text back."""
        self._ask = ask
        self._attempts = attempts

    def settle(self, episode: Episode) -> None:
        """Give every waiting call its result."""
        for call in episode.waiting:
            talk = converse(episode, call, attempts=self._attempts)
            said = next(talk)
            try:
                while True:
                    said = talk.send(self._ask(said))
            except StopIteration:
                continue
