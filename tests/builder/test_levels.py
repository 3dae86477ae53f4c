"""Rows: pure functions of their recipe, with errors where the level says they stand."""

import os
import subprocess
import sys
from dataclasses import replace
from random import Random

import pytest

from builder.cascade import start
from builder.levels import Recipe, Shortfall, Source, build_row, feasible_rounds, last_rounds
from certify.row import certify_row
from environment.world import World
from plan.json_text import dumps, loads
from plan.row import Row
from plan.state import State
from source_button.ingest import Parsed, parse_line
from source_button.synthesis import synthesize_one
from taxonomy.registry import kinds
from tests.builder.rows import cascades, rows_of, source

KINDS = list(kinds())


@pytest.mark.parametrize("kind", KINDS)
def test_a_level1_row_carries_one_error_of_its_kind_in_its_last_round(kind: str) -> None:
    for row in rows_of(kind, 10):
        injected = [error for error in row.errors if error.origin == "injected"]
        assert row.error_kinds == [kind]
        assert [(error.kind, error.round) for error in injected] == [(kind, row.t)]
        assert row.rounds == 1
        assert len(loads(row.history)) == row.t - 1
        assert certify_row(row) == []


@pytest.mark.parametrize("rounds", [2, 3])
def test_a_level2_row_has_an_error_in_each_of_its_last_rounds(rounds: int) -> None:
    for row in cascades(rounds, 40):
        injected = [error for error in row.errors if error.origin == "injected"]
        assert [error.round for error in injected] == list(range(row.t - rounds + 1, row.t + 1))
        assert [error.kind for error in injected] == row.error_kinds
        assert len({error.node for error in injected}) == rounds
        assert certify_row(row) == []


def test_propagated_errors_carry_the_kind_of_their_root() -> None:
    found = 0
    for row in cascades(3, 40):
        for error in row.errors:
            if error.origin == "propagated":
                found += 1
                root = row.errors[error.root]
                assert (root.origin, root.kind) == ("injected", error.kind)
                assert error.node in root.affected
    assert found > 20


def test_later_errors_lie_downstream_or_the_row_says_that_none_could() -> None:
    words = [row.downstream for row in cascades(3, 40)]
    assert words.count("yes") > len(words) / 2
    assert all(word == "yes" or word.startswith("no: ") for word in words)


@pytest.mark.parametrize("index", range(4))
def test_a_control_row_has_nothing_wrong(index: int) -> None:
    row = build_row(source(index), Recipe("level1", (), 0, 0))
    assert isinstance(row, Row)
    assert (row.errors, row.error_kinds, row.rounds) == ([], [], 0)
    assert row.recovery_round_gt == row.round_gt
    assert certify_row(row) == []


def test_the_same_recipe_gives_the_same_row_and_another_seed_or_variant_another() -> None:
    recipe = Recipe("level1", ("Parameter_Missing",), 0, 0)
    row = build_row(source(1), recipe)
    assert row == build_row(source(1), recipe)
    for other in (
        Recipe("level1", ("Parameter_Missing",), 1, 0),
        Recipe("level1", ("Parameter_Missing",), 0, 1),
    ):
        assert row != build_row(source(1), other)


