"""What an export took, left out and wrote: figures, and a report for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from builder.training.predictions import Index
from builder.training.request import BEST, SFT, Request
from builder.training.tally import CHARACTERS_PER_TOKEN, LINES, Tally
from hub_card.tables import table
from plan.json_text import Json
from scoring import rule_judge
from scoring.judgements import Judgements

MOST_PROBLEMS = 20
CONTEXT = 4096
"""Tokens of the paper's training sequences (appendix G)."""


def summarise(
    request: Request, index: Index, judgements: Sequence[Judgements], tally: Tally
) -> dict[str, Json]:
    """Return an export's figures as one JSON object."""
    judges = sorted({name for one in judgements for name in one.judges})
    problems = [*index.problems, *(problem for one in judgements for problem in one.problems)]
    return {
        "kind": request.kind,
        "options": {
            "splits": list(request.splits),
            "style": request.style,
            **(
                {
                    "format": request.shape,
                    "above": request.above,
                    "all_steps": request.all_steps,
                }
                if request.kind == SFT
                else {"minimum": request.minimum, "gap": request.gap, "pairs": request.pairs}
            ),
        },
        "judge": judges or [rule_judge.NAME],
        "examples": {
            "total": sum(tally.examples.values()),
            **{split: tally.examples[split] for split in request.splits},
        },
        "sources": [
            {"episodes": source.given, "agent": source.agent, "lines": lines}
            for source, lines in zip(index.sources, index.lines, strict=True)
        ],
        "lines": {
            "read": sum(index.lines),
            **{name: tally.lines[name] for name in LINES},
            "duplicate": index.duplicates,
            "unreadable": index.unreadable,
        },
        "answers": dict(sorted(tally.answers.items())),
        **({"later_steps": dict(sorted(tally.later.items()))} if request.all_steps else {}),
        **({"states": dict(sorted(tally.states.items()))} if request.kind != SFT else {}),
        "agents": {
            agent: {
                **dict(sorted(counts.items())),
                "points": {str(value): n for value, n in sorted(tally.points[agent].items())}
                if agent in tally.points
                else {},
            }
            for agent, counts in sorted(tally.agents.items())
        },
        "kinds": dict(sorted(tally.kinds.items())),
        "lengths": {part: _spread(sizes) for part, sizes in tally.lengths.items()},
        "longest_prompts": [
            {"instance_id": id, "characters": size}
            for size, id in sorted(tally.longest, key=lambda one: (-one[0], one[1]))
        ],
        "over_context": {
            "tokens": CONTEXT,
            "examples": sum(
                size > CONTEXT * CHARACTERS_PER_TOKEN for size in _whole(tally.lengths)
            ),
        },
        "problems": {"count": len(problems), "first": [*map(str, problems[:MOST_PROBLEMS])]},
    }


def _whole(lengths: Mapping[str, Sequence[int]]) -> Iterable[int]:
    """Return each example's characters: prompt, tools, and the longer of a pair's answers."""
    answers = [lengths[part] for part in ("completion", "chosen", "rejected") if part in lengths]
    others = [lengths[part] for part in ("prompt", "tools") if part in lengths]
    for sizes in zip(*answers, *others, strict=True):
        yield max(sizes[: len(answers)]) + sum(sizes[len(answers) :])


