"""What agents answered: prediction files, found by row without being held in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from builder.refusal import Refusal
from plan.json_text import Json, loads
from scoring.predictions import FILE, RUN, Key, read_key
from scoring.refusal import Problem


@dataclass(frozen=True, slots=True)
class Source:
    """One file of predictions.

    Attributes:
        given: the folder or file, as the user gave it.
        path: the file.
        agent: who answered, as the run beside the file says; else the folder's or file's name.
    """

    given: str
    path: Path
    agent: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where a prediction stands: which source, the line's offset and length in bytes."""

    source: int
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class Index:
    """All predictions of some sources by instance id.

    Attributes:
        sources: the files.
        places: for each instance id its predictions, in the order of sources and lines.
        lines: lines of each source, blank ones left out.
        duplicates: lines that a later one of the same file, instance and epoch replaces.
        unreadable: lines that are no predictions.
        problems: these, and episodes that are left out, with their file and line.
    """

    sources: tuple[Source, ...]
    places: dict[str, list[Place]]
    lines: tuple[int, ...]
    duplicates: int
    unreadable: int
    problems: tuple[Problem, ...]


def find_sources(given: Sequence[Path]) -> list[Source]:
    """Return the predictions of folders that agents' runs wrote, or of files.

    Raises:
        Refusal: there are none.
    """
    paths = [_find(path) for path in given]
    names = [_agent(path) for path in paths]
    counts = Counter(names)
    return [
        Source(str(own), path, name if counts[name] == 1 else f"{name} ({_label(path)})")
        for own, path, name in zip(given, paths, names, strict=True)
    ]


def _find(given: Path) -> Path:
    path = given / FILE if given.is_dir() else given
    if not path.is_file():
        raise Refusal(
            f"--episodes {given}",
            f"no {FILE} in it" if given.is_dir() else "no such file or folder",
            f"a folder with {FILE}, as an agent's run writes it, or such a file",
            "check the path; `pararecover run-agent` writes such a folder",
        )
    return path


def _label(path: Path) -> str:
    whole = path.resolve()
    return whole.parent.name if whole.name == FILE else whole.name.partition(".")[0]


def _agent(path: Path) -> str:
    try:
        run = loads((path.parent / RUN).read_bytes()) if path.name == FILE else None
    except (OSError, ValueError):
        run = None
    name = run.get("agent") if isinstance(run, dict) else None
    return name if isinstance(name, str) and name else _label(path)


def read_index(sources: Sequence[Source], advance: Callable[[int], None]) -> Index:
    """Read through prediction files and note where each instance's predictions stand.

    Args:
        sources: the files.
        advance: told the bytes of each line.

    Raises:
        OSError: a file can't be read.
    """
    places: dict[str, list[Place]] = {}
    problems: list[Problem] = []
    lines: list[int] = []
    duplicates = unreadable = 0
    for number, source in enumerate(sources):
        found: dict[Key, Place] = {}
        count = offset = 0
        with source.path.open("rb") as file:
            for at, line in enumerate(file, 1):
                place = Place(number, offset, len(line))
                offset += len(line)
                advance(len(line))
                if not line.strip():
                    continue
                count += 1
                where = f"{source.path}:{at}"
                read = _read(where, line)
                if isinstance(read, Problem):
                    problems.append(read)
                    unreadable += 1
                    continue
                key, has_episode = read
                if not has_episode:
                    problems.append(Problem(where, "/episode can't be read", _EPISODE))
                # What comes later is what counts, and stands where it stands.
                duplicates += found.pop(key, None) is not None
                found[key] = place
        for (id, _), place in found.items():
            places.setdefault(id, []).append(place)
        lines.append(count)
    return Index(tuple(sources), places, tuple(lines), duplicates, unreadable, tuple(problems))


_EPISODE = 'an object whose "steps" are objects with "round", "output" and "observations"'


def read_prediction(index: Index, place: Place) -> dict[str, Json]:
    """Return the prediction that stands at a place, without an episode that can't be read."""
    with index.sources[place.source].path.open("rb") as file:
        file.seek(place.offset)
        found: dict[str, Json] = loads(file.read(place.length))
    if not _has_episode(found):
        del found["episode"]
    return found


def _read(where: str, line: bytes) -> tuple[Key, bool] | Problem:
    """Return which row and epoch a line answers, and whether its episode can be read."""
    try:
        value = loads(line)
    except ValueError as error:
        return Problem(where, f"no JSON: {error}", "one JSON object")
    if not isinstance(value, dict):
        return Problem(where, "no object", "one JSON object")
    if not isinstance(value.get("output"), str) and value.get("plan") is None:
        return Problem(where, "no answer", 'a text under "output", or "thought" and "plan"')
    key = read_key(where, value)
    return key if isinstance(key, Problem) else (key, _has_episode(value))


def _has_episode(prediction: Json) -> bool:
    """Tell whether an episode can be read, where there is one."""
    episode = prediction.get("episode")
    if episode is None:
        return True
    return (
        isinstance(episode, dict)
        and isinstance(episode.get("steps", []), list)
        and all(map(_is_step, episode.get("steps", [])))
    )


def _is_step(step: Json) -> bool:
    return (
        isinstance(step, dict)
        and isinstance(step.get("round"), int)
        and isinstance(step.get("output"), str)
        and isinstance(step.get("observations"), list)
        and all(
            isinstance(seen, dict)
            and isinstance(seen.get("id"), str)
            and isinstance(seen.get("name"), str)
            and isinstance(seen.get("arguments"), dict)
            and "results" in seen
            for seen in step["observations"]
        )
    )
