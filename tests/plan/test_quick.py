"""The quick constructor takes and keeps what the generated one does."""

from __future__ import annotations

import inspect
import pickle
from dataclasses import FrozenInstanceError, dataclass, field

import pytest

from plan.quick import quick
from plan.task import Plan, Task


def test_same_arguments_and_fields() -> None:
    task = Task("1", "find", {"city": "Lyon"}, "Find.", ("root",))
    assert task == Task(
        id="1", name="find", arguments={"city": "Lyon"}, description="Find.", depends_on=("root",)
    )
    assert task.status is False
    assert list(inspect.signature(Task).parameters) == [
        *("id", "name", "arguments", "description", "depends_on", "status")
    ]


def test_still_frozen_and_picklable() -> None:
    plan = Plan.of([Task("1", "find", {}, "Find.", ("root",))])
    assert plan.frontier() == ["1"]
    with pytest.raises(FrozenInstanceError):
        plan.tasks = {}  # type: ignore[misc]  # that is what is tested
    assert pickle.loads(pickle.dumps(plan)) == plan


def test_more_than_plain_fields_is_refused() -> None:
    @dataclass(frozen=True, slots=True)
    class Listed:
        items: list[int] = field(default_factory=list)

    with pytest.raises(TypeError, match="more than plain fields"):
        quick(Listed)
