"""What a domain file declares: tools, entities, and steps that turn some into others.

A step is one atomic task: a tool, where its arguments come from, what it yields, and how
people ask for it. Steps chain through pools of entities, so that a workflow is never
written down as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Protocol

from source_button.synthesis.fields import Field, shift_day, show
from source_button.synthesis.scene import Flow, Item, Json, Scene
from source_button.synthesis.wording import Template, Variable, compile_template


@dataclass(frozen=True, slots=True)
class Tool:
    """A function of the catalogue. `parameters` and `returns` are typed fields."""

    name: str
    description: str
    parameters: Mapping[str, Field]
    returns: Mapping[str, Field]

    @property
    def required(self) -> tuple[str, ...]:
        """The parameters that a call must have."""
        return tuple(name for name, part in self.parameters.items() if not part.optional)

    def describe(self) -> dict[str, Json]:
        """The tool as BUTTON lists it: flat maps of name to schema."""
        scene = Scene(Random(self.name))
        responses: dict[str, Json] = {}
        for name, part in self.returns.items():
            responses[name] = self.parameters[part.echo].schema if part.echo else show(part, scene)
        return {
            "name": self.name,
            "description": self.description,
            "parameters": {name: part.schema for name, part in self.parameters.items()},
            "required": list(self.required),
            "responses": responses,
        }


class Expression(Protocol):
    """Where an argument comes from."""

    def evaluate(self, scene: Scene, at: str) -> Json:
        """The value; flows from earlier results are noted in the scene, at pointer `at`."""

    def pools(self) -> frozenset[str]:
        """The pools that must be filled before; '@role' stands for any with that role."""

    def slots(self) -> frozenset[str]:
        """The user's values that it needs."""


_NONE: frozenset[str] = frozenset()


def look_up(value: Json, path: tuple[str, ...]) -> Json:
    """The part of `value` at `path`; parts of lists are decimal indices."""
    for part in path:
        value = value[int(part)] if isinstance(value, list) else value[part]
    return value


@dataclass(frozen=True, slots=True)
class Slot:
    """A value that the user names."""

    name: str
    field: Field

    def evaluate(self, scene: Scene, at: str) -> Json:
        """Draw the value; see `Expression`."""
        return scene.slot(self.name, self.field)

    def pools(self) -> frozenset[str]:
        """The pools needed; see `Expression`."""
        return _NONE

    def slots(self) -> frozenset[str]:
        """The user's values needed; see `Expression`."""
        return frozenset((self.name,))


@dataclass(frozen=True, slots=True)
class Named:
    """A user's value of another name; the domain or the tool gives its field."""

    name: str

    def evaluate(self, scene: Scene, at: str) -> Json:
        """Draw the value; see `Expression`."""
        raise LookupError(f"slot {self.name!r} has no field")

    def pools(self) -> frozenset[str]:
        """The pools needed; see `Expression`."""
        return _NONE

    def slots(self) -> frozenset[str]:
        """The user's values needed; see `Expression`."""
        return frozenset((self.name,))


@dataclass(frozen=True, slots=True)
class Const:
    """A default, or a value that the assistant chooses itself."""

    options: tuple[Json, ...]

    def evaluate(self, scene: Scene, at: str) -> Json:
        """Draw the value; see `Expression`."""
        return scene.pick(self.options)

    def pools(self) -> frozenset[str]:
        """The pools needed; see `Expression`."""
        return _NONE

    def slots(self) -> frozenset[str]:
        """The user's values needed; see `Expression`."""
        return _NONE


def item_of(scene: Scene, pool: str) -> Item:
    """The lane's own item of the pool, else the chosen one."""
    item: Item | None = scene.lane.get(pool) if scene.lane else None
    return item if item is not None else scene.chosen[pool]


