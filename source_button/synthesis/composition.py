"""Composition of atomic tasks into a workflow: which steps, in which layers.

Steps are added one by one where what they need is there, sequentially until the wanted
depth is reached and beside each other until the wanted number of calls is. Nothing is
executed here.
"""

from __future__ import annotations

from random import Random

from source_button.synthesis.registry import Move, Territory

MOST_CALLS = 12
LEAST_CALLS = 3
WIDEST = 4
DEPTHS = ((2, 0.12), (3, 0.30), (4, 0.29), (5, 0.17), (6, 0.08), (7, 0.04))
_ATTEMPTS = 40


class Planned:
    """A step of a workflow: its layer (from 0), its number of parallel calls, and the
    pools that fill its roles."""

    __slots__ = ("lanes", "layer", "move", "roles")

    def __init__(self, move: Move, layer: int, lanes: int, roles: dict[str, str]) -> None:
        self.move = move
        self.layer = layer
        self.lanes = lanes
        self.roles = roles


class _Draft:
    """A workflow that grows."""

    __slots__ = (
        "calls", "changed", "deepest", "have", "lanes", "order", "pool_layer", "shared",
        "steps", "unused", "used", "width",
    )  # fmt: skip

    def __init__(self) -> None:
        self.steps: list[Planned] = []
        self.have = 0
        self.calls = 0
        self.deepest = -1
        self.shared = 0
        self.width = [0] * 8
        self.pool_layer: dict[str, int] = {}
        self.lanes: dict[str, tuple[int, int]] = {}
        self.used: set[str] = set()
        self.unused = 0
        self.changed: dict[str, int] = {}
        self.order: list[str] = []

    def add(self, move: Move, layer: int, lanes: int, roles: dict[str, str]) -> None:
        self.steps.append(Planned(move, layer, lanes, roles))
        self.have |= move.bring
        self.calls += lanes
        self.width[layer] += lanes
        self.deepest = max(self.deepest, layer)
        self.shared += move.shared
        self.used.update(move.pools)
        self.used.update(roles.values())
        self.unused = self.unused & ~move.need | move.gift_bits
        for pool, _, many, _ in move.gift_paths:
            self.pool_layer[pool] = layer
            self.order.append(pool)
            # A pool of rows can be gone through by as many lanes as rows are certain; one
            # that came from several lanes is gone through by just these.
            self.lanes[pool] = (2, min(3, move.least)) if many and lanes == 1 else (lanes, lanes)
        changes = move.step.changes
        if changes:
            self.changed[changes] = max(self.changed.get(changes, -1), layer)


def _cast_roles(
    move: Move, draft: _Draft, territory: Territory, rng: Random
) -> dict[str, str] | None:
    """Which pool fills each role: mostly the newest, one nothing has used if there is one.

    The same pool must fill all roles of a step, or the story falls apart.
    """
    able = [
        pool
        for pool in draft.order
        if all(pool in territory.role_pools[role] for role in move.roles)
    ]
    if not able:
        return None
    fresh = [pool for pool in able if pool not in draft.used]
    pick_from = fresh if fresh and rng.random() < 0.8 else able
    pool = pick_from[-1] if rng.random() < 0.6 else pick_from[int(rng.random() * len(pick_from))]
    return dict.fromkeys(move.roles, pool)


def compose(territory: Territory, rng: Random) -> list[Planned]:
    """A workflow of 3..12 calls, at most 4 wide, in an order in which it can be done.

    The wanted depth is drawn first; a few drafts are tried until one has it, then the
    deepest of them is taken.
    """
    point = rng.random()
    depth = DEPTHS[-1][0]
    for value, weight in DEPTHS:
        point -= weight
        if point < 0:
            depth = value
            break
    best: _Draft | None = None
    for attempt in range(_ATTEMPTS):
        draft = _draft(territory, rng, depth)
        if draft.calls < LEAST_CALLS or draft.deepest < 1:
            continue
        if draft.deepest + 1 == depth:
            return draft.steps
        if best is None or draft.deepest > best.deepest:
            best = draft
        if attempt >= 5 and best is not None:
            break
    if best is None:
        raise LookupError(f"no workflow of {LEAST_CALLS} calls in domain {territory.domain.name!r}")
    return best.steps


def _draft(territory: Territory, rng: Random, depth: int) -> _Draft:
    random = rng.random
    draft = _Draft()
    wanted = min(MOST_CALLS, depth + int(random() * random() * 7))
    wanted = max(wanted, LEAST_CALLS)
    shared_limit = 1 + (depth > 3) + (wanted > 7) + (random() < 0.4)
    first = _weighted(territory.roots, rng)
    lanes = 2 + int(random() * 2.3) if first.step.fan else 1
    draft.add(first, 0, min(lanes, 4), {})
    pool_layer = draft.pool_layer
    width = draft.width
    # What is blocked stays blocked, so the list of moves only shrinks.
    left = list(territory.moves)
    while draft.calls < wanted or draft.deepest + 1 < depth:
        if draft.calls >= MOST_CALLS:
            break
        have = draft.have
        lacking = ~have
        if draft.shared >= shared_limit:
            left = [move for move in left if not move.block & have and not move.shared]
        else:
            left = [move for move in left if not move.block & have]
        options: list[tuple[Move, int, float]] = []
        for move in left:
            if move.need & lacking:
                continue
            layer = -1
            for pool in move.pools:
                if pool_layer[pool] > layer:
                    layer = pool_layer[pool]
            reads = move.step.reads
            if reads:
                layer = max(layer, draft.changed.get(reads, -1))
            layer += 1
            if layer < depth and width[layer] < WIDEST:
                fresh = move.need & draft.unused
                options.append((move, layer, move.fresh_weight if fresh else move.weight))
        if not options:
            break
        if draft.deepest + 1 < depth and random() < 0.8:
            deeper = [o for o in options if o[1] > draft.deepest or o[0].roles]
            options = deeper or options
        chosen = _choose(options, rng)
        move, layer = chosen[0], chosen[1]
        roles: dict[str, str] = {}
        if move.roles:
            cast = _cast_roles(move, draft, territory, rng)
            if cast is None:
                left.remove(move)
                continue
            roles = cast
            layer = max(layer, draft.pool_layer[next(iter(roles.values()))] + 1)
            if layer >= depth or draft.width[layer] >= WIDEST:
                left.remove(move)
                continue
        room = min(WIDEST - draft.width[layer], MOST_CALLS - draft.calls)
        lanes = 1
        if move.step.each:
            low, high = draft.lanes[move.step.each]
            lanes = low + int(random() * (high - low + 1))
            if lanes > room:
                lanes = low
        elif move.step.fan:
            lanes = 2 + int(random() * 2.3)
            lanes = min(lanes, room)
        if lanes > room or (move.step.fan and lanes < 2):
            left.remove(move)
            continue
        draft.add(move, layer, lanes, roles)
    return draft


def _weighted(moves: tuple[Move, ...], rng: Random) -> Move:
    return _choose([(move, 0, move.step.weight) for move in moves], rng)[0]


def _choose(
    options: list[tuple[Move, int, float]], rng: Random
) -> tuple[Move, int, float]:
    point = rng.random() * sum([option[2] for option in options])
    for option in options:
        point -= option[2]
        if point < 0:
            return option
    return options[-1]
