"""One row taken apart: its plans, and what happens when they are run again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from certify.structure import Dependencies, depths, without_root
from environment.world import World, usable_results
from plan.clean import DATA, CleanPlan
from plan.execution import OK, Execution, Fault
from plan.json_text import Json, dump_bytes, loads, type_name
from plan.problem import Problem
from plan.row import Row
from plan.task import RESPONSE, ROOT, Task

TASK_KEYS = frozenset({"id", "name", "para", "desc", "dep", "status"})
CLEAN_KEYS = TASK_KEYS | {"turn", "sent", "results"}
EDGE_KEYS = frozenset({"from", "to", "kind", "argument", "source"})
TOOL_KEYS = frozenset({"name", "description", "parameters"})
ROUND_KEYS = frozenset({"round", "plan", "observations"})
_TASKS = frozenset({"tasks"})
SPECIAL = frozenset({ROOT, RESPONSE})
FAULT_KEYS = frozenset({"round", "node", "kind"})

Tasks = Mapping[str, Mapping[str, Json]]
"""A plan's tasks as they are spelled, by id."""

Sent = tuple[str, bytes]
"""What was sent: a tool, and the canonical text of the arguments."""

Report = Callable[[str, str, str], None]
"""Takes a problem's code, path and message."""


@dataclass(frozen=True, slots=True)
class Case:
    """A row that could be read, and run again.

    Attributes:
        row: the row itself.
        clean: its clean plan.
        world: the environment that belongs to the clean plan and the row's seed.
        keys: canonical text of each clean call's arguments, by id.
        recorded: what each clean call sent, by id.
        dependencies: the clean dependencies among calls.
        layers: the clean layers, from 1, in the order in which calls can run.
        feeds: by id, the calls that a data edge leads from.
        originals: the clean plan's tasks as they are spelled, with recordings, by id.
        plans: G(0) to G(t-1): tasks as they are spelled, by id.
        paths: where each plan stands in the row.
        keyed: canonical text of each plan's arguments, by call.
        log: every execution of rounds 1 to t.
        executions: the executions by node.
        made: what the executions sent that came back ok, by node.
        faults: what the environment was asked for.
        gold: the gold plan's tasks as they are spelled, by id.
    """

    row: Row
    clean: CleanPlan
    world: World
    keys: Mapping[str, bytes]
    recorded: Mapping[str, Sent]
    dependencies: Dependencies
    layers: Mapping[str, int]
    feeds: Mapping[str, Collection[str]]
    originals: Tasks
    plans: Sequence[Tasks]
    paths: Sequence[str]
    keyed: Sequence[Mapping[str, bytes]]
    log: Sequence[Execution]
    executions: Mapping[str, Execution]
    made: Mapping[str, Sent]
    faults: Sequence[Fault]
    gold: Tasks

    def sent_before(self, round: int) -> set[str]:
        """Return the calls that had been sent before a round."""
        return {id for id, seen in self.executions.items() if seen.round < round}


def read(row: Row, report: Report) -> Case | None:
    """Take a row apart and run its rounds again; None if it can't be read.

    Everything that is wrong with the row's texts is reported: what is no canonical JSON,
    what has another shape than rows have, what the environment doesn't return again.
    """
    texts: dict[str, Json] = {}
    for column in ("tools", "history", "plan", "observations", "clean_plan", "gold_plan", "faults"):
        text = getattr(row, column)
        try:
            texts[column] = loads(text)
        except (ValueError, TypeError):
            report("not_json", f"/{column}", "expected JSON text")
            return None
        if dump_bytes(texts[column]) != text.encode():
            report("not_canonical", f"/{column}", "expected the canonical JSON text")
    try:
        return _case(row, texts, report)
    except _Malformed as error:
        report("malformed", error.path, error.message)
    return None


class _Malformed(Exception):
    def __init__(self, path: str, message: str) -> None:
        super().__init__(message)
        self.path = path
        self.message = message