@dataclass(frozen=True, slots=True)
class Ref:
    """A value inside an item of a pool, or the whole item."""

    pool: str
    path: tuple[str, ...] = ()
    kind: str = "data"

    def evaluate(self, scene: Scene, at: str) -> Json:
        """Draw the value; see `Expression`."""
        pool, path = self.pool, self.path
        if pool[0] == "@":
            role = pool
            pool = scene.roles[role]
            path = scene.role_paths[role]
        item = item_of(scene, pool)
        tail = "/" + "/".join(path) if path else ""
        scene.flows.append(Flow(item.call, self.kind, at, item.pointer + tail))
        return look_up(item.value, path)

    def pools(self) -> frozenset[str]:
        """The pools needed; see `Expression`."""
        return frozenset((self.pool,))

    def slots(self) -> frozenset[str]:
        """The user's values needed; see `Expression`."""
        return _NONE


@dataclass(frozen=True, slots=True)
class Every:
    """A list over all items of a pool."""

    pool: str
    path: tuple[str, ...] = ()

    def evaluate(self, scene: Scene, at: str) -> Json:
        """Draw the value; see `Expression`."""
        items = scene.items[self.pool]
        tail = "/" + "/".join(self.path) if self.path else ""
        calls = {item.call for item in items}
        if len(calls) == 1:
            container = items[0].pointer.rpartition("/")[0]
            scene.flows.append(Flow(items[0].call, "data", at, container))
        else:
            for index, item in enumerate(items):
                scene.flows.append(Flow(item.call, "data", f"{at}/{index}", item.pointer + tail))
        return [look_up(item.value, self.path) for item in items]

    def pools(self) -> frozenset[str]:
        """The pools needed; see `Expression`."""
        return frozenset((self.pool,))

    def slots(self) -> frozenset[str]:
        """The user's values needed; see `Expression`."""
        return _NONE


@dataclass(frozen=True, slots=True)
class Text:
    """Text with the user's values `{slot}` and earlier results `{pool.field}` in it.

    `{@brief}` is the short description of the entity that fills the role.
    """

    forms: tuple[Template, ...]
    fields: Mapping[str, Field] = field(default_factory=dict)
    briefs: Mapping[str, tuple[Template, ...]] = field(default_factory=dict)

    def evaluate(self, scene: Scene, at: str) -> Json:
        """Draw the value; see `Expression`."""
        form = scene.pick(self.forms)
        out: list[str] = []
        for part in form.parts:
            if isinstance(part, str):
                out.append(part)
            elif isinstance(part, Variable):
                out.append(self._fill(scene, part.name, at))
        return "".join(out)

    def _fill(self, scene: Scene, name: str, at: str) -> str:
        if name == "@brief":
            pool = scene.roles[name]
            item = item_of(scene, pool)
            out: list[str] = []
            for part in scene.pick(self.briefs[pool]).parts:
                if isinstance(part, Variable):
                    path = part.name.split(".")
                    scene.flows.append(
                        Flow(item.call, "data", at, f"{item.pointer}/{'/'.join(path)}")
                    )
                    out.append(say_result(look_up(item.value, tuple(path))))
                elif isinstance(part, str):
                    out.append(part)
            return "".join(out)
        pool, dot, path_text = name.partition(".")
        if not dot:
            value = scene.slot(name, self.fields[name])
            return self.fields[name].speak(value, scene)
        parts = tuple(path_text.split("."))
        item = item_of(scene, pool)
        scene.flows.append(Flow(item.call, "data", at, f"{item.pointer}/{'/'.join(parts)}"))
        return say_result(look_up(item.value, parts))

    def pools(self) -> frozenset[str]:
        """The pools needed; see `Expression`."""
        names = (n for form in self.forms for n in form.names)
        return frozenset(n.split(".")[0] for n in names if "." in n or n[0] == "@")

    def slots(self) -> frozenset[str]:
        """The user's values needed; see `Expression`."""
        names = (n for form in self.forms for n in form.names)
        return frozenset(n for n in names if "." not in n and n[0] != "@")


@dataclass(frozen=True, slots=True)
class Number:
    """A number read out of a result such as '$1,245.30'."""

    of: Ref

    def evaluate(self, scene: Scene, at: str) -> Json:
        """Draw the value; see `Expression`."""
        return read_number(self.of.evaluate(scene, at))

    def pools(self) -> frozenset[str]:
        """The pools needed; see `Expression`."""
        return self.of.pools()

    def slots(self) -> frozenset[str]:
        """The user's values needed; see `Expression`."""
        return _NONE


