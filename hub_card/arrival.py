"""What arrived on the Hub, seen as a stranger sees it: fetched and loaded with nothing cached.

``load_dataset`` answers from a warm cache without saying so. So this runs as a process of its own
with a fresh ``HF_HOME``, in an empty folder, and compares what it gets with the local release.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hub_card.hub import NO_SPACE, Hub, HubError, Patience

BATCH = 500
_SUFFIX = ".parquet"

# Whatever points a client to another cache, another token or no network.
_DROPPED = (
    "HF_HUB_CACHE",
    "HUGGINGFACE_HUB_CACHE",
    "HF_ASSETS_CACHE",
    "HF_XET_CACHE",
    "HF_DATASETS_CACHE",
    "HF_MODULES_CACHE",
    "HF_DATASETS_OFFLINE",
    "HF_TOKEN",
    "HUGGING_FACE_HUB_TOKEN",
    "HF_TOKEN_PATH",
    "HF_STORED_TOKENS_PATH",
)

Counts = dict[str, dict[str, int]]


def inspect_arrival(
    hub: Hub,
    repo_id: str,
    tag: str,
    commit: str,
    folder: Path,
    hashes: Mapping[str, str],
    *,
    shows_progress: bool = False,
) -> Counts:
    """Fetch a tag afresh and compare every file's hash and every config's rows.

    Args:
        hub: where it is, and as whom to ask.
        repo_id: the repository.
        tag: the tag that users will give.
        commit: what it must stand for.
        folder: the local release.
        hashes: each file's SHA-256, by its path.
        shows_progress: let the downloads show bars on standard error.

    Returns:
        Rows that were loaded and compared, by config and split.

    Raises:
        HubError: something arrived otherwise, or can't be loaded.
    """
    where = f"{hub.page(repo_id)} at {tag}"
    with tempfile.TemporaryDirectory(prefix="pararecover-arrival-") as home:
        settings = {name: value for name, value in os.environ.items() if name not in _DROPPED}
        settings |= hub.environment() | {
            "HF_HOME": home,
            # Looking at one's own push is no use of it.
            "HF_UPDATE_DOWNLOAD_COUNTS": "0",
            "PYTHONPATH": os.pathsep.join(
                [str(Path(__file__).resolve().parents[1]), *_python_path()]
            ),
        }
        if not shows_progress:
            settings |= {
                "HF_HUB_DISABLE_PROGRESS_BARS": "1",
                "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
            }
        task = {
            "repo_id": repo_id,
            "tag": tag,
            "commit": commit,
            "folder": str(folder.absolute()),
            "hashes": dict(hashes),
        }
        ended = subprocess.run(
            # -P and the empty folder: a user's own ./datasets must not be taken for the package.
            [sys.executable, "-P", "-m", "hub_card.arrival"],
            input=json.dumps(task),
            stdout=subprocess.PIPE,
            stderr=None if shows_progress else subprocess.PIPE,
            text=True,
            env=settings,
            cwd=home,
            check=False,
        )
    try:
        answer = json.loads(ended.stdout.splitlines()[-1])
    except (ValueError, IndexError):
        lines = hub.scrub(ended.stderr or "").strip().splitlines()
        raise HubError(
            where,
            f"the check ended with {ended.returncode}: {lines[-1] if lines else 'no word'}",
            "a verdict",
            "give the same command again: it checks again",
        ) from None
    if "error" in answer:
        raise HubError(*(hub.scrub(text) for text in answer["error"]))
    if answer["problems"]:
        problems = [hub.scrub(text) for text in answer["problems"]]
        more = f"; and {len(problems) - 3} more" if len(problems) > 3 else ""
        raise HubError(
            where,
            "; ".join(problems[:3]) + more,
            f"the files and rows of {folder}",
            "the tag is out with what is there: look at it before others use it, and push a "
            "higher version once the cause is found",
        )
    rows: Counts = answer["rows"]
    return rows


def _python_path() -> list[str]:
    return [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]


def main() -> None:
    """Do the task on standard input; the verdict is the last line of standard output."""
    task = json.load(sys.stdin)
    hub = Hub(None, os.environ.get("HF_TOKEN"), Patience())
    try:
        verdict = _inspect(hub, task)
    except HubError as error:
        verdict = {"error": [error.where, error.found, error.expected, error.remedy]}
    print(json.dumps(verdict))


def _inspect(hub: Hub, task: Mapping[str, Any]) -> dict[str, Any]:
    repo_id, tag = task["repo_id"], task["tag"]
    there = hub.head(repo_id, tag)
    if there != task["commit"]:
        return {"problems": [f"the tag stands on {there}, not {task['commit']}"], "rows": {}}
    problems = _compare_files(hub.snapshot(repo_id, tag), task["hashes"])
    rows: Counts = {}
    folder = Path(task["folder"])
    configs = sorted(path.parent.name for path in folder.glob(f"data/*/*{_SUFFIX}"))
    for config in dict.fromkeys(configs):
        rows[config] = _compare_config(hub, repo_id, tag, config, folder, problems)
    return {"problems": problems, "rows": rows}


def _compare_files(fetched: Path, hashes: Mapping[str, str]) -> list[str]:
    from hashlib import file_digest

    problems = []
    for path, expected in hashes.items():
        place = fetched / path
        if not place.is_file():
            problems.append(f"{path} is missing")
            continue
        with place.open("rb") as file:
            found = file_digest(file, "sha256").hexdigest()
        if found != expected:
            problems.append(f"{path} has the SHA-256 {found}, not {expected}")
    return problems


def _compare_config(
    hub: Hub, repo_id: str, tag: str, config: str, folder: Path, problems: list[str]
) -> dict[str, int]:
    splits: dict[str, list[Path]] = {}
    for path in sorted((folder / "data" / config).glob(f"*{_SUFFIX}")):
        splits.setdefault(path.name.split("-")[0], []).append(path)
    loaded = _load(hub, repo_id, tag, config, problems)
    if loaded is None:
        return {}
    if set(loaded) != set(splits):
        problems.append(f"{config} loads with the splits {sorted(loaded)}, not {sorted(splits)}")
    for split in sorted(set(loaded) & set(splits)):
        problem = _compare_rows(loaded[split].with_format("arrow"), splits[split])
        if problem:
            problems.append(f"{config}, {split}: {problem}")
    return {split: loaded[split].num_rows for split in sorted(loaded)}


def _load(hub: Hub, repo_id: str, tag: str, config: str, problems: list[str]) -> Any:
    """Load a config by the tag; None, and a problem, if what arrived can't be loaded.

    Raises:
        HubError: network or disk are in the way, which says nothing of what arrived.
    """
    import datasets

    call = f'load_dataset("{repo_id}", "{config}", revision="{tag}")'
    attempt = 0
    while True:
        attempt += 1
        try:
            return datasets.load_dataset(repo_id, config, revision=tag, token=hub.has_token)
        except Exception as error:  # whatever a loader raises on what arrived is the finding
            worded = hub.word(call, error)
            text = " ".join(str(error).split())
            problem = f"{call} fails: {type(error).__name__}: {text[:500]}"
        if worded.found == NO_SPACE:
            raise worded
        if not worded.is_passing:
            problems.append(problem)
            return None
        if not hub.patience.goes_on(attempt, worded, 3):
            raise worded


def _compare_rows(loaded: Any, files: list[Path]) -> str:
    import pyarrow as pa

    place = 0
    for batch in _batches(files):
        rows = loaded[place : place + batch.num_rows]
        if rows.num_rows < batch.num_rows:
            return f"{loaded.num_rows} rows were loaded, fewer than there are"
        if rows.column_names != batch.column_names:
            return f"the columns are {rows.column_names}, not {batch.column_names}"
        try:
            same = rows.cast(batch.schema).equals(batch)
        except pa.ArrowInvalid as error:
            return f"the columns have other types: {error}"
        if not same:
            return f"rows {place} to {place + batch.num_rows - 1} differ"
        place += batch.num_rows
    return "" if place == loaded.num_rows else f"{loaded.num_rows} rows were loaded, not {place}"


def _batches(files: list[Path]) -> Iterator[Any]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    for path in files:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=BATCH):
                yield pa.Table.from_batches([batch])


if __name__ == "__main__":
    main()
