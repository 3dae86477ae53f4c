"""A linter of dataset cards: refuses what the Hub and its loaders accept without a word."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq

from hub_card.card import size_category
from hub_card.extras import NotInstalled
from hub_card.facts import PREVIEW
from plan.json_text import Json, loads

CARD = "README.md"
MANIFEST = "manifest.json"

TASK_CATEGORIES = frozenset(
    """
    any-to-any audio-classification audio-text-to-text audio-to-audio automatic-speech-recognition
    biology depth-estimation document-question-answering feature-extraction fill-mask graph-ml
    image-classification image-feature-extraction image-segmentation image-text-to-text
    image-to-3d image-to-image image-to-text image-to-video keypoint-detection mask-generation
    multiple-choice object-detection other question-answering reinforcement-learning robotics
    sentence-similarity summarization table-question-answering table-to-text
    tabular-classification tabular-regression tabular-to-text text-classification
    text-generation text-ranking text-retrieval text-to-3d text-to-audio text-to-image
    text-to-speech text-to-video text2text-generation time-series-forecasting
    token-classification translation unconditional-image-generation video-classification
    video-text-to-text visual-document-retrieval visual-question-answering
    voice-activity-detection zero-shot-classification zero-shot-image-classification
    zero-shot-object-detection
    """.split()
)
"""The Hub's task categories, from huggingface.js, packages/tasks/src/pipelines.ts."""

SIZE_CATEGORIES = frozenset(
    """
    n<1K 1K<n<10K 10K<n<100K 100K<n<1M 1M<n<10M 10M<n<100M 100M<n<1B 1B<n<10B 10B<n<100B
    100B<n<1T n>1T unknown
    """.split()
)

ANNOTATIONS_CREATORS = frozenset(
    "crowdsourced expert-generated found machine-generated no-annotation other".split()
)

AGAIN = "release it again, or correct the card and release what it belongs to"

