"""From a source to a folder of rows: survey, seat, build, publish.

Only `builder.seating` decides anything, in this process; shards are pure functions, so the
bytes don't depend on the number of workers or on how often a build was stopped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from builder import report
from builder.corpus import (
    BUTTON,
    EMBEDDED,
    Entry,
    File,
    Shard,
    embedded_shards,
    file_shards,
    open_files,
    read_survey,
    survey,
)
from builder.distribution import Distribution
from builder.pool import Pool
from builder.refusal import Refusal
from builder.resume.files import whole, write_whole
from builder.resume.fingerprint import code, fingerprint, versions
from builder.resume.folder import DONE, MANIFEST, NEW, Claim, claim
from builder.seating import (
    PASSES,
    Placing,
    Seat,
    Seating,
    Trial,
    control_seats,
    demand,
    reach,
)
from builder.shards import (
    Built,
    Fact,
    Order,
    Publication,
    RowShard,
    build_shard,
    publish,
)
from builder.splits import NAMES, group, share_out
from hub_card import attribution
from hub_card import manifest as manifests
from plan.json_text import Json, dump_bytes

ALL = "all"

DEFAULT_ROWS = 2000
SHARD_TRIALS = 100
# Late passes have a few dozen trials, of which every worker should have some.
REPAIR_TRIALS = 10
SHARD_BYTES = 16 << 20
FILE_ROWS = 2500

Advance = Callable[[int], None]
Progress = Callable[[str, int | None, str], AbstractContextManager[Advance]]
"""Opens a progress bar: what is done, how many in all if known, and of what."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a user asked for.

    Attributes:
        level: level1 or level2.
        source: paths; none for the embedded source.
        out: the output folder.
        size: number of rows; ``all`` for one of each usable plan; None for the default.
        plans: of the embedded source, how many trajectories; None for as many as needed.
        seed: of the damage and of the embedded source.
        rounds: the most errors of a row; 1 for level1.
        distribution: over kinds, for each error round.
        split: shares of train, validation and test.
        controls: undamaged rows, as a share of the rows asked for.
        certify: whether each row is certified.
    """

    level: str
    source: tuple[str, ...]
    out: Path
    size: int | str | None
    plans: int | None
    seed: int
    rounds: int
    distribution: Distribution
    split: tuple[float, ...]
    controls: float
    certify: bool

    def arguments(self, files: Sequence[File]) -> dict[str, Json]:
        """Return everything that the build's bytes depend on."""
        size = self.size if self.size is not None else (ALL if files else DEFAULT_ROWS)
        return {
            "level": self.level,
            "source": [file.to_json() for file in files] or EMBEDDED,
            "size": size,
            "plans": None if files else self.plans or _plans_for(size),
            "seed": self.seed,
            "rounds": self.rounds,
            "distribution": self.distribution.to_json(),
            "split": list(self.split),
            "controls": self.controls,
            "certify": self.certify,
            "versions": versions(),
            "code": code(),
        }


@dataclass(frozen=True, slots=True)
class Result:
    """A build's manifest, and whether it had been done before."""

    manifest: dict[str, Json]
    was_done: bool
    resumed: bool


def _plans_for(size: int | str) -> int:
    """Return how many trajectories a number of rows needs; some plans can't be used."""
    rows = DEFAULT_ROWS if isinstance(size, str) else size
    return rows if isinstance(size, str) else rows + rows // 20 + 10


def build(request: Request, workers: int, progress: Progress) -> Result:
    """Build what is asked for, or go on with it where it was stopped.

    Raises:
        Refusal: an input, an option or the folder can't be worked with.
        SourceError: a source can't be read to its end.
        OSError: the folder can't be written, or the disk is full.
    """
    with TemporaryDirectory(prefix="pararecover-") as spool:
        files = open_files(request.source, Path(spool))
        arguments = request.arguments(files)
        claimed = claim(request.out, arguments)
        if claimed.state == DONE:
            return Result(manifests.read(request.out / MANIFEST), True, False)
        try:
            with Pool(workers) as pool:
                built = _Build(request, arguments, files, claimed, pool, progress).run()
        except OSError:
            claimed.release()  # What is done stays: room may be made for the rest.
            raise
        except Exception:
            # Nothing that was started just now can go anywhere; older work is kept.
            if claimed.state == NEW:
                claimed.abandon()
            claimed.release()
            raise
        claimed.finish()
        return Result(built, False, claimed.state != NEW)


