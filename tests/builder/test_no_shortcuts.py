"""No shortcuts: surface features tell damaged from clean no better than chance.

Rows of the embedded source, of every kind; judged are those whose error is silent or
latent, since an explicit one is told by an observation. `tests/builder/shortcuts.py` says
what is compared with what, and which features a kind changes by definition.

An area under the curve (AUC) may be 0.55 at most; as a sample can't show more, it fails
where it is above by `SURE` standard errors or more. What the same measure finds where
something was planted is tested too.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import sqrt
from random import Random
from statistics import fmean, stdev
from typing import Any

import pytest

from builder.corpus import name_query
from builder.levels import Recipe, Shortfall, Source, build_row, examine
from plan.json_text import dumps, loads
from plan.row import LATENT, SILENT, Row
from source_button.ingest import Parsed, parse_line
from source_button.synthesis import synthesize_one
from taxonomy.kind import DIMENSIONS
from taxonomy.registry import kinds
from tests.builder.shortcuts import (
    ROW_STRUCTURAL,
    STRUCTURAL,
    Unit,
    leaves,
    row_features,
    unit_of,
)

np = pytest.importorskip("numpy")
pytest.importorskip("sklearn")

pytestmark = pytest.mark.slow

SOURCES = 300
"""Plans; each gives a row of every kind that it allows, and some of those in `OFTEN`."""

OFTEN = {
    # Seldom latent, or seldom with a second task that could have been hit likewise.
    "Parallelism_Error": 4,
    "Toolcall_Missing": 4,
    # A call with a wrong argument says so if it runs.
    "Parameter_Error": 3,
    "Parameter_Invalid": 3,
    "Parameter_Missing": 3,
    "Type_Error": 3,
    "Tool_name_Error": 3,
}

SEED = 23
MOST = 0.55
SURE = 2.5
FEWEST = 30
"""Units or rows below which a kind isn't judged on its own, only with the others."""

PARAMETER_KINDS = ("Parameter_Error", "Parameter_Invalid", "Parameter_Missing", "Type_Error")


@pytest.fixture(autouse=True, scope="module")
def single() -> Iterator[None]:
    """One thread: these matrices are small, and tests run beside each other."""
    with pytest.importorskip("threadpoolctl").threadpool_limits(1):
        yield


@cache
def rows() -> tuple[Row, ...]:
    """Some 7,000 rows."""
    found: list[Row] = []
    index = plans = 0
    while plans < SOURCES:
        parsed = parse_line(synthesize_one(index, seed=SEED), f"embedded-{SEED}", index + 1)
        index += 1
        assert isinstance(parsed, Parsed)
        clean = parsed.clean.canonical()
        source = Source(clean, "embedded", f"embedded-{SEED}:{index}", name_query(clean.query))
        masks = examine(source)
        if isinstance(masks, str):
            continue
        plans += 1
        source = replace(source, masks=masks)
        wanted = [kind for kind in kinds() for _ in range(OFTEN.get(kind, 1))]
        for variant, kind in enumerate(wanted):
            row = build_row(source, Recipe("level1", (kind,), variant, SEED))
            if not isinstance(row, Shortfall):
                found.append(row)
    return tuple(found)


@cache
def judged() -> tuple[Row, ...]:
    return tuple(row for row in rows() if row.errors[0].visibility in (SILENT, LATENT))


@cache
def units() -> Mapping[str, tuple[Unit, ...]]:
    found: dict[str, list[Unit]] = defaultdict(list)
    for row in judged():
        unit = unit_of(row)
        if unit is not None:
            found[unit.kind].append(unit)
    return {kind: tuple(found[kind]) for kind in sorted(found)}


KINDS = [kind for kind in kinds() if kind not in ("Timeout_Error", "Dependence_Null")]
"""Kinds with enough units: a timeout is never silent; where a lost dependency is latent,
the plan seldom has a second task that could have lost one likewise."""


# ------------------------------------------------------------------------- the measure


@dataclass(frozen=True, slots=True)
class Curve:
    """An area under the curve, its standard error, and the number of rows behind it."""

    area: float
    error: float
    rows: int

    @classmethod
    def of(cls, won: Sequence[float]) -> Curve:
        """The mean over rows, each with its share of won pairs."""
        return cls(fmean(won), stdev(won) / sqrt(len(won)), len(won))

    @property
    def is_mute(self) -> bool:
        """Whether the area is compatible with at most 0.55, whichever way it is read."""
        return abs(self.area - 0.5) - SURE * self.error <= MOST - 0.5

    @property
    def is_useless(self) -> bool:
        """Whether what was learned doesn't help; to be wrong elsewhere is no help either."""
        return self.area - SURE * self.error <= MOST

    def __repr__(self) -> str:
        return f"{self.area:.3f} ± {self.error:.3f} ({self.rows} rows)"


