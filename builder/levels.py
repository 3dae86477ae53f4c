"""One row from one recipe: a pure function of source, seed, level and variant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from random import Random

from builder.cascade import Cascade, Sound, must_wait
from builder.labels import label
from builder.renaming import draw_names, free_names, rename_clean, rename_task
from environment.episode import run_to_end
from environment.oracle import recover
from environment.phrasing import reword
from environment.rightness import right_calls, rounds_left
from environment.world import World
from plan.clean import CleanPlan
from plan.json_text import dump_bytes, dumps
from plan.row import Row
from plan.state import Round, State
from plan.task import Plan
from taxonomy.kind import STRUCTURAL, ErrorKind
from taxonomy.registry import kinds

ATTEMPTS = 3
MUST_WAIT = "Dependence_Error"
NOT_DOWNSTREAM = "no: no task below an earlier error allowed this kind"


Masks = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Source:
    """A clean plan, its keys in canonical order, and where it comes from.

    ``source_id`` names the record (``button_instruct.jsonl:17``); ``query_id`` groups the
    rows of one query. ``masks`` are its `feasible_rounds`, where they are known already.
    """

    clean: CleanPlan
    source_kind: str
    source_id: str
    query_id: str
    masks: Masks | None = None


@dataclass(frozen=True, slots=True)
class Recipe:
    """What to build: kinds in the order of their rounds (none for a control row)."""

    level: str
    kinds: tuple[str, ...]
    variant: int
    seed: int


@dataclass(frozen=True, slots=True)
class Shortfall:
    """Why a recipe can't be built from a source; ``kind`` is the one that failed."""

    kind: str
    reason: str


def row_lots(source: Source, recipe: Recipe) -> Random:
    """Return the row's own generator: (seed, source id, level, variant) decide it."""
    text = dump_bytes([recipe.seed, source.source_id, recipe.level, recipe.variant])
    return Random(int.from_bytes(blake2b(text, digest_size=16).digest(), "big"))


def examine(source: Source) -> Masks | str:
    """Return what a clean plan's rounds allow, or why no rows can be built upon it.

    Every recorded call must be legal by its own tool's schema, its references must resolve
    to what was sent, and no call may be made twice: the recordings could not tell the
    second from a needless repetition.
    """
    world = World(source.clean, 0)
    return _unusable(world) or _feasible_rounds(world)


def _unusable(world: World) -> str | None:
    clean, calls = world.clean, world.clean.calls
    results = {id: call.result for id, call in calls.items()}
    seen: set[tuple[str, bytes]] = set()
    if not calls:
        return "no tool call"
    for call in calls.values():
        key = clean.recorded[call.id]
        if key in seen:
            return "the same call is made twice"
        seen.add(key)
        if world.check(call.name, call.sent) is not None:
            return "a recorded call breaks its tool's schema"
        arguments = world.execute(call.task(), results, 1, None).arguments
        if arguments is not call.sent and dump_bytes(arguments) != key[1]:
            return "an argument's references don't give what was sent"
    return None


def feasible_rounds(source: Source) -> Masks:
    """Return the kinds that each round of a plan's tool layers allows, as bit masks.

    ``masks[r - 1][k]`` has a bit, in the registry's order, for each kind that an error of
    round r may be if k further rounds of errors follow it. What is possible for pending
    tasks was possible in every earlier round too, so those kinds are looked for from the
    last round backwards. What earlier errors take away is not known yet.
    """
    return _feasible_rounds(World(source.clean, 0))