@dataclass(frozen=True, slots=True)
class Worked:
    """A value worked out by a rule.

    'total' and 'mean' go over a pool, 'difference' takes two refs, 'share' is `by` percent
    of one, 'days' is `by` days after one.
    """

    rule: str
    over: tuple[Ref, ...]
    by: int = 0

    def evaluate(self, scene: Scene, at: str) -> Json:
        """Draw the value; see `Expression`."""
        if self.rule in ("total", "mean"):
            ref = self.over[0]
            tail = "/" + "/".join(ref.path)
            numbers = []
            for item in scene.items[ref.pool]:
                scene.flows.append(Flow(item.call, "computed", at, item.pointer + tail))
                numbers.append(read_number(look_up(item.value, ref.path)))
            whole = sum(numbers) if self.rule == "total" else sum(numbers) / len(numbers)
            return round(whole, 2)
        values = []
        for ref in self.over:
            pool, path = ref.pool, ref.path
            if pool[0] == "@":
                path = scene.role_paths[pool]
                pool = scene.roles[pool]
            item = item_of(scene, pool)
            tail = "/" + "/".join(path)
            scene.flows.append(Flow(item.call, "computed", at, item.pointer + tail))
            values.append(look_up(item.value, path))
        if self.rule == "difference":
            return round(abs(read_number(values[0]) - read_number(values[1])), 2)
        if self.rule == "share":
            return round(read_number(values[0]) * self.by / 100, 2)
        return shift_day(str(values[0]), self.by)

    def pools(self) -> frozenset[str]:
        """The pools needed; see `Expression`."""
        return frozenset(ref.pool for ref in self.over)

    def slots(self) -> frozenset[str]:
        """The user's values needed; see `Expression`."""
        return _NONE


@dataclass(frozen=True, slots=True)
class Made:
    """A nested object of several sources."""

    parts: tuple[tuple[str, Expression], ...]

    def evaluate(self, scene: Scene, at: str) -> Json:
        """Draw the value; see `Expression`."""
        return {name: part.evaluate(scene, f"{at}/{name}") for name, part in self.parts}

    def pools(self) -> frozenset[str]:
        """The pools needed; see `Expression`."""
        return frozenset().union(*(part.pools() for _, part in self.parts))

    def slots(self) -> frozenset[str]:
        """The user's values needed; see `Expression`."""
        return frozenset().union(*(part.slots() for _, part in self.parts))


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list of several sources."""

    parts: tuple[Expression, ...]

    def evaluate(self, scene: Scene, at: str) -> Json:
        """Draw the value; see `Expression`."""
        return [part.evaluate(scene, f"{at}/{n}") for n, part in enumerate(self.parts)]

    def pools(self) -> frozenset[str]:
        """The pools needed; see `Expression`."""
        return frozenset().union(*(part.pools() for part in self.parts))

    def slots(self) -> frozenset[str]:
        """The user's values needed; see `Expression`."""
        return frozenset().union(*(part.slots() for part in self.parts))


def read_number(value: Json) -> float:
    """45.0 of '$45.00'; numbers as they are."""
    if isinstance(value, str):
        return float("".join(c for c in value if c.isdigit() or c in ".-"))
    return float(value) if isinstance(value, float) else value


def say_result(value: Json) -> str:
    """A result as running text."""
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    if isinstance(value, list):
        return ", ".join(say_result(v) for v in value)
    return str(value)


def slot(name: str) -> Named:
    """The user's value called `name` instead of the parameter's own name."""
    return Named(name)


def const(*options: Json) -> Const:
    """A value that the assistant chooses among `options`."""
    return Const(options)


def ref(path: str) -> Ref:
    """`ref("flight.price")`, `ref("flight")` for the whole, `ref("@amount")` for a role."""
    pool, *parts = path.split(".")
    return Ref(pool, tuple(parts))


def every(path: str) -> Every:
    """A list over a pool: `every("quote")`, `every("quote.cost")`."""
    pool, *parts = path.split(".")
    return Every(pool, tuple(parts))


def text(*forms: str) -> Text:
    """One of several texts; see `Text`."""
    return Text(tuple(compile_template(form) for form in forms))


def amount(path: str) -> Number:
    """A number out of a text such as '$45.00'."""
    return Number(ref(path))


