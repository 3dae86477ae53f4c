"""The dataset card says what is so, and what it tells people to type works."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from builder.commands import main
from hub_card.card import build_command, render, size_category, taxonomy_table
from hub_card.extras import NotInstalled
from hub_card.facts import ERROR_COLUMNS, ROW_COLUMNS, Column, Facts, measure
from hub_card.lint import problems
from hub_card.manifest import read
from plan.json_text import Json
from plan.row import COLUMNS, ERROR_FIELDS, INPUT_COLUMNS
from taxonomy.registry import kinds
from tests.hub_card.tiny import NAME, arguments, builds, placed, write

pytest.importorskip("jinja2", reason="the extra hub is not installed")
pytest.importorskip("yaml", reason="the extra hub is not installed")

ROOT = Path(__file__).resolve().parents[2]

# pandas, pyarrow and dill warn each other while datasets is imported; no warning is ours.
loads_with_datasets = pytest.mark.filterwarnings("default")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("card") / NAME
    path.mkdir()
    write(path)
    return path


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> Facts:
    return write(tmp_path_factory.mktemp("facts"))


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def run(words: list[str], folder: Path) -> str:
    bare = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(words, cwd=folder, env=bare, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


# --------------------------------------------------------------------------- the words


def page_columns(page: str, columns: int) -> list[tuple[str, ...]]:
    """The cells of a page's tables whose first column is code."""
    found = re.findall(r"^\| (`.*) \|$", page, re.MULTILINE)
    cells = [tuple(re.split(r" (?<!\\)\| ", line)) for line in found]
    return [one for one in cells if len(one) == columns]


def bare(columns: tuple[Column, ...]) -> list[tuple[str, str, str, str]]:
    return [(f"`{one.name}`", one.type, one.side, one.meaning) for one in columns]


def test_columns_are_told_once_and_the_rows_page_says_the_same() -> None:
    page = (ROOT / "docs" / "rows.md").read_text(encoding="utf-8")
    page = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", page)
    assert page_columns(page, 4) == bare(ROW_COLUMNS)
    told = page_columns(page.split("## Errors")[1], 3)
    assert told == [(name, type, meaning) for name, type, _, meaning in bare(ERROR_COLUMNS)]
    assert tuple(one.name for one in ROW_COLUMNS) == COLUMNS
    assert tuple(one.name for one in ERROR_COLUMNS) == ERROR_FIELDS
    assert {one.name for one in ROW_COLUMNS if one.side == "input"} == set(INPUT_COLUMNS)


def test_the_card_has_the_hubs_sections_and_every_column(folder: Path) -> None:
    text = (folder / "README.md").read_text(encoding="utf-8")
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    titles = re.findall(r"^#+ (.+)$", prose, re.MULTILINE)
    wanted = [
        "Dataset Card for Tiny Rows",
        "Dataset Details",
        "Dataset Sources",
        "Direct Use",
        "Out-of-Scope Use",
        "Dataset Structure",
        "Dataset Creation",
        "Curation Rationale",
        "Source Data",
        "Annotations",
        "Certificates",
        "Human audit",
        "Personal and Sensitive Information",
        "Distributions",
        "How to load",
        "How to score",
        "How to regenerate with a new seed",
        "Bias, Risks, and Limitations",
        "Recommendations",
        "Changelog",
        "Citation",
    ]
    assert [title for title in titles if title in wanted] == wanted
    rows = page_columns(text, 4)
    assert [row for row in rows if row[0].strip("`") in COLUMNS] == bare(ROW_COLUMNS)
    assert "CC BY 4.0" in text
    assert "1.2.3" in text
    assert "\n\n\n" not in text.split("---\n", 2)[2].split("```")[0]


def test_the_taxonomy_is_the_kinds_own(folder: Path) -> None:
    lines = taxonomy_table().splitlines()[2:]
    assert len(lines) == len(kinds())
    for line, kind in zip(lines, kinds().values(), strict=True):
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        assert cells[:2] == [f"`{kind.name}`", kind.dimension]
        assert cells[2] in " ".join(kind.doc.split())
        assert cells[3] in " ".join(kind.doc.split("told apart")[1].split())
    assert taxonomy_table() in (folder / "README.md").read_text(encoding="utf-8")


