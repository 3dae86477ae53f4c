"""The dataset card: a release's ``README.md``, front matter and all."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import PurePosixPath
from typing import Any

from hub_card.extras import NotInstalled
from hub_card.facts import INPUT, PREVIEW, Column, Facts
from hub_card.statistics import ConfigStatistics
from hub_card.tables import (
    escape,
    kinds_table,
    percent,
    table,
    visibility_table,
)
from plan.json_text import Json
from plan.row import EXPLICIT
from taxonomy.registry import kinds

TEMPLATE = "card.md.jinja"
EMBEDDED = "embedded"
BUILT_IN = ("paper", "uniform")

TASKS = ("text-generation", "other")
TAGS = (
    "agents",
    "tool-use",
    "function-calling",
    "planning",
    "error-recovery",
    "benchmark",
    "synthetic",
)

SIZES = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"),
    (100_000_000, "10M<n<100M"),
)
"""The Hub's size categories, each with the number of rows that it stays under."""

_LICENCES = {
    "cc-by-4.0": "[CC BY 4.0](https://creativecommons.org/licenses/by/4.0/)",
    "apache-2.0": "[Apache License 2.0](https://www.apache.org/licenses/LICENSE-2.0)",
}

_DTYPES = {"string": "string", "JSON": "string", "int": "int64"}


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture, and what it shows in words, for who can't see it."""

    path: str
    alt: str


