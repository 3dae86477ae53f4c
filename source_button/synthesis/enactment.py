"""Carrying a workflow out: arguments, results, and the true edges between calls."""

from __future__ import annotations

from typing import Any

from source_button.synthesis.composition import Planned
from source_button.synthesis.model import Slot, look_up
from source_button.synthesis.registry import Territory
from source_button.synthesis.scene import Flow, Item, Json, Scene


class Call:
    """One call: which planned step and lane it belongs to, what went in and came out.

    `number` is its place among the calls; `behind` has a bit for each call that it depends
    on, directly or through others.
    """

    __slots__ = (
        "arguments", "behind", "edges", "name", "number", "planned", "result", "shown", "slots",
    )  # fmt: skip

    def __init__(
        self, number: int, name: str, planned: Planned, arguments: dict[str, Json]
    ) -> None:
        self.number = number
        self.behind = 0
        self.name = name
        self.planned = planned
        self.arguments = arguments
        self.result: Json = None
        self.edges: list[Flow] = []
        self.shown: Json = None
        self.slots: set[str] = set()


class Repetition(Exception):
    """Two calls would be equal, or a value ambiguous; the trajectory is drawn again."""


_FEW = 20


def enact(plan: list[Planned], territory: Territory, scene: Scene) -> list[Call]:
    """Carry out the steps in order. Raises Repetition if two calls came out equal."""
    calls: list[Call] = []
    changed: dict[str, list[int]] = {}
    for planned in plan:
        move = planned.move
        step = move.step
        scene.roles = planned.roles
        if planned.roles:
            for role, pool in planned.roles.items():
                entity = territory.entities[pool]
                key = entity.amount if role == "@amount" else entity.day
                scene.role_paths[role] = (key,) if key else ()
        fan_values = _fan(planned, scene) if step.fan else None
        skipped = _skipped(planned, scene)
        given: list[tuple[str, Item]] = []
        lane_items = _lane_items(planned, scene)
        for number in range(planned.lanes):
            lane: dict[str, Any] = {}
            if lane_items is not None:
                item = lane_items[number]
                lane = {**item.lane, step.each: item}
            elif fan_values is not None:
                lane = {"=" + step.fan: fan_values[number]}
            scene.lane = lane
            flows: list[Flow] = []
            scene.flows = flows
            arguments: dict[str, Json] = {}
            # Fields such as an end date look at the arguments before them.
            scene.arguments = arguments
            index = len(calls)
            call = Call(index, move.tool.name, planned, arguments)
            for name, expression, _ in move.arguments:
                if name not in skipped:
                    arguments[name] = expression.evaluate(scene, "/" + name)
                    if name in move.slots:
                        call.slots |= move.slots[name]
            scene.row = row = {}
            for name, field in move.tool.returns.items():
                row[name] = field.draw(scene)
            call.result = row
            if any(flow.kind == "computed" for flow in flows):
                _check_worked(arguments, flows, calls)
            mask = 0
            for flow in flows:
                mask |= calls[flow.call].behind | 1 << flow.call
            call.edges = flows
            if step.reads:
                for earlier in reversed(changed.get(step.reads, ())):
                    if not mask >> earlier & 1:
                        flows.append(Flow(earlier, "order", "", ""))
                        mask |= calls[earlier].behind | 1 << earlier
            if step.changes:
                changed.setdefault(step.changes, []).append(index)
            call.behind = mask
            for other in calls:
                if other.name == call.name and other.arguments == arguments:
                    raise Repetition(call.name)
            calls.append(call)
            call.shown = row
            for pool, path, many, best in move.gift_paths:
                value = look_up(row, path)
                pointer = "".join(["/" + part for part in path])
                found = (
                    [Item(index, f"{pointer}/{n}", v, lane) for n, v in enumerate(value)]
                    if many
                    else [Item(index, pointer, value, lane)]
                )
                if many:
                    first = _rank(found, best)[0]
                    if planned.lanes > 1:
                        found = [first]
                    call.shown = {**row, **first.value}
                given += [(pool, item) for item in found]
        scene.lane = {}
        for pool, _, _, best in move.gift_paths:
            items = [item for name, item in given if name == pool]
            ranked = _rank(items, best)
            scene.chosen[pool] = ranked[0]
            scene.items[pool] = items
            scene.ranked[pool] = ranked
    return calls


def _check_worked(arguments: dict[str, Json], flows: list[Flow], calls: list[Call]) -> None:
    # A worked-out date that stands in some result by chance would look like a copy of it.
    for flow in flows:
        value = arguments[flow.argument.split("/")[1]]
        is_text = flow.kind == "computed" and isinstance(value, str)
        if is_text and any(value in str(call.result) for call in calls):
            raise Repetition(value)


def _rank(items: list[Item], best: tuple[str, str] | None) -> list[Item]:
    if best is None or len(items) == 1:
        return items
    return sorted(items, key=lambda item: item.value[best[1]], reverse=best[0] == "max")


def _fan(planned: Planned, scene: Scene) -> list[Json]:
    name = planned.move.step.fan
    field = next(
        expression.field
        for _, expression, _ in planned.move.arguments
        if isinstance(expression, Slot) and expression.name == name
    )
    values: list[Json] = []
    for _ in range(_FEW):
        value = field.draw(scene)
        if value not in values:
            values.append(value)
        if len(values) == planned.lanes:
            break
    else:
        raise Repetition(name)
    scene.slots[name] = values
    scene.slot_fields[name] = field
    scene.wanted.append(name)
    words = [field.speak(value, scene) for value in values]
    scene.spoken[name] = f"{', '.join(words[:-1])} and {words[-1]}"
    return values


def _skipped(planned: Planned, scene: Scene) -> frozenset[str] | set[str]:
    skipped: set[str] | None = None
    for name, _, optional in planned.move.arguments:
        if optional and name not in planned.move.step.bind and scene.random() < 0.45:
            if skipped is None:
                skipped = set()
            skipped.add(name)
    return skipped or frozenset()


def _lane_items(planned: Planned, scene: Scene) -> list[Item] | None:
    pool = planned.move.step.each
    if not pool:
        return None
    return scene.ranked[pool][: planned.lanes]
