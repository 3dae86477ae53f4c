"""What changed between two releases, and what that demands of the version number.

- *major*: what has the old name is something else. A row changed under its id, or went to
  another split; a column, a split or a config is gone; a column's type changed.
- *minor*: other rows, or more. Rows added or removed, as with a new seed; a column, a split or a
  config added; the scoring code changed.
- *patch*: the same rows. Card, tables, figures, reports.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from builder.checks.manifest import PREVIEW
from builder.semver import (
    MAJOR,
    MINOR,
    NONE,
    PATCH,
    STEPS,
    Version,
    step_between,
    suffices,
)
from plan.json_text import Json, loads

SPLIT = "(split)"
"""Stands among the changed columns for a row that went to another split."""

CONTROL = "control"
"""Stands among the kinds for a row without an error."""

SCORING = "scoring/"


@dataclass(frozen=True, slots=True)
class Rows:
    """Some rows of a config: how many, of which kinds, in which splits, and the first ids.

    A row of several kinds counts for each of them.
    """

    count: int
    kinds: Mapping[str, int]
    splits: Mapping[str, int]
    ids: Sequence[str]

    def to_json(self) -> dict[str, Json]:
        """Return plain values."""
        return {
            "count": self.count,
            "kinds": dict(self.kinds),
            "splits": dict(self.splits),
            "ids": list(self.ids),
        }


@dataclass(frozen=True, slots=True)
class ConfigDifference:
    """What changed in one config.

    Attributes:
        config: its name.
        old, new: numbers of rows.
        unchanged: rows that are the same in all columns that both have, and in their split.
        added, removed: rows of one side.
        changed: rows whose content or split differs under the same id; kinds are the new ones.
        columns: changed rows by column; `SPLIT` for the split.
        columns_added, columns_removed: names.
        columns_retyped: (name, old type, new type).
        splits_added, splits_removed: names of splits that have rows on one side only.
        recipe: (argument, old, new) of the build, as canonical JSON.
    """

    config: str
    old: int
    new: int
    unchanged: int
    added: Rows
    removed: Rows
    changed: Rows
    columns: Mapping[str, int]
    columns_added: Sequence[str]
    columns_removed: Sequence[str]
    columns_retyped: Sequence[tuple[str, str, str]]
    splits_added: Sequence[str]
    splits_removed: Sequence[str]
    recipe: Sequence[tuple[str, str, str]]

    @property
    def is_new(self) -> bool:
        """Whether the config had no rows before."""
        return not self.old

    @property
    def is_gone(self) -> bool:
        """Whether the config has no rows any more."""
        return not self.new

    def reasons(self) -> Iterator[tuple[str, str]]:
        """Yield (step, why) for all that demands something of the version number."""
        if self.is_gone:
            yield MAJOR, f"the config {self.config} is gone"
            return
        if self.is_new:
            yield MINOR, f"the config {self.config} is new"
            return
        for name in self.columns_removed:
            yield MAJOR, f"{self.config}: the column {name} is gone"
        for name, old, new in self.columns_retyped:
            yield MAJOR, f"{self.config}: the column {name} is {new}, and was {old}"
        for name in self.splits_removed:
            yield MAJOR, f"{self.config}: the split {name} is gone"
        for name in self.columns_added:
            yield MINOR, f"{self.config}: the column {name} is new"
        for name in self.splits_added:
            yield MINOR, f"{self.config}: the split {name} is new"
        if self.config == PREVIEW:
            return  # Its rows repeat others, which demand what there is to demand.
        if self.changed.count:
            columns = ", ".join(self.columns)
            rows = counted(self.changed.count)
            yield MAJOR, f"{self.config}: {rows} changed under the same id, in {columns}"
        if self.removed.count:
            yield MINOR, f"{self.config}: {counted(self.removed.count)} removed"
        if self.added.count:
            yield MINOR, f"{self.config}: {counted(self.added.count)} added"

    def to_json(self) -> dict[str, Json]:
        """Return plain values."""
        return {
            "old": self.old,
            "new": self.new,
            "unchanged": self.unchanged,
            "added": self.added.to_json(),
            "removed": self.removed.to_json(),
            "changed": {**self.changed.to_json(), "columns": dict(self.columns)},
            "schema": {
                "added": list(self.columns_added),
                "removed": list(self.columns_removed),
                "retyped": [
                    {"column": name, "old": old, "new": new}
                    for name, old, new in self.columns_retyped
                ],
            },
            "splits_added": list(self.splits_added),
            "splits_removed": list(self.splits_removed),
            "recipe": {
                name: {"old": loads(old), "new": loads(new)} for name, old, new in self.recipe
            },
        }


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two folders that are compared; ``version`` is "" where none is told."""

    where: str
    version: str

    def __str__(self) -> str:
        return f"{self.version} ({self.where})" if self.version else self.where