def test_what_wasnt_certified_is_not_called_certified(facts: Facts) -> None:
    claims = ("Each label of each row was proved", "Every row was certified before")
    assert all(claim in render(facts) for claim in claims)
    text = render(replace(facts, builds=builds(certify=False)))
    assert not any(claim in text for claim in claims)
    assert "Not every build was certified" in text


def test_a_source_of_others_is_not_told_to_be_synthesised(facts: Facts) -> None:
    file = {"name": "own.jsonl", "bytes": 12, "sha256": "ab" * 32}
    text = render(replace(facts, builds=builds(source=[file], plans=None)))
    assert "`own.jsonl`, 12 bytes, SHA-256 `" + "ab" * 32 in text
    assert "source_datasets:\n- extended\n" in text
    assert "--source own.jsonl" in text
    for claim in ("No person and no language model", "Faker's inventions", "source is a program"):
        assert claim in render(facts)
        assert claim not in text


def test_controls_audit_date_and_changelog_are_told_where_they_are(facts: Facts) -> None:
    assert "1 without any" in render(facts)
    assert "There are no undamaged rows" not in render(facts)
    assert "None was made of these rows." in render(facts)
    told = render(
        replace(
            facts,
            audit="Two people agreed on 96 of 100 rows.",
            date="2025-02-03",
            changelog=[("1.2.3", ["Rows anew."]), ("1.2.2", [])],
        )
    )
    assert "Two people agreed on 96 of 100 rows." in told
    assert "None was made of these rows." not in told
    assert "1.2.3, 2025-02-03" in told
    assert "**1.2.3**\n\n- Rows anew.\n\n**1.2.2**\n\n- No notes.\n" in told


def test_the_same_facts_give_the_same_text(facts: Facts) -> None:
    assert render(facts) == render(facts)


