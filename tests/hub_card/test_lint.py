"""The linter refuses what the Hub and its loaders accept without a word."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hub_card.card import size_category
from hub_card.extras import NotInstalled
from hub_card.lint import SIZE_CATEGORIES, problems
from tests.hub_card.tiny import NAME, write

yaml = pytest.importorskip("yaml", reason="the extra hub is not installed")
pytest.importorskip("jinja2", reason="the extra hub is not installed")

Card = dict[str, Any]
TEST = "data/level1/test-00000-of-00001.parquet"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("lint") / "made"
    path.mkdir()
    write(path)
    return path


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "release"))


def parts(folder: Path) -> tuple[Card, str]:
    _, front, body = (folder / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    return yaml.safe_load(front), body


def rewrite(folder: Path, change: Callable[[Card], object]) -> None:
    """Change the front matter."""
    card, body = parts(folder)
    change(card)
    text = f"---\n{yaml.safe_dump(card, sort_keys=False)}---\n{body}"
    (folder / "README.md").write_text(text, encoding="utf-8")


def told(folder: Path) -> str:
    return "\n".join(
        f"{one.where} | {one.found} | {one.expected} | {one.remedy}" for one in problems(folder)
    )


def config(card: Card, name: str) -> Card:
    found: Card = next(one for one in card["configs"] if one["config_name"] == name)
    return found


def info(card: Card, name: str) -> Card:
    found: Card = next(one for one in card["dataset_info"] if one["config_name"] == name)
    return found


def test_a_release_as_it_is_written_has_no_problem(folder: Path) -> None:
    assert problems(folder) == []
    rewrite(folder, lambda card: None)
    assert problems(folder) == []


def name_config_again(card: Card) -> None:
    config(card, "preview")["config_name"] = "level2"


def take_files_of_another_split(card: Card) -> None:
    config(card, "level1")["data_files"][0]["path"] = "data/level1/*.parquet"


def take_files_of_another_config(card: Card) -> None:
    config(card, "preview")["data_files"][0]["path"] = "data/level1/train-*.parquet"


def match_nothing(card: Card) -> None:
    config(card, "level1")["data_files"][0]["path"] = "data/level1/training-*.parquet"


def match_outside(card: Card) -> None:
    config(card, "level1")["data_files"][0]["path"] = "../release/data/level1/train-*.parquet"


def forget_a_split(card: Card) -> None:
    config(card, "level2")["data_files"].pop()


def name_split_badly(card: Card) -> None:
    config(card, "level1")["data_files"][0]["split"] = "train-1"


def name_split_twice(card: Card) -> None:
    config(card, "level1")["data_files"][1]["split"] = "train"


def read_jsonl(card: Card) -> None:
    config(card, "level1")["data_files"][0]["path"] = "data/level1/train.jsonl.gz"


def miscount(card: Card) -> None:
    info(card, "level1")["splits"][0]["num_examples"] += 1


def change_type(card: Card) -> None:
    info(card, "level2")["features"][-1]["dtype"] = "string"


def change_inner_type(card: Card) -> None:
    errors = next(one for one in info(card, "level2")["features"] if one["name"] == "errors")
    errors["list"][0]["dtype"] = "int32"


def drop_feature(card: Card) -> None:
    info(card, "preview")["features"].pop(3)


def swap_features(card: Card) -> None:
    features = info(card, "preview")["features"]
    features[0], features[1] = features[1], features[0]


def missize(card: Card) -> None:
    info(card, "level1")["download_size"] += 1


def missum(card: Card) -> None:
    info(card, "level1")["dataset_size"] += 1


def rename_info(card: Card) -> None:
    info(card, "level1")["config_name"] = "level3"


CASES: list[tuple[Callable[[Card], object], str]] = [
    (name_config_again, "configs | 2 configs named level2"),
    (take_files_of_another_split, f"{TEST} stands in level1/train, level1/test"),
    (take_files_of_another_config, "stands in level1/train, preview/train"),
    (match_nothing, "'data/level1/training-*.parquet' matches no file"),
    (match_outside, "matches no file"),
    (forget_a_split, "data/level2/test-00000-of-00001.parquet | no config of the card names it"),
    (name_split_badly, "the split 'train-1' | a name of letters, digits and _"),
    (name_split_twice, "the split train twice"),
    (read_jsonl, "data/level1/train.jsonl.gz | Parquet files only"),
    (lambda card: card.pop("configs"), "configs | none"),
    (lambda card: config(card, "level1").pop("data_files"), "no list under data_files"),
    (lambda card: config(card, "level1").pop("default"), "no config marked as default"),
    (lambda card: config(card, "level2").update(default=True), "level1, level2 marked as default"),
    (lambda card: config(card, "level2").update(config_name="default"), "level1, default marked"),
    (lambda card: config(card, "level2").update(config_name="a/b"), "the name 'a/b'"),
    (miscount, "level1/splits/train | num_examples 16 | 15, as its files have"),
    (change_type, "level2/features | seed differs"),
    (change_inner_type, "level2/features | errors differs"),
    (drop_feature, "preview/features | query isn't in it"),
    (swap_features, "preview/features | another order"),
    (missize, "level1 | download_size"),
    (missum, "level1 | dataset_size"),
    (rename_info, "dataset_info | nothing of level1"),
    (rename_info, "dataset_info | 'level3'"),
    (lambda card: card["dataset_info"].append(info(card, "level1")), "level1 twice"),
    (lambda card: card.pop("dataset_info"), "dataset_info | nothing of level1"),
    (lambda card: card.pop("license"), "license | nothing"),
    (lambda card: card.update(license="other"), "license_link | nothing, and the license is other"),
    (lambda card: card.pop("pretty_name"), "pretty_name | nothing"),
    (lambda card: card.pop("language"), "language | nothing"),
    (lambda card: card.update(task_categories=["planning"]), "task_categories | 'planning'"),
    (lambda card: card.update(size_categories=["tiny"]), "size_categories | 'tiny'"),
    (lambda card: card.update(size_categories=["1K<n<10K"]), "n<1K, since there are 32 rows"),
    (lambda card: card.update(annotations_creators=["us"]), "annotations_creators | 'us'"),
]


@pytest.mark.parametrize(("change", "found"), CASES)
def test_front_matter_that_is_wrong_is_refused(
    folder: Path, change: Callable[[Card], object], found: str
) -> None:
    rewrite(folder, change)
    assert found in told(folder)


@pytest.mark.parametrize(
    ("front", "found"),
    [
        ("license: cc-by-4.0\nlicense: mit\n", "README.md:3 | the key license stands twice"),
        ("license: [cc-by-4.0\n", "README.md:3 |"),
        ("- a list\n", "front matter that is no mapping"),
        ("{{ metadata }}\n", "README.md"),
    ],
)
def test_yaml_that_is_wrong_is_refused(folder: Path, front: str, found: str) -> None:
    _, body = parts(folder)
    (folder / "README.md").write_text(f"---\n{front}---\n{body}", encoding="utf-8")
    assert found in told(folder)


@pytest.mark.parametrize(
    "text", ["", "# Rows\n", "\n---\nlicense: mit\n---\n", "---\nlicense: a\n"]
)
def test_a_card_without_front_matter_is_refused(folder: Path, text: str) -> None:
    (folder / "README.md").write_text(text, encoding="utf-8")
    assert "README.md | no front matter" in told(folder)


def test_no_card_or_no_text_is_refused(folder: Path) -> None:
    (folder / "README.md").write_bytes(b"---\nlicense: \xff\n---\n")
    assert "no UTF-8 text at byte 13" in told(folder)
    (folder / "README.md").unlink()
    assert told(folder).startswith("README.md | no such file")


def test_line_ends_of_another_system_are_read(folder: Path) -> None:
    path = folder / "README.md"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert problems(folder) == []


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("See [there](tables/nothing.md).", "a link to tables/nothing.md"),
        ("![picture](figures/none.png)", "a link to figures/none.png"),
        ("See [there](../secret.txt).", "a link to ../secret.txt"),
        ("See [there](#no-such-heading).", "a link to #no-such-heading"),
        ("[More Information Needed]", "left over from a template"),
        ("Rows: {{ rows }}", "left over from a template"),
    ],
)
def test_text_that_leads_nowhere_is_refused(folder: Path, line: str, found: str) -> None:
    with (folder / "README.md").open("a", encoding="utf-8") as card:
        card.write(f"\n{line}\n")
    assert found in told(folder)


def test_code_and_links_that_lead_somewhere_are_left_alone(folder: Path) -> None:
    with (folder / "README.md").open("a", encoding="utf-8") as card:
        card.write(
            "\n[a](https://example.org) [b](tables/splits.md) [c](#how-to-score) [d](<scoring/>)\n"
            '[e](tables/splits.csv "all splits") `[f](nothing.md)`\n\n'
            "```\n[g](nothing.md) {{ this }}\n```\n"
        )
    assert problems(folder) == []


@pytest.mark.parametrize("name", [f"{NAME}.py", f"{NAME}.csv", "release.json"])
def test_a_file_named_after_the_repository_is_refused(folder: Path, name: str) -> None:
    (folder / "manifest.json").write_text(f'{{"name": "{NAME}"}}')
    (folder / name).write_text("")
    assert f"{name} | a file named after the repository" in told(folder)


def test_the_repository_may_be_named(folder: Path) -> None:
    (folder / "release.json").write_text("")
    assert problems(folder, "people/other") == []
    (folder / "other.py").write_text("")
    assert [one.where for one in problems(folder, "people/other")] == ["other.py"]


def test_parquet_that_is_none_or_has_other_columns_is_refused(folder: Path) -> None:
    (folder / TEST).write_bytes(b"no Parquet at all")
    assert f"{TEST} | no Parquet" in told(folder)
    pq.write_table(pa.table({"query": ["a"]}), folder / TEST)
    found = told(folder)
    assert "level1/features | " in found
    assert "query_id is too much" in found
    assert "num_examples 14 | 1, as its files have" in found


def test_features_may_be_spelled_as_older_libraries_do(folder: Path) -> None:
    def respell(card: Card) -> None:
        for one in card["dataset_info"]:
            for feature in one["features"]:
                if feature["name"] == "error_kinds":
                    feature["sequence"] = {"dtype": feature.pop("list")}
                elif feature["name"] == "errors":
                    feature["list"] = {"struct": feature["list"]}

    rewrite(folder, respell)
    assert problems(folder) == []


def test_every_size_that_a_card_may_say_is_known_to_the_hub() -> None:
    assert {size_category(10**power) for power in range(10)} <= SIZE_CATEGORIES


def test_a_missing_package_names_the_extra(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(NotInstalled, match=r"pararecover\[hub\]"):
        problems(folder)