@dataclass(frozen=True, slots=True)
class Difference:
    """The outcome of `builder.difference.diff`.

    Attributes:
        old, new: what was compared.
        configs: one by one, in order of their names.
        files: by area (``scoring/``, ``tables/``, ``README.md`` …) how many files were added,
            removed and changed.
        wording: (column, old, new) of descriptions that read otherwise.
    """

    old: Side
    new: Side
    configs: Sequence[ConfigDifference]
    files: Mapping[str, Mapping[str, int]]
    wording: Sequence[tuple[str, str, str]] = ()

    @property
    def reasons(self) -> list[tuple[str, str]]:
        """Return (step, why) for all that demands something, the largest step first."""
        found = [reason for config in self.configs for reason in config.reasons()]
        for area, counts in self.files.items():
            step = MINOR if area == SCORING else PATCH
            found.append((step, _told(area, counts)))
        return sorted(found, key=lambda reason: -STEPS.index(reason[0]))

    @property
    def demanded(self) -> str:
        """Return what the difference demands: none, patch, minor or major."""
        return self.reasons[0][0] if self.reasons else NONE

    @property
    def obeys(self) -> bool | None:
        """Whether the new version is as far from the old one as demanded; None without versions."""
        try:
            old, new = Version.parse(self.old.version), Version.parse(self.new.version)
        except ValueError:
            return None
        return suffices(old, new, self.demanded)

    def to_json(self) -> dict[str, Json]:
        """Return everything as plain values, for ``--json``."""
        return {
            "old": {"where": self.old.where, "version": self.old.version},
            "new": {"where": self.new.where, "version": self.new.version},
            "configs": {config.config: config.to_json() for config in self.configs},
            "files": {area: dict(counts) for area, counts in self.files.items()},
            "wording": [
                {"column": name, "old": old, "new": new} for name, old, new in self.wording
            ],
            "demanded": self.demanded,
            "reasons": [{"step": step, "why": why} for step, why in self.reasons],
            "obeys": self.obeys,
        }

    def to_text(self) -> str:
        """Return the tables that people read."""
        lines = [f"old  {self.old}", f"new  {self.new}", ""]
        lines += _table(
            ("config", "old", "new", "unchanged", "added", "removed", "changed"),
            [
                (
                    one.config,
                    one.old,
                    one.new,
                    one.unchanged,
                    one.added.count,
                    one.removed.count,
                    one.changed.count,
                )
                for one in self.configs
            ],
        )
        for one in self.configs:
            if one.config != PREVIEW:  # Its rows are told where they stand.
                lines += _rows(one)
            lines += _shape(one)
        if self.files:
            lines += ["", "Other files"]
            lines += [f"  {_told(area, counts)}" for area, counts in self.files.items()]
        if self.wording:
            lines += ["", "Descriptions that read otherwise; another meaning would be a major step"]
            lines += [f"  {name}: {old!r}, now {new!r}" for name, old, new in self.wording]
        return "\n".join([*lines, "", *self._verdict()]) + "\n"

    def _verdict(self) -> list[str]:
        if not self.reasons:
            return ["Nothing differs."]
        lines = ["What that demands of the version"]
        # The card and its like differ whenever anything does.
        told = [one for one in self.reasons if one[0] != PATCH or self.demanded == PATCH]
        lines += [f"  {step:<5}  {why}" for step, why in told]
        obeys = self.obeys
        if obeys is None:
            return [*lines, "", f"A {self.demanded} step is demanded."]
        old, new = Version.parse(self.old.version), Version.parse(self.new.version)
        if obeys:
            made = step_between(old, new)
            return [*lines, "", f"{old} to {new} is a {made} step: right."]
        least = old.after(self.demanded)
        return [
            *lines,
            "",
            f"{old} to {new} is too small a step: a {self.demanded} one is demanded, "
            f"{least} at least.",
        ]


def changelog_lines(difference: Difference) -> list[str]:
    """Return what a changelog says of a difference: a sentence each, in Markdown, no bullets."""
    lines: list[str] = []
    for one in difference.configs:
        if one.config != PREVIEW:
            lines += _sentences(one)
    scoring = difference.files.get(SCORING)
    if scoring:
        lines.append(
            f"The scoring code differs in {_plural(sum(scoring.values()), 'file')}; scores of "
            "other versions may not compare."
        )
    lines += [
        f"The description of `{name}` now reads: {new}" for name, _, new in difference.wording
    ]
    if not lines:
        areas = ", ".join(f"`{area}`" for area in difference.files)
        lines.append(
            f"All rows are the same; changed are {areas}." if areas else "Nothing differs."
        )
    return lines