def total(path: str) -> Worked:
    """The sum over a pool."""
    return Worked("total", (ref(path),))


def mean(path: str) -> Worked:
    """The mean over a pool."""
    return Worked("mean", (ref(path),))


def difference(first: str, second: str) -> Worked:
    """The absolute difference of two values."""
    return Worked("difference", (ref(first), ref(second)))


def share(path: str, percent: int) -> Worked:
    """So many percent of a value."""
    return Worked("share", (ref(path),), percent)


def days_after(path: str, days: int) -> Worked:
    """The day so many days after a date; before it if negative."""
    return Worked("days", (ref(path),), days)


def made(**parts: Expression) -> Made:
    """A nested object."""
    return Made(tuple(parts.items()))


def listed(*parts: Expression) -> Sequence:
    """A list of several sources."""
    return Sequence(parts)


@dataclass(frozen=True, slots=True)
class Entity:
    """What a pool holds, and the roles it can play in tools that serve every domain.

    `brief` words an item (a clause with its fields in braces), `amount` and `day` are the
    fields that hold money and a date; `noun` is what people call it, by default its name;
    `occasion` is what happens on the day, by default the noun.
    """

    name: str
    brief: tuple[str, ...] = ()
    amount: str | None = None
    day: str | None = None
    noun: str = ""
    occasion: str = ""


@dataclass(frozen=True, slots=True)
class Gift:
    """What a step puts into a pool: the result at `pointer`; '/rows/*' is every row.

    `best` is 'min price' or 'max rating' where one of several items is to be chosen.
    """

    pool: str
    pointer: str = ""
    best: str = ""


def gives(pool: str, pointer: str = "", best: str = "") -> Gift:
    """What a step puts into a pool; see `Gift`."""
    return Gift(pool, pointer, best)


@dataclass(frozen=True, slots=True)
class Step:
    """One atomic task.

    ask: clauses in the imperative, for the query; `[…]` is said if its values are there.
    do: the same for thoughts, where the query's wording does not fit.
    found: whole sentences on the result, for thoughts and the final answer.
    bind: where arguments come from; parameters without one are the user's own values.
    fan: a slot with several values, one parallel call each.
    each: a pool with several items, one parallel call each.
    changes, reads: an object whose state this alters or shows; gives order edges.
    """

    tool: str
    ask: tuple[str, ...]
    found: tuple[str, ...]
    bind: Mapping[str, Expression] = field(default_factory=dict)
    gift: tuple[Gift, ...] = ()
    do: tuple[str, ...] = ()
    fan: str = ""
    each: str = ""
    changes: str = ""
    reads: str = ""
    weight: float = 1.0


def step(
    tool: str,
    ask: str | tuple[str, ...],
    found: str | tuple[str, ...],
    /,
    *gift: Gift,
    do: str | tuple[str, ...] = (),
    fan: str = "",
    each: str = "",
    changes: str = "",
    reads: str = "",
    weight: float = 1.0,
    **bind: Expression,
) -> Step:
    """A step; keyword arguments that are no options bind the parameters of that name."""

    def as_tuple(value: str | tuple[str, ...]) -> tuple[str, ...]:
        return (value,) if isinstance(value, str) else value

    return Step(
        tool=tool, ask=as_tuple(ask), found=as_tuple(found), bind=bind, gift=gift,
        do=as_tuple(do), fan=fan, each=each, changes=changes, reads=reads, weight=weight,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Domain:
    """A field of work.

    openings: first sentences of a query; twins: pairs of tools easily taken for another;
    slots: fields of the user's values that differ from the parameters' own; facts: whole
    sentences by which the user tells a value, by slot name.
    """

    name: str
    openings: tuple[str, ...]
    tools: tuple[Tool, ...]
    steps: tuple[Step, ...]
    entities: tuple[Entity, ...] = ()
    twins: tuple[tuple[str, str], ...] = ()
    slots: Mapping[str, Field] = field(default_factory=dict)
    facts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    shared: bool = False


def tool(name: str, description: str, parameters: Mapping[str, Field], /, **returns: Field) -> Tool:
    """A tool; keyword arguments are the parts of its result."""
    return Tool(name=name, description=description, parameters=parameters, returns=returns)