_FRONT = re.compile(r"\A---[ \t]*\n(?P<yaml>.*?)^---[ \t]*$", re.DOTALL | re.MULTILINE)
_SPLIT = re.compile(r"\w+")
_LINK = re.compile(r"!?\[[^\]]*\]\(\s*<?(?P<target>[^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
_FENCE = re.compile(r"^(```|~~~).*?^\1[ \t]*$", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"`[^`\n]*`")
_HEADING = re.compile(r"^#{1,6}[ \t]+(?P<text>.*?)[ \t]*#*[ \t]*$", re.MULTILINE)
_LEFT_OVER = re.compile(r"\[More Information Needed\]|\{\{.*?\}\}|\{%.*?%\}")
# Names that `datasets` makes folders of.
_BAD_NAME = re.compile(r'[<>:/\\|?*"]')


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with a card.

    Attributes:
        where: the file and the place in it.
        found, expected, remedy: for the user.
    """

    where: str
    found: str
    expected: str
    remedy: str = AGAIN


def problems(folder: Path, repository: str | None = None) -> list[Problem]:
    """Return everything that is wrong with a release's card; empty if nothing is.

    Args:
        folder: laid out as the repository will be.
        repository: its name on the Hub, with or without namespace; without it the name that
            the manifest gives is looked for, and the folder's own.

    Raises:
        NotInstalled: PyYAML isn't there.
        OSError: a file can't be read.
    """
    path = folder / CARD
    if not path.is_file():
        return [Problem(CARD, "no such file", "a dataset card")]
    try:
        text = path.read_bytes().decode().replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        return [Problem(CARD, f"no UTF-8 text at byte {error.start}", "UTF-8 text")]
    found = _FRONT.match(text)
    if found is None:
        return [
            Problem(CARD, "no front matter", "YAML between two lines of ---, at the very beginning")
        ]
    read = _read_yaml(found["yaml"])
    told = [*_body_problems(folder, text[found.end() :]), *_root_problems(folder, repository)]
    if isinstance(read, Problem):
        return [read, *told]
    return [*_Linter(folder, read).problems(), *told]


def _read_yaml(text: str) -> dict[str, Any] | Problem:
    try:
        import yaml
    except ImportError:
        raise NotInstalled("PyYAML", "checking the card") from None

    class Loader(yaml.SafeLoader):
        """Refuses a key that stands twice, of which PyYAML keeps the last."""

        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
            known: set[Any] = set()
            for key, _ in node.value:
                name = self.construct_object(key, deep=True)
                if isinstance(name, str) and name in known:
                    raise yaml.MarkedYAMLError(
                        problem=f"the key {name} stands twice", problem_mark=key.start_mark
                    )
                known.add(name if isinstance(name, str) else None)
            return super().construct_mapping(node, deep)

    try:
        value = yaml.load(text, Loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 2}" if mark is not None else ""
        told = getattr(error, "problem", None) or str(error)
        return Problem(f"{CARD}{line}", " ".join(str(told).split()), "valid YAML")
    except (ValueError, TypeError) as error:
        return Problem(CARD, f"front matter that can't be read: {error}", "valid YAML")
    if not isinstance(value, dict):
        return Problem(CARD, "front matter that is no mapping", "keys such as license and configs")
    return value


class _Linter:
    """Looks at a card's front matter beside the files that it speaks of."""

    def __init__(self, folder: Path, card: Mapping[str, Any]) -> None:
        self.folder = folder
        self.card = card
        self.splits: dict[str, dict[str, list[str]]] = {}  # files by config and split
        self.rows: dict[str, int] = {}  # rows of a Parquet file
        self.schemas: dict[str, pa.Schema] = {}

    def problems(self) -> Iterator[Problem]:
        yield from self._fields()
        yield from self._configs()
        yield from self._unreadable()
        yield from self._shared()
        yield from self._uncovered()
        yield from self._infos()
        yield from self._size()

    def _files(self) -> Iterator[tuple[str, str, str]]:
        for config, splits in self.splits.items():
            for split, files in splits.items():
                for path in files:
                    yield config, split, path

    def _fields(self) -> Iterator[Problem]:
        card = self.card
        for key, example in (
            ("license", "cc-by-4.0"),
            ("pretty_name", "a name for people"),
            ("language", "en"),
            ("task_categories", "text-generation"),
            ("size_categories", "1K<n<10K"),
        ):
            if not card.get(key):
                yield Problem(f"{CARD}: {key}", "nothing", f"such as {example}")
        if card.get("license") == "other":
            for key in ("license_name", "license_link"):
                if not card.get(key):
                    yield Problem(f"{CARD}: {key}", "nothing, and the license is other", f"a {key}")
        for key, known in (
            ("task_categories", TASK_CATEGORIES),
            ("size_categories", SIZE_CATEGORIES),
            ("annotations_creators", ANNOTATIONS_CREATORS),
        ):
            for value in _listed(card.get(key)):
                if value not in known:
                    yield Problem(f"{CARD}: {key}", repr(value), "one of the Hub's own values")

    def _configs(self) -> Iterator[Problem]:
        """Look at ``configs``, and find their files."""
        where = f"{CARD}: configs"
        configs = self.card.get("configs")
        if not isinstance(configs, list) or not configs:
            yield Problem(where, "none", "a list of configs, each with config_name and data_files")
            return
        names: list[str] = []
        defaults: list[str] = []
        for index, config in enumerate(configs):
            name = config.get("config_name") if isinstance(config, dict) else None
            if not isinstance(name, str) or not name or _BAD_NAME.search(name):
                yield Problem(f"{where}[{index}]", f"the name {name!r}", "a config_name for files")
                continue
            names.append(name)
            if config.get("default") is True or name == "default":
                defaults.append(name)
            splits = self.splits.setdefault(name, {})
            yield from self._data_files(f"{where}: {name}", config, splits)
        for name, count in Counter(names).items():
            if count > 1:
                yield Problem(where, f"{count} configs named {name}", "each name once")
        if len(defaults) != 1:
            told = ", ".join(defaults) if defaults else "no config"
            yield Problem(where, f"{told} marked as default", "exactly one with default: true")

    def _data_files(
        self, where: str, config: Mapping[str, Any], splits: dict[str, list[str]]
    ) -> Iterator[Problem]:
        entries = config.get("data_files")
        if not isinstance(entries, list) or not entries:
            yield Problem(where, "no list under data_files", "a split and a path for each split")
            return
        own: list[str] = []
        for entry in entries:
            split = entry.get("split") if isinstance(entry, dict) else None
            if not isinstance(split, str) or not _SPLIT.fullmatch(split):
                yield Problem(where, f"the split {split!r}", "a name of letters, digits and _")
                continue
            if split in own:
                yield Problem(where, f"the split {split} twice", "each split once")
            own.append(split)
            files = splits.setdefault(split, [])
            patterns = _listed(entry.get("path"))
            if not patterns:
                yield Problem(f"{where}/{split}", "no path", "a pattern of files")
            for pattern in patterns:
                matched = self._match(pattern)
                if not matched:
                    yield Problem(
                        f"{where}/{split}", f"{pattern!r} matches no file", "files of the release"
                    )
                files += matched

    def _match(self, pattern: object) -> list[str]:
        if not isinstance(pattern, str) or not pattern:
            return []
        parts = PurePosixPath(pattern)
        if parts.is_absolute() or ".." in parts.parts:
            return []
        return sorted(
            path.relative_to(self.folder).as_posix()
            for path in self.folder.glob(pattern)
            if path.is_file()
        )

    def _unreadable(self) -> Iterator[Problem]:
        for path in sorted({file for _, _, file in self._files()}):
            if not path.endswith(".parquet"):
                yield Problem(f"{CARD}: configs", path, "Parquet files only")
                continue
            try:
                with pq.ParquetFile(self.folder / path) as file:
                    self.rows[path] = file.metadata.num_rows
                    self.schemas[path] = file.schema_arrow
            except (pa.ArrowException, ValueError) as error:
                yield Problem(path, f"no Parquet: {error}", "a Parquet file")

    def _shared(self) -> Iterator[Problem]:
        owners: dict[str, list[str]] = {}
        for config, split, path in self._files():
            owners.setdefault(path, []).append(f"{config}/{split}")
        for path, named in sorted(owners.items()):
            if len(named) > 1:
                yield Problem(
                    f"{CARD}: configs",
                    f"{path} stands in {', '.join(named)}",
                    "each file in one split of one config",
                )

    def _uncovered(self) -> Iterator[Problem]:
        covered = {path for _, _, path in self._files()}
        for path in sorted(self.folder.glob("data/**/*.parquet")):
            name = path.relative_to(self.folder).as_posix()
            if name not in covered:
                yield Problem(name, "no config of the card names it", "a config for each file")

    def _infos(self) -> Iterator[Problem]:
        where = f"{CARD}: dataset_info"
        value = self.card.get("dataset_info")
        infos = [value] if isinstance(value, dict) else value if isinstance(value, list) else []
        known: set[str] = set()
        for info in infos:
            name = str(info.get("config_name", "default")) if isinstance(info, dict) else ""
            if name not in self.splits:
                yield Problem(
                    where, f"{name!r}", f"one of {', '.join(self.splits) or 'the configs'}"
                )
            elif name in known:
                yield Problem(where, f"{name} twice", "each config once")
            else:
                known.add(name)
                yield from self._info(f"{where}: {name}", info, self.splits[name])
        for name in self.splits:
            if name not in known:
                yield Problem(where, f"nothing of {name}", "features and counts of each config")

    def _info(
        self, where: str, info: Mapping[str, Any], splits: Mapping[str, list[str]]
    ) -> Iterator[Problem]:
        try:
            told = _struct(info.get("features"))
        except (TypeError, KeyError, AttributeError):
            yield Problem(f"{where}/features", "features that can't be read", "name and dtype each")
        else:
            for path in (path for files in splits.values() for path in files):
                schema = self.schemas.get(path)
                if schema is not None and (apart := _differences(told, _arrow(schema))):
                    yield Problem(f"{where}/features", apart, f"the schema of {path}")
                    break
        counts: dict[str, Any] = {}
        for one in info.get("splits") or []:
            if isinstance(one, dict):
                counts[str(one.get("name"))] = one
        for split in splits:
            if split not in counts:
                yield Problem(f"{where}/splits", f"nothing of {split}", "each split's num_examples")
        for split, one in counts.items():
            if split not in splits:
                yield Problem(f"{where}/splits", split, f"one of {', '.join(splits)}")
                continue
            rows = sum(self.rows.get(path, 0) for path in splits[split])
            if one.get("num_examples") != rows:
                yield Problem(
                    f"{where}/splits/{split}",
                    f"num_examples {one.get('num_examples')}",
                    f"{rows}, as its files have",
                )
            if not isinstance(one.get("num_bytes"), int):
                yield Problem(f"{where}/splits/{split}", "no num_bytes", "a whole number")
        yield from self._sums(where, info, splits, list(counts.values()))

    def _sums(
        self,
        where: str,
        info: Mapping[str, Any],
        splits: Mapping[str, list[str]],
        counts: Sequence[Mapping[str, Any]],
    ) -> Iterator[Problem]:
        files = {path for files in splits.values() for path in files}
        size = sum((self.folder / path).stat().st_size for path in files)
        if info.get("download_size") != size:
            yield Problem(
                where, f"download_size {info.get('download_size')}", f"{size}, as its files have"
            )
        parts = [one.get("num_bytes") for one in counts]
        total = sum(part for part in parts if isinstance(part, int))
        if info.get("dataset_size") != total:
            yield Problem(
                where,
                f"dataset_size {info.get('dataset_size')}",
                f"{total}, the sum of its splits' num_bytes",
            )

    def _size(self) -> Iterator[Problem]:
        files = {path for config, _, path in self._files() if config != PREVIEW}
        rows = sum(self.rows.get(path, 0) for path in files)
        told = _listed(self.card.get("size_categories"))
        right = size_category(rows)
        if told and told != [right]:
            yield Problem(
                f"{CARD}: size_categories",
                ", ".join(map(str, told)),
                f"{right}, since there are {rows:,} rows",
            )


def _listed(value: object) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, list) else [value]


