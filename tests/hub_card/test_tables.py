"""Tables and manifests as text."""

from __future__ import annotations

import csv
from io import StringIO
from pathlib import Path

import pytest

from hub_card.manifest import read, spell
from hub_card.statistics import VISIBILITIES
from hub_card.tables import (
    Table,
    asked_table,
    distribution_table,
    kinds_table,
    release_tables,
    table,
    write_tables,
)
from taxonomy.registry import kinds
from tests.hub_card.tiny import builds, statistics


def test_a_distribution_stands_beside_the_one_asked_for() -> None:
    text = distribution_table({"Type_Error": 3, "Null_Error": 1}, {"Type_Error": 3})
    assert text.splitlines() == [
        "| kind       | asked |      % | built |      % | short |",
        "| ---------- | ----: | -----: | ----: | -----: | ----: |",
        "| Type_Error |     3 |  75.00 |     3 | 100.00 |     0 |",
        "| Null_Error |     1 |  25.00 |     0 |   0.00 |     1 |",
        "| all        |     4 | 100.00 |     3 | 100.00 |     1 |",
    ]


def test_cells_cannot_break_a_table() -> None:
    assert table(("a", "b"), [("x|y\nz", 1234)]).splitlines()[2] == r"| x\|y z | 1,234 |"


def test_a_manifest_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "manifest.json"
    content = {"arguments": {"seed": 1}, "files": [], "rows": {"built": 0}}
    path.write_bytes(spell(content))
    assert read(path) == {"format": 1, **content}
    path.write_bytes(spell({**content, "files": {}}))
    with pytest.raises(ValueError, match="files"):
        read(path)
    path.write_text('{"format": 99}')
    with pytest.raises(ValueError, match="99"):
        read(path)
    path.write_text("[]")
    with pytest.raises(ValueError, match="no manifest"):
        read(path)


def read_csv(table: Table) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(table.to_csv())))


def test_a_single_round_has_the_form_of_table_10() -> None:
    one = statistics().configs["level1"]
    table = kinds_table("level1", one)
    assert table.header == ("Error type", "Frequency", "Ratio (%)")
    assert [row[0] for row in table.rows] == [*kinds(), "Total"]
    assert table.rows[-1] == ("Total", one.injected, "100.00")
    assert table.rows[0] == ("Dependence_Error", 2, f"{100 * 2 / one.injected:.2f}")


def test_several_rounds_have_the_form_of_table_11() -> None:
    one = statistics().configs["level2"]
    table = kinds_table("level2", one)
    assert table.header[:3] == ("Error type", "Round1", "Ratio1 (%)")
    assert len(table.header) == 7
    assert table.rows[-1] == ("Total", 3, "100.00", 3, "100.00", 3, "100.00")
    for row in read_csv(table)[:-1]:
        for number, column in enumerate(one.rounds, 1):
            assert int(row[f"Round{number}"]) == column.get(row["Error type"], 0)


def test_every_table_adds_up() -> None:
    found = {table.name: table for table in release_tables(statistics(), builds())}
    for config, one in statistics().configs.items():
        assert found[f"{config}-visibility"].rows[-1][1:] == tuple(
            sum(seen.get(word, 0) for seen in one.visibility.values()) for word in VISIBILITIES
        )
        assert found[f"{config}-shapes"].rows[-1][-1] == one.all.rows
        assert found[f"{config}-errors"].rows[-1][1] == one.injected
        by_split = read_csv(found[f"{config}-kinds-by-split"])[-1]
        assert int(by_split["train"]) + int(by_split["test"]) == one.injected
        by_source = read_csv(found[f"{config}-kinds-by-source"])[-1]
        assert int(by_source["embedded"]) == one.injected
        for column in ("t", "round_gt", "recovery_round_gt", "funcall_times_gt"):
            rounds = read_csv(found[f"{config}-rounds"])
            assert sum(int(row[column]) for row in rounds[:-1]) == one.all.rows
    splits = read_csv(found["splits"])
    assert [(row["config"], row["split"]) for row in splits] == [
        ("level1", "train"),
        ("level1", "test"),
        ("level1", "Total"),
        ("level2", "train"),
        ("level2", "test"),
        ("level2", "Total"),
    ]
    assert splits[0]["control rows"] == "1"


def test_what_is_short_stands_beside_what_was_asked() -> None:
    rows = read_csv(asked_table("level1", builds()["level1"]))
    short = {row["Error type"]: row["short"] for row in rows}
    assert short["Type_Error"] == short["Total"] == "1"
    assert short["Null_Error"] == "0"


def test_tables_are_written_twice_the_same(tmp_path: Path) -> None:
    written = write_tables(statistics(), builds(), tmp_path / "one")
    again = write_tables(statistics(), builds(), tmp_path / "two")
    assert [path.name for path in written] == sorted(path.name for path in written)
    assert [path.read_bytes() for path in written] == [path.read_bytes() for path in again]
    assert {path.suffix for path in written} == {".csv", ".md"}
    assert (tmp_path / "one" / "splits.md").read_text().startswith("# Splits\n\n")
