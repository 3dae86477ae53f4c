"""The state of one trajectory while it is drawn.

Its generator, the user's values, the results so far: one scene per trajectory, and nothing
in it outlives the trajectory.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar

from source_button.synthesis.words import Pools, draw_pools

if TYPE_CHECKING:
    from source_button.synthesis.fields import Field

Json = Any
T = TypeVar("T")


class Item:
    """One value of a pool: where it stands (call, JSON Pointer) and the lane it is in."""

    __slots__ = ("call", "lane", "pointer", "value")

    def __init__(self, call: int, pointer: str, value: Json, lane: dict[str, Any]) -> None:
        self.call = call
        self.pointer = pointer
        self.value = value
        self.lane = lane


class Flow:
    """A value on its way from an earlier result into an argument."""

    __slots__ = ("argument", "call", "kind", "source")

    def __init__(self, call: int, kind: str, argument: str, source: str) -> None:
        self.call = call
        self.kind = kind
        self.argument = argument
        self.source = source


class Scene:
    """What fields and expressions may look at while they draw."""

    __slots__ = (
        "arguments", "chosen", "day", "flows", "items", "lane", "pools", "random", "ranked", "rng",
        "role_paths", "roles", "row", "slot_fields", "slots", "spoken", "style", "used", "wanted",
    )  # fmt: skip

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.random = rng.random
        self.day = 425 + int(self.random() * 600)
        self.style = int(self.random() * 4)
        self.used: set[str] = set()
        self.slots: dict[str, Json] = {}
        self.slot_fields: dict[str, Field] = {}
        self.spoken: dict[str, str] = {}
        self.wanted: list[str] = []
        self.arguments: dict[str, Json] = {}
        self.row: dict[str, Json] = {}
        self.pools: Pools = draw_pools()
        self.items: dict[str, list[Item]] = {}
        self.ranked: dict[str, list[Item]] = {}
        self.chosen: dict[str, Item] = {}
        self.lane: dict[str, Any] = {}
        self.roles: dict[str, str] = {}
        self.role_paths: dict[str, tuple[str, ...]] = {}
        self.flows: list[Flow] = []

    def pick(self, options: Sequence[T]) -> T:
        """One of `options`, each equally likely."""
        return options[int(self.random() * len(options))]

    def take(self, options: Sequence[str]) -> str:
        """One of `options` that this trajectory has not used yet.

        So equal text in two results is never chance; repeats only when they run out.
        """
        used = self.used
        for _ in range(12):
            value = options[int(self.random() * len(options))]
            if value not in used:
                used.add(value)
                return value
        return value

    def whole(self, low: int, high: int) -> int:
        """An integer of low..high, both included."""
        return low + int(self.random() * (high - low + 1))

    def slot(self, name: str, field: Field) -> Json:
        """The user's value called `name`, drawn at its first use."""
        lane = self.lane
        if lane and (key := "=" + name) in lane:
            return lane[key]
        slots = self.slots
        if name in slots:
            return slots[name]
        value = field.draw(self)
        slots[name] = value
        self.slot_fields[name] = field
        self.wanted.append(name)
        return value

    def speak(self, name: str) -> str:
        """The user's value `name` in the user's words, the same each time."""
        if name not in self.spoken:
            self.spoken[name] = self.slot_fields[name].speak(self.slots[name], self)
        return self.spoken[name]