def _struct(fields: Any) -> dict[str, object]:
    return {field["name"]: _feature(field) for field in fields}


def _feature(feature: Any) -> object:
    """Return a feature of a card, in whichever of the spellings that `datasets` reads."""
    if isinstance(feature, str):
        return feature
    if isinstance(feature, list):
        return "struct", _struct(feature)
    for key in ("list", "sequence"):
        if key in feature:
            return "list", _feature(feature[key])
    if "struct" in feature:
        return "struct", _struct(feature["struct"])
    return str(feature["dtype"])


def _arrow(schema: pa.Schema) -> dict[str, object]:
    return {field.name: _arrow_type(field.type) for field in schema}


def _arrow_type(kind: pa.DataType) -> object:
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return "list", _arrow_type(kind.value_type)
    if pa.types.is_struct(kind):
        return "struct", {field.name: _arrow_type(field.type) for field in kind}
    return str(kind)


def _differences(told: Mapping[str, object], real: Mapping[str, object]) -> str:
    parts = [
        *(f"{name} isn't in it" for name in real if name not in told),
        *(f"{name} is too much" for name in told if name not in real),
        *(f"{name} differs" for name in told if name in real and told[name] != real[name]),
    ]
    if not parts and list(told) != list(real):
        parts = ["another order"]
    return ", ".join(parts)