class _Build:
    """One run of the pipeline."""

    def __init__(
        self,
        request: Request,
        arguments: dict[str, Json],
        files: Sequence[File],
        claimed: Claim,
        pool: Pool,
        progress: Progress,
    ) -> None:
        self.request = request
        self.arguments = arguments
        self.files = files
        self.work = claimed.work
        self.pool = pool
        self.progress = progress
        self.shards = 0
        self.counts: Counter[str] = Counter()
        self.warnings: Counter[str] = Counter()
        self.places: dict[Seat, tuple[str, Fact]] = {}
        self.bugs: list[str] = []
        self.reasons: dict[int, tuple[str, str]] = {}

    def run(self) -> dict[str, Json]:
        plans = self._survey()
        entries = [entry for entry in plans if entry.depth >= min(self.request.rounds, 2)]
        if not entries:
            raise self._nothing_usable(len(plans))
        size = self.arguments["size"]
        rows = len(entries) if size == ALL else size
        wanted = demand(self.request.distribution, rows, self.request.rounds, dealt=size == ALL)
        seating = Seating(entries, self.request.distribution.kinds, wanted, self.request.seed)
        self._build_rows(seating)
        controls = self._build_controls(entries, seating, round(rows * self.request.controls))
        seats = [seat for seat in seating.seats if seat is not None]
        if not seats:
            raise self._nothing_built(seating)
        splits = self._split(plans, entries)
        published = self._publish([*seats, *controls], splits)
        figures = report.Figures(
            arguments=self.arguments,
            kinds=self.request.distribution.kinds,
            wanted=wanted,
            built=[
                (seat, kinds, self.places[seat][1])
                for seat, kinds in zip(seating.seats, seating.kinds, strict=True)
                if seat is not None
            ],
            short=[(seating.kinds[row], *self._reason(row, seating)) for row in seating.open],
            controls=[(seat, self.places[seat][1]) for seat in controls],
            controls_asked=round(rows * self.request.controls),
            entries=entries,
            usable=len(plans),
            source=dict(self.counts),
            warnings=dict(self.warnings),
            splits=splits,
            bugs=self.bugs,
        )
        return self._finish(figures, published)

    def _survey(self) -> list[Entry]:
        request = self.request
        shards: Iterator[Shard]
        if self.files:
            shards = file_shards(self.work, self.files)
        else:
            shards = embedded_shards(self.work, self.arguments["plans"], request.seed)
        entries: list[Entry] = []
        with self.progress("reading plans", self.arguments["plans"], "plan") as advance:
            for found in self.pool.run(survey, shards):
                self.shards += 1
                entries += found.entries
                self.counts["lines"] += found.lines
                self.counts["blank"] += found.blank
                self.counts["plans"] += found.lines - found.blank - len(found.rejects)
                for reject in found.rejects:
                    unusable = reject["code"] == "unusable"
                    self.counts["unusable" if unusable else "rejects"] += 1
                self.warnings.update(found.warnings)
                advance(found.lines)
        return entries

    def _build_rows(self, seating: Seating) -> None:
        trials = seating.first_trials()
        self._run_pass("0", trials, seating, SHARD_TRIALS, "building rows")
        for number in range(1, PASSES + 1):
            trials = seating.next_trials(number)
            if not trials:
                break
            self._run_pass(str(number), trials, seating, REPAIR_TRIALS, "placing the rest")

    def _run_pass(
        self, name: str, trials: list[Trial], seating: Seating, most: int, words: str
    ) -> None:
        names = self.request.distribution.kinds

        def order(placing: Placing) -> Order:
            kinds = tuple(names[kind] for kind in seating.kinds[placing.row])
            return _order(seating.entries, placing.seat, kinds)

        stretches = list(_stretches(trials, seating.entries, most))
        # Orders are worded as they are needed: they take more room than the trials.
        shards = (
            self._row_shard(
                f"{name}-{number:06d}",
                tuple(
                    tuple(tuple(map(order, candidate)) for candidate in trial)
                    for trial in trials[start:stop]
                ),
            )
            for number, (start, stop) in enumerate(stretches)
        )
        with self.progress(words, len(trials), "row") as advance:
            for number, built in enumerate(self.pool.run(build_shard, shards)):
                start, stop = stretches[number]
                self._take(f"{name}-{number:06d}", trials[start:stop], built, seating)
                advance(stop - start)

    def _take(self, name: str, trials: Sequence[Trial], built: Built, seating: Seating) -> None:
        self.bugs += built.bugs
        for trial, outcome in zip(trials, built.outcomes, strict=True):
            failed = []
            for failure in outcome.failures:
                placing = trial[failure.candidate][failure.order]
                failed.append(placing)
                self.reasons[placing.row] = (failure.kind, failure.reason)
            chosen = None if outcome.chosen is None else trial[outcome.chosen]
            seating.settle(chosen, failed)
            for placing, fact in zip(chosen or (), outcome.facts, strict=True):
                self.places[placing.seat] = (name, fact)

    def _build_controls(self, entries: Sequence[Entry], seating: Seating, rows: int) -> list[Seat]:
        if not rows:
            return []
        first = 1 + max((seat[1] for seat in seating.seats if seat), default=0)
        seats = control_seats(len(entries), rows, first, self.request.seed)
        trials = tuple(((_order(entries, seat, ()),),) for seat in seats)
        stretches = [
            (start, min(start + SHARD_TRIALS, rows)) for start in range(0, rows, SHARD_TRIALS)
        ]
        shards = (
            self._row_shard(f"controls-{number:06d}", trials[start:stop])
            for number, (start, stop) in enumerate(stretches)
        )
        done: list[Seat] = []
        with self.progress("building controls", rows, "row") as advance:
            for number, built in enumerate(self.pool.run(build_shard, shards)):
                start, stop = stretches[number]
                self.bugs += built.bugs
                for seat, outcome in zip(seats[start:stop], built.outcomes, strict=True):
                    for fact in outcome.facts:
                        self.places[seat] = (f"controls-{number:06d}", fact)
                        done.append(seat)
                advance(stop - start)
        return done

    def _row_shard(self, name: str, trials: tuple[tuple[tuple[Order, ...], ...], ...]) -> RowShard:
        request = self.request
        return RowShard(
            self.work,
            name,
            request.level,
            request.seed,
            BUTTON if self.files else EMBEDDED,
            request.certify,
            trials,
        )

    def _split(self, plans: Sequence[Entry], entries: Sequence[Entry]) -> list[str]:
        """Return the split of each entry.

        Groups are those of all usable plans, not only of those that have rows here, so that
        builds of both levels from one source split it alike.
        """
        groups = group([(entry.query_id, entry.tools) for entry in plans])
        placed = share_out(groups, self.request.split, self.request.seed)
        by_place = {
            (entry.shard, entry.offset): NAMES[placed[own]]
            for entry, own in zip(plans, groups, strict=True)
        }
        return [by_place[entry.shard, entry.offset] for entry in entries]

    def _publish(self, seats: Sequence[Seat], splits: Sequence[str]) -> list[dict[str, Json]]:
        by_split: dict[str, list[Seat]] = {name: [] for name in NAMES}
        for seat in sorted(seats):
            by_split[splits[seat[0]]].append(seat)
        folder = self.request.out / "data" / self.request.level
        folder.mkdir(parents=True, exist_ok=True)
        publications: list[Publication] = []
        files: list[dict[str, Json]] = []
        for split, own in by_split.items():
            pieces = -(-len(own) // FILE_ROWS)
            for piece in range(pieces):
                rows = own[piece * FILE_ROWS : (piece + 1) * FILE_ROWS]
                path = folder / f"{split}-{piece:05d}-of-{pieces:05d}.parquet"
                places = _runs([self.places[seat] for seat in rows])
                publications.append(Publication(path, self.work, places))
                files.append(
                    {
                        "path": path.relative_to(self.request.out).as_posix(),
                        "level": self.request.level,
                        "split": split,
                        "rows": len(rows),
                    }
                )
        with self.progress("writing files", len(files), "file") as advance:
            for file, (sha256, size) in zip(
                files, self.pool.run(publish, publications), strict=True
            ):
                file["sha256"], file["bytes"] = sha256, size
                advance(1)
        return files

    def _finish(self, figures: report.Figures, files: list[dict[str, Json]]) -> dict[str, Json]:
        out = self.request.out
        content = {
            "arguments": self.arguments,
            "fingerprint": fingerprint(self.arguments),
            **figures.to_json(),
            "attribution": attribution.BUTTON if self.files else attribution.EMBEDDED,
            "files": files,
        }
        with whole(out / "rejects.jsonl", self.work) as temporary, temporary.open("wb") as file:
            for index in range(self.shards):
                found = read_survey(Shard(self.work, index))
                for reject in found.rejects if found else ():
                    file.write(dump_bytes(reject) + b"\n")
        write_whole(out / "report.md", report.render(content).encode(), self.work)
        text = manifests.spell(content)
        # Last of all: where the manifest stands, everything stands.
        write_whole(out / MANIFEST, text, self.work)
        return manifests.read(out / MANIFEST)

    def _reason(self, row: int, seating: Seating) -> tuple[str, str]:
        """Return the kind that kept a row from being built, and why."""
        names = self.request.distribution.kinds
        kinds = seating.kinds[row]
        if row in self.reasons and self.reasons[row][0]:
            return self.reasons[row]
        if all(entry.depth < len(kinds) for entry in seating.entries):
            return names[kinds[-1]], f"no plan has {len(kinds)} layers of calls"
        for index, kind in enumerate(kinds):
            if not any(
                reach(entry.masks, len(kinds), index) >> kind & 1 for entry in seating.entries
            ):
                return names[kind], f"no plan allows it as error {index + 1} of {len(kinds)}"
        return names[kinds[-1]], "no plan that is free allows its kinds one after the other"

    def _nothing_usable(self, usable: int) -> Refusal:
        counts = self.counts
        where = ", ".join(self.request.source) or "the embedded source"
        first = ""
        for index in range(self.shards):
            found = read_survey(Shard(self.work, index))
            if found and found.rejects:
                one = found.rejects[0]
                first = (
                    f"; the first: {one['file']}:{one['line']}: {one['path'] or '/'}: "
                    f"{one['message']} [{one['code']}]"
                )
                break
        shallow = f", {usable} too shallow" if usable else ""
        return Refusal(
            where,
            f"no plan to build from: {counts['lines']} lines, {counts['blank']} blank, "
            f"{counts['rejects']} rejected, {counts['unusable']} unusable{shallow}{first}",
            "at least one correct trajectory in BUTTON's format, "
            f"with {min(self.request.rounds, 2)} or more rounds of calls",
            "see each reject with `pararecover ingest --source FILE --out DIR`",
        )

    def _nothing_built(self, seating: Seating) -> Refusal:
        reasons = Counter(self._reason(row, seating) for row in seating.open)
        worded = "; ".join(
            f"{kind}: {reason} ({count} rows)" for (kind, reason), count in reasons.most_common(5)
        )
        bugs = f"; {self.bugs[0]}" if self.bugs else ""
        return Refusal(
            ", ".join(self.request.source) or "the embedded source",
            f"none of {len(seating.kinds)} rows could be built: {worded}{bugs}",
            "plans that allow the kinds asked for",
            "ask for other kinds (--distribution), fewer --rounds, or give a larger source",
        )


def _order(entries: Sequence[Entry], seat: Seat, kinds: tuple[str, ...]) -> Order:
    entry = entries[seat[0]]
    return Order(
        entry.shard,
        entry.offset,
        entry.length,
        entry.source_id,
        entry.query_id,
        entry.masks,
        kinds,
        seat[1],
    )


def _stretches(
    trials: Sequence[Trial], entries: Sequence[Entry], most: int
) -> Iterator[tuple[int, int]]:
    """Yield (start, stop) of shards that are bounded in trials and in bytes of plans."""
    start = size = 0
    for place, trial in enumerate(trials):
        here = sum(entries[placing.seat[0]].size for placing in trial[0])
        if place > start and (place - start == most or size + here > SHARD_BYTES):
            yield start, place
            start, size = place, 0
        size += here
    if start < len(trials):
        yield start, len(trials)


def _runs(
    places: Sequence[tuple[str, Fact]],
) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Return stretches of rising indices in one shard's file."""
    runs: list[tuple[str, list[int]]] = []
    for name, fact in places:
        if runs and runs[-1][0] == name and runs[-1][1][-1] < fact.place:
            runs[-1][1].append(fact.place)
        else:
            runs.append((name, [fact.place]))
    return tuple((name, tuple(indices)) for name, indices in runs)