def test_a_row_is_the_same_in_another_process_with_another_hash_seed() -> None:
    code = (
        "from builder.levels import Recipe, build_row; from tests.builder.rows import source;"
        "from plan.json_text import dumps;"
        "recipe = Recipe('level2', ('Timeout_Error', 'Type_Error'), 0, 0);"
        "print(dumps(build_row(source(2), recipe).to_record()))"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(texts) == 1


def test_what_a_plan_is_too_shallow_for_is_a_shortfall_with_a_reason() -> None:
    answer = build_row(source(0), Recipe("level2", ("Timeout_Error",) * 9, 0, 0))
    assert isinstance(answer, Shortfall)
    assert answer.reason


def test_ids_leave_gaps_and_are_in_no_order() -> None:
    gaps = rising = 0
    rows = rows_of("Toolcall_Redundancy", 10) + rows_of("Timeout_Error", 10)
    for row in rows:
        numbers = [int(task["id"]) for task in loads(row.plan)["tasks"][1:-1]]
        gaps += max(numbers) - min(numbers) + 1 - len(set(numbers))
        rising += numbers == sorted(numbers)
    assert gaps > 200
    assert rising < len(rows) / 4


def test_tasks_stand_behind_what_they_depend_on_in_every_plan() -> None:
    for kind in ("Serial_Error", "Dependence_Error", "Toolcall_Redundancy"):
        for row in rows_of(kind, 10):
            for plan in [loads(row.plan), *(past["plan"] for past in loads(row.history))]:
                seen: set[str] = set()
                for task in plan["tasks"]:
                    assert seen.issuperset(task["dep"])
                    seen.add(task["id"])


@pytest.mark.parametrize("index", range(6))
def test_what_a_round_allows_is_what_its_kinds_offer_there(index: int) -> None:
    clean = source(index).clean
    masks = feasible_rounds(source(index))
    for done in range(clean.rounds() - 1):
        plan = start(World(clean, 0), Random(0), done, done + 1).plan
        state = State(done + 1, clean.query, clean.tools, plan)
        for bit, kind in enumerate(kinds().values()):
            offered = any(True for _ in kind.damages(state, clean))
            if kind.name == "Dependence_Error":
                assert offered or not masks[done][0] >> bit & 1
            else:
                assert bool(masks[done][0] >> bit & 1) == offered, (done, kind.name)


def test_last_rounds_leave_room_for_every_error_before_them() -> None:
    masks = feasible_rounds(source(1))
    depth = len(masks)
    assert last_rounds(masks, ()) == list(range(1, depth + 1))
    assert last_rounds(masks, ("Timeout_Error",) * depth) == [depth]
    assert last_rounds(masks, ("Timeout_Error",) * (depth + 1)) == []


def test_inputs_are_canonical_text() -> None:
    for row in rows_of("Null_Error", 5):
        for text in (row.tools, row.history, row.plan, row.observations, row.gold_plan):
            assert dumps(loads(text)) == text


@pytest.mark.parametrize(
    ("number", "kinds"),
    [
        # What nothing uses once two calls are lost was used while one still stood.
        (431, ("Type_Error", "Toolcall_Missing", "Toolcall_Missing")),
        # The call that is lost is one whose dependency had been taken away before.
        (27205, ("Timeout_Error", "Parallelism_Error", "Toolcall_Missing")),
        # One argument holds the lost call's result and that of a call that failed.
        (95949, ("Parameter_Missing", "Toolcall_Missing", "Dependence_Null")),
    ],
)
def test_a_loss_after_other_errors_is_proved_or_not_drawn(
    number: int, kinds: tuple[str, ...]
) -> None:
    parsed = parse_line(synthesize_one(number - 1, seed=0), "embedded-0", number)
    assert isinstance(parsed, Parsed)
    bare = Source(parsed.clean.canonical(), "embedded", f"embedded-0:{number}", "q")
    source = replace(bare, masks=feasible_rounds(bare))
    assert last_rounds(source.masks or (), kinds)
    for variant in range(20):
        row = build_row(source, Recipe("level2", kinds, variant, 0))
        assert isinstance(row, Shortfall) or certify_row(row) == []


@pytest.mark.parametrize(
    "kinds", [("Toolcall_Missing",) * 3, ("Timeout_Error", "Toolcall_Missing")]
)
def test_losses_in_several_rounds_are_proved(kinds: tuple[str, ...]) -> None:
    rows = [
        build_row(source(index), Recipe("level2", kinds, 0, 0))
        for index in range(80)
        if last_rounds(source(index).masks or (), kinds)
    ]
    built = [row for row in rows if isinstance(row, Row)]
    assert len(built) > 5
    assert [problem for row in built for problem in certify_row(row)] == []