Scorer = Callable[[Unit], Sequence[float]]


def curve(compared: Sequence[Unit], scores: Sequence[Sequence[float]]) -> Curve:
    won = []
    for unit, score in zip(compared, scores, strict=True):
        won.append(
            fmean((score[bad] > score[good]) + (score[bad] == score[good]) / 2
                  for bad, good in unit.pairs)
        )  # fmt: skip
    return Curve.of(won)


def by_feature(compared: Sequence[Unit], name: str) -> Curve:
    return curve(compared, [[node[name] for node in unit.nodes] for unit in compared])


def allowed(kind: str | None) -> list[str]:
    """The features that must be mute for a kind, or for all kinds."""
    names = list(next(iter(units().values()))[0].nodes[0])
    shut = (
        {name for own in STRUCTURAL.values() for name in own}
        if kind is None
        else STRUCTURAL.get(kind, ())
    )
    return [name for name in names if name not in shut]


def pending(compared: Sequence[Unit]) -> list[Unit]:
    """The same units, with pairs of pending tasks only; those that have any."""
    return [replace(unit, pairs=unit.pending) for unit in compared if unit.pending]


def _labelled(compared: Sequence[Unit]) -> tuple[list[tuple[int, int]], Any, Any]:
    """(unit, node) places, 1 for damaged, and weights that make every row count alike."""
    places, labels, weights = [], [], []
    for at, unit in enumerate(compared):
        for label, side in ((1, {bad for bad, _ in unit.pairs}), (0, {g for _, g in unit.pairs})):
            for node in sorted(side):
                places.append((at, node))
                labels.append(label)
                weights.append(1 / len(side))
    return places, np.array(labels), np.array(weights)


def learned(compared: Sequence[Unit], model: Any, features: Callable[[Unit], Any]) -> Curve:
    """What a model finds in rows of queries that it hasn't seen.

    Args:
        compared: the units.
        model: a fresh scikit-learn classifier.
        features: gives a unit's matrix, a row for each of its nodes.
    """
    from sklearn.base import clone
    from sklearn.model_selection import GroupKFold

    places, labels, weights = _labelled(compared)
    whole = [features(unit) for unit in compared]
    matrix = np.array([whole[at][node] for at, node in places])
    groups = [compared[at].query for at, _ in places]
    scores = np.zeros(len(places))
    for train, test in GroupKFold(5).split(matrix, labels, groups):
        fitted = clone(model).fit(matrix[train], labels[train], sample_weight=weights[train])
        scores[test] = fitted.predict_proba(matrix[test])[:, 1]
    given = [[0.0] * len(unit.nodes) for unit in compared]
    for (at, node), score in zip(places, scores, strict=True):
        given[at][node] = score
    return curve(compared, given)


COINS = ("place_in_layer", "dep_rising", "dep_above", "id_odd")
"""Even chances, whose mean in a plan would only say how many tasks share a layer."""


def centred(names: Sequence[str], scale: Mapping[str, float]) -> Callable[[Unit], Any]:
    """Features as they stand out in their own row.

    For a needless call as they are: its values and those of the call that it repeats are
    one another's, and their mean would only say that there are two of them.
    """

    def features(unit: Unit) -> Any:
        table = np.array([[node[name] / scale[name] for name in names] for node in unit.nodes])
        if unit.kind == "Toolcall_Redundancy":
            return table
        return table - np.where([name in COINS for name in names], 0.0, table.mean(axis=0))

    return features


def scales(names: Sequence[str], compared: Sequence[Unit]) -> dict[str, float]:
    return {
        name: float(np.std([node[name] for unit in compared for node in unit.nodes])) or 1.0
        for name in names
    }


def words(compared: Sequence[Unit], spell: Callable[[Unit, int], str]) -> Callable[[Unit], Any]:
    """A bag of the words that occur in three rows or more."""
    seen = Counter(
        word
        for unit in compared
        for word in {word for at in range(len(unit.nodes)) for word in _split(spell(unit, at))}
    )
    known = {word: at for at, word in enumerate(w for w, n in sorted(seen.items()) if n > 2)}

    def features(unit: Unit) -> Any:
        table = np.zeros((len(unit.nodes), len(known)))
        for at in range(len(unit.nodes)):
            for word in _split(spell(unit, at)):
                if word in known:
                    table[at, known[word]] = 1
        return table

    return features


