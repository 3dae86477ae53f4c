"""Reads what an agent answered: strictly, and tolerantly where that fails.

An answer is a thought and a plan, spelled in one of two ways:

- a text ``<thought>…</thought><plan>{"tasks": [...]}</plan>``;
- a JSON object ``{"thought": "…", "plan": {"tasks": [...]}}``.

Whatever else can be made sense of is read too, and what had to be tolerated is listed;
item S5 asks for the strict reading.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from scoring.graph import layers
from scoring.json_text import Json, dumps, is_deep, loads, loads_lenient, repaired, values

ROOT = "root"
RESPONSE = "response"

NO_TAGS = "no_tags"
FENCE = "fence"
OTHER_TEXT = "other_text"
DUPLICATE_KEY = "duplicate_key"
LIST_OF_TASKS = "list_of_tasks"
TASK_SHAPE = "task_shape"
SPECIAL_NODE = "special_node"

MOST_TASKS = 1000
MOST_LEVELS = 100
"""A plan with more tasks, or nested deeper, isn't read: it could not be judged in any time."""


@dataclass(frozen=True, slots=True)
class Task:
    """A task of an answered plan; the plan's spelling is that of a row's ``plan``."""

    id: str
    name: str
    arguments: Mapping[str, Json]
    description: str
    depends_on: tuple[str, ...]
    status: bool

    def to_json(self) -> dict[str, Json]:
        """Return the task as a row spells it."""
        return {
            "id": self.id,
            "name": self.name,
            "para": self.arguments,
            "desc": self.description,
            "dep": list(self.depends_on),
            "status": self.status,
        }


Plan = Mapping[str, Task]
"""Tasks by id, ``root`` and ``response`` among them."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as read.

    Attributes:
        thought: the reasoning; "" where there is none.
        plan: the plan, or None where none could be read.
        tolerated: what the strict reading would have refused, in a fixed order of codes.
        problem: why there is no plan; "" where there is one.
    """

    thought: str
    plan: Plan | None
    tolerated: tuple[str, ...] = ()
    problem: str = ""

    @property
    def is_strict(self) -> bool:
        """Whether the strict reading finds a plan."""
        return self.plan is not None and not self.tolerated


class _Unreadable(ValueError):
    """The plan can't be made sense of."""


