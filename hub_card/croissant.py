"""The release in Croissant 1.0 (https://docs.mlcommons.org/croissant/docs/croissant-spec.html).

Each config is a record set over its Parquet files, and each of its splits one over the split's
JSON Lines. Files are named by their paths in the release, so that the description holds
on disk, in a snapshot and on the Hub alike; each comes with its hash.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath

from hub_card.facts import Column, Facts
from plan.json_text import Json

PARQUET = "application/x-parquet"
JSON_LINES = "application/jsonlines"
LICENCES = {
    "cc-by-4.0": "https://creativecommons.org/licenses/by/4.0/",
    "apache-2.0": "https://www.apache.org/licenses/LICENSE-2.0",
}
HUB = "https://huggingface.co/datasets"

_TYPES = {
    "string": "sc:Text",
    "JSON": "sc:Text",
    "int": "sc:Integer",
    "list of string": "sc:Text",
}
_FORMATS = {".parquet": PARQUET, ".jsonl.gz": JSON_LINES}


def spell(facts: Facts, files: Iterable[Mapping[str, Json]]) -> bytes:
    """Return the description's text: the same for the same facts and files.

    Args:
        facts: what is said of the release.
        files: ``path``, ``bytes`` and ``sha256`` of each file; those of rows are described.
    """
    rows = {file["path"]: file for file in files if _format(file["path"])}
    described = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": facts.name,
        "description": _description(facts),
        "version": facts.version,
        "license": LICENCES.get(facts.license, facts.license),
        "inLanguage": "en",
        "keywords": ["agents", "tool use", "function calling", "planning", "error recovery"],
        **({"datePublished": facts.date} if facts.date else {}),
        **_place(facts),
        "citeAs": _cite(facts),
        "distribution": [
            *(_file_object(rows[path]) for path in sorted(rows)),
            *(_file_set(config) for config in facts.configs),
        ],
        "recordSet": list(_record_sets(facts, rows)),
    }
    return json.dumps(described, indent=1, ensure_ascii=False).encode() + b"\n"


def _format(path: str) -> str | None:
    return next((kind for end, kind in _FORMATS.items() if path.endswith(end)), None)


def _description(facts: Facts) -> str:
    levels = ", ".join(
        f"{config} ({sum(split.rows for split in facts.configs[config].values()):,} rows)"
        for config in facts.levels
    )
    return (
        "Damaged tool-call plans for agents to find errors in and to recover from, with labels "
        f"that were proved by program: {levels}. " + " ".join(facts.attribution)
    )


def _place(facts: Facts) -> dict[str, Json]:
    if facts.repo_id is None:
        return {}
    owner = facts.repo_id.partition("/")[0]
    return {
        "url": f"{HUB}/{facts.repo_id}",
        "creator": {
            "@type": "sc:Organization",
            "name": owner,
            "url": f"https://huggingface.co/{owner}",
        },
    }


def _cite(facts: Facts) -> str:
    name = "".join(one for one in facts.name if one.isalnum())
    place = f" url={{{HUB}/{facts.repo_id}}}," if facts.repo_id else ""
    year = f" year={{{facts.date[:4]}}}," if facts.date else ""
    note = f" note={{Version {facts.version}}}"
    return f"@misc{{{name}, title={{{facts.title}}},{year}{place}{note}}}"


def _file_object(file: Mapping[str, Json]) -> Json:
    return {
        "@type": "cr:FileObject",
        "@id": file["path"],
        "name": PurePosixPath(file["path"]).name,
        "contentUrl": file["path"],
        "contentSize": f"{file['bytes']} B",
        "encodingFormat": _format(file["path"]),
        "sha256": file["sha256"],
    }


def _file_set(config: str) -> Json:
    return {
        "@type": "cr:FileSet",
        "@id": f"parquet-{config}",
        "name": f"parquet-{config}",
        "description": f"The Parquet files of {config}.",
        "encodingFormat": PARQUET,
        "includes": f"data/{config}/*.parquet",
    }


def _record_sets(facts: Facts, files: Mapping[str, Json]) -> Iterator[Json]:
    for config, splits in facts.configs.items():
        source = {"fileSet": {"@id": f"parquet-{config}"}}
        split = {
            "@type": "cr:Field",
            "@id": f"{config}/split",
            "name": "split",
            "description": f"The row's split: {', '.join(splits)}.",
            "dataType": "sc:Text",
            "source": {
                **source,
                "extract": {"fileProperty": "fullpath"},
                "transform": {"regex": f"data/{config}/({'|'.join(splits)})-.+parquet$"},
            },
        }
        yield _record_set(facts, config, f"All rows of {config}, from Parquet.", source, split)
        for name in splits:
            lines = f"data/{config}/{name}.jsonl.gz"
            if lines in files:
                told = f"The rows of {config}'s split {name}, from JSON Lines."
                yield _record_set(facts, f"{config}/{name}", told, {"fileObject": {"@id": lines}})


def _record_set(facts: Facts, id: str, told: str, source: Json, *more: Json) -> Json:
    return {
        "@type": "cr:RecordSet",
        "@id": id,
        "name": id,
        "description": told,
        "key": {"@id": f"{id}/instance_id"},
        "field": [*more, *(_field(facts, id, column, source) for column in facts.columns)],
    }


def _field(facts: Facts, id: str, column: Column, source: Json) -> Json:
    own = f"{id}/{column.name}"
    told = {
        "@type": "cr:Field",
        "@id": own,
        "name": column.name,
        "description": f"{column.side.capitalize()}: {column.meaning}",
    }
    here = {**source, "extract": {"column": column.name}}
    if column.type in _TYPES:
        repeated = {"repeated": True} if column.type.startswith("list") else {}
        return {**told, "dataType": _TYPES[column.type], **repeated, "source": here}
    return {
        **told,
        "repeated": True,
        "subField": [
            {
                "@type": "cr:Field",
                "@id": f"{own}/{one.name}",
                "name": one.name,
                "description": one.meaning,
                "dataType": _TYPES[one.type],
                **({"repeated": True} if one.type.startswith("list") else {}),
                "source": {**here, "transform": {"jsonPath": one.name}},
            }
            for one in facts.error_fields
        ],
    }


# The context that the specification prescribes.
_CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
