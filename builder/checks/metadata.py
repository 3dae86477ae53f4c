"""A release's card and its Croissant description."""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Mapping
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

import pyarrow as pa
import pyarrow.parquet as pq

from builder.checks.files import AGAIN, Digest
from builder.checks.outcome import Check, Findings
from plan.json_text import Json, loads

CROISSANT = "croissant.json"
RECORDS = 3

# mlcroissant takes a file whole into memory, as many times its size as pandas needs.
MOST_READ_BYTES = 4 << 20


def check_card(folder: Path) -> Check:
    """Ask the card's own linter."""
    from hub_card.extras import NotInstalled
    from hub_card.lint import problems

    findings = Findings()
    try:
        for problem in problems(folder):
            findings.add(problem.where, problem.found, problem.expected, problem.remedy)
    except NotInstalled as error:
        return Check.skipped("card", f"{error.found}: {error.remedy}")
    except (OSError, ValueError, KeyError, TypeError, pa.ArrowException) as error:
        # What is wrong with the files that the card tells of has its own check.
        findings.add("README.md", f"it can't be checked: {error}", "a card", AGAIN)
    return Check.of("card", "README.md by the card's linter", findings)


def check_croissant(folder: Path, files: Mapping[str, Digest]) -> Check:
    """Compare hashes, and read rows through mlcroissant where it is installed."""
    findings = Findings()
    if CROISSANT not in files:
        return Check.skipped("croissant", f"there is no {CROISSANT}")
    try:
        described = loads((folder / CROISSANT).read_bytes())
    except ValueError as error:
        findings.add(CROISSANT, f"no JSON: {error}", "JSON-LD", AGAIN)
        return Check.of("croissant", CROISSANT, findings)
    mapping = _map(folder, described, files, findings)
    if importlib.util.find_spec("mlcroissant") is None:
        findings.notes.append("mlcroissant isn't installed, so only hashes were compared")
        return Check.of("croissant", f"{len(mapping)} files' hashes", findings)
    read = read_through(folder, mapping, findings)
    return Check.of(
        "croissant", f"{len(mapping)} files' hashes; mlcroissant read {read} rows", findings
    )


def _objects(described: Json, key: str) -> list[dict[str, Json]]:
    value = described.get(key) if isinstance(described, dict) else None
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _map(
    folder: Path, described: Json, files: Mapping[str, Digest], findings: Findings
) -> dict[str, str]:
    """Return the release's own file of each one described, so that nothing is downloaded."""
    mapping: dict[str, str] = {}
    covered: set[str] = set()
    for index, one in enumerate(_objects(described, "distribution")):
        if one.get("@type") not in ("cr:FileObject", "sc:FileObject", "FileObject"):
            continue
        where = f"{CROISSANT}: /distribution/{index}"
        url = str(one.get("contentUrl", ""))
        if "git+https" in str(one.get("encodingFormat", "")):
            mapping[str(one.get("@id"))] = str(folder)
            continue
        name = _named(url, files)
        if name is None:
            findings.add(where, f"{url or 'no contentUrl'}", "a file of the release", AGAIN)
            continue
        covered.add(name)
        mapping[str(one.get("@id"))] = str(folder / name)
        if one.get("sha256") != files[name][0]:
            findings.add(
                where,
                f"{name}: sha256 {one.get('sha256')}",
                f"{files[name][0]}, as the file has",
                AGAIN,
            )
    if not mapping:
        findings.add(f"{CROISSANT}: /distribution", "no files", "the release's files", AGAIN)
    return mapping


def _named(url: str, files: Mapping[str, Digest]) -> str | None:
    """Return the file whose path ends a URL; the longest if several do."""
    parts = PurePosixPath(unquote(urlsplit(url).path)).parts
    for start in range(len(parts)):
        name = "/".join(parts[start:])
        if name in files:
            return name
    return None


def read_through(folder: Path, mapping: Mapping[str, str], findings: Findings) -> int:
    """Validate with mlcroissant and read a few rows of each record set; return how many."""
    read = 0
    with warnings.catch_warnings():
        # Notices of its own dependencies say nothing of the release.
        warnings.simplefilter("ignore")
        import mlcroissant
        from absl import logging

        told = logging.get_verbosity()
        logging.set_verbosity(logging.FATAL)
        try:
            dataset = mlcroissant.Dataset(jsonld=str(folder / CROISSANT), mapping=dict(mapping))
            ids = [one.id for one in dataset.metadata.record_sets if not one.data]
            sizes = {id: _size(folder, id) for id in ids}
            for id in ids:
                if sizes[id] > max(MOST_READ_BYTES, min(sizes.values())):
                    continue
                rows = list(islice(dataset.records(id), RECORDS))
                read += len(rows)
                _compare(folder, id, rows, findings)
        except Exception as error:
            # It raises whatever its parsers and pandas do.
            findings.add(
                CROISSANT,
                "mlcroissant: " + "; ".join(_told(error)),
                "a valid description, through which the rows are read",
                AGAIN,
            )
        finally:
            logging.set_verbosity(told)
    return read


def _size(folder: Path, id: str) -> int:
    """Return the bytes of the largest file behind a record set: a config's, or a split's lines."""
    config, _, split = id.partition("/")
    pattern = f"{split}.jsonl.gz" if split else "*.parquet"
    found = (folder / "data" / config).glob(pattern)
    return max((path.stat().st_size for path in found), default=0)


def _told(error: BaseException | None) -> list[str]:
    words = []
    while error is not None:
        words.append((str(error).strip() or type(error).__name__)[:500])
        error = error.__cause__
    return words


def _compare(folder: Path, config: str, rows: list[dict[str, Any]], findings: Findings) -> None:
    if not rows:
        findings.add(f"{CROISSANT}: {config}", "no rows", "the config's rows", AGAIN)
        return
    known = {
        id
        for file in sorted((folder / "data" / config.partition("/")[0]).glob("*.parquet"))
        for id in pq.read_table(file, columns=["instance_id"])[0].to_pylist()
    }
    for row in rows:
        ids = [value for key, value in row.items() if key.rpartition("/")[2] == "instance_id"]
        named = [id.decode() if isinstance(id, bytes) else id for id in ids]
        if known and (not named or named[0] not in known):
            findings.add(
                f"{CROISSANT}: {config}",
                f"a row with the instance_id {named[0] if named else 'of no name'}",
                f"a row of data/{config}/",
                AGAIN,
            )