def _split(text: str) -> set[str]:
    return set(re.findall(r"[^\W\d_]{2,}", text.casefold()))


def linear() -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=0.3, max_iter=2000)


def forest() -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(40, max_depth=4, min_samples_leaf=8, random_state=0)


# ---------------------------------------------------------------------------- the tasks


def test_there_is_enough_to_judge() -> None:
    assert len(rows()) >= 2000
    assert len(judged()) >= 2000
    assert {kind for kind, own in units().items() if len(own) >= FEWEST} == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_no_single_feature_tells_the_damaged_task(kind: str) -> None:
    loud = {
        name: found
        for name in allowed(kind)
        if not (found := by_feature(units()[kind], name)).is_mute
    }
    assert loud == {}


@pytest.mark.parametrize("kind", KINDS)
def test_no_combination_of_features_tells_the_damaged_task(kind: str) -> None:
    own, names = units()[kind], allowed(kind)
    features = centred(names, scales(names, own))
    found = {
        "linear": learned(own, linear(), features),
        "forest": learned(own, forest(), features),
    }
    assert {name: one for name, one in found.items() if not one.is_useless} == {}


@pytest.mark.parametrize("kind", KINDS)
def test_no_words_of_descriptions_tell_the_damaged_task(kind: str) -> None:
    own = units()[kind]
    found = learned(own, linear(), words(own, lambda unit, at: unit.texts[at]))
    assert found.is_useless, found


def test_all_kinds_together_teach_a_reader_nothing() -> None:
    # Needless calls, whose plans hold things twice, are compared by themselves only.
    own = [
        unit for found in units().values() for unit in found if unit.kind != "Toolcall_Redundancy"
    ]
    names = allowed(None)
    features = centred(names, scales(names, own))
    found = {
        "linear": learned(own, linear(), features),
        "forest": learned(own, forest(), features),
        "words": learned(own, linear(), words(own, lambda unit, at: unit.texts[at])),
    }
    assert {name: one for name, one in found.items() if not one.is_useless} == {}


@pytest.mark.parametrize(
    "differ", ["text_differs", "meaning_differs", "meaning_differs_from_first", "not_before"]
)
def test_a_comparison_with_earlier_plans_does_not_locate_the_damage(differ: str) -> None:
    own = pending([unit for found in units().values() for unit in found if unit.history])
    found = by_feature(own, differ)
    assert found.rows > 500
    assert found.is_mute, found
    for kind in KINDS:
        some = [unit for unit in own if unit.kind == kind]
        if len(some) >= FEWEST:
            assert by_feature(some, differ).is_mute, (kind, by_feature(some, differ))


SHOWN = ("Tool_select_Error", "Toolcall_Redundancy")
"""Kinds whose calls run and say nothing. An empty result is what a Null_Error is."""


@pytest.mark.parametrize("kind", SHOWN)
def test_results_of_wrong_calls_look_like_those_of_right_ones(kind: str) -> None:
    own = []
    for unit in units()[kind]:
        pairs = [pair for pair in unit.pairs if all(unit.results[at] is not None for at in pair)]
        if pairs and not any(
            isinstance(one, dict) and not one.keys().isdisjoint(_MESSAGES) for one in unit.results
        ):
            own.append(replace(unit, pairs=pairs))
    assert len(own) >= FEWEST
    sizes = ("length", "leaves")
    sized = [
        replace(
            unit,
            nodes=[
                {"length": len(dumps(one)), "leaves": len(list(leaves(one)))}
                for one in unit.results
            ],
        )
        for unit in own
    ]
    assert {n: found for n in sizes if not (found := by_feature(sized, n)).is_mute} == {}
    spoken = words(own, lambda unit, at: " ".join(leaves(unit.results[at])))
    assert learned(own, linear(), spoken).is_useless, learned(own, linear(), spoken)


# ----------------------------------------------------------------------------- the rows


@cache
def shown() -> tuple[tuple[str, str, int, Mapping[str, float]], ...]:
    """(kind, query, round, features) of each judged row."""
    return tuple((row.error_kinds[0], row.query_id, row.t, row_features(row)) for row in judged())