def _case(row: Row, texts: Mapping[str, Json], report: Report) -> Case:
    clean, originals = _clean(row, texts)
    dependencies = without_root(clean.dependencies)
    layers = depths(dependencies)
    if layers is None:
        raise _Malformed("/clean_plan", "its calls wait for each other in a circle")
    feeds: dict[str, set[str]] = {}
    for edge in clean.edges:
        if edge.kind == DATA:
            feeds.setdefault(edge.after, set()).add(edge.before)
    history = _list(texts["history"], "/history")
    if row.t != len(history) + 1:
        raise _Malformed("/t", f"expected {len(history) + 1}, one past the history's rounds")
    plans: list[Tasks] = []
    paths: list[str] = []
    observed: list[Json] = []
    for index, past in enumerate(history):
        path = f"/history/{index}"
        _keys(past, ROUND_KEYS, path)
        if past["round"] != index + 1:
            raise _Malformed(f"{path}/round", f"expected {index + 1}, found {past['round']!r}")
        paths.append(f"{path}/plan")
        plans.append(_spelled(past["plan"], paths[-1]))
        observed.append(past["observations"])
    paths.append("/plan")
    plans.append(_spelled(texts["plan"], "/plan"))
    observed.append(texts["observations"])
    faults = _faults(texts["faults"], row.t)
    gold = _spelled(texts["gold_plan"], "/gold_plan")
    world = World(clean, row.seed)
    log = _run(world, plans, paths, observed, faults, report)
    return Case(
        row,
        clean,
        world,
        world.written,
        world.recorded,
        dependencies,
        layers,
        feeds,
        originals,
        plans,
        paths,
        [
            {id: dump_bytes(task["para"]) for id, task in tasks.items() if id not in SPECIAL}
            for tasks in plans
        ],
        log,
        {seen.node: seen for seen in log},
        {seen.node: sent(clean, seen) for seen in log if seen.outcome == OK},
        faults,
        gold,
    )


def _run(
    world: World,
    plans: Sequence[Tasks],
    paths: Sequence[str],
    observed: Sequence[Json],
    faults: Sequence[Fault],
    report: Report,
) -> list[Execution]:
    """Run every round again and compare what comes out with what the row says."""
    log: list[Execution] = []
    results: dict[str, Json] = {}
    done = {ROOT}
    last = len(plans)
    for index, tasks in enumerate(plans):
        round = index + 1
        frontier: list[str] = []
        for id, task in tasks.items():
            if task["status"] is not (id in done):
                word = "true" if task["status"] else "false"
                report("status", paths[index], f"{id!r} is {word} in round {round}")
            if id not in done and done.issuperset(task["dep"]):
                frontier.append(id)
        if RESPONSE in frontier:
            report("response_runs", paths[index], f"the response could run in round {round}")
            frontier.remove(RESPONSE)
        asked = {fault.node: fault.kind for fault in faults if fault.round == round}
        for node in asked:
            if node not in frontier:
                report("fault_unused", "/faults", f"{node!r} didn't run in round {round}")
        executions = [
            world.execute(task_of(tasks[id]), results, round, asked.get(id)) for id in frontier
        ]
        results.update(usable_results(executions))
        log += executions
        done.update(frontier)
        expected: dict[str, Json] = {
            seen.node: {
                "id": seen.node,
                "name": seen.name,
                "arguments": seen.arguments,
                "results": seen.result,
            }
            for seen in executions
        }
        path = "/observations" if round == last else f"/history/{index}/observations"
        found = _list(observed[index], path)
        if dump_bytes(found) == dump_bytes([expected[id] for id in sorted(expected, key=int)]):
            continue
        if len(found) != len(expected):
            report("observations", path, f"expected {len(expected)}, found {len(found)}")
        for place, item in enumerate(found):
            named = item.get("id") if isinstance(item, dict) else None
            if not isinstance(named, str) or named not in expected:
                report("observation", f"{path}/{place}", "no such call ran in this round")
            elif dump_bytes(expected.pop(named)) != dump_bytes(item):
                report("observation", f"{path}/{place}", f"{named!r} returns something else")
    return log


def _clean(row: Row, texts: Mapping[str, Json]) -> tuple[CleanPlan, Tasks]:
    names: set[str] = set()
    for index, tool in enumerate(_list(texts["tools"], "/tools")):
        if (
            not isinstance(tool, dict)
            or tool.keys() - {"returns"} != TOOL_KEYS
            or not isinstance(tool["name"], str)
            or not isinstance(tool["parameters"], dict)
        ):
            raise _Malformed(f"/tools/{index}", "expected a tool")
        if tool["name"] in names:
            raise _Malformed(f"/tools/{index}", f"two tools are called {tool['name']!r}")
        names.add(tool["name"])
    value = texts["clean_plan"]
    if not isinstance(value, dict) or value.keys() != {"tasks", "edges"}:
        raise _Malformed("/clean_plan", 'expected "tasks" and "edges"')
    tasks = _spelled({"tasks": value["tasks"]}, "/clean_plan", CLEAN_KEYS)
    for id, task in tasks.items():
        if id not in SPECIAL and not (type(task["sent"]) is dict and type(task["turn"]) is int):
            raise _Malformed("/clean_plan", f"{id!r} has no turn, or nothing that was sent")
    calls = tasks.keys() - SPECIAL
    for index, edge in enumerate(_list(value["edges"], "/clean_plan/edges")):
        if (
            not isinstance(edge, dict)
            or edge.keys() != EDGE_KEYS
            or edge["from"] not in calls
            or edge["to"] not in calls
        ):
            raise _Malformed(f"/clean_plan/edges/{index}", "expected an edge between two calls")
    clean = CleanPlan.from_row_json(row.query, texts["tools"], value)
    sources: dict[str, set[str]] = {id: set() for id in clean.calls}
    for found in clean.edges:
        sources[found.after].add(found.before)
    for id, call in clean.calls.items():
        if call.name not in names:
            raise _Malformed("/clean_plan", f"{id!r} calls {call.name!r}, which isn't listed")
        if (sources[id] or {ROOT}) != set(call.depends_on):
            raise _Malformed("/clean_plan", f"the edges of {id!r} aren't its dependencies")
    return clean, tasks


