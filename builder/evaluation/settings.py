"""What an evaluation is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from builder.refusal import Refusal
from environment.agents.names import AGENTS, NOISY_ORACLE
from plan.json_text import Json
from scoring import rule_judge

PROVIDER = "pararecover"
"""What inspect-ai knows the built-in agents by, as models."""

BUILT_IN = tuple(name for name in AGENTS if name != NOISY_ORACLE)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model and where it is asked.

    Attributes:
        model: as inspect-ai names it, ``provider/name``.
        base_url: the endpoint; None for the provider's own, or its environment variable.
        api_key: the key; None for the provider's environment variable. Never written
            anywhere, and left out of this object's text.
    """

    model: str
    base_url: str | None = None
    api_key: str | None = None

    def __repr__(self) -> str:
        return f"Endpoint({self.model!r}, {self.base_url!r})"


@dataclass(frozen=True, slots=True)
class Sampling:
    """How the model draws its answers; None leaves it to the endpoint."""

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None

    def given(self) -> dict[str, Json]:
        """Return what isn't left to the endpoint, by name."""
        values = {field: getattr(self, field) for field in self.__dataclass_fields__}
        return {name: value for name, value in values.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Transport:
    """How patiently an endpoint is asked; changes no answer.

    Attributes:
        max_connections: requests under way at once.
        max_retries: how often one request is sent again after a fault that may pass.
        timeout: seconds until one attempt at a request is given up; None for no bound.
        cache: whether answers are kept on disk as they come.
    """

    max_connections: int = 10
    max_retries: int = 8
    timeout: int | None = None
    cache: bool = True


@dataclass(frozen=True, slots=True)
class Settings:
    """One evaluation.

    Attributes:
        rows: a build's or a release's folder, or a file of rows.
        split: train, validation or test.
        level: level1 or level2; None for both.
        limit: the first so many rows of each level; None for all.
        agent: the model under test.
        judge: the model that judges; None for the rule judge.
        single: ask for one answer only, and execute nothing.
        epochs: how often every row is played.
        sampling: how answers are drawn.
        transport: how patiently endpoints are asked.
    """

    rows: Path
    agent: Endpoint
    split: str = "test"
    level: str | None = None
    limit: int | None = None
    judge: Endpoint | None = None
    single: bool = False
    epochs: int = 1
    sampling: Sampling = Sampling()
    transport: Transport = Transport()

    def arguments(self) -> dict[str, Json]:
        """Return what the answers and scores depend on, the rows themselves aside."""
        return {
            "split": self.split,
            "level": self.level,
            "limit": self.limit,
            "model": self.agent.model,
            "judge": self.judge.model if self.judge else rule_judge.NAME,
            "single": self.single,
            "epochs": self.epochs,
            "sampling": self.sampling.given(),
        }


def check_url(url: str | None, option: str) -> None:
    """Refuse an endpoint that carries a password: it would stand in every log."""
    from urllib.parse import urlsplit

    if url is None:
        return
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        parts, host = None, None
    if parts is None or parts.scheme not in ("http", "https") or not host:
        raise Refusal(
            option, f"{url!r} is no address", "such as http://127.0.0.1:8000/v1", "check it"
        )
    if parts.username or parts.password or parts.query:
        raise Refusal(
            option,
            "the address carries a name, a password or a query",
            "an address without secrets, since logs hold it",
            "give the key in an environment variable, and its name with --api-key-env",
        )