def _feasible_rounds(world: World) -> Masks:
    clean, layers = world.clean, world.clean.layers
    first = clean.plan()
    depth = max(layers.values(), default=0)

    @cache
    def state(round: int) -> State:
        sent = {
            id: first.tasks[id].changed(status=True)
            for id, layer in layers.items()
            if layer < round
        }
        return State(round, clean.query, clean.tools, first.replaced(sent))

    deepest = sorted(layers, key=layers.__getitem__, reverse=True)
    always = [0] * depth  # bits of the kinds that each round allows whatever follows it
    waiting: list[tuple[int, list[int]]] = []
    for number, kind in enumerate(kinds().values()):
        bit = 1 << number
        if kind.name == MUST_WAIT:
            waiting.append((bit, _waits(kind, state(1), world, deepest)))
        elif kind.reach == "round":
            for round in range(1, depth + 1):
                if _offers(kind, state(round), clean):
                    always[round - 1] |= bit
        else:
            # Damage to a task alone asks for nothing but that task's being pending.
            alone = kind.reach == "task" and kind.dimension != STRUCTURAL
            tries = (
                (layers[id] for id in deepest if _offers(kind, state(1), clean, id))
                if alone
                else (round for round in range(depth, 0, -1) if _offers(kind, state(round), clean))
            )
            for earlier in range(next(tries, 0)):
                always[earlier] |= bit
    masks = [[mask] * (depth - place) for place, mask in enumerate(always)]
    for bit, waits in waiting:
        for place, runs in enumerate(waits):
            # With errors up to the round ``runs - 1``, and in round ``place + 1`` first.
            for rounds in range(runs - 1 - place):
                masks[place][rounds] |= bit
    return tuple(map(tuple, masks))


def _offers(kind: ErrorKind, state: State, clean: CleanPlan, task: str | None = None) -> bool:
    """Tell whether a kind has any damage to offer, to one task or to all."""
    only = None if task is None else {task}
    return next(kind.damages(state, clean, only=only), None) is not None


def _waits(kind: ErrorKind, state: State, world: World, deepest: Sequence[str]) -> list[int]:
    """Return, for each round, the latest round in which a task damaged in it would run.

    The damage is possible as long as the lost dependency is pending; 0 where there is none.
    Looked for from the deepest task upwards, until none can be expected to wait longer.
    """
    layers = world.clean.layers
    waits = [0] * max(layers.values(), default=0)
    for id in deepest:
        layer = layers[id]
        if layer < 2 or min(waits[: layer - 1]) > layer:
            break
        for damage in kind.damages(state, world.clean, only={id}):
            lost = [other for other in damage.before if other not in damage.after]
            latest = max(layers.get(other, 0) for other in damage.after) + 1
            for round in range(min(layers[other] for other in lost)):
                waits[round] = max(waits[round], latest)
    return waits


@cache
def _bits() -> Mapping[str, int]:
    """Return each kind's bit in the masks."""
    return {name: 1 << bit for bit, name in enumerate(kinds())}


def last_rounds(masks: Masks, wanted: Sequence[str]) -> list[int]:
    """Return the rounds t at which kinds, one a round and the last at t, seem possible."""
    bits = _bits()
    size = max(len(wanted), 1)
    return [
        t
        for t in range(size, len(masks) + 1)
        if all(
            masks[t - size + index][size - 1 - index] & bits[name]
            for index, name in enumerate(wanted)
        )
    ]


def build_row(source: Source, recipe: Recipe) -> Row | Shortfall:
    """Build one row, or say why the source can't supply it.

    The row's errors stand in rounds t-R+1 to t, R being the number of kinds; t is drawn
    among the rounds that the plan is deep enough for.
    """
    lots = row_lots(source, recipe)
    seed = lots.getrandbits(62)
    names = draw_names(source.clean, lots)
    clean = rename_clean(source.clean, names)
    # Sources are examined; the certificate runs every call again.
    world = World(clean, seed, is_proved=True)
    wanted = [kinds()[name] for name in recipe.kinds]
    rounds = last_rounds(source.masks or feasible_rounds(source), recipe.kinds)
    if not rounds:
        return Shortfall(recipe.kinds[0], "no rounds of the plan allow these kinds in this order")
    # The later the round, the more of the history is sound: those are tried first.
    rounds.sort(key=lambda t: lots.random() ** (1 / t), reverse=True)
    sound = Sound(world)
    reason: Shortfall | None = None
    spare: Cascade | None = None
    for attempt in range(ATTEMPTS):
        t = rounds[attempt % len(rounds)]
        cascade = sound.start(lots, t - max(len(wanted), 1), t, frugal=attempt > 0)
        failed = _suffer(cascade, wanted)
        if failed is None and (len(wanted) < 2 or _is_downstream(cascade)):
            return _row(source, recipe, cascade, seed)
        if failed is None:
            # Errors that have nothing to do with each other are the second choice.
            spare = spare or cascade
        else:
            reason = failed
    if spare is not None:
        return _row(source, recipe, spare, seed)
    assert reason is not None
    return reason