def markdown(difference: Difference) -> str:
    """Return the changelog's lines as a section of a changelog."""
    title = f"## {difference.new.version}\n\n" if difference.new.version else ""
    return title + "".join(f"- {line}\n" for line in changelog_lines(difference))


def _sentences(one: ConfigDifference) -> Iterator[str]:
    name = f"`{one.config}`"
    if one.is_new:
        yield f"{name} is new: {counted(one.new)}."
        return
    if one.is_gone:
        yield f"{name} is gone, with {counted(one.old)}."
        return
    recipe = {argument: (old, new) for argument, old, new in one.recipe}
    if one.removed.count == one.old and one.added.count:
        seeds = recipe.pop("seed", None)
        why = f", from the seed {seeds[1]} instead of {seeds[0]}" if seeds else ""
        yield f"{name}: {_plural(one.new, 'new row')} in place of the {one.old:,} before{why}."
    else:
        if one.added.count:
            yield f"{name}: {counted(one.added.count)} added ({_listed(one.added.kinds)})."
        if one.removed.count:
            yield f"{name}: {counted(one.removed.count)} removed ({_listed(one.removed.kinds)})."
    columns = {column: count for column, count in one.columns.items() if column != SPLIT}
    if columns:
        where = ", ".join(f"`{column}`" for column in columns)
        rows = counted(one.changed.count)
        yield f"{name}: {rows} changed in {where} ({_listed(one.changed.kinds)})."
    if SPLIT in one.columns:
        yield f"{name}: {counted(one.columns[SPLIT])} went to another split."
    for verb, names in (("new", one.columns_added), ("gone", one.columns_removed)):
        for column in names:
            yield f"{name}: the column `{column}` is {verb}."
    for column, old, new in one.columns_retyped:
        yield f"{name}: the column `{column}` is {new}, and was {old}."
    for verb, names in (("new", one.splits_added), ("gone", one.splits_removed)):
        for split in names:
            yield f"{name}: the split `{split}` is {verb}."
    for argument, (old, new) in recipe.items():
        yield f"{name}: built with `{argument}` {_short(new)} instead of {_short(old)}."


def _rows(one: ConfigDifference) -> list[str]:
    lines: list[str] = []
    parts = (("added", one.added), ("removed", one.removed), ("changed", one.changed))
    if one.changed.count:
        lines += ["", f"{one.config}: changed rows by column"]
        lines += [f"  {column:<20} {count:>6}" for column, count in one.columns.items()]
    kinds = sorted({kind for _, rows in parts for kind in rows.kinds})
    if kinds:
        lines += ["", f"{one.config}: rows by kind"]
        table: list[tuple[str | int, ...]] = [
            (kind, *(rows.kinds.get(kind, 0) for _, rows in parts)) for kind in kinds
        ]
        lines += [f"  {line}" for line in _table(("kind", "added", "removed", "changed"), table)]
    for word, rows in parts:
        if rows.count:
            more = f" and {rows.count - len(rows.ids):,} more" if rows.count > len(rows.ids) else ""
            lines += ["", f"{one.config}: {word} are {', '.join(rows.ids)}{more}"]
    return lines


def _shape(one: ConfigDifference) -> list[str]:
    lines: list[str] = []
    for word, names in (
        ("columns added", one.columns_added),
        ("columns removed", one.columns_removed),
        ("columns of another type", [f"{a} ({b}, now {c})" for a, b, c in one.columns_retyped]),
        ("splits added", one.splits_added),
        ("splits removed", one.splits_removed),
        ("built otherwise", [f"{a} {_short(b)}, now {_short(c)}" for a, b, c in one.recipe]),
    ):
        if names:
            lines += ["", f"{one.config}: {word}: {', '.join(names)}"]
    return lines


def counted(count: int) -> str:
    """Return a number of rows in words."""
    return _plural(count, "row")


def _plural(count: int, word: str) -> str:
    return f"{count:,} {word}" + "s" * (count != 1)


def _listed(kinds: Mapping[str, int]) -> str:
    return ", ".join(f"{kind} {count:,}" for kind, count in kinds.items())


def _told(area: str, counts: Mapping[str, int]) -> str:
    is_folder = area.endswith("/")
    words = [f"{count} {word}" if is_folder else word for word, count in counts.items() if count]
    return f"{area}{' files' * is_folder}: {', '.join(words)}"


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "…"


def _table(header: Sequence[str], rows: Sequence[Sequence[str | int]]) -> list[str]:
    cells = [
        header,
        *([f"{cell:,}" if isinstance(cell, int) else cell for cell in row] for row in rows),
    ]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    return [
        "  ".join(
            cell.rjust(width) if column else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in cells
    ]