def against_rest(kind: str) -> tuple[Any, Any, list[str], list[Mapping[str, float]]]:
    """1 for rows of a kind and 0 for others, weights, queries, and features.

    Which kinds a plan allows in a round, plan and round show; so in each of them the others
    weigh as much as the rows of the kind.
    """
    groups: dict[tuple[str, int], list[tuple[bool, Mapping[str, float]]]] = defaultdict(list)
    for name, query, round, features in shown():
        groups[query, round].append((name == kind, features))
    labels, weights, queries, tables = [], [], [], []
    for (query, _), own in groups.items():
        mine = sum(label for label, _ in own)
        if 0 < mine < len(own):
            for label, features in own:
                labels.append(label)
                weights.append(1.0 if label else mine / (len(own) - mine))
                queries.append(query)
                tables.append(features)
    return np.array(labels), np.array(weights), queries, tables


def weighed(labels: Any, weights: Any, scores: Any) -> Curve:
    from sklearn.metrics import roc_auc_score

    area = float(roc_auc_score(labels, scores, sample_weight=weights))
    rest = weights[~labels]
    sizes = labels.sum(), rest.sum() ** 2 / (rest**2).sum()
    return Curve(area, sqrt(sum(1 / size for size in sizes) / 12), int(labels.sum()))


@pytest.mark.parametrize("kind", KINDS)
def test_a_row_does_not_show_which_kind_it_holds(kind: str) -> None:
    from sklearn.model_selection import GroupKFold

    labels, weights, queries, tables = against_rest(kind)
    assert labels.sum() >= FEWEST
    shut = (*ROW_STRUCTURAL[""], *ROW_STRUCTURAL.get(kind, ()))
    names = [name for name in tables[0] if not name.startswith(shut)]
    matrix = np.array([[float(table[name]) for name in names] for table in tables])
    loud = {
        name: found
        for at, name in enumerate(names)
        if not (found := weighed(labels, weights, matrix[:, at])).is_mute
    }
    matrix = (matrix - matrix.mean(axis=0)) / np.where(matrix.std(axis=0), matrix.std(axis=0), 1)
    for name, model in (("linear", linear()), ("forest", forest())):
        scores = np.zeros(len(labels))
        for train, test in GroupKFold(4).split(matrix, labels, queries):
            model.fit(matrix[train], labels[train], sample_weight=weights[train])
            scores[test] = model.predict_proba(matrix[test])[:, 1]
        found = weighed(labels, weights, scores)
        if not found.is_useless:
            loud[name] = found
    assert loud == {}


# -------------------------------------------------------------------- what is planted


def planted(compared: Sequence[Unit], name: str, by: float, share: float) -> list[Unit]:
    """The same units, with a feature of some of the damaged tasks changed."""
    lots = Random(1)
    found = []
    for unit in compared:
        nodes = [dict(node) for node in unit.nodes]
        if lots.random() < share:
            for bad in {bad for bad, _ in unit.pairs}:
                nodes[bad][name] += by
        found.append(replace(unit, nodes=nodes))
    return found


def test_what_is_planted_is_found() -> None:
    own = units()["Serial_Error"]
    names = allowed("Serial_Error")
    assert not by_feature(planted(own, "desc_period", 1, 0.5), "desc_period").is_mute
    for name, by, share in (("id", 40, 0.6), ("value_length", 8, 0.7), ("key_length", 3, 0.7)):
        spoilt = planted(own, name, by, share)
        features = centred(names, scales(names, spoilt))
        assert not learned(spoilt, forest(), features).is_useless, name
    late = [unit for unit in own if unit.history]
    half = planted(late, "meaning_differs", 1, 0.5)
    assert not by_feature(half, "meaning_differs").is_mute


def test_planted_words_are_found() -> None:
    own = [
        replace(
            unit,
            texts=[
                f"{text} again" if any(at == bad for bad, _ in unit.pairs) and number % 2 else text
                for at, text in enumerate(unit.texts)
            ],
        )
        for number, unit in enumerate(units()["Serial_Error"])
    ]
    assert not learned(own, linear(), words(own, lambda unit, at: unit.texts[at])).is_useless


# ------------------------------------------------------------- wording of observations


def failures() -> Mapping[str, list[tuple[Any, Row]]]:
    """What failed calls return, by the kind that made them fail; explicit errors only."""
    found: dict[str, list[tuple[Any, Row]]] = defaultdict(list)
    for row in rows():
        error = row.errors[0]
        if error.visibility == "explicit":
            seen = [one for one in loads(row.observations) if one["id"] == error.node]
            found[row.error_kinds[0]].append((seen[0]["results"], row))
    return found