def _suffer(cascade: Cascade, wanted: list[ErrorKind]) -> Shortfall | None:
    """Run the rounds that carry errors; return what couldn't be injected, if anything."""
    if not wanted and not cascade.run():
        return Shortfall("", "only the response was left to run")
    for index, kind in enumerate(wanted):
        if index:
            cascade.go_on()
        if not cascade.injure(kind):
            return Shortfall(kind.name, "no pending task or coming call allows it")
        if not cascade.run():
            return Shortfall(kind.name, "only the response was left to run")
    executed = {seen.node for seen in cascade.log}
    for one in cascade.injected:
        if one.damage.node in executed and must_wait(one.kind.name, one.damage):
            return Shortfall(one.kind.name, "the damaged task ran before the last round")
    return None


def _row(source: Source, recipe: Recipe, cascade: Cascade, seed: int) -> Row | Shortfall:
    clean, t = cascade.clean, cascade.round
    right = right_calls(clean, cascade.log)
    errors = label(cascade, right)
    gold = _with_ids(recover(clean, cascade.plan, cascade.log, cascade.last), cascade)
    total = t + rounds_left(clean, right)
    ending = run_to_end(cascade.world, gold, cascade.log, t)
    if ending.round != total or not ending.solved:
        return Shortfall(recipe.kinds[0] if recipe.kinds else "", "the gold plan isn't proved")
    history, plan, gold = _reworded(cascade, gold)
    seen = sorted((done.observation() for done in cascade.last), key=lambda one: int(one.id))
    identity = dump_bytes([recipe.seed, source.source_id, recipe.level, recipe.variant, "id"])
    injected = [one.kind.name for one in cascade.injected]
    return Row(
        instance_id=f"{recipe.level}-{blake2b(identity, digest_size=8).hexdigest()}",
        level=recipe.level,
        query_id=source.query_id,
        query=clean.query,
        tools=dumps([tool.to_json() for tool in clean.tools.values()]),
        history=dumps([past.to_json() for past in history]),
        plan=dumps(plan.to_json()),
        observations=dumps([one.to_json() for one in seen]),
        error_kinds=injected,
        errors=errors,
        clean_plan=dumps(clean.to_row_json()),
        gold_plan=dumps(gold.to_json()),
        faults=dumps([fault.to_json() for fault in cascade.faults]),
        round_gt=clean.rounds(),
        recovery_round_gt=total,
        funcall_times_gt=len(clean.calls),
        t=t,
        rounds=len(injected),
        downstream=_downstream(cascade),
        source_kind=source.source_kind,
        source_id=source.source_id,
        seed=seed,
    )


def _with_ids(gold: Plan, cascade: Cascade) -> Plan:
    """Give the gold plan's fresh tasks ids of the row's own kind."""
    fresh = [id for id in gold.tasks if id.startswith("g")]
    if not fresh:
        return gold
    used = {*gold.tasks, *cascade.plan.tasks, *cascade.clean.calls}
    names = dict(zip(fresh, free_names(used, len(fresh), cascade.lots), strict=True))
    # Who reads or waits for a fresh task is fresh or lists it; nobody else changes.
    return Plan.of(
        task
        if task.id not in names and names.keys().isdisjoint(task.depends_on)
        else rename_task(task, names)
        for task in gold.tasks.values()
    )


def _reworded(cascade: Cascade, gold: Plan) -> tuple[list[Round], Plan, Plan]:
    lots = cascade.lots
    history = [
        Round(
            past.round,
            reword(past.plan, lots),
            tuple(sorted(past.observations, key=lambda one: int(one.id))),
        )
        for past in cascade.history
    ]
    return history, reword(cascade.plan, lots), reword(gold, lots)


def _is_downstream(cascade: Cascade) -> bool:
    """Tell whether a later error's task descends from an earlier error's."""
    done = cascade.injected
    return any(
        cascade.descends(one.damage, done[:index]) for index, one in enumerate(done) if index
    )


def _downstream(cascade: Cascade) -> str:
    """Return what a row says of it; "" where there is one error only."""
    if len(cascade.injected) < 2:
        return ""
    return "yes" if _is_downstream(cascade) else NOT_DOWNSTREAM
