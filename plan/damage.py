"""One possible damage: what an injector offers, and what applying it does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from plan.json_text import Json
from plan.task import Task


@dataclass(frozen=True, slots=True)
class Damage:
    """A change to pending tasks of a plan, or a fault asked of the environment.

    Attributes:
        node: the damaged task's id; of a redundant call, its own new id.
        pointer: JSON Pointer into the task's spelling (``/para/date``, ``/dep``,
            ``/name``, ``/results`` for a fault, "" for the whole task).
        before: the value there in the undamaged plan; None where there was none.
        after: the value there now; None where nothing is left.
        way: which of the kind's ways it is; for even sampling and for tests.
        changes: tasks to put in place, by id; None removes one.
        fault: timeout or empty, of the coming round; else None.
    """

    node: str
    pointer: str
    before: Json
    after: Json
    way: str
    changes: Mapping[str, Task | None]
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """What a blind detector saw: a kind, a place, how sure (0 to 1), and why."""

    kind: str
    node: str
    pointer: str
    confidence: float
    reason: str