def _spelled(
    value: Json, path: str, keys: frozenset[str] = TASK_KEYS
) -> dict[str, dict[str, Json]]:
    """Return a plan's tasks by id, having checked their shape."""
    if not isinstance(value, dict) or value.keys() != _TASKS:
        raise _Malformed(path, 'expected an object with "tasks"')
    tasks: dict[str, dict[str, Json]] = {}
    in_order = True
    for task in _list(value["tasks"], f"{path}/tasks"):
        if type(task) is not dict or type(id := task.get("id")) is not str:
            raise _Malformed(f"{path}/tasks/{len(tasks)}", "expected a task with an id")
        if task.keys() != (TASK_KEYS if id in SPECIAL else keys):
            raise _Malformed(f"{path}/tasks/{len(tasks)}", "a task has other keys than tasks have")
        before = task["dep"]
        if not (
            type(before) is list
            and type(task["name"]) is str
            and type(task["para"]) is dict
            and type(task["desc"]) is str
            and type(task["status"]) is bool
        ):
            raise _Malformed(f"{path}/tasks/{len(tasks)}", "a field of the task has a wrong type")
        if id in tasks:
            raise _Malformed(path, f"the id {id!r} stands twice")
        if not id.isdecimal() and id not in SPECIAL:
            raise _Malformed(path, f"{id!r} isn't an id of a row's own kind")
        for other in before:
            if type(other) is not str:
                raise _Malformed(path, f"{id!r} depends on what is no id")
            in_order = in_order and other in tasks
        if len(before) > 1 and (len(set(before)) != len(before) or ROOT in before):
            raise _Malformed(path, f"{id!r} depends twice on a task, or on root and on calls")
        tasks[id] = task
    if ROOT not in tasks or RESPONSE not in tasks:
        raise _Malformed(path, "root or response is missing")
    if not in_order:
        _check_graph(tasks, path)
    root, last = tasks[ROOT], tasks[RESPONSE]
    if root["dep"] or root["status"] is not True or root["para"] or root["name"] != ROOT:
        raise _Malformed(path, "root isn't as it should be")
    if last["status"] or last["para"] or last["name"] != RESPONSE or not last["dep"]:
        raise _Malformed(path, "response isn't as it should be")
    return tasks


def _check_graph(tasks: Mapping[str, Json], path: str) -> None:
    """Check dependencies where some stand before what they depend on."""
    for id, task in tasks.items():
        for other in task["dep"]:
            if other not in tasks or other == RESPONSE:
                raise _Malformed(path, f"{id!r} depends on {other!r}, which can't be")
    if depths({id: frozenset(task["dep"]) for id, task in tasks.items()}) is None:
        raise _Malformed(path, "the tasks wait for each other in a circle")


def sent(clean: CleanPlan, seen: Execution) -> Sent:
    """Return what an execution sent."""
    call = clean.calls.get(seen.node)
    if call is not None and seen.arguments is call.sent and seen.name == call.name:
        return clean.recorded[seen.node]
    return seen.name, dump_bytes(seen.arguments)


def task_of(text: Mapping[str, Json]) -> Task:
    """Return a task of its spelling."""
    return Task(
        text["id"],
        text["name"],
        text["para"],
        text["desc"],
        tuple(text["dep"]),
        text["status"],
    )


def _faults(value: Json, t: int) -> list[Fault]:
    faults = []
    for index, fault in enumerate(_list(value, "/faults")):
        path = f"/faults/{index}"
        _keys(fault, FAULT_KEYS, path)
        if fault["kind"] not in ("timeout", "empty") or fault["round"] not in range(1, t + 1):
            raise _Malformed(path, "expected a timeout or empty in one of the rounds")
        faults.append(Fault.from_json(fault))
    return faults


def _list(value: Json, path: str) -> list[Json]:
    if not isinstance(value, list):
        raise _Malformed(path, f"expected a list, found {type_name(value)}")
    return value


def _keys(value: Json, keys: frozenset[str], path: str) -> None:
    if not isinstance(value, dict) or value.keys() != keys:
        raise _Malformed(path, "expected an object with " + ", ".join(sorted(keys)))


def collect(problems: list[Problem]) -> Report:
    """Return a reporter that adds to a list."""

    def report(code: str, path: str, message: str) -> None:
        problems.append(Problem(code, path, message))

    return report
