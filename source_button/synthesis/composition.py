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
DEPTHS = ((2, 0.11), (3, 0.20), (4, 0.26), (5, 0.24), (6, 0.12), (7, 0.07))
_ATTEMPTS = 40
_ERRAND_SHARE = 0.3


class Planned:
    """A step of a workflow.

    It has its layer (from 0), its number of parallel calls, and the pools that fill its roles.
    """

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

    def layer_after(self, move: Move) -> int:
        """The first layer after the pools that the move names."""
        return max([self.pool_layer[pool] + 1 for pool in move.pools], default=0)


def _cast_roles(
    move: Move, draft: _Draft, territory: Territory, rng: Random
) -> dict[str, str] | None:
    """Which pool fills each role: mostly the newest, one nothing has used if there is one.

    The same pool must fill all roles of a step, or the story falls apart.
    """
    able = draft.order
    for role in move.roles:
        members = territory.role_pools[role]
        able = [pool for pool in able if pool in members]
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
        if attempt >= 1 and best.deepest >= 2:
            break
    if best is None:
        raise LookupError(f"no workflow of {LEAST_CALLS} calls in domain {territory.domain.name!r}")
    return best.steps


def _draft(territory: Territory, rng: Random, depth: int) -> _Draft:
    random = rng.random
    draft = _Draft()
    wanted = min(MOST_CALLS, depth + int(random() * random() * 6))
    wanted = max(wanted, LEAST_CALLS)
    shared_limit = 1 + (depth > 3) + (depth > 4) + (wanted > 7) + (random() < 0.4)
    first = _weighted(territory.roots, rng)
    lanes = 2 + int(random() * 2.3) if first.step.fan else 1
    draft.add(first, 0, min(lanes, 4), {})
    pool_layer = draft.pool_layer
    # Moves wait for their pools, then are ready in a layer that no longer changes, and once
    # blocked stay blocked; so both lists only shrink.
    waiting = territory.rest
    ready: list[tuple[Move, int]] = [(move, 0) for move in territory.roots]
    errands = territory.errands
    known = 0
    while draft.calls < wanted or draft.deepest + 1 < depth:
        # A draft that has grown wide without growing deep is not worth finishing.
        if draft.calls >= min(MOST_CALLS, wanted + 2):
            break
        have = draft.have
        if have != known:
            known = have
            lacking = ~have
            still: list[Move] = []
            for move in waiting:
                if move.need & lacking:
                    still.append(move)
                else:
                    layer = 0
                    for pool in move.pools:
                        if pool_layer[pool] >= layer:
                            layer = pool_layer[pool] + 1
                    ready.append((move, layer))
            waiting = still
            ready = [pair for pair in ready if not pair[0].block & have]
        deepen = draft.deepest + 1 < depth and (draft.calls >= wanted or random() < 0.85)
        chosen = None
        is_errand = draft.shared < shared_limit and random() < _ERRAND_SHARE
        if not is_errand:
            chosen = _choose(ready, draft, depth, deepen, random())
        if chosen is None and draft.shared < shared_limit:
            lacking = ~have
            able = [
                (move, draft.layer_after(move) if move.pools else 0)
                for move in errands
                if not move.need & lacking and not move.block & have
            ]
            chosen = _choose(able, draft, depth, deepen, random())
        if chosen is None and is_errand:
            chosen = _choose(ready, draft, depth, deepen, random())
        if chosen is None:
            break
        move, layer = chosen
        roles: dict[str, str] = {}
        if move.roles:
            cast = _cast_roles(move, draft, territory, rng)
            if cast is None:
                ready, errands = _without(move, ready, errands)
                continue
            roles = cast
            layer = max(layer, draft.pool_layer[next(iter(roles.values()))] + 1)
            if layer >= depth or draft.width[layer] >= WIDEST:
                ready, errands = _without(move, ready, errands)
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
            ready, errands = _without(move, ready, errands)
            continue
        draft.add(move, layer, lanes, roles)
    return draft


def _without(
    move: Move, ready: list[tuple[Move, int]], errands: list[Move]
) -> tuple[list[tuple[Move, int]], list[Move]]:
    if move.shared:
        return ready, [other for other in errands if other is not move]
    return [pair for pair in ready if pair[0] is not move], errands


def _choose(
    moves: list[tuple[Move, int]], draft: _Draft, depth: int, deepen: bool, point: float
) -> tuple[Move, int] | None:
    """One of the moves that fit, by weight; those that add a layer first if `deepen`."""
    width, changed, unused, deepest = draft.width, draft.changed, draft.unused, draft.deepest
    options: list[tuple[float, Move, int]] = []
    deeper: list[tuple[float, Move, int]] = []
    whole = whole_deeper = 0.0
    for move, layer in moves:
        if changed and move.step.reads in changed:
            layer = max(layer, changed[move.step.reads] + 1)
        if layer >= depth or width[layer] >= WIDEST:
            continue
        weight = move.fresh_weight if move.need & unused else move.weight
        if deepen and (layer > deepest or move.roles):
            whole_deeper += weight
            deeper.append((whole_deeper, move, layer))
        else:
            whole += weight
            options.append((whole, move, layer))
    if deeper:
        options, whole = deeper, whole_deeper
    point *= whole
    for bound, move, layer in options:
        if point < bound:
            return move, layer
    return None


def _weighted(moves: tuple[Move, ...], rng: Random) -> Move:
    point = rng.random() * sum([move.step.weight for move in moves])
    for move in moves:
        point -= move.step.weight
        if point < 0:
            return move
    return moves[-1]
