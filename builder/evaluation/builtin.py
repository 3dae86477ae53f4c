"""A built-in agent as an inspect-ai model: offline, free, the same every time.

It answers as a model does, in text, so everything but the endpoint is as in a real run.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, modelapi
from inspect_ai.tool import ToolChoice, ToolInfo

from builder.evaluation.settings import PROVIDER
from environment.agents.agent import Agent
from environment.agents.roster import make_agent
from environment.episode import Episode
from plan.state import State

# An agent remembers its episode, an oracle knows more than a prompt says, and a model is
# only given a prompt; each sample's task has a value of its own here.
_asked: ContextVar[tuple[Agent, State]] = ContextVar("asked")


@contextmanager
def asked_of(agent: Agent | None, state: State) -> Iterator[None]:
    """Say which agent of which episode a built-in model speaks for, and what it is shown."""
    if agent is None:
        yield
        return
    token = _asked.set((agent, state))
    try:
        yield
    finally:
        _asked.reset(token)


@modelapi(name=PROVIDER)
class BuiltIn(ModelAPI):
    """Asks one of the built-in agents."""

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Return the agent's answer to the state that is being asked about."""
        agent, state = _asked.get()
        return ModelOutput.from_content(model=self.model_name, content=agent.answer(state))


def built_in(model: str, episode: Episode) -> Agent | None:
    """Return the agent that plays an episode, or None where the model isn't a built-in one."""
    provider, _, name = model.partition("/")
    if provider != PROVIDER:
        return None
    return make_agent(name, episode, episode.world.lots(name))