@pytest.mark.parametrize("package", ["jinja2", "yaml"])
def test_a_missing_package_names_the_extra(
    facts: Facts, monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(NotInstalled) as caught:
        render(facts)
    assert caught.value.remedy == "pip install 'pararecover[hub]'"


@pytest.mark.parametrize(
    ("rows", "name"),
    [(0, "n<1K"), (999, "n<1K"), (1000, "1K<n<10K"), (9999, "1K<n<10K"), (10_000, "10K<n<100K")],
)
def test_size_categories_are_the_hubs(rows: int, name: str) -> None:
    assert size_category(rows) == name


# ----------------------------------------------------------------------------- loading


@loads_with_datasets
def test_the_hubs_own_reader_finds_what_was_written(folder: Path, facts: Facts) -> None:
    hub = pytest.importorskip("huggingface_hub", reason="the extra hub is not installed")
    data = hub.DatasetCard.load(folder / "README.md").data.to_dict()
    assert data["license"] == "cc-by-4.0"
    assert data["pretty_name"] == "Tiny Rows"
    assert data["size_categories"] == ["n<1K"]
    assert [config["config_name"] for config in data["configs"]] == ["level1", "level2", "preview"]
    assert [config.get("default") for config in data["configs"]] == [True, None, None]
    for info in data["dataset_info"]:
        for split in info["splits"]:
            rows = [
                row
                for config, own, row in placed()
                if (config, own) == (info["config_name"], split["name"])
            ]
            expected = 3 if info["config_name"] == "preview" else len(rows)
            assert split["num_examples"] == expected
            assert split["num_bytes"] == facts.configs[info["config_name"]][split["name"]].bytes


@loads_with_datasets
def test_datasets_loads_every_config_as_the_card_says(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets", reason="the extra hub is not installed")
    cache = str(tmp_path / "cache")
    assert datasets.get_dataset_default_config_name(str(folder)) == "level1"
    for config in ("level1", "level2", "preview"):
        loaded = datasets.load_dataset(str(folder), config, cache_dir=cache)
        for split, rows in loaded.items():
            path = f"data/{config}/{split}-00000-of-00001.parquet"
            # Without the card, datasets works features and bytes out by itself.
            alone = datasets.load_dataset(
                "parquet", data_files={split: str(folder / path)}, cache_dir=cache, split=split
            )
            assert rows.features == alone.features
            assert rows.to_list() == alone.to_list()
            assert alone.info.splits[split].num_bytes == measure(folder, [path]).bytes


@loads_with_datasets
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_loading_without_datasets_works_as_told(
    folder: Path, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip(library)
    (code,) = [
        block
        for block in blocks((folder / "README.md").read_text(encoding="utf-8"), "python")
        if block.startswith(f"import {library}\n")
    ]
    monkeypatch.chdir(folder.parent)
    space: dict[str, Json] = {}
    exec(compile(code, "README.md", "exec"), space)
    assert len(space["rows"]) == len(kinds())


def test_duckdb_reads_as_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    duckdb = pytest.importorskip("duckdb")
    (query,) = blocks((folder / "README.md").read_text(encoding="utf-8"), "sql")
    monkeypatch.chdir(folder.parent)
    found = duckdb.sql(query).fetchall()
    assert {kind for (kind,), _ in found} == set(kinds())


def test_a_repository_is_read_at_its_tag(facts: Facts) -> None:
    text = render(replace(facts, repo_id="people/tiny-rows"))
    assert 'load_dataset("people/tiny-rows", "level1", revision="v1.2.3")' in text
    base = "hf://datasets/people/tiny-rows@v1.2.3/data/level1/test"
    assert f'pandas.read_parquet("{base}-00000-of-00001.parquet")' in text
    assert f'polars.read_parquet("{base}-*.parquet")' in text
    assert f"FROM '{base}-*.parquet'" in text
    assert "hf download people/tiny-rows --repo-type dataset --revision v1.2.3" in text
    assert "howpublished = {\\url{https://huggingface.co/datasets/people/tiny-rows}}" in text


# ------------------------------------------------------------------- scoring, regenerating


def test_scoring_works_as_told(folder: Path) -> None:
    text = (folder / "README.md").read_text(encoding="utf-8")
    (code,) = [block for block in blocks(text, "python") if "def answer" in block]
    run([sys.executable, "-I", "-c", code], folder)
    (command,) = [block for block in blocks(text, "sh") if "-m scoring" in block]
    program, *words = shlex.split(command)
    assert program == "python3"
    # No site packages: the standard library must do.
    out = run([sys.executable, "-S", *words], folder)
    assert "LEVEL-1" in out
    written = (folder / "predictions.jsonl").read_text().splitlines()
    assert len(written) == len(kinds())
    assert set(json.loads(written[0])) == {"instance_id", "thought", "plan"}
    (folder / "predictions.jsonl").unlink()


@pytest.mark.parametrize("level", ["level1", "level2"])
def test_the_command_builds_the_same_recipe_with_the_new_seed(tmp_path: Path, level: str) -> None:
    asked = arguments(level)
    out = tmp_path / "new"
    program, *words = shlex.split(build_command(asked, 5, str(out)))
    assert program == f"build-{level}"
    done = CliRunner().invoke(main, [program, *words, "--quiet", "--workers", "1"])
    assert done.exit_code == 0, done.output
    built = read(out / "manifest.json")["arguments"]
    assert built["distribution"]["name"] == "paper"
    for name in ("level", "source", "size", "plans", "rounds", "split", "controls", "certify"):
        assert built[name] == asked[name], name
    assert built["seed"] == 5


def test_a_distribution_from_a_file_is_taken_from_the_manifest(
    facts: Facts, tmp_path: Path
) -> None:
    own = builds(distribution={"name": "own shares.csv", "columns": []})
    (text,) = [
        block
        for block in blocks(render(replace(facts, builds=own)), "sh")
        if "pararecover release" in block
    ]
    (tmp_path / "manifest.json").write_text(json.dumps({"builds": own}))
    for line in text.splitlines():
        program, *words = shlex.split(line)
        if program == "python3":
            run([sys.executable, *words], tmp_path)
    for config in ("level1", "level2"):
        assert json.loads((tmp_path / f"{config}.json").read_text()) == own[config]
        assert f"pararecover regenerate {config}.json --seed 5 --out {config}-seed5" in text
    assert f"pararecover release level1-seed5 level2-seed5 --name {NAME} --version 1.3.0" in text


def test_the_linter_has_nothing_against_the_card(folder: Path) -> None:
    assert problems(folder) == []
