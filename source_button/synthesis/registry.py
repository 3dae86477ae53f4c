"""The catalogue: every domain of the folder, checked and compiled for composition.

The steps of shared domains are offered in every other domain, bound to whatever entity
there plays the role that they need.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import resources

import orjson

from source_button.synthesis import domains
from source_button.synthesis.fields import Field
from source_button.synthesis.model import (
    Domain,
    Entity,
    Expression,
    Made,
    Named,
    Sequence,
    Slot,
    Step,
    Text,
    Tool,
)
from source_button.synthesis.wording import Template, compile_template

Shares = Mapping[str, Mapping[str, float]]


class CatalogueError(ValueError):
    """A domain file contradicts itself; the message names domain, tool and what is wrong."""


@dataclass(frozen=True, slots=True, eq=False)
class Move:
    """A step, compiled: masks over pools, tools and changed objects decide if it can be made.

    need: pools that must be filled; block: pools, tool and objects that must not be there
    yet; bring: what making it sets. `roles` are filled at composition.
    """

    number: int
    step: Step
    tool: Tool
    arguments: tuple[tuple[str, Expression, bool], ...]
    need: int
    block: int
    bring: int
    pools: tuple[str, ...]
    roles: tuple[str, ...]
    shared: bool
    ask: tuple[Template, ...]
    do: tuple[Template, ...]
    found: tuple[Template, ...]
    gift_paths: tuple[tuple[str, tuple[str, ...], bool, tuple[str, str] | None], ...]
    least: int
    varied: bool
    gift_bits: int
    weight: float
    fresh_weight: float
    slots: Mapping[str, frozenset[str]]
    said: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Territory:
    """A domain with its own and the shared steps, ready for composition.

    `twins` are the tools easily taken for another, each with how often it is to be listed
    where the other is called and it isn't.
    """

    domain: Domain
    moves: tuple[Move, ...]
    roots: tuple[Move, ...]
    rest: list[Move]
    errands: list[Move]
    entities: Mapping[str, Entity]
    role_pools: Mapping[str, frozenset[str]]
    twins: Mapping[str, tuple[tuple[str, float], ...]]
    names: tuple[str, ...]
    facts: Mapping[str, tuple[Template, ...]]
    nouns: Mapping[str, str]
    occasions: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All domains. `listings` holds each tool as indented JSON text."""

    domains: tuple[Domain, ...]
    territories: tuple[Territory, ...]
    tools: Mapping[str, Tool]
    listings: Mapping[str, str]


def _bind(domain: Domain, tool: Tool, step: Step) -> tuple[tuple[str, Expression, bool], ...]:
    said = {name for text in step.ask for name in compile_template(text).every_name}
    unknown = set(step.bind) - set(tool.parameters)
    if unknown:
        raise CatalogueError(f"{domain.name}: {tool.name} has no parameters {sorted(unknown)}")
    arguments: list[tuple[str, Expression, bool]] = []
    for name, field in tool.parameters.items():
        expression: Expression
        if name in step.bind:
            expression = _resolve(domain, tool, name, step.bind[name])
        elif field.optional and name not in said:
            continue
        else:
            expression = Slot(name, domain.slots.get(name, field))
        arguments.append((name, expression, field.optional))
    return tuple(arguments)


def _check_wording(
    domain: Domain, tool: Tool, step: Step, arguments: tuple[tuple[str, Expression, bool], ...]
) -> None:
    """Refuse wordings that always name a value which calls may leave out."""
    given = {name for name, _, optional in arguments if not optional or name in step.bind}
    for text in (*step.ask, *step.do, *step.found):
        for name in compile_template(text).names:
            if name.split(".")[0] in tool.parameters.keys() - given - tool.returns.keys():
                raise CatalogueError(
                    f"{domain.name}: {tool.name}: {name!r} is optional, so it needs [ ] in {text!r}"
                )