def _body_problems(folder: Path, body: str) -> Iterator[Problem]:
    prose = _CODE.sub("", _FENCE.sub("", body))
    anchors = {_slug(found["text"]) for found in _HEADING.finditer(_FENCE.sub("", body))}
    targets = dict.fromkeys(found["target"] for found in _LINK.finditer(prose))
    for target in targets:
        path, _, anchor = target.partition("#")
        if re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:", target) or target.startswith("//"):
            continue
        if path and not _is_inside(folder, unquote(path)):
            yield Problem(CARD, f"a link to {target}", "a file of the release")
        elif not path and anchor not in anchors:
            yield Problem(CARD, f"a link to {target}", "a heading of the card")
    left = _LEFT_OVER.search(prose)
    if left is not None:
        yield Problem(CARD, f"{left[0]!r} left over from a template", "text")


def _is_inside(folder: Path, path: str) -> bool:
    parts = PurePosixPath(path)
    return not parts.is_absolute() and ".." not in parts.parts and (folder / path).exists()


def _slug(heading: str) -> str:
    """Return the anchor that the Hub gives a heading."""
    text = re.sub(r"[^\w\- ]", "", heading.strip().lower())
    return text.replace(" ", "-")


def _root_problems(folder: Path, repository: str | None) -> Iterator[Problem]:
    names = {repository.rpartition("/")[2]} if repository else {folder.resolve().name}
    name = _manifest_name(folder)
    if name:
        names.add(name)
    for path in sorted(folder.iterdir()):
        if path.is_file() and path.stem in names:
            yield Problem(
                path.name,
                "a file named after the repository",
                "none: loaders take it for a loading script or for the data",
                "rename it, or the release",
            )


def _manifest_name(folder: Path) -> str | None:
    try:
        value: Json = loads((folder / MANIFEST).read_bytes())
    except (OSError, ValueError):
        return None
    name = value.get("name") if isinstance(value, dict) else None
    return name if isinstance(name, str) else None
