"""Tables and manifests as text."""

from __future__ import annotations

from pathlib import Path

import pytest

from hub_card.manifest import read, spell
from hub_card.tables import distribution_table, table


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
