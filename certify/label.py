"""Compares a row's labels with what was found and what happened."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from certify.case import Case, Report
from certify.change import Change, MadeUp
from certify.kinds import (
    DIMENSIONS,
    NULL_ERROR,
    PARAMETER_ERROR,
    PARAMETER_INVALID,
    PARAMETER_MISSING,
    SERIAL_ERROR,
    TIMEOUT_ERROR,
    TOOL_NAME_ERROR,
    TOOL_SELECT_ERROR,
    TOOLCALL_MISSING,
    TOOLCALL_REDUNDANCY,
    TYPE_ERROR,
)
from certify.rightness import below, is_right
from plan.execution import OK, says_empty
from plan.json_text import Json, dumps, loads, lookup, overlap
from plan.reference import references
from plan.row import (
    EXPLICIT,
    INJECTED,
    LATENT,
    MASKED,
    PROPAGATED,
    SILENT,
    ErrorLabel,
)

HARMLESS = frozenset({SERIAL_ERROR, TOOLCALL_REDUNDANCY})
"""Kinds that make no other call go wrong."""

NOT_DOWNSTREAM = ("no: no task below an earlier error allowed this kind",)
"""Why a row's later errors have nothing to do with its earlier ones, word for word."""

NOTHING = "nothing"
"""Stands in the matrix where an error was declared or found without a counterpart."""


@dataclass(frozen=True, slots=True)
class Wrong:
    """A propagated error as derived: a call that went wrong, or a made-up value."""

    round: int
    node: str
    pointer: str
    before: str
    after: str
    visibility: str
    sources: frozenset[str]


def compare(
    case: Case,
    changes: Sequence[Change],
    made_up: Sequence[MadeUp],
    right: Mapping[str, int],
    report: Report,
) -> list[tuple[str, str]]:
    """Check every label of a row; return (declared kind, found kind) of injected errors."""
    row = case.row
    found = {change.node: change for change in changes}
    pairs: list[tuple[str, str]] = []
    injected: list[tuple[int, ErrorLabel]] = []
    propagated: list[tuple[int, ErrorLabel]] = []
    for index, error in enumerate(row.errors):
        if error.origin == INJECTED:
            injected.append((index, error))
        elif error.origin == PROPAGATED:
            propagated.append((index, error))
        else:
            report("origin", f"/errors/{index}/origin", f"no such origin: {error.origin!r}")
    for index, error in injected:
        change = found.pop(error.node, None)
        path = f"/errors/{index}"
        pairs.append((error.kind, NOTHING if change is None else change.kind))
        if change is None:
            report("not_found", path, f"declared {error.kind} at {error.node!r}, found nothing")
        else:
            _injected(case, error, change, path, report)
    for change in found.values():
        pairs.append((NOTHING, change.kind))
        report("undeclared_error", "/errors", f"found {change.kind} at {change.node!r}")
    _rounds(case, [error for _, error in injected], report)
    _propagated(case, changes, made_up, right, propagated, report)
    return pairs


def _rounds(case: Case, injected: Sequence[ErrorLabel], report: Report) -> None:
    """One error in each of the rounds t-R+1 to t, in their order."""
    row = case.row
    if row.rounds != len(injected):
        report("rounds", "/rounds", f"expected {len(injected)}, found {row.rounds}")
    kinds = [error.kind for error in injected]
    if row.error_kinds != kinds:
        report("error_kinds", "/error_kinds", "expected " + ", ".join(kinds))
    if row.level == "level1" and row.rounds > 1:
        report("level", "/level", "a row of LEVEL-1 has one error")
    if row.level == "level2" and row.rounds == 1:
        report("level", "/level", "a row of LEVEL-2 has two errors or more")
    if row.t > max(case.layers.values(), default=1):
        report("t", "/t", "the clean plan has no such round of calls")
    expected = list(range(row.t - len(injected) + 1, row.t + 1))
    if [error.round for error in injected] != expected:
        report("round", "/errors", f"expected one error in each round of {expected}")
    if len(injected) < 2:
        wanted: tuple[str, ...] = ("",)
    elif _is_downstream(case, injected):
        wanted = ("yes",)
    else:
        wanted = NOT_DOWNSTREAM
    if row.downstream not in wanted:
        report("downstream", "/downstream", f"expected {wanted[0]!r}, found {row.downstream!r}")