def envelope(result: Any) -> str:
    """The shape of a message without its words: keys, fixed values, codes, prefix."""
    if isinstance(result, str):
        return "Error: text" if result.startswith("Error: ") else "text"
    if isinstance(result, dict):
        return ", ".join(
            f"{key}: {'text' if key in _MESSAGES and isinstance(item, str) else envelope(item)}"
            for key, item in sorted(result.items())
        )
    return dumps(result)


_MESSAGES = ("message", "error", "detail")


def wording(result: Any) -> str:
    """A message without names and values."""
    text = max(leaves(result), key=len, default="")
    return re.sub(r"'[^']*'|\"[^\"]*\"|[\w./-]*[\d_/][\w./-]*", "_", text.removeprefix("Error: "))


def test_the_envelope_does_not_tell_parameter_kinds_apart() -> None:
    shapes = {
        kind: [envelope(result) for result, _ in failures()[kind]] for kind in PARAMETER_KINDS
    }
    whole = Counter(shape for own in shapes.values() for shape in own)
    for kind, own in shapes.items():
        assert len(own) > 100
        # Learned from every other row of all kinds, tried on the rest.
        rest = [shape for other, found in shapes.items() if other != kind for shape in found]
        mine, theirs = Counter(own[::2]), Counter(rest[::2])
        score = {
            shape: (mine[shape] + 1) / len(own) - (theirs[shape] + 1) / len(rest) for shape in whole
        }
        against = sorted(score[shape] for shape in rest[1::2])
        won = [
            (
                np.searchsorted(against, score[shape])
                + np.searchsorted(against, score[shape], "right")
            )
            / (2 * len(against))
            for shape in own[1::2]
        ]
        assert Curve.of(won).is_mute, (kind, Curve.of(won))
    for shape, count in whole.items():
        if count >= 20:
            assert all(shape in own for own in shapes.values()), shape


def test_messages_of_one_kind_vary() -> None:
    for kind, own in failures().items():
        if kind == "Null_Error":
            continue  # Explicit are those that say "no data" and the like, and nothing else.
        texts = Counter(wording(result) for result, _ in own)
        shapes = Counter(envelope(result) for result, _ in own)
        assert len(own) >= 20, kind
        assert len(shapes) >= 5, (kind, shapes)
        assert len(texts) >= 5, (kind, texts)
        assert max(texts.values()) <= 0.45 * len(own), (kind, texts.most_common(3))


def test_results_of_one_kind_vary_as_the_calls_do() -> None:
    for kind in (*SHOWN, "Serial_Error"):
        texts = [
            dumps(seen["results"])
            for row in judged()
            if row.error_kinds[0] == kind
            for seen in loads(row.observations)
            if seen["id"] == row.errors[0].node
        ]
        assert len(set(texts)) >= 0.9 * len(texts), kind
    empty = Counter(
        dumps(seen["results"])
        for row in rows()
        if row.error_kinds[0] == "Null_Error"
        for seen in loads(row.observations)
        if seen["id"] == row.errors[0].node
    )
    assert len(empty) >= 6
    assert max(empty.values()) <= 0.6 * empty.total()


# ------------------------------------------------------------------------ what is said

FORBIDDEN = (
    *kinds(),
    *DIMENSIONS,
    "explicit",
    "silent",
    "latent",
    "masked",
    "injected",
    "propagated",
    "synthetic",
    "perturbed",
    "careless",
    "oracle",
    "made_up",
    "made up",
    "pararecover",
)


def test_inputs_hold_no_word_of_the_labels() -> None:
    banned = [word.casefold() for word in FORBIDDEN]
    fresh = re.compile(r'"[xg]\d+[#"]')
    for row in rows():
        inputs = "\n".join((row.history, row.plan, row.observations)).casefold()
        said = [word for word in banned if word in inputs] + fresh.findall(inputs)
        if said:
            source = f"{row.query}\n{row.tools}\n{row.clean_plan}".casefold()
            assert all(word in source for word in said), (row.instance_id, said)
        assert not any(word in f"{row.instance_id} {row.query_id}" for word in banned)


def test_keys_stand_in_canonical_order_everywhere() -> None:
    for row in rows()[::7]:
        for text in (row.plan, row.history, row.observations, row.tools):
            assert dumps(loads(text)) == text
