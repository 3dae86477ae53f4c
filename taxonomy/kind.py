"""What an error kind is."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Protocol

from plan.clean import CleanPlan
from plan.damage import Damage, Finding
from plan.json_text import Json
from plan.state import State

STRUCTURAL = "Structural-related"
PARAMETER = "Parameter-related"
TOOL = "Tool-related"
DIMENSIONS = (STRUCTURAL, PARAMETER, TOOL)


class Injector(Protocol):
    """Offers every possible damage of one kind, lazily and without drawing lots."""

    def __call__(
        self, state: State, clean: CleanPlan, *, only: Collection[str] | None = None
    ) -> Iterator[Damage]:
        """Yield the damages to pending tasks of ``state.plan``, those of one task together.

        ``only`` names the tasks that may be damaged or changed along with it (``response``
        always may); None means every pending one.
        """


@dataclass(frozen=True, slots=True)
class Example:
    """A damage that must be among those offered; examples are tests.

    Attributes:
        title: what it shows.
        clean: the plan it starts from.
        round: the round of the state, everything before having gone well.
        node: the damaged task.
        pointer: the damaged place in it.
        before: what stood there.
        after: what the damage puts there.
        found: whether the blind detector must find it.
    """

    title: str
    clean: CleanPlan
    round: int
    node: str
    pointer: str
    before: Json
    after: Json
    found: bool = True


@dataclass(frozen=True, slots=True)
class ErrorKind:
    """One of the fourteen kinds: a value, not a subclass.

    Attributes:
        name: the paper's name (appendix C, table 12).
        dimension: Structural-related, Parameter-related or Tool-related.
        doc: documentation under fixed headings; the module's docstring.
        damages: the injector.
        detect: finds the kind in a state blind, without the clean plan.
        examples: at least one; each is a test.
        reach: what a damage may change: the "task" alone, its "consumers" along with it,
            the "plan" (a new task), or what the coming "round" returns.
    """

    name: str
    dimension: str
    doc: str
    damages: Injector
    detect: Callable[[State], Iterator[Finding]]
    examples: tuple[Example, ...]
    reach: str = "task"


HEADINGS = (
    "What it is",
    "Why agents make it",
    "How it is injected",
    "How it is told apart",
)