def _is_downstream(case: Case, injected: Sequence[ErrorLabel]) -> bool:
    """Tell whether a later error's call descends from an earlier one's."""
    for index in range(1, len(injected)):
        node = injected[index].node
        earlier = [error.node for error in injected[:index]]
        under = below(case, earlier)
        if node in under:
            return True
        task = case.plans[-1].get(node)
        if (
            node not in case.clean.calls
            and task is not None
            and not {*under, *earlier}.isdisjoint(task["dep"])
        ):
            return True
    return False


def _injected(case: Case, error: ErrorLabel, change: Change, path: str, report: Report) -> None:
    row, kind = case.row, change.kind
    if error.kind != kind:
        report("kind", f"{path}/kind", f"declared {error.kind}, found {kind}")
    if error.dimension != DIMENSIONS.get(error.kind):
        report("dimension", f"{path}/dimension", f"{error.dimension!r} isn't the kind's")
    if error.root != -1:
        report("root", f"{path}/root", "an injected error has no root")
    if error.pointer not in change.pointers:
        report("pointer", f"{path}/pointer", f"expected one of {', '.join(change.pointers)}")
    seen = case.executions.get(error.node)
    fault = kind in (NULL_ERROR, TIMEOUT_ERROR)
    if not 1 <= error.round <= row.t:
        report("round", f"{path}/round", f"there is no round {error.round}")
        return
    if (fault and error.round != change.first) or change.first > error.round:
        report("round", f"{path}/round", f"it first stands in round {change.first}")
    for node in (error.node, change.partner):
        sent = case.executions.get(node)
        if sent is not None and sent.round < error.round:
            report("round", f"{path}/round", f"{node!r} had been sent in round {sent.round}")
    if change.waits and seen is not None:
        report("not_pending", path, f"{error.node!r} has run, so its dep no longer counts")
    _values(case, error, fault, path, report)
    expected = visibility(case, change)
    if error.visibility != expected:
        report("visibility", f"{path}/visibility", f"expected {expected}")
    affected = set() if _is_harmless(change) else below(case, [error.node])
    _affected(case, error, affected, path, report)


def _is_harmless(change: Change) -> bool:
    """Tell whether an error makes no other call go wrong.

    A lost dependency that its call comes after all the same doesn't.
    """
    return change.kind in HARMLESS or change.waits


def _affected(case: Case, error: ErrorLabel, expected: set[str], path: str, report: Report) -> None:
    expected = expected & case.plans[-1].keys()
    if len(error.affected) != len(expected) or set(error.affected) != expected:
        text = ", ".join(sorted(expected)) or "none"
        report("affected", f"{path}/affected", f"expected {text}")


def _values(case: Case, error: ErrorLabel, fault: bool, path: str, report: Report) -> None:
    """Check that ``before`` stands in the clean plan and ``after`` in the row."""
    call = case.clean.calls.get(error.node)
    if fault:
        seen = case.executions[error.node]
        before, after = (call.result if call is not None else None), seen.result
    else:
        clean = case.originals.get(error.node)
        before = _at(clean, error.pointer)
        after = _at(case.plans[error.round - 1].get(error.node), error.pointer)
    for name, text, expected in (("before", error.before, before), ("after", error.after, after)):
        if text == dumps(expected):
            continue
        try:
            value = loads(text)
        except ValueError:
            report("not_json", f"{path}/{name}", "expected JSON text")
            continue
        if dumps(value) != text:
            report("not_canonical", f"{path}/{name}", "expected the canonical JSON text")
        if dumps(_plain(value, error.pointer)) != dumps(_plain(expected, error.pointer)):
            report(name, f"{path}/{name}", "another value stands there")


def _at(task: Json, pointer: str) -> Json:
    """Return what stands at a place of a task's spelling, None for nothing."""
    if task is None:
        return None
    try:
        return lookup(task, pointer)
    except LookupError:
        return None


def _plain(value: Json, pointer: str) -> Json:
    """Return a value without what plans are free to word or order differently."""
    if pointer == "/dep" and isinstance(value, list):
        return sorted(value)
    if pointer == "" and isinstance(value, dict):
        plain = {key: value.get(key) for key in ("id", "name", "para", "dep")}
        dep = plain["dep"]
        if isinstance(dep, list):
            plain["dep"] = sorted(dep)
        return plain
    return value


