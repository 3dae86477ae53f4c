"""What came out of a build: figures for the manifest, and a report for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from builder.corpus import EMBEDDED, Entry
from builder.seating import Demand, Kinds, Seat
from builder.shards import Fact
from builder.splits import NAMES, deviation
from hub_card.tables import distribution_table, percent, table
from plan.json_text import Json

MOST_BUGS = 100
NO_ERROR = "none"


@dataclass(frozen=True, slots=True)
class Figures:
    """Everything that is counted in a build.

    Attributes:
        arguments: what was asked for.
        kinds: every kind's name.
        wanted: rows asked for.
        built: (seat, kinds, fact) of each damaged row.
        short: (kinds, the kind that failed, why) of each row that is missing.
        controls: (seat, fact) of each undamaged row.
        controls_asked: undamaged rows asked for.
        entries: the plans that rows could be built from, which seats number.
        usable: usable plans, those that are too shallow included.
        source: counts of lines.
        warnings: warnings by code.
        splits: each entry's split.
        bugs: rows that failed their certificate, or whose building failed.
    """

    arguments: Mapping[str, Json]
    kinds: tuple[str, ...]
    wanted: Demand
    built: Sequence[tuple[Seat, Kinds, Fact]]
    short: Sequence[tuple[Kinds, str, str]]
    controls: Sequence[tuple[Seat, Fact]]
    controls_asked: int
    entries: Sequence[Entry]
    usable: int
    source: Mapping[str, int]
    warnings: Mapping[str, int]
    splits: Sequence[str]
    bugs: Sequence[str]

    def to_json(self) -> dict[str, Json]:
        """Return the figures as a manifest keeps them; only counts and texts."""
        built = self.built
        seats = [seat for seat, _, _ in built] + [seat for seat, _ in self.controls]
        facts = [fact for _, _, fact in built] + [fact for _, fact in self.controls]
        by_split = Counter(self.splits[seat[0]] for seat in seats)
        shares = dict(zip(NAMES, self.arguments["split"], strict=True))
        rounds = [self._column(index) for index in range(len(self.wanted.quotas))]
        seen: dict[str, Counter[str]] = {kind: Counter() for kind in self.kinds}
        for _, kinds, fact in built:
            for kind, visibility in zip(kinds, fact.visibility, strict=True):
                seen[self.kinds[kind]][visibility] += 1
        lengths = Counter(len(kinds) for _, kinds, _ in built)
        reasons = Counter((len(kinds), kind, reason) for kinds, kind, reason in self.short)
        plans = {seat[0] for seat in seats}
        return {
            "rows": {
                "asked": self.wanted.rows,
                "built": len(built),
                "short": len(self.short),
                "controls_asked": self.controls_asked,
                "controls": len(self.controls),
                "total": len(seats),
            },
            "counts": {
                "kinds": _total(rounds),
                "kinds_by_round": rounds,
                "rounds": {
                    str(length): {"asked": asked, "built": lengths[length]}
                    for length, asked in sorted(self.wanted.lengths.items())
                },
                "splits": {name: by_split[name] for name in NAMES},
                "t": _spell(fact.t for fact in facts),
                "round_gt": _spell(fact.round_gt for fact in facts),
                "recovery_round_gt": _spell(fact.recovery_round_gt for fact in facts),
                "downstream": _spell(fact.downstream or NO_ERROR for _, _, fact in built),
                "visibility": {kind: _spell(one.elements()) for kind, one in seen.items()},
                "propagated": sum(fact.propagated for fact in facts),
            },
            "distance": {
                "rounds": [_distance(column) for column in rounds],
                "all": _distance(_total(rounds)),
            },
            "split_deviation": {
                name: round(value, 6) for name, value in deviation(by_split, shares).items()
            },
            "shortfalls": [
                {"rounds": length, "kind": kind, "reason": reason, "rows": count}
                for (length, kind, reason), count in sorted(reasons.items())
            ],
            "corpus": {
                **{name: self.source.get(name, 0) for name in SOURCE_COUNTS},
                "usable": self.usable,
                "deep_enough": len(self.entries),
                "used": len(plans),
                "warnings": dict(sorted(self.warnings.items())),
                "depth": _spell(self.entries[plan].depth for plan in plans),
                "width": _spell(self.entries[plan].width for plan in plans),
                "calls": _spell(self.entries[plan].calls for plan in plans),
            },
            "bugs": {"count": len(self.bugs), "first": list(self.bugs[:MOST_BUGS])},
        }

    def _column(self, index: int) -> dict[str, dict[str, int]]:
        built = Counter(kinds[index] for _, kinds, _ in self.built if len(kinds) > index)
        short = Counter(kinds[index] for kinds, _, _ in self.short if len(kinds) > index)
        return {
            name: {"asked": asked, "built": built[kind], "short": short[kind]}
            for kind, (name, asked) in enumerate(
                zip(self.kinds, self.wanted.quotas[index], strict=True)
            )
        }


SOURCE_COUNTS = ("lines", "blank", "plans", "rejects", "unusable")


def _total(columns: Sequence[Mapping[str, Mapping[str, int]]]) -> dict[str, dict[str, int]]:
    return {
        kind: {
            word: sum(column[kind][word] for column in columns)
            for word in ("asked", "built", "short")
        }
        for kind in columns[0]
    }


def _distance(column: Mapping[str, Mapping[str, int]]) -> float:
    """Return the total variation distance of built from asked, of the number asked for.

    What wasn't built counts as a kind of its own, so a shortfall can't hide.
    """
    asked = sum(counts["asked"] for counts in column.values())
    apart = sum(abs(counts["asked"] - counts["built"]) for counts in column.values())
    missing = asked - sum(counts["built"] for counts in column.values())
    return round((apart + abs(missing)) / 2 / asked, 6) if asked else 0.0


def _spell(values: Iterable[object]) -> dict[str, int]:
    counts = Counter(values)
    return {str(value): counts[value] for value in sorted(counts, key=_order)}


def _order(value: object) -> tuple[int, str]:
    return (value, "") if isinstance(value, int) else (0, str(value))


def _mean(counts: Mapping[str, int]) -> str:
    total = sum(counts.values())
    return f"{sum(int(value) * n for value, n in counts.items()) / total:.2f}" if total else "-"


def _pick(column: Mapping[str, Mapping[str, int]], word: str) -> dict[str, int]:
    return {kind: counts[word] for kind, counts in column.items()}


def render(content: Mapping[str, Json]) -> str:
    """Return a manifest's content as a report in Markdown."""
    arguments, rows, counts = content["arguments"], content["rows"], content["counts"]
    corpus = content["corpus"]
    parts = [
        f"# {arguments['level'].upper().replace('LEVEL', 'LEVEL-')}, seed {arguments['seed']}",
        f"{rows['asked']:,} rows asked for = {rows['built']:,} built + {rows['short']:,} short. "
        f"{rows['controls']:,} of {rows['controls_asked']:,} undamaged control rows beside them. "
        + ("Every row is certified." if arguments["certify"] else "Rows were not certified."),
        "## Source",
        table(
            ("source", "bytes", "SHA-256"),
            [(source["name"], source["bytes"], source["sha256"]) for source in arguments["source"]]
            if arguments["source"] != EMBEDDED
            else [(f"embedded, {arguments['plans']:,} trajectories", "-", "-")],
        ),
        f"{corpus['lines']:,} lines = {corpus['plans']:,} plans + {corpus['rejects']:,} rejects "
        f"+ {corpus['blank']:,} blank.  \n"
        f"{corpus['plans']:,} plans: {corpus['usable']:,} usable + {corpus['unusable']:,} not; "
        f"{corpus['deep_enough']:,} deep enough, {corpus['used']:,} used. "
        "`rejects.jsonl` lists what was left out, and why.",
        f"Mean depth {_mean(corpus['depth'])}, width {_mean(corpus['width'])}, "
        f"calls {_mean(corpus['calls'])} of the plans used.",
        content["attribution"],
        "## Kinds",
    ]
    by_round = counts["kinds_by_round"]
    if len(by_round) > 1:
        parts += ["All rounds:"]
    parts += [distribution_table(_pick(counts["kinds"], "asked"), _pick(counts["kinds"], "built"))]
    if len(by_round) > 1:
        for number, column in enumerate(by_round, 1):
            parts += [
                f"Error {number} of a row:",
                distribution_table(_pick(column, "asked"), _pick(column, "built")),
            ]
    distances = ", ".join(f"{100 * value:.3f} %" for value in content["distance"]["rounds"])
    parts += [
        f"Total variation distance of built from asked ({arguments['distribution']['name']}), "
        f"missing rows counted as a kind of their own: {distances}.",
        "## Shortfalls",
        table(
            ("kind", "reason", "errors in the row", "rows"),
            [
                (one["kind"], one["reason"], one["rounds"], one["rows"])
                for one in content["shortfalls"]
            ],
            left=2,
        )
        if content["shortfalls"]
        else "None.",
        "## Splits",
        table(
            ("split", "asked %", "rows", "%", "deviation"),
            [
                (
                    name,
                    f"{100 * share:.2f}",
                    counts["splits"][name],
                    percent(counts["splits"][name], rows["total"]),
                    f"{100 * content['split_deviation'][name]:+.2f}",
                )
                for name, share in zip(NAMES, arguments["split"], strict=True)
            ],
        ),
        "Rows of one query, or with the same set of called tools, stand in one split.",
        "## Rounds",
        table(
            ("errors in a row", "asked", "built"),
            [(length, one["asked"], one["built"]) for length, one in counts["rounds"].items()],
        ),
        table(
            ("round", "rows in this round (t)", "clean rounds", "rounds with recovery"),
            [
                (
                    value,
                    counts["t"].get(value, 0),
                    counts["round_gt"].get(value, 0),
                    counts["recovery_round_gt"].get(value, 0),
                )
                for value in sorted(
                    {*counts["t"], *counts["round_gt"], *counts["recovery_round_gt"]}, key=int
                )
            ],
        ),
        "## Visibility",
        table(
            ("kind", "explicit", "silent", "latent", "masked"),
            [
                (kind, *(seen.get(word, 0) for word in ("explicit", "silent", "latent", "masked")))
                for kind, seen in counts["visibility"].items()
            ],
        ),
        f"{counts['propagated']:,} further errors were propagated from these.",
    ]
    if arguments["level"] == "level2":
        parts += [
            "A later error's task descends from an earlier error's:",
            table(("downstream", "rows"), list(counts["downstream"].items())),
        ]
    if content["bugs"]["count"]:
        parts += [
            "## Bugs",
            f"{content['bugs']['count']:,} attempts to build a row went wrong, or their "
            "certificate refused it. No such row was kept. The first:",
            "\n".join(f"- {bug}" for bug in content["bugs"]["first"]),
        ]
    return "\n\n".join(parts) + "\n"