def _slot_field(domain: Domain, tool: Tool, parameter: str, name: str) -> Field:
    if name in domain.slots:
        return domain.slots[name]
    if name in tool.parameters:
        return tool.parameters[name]
    return tool.parameters[parameter]


def _resolve(domain: Domain, tool: Tool, parameter: str, expression: Expression) -> Expression:
    if isinstance(expression, Named):
        return Slot(expression.name, _slot_field(domain, tool, parameter, expression.name))
    if isinstance(expression, Text):
        fields = {}
        for name in expression.slots():
            if name not in domain.slots and name not in tool.parameters:
                raise CatalogueError(f"{domain.name}: {tool.name}: no field for slot {name!r}")
            fields[name] = _slot_field(domain, tool, parameter, name)
        briefs = {
            entity.name: tuple(compile_template(text) for text in entity.brief)
            for entity in domain.entities
        }
        return replace(expression, fields=fields, briefs=briefs)
    if isinstance(expression, Made):
        return Made(tuple((n, _resolve(domain, tool, parameter, e)) for n, e in expression.parts))
    if isinstance(expression, Sequence):
        return Sequence(tuple(_resolve(domain, tool, parameter, e) for e in expression.parts))
    return expression


def _territory(
    domain: Domain,
    shared: tuple[Domain, ...],
    tools: Mapping[str, Tool],
    shares: Shares,
) -> Territory:
    whole = replace(
        domain,
        slots={**{k: v for d in shared for k, v in d.slots.items()}, **domain.slots},
        entities=domain.entities + tuple(e for d in shared for e in d.entities),
    )
    entities = {entity.name: entity for entity in whole.entities}
    bits: dict[str, int] = {}

    def bit(name: str) -> int:
        return bits.setdefault(name, 1 << len(bits))

    role_pools = {
        "@brief": frozenset(e.name for e in whole.entities if e.brief),
        "@amount": frozenset(e.name for e in whole.entities if e.amount),
        "@day": frozenset(e.name for e in whole.entities if e.day),
    }
    moves: list[Move] = []
    owned = [(step, False) for step in domain.steps]
    for other in shared:
        owned += [(step, True) for step in other.steps]
    for number, (step, is_shared) in enumerate(owned):
        if step.tool not in tools:
            raise CatalogueError(f"{domain.name}: no tool {step.tool!r}")
        tool = tools[step.tool]
        arguments = _bind(whole, tool, step)
        _check_wording(whole, tool, step, arguments)
        named = {p for _, e, _ in arguments for p in e.pools()}
        if step.each:
            named.add(step.each)
        needed = sorted(p for p in named if p[0] != "@")
        roles = sorted(p for p in named if p[0] == "@")
        need = 0
        for pool in needed + roles:
            if pool not in entities and pool not in role_pools:
                raise CatalogueError(f"{domain.name}: {tool.name}: no entity {pool!r}")
            need |= bit(pool)
        block = bring = bit(f"tool {tool.name} {number if is_shared else ''}")
        gift_paths: list[tuple[str, tuple[str, ...], bool, tuple[str, str] | None]] = []
        least = 4
        gift_bits = 0
        for gift in step.gift:
            if gift.pool not in entities:
                raise CatalogueError(f"{domain.name}: {tool.name}: no entity {gift.pool!r}")
            gift_bits |= bit(gift.pool)
            block |= bit(gift.pool)
            bring |= bit(gift.pool)
            for role, members in role_pools.items():
                if gift.pool in members:
                    bring |= bit(role)
            path = tuple(part for part in gift.pointer.split("/") if part)
            many = bool(path) and path[-1] == "*"
            rule, _, key = gift.best.partition(" ")
            best = (rule, key) if rule else None
            if many:
                path = path[:-1]
                least = min(least, tool.returns[path[0]].least)
            gift_paths.append((gift.pool, path, many, best))
        # Wishes that have nothing to do with the rest are rare.
        weight = step.weight * (1.0 if need else 0.35)
        if step.changes:
            block |= bit(f"read {step.changes}")
        if step.reads:
            bring |= bit(f"read {step.reads}")
        moves.append(
            Move(
                number=number,
                step=step,
                tool=tool,
                arguments=arguments,
                need=need,
                block=block,
                bring=bring,
                pools=tuple(needed),
                roles=tuple(roles),
                shared=is_shared,
                ask=tuple(compile_template(text) for text in step.ask),
                do=tuple(compile_template(text) for text in step.do or step.ask),
                found=tuple(compile_template(text) for text in step.found),
                gift_paths=tuple(gift_paths),
                least=least,
                # One wording without optional parts reads the same in query and thought.
                varied=bool(step.do) or len(step.ask) > 1 or "[" in step.ask[0],
                gift_bits=gift_bits,
                weight=weight,
                fresh_weight=weight * 3.0,
                slots={name: e.slots() for name, e, _ in arguments if e.slots()},
                said={
                    name: expression.name
                    for name, expression, _ in arguments
                    if isinstance(expression, Slot)
                },
            )
        )
    twins: dict[str, list[tuple[str, float]]] = {}
    for pair in [pair for d in (domain, *shared) for pair in d.twins]:
        for name, twin in (pair, pair[::-1]):
            twins.setdefault(name, []).append((twin, shares.get(name, {}).get(twin, 1.0)))
    facts = {
        name: tuple(compile_template(text) for text in texts)
        for d in (*shared, domain)
        for name, texts in d.facts.items()
    }
    return Territory(
        domain=whole,
        moves=tuple(moves),
        roots=tuple(m for m in moves if not m.need and not m.shared),
        rest=[m for m in moves if m.need and not m.shared],
        errands=[m for m in moves if m.shared],
        entities=entities,
        role_pools=role_pools,
        twins={name: tuple(others) for name, others in twins.items()},
        names=tuple(tool.name for tool in domain.tools),
        facts=facts,
        occasions={
            e.name: e.occasion or e.noun or e.name.replace("_", " ") for e in whole.entities
        },
        nouns={e.name: e.noun or e.name.replace("_", " ") for e in whole.entities},
    )


