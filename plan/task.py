"""Tasks and plans: the DAG of tool calls that an agent writes each round."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from plan.graph import is_acyclic
from plan.json_text import Json, escape, type_name
from plan.problem import Problem

ROOT = "root"
RESPONSE = "response"


@dataclass(frozen=True, slots=True)
class Task:
    """A node of a plan: one tool call, or ``root`` or ``response``.

    Attributes:
        id: unique in its plan.
        name: the tool's name.
        arguments: literals and references (see `plan.reference`).
        description: what the call is for; once sent, its result's text is appended.
        depends_on: ids that must have been sent before; ``("root",)`` for the first layer.
        status: whether the call was sent, whatever came back.
    """

    id: str
    name: str
    arguments: Mapping[str, Json]
    description: str
    depends_on: tuple[str, ...]
    status: bool = False

    def to_json(self) -> dict[str, Json]:
        """Return the task in the spelling of ParaRecover's data."""
        return {
            "id": self.id,
            "name": self.name,
            "para": self.arguments,
            "desc": self.description,
            "dep": list(self.depends_on),
            "status": self.status,
        }

    def changed(
        self,
        *,
        id: str | None = None,
        name: str | None = None,
        arguments: Mapping[str, Json] | None = None,
        description: str | None = None,
        depends_on: Iterable[str] | None = None,
        status: bool | None = None,
    ) -> Task:
        """Return the task with the given fields in place of its own."""
        return Task(
            self.id if id is None else id,
            self.name if name is None else name,
            self.arguments if arguments is None else arguments,
            self.description if description is None else description,
            self.depends_on if depends_on is None else tuple(depends_on),
            self.status if status is None else status,
        )


@dataclass(frozen=True, slots=True)
class Plan:
    """A DAG of tasks by id, in the order in which they stand in the plan's text."""

    tasks: Mapping[str, Task]
    _frontier: tuple[str, ...] | None = field(default=None, init=False, repr=False, compare=False)

    @classmethod
    def of(cls, tasks: Iterable[Task]) -> Plan:
        """Make a plan of tasks in the given order."""
        return cls({task.id: task for task in tasks})

    @property
    def dependencies(self) -> dict[str, tuple[str, ...]]:
        """Each node's dependencies, special nodes included."""
        return {task.id: task.depends_on for task in self.tasks.values()}

    def calls(self) -> list[Task]:
        """Return the tasks that call a tool (all but ``root`` and ``response``)."""
        return [task for id, task in self.tasks.items() if id != ROOT and id != RESPONSE]

    def pending(self) -> list[Task]:
        """Return the tool calls that haven't been sent."""
        return [task for task in self.calls() if not task.status]

    def frontier(self) -> list[str]:
        """Return the pending nodes whose dependencies have all been sent.

        ``response`` counts; ``root`` always has been. A dependency that isn't in the plan
        has never been sent.
        """
        if self._frontier is None:
            tasks = self.tasks.items()
            sent = {ROOT, *[id for id, task in tasks if task.status]}
            ready = [
                id
                for id, task in tasks
                if not task.status and id != ROOT and sent.issuperset(task.depends_on)
            ]
            # Asked for again by whoever runs the plan, and a plan never changes.
            object.__setattr__(self, "_frontier", tuple(ready))
        return list(self._frontier or ())

    def replaced(self, changes: Mapping[str, Task | None]) -> Plan:
        """Return the plan with tasks replaced, removed (None) or added at the end.

        Added tasks stand before ``response`` where the plan ends with it.
        """
        known = self.tasks
        put = {id: task for id, task in changes.items() if task is not None and id in known}
        if len(put) == len(changes):
            return Plan({**known, **put})
        tasks = {}
        for id, task in known.items():
            new = changes.get(id, task)
            if new is not None:
                tasks[id] = new
        added = {id: t for id, t in changes.items() if t is not None and id not in known}
        if added:
            last = tasks.pop(RESPONSE, None)
            tasks.update(added)
            if last is not None:
                tasks[RESPONSE] = last
        return Plan(tasks)

    def to_json(self) -> dict[str, Json]:
        """Return the plan in the spelling of ParaRecover's data."""
        return {"tasks": [task.to_json() for task in self.tasks.values()]}

    @classmethod
    def from_json(cls, value: Json) -> Plan:
        """Read a plan that is known to be well-formed (see `plan_problems` for others)."""
        return cls(
            {
                task["id"]: Task(
                    task["id"],
                    task["name"],
                    task["para"],
                    task["desc"],
                    tuple(task["dep"]),
                    task["status"],
                )
                for task in value["tasks"]
            }
        )


_FIELDS: Mapping[str, tuple[type, str]] = {
    "id": (str, "string"),
    "name": (str, "string"),
    "para": (dict, "object"),
    "desc": (str, "string"),
    "dep": (list, "array"),
    "status": (bool, "boolean"),
}


def plan_problems(value: Json) -> list[Problem]:
    """Return everything that keeps a JSON value from being a plan, with JSON Pointers.

    Checked: the shape of each task, unique ids, dependencies that exist, no cycles.
    """
    if not isinstance(value, dict) or not isinstance(value.get("tasks"), list):
        return [Problem("not_a_plan", "", 'expected an object with a list under "tasks"')]
    problems: list[Problem] = []
    dependencies: dict[str, list[str]] = {}
    for index, task in enumerate(value["tasks"]):
        path = f"/tasks/{index}"
        if not isinstance(task, dict):
            problems.append(
                Problem("task_type", path, f"expected an object, found {type_name(task)}")
            )
            continue
        for key, (kind, word) in _FIELDS.items():
            if key not in task:
                problems.append(Problem("task_field", path, f'"{key}" is missing'))
            elif not isinstance(task[key], kind):
                problems.append(
                    Problem(
                        "task_field",
                        f"{path}/{key}",
                        f"expected {word}, found {type_name(task[key])}",
                    )
                )
        id = task.get("id")
        if not isinstance(id, str):
            continue
        if id in dependencies:
            problems.append(Problem("duplicate_id", f"{path}/id", f'"{id}" stands twice'))
        before = task.get("dep")
        dependencies[id] = (
            [other for other in before if isinstance(other, str)]
            if isinstance(before, list)
            else []
        )
    for index, task in enumerate(value["tasks"]):
        if not isinstance(task, dict) or not isinstance(task.get("dep"), list):
            continue
        for place, other in enumerate(task["dep"]):
            if other not in dependencies and other != ROOT:
                problems.append(
                    Problem(
                        "dangling_dependency",
                        f"/tasks/{index}/dep/{place}",
                        f"no task has the id {other!r}",
                    )
                )
    if not is_acyclic(dependencies):
        problems.append(Problem("cycle", "/tasks", "the dependencies form a cycle"))
    return problems


def argument_path(parameter: str) -> str:
    """Return the JSON Pointer of a parameter inside a task's spelling."""
    return f"/para/{escape(parameter)}"