def _spread(sizes: Sequence[int]) -> dict[str, int]:
    ordered = sorted(sizes)
    last = len(ordered) - 1
    return {
        "least": ordered[0],
        "median": ordered[last // 2],
        "p95": ordered[last * 95 // 100],
        "most": ordered[last],
        "total": sum(ordered),
        "total_tokens_roughly": sum(ordered) // CHARACTERS_PER_TOKEN,
    }


def brief(out: str, summary: Mapping[str, Json]) -> str:
    """Return what a user sees at the end of an export."""
    examples, lines = summary["examples"], summary["lines"]
    what = "examples" if summary["kind"] == SFT else "pairs"
    splits = ", ".join(f"{name} {n:,}" for name, n in examples.items() if name != "total")
    told = [f"{out}:", f"  {what:<9} {examples['total']:,} ({splits})"]
    told.append(
        f"  lines     {lines['read']:,} read: "
        + ", ".join(f"{n:,} {name}" for name, n in lines.items() if name != "read" and n)
    )
    told.append(
        "  answers   " + ", ".join(f"{n:,} {name}" for name, n in summary["answers"].items())
    )
    if summary.get("later_steps"):
        words = (f"{n:,} {name}" for name, n in summary["later_steps"].items())
        told.append("  later     " + ", ".join(words))
    if summary.get("states"):
        words = (f"{n:,} {name}" for name, n in summary["states"].items())
        told.append("  states    " + ", ".join(words))
    for part, spread in summary["lengths"].items():
        told.append(
            f"  {part:<9} {spread['median']:,} characters in the middle, {spread['most']:,} at "
            f"most; {spread['total_tokens_roughly']:,} tokens in all, roughly"
        )
    over = summary["over_context"]
    if examples["total"]:
        told.append(
            f"  context   {over['examples']:,} of {examples['total']:,} are longer than "
            f"{over['tokens']:,} tokens, roughly"
        )
    return "\n".join(told)


def render(summary: Mapping[str, Json]) -> str:
    """Return an export's figures as a report in Markdown."""
    options, examples, lines = summary["options"], summary["examples"], summary["lines"]
    is_sft = summary["kind"] == SFT
    what = "examples" if is_sft else "pairs"
    parts = [
        f"# {summary['kind'].upper()} {what}",
        _rule(summary, is_sft),
        f"Answers are spelled as {options['style']}. Judge: {', '.join(summary['judge'])}.",
        "## Counts",
        table(("split", what), [(name, n) for name, n in examples.items()]),
        f"{lines['read']:,} predictions read = "
        + " + ".join(f"{n:,} {name}" for name, n in lines.items() if name != "read")
        + ".",
        "Rows of the test split are never trained on, nor rows that share the query or the set "
        'of called tools with one of them, transitively ("group of test").',
        f"Admitted answers: {_sum(summary['answers'])}.",
    ]
    if "later_steps" in summary:
        parts.append(f"Later steps of solved episodes: {_sum(summary['later_steps'])}.")
    if "states" in summary:
        parts.append(f"States with an admitted answer: {_sum(summary['states'])}.")
    agents = summary["agents"]
    columns = ("examples",) if is_sft else ("chosen", "rejected")
    parts += [
        "## Agents",
        table(
            ("agent", "admitted answers", *columns),
            [
                (agent, one["answers"], *(one.get(column, 0) for column in columns))
                for agent, one in agents.items()
            ],
        ),
        "Answers by points (whole part, of 15):",
        table(
            ("agent", *map(str, range(16))),
            [
                (agent, *(one["points"].get(str(value), 0) for value in range(16)))
                for agent, one in agents.items()
            ],
        ),
        "## Kinds",
        f"{what.capitalize()} by the kinds of the row's injected errors; a row may have several.",
        table(("kind", what), list(summary["kinds"].items())),
        "## Lengths",
        f"In characters. Tokens are characters / {CHARACTERS_PER_TOKEN}, which is rough: every "
        "tokenizer counts differently.",
        table(
            ("part", "least", "median", "95 %", "most", "total", "tokens, roughly"),
            [(part, *spread.values()) for part, spread in summary["lengths"].items()],
        ),
        f"{summary['over_context']['examples']:,} {what} are longer than "
        f"{summary['over_context']['tokens']:,} tokens, roughly, the length of the paper's "
        "training sequences: trainers cut them, and so lose answers.",
        "The longest prompts:",
        table(
            ("instance", "characters"),
            [(one["instance_id"], one["characters"]) for one in summary["longest_prompts"]],
        ),
        "## Files",
        table(
            ("file", "bytes", "SHA-256"),
            [(file["path"], file["bytes"], file["sha256"]) for file in summary["files"]],
        ),
        "## Sources",
        table(
            ("episodes", "agent", "predictions"),
            [(one["episodes"], one["agent"], one["lines"]) for one in summary["sources"]],
            left=2,
        ),
    ]
    if summary["problems"]["count"]:
        parts += [
            "## Problems",
            f"{summary['problems']['count']:,} lines could not be used. The first:",
            "\n".join(f"- {problem}" for problem in summary["problems"]["first"]),
        ]
    return "\n\n".join(parts) + "\n"


def _rule(summary: Mapping[str, Json], is_sft: bool) -> str:
    options = summary["options"]
    if is_sft:
        steps = (
            " Of a solved episode whose first answer is taken, the later ones are taken too; "
            "they have no score of their own."
            if options["all_steps"]
            else ""
        )
        return f"Answers with more than {options['above']:g} of 15 points.{steps}"
    which = (
        "the best and the worst answer of each state"
        if options["pairs"] == BEST
        else "all answers of a state with each other"
    )
    return (
        f"Pairs of answers to the same state with at least {options['minimum']:g} of 15 points "
        f"each and more than {options['gap']:g} between them: {which}."
    )


def _sum(counts: Mapping[str, int]) -> str:
    total = sum(Counter(counts).values())
    return f"{total:,} = " + " + ".join(f"{n:,} {name}" for name, n in counts.items())