def visibility(case: Case, change: Change) -> str:
    """Return how an injected error shows after round t (DESIGN section 12)."""
    kind = change.kind
    if kind in (SERIAL_ERROR, TOOLCALL_MISSING):
        return SILENT
    seen = case.executions.get(change.node)
    if seen is None:
        return LATENT
    if kind == TIMEOUT_ERROR:
        return EXPLICIT
    if kind == NULL_ERROR:
        said = isinstance(seen.result, str) and says_empty(seen.result)
        return EXPLICIT if said else SILENT
    if seen.outcome == OK:
        return SILENT
    if kind == TOOL_NAME_ERROR:
        explains = seen.cause == "unknown_tool"
    elif kind in (PARAMETER_ERROR, PARAMETER_MISSING):
        explains = seen.cause == "schema" and seen.at in change.blame
    elif kind == TYPE_ERROR:
        explains = seen.cause == "schema" and _is_blamed(seen.at, change.blame)
    elif kind == PARAMETER_INVALID:
        explains = seen.cause in ("schema", "value") and _is_blamed(seen.at, change.blame)
    elif kind in (TOOL_SELECT_ERROR, TOOLCALL_REDUNDANCY):
        # Such a call is legal as written, so only what it reads can make it fail so.
        explains = seen.cause in ("schema", "value")
    else:
        explains = seen.cause == "reference" and _reads_lost(case, change.node, seen.at)
    return EXPLICIT if explains else MASKED


def _is_blamed(at: str, blame: Iterable[str]) -> bool:
    return any(overlap(at, place) for place in blame)


def _reads_lost(case: Case, node: str, at: str) -> bool:
    """Tell whether a failed input reads a call that the task should have waited for."""
    task = case.plans[case.executions[node].round - 1][node]
    lost = case.dependencies[node].difference(task["dep"])
    return any(one.node in lost for one in references(task["para"]) if one.argument == at)


def _propagated(
    case: Case,
    changes: Sequence[Change],
    made_up: Sequence[MadeUp],
    right: Mapping[str, int],
    labels: Sequence[tuple[int, ErrorLabel]],
    report: Report,
) -> None:
    """Every call that went wrong without being damaged, and every made-up value, has one."""
    row = case.row
    damaged = {change.node: change for change in changes}
    wrong: dict[tuple[str, str], Wrong] = {}
    for one in made_up:
        seen = case.executions.get(one.node)
        pointer = f"/para{one.pointer}"
        if seen is None:
            visible = LATENT
        elif seen.outcome == OK:
            visible = SILENT
        else:
            blamed = seen.cause in ("schema", "value") and overlap(seen.at, one.pointer)
            visible = EXPLICIT if blamed else MASKED
        wrong[one.node, pointer] = Wrong(
            one.round,
            one.node,
            pointer,
            dumps(one.before),
            dumps(one.after),
            visible,
            frozenset(one.failed),
        )
    for seen in case.log:
        call = case.clean.calls.get(seen.node)
        if call is None or seen.node in damaged or is_right(case, seen, right):
            continue
        wrong[seen.node, "/results"] = Wrong(
            seen.round,
            seen.node,
            "/results",
            dumps(call.result),
            dumps(seen.result),
            SILENT if seen.outcome == OK else EXPLICIT,
            case.dependencies[seen.node],
        )
    for index, error in labels:
        path = f"/errors/{index}"
        expected = wrong.pop((error.node, error.pointer), None)
        if expected is None:
            report("not_found", path, f"nothing propagated to {error.node!r} at {error.pointer}")
            continue
        for name in ("round", "before", "after", "visibility"):
            if getattr(error, name) != getattr(expected, name):
                report(name, f"{path}/{name}", f"expected {getattr(expected, name)}")
        if not 0 <= error.root < len(row.errors) or row.errors[error.root].origin != INJECTED:
            report("root", f"{path}/root", "expected the index of an injected error")
            continue
        root = row.errors[error.root]
        if (error.kind, error.dimension) != (root.kind, root.dimension):
            report("kind", f"{path}/kind", "a propagated error carries its root's kind")
        if not _explains(case, root, expected, damaged, right):
            report("root", f"{path}/root", f"{root.kind} at {root.node!r} doesn't explain it")
        _affected(case, error, below(case, [error.node]), path, report)
    for node, pointer in wrong:
        report("undeclared_error", "/errors", f"{node!r} went wrong at {pointer}")


def _explains(
    case: Case,
    root: ErrorLabel,
    wrong: Wrong,
    damaged: Mapping[str, Change],
    right: Mapping[str, int],
) -> bool:
    """Tell whether an injected error makes something go wrong: it lies before it and counts."""
    change = damaged.get(root.node)
    if change is None or _is_harmless(change):
        return False
    if right.get(root.node, wrong.round) < wrong.round:
        return False
    if root.round > wrong.round:
        return False
    return any(
        source == root.node or source in below(case, [root.node]) for source in wrong.sources
    )