def render(facts: Facts) -> str:
    """Return the card's text; the same for the same facts.

    Raises:
        NotInstalled: jinja2 or PyYAML isn't there.
        ValueError: there is no config with rows.
    """
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError:
        raise NotInstalled("jinja2", "writing the card") from None
    if not facts.levels:
        raise ValueError("no config holds rows")
    environment = Environment(
        loader=PackageLoader("hub_card"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # Markdown, not HTML
    )
    return environment.get_template(TEMPLATE).render(facts=facts, **_texts(facts))


def metadata(facts: Facts) -> dict[str, Json]:
    """Return the card's front matter, in the order in which it is written."""
    embedded = _is_embedded(facts)
    return {
        "language": ["en"],
        "license": facts.license,
        "pretty_name": facts.title,
        "annotations_creators": ["machine-generated"],
        "language_creators": ["machine-generated"],
        "multilinguality": ["monolingual"],
        "size_categories": [size_category(facts.rows)],
        "source_datasets": ["original"] if embedded else ["extended"],
        "task_categories": list(TASKS),
        "tags": list(TAGS),
        "configs": [
            {
                "config_name": config,
                **({"default": True} if config == facts.default_config else {}),
                "data_files": [{"split": split, "path": _glob(config, split)} for split in splits],
            }
            for config, splits in facts.configs.items()
        ],
        "dataset_info": [
            {
                "config_name": config,
                "features": features(facts),
                "splits": [
                    {"name": split, "num_bytes": one.bytes, "num_examples": one.rows}
                    for split, one in splits.items()
                ],
                "download_size": sum(one.download for one in splits.values()),
                "dataset_size": sum(one.bytes for one in splits.values()),
            }
            for config, splits in facts.configs.items()
        ],
    }


def features(facts: Facts) -> list[dict[str, Json]]:
    """Return the columns as ``dataset_info`` spells them."""
    return [{"name": column.name, **_feature(column, facts)} for column in facts.columns]


def _feature(column: Column, facts: Facts) -> dict[str, Json]:
    if column.type in _DTYPES:
        return {"dtype": _DTYPES[column.type]}
    if column.type == "list of string":
        return {"list": "string"}
    return {"list": [{"name": one.name, **_feature(one, facts)} for one in facts.error_fields]}


def size_category(rows: int) -> str:
    """Return the Hub's category for a number of rows."""
    return next((name for limit, name in SIZES if rows < limit), "n>1T")


def _glob(config: str, split: str) -> str:
    return f"data/{config}/{split}-*.parquet"


def _spell(value: Mapping[str, Json]) -> str:
    try:
        import yaml
    except ImportError:
        raise NotInstalled("PyYAML", "writing the card") from None

    class Dumper(yaml.SafeDumper):
        """Writes lists that share an object in full, without anchors, which people stumble on."""

        def ignore_aliases(self, data: Any) -> bool:
            return True

    text: str = yaml.dump(
        value, Dumper=Dumper, sort_keys=False, allow_unicode=True, default_flow_style=False
    )
    return text


def _texts(facts: Facts) -> dict[str, Any]:
    level = facts.default_config
    splits = facts.configs[level]
    test = "test" if "test" in splits else next(iter(splits))
    statistics = facts.statistics.configs
    repository = facts.repo_id
    return {
        "metadata": _spell(metadata(facts)),
        "errors": sum(one.injected for one in statistics.values()),
        "kinds": len(kinds()),
        "is_certified": _is_certified(facts),
        "is_embedded": _is_embedded(facts),
        "rows_told": _rows_told(facts),
        "licence_told": _licence(facts),
        "configs_table": _configs_table(facts),
        "has_preview": PREVIEW in facts.configs,
        "columns_table": _columns_table(facts.columns, sides=True),
        "errors_table": _columns_table(facts.error_fields, sides=False),
        "source_told": _source(facts),
        "taxonomy_table": taxonomy_table(),
        "distributions": _distributions(facts),
        "table_links": _table_links(facts),
        "figures": [one for one in _figures(facts) if one.path in facts.figures],
        "load_arguments": _load_arguments(facts),
        "base": f"hf://datasets/{repository}@v{facts.version}" if repository else facts.name,
        "test_file": splits[test].files[0],
        "test_glob": _glob(level, test),
        "test_split": test,
        "inputs": _wrapped([one.name for one in facts.columns if one.side == INPUT]),
        "toolkit": _toolkit(facts),
        "versions": _versions(facts),
        "regenerate": "\n".join(_commands(facts)),
        "shortcuts": _shortcuts(statistics),
        "asked": sorted(
            {build["arguments"]["distribution"]["name"] for build in facts.builds.values()}
        ),
        "has_controls": any(one.all.controls for one in statistics.values()),
        "changelog": _changelog(facts),
        "bibtex": _bibtex(facts),
    }


def _is_embedded(facts: Facts) -> bool:
    return all(build["arguments"]["source"] == EMBEDDED for build in facts.builds.values())


def _rows_told(facts: Facts) -> str:
    told = []
    for config in facts.levels:
        rows = sum(split.rows for split in facts.configs[config].values())
        told.append(f"{rows:,} in `{config}` ({_level_told(facts, config)})")
    return "; ".join(told)


def _level_told(facts: Facts, config: str) -> str:
    one = facts.statistics.configs.get(config)
    lengths = [] if one is None else [length for length in one.lengths if length]
    if not lengths or lengths == [1]:
        told = "one error, in the last round"
    else:
        few, many = min(lengths), max(lengths)
        number = f"{few} to {many}" if few < many else f"{many}"
        told = f"{number} errors, one in each of the last rounds"
    controls = 0 if one is None else one.all.controls
    return told + (f"; {controls:,} without any" if controls else "")


def _licence(facts: Facts) -> str:
    name = _LICENCES.get(facts.license, facts.license)
    code = f"; the code in `scoring/` {_LICENCES['apache-2.0']}" if facts.has_scoring else ""
    return f"rows {name}{code}"


def _configs_table(facts: Facts) -> str:
    rows = [
        (
            f"`{config}`",
            split,
            one.rows,
            _megabytes(one.download),
            _megabytes(one.bytes),
        )
        for config, splits in facts.configs.items()
        for split, one in splits.items()
    ]
    return table(("config", "split", "rows", "MB to load", "MB in memory"), rows, left=2)


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f}" if size >= 100_000 else f"{size / 1e6:.2f}"


def _columns_table(columns: Sequence[Column], *, sides: bool) -> str:
    if sides:
        return _compact(
            ("column", "type", "side", "meaning"),
            [(f"`{one.name}`", one.type, one.side, one.meaning) for one in columns],
        )
    return _compact(
        ("field", "type", "meaning"),
        [(f"`{one.name}`", one.type, one.meaning) for one in columns],
    )


