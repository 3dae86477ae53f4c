"""One trajectory of the embedded source, from its seed and number alone."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from random import Random
from typing import Any

import orjson

from source_button.synthesis.composition import compose
from source_button.synthesis.dialogue import arrange_turns, decide_manner, tell_story
from source_button.synthesis.enactment import Call, Repetition, enact
from source_button.synthesis.registry import Catalogue, Territory, read_catalogue
from source_button.synthesis.scene import Scene


def _seed(index: int, seed: int, attempt: int) -> int:
    key = f"{seed}:{index}:{attempt}".encode()
    return int.from_bytes(hashlib.blake2b(key, digest_size=8, person=b"button-synth").digest())


def _draw(index: int, seed: int, catalogue: Catalogue) -> tuple[Territory, Scene, list[Call]]:
    attempt = 0
    while True:
        rng = Random(_seed(index, seed, attempt))
        territories = catalogue.territories
        territory = territories[int(rng.random() * len(territories))]
        plan = compose(territory, rng)
        scene = Scene(rng)
        try:
            return territory, scene, enact(plan, territory, scene)
        except Repetition:
            attempt += 1


def synthesize_one(index: int, *, seed: int) -> bytes:
    """Line `index` of the corpus of `seed`: `{"messages": [...]}` without a newline.

    The line depends on (seed, index) and on the versions of this package and of Faker,
    on nothing else: any range can be made by any process in any order.
    """
    return write_line(index, seed, read_catalogue())


def write_line(index: int, seed: int, catalogue: Catalogue) -> bytes:
    """The line as another catalogue gives it."""
    territory, scene, calls = _draw(index, seed, catalogue)
    manner = decide_manner(scene)
    turns = arrange_turns(calls, manner, scene)
    story = tell_story(calls, turns, territory, catalogue, scene, manner)
    return orjson.dumps({"messages": story.messages})


def synthesize(n: int, *, seed: int) -> Iterator[bytes]:
    """Lines 0..n-1 of the corpus of `seed`, lazily."""
    for index in range(n):
        yield synthesize_one(index, seed=seed)


def wishes(index: int, *, seed: int) -> list[tuple[str, list[list[str]]]]:
    """The sentences of line `index` in which the user's first message asks for calls.

    Each is its text and, for each wish in it, the ids of the calls that do it; ids are those
    of `truth`.
    """
    catalogue = read_catalogue()
    territory, scene, calls = _draw(index, seed, catalogue)
    manner = decide_manner(scene)
    turns = arrange_turns(calls, manner, scene)
    place = {i: n for n, i in enumerate((i for turn in turns for i in turn), 1)}
    story = tell_story(calls, turns, territory, catalogue, scene, manner)
    return [
        (sentence.text, [[str(place[c.number]) for c in wish.calls] for wish in sentence.wishes])
        for sentence in story.sentences
    ]


def truth(index: int, *, seed: int) -> list[dict[str, Any]]:
    """The true edges of line `index`, as the generator knows them.

    Each is `{from, to, kind, argument, source}`: ids '1', '2', … in the order in which
    the calls stand in the text; kind data, computed or order; `argument` a JSON Pointer
    into to's arguments, `source` one into from's results (both null for order).
    """
    catalogue = read_catalogue()
    _, scene, calls = _draw(index, seed, catalogue)
    turns = arrange_turns(calls, decide_manner(scene), scene)
    place = {i: n for n, i in enumerate((i for turn in turns for i in turn), 1)}
    edges: list[dict[str, Any]] = []
    for at in sorted(place, key=lambda i: place[i]):
        for flow in calls[at].edges:
            is_order = flow.kind == "order"
            edges.append(
                {
                    "from": str(place[flow.call]),
                    "to": str(place[at]),
                    "kind": flow.kind,
                    "argument": None if is_order else flow.argument,
                    "source": None if is_order else flow.source,
                }
            )
    return edges
