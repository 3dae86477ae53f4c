"""Laws of the repository itself: what its files promise each other."""

from __future__ import annotations

import ast
import configparser
import importlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from plan.row import COLUMNS, ERROR_FIELDS, INPUT_COLUMNS
from scripts.taxonomy_page import render
from taxonomy.registry import kinds

ROOT = Path(__file__).resolve().parent.parent
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").glob("*.md")),
]


def read_setup() -> configparser.ConfigParser:
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    return setup


SETUP = read_setup()
ROOMS = [name for name in SETUP["options.packages.find"]["include"].split() if "." not in name]
VERSION = SETUP["metadata"]["version"]
SCRIPTS = dict(
    line.split(" = ")
    for line in SETUP["options.entry_points"]["console_scripts"].splitlines()
    if line
)


def command_of(script: str) -> click.Command:
    module, function = SCRIPTS[script].split(":")
    command = getattr(importlib.import_module(module), function)
    assert isinstance(command, click.Command)
    return command


def subcommands(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    yield path
    if isinstance(command, click.Group):
        for name, inner in command.commands.items():
            yield from subcommands(inner, (*path, name))


def python_files(*folders: str) -> list[Path]:
    return [file for folder in folders for file in sorted((ROOT / folder).rglob("*.py"))]


def repository_texts() -> Iterator[tuple[Path, str]]:
    """Every text file that git tracks or would track; all of a folder without git."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode != 0:
        pytest.skip("not a git checkout, so generated files can't be told from the project's")
    for name in listed.stdout.splitlines():
        path = ROOT / name
        if path.is_file():
            try:
                yield path, path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue


# ---------------------------------------------------------------- commands


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_console_script_tells_its_version(script: str) -> None:
    done = CliRunner().invoke(command_of(script), ["--version"])
    assert done.exit_code == 0, done.output
    assert VERSION in done.output


@pytest.mark.parametrize("script", SCRIPTS)
def test_every_command_answers_help(script: str) -> None:
    command = command_of(script)
    for path in subcommands(command):
        done = CliRunner().invoke(command, [*path, "--help"])
        assert done.exit_code == 0, (path, done.output)
        description = done.output.split("Options:")[0].splitlines()[1:]
        assert any(line.strip() for line in description), f"{script} {path} says nothing"


def test_every_option_is_explained() -> None:
    main = command_of("pararecover")
    assert isinstance(main, click.Group)
    for name, command in main.commands.items():
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert parameter.help, f"pararecover {name} {parameter.opts[0]} has no help"


def test_the_build_page_names_every_option_of_the_build_commands() -> None:
    page = (ROOT / "docs" / "build.md").read_text(encoding="utf-8")
    for script in ("build-level1", "build-level2"):
        for parameter in command_of(script).params:
            if isinstance(parameter, click.Option):
                assert f"`{parameter.opts[0]}" in page, f"docs/build.md lacks {parameter.opts[0]}"


# ---------------------------------------------------------------- packages


def test_every_room_is_a_typed_package_and_under_every_check() -> None:
    assert sorted(ROOMS) == sorted(SETUP["importlinter"]["root_packages"].split())
    checked = SETUP["mypy"]["files"].replace(",", " ").split()
    for room in ROOMS:
        assert (ROOT / room / "__init__.py").is_file(), f"setup.cfg names {room}"
        assert (ROOT / room / "py.typed").is_file(), room
        assert room in checked, f"mypy does not check {room}"


def test_every_package_is_in_setup_cfg() -> None:
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"scripts", "tests"}
    assert packages == set(ROOMS)


def test_every_data_file_of_a_room_is_packaged() -> None:
    patterns = SETUP["options.package_data"]["*"].split()
    for room in ROOMS:
        for path in (ROOT / room).rglob("*"):
            if path.is_file() and path.suffix not in (".py", ".pyc"):
                assert any(fnmatch(path.name, pattern) for pattern in patterns), path


MODULES = {"yaml": "pyyaml", "absl": "mlcroissant", "rich": "inspect_ai", "tenacity": "inspect_ai"}
"""Where a module's name isn't its package's, or comes with another package."""


def packages(text: str) -> set[str]:
    """The packages that a list of requirements names, spelled as modules are."""
    return {
        re.split(r"[<>=!~\[ ]", line, maxsplit=1)[0].lower().replace("-", "_")
        for line in text.splitlines()
        if line and not line.startswith("#")
    }


def test_every_import_of_a_room_is_declared() -> None:
    """By what is always installed, or by an extra (which the next test leaves out)."""
    declared = packages(SETUP["options"]["install_requires"])
    for extra in SETUP["options.extras_require"].values():
        declared |= packages(extra)
    for file in python_files(*ROOMS):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [node.module]
            else:
                continue
            for name in names:
                top = name.split(".")[0]
                known = MODULES.get(top, top.lower())
                assert top in sys.stdlib_module_names or top in ROOMS or known in declared, (
                    f"{file}: {top} is in no requirement"
                )


def test_building_and_scoring_need_no_extra() -> None:
    required = packages(SETUP["options"]["install_requires"])
    extras = {
        name
        for extra in SETUP["options.extras_require"].values()
        for name in packages(extra) - required
    }
    absent = sorted(extras | {"yaml"})
    script = (
        "import sys\n"
        f"sys.modules.update(dict.fromkeys({absent!r}))\n"
        "import builder.commands, builder.pipeline, scoring.__main__\n"
        "builder.commands.main(['build-level2', '--rounds', '3', '--size', '4', '--quiet',"
        " '--workers', '1', '--out', sys.argv[1]])\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", script, f"{folder}/rows"],
            capture_output=True,
            text=True,
            check=False,
            cwd=ROOT,
        )
    assert done.returncode == 0, done.stderr