def _compact(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table whose cells are sentences: padded, its lines would be too long to read."""
    lines = [header, ["---"] * len(header), *([escape(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _source(facts: Facts) -> str:
    told: dict[str, None] = {}
    for build in facts.builds.values():
        arguments = build["arguments"]
        if arguments["source"] == EMBEDDED:
            plans = arguments["plans"]
            told[
                f"{plans:,} that the toolkit synthesised in BUTTON's format with seed "
                f"{arguments['seed']}, from a catalogue of typed tools"
            ] = None
        else:
            for file in arguments["source"]:
                told[f"`{file['name']}`, {file['bytes']:,} bytes, SHA-256 `{file['sha256']}`"] = (
                    None
                )
    return "; ".join(told) + "."


def taxonomy_table() -> str:
    """Return the kinds with the first paragraph of what they are and how they are told apart."""
    rows = [
        (
            f"`{kind.name}`",
            kind.dimension,
            _paragraph(kind.doc),
            _paragraph(kind.doc.split("How it is told apart", 1)[1].split("\n", 2)[2]),
        )
        for kind in kinds().values()
    ]
    return _compact(("kind", "dimension", "what it is", "how it is told apart"), rows)


def _paragraph(text: str) -> str:
    return " ".join(text.strip().split("\n\n", 1)[0].split())


def _is_certified(facts: Facts) -> bool:
    return bool(facts.builds) and all(
        build["arguments"]["certify"] for build in facts.builds.values()
    )


def _distributions(facts: Facts) -> str:
    parts = []
    for config, one in facts.statistics.configs.items():
        if config == PREVIEW:
            continue
        parts.append(f"### {config.replace('level', 'LEVEL-')}\n")
        for shown in (kinds_table(config, one), visibility_table(config, one)):
            parts += [f"{shown.note}\n"] if shown.note else []
            parts.append(shown.to_markdown() + "\n")
        if config in facts.builds:
            columns = facts.builds[config]["counts"]["kinds_by_round"]
            short = sum(cell["short"] for column in columns for cell in column.values())
            propagated = sum(one.propagated.values())
            parts.append(
                f"{_short_told(short)} {propagated:,} further errors followed from the injected "
                f"ones, {propagated / max(1, one.injected):.2f} for each.\n"
            )
    return "\n".join(parts)


def _short_told(short: int) -> str:
    if not short:
        return "Every error that was asked for was built."
    return f"{short:,} errors that were asked for couldn't be built; `reports/` says why."


def _table_links(facts: Facts) -> str:
    pages = [path for path in facts.tables if path.endswith(".md")]
    return ", ".join(f"[{PurePosixPath(path).stem}]({path})" for path in pages) or "none"


def _figures(facts: Facts) -> Iterator[Figure]:
    yield Figure("figures/rounds.png", "Rows by round of the state, rounds and calls.")
    yield Figure("figures/shapes.png", "Rows by depth and width of their clean plans.")
    for dimension in ("structural", "parameter", "tool"):
        yield Figure(
            f"figures/example-{dimension}.png",
            f"A plan with a {dimension}-related error, drawn as a graph with the error marked.",
        )


def _load_arguments(facts: Facts) -> str:
    # A bare "." has no name, and `datasets` wants one for its cache.
    where = facts.repo_id or f"./{facts.name}"
    told = f'"{where}", "{facts.default_config}"'
    return told + (f', revision="v{facts.version}"' if facts.repo_id else "")


def _wrapped(names: Sequence[str]) -> str:
    lines = "".join(f'    "{name}",\n' for name in names)
    return f"(\n{lines})"


def _toolkit(facts: Facts) -> str:
    found = {build["arguments"]["versions"]["pararecover"] for build in facts.builds.values()}
    return " and ".join(sorted(found)) or "of this release"


def _versions(facts: Facts) -> str:
    found = {
        f"{name} {version}"
        for build in facts.builds.values()
        for name, version in build["arguments"]["versions"].items()
    }
    return ", ".join(sorted(found))


def _commands(facts: Facts) -> Iterator[str]:
    folders = []
    for config, build in facts.builds.items():
        arguments = build["arguments"]
        seed = arguments["seed"] + 1
        folders.append(f"{config}-seed{seed}")
        if arguments["distribution"]["name"] in BUILT_IN:
            yield build_command(arguments, seed, folders[-1])
        else:
            # The file of shares isn't in the release; the manifest holds what stood in it.
            yield (
                "python3 -c 'import json; "
                f'json.dump(json.load(open("manifest.json"))["builds"]["{config}"], '
                f'open("{config}.json", "w"))\''
            )
            yield f"pararecover regenerate {config}.json --seed {seed} --out {folders[-1]}"
    major, minor, _ = facts.version.split(".", 2)
    yield (
        f"pararecover release {' '.join(folders)} --name {shlex.quote(facts.name)} "
        f"--version {major}.{int(minor) + 1}.0 --out {shlex.quote(facts.name)}-next"
    )


def build_command(arguments: Mapping[str, Json], seed: int, out: str) -> str:
    """Return the command line that builds a manifest's arguments again with another seed.

    Args:
        arguments: a build's arguments, as its manifest holds them.
        seed: the new one.
        out: the folder to write.
    """
    words = [f"build-{arguments['level']}"]
    if arguments["level"] == "level2":
        words += ["--rounds", str(arguments["rounds"])]
    words += ["--size", str(arguments["size"]), "--seed", str(seed)]
    if arguments["source"] == EMBEDDED:
        words += ["--plans", str(arguments["plans"])]
    else:
        for file in arguments["source"]:
            words += ["--source", shlex.quote(file["name"])]
    words += ["--distribution", shlex.quote(arguments["distribution"]["name"])]
    words += ["--split", ",".join(_number(share) for share in arguments["split"])]
    if arguments["controls"]:
        words += ["--controls", _number(arguments["controls"])]
    if not arguments["certify"]:
        words.append("--no-certify")
    return " ".join([*words, "--out", shlex.quote(out)])


def _number(value: float) -> str:
    return f"{Decimal(repr(value)).normalize():f}"


def _shortcuts(statistics: Mapping[str, ConfigStatistics]) -> str:
    told = []
    for config, one in statistics.items():
        if config == PREVIEW or not one.injected:
            continue
        shown = sum(seen.get(EXPLICIT, 0) for seen in one.visibility.values())
        often = max(one.all.kinds, key=lambda kind: (one.all.kinds[kind], kind))
        told.append(
            f"in `{config}` an observation tells of {percent(shown, one.injected)} % of the "
            f"injected errors, and always naming {often} is right for "
            f"{percent(one.all.kinds[often], one.injected)} % of them"
        )
    text = "; ".join(told)
    return f"{text[:1].upper()}{text[1:]}."


def _changelog(facts: Facts) -> str:
    parts = []
    for version, lines in facts.changelog:
        parts.append(f"**{version}**\n")
        parts += [f"- {line}" for line in lines] or ["- No notes."]
        parts.append("")
    return "\n".join(parts).rstrip() or f"**{facts.version}**\n\n- First version."


def _bibtex(facts: Facts) -> str:
    name = "".join(one for one in facts.name if one.isalnum()) or "dataset"
    own = [
        f"@misc{{{name},",
        f"  title = {{{{{facts.title}}}}},",
        f"  note = {{Version {facts.version}}},",
    ]
    if facts.repo_id:
        own.append(
            f"  howpublished = {{\\url{{https://huggingface.co/datasets/{facts.repo_id}}}}},"
        )
    if facts.date:
        own.append(f"  year = {{{facts.date[:4]}}},")
    paper = [
        "@misc{guan2026pararecover,",
        "  title = {{ParaRecover: A Process-Level Benchmark for Error Localization and Recovery in",
        "    Parallel Tool-Use Agents}},",
        "  author = {Guan, Bowen and Yin, Zhentao and Shen, Yanming},",
        "  eprint = {2609.12345},",
        "  archivePrefix = {arXiv},",
        "  year = {2026},",
    ]
    button = [
        "@inproceedings{chen2025button,",
        "  title = {{Facilitating Multi-turn Function Calling for {LLM}s via Compositional",
        "    Instruction Tuning}},",
        "  author = {Chen, Mingyang and Sun, Haoze and Li, Tianpeng and Yang, Fan and Liang, Hao",
        "    and Lu, Keer and Cui, Bin and Zhang, Wentao and Zhou, Zenan and Chen, Weipeng},",
        "  booktitle = {International Conference on Learning Representations},",
        "  year = {2025},",
    ]
    return "\n\n".join("\n".join([*lines, "}"]) for lines in (own, paper, button))