def plan_of(value: Json) -> Plan:
    """Read a plan that is known to be well-formed, as rows hold it."""
    return {
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


def plan_json(plan: Plan) -> dict[str, Json]:
    """Return a plan as a row spells it."""
    return {"tasks": [task.to_json() for task in plan.values()]}


def read_text(output: str) -> Answer:
    """Read an agent's raw output."""
    tolerated: dict[str, None] = {}
    thought, plan_text = _split(output, tolerated)
    if plan_text is None:
        return Answer(thought, None, tuple(tolerated), "no plan in the answer")
    return _answer(thought, plan_text, tolerated)


def read_parts(thought: Json, plan: Json) -> Answer:
    """Read a thought and a plan that come apart; the plan may be JSON text."""
    tolerated: dict[str, None] = {}
    words = thought if isinstance(thought, str) else ""
    if isinstance(plan, str):
        return _answer(words, plan, tolerated)
    return _finished(words, plan, tolerated)


def _split(output: str, tolerated: dict[str, None]) -> tuple[str, str | None]:
    """Return the thought, and the plan's text or None."""
    text = output.strip()
    turn = _TURN.search(text)
    if turn and text.startswith("<thought>") and text.endswith("</plan>"):
        return (
            text[len("<thought>") : turn.start()].strip(),
            text[turn.end() : -len("</plan>")].strip(),
        )
    parts = _parts(output)
    if parts is not None:
        return parts
    start = output.rfind("<plan>")
    if start >= 0:
        tolerated[OTHER_TEXT] = None
        text, _, _ = output[start + len("<plan>") :].partition("</plan>")
        before = output[:start]
        thought = _THOUGHT.search(before)
        return (thought["thought"] if thought else before).strip(), text.strip()
    tolerated[NO_TAGS] = None
    where = _plan_place(output)
    if where is None:
        return _untagged(output), None
    start, end = where
    inside = _parts(output[start:end])
    if inside is not None:
        return inside
    return _untagged(_OPEN_FENCE.sub("", output[:start])), output[start:end]


_TURN = re.compile(r"</thought>\s*<plan>")
_THOUGHT = re.compile(r"<thought>(?P<thought>.*?)(?:</thought>|\Z)", re.DOTALL)
_TAGS = re.compile(r"</?thought>")
_OPEN_FENCE = re.compile(r"```\w*\s*\Z")
_FENCE = re.compile(r"\s*```\w*\n")


def _untagged(text: str) -> str:
    return _TAGS.sub("", text).strip()


def _parts(text: str) -> tuple[str, str] | None:
    """Return thought and plan text of a JSON object that holds both, or None."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        value = loads(text)
    except ValueError:
        return None
    if (
        "plan" not in value
        or is_deep(value, MOST_LEVELS)
        or not isinstance(value.get("thought", ""), str)
    ):
        return None
    plan = value["plan"]
    # Its own text again, so that one path reads every plan.
    return value.get("thought", ""), plan if isinstance(plan, str) else dumps(plan)


def _plan_place(text: str) -> tuple[int, int] | None:
    """Return where the last value that looks like a plan stands."""
    found = None
    for start, end in values(text):
        piece = text[start:end]
        if _LOOKS_LIKE_TASKS.search(piece):
            found = start, end
    return found


_LOOKS_LIKE_TASKS = re.compile(r"""["'](?:tasks|dep|para)["']\s*:""")


def _answer(thought: str, text: str, tolerated: dict[str, None]) -> Answer:
    try:
        value = _parsed(text, tolerated)
    except ValueError as error:
        return Answer(thought, None, tuple(tolerated), f"the plan is no JSON: {error}")
    return _finished(thought, value, tolerated)


def _parsed(text: str, tolerated: dict[str, None]) -> Json:
    """Parse a plan's text, tolerating what can be undone.

    Raises:
        ValueError: nothing helps.
    """
    try:
        return loads(text)
    except ValueError:
        pass
    fence = _FENCE.match(text)
    inside = text.rstrip().removesuffix("```")
    if fence and len(fence[0]) <= len(inside) < len(text.rstrip()):
        tolerated[FENCE] = None
        text = inside[fence.end() :]
    for start, end in values(text):
        if text[:start].strip() or text[end:].strip():
            tolerated[OTHER_TEXT] = None
        text = text[start:end]
        break
    try:
        return loads(text)
    except ValueError:
        pass
    text, undone = repaired(text)
    tolerated.update(dict.fromkeys(undone))
    value = loads_lenient(text)
    try:
        loads(text)
    except ValueError:
        tolerated[DUPLICATE_KEY] = None
    return value


def _finished(thought: str, value: Json, tolerated: dict[str, None]) -> Answer:
    try:
        plan = _plan(value, tolerated)
    except _Unreadable as error:
        return Answer(thought, None, tuple(tolerated), str(error))
    return Answer(thought, plan, tuple(tolerated))


def _plan(value: Json, tolerated: dict[str, None]) -> Plan:
    """Make a plan of a JSON value.

    Raises:
        _Unreadable: it is no DAG of tasks.
    """
    if is_deep(value, MOST_LEVELS):
        raise _Unreadable("the plan is nested too deep")
    if isinstance(value, dict) and "tasks" not in value and isinstance(value.get("plan"), dict):
        value = value["plan"]
        tolerated[OTHER_TEXT] = None
    if isinstance(value, list):
        tolerated[LIST_OF_TASKS] = None
        value = {"tasks": value}
    if not isinstance(value, dict) or not isinstance(value.get("tasks"), list):
        raise _Unreadable('the plan is no object with a list under "tasks"')
    if len(value["tasks"]) > MOST_TASKS:
        raise _Unreadable(f"/tasks: more than {MOST_TASKS:,} tasks")
    tasks: dict[str, Task] = {}
    for index, item in enumerate(value["tasks"]):
        task = _task(item, index, tolerated)
        if task.id in tasks:
            raise _Unreadable(f"/tasks/{index}/id: {task.id!r} stands twice")
        tasks[task.id] = task
    if RESPONSE not in tasks:
        raise _Unreadable('/tasks: no task has the id "response"')
    if ROOT not in tasks:
        tolerated[SPECIAL_NODE] = None
        tasks = {ROOT: Task(ROOT, ROOT, {}, "", (), True), **tasks}
    for index, task in enumerate(tasks.values()):
        for other in task.depends_on:
            if other not in tasks:
                raise _Unreadable(f"/tasks/{index}/dep: no task has the id {other!r}")
    if layers({id: task.depends_on for id, task in tasks.items()}) is None:
        raise _Unreadable("/tasks: the dependencies form a cycle")
    return tasks


def _task(item: Json, index: int, tolerated: dict[str, None]) -> Task:
    where = f"/tasks/{index}"
    if not isinstance(item, dict):
        raise _Unreadable(f"{where}: expected an object")
    id = _id(item.get("id"), f"{where}/id", tolerated)
    name = item.get("name", id)
    if not isinstance(name, str):
        raise _Unreadable(f"{where}/name: expected a string")
    dep = item.get("dep", ())
    if isinstance(dep, (str, int)):
        dep = [dep]
        tolerated[TASK_SHAPE] = None
    if not isinstance(dep, (list, tuple)):
        if dep is not None:
            raise _Unreadable(f"{where}/dep: expected a list")
        dep = ()
    arguments = item.get("para", {})
    if isinstance(arguments, str):
        try:
            arguments = loads_lenient(arguments)
        except ValueError:
            raise _Unreadable(f"{where}/para: expected an object") from None
    if isinstance(arguments, list) and len(arguments) <= 1:
        arguments = arguments[0] if arguments else {}
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, dict) or is_deep(arguments, MOST_LEVELS):
        raise _Unreadable(f"{where}/para: expected an object")
    status = item.get("status", id == ROOT)
    if isinstance(status, str):
        status = status.strip().casefold() in ("true", "done", "completed", "executed", "1")
    description = item.get("desc", "")
    if not _is_task(item):
        tolerated[TASK_SHAPE] = None
    return Task(
        id,
        name,
        arguments,
        description if isinstance(description, str) else str(description),
        tuple(_id(other, f"{where}/dep", tolerated) for other in dep),
        bool(status),
    )


_SHAPE = {"id": str, "name": str, "para": dict, "desc": str, "dep": list, "status": bool}


def _is_task(item: Mapping[str, Json]) -> bool:
    return all(isinstance(item.get(key), kind) for key, kind in _SHAPE.items())


def _id(value: Json, where: str, tolerated: dict[str, None]) -> str:
    if isinstance(value, str) and value:
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        tolerated[TASK_SHAPE] = None
        return str(value)
    raise _Unreadable(f"{where}: expected a text, found {value!r}")