def read_shares() -> Shares:
    """How often a tool's twins are to be listed beside it, measured by `scripts/weigh_twins.py`.

    Of two tools that may be taken for each other, one is called more often, or is more
    easily put in the other's place. It is listed beside the other only so often that wrong
    calls of either are equally many. Else a tool's name alone would tell that it is wrong.
    """
    text = resources.files(__package__).joinpath("shares.json").read_bytes()
    found: Shares = orjson.loads(text)
    return found


@functools.cache
def read_catalogue() -> Catalogue:
    """All domains of `domains/`, in the order of their file names.

    Raises CatalogueError when a step names a tool, parameter or entity that is not there.
    """
    return compile_catalogue(read_shares())


def compile_catalogue(shares: Shares) -> Catalogue:
    """The catalogue with other shares; a pair without one is always listed together."""
    modules = sorted(module.name for module in pkgutil.iter_modules(domains.__path__))
    found: list[Domain] = [
        importlib.import_module(f"{domains.__name__}.{name}").DOMAIN for name in modules
    ]
    tools: dict[str, Tool] = {}
    for domain in found:
        for tool in domain.tools:
            if tool.name in tools:
                raise CatalogueError(f"{domain.name}: tool {tool.name!r} is there twice")
            tools[tool.name] = tool
    shared = tuple(d for d in found if d.shared)
    listings = {
        name: orjson.dumps(tool.describe(), option=orjson.OPT_INDENT_2).decode()
        for name, tool in tools.items()
    }
    return Catalogue(
        domains=tuple(found),
        territories=tuple(_territory(d, shared, tools, shares) for d in found if not d.shared),
        tools=tools,
        listings=listings,
    )
