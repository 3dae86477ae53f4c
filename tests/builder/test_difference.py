"""Comparing two sets of rows: what is added, removed, changed, and what version that demands."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from builder.changes import SPLIT
from builder.commands import main
from builder.difference import Difference, changelog_lines, diff
from builder.refusal import Refusal
from builder.semver import Version, step_between, suffices
from plan.row import COLUMNS, Row
from tests.builder.releases import blank, injected, lay_out

Splits = Mapping[str, Sequence[Row]]

A = blank("a", query="one", error_kinds=["Type_Error"])
B = blank("b", query="two", error_kinds=["Null_Error", "Type_Error"])
C = blank("c", query="three")


def compare(
    folder: Path, old: Splits, new: Splits, versions: tuple[str, str] = ("1.0.0", "1.0.1")
) -> Difference:
    before = lay_out(folder / "old", {"level1": old}, versions[0])
    after = lay_out(folder / "new", {"level1": new}, versions[1])
    return diff(before, after)


def test_the_same_rows_demand_nothing(tmp_path: Path) -> None:
    found = compare(tmp_path, {"train": [A, B, C]}, {"train": [C, A, B]}, ("1.0.0", "1.0.0"))
    assert found.demanded == "none"
    assert found.obeys is True
    assert found.configs[0].unchanged == 3
    assert "Nothing differs." in found.to_text()
    assert changelog_lines(found) == ["Nothing differs."]


def test_rows_added_and_removed_are_a_minor_step(tmp_path: Path) -> None:
    found = compare(tmp_path, {"train": [A, B]}, {"train": [A], "test": [C]})
    (one,) = found.configs
    assert (one.old, one.new, one.unchanged) == (2, 2, 1)
    assert (one.removed.kinds, one.removed.splits) == (
        {"Null_Error": 1, "Type_Error": 1},
        {"train": 1},
    )
    assert (one.added.kinds, one.added.ids) == ({"control": 1}, ("c",))
    assert one.splits_added == ["test"]
    assert found.demanded == "minor"
    assert found.obeys is False
    assert "1.0.0 to 1.0.1 is too small a step: a minor one is demanded, 1.1.0 at least." in (
        found.to_text()
    )


@pytest.mark.parametrize(
    ("changed", "columns"),
    [
        (replace(B, plan="{}"), {"plan": 1}),
        (replace(B, errors=[injected("Null_Error")]), {"errors": 1}),
        (replace(B, errors=[injected("Null_Error")], seed=4), {"errors": 1, "seed": 1}),
        (replace(B, error_kinds=["Type_Error", "Null_Error"]), {"error_kinds": 1}),
    ],
)
def test_a_row_changed_under_its_id_is_a_major_step(
    changed: Row, columns: dict[str, int], tmp_path: Path
) -> None:
    found = compare(
        tmp_path, {"train": [A, B]}, {"train": [A, changed]}, versions=("1.2.0", "1.3.0")
    )
    (one,) = found.configs
    assert one.columns == columns
    assert (one.changed.ids, one.changed.kinds) == (("b",), {"Null_Error": 1, "Type_Error": 1})
    assert (one.unchanged, one.added.count, one.removed.count) == (1, 0, 0)
    assert (found.demanded, found.obeys) == ("major", False)
    (line,) = changelog_lines(found)
    where = ", ".join(f"`{column}`" for column in columns)
    assert line == f"`level1`: 1 row changed in {where} (Null_Error 1, Type_Error 1)."


def test_a_row_that_goes_to_another_split_is_a_major_step(tmp_path: Path) -> None:
    found = compare(tmp_path, {"train": [A, B], "test": [C]}, {"train": [A], "test": [B, C]})
    assert found.configs[0].columns == {SPLIT: 1}
    assert found.demanded == "major"
    assert changelog_lines(found) == ["`level1`: 1 row went to another split."]


def test_configs_and_splits_that_come_and_go(tmp_path: Path) -> None:
    both = {"level1": {"train": [A], "test": [C]}, "level2": {"train": [B]}}
    old = lay_out(tmp_path / "old", both, "1.0.0")
    new = lay_out(tmp_path / "new", {"level1": {"train": [A, C]}}, "2.0.0")
    shrunk, grown = diff(old, new), diff(new, old)
    assert ("major", "the config level2 is gone") in shrunk.reasons
    assert ("major", "level1: the split test is gone") in shrunk.reasons
    assert "`level2` is gone, with 1 row." in changelog_lines(shrunk)
    assert ("minor", "the config level2 is new") in grown.reasons
    assert "`level2` is new: 1 row." in changelog_lines(grown)


def write(path: Path, rows: Sequence[Row], **columns: pa.DataType | None) -> None:
    """Write rows with other columns: None drops one, a type casts it or adds it."""
    table = pa.Table.from_pylist([row.to_record() for row in rows])
    for name, kind in columns.items():
        if kind is None:
            table = table.drop_columns([name])
        elif name in table.column_names:
            place = table.column_names.index(name)
            table = table.set_column(place, name, table[name].cast(kind))
        else:
            table = table.append_column(name, pa.nulls(len(rows), kind))
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path)


def test_columns_that_come_go_and_change_their_type(tmp_path: Path) -> None:
    sides = {"old": {"extra": pa.string()}, "new": {"faults": None, "seed": pa.string()}}
    for side, columns in sides.items():
        lay_out(tmp_path / side, {"level1": {"train": [A, B]}}, "1.0.0")
        name = "train-00000-of-00001.parquet"
        write(tmp_path / side / "data/level1" / name, [A, B], **columns)
    found = diff(tmp_path / "old", tmp_path / "new")
    (one,) = found.configs
    assert one.columns_removed == ["faults", "extra"]
    assert one.columns_retyped == [("seed", "int64", "string")]
    assert one.unchanged == 2
    assert found.demanded == "major"
    back = diff(tmp_path / "new", tmp_path / "old")
    assert back.configs[0].columns_added == ["faults", "extra"]


def test_scoring_code_is_a_minor_step_and_the_card_a_patch(tmp_path: Path) -> None:
    rows = {"level1": {"train": [A]}}
    first = {"README.md": "card", "scoring/rubric.py": "x = 1", "tables/kinds.csv": "a"}
    old = lay_out(tmp_path / "old", rows, "1.0.0", first)
    card = lay_out(tmp_path / "card", rows, "1.0.1", {**first, "README.md": "better"})
    code = lay_out(tmp_path / "code", rows, "1.0.1", {**first, "scoring/rubric.py": "x = 2"})
    found = diff(old, card)
    assert (found.demanded, found.obeys) == ("patch", True)
    assert changelog_lines(found) == ["All rows are the same; changed are `README.md`."]
    found = diff(old, code)
    assert (found.demanded, found.obeys) == ("minor", False)
    assert "scoring code differs in 1 file" in changelog_lines(found)[0]


def test_the_preview_demands_nothing_for_its_rows(tmp_path: Path) -> None:
    old = lay_out(
        tmp_path / "old", {"level1": {"train": [A, B]}, "preview": {"train": [A]}}, "1.0.0"
    )
    new = lay_out(
        tmp_path / "new", {"level1": {"train": [A, B]}, "preview": {"train": [B]}}, "1.0.1"
    )
    assert diff(old, new).demanded == "none"


def test_other_words_for_a_column_are_shown(tmp_path: Path) -> None:
    def describe(text: str) -> dict[str, str]:
        field = {"name": "plan", "description": text}
        return {"croissant.json": json.dumps({"recordSet": [{"field": [field]}]})}

    rows = {"level1": {"train": [A]}}
    old = lay_out(tmp_path / "old", rows, "1.0.0", describe("G(t-1)"))
    new = lay_out(tmp_path / "new", rows, "1.0.1", describe("G(t)"))
    found = diff(old, new)
    assert found.wording == (("plan", "G(t-1)", "G(t)"),)
    assert "plan: 'G(t-1)', now 'G(t)'" in found.to_text()
    assert "The description of `plan` now reads: G(t)" in changelog_lines(found)


def test_a_new_seed_is_told(tmp_path: Path) -> None:
    for seed, row in ((0, A), (1, B)):
        folder = lay_out(tmp_path / str(seed), {"level1": {"train": [row]}}, "1.0.0")
        arguments = {"level": "level1", "seed": seed, "size": 1, "versions": {}}
        (folder / "manifest.json").write_text(json.dumps({"format": 1, "arguments": arguments}))
    found = diff(tmp_path / "0", tmp_path / "1")
    assert found.configs[0].recipe == (("seed", "0", "1"),)
    assert changelog_lines(found) == [
        "`level1`: 1 new row in place of the 1 before, from the seed 1 instead of 0."
    ]


ROWS = st.dictionaries(
    st.sampled_from("abcdefgh"),
    st.tuples(
        st.sampled_from(["train", "validation", "test"]),
        st.sampled_from(["", "x", "y"]),
        st.integers(0, 2),
        st.lists(st.sampled_from(["Type_Error", "Null_Error"]), max_size=2),
    ),
    min_size=1,
)


@settings(max_examples=40)
@given(ROWS, ROWS)
def test_counts_are_those_of_a_plain_comparison(
    old: dict[str, tuple[str, str, int, list[str]]],
    new: dict[str, tuple[str, str, int, list[str]]],
) -> None:
    def splits(side: dict[str, tuple[str, str, int, list[str]]]) -> dict[str, list[Row]]:
        found: dict[str, list[Row]] = {}
        for id, (split, plan, seed, kinds) in side.items():
            row = blank(id, plan=plan, seed=seed, error_kinds=kinds)
            found.setdefault(split, []).append(row)
        return found

    with TemporaryDirectory() as folder:
        found = compare(Path(folder), splits(old), splits(new))
    (one,) = found.configs
    both = old.keys() & new.keys()
    differing = {id for id in both if old[id] != new[id]}
    assert one.added.count == len(new.keys() - old.keys())
    assert one.removed.count == len(old.keys() - new.keys())
    assert one.changed.count == len(differing)
    assert one.unchanged == len(both) - len(differing)
    places = (SPLIT, "plan", "seed", "error_kinds")
    assert one.columns == {
        name: count
        for place, name in enumerate(places)
        if (count := sum(old[id][place] != new[id][place] for id in both))
    }
    for rows, ids, side in (
        (one.added, new.keys() - old.keys(), new),
        (one.removed, old.keys() - new.keys(), old),
        (one.changed, differing, new),
    ):
        for kind in ("Type_Error", "Null_Error"):
            assert rows.kinds.get(kind, 0) == sum(kind in side[id][3] for id in ids)
        assert rows.kinds.get("control", 0) == sum(not side[id][3] for id in ids)
    if differing:
        assert found.demanded == "major"
    json.dumps(found.to_json())
    assert found.to_text()


def test_splits_and_kinds_are_told_however_many_kinds_there_are(tmp_path: Path) -> None:
    rows = [blank(f"r{number}", error_kinds=[f"Kind_{number}"]) for number in range(400)]
    found = compare(tmp_path, {"train": rows[:300], "test": rows[300:]}, {"train": rows[:290]})
    (one,) = found.configs
    assert one.removed.count == 110
    assert one.removed.splits == {"train": 10, "test": 100}
    assert one.removed.kinds == {f"Kind_{number}": 1 for number in range(290, 400)}
    assert (one.unchanged, one.changed.count) == (290, 0)


def test_an_id_twice_is_refused_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="the id a stands twice"):
        compare(tmp_path, {"train": [A], "test": [A]}, {"train": [A]})
    with pytest.raises(Refusal, match="the id b stands twice"):
        compare(tmp_path / "other", {"train": [A]}, {"train": [B, B]})


def test_files_that_are_no_parquet_are_refused_by_their_name(tmp_path: Path) -> None:
    old = lay_out(tmp_path / "old", {"level1": {"train": [A]}})
    (old / "data/level1/train-00000-of-00001.parquet").write_bytes(b"PAR1 or not")
    with pytest.raises(Refusal, match=r"train-00000-of-00001\.parquet: it can't be read"):
        diff(old, old)


def test_a_file_damaged_inside_is_refused_by_its_name(tmp_path: Path) -> None:
    rows = [blank(f"r{number}", query=f"{number} " * 50) for number in range(50)]
    old = lay_out(tmp_path / "old", {"level1": {"train": rows}})
    path = old / "data/level1/train-00000-of-00001.parquet"
    data = bytearray(path.read_bytes())
    data[4:200] = bytes(196)
    path.write_bytes(data)
    with pytest.raises(Refusal, match=r"train-00000-of-00001\.parquet: it can't be read"):
        diff(old, old)


@pytest.mark.parametrize(
    ("old", "new", "demanded", "right"),
    [
        ("1.0.0", "1.0.1", "patch", True),
        ("1.0.0", "1.0.1", "minor", False),
        ("1.0.9", "1.1.0", "minor", True),
        ("1.0.9", "1.1.0", "major", False),
        ("1.9.9", "2.0.0", "major", True),
        ("1.9.9", "2.0.0", "patch", True),
        ("1.0.0", "1.0.0", "none", True),
        ("1.0.0", "1.0.0", "patch", False),
        ("1.1.0", "1.0.1", "patch", False),
        ("1.1.0", "1.0.1", "none", False),
        ("0.1.0", "0.2.0", "major", True),
        ("0.1.0", "0.1.1", "major", False),
        ("1.0.0", "2.0.0-rc.1", "major", True),
        ("2.0.0-rc.1", "2.0.0", "major", True),
        ("2.0.0-rc.2", "2.0.0-rc.10", "major", True),
        ("2.0.0-rc.10", "2.0.0-rc.2", "patch", False),
    ],
)
def test_steps(old: str, new: str, demanded: str, right: bool) -> None:
    assert suffices(Version.parse(old), Version.parse(new), demanded) is right


def test_versions_stand_in_the_order_of_the_standard() -> None:
    # Semantic Versioning 2.0.0, item 11.
    names = ["1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2",
             "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.0.1", "1.1.0", "2.0.0"]  # fmt: skip
    versions = [Version.parse(name) for name in names]
    assert [str(version) for version in versions] == names
    for place, version in enumerate(versions):
        assert [version.is_later(other) for other in versions] == [
            place > other for other in range(len(versions))
        ]
    assert step_between(versions[0], versions[-1]) == "major"


@pytest.mark.parametrize("text", ["1.0", "v1.0.0", "1.0.0.0", "01.0.0", "1.0.0-", "1.0.0-01", ""])
def test_what_is_no_version(text: str) -> None:
    with pytest.raises(ValueError, match="is no version"):
        Version.parse(text)


def test_the_command(tmp_path: Path) -> None:
    rows = {"level1": {"train": [A, B]}}
    old = lay_out(tmp_path / "old", rows, "1.0.0")
    new = lay_out(tmp_path / "new", {"level1": {"train": [A, replace(B, plan="{}")]}}, "1.1.0")

    def run(*words: object) -> tuple[int, str]:
        done = CliRunner().invoke(main, ["diff", *(str(word) for word in words)])
        return done.exit_code, done.output

    code, text = run(old, new)
    assert code == 1
    assert "level1: 1 row changed under the same id, in plan" in text
    assert "2.0.0 at least" in text
    code, text = run(old, new, "--json")
    assert (code, json.loads(text)["demanded"], json.loads(text)["obeys"]) == (1, "major", False)
    code, text = run(old, new, "--markdown")
    assert text == "## 1.1.0\n\n- `level1`: 1 row changed in `plan` (Null_Error 1, Type_Error 1).\n"
    assert run(old, new, "--quiet") == (1, "")
    assert run(old, old, "--quiet") == (0, "")
    code, text = run(old, tmp_path / "nowhere")
    assert (code, "no such folder" in text) == (2, True)
    code, text = run(old, "ada/rows")
    assert (code, "ada/rows@v1.0.0" in text) == (2, True)
    code, text = run(old, new, "--json", "--markdown")
    assert (code, "leave one out" in text) == (2, True)


def test_all_columns_are_compared() -> None:
    columns = {"error_kinds": ["Type_Error"], "errors": [injected("Type_Error")]}
    with TemporaryDirectory() as folder:
        for column in COLUMNS:
            if column == "instance_id":
                continue
            number = isinstance(getattr(A, column), int)
            value = columns.get(column, 7 if number else "other")
            old = {"train": [blank("a")]}
            new = {"train": [replace(blank("a"), **{column: value})]}
            found = compare(Path(folder) / column, old, new)
            assert found.configs[0].columns == {column: 1}