def test_what_writes_a_release_is_pinned() -> None:
    lines = SETUP["options"]["install_requires"].split()
    for name in ("faker", "orjson", "pyarrow"):
        assert any(line.startswith(f"{name}==") for line in lines), name


# ---------------------------------------------------------------- words


def test_no_file_names_this_machine() -> None:
    places = [f"{ROOT}/", f"{Path.home()}/"]
    for path, text in repository_texts():
        for place in places:
            assert place not in text, f"{path} names {place}"


def test_the_changelog_tells_of_this_version() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^## \[{re.escape(VERSION)}\]", text, re.MULTILINE)


def test_the_readmes_first_commands_exist() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = re.search(r"```sh\n(.*?)```", text, re.DOTALL)
    assert block
    lines = [line.split("#")[0].strip() for line in block[1].splitlines() if line.strip()]
    assert len(lines) == 2
    assert lines[0].endswith("/build-level2 --rounds 3")
    assert lines[1] == "make check"
    assert "build-level2" in SCRIPTS
    assert re.search(r"^check:", (ROOT / "Makefile").read_text(), re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_of_a_page_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        linked = page.parent / name if name else page
        assert linked.exists(), f"{page.name} links to {target}"
        if anchor and linked.suffix == ".md":
            titles = re.findall(r"^#+ (.+)$", linked.read_text(encoding="utf-8"), re.MULTILINE)
            anchors = {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
            assert anchor in anchors, f"{page.name} links to {target}"


def test_the_rows_page_explains_every_column() -> None:
    page = (ROOT / "docs" / "rows.md").read_text(encoding="utf-8")
    table = dict(re.findall(r"^\| `(\w+)` \| [^|]+ \| (input|label) \|", page, re.MULTILINE))
    assert set(table) == set(COLUMNS)
    assert {name for name, side in table.items() if side == "input"} == set(INPUT_COLUMNS)
    for field in ERROR_FIELDS:
        assert f"`{field}`" in page, f"docs/rows.md lacks the error's {field}"


def test_the_taxonomy_page_is_in_step_with_the_kinds() -> None:
    assert len(kinds()) >= 14
    page = (ROOT / "docs" / "taxonomy.md").read_text(encoding="utf-8")
    assert page == render(), "run `make docs`"


# ---------------------------------------------------------------- style


def test_every_ignore_has_its_reason_beside_it() -> None:
    ignore = re.compile(r"#\s*(?:noqa|type:\s*ignore|pragma:)[^#]*(#\s*\w+.*)?$")
    for file in python_files(*ROOMS, "scripts", "tests"):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            found = ignore.search(line)
            if found and file != Path(__file__):
                assert found[1], f"{file}:{number}: an ignore without its reason"


def test_rooms_draw_from_their_own_generators_and_copy_nothing_deeply() -> None:
    for file in python_files(*ROOMS):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                name = f"{node.value.id}.{node.attr}"
                assert name != "copy.deepcopy", f"{file}:{node.lineno}"
                assert node.value.id != "random" or node.attr == "Random", (
                    f"{file}:{node.lineno}: {name} draws from the global generator"
                )
            elif isinstance(node, ast.ImportFrom) and node.module in ("random", "copy"):
                names = {alias.name for alias in node.names}
                assert names <= {"Random", "copy", "replace"}, f"{file}:{node.lineno}"


def test_modules_are_nouns_and_imports_are_named() -> None:
    for file in python_files(*ROOMS, "scripts", "tests"):
        assert file.stem not in ("utils", "util", "helpers", "misc", "common"), file
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                assert all(alias.name != "*" for alias in node.names), f"{file}:{node.lineno}"
