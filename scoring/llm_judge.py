"""The LLM judge: one question to a model per dimension, and the strict reading of its reply.

Nothing here speaks to a model. `questions` makes messages and `verdict` reads a reply;
`conversation` joins them, asking again after a reply that can't be used, and whoever has a
client drives it: `LlmJudge` with a function, `AsyncLlmJudge` with a coroutine function.
Thirteen items are asked about (ParaRecover, section 3.3); S5 and E5 are computed.

The prompts are the files in ``prompts/``; see ``docs/judges.md``.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Awaitable, Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from math import isnan, nan
from string import Template

from scoring.answer import Answer, plan_json
from scoring.case import Case
from scoring.json_text import Json, dumps, loads
from scoring.judgements import COMPUTED
from scoring.rubric import DIAGNOSIS, DIMENSIONS, KEYS, STRATEGY, STRUCTURE, Scores, efficacy
from scoring.simulation import run_static

ASKED: Mapping[str, tuple[str, ...]] = {
    dimension: tuple(key for key in keys if key not in COMPUTED)
    for dimension, keys in DIMENSIONS.items()
}
"""Items asked about, by dimension: thirteen in all."""

NOT_APPLICABLE = "n/a"
MAY_NOT_APPLY = frozenset(("d4",))
"""Items that the prompts allow to be not applicable: nothing reaches further where nothing is
wrong."""

UNANSWERED = "unanswered"
"""Begins the reason of an item that no usable reply was got for."""

Message = dict[str, str]
"""``role`` and ``content``, as chat endpoints take them."""

Ask = Callable[[list[Message]], str]
AskLater = Callable[[list[Message]], Awaitable[str]]


class MalformedVerdict(ValueError):
    """A reply is not the JSON that was asked for; the text says what is wrong with it."""


class QuestionTooLong(ValueError):
    """A question is longer than the limit with all left out that may be."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Scores by item, NaN where there is none, and a reason for each."""

    scores: Scores
    reasons: Mapping[str, str]


def prompt_hash() -> str:
    """Return 16 hexadecimal digits that change with the text of any prompt."""
    digest = hashlib.sha256()
    for name in ("judge", "question", "again", "left_out", *DIMENSIONS):
        digest.update(f"{name}\n{_prompt(name)}\0".encode())
    return digest.hexdigest()[:16]


def _prompt(name: str) -> str:
    return (files("scoring.prompts") / f"{name}.md").read_text(encoding="utf-8")


def questions(case: Case, answer: Answer, *, limit: int | None = None) -> dict[str, list[Message]]:
    """Return the messages that ask about each dimension.

    The material comes first and is the same for all three, so that endpoints that cache
    prefixes read it once.

    Args:
        case: the row, labels included.
        answer: what is judged; it has a plan and a thought.
        limit: characters that the messages of one question may have together. What doesn't
            fit is left out by a fixed order (the oldest rounds, tools that no plan calls,
            the inside of long texts), and the question says what.

    Raises:
        QuestionTooLong: it can't be made to fit.
    """
    return {dimension: _question(dimension, case, answer, limit) for dimension in ASKED}


def _question(dimension: str, case: Case, answer: Answer, limit: int | None) -> list[Message]:
    system = _prompt("judge").strip()
    keys = ASKED[dimension]
    template = Template(_prompt("question"))
    rest = {
        "t": str(case.t),
        "criteria": _prompt(dimension).strip(),
        "keys": _listed(keys),
        "example": _example(keys),
        "levels": _levels(keys),
    }
    size = 0
    for blocks, missing in _material(case, answer, limit is not None):
        left_out = ""
        if missing:
            what = "; ".join(missing)
            left_out = Template(_prompt("left_out")).substitute(limit=limit, what=what)
        written = {name: _written(value) for name, value in blocks.items()}
        user = template.substitute(written, left_out=left_out, **rest).strip()
        size = len(system) + len(user)
        if limit is None or size <= limit:
            return [_message("system", system), _message("user", user)]
    raise QuestionTooLong(
        f"the question has {size} characters with all left out that may be; the limit is {limit}"
    )


def _material(case: Case, answer: Answer, cut: bool) -> Iterator[tuple[dict[str, Json], list[str]]]:
    """Yield what a question shows, and what was left out of it: first all, then ever less."""
    plan = plan_json(answer.plan or {})
    blocks: dict[str, Json] = {
        "query": case.query,
        "tools": list(case.tools.values()),
        "history": list(case.history),
        "previous_plan": case.plan_json,
        "observations": list(case.observations),
        "errors": [_label(error) for error in case.errors],
        "clean_plan": case.clean_json,
        "gold_plan": case.gold_json,
        "answer_thought": answer.thought,
        "answer_plan": plan,
    }
    yield blocks, []
    if not cut:
        return
    missing: list[str] = []
    rounds = len(case.history)
    for gone in range(1, rounds + 1):
        missing = [f"the {gone} oldest of {rounds} earlier rounds are left out of the history"]
        blocks = {**blocks, "history": list(case.history[gone:])}
        yield blocks, missing
    plans = (case.plan_json, case.clean_json, case.gold_json, plan)
    called = {task["name"] for shown in plans for task in shown["tasks"]}
    tools = [tool for name, tool in case.tools.items() if name in called]
    if len(tools) < len(case.tools):
        missing = [
            *missing,
            f"{len(case.tools) - len(tools)} tools that no plan calls are left out",
        ]
        blocks = {**blocks, "tools": tools}
        yield blocks, missing
    for most in _LONGEST:
        words = f"texts of more than {most} characters are cut in the middle, where it says so"
        yield {name: _cut(value, most) for name, value in blocks.items()}, [*missing, words]


_LONGEST = (4000, 1000, 250)


def _cut(value: Json, most: int) -> Json:
    if isinstance(value, str) and len(value) > most:
        half = most // 2
        return f"{value[:half]}[… {len(value) - 2 * half} characters left out …]{value[-half:]}"
    if isinstance(value, list):
        return [_cut(item, most) for item in value]
    if isinstance(value, dict):
        return {key: _cut(item, most) for key, item in value.items()}
    return value


def _label(error: Mapping[str, Json]) -> dict[str, Json]:
    # JSON texts in their columns; inside a block they'd be escaped twice.
    return {**error, "before": loads(error["before"]), "after": loads(error["after"])}


def _written(value: Json) -> str:
    """Return a value's JSON, which no tag can stand in; lists have an item per line."""
    text = dumps(value)
    if isinstance(value, dict) and set(value) >= {"tasks"}:
        parts = [f"{dumps(key)}:{_lines(value[key])}" for key in sorted(value)]
        text = "{" + ",".join(parts) + "}"
    elif isinstance(value, list):
        text = _lines(value)
    # Endpoints take UTF-8, which half a surrogate pair has no place in.
    return text.replace("<", "\\u003c").encode("utf-8", "backslashreplace").decode()


def _lines(value: Json) -> str:
    if not isinstance(value, list) or not value:
        return dumps(value)
    return "[\n" + ",\n".join(map(dumps, value)) + "\n]"


def _message(role: str, content: str) -> Message:
    return {"role": role, "content": content}


def _listed(keys: tuple[str, ...]) -> str:
    return ", ".join(f"`{key}`" for key in keys)


def _example(keys: tuple[str, ...]) -> str:
    inside = ",\n".join(f'  "{key}": {{"reason": "…", "score": …}}' for key in keys)
    return f"{{\n{inside}\n}}"


def _levels(keys: tuple[str, ...]) -> str:
    if MAY_NOT_APPLY.isdisjoint(keys):
        return "1, 0.5 or 0"
    return '1, 0.5, 0 or, only where the item says so, "n/a"'


def verdict(dimension: str, reply: str) -> Verdict:
    """Read a model's reply about one dimension.

    It is one JSON object, perhaps in a Markdown fence, with exactly the items asked about.

    Raises:
        MalformedVerdict: it isn't.
    """
    fenced = _FENCED.fullmatch(reply)
    try:
        value = loads(fenced["inside"] if fenced else reply)
    except ValueError as error:
        raise MalformedVerdict(f"it is not one JSON object and nothing else ({error})") from None
    if not isinstance(value, dict):
        raise MalformedVerdict("it is JSON, but no object")
    keys = ASKED[dimension]
    problems = [f"{key} is missing" for key in keys if key not in value]
    problems += [f"{dumps(key)} was not asked about" for key in value if key not in keys]
    scores: dict[str, float] = {}
    reasons: dict[str, str] = {}
    for key in keys:
        if key not in value:
            continue
        item = value[key]
        if not isinstance(item, dict) or "score" not in item:
            problems.append(f"{key} is no object with a score")
            continue
        score, reason = item["score"], item.get("reason")
        if not isinstance(reason, str) or not reason.strip():
            problems.append(f"{key} has no reason")
        elif score == NOT_APPLICABLE and key in MAY_NOT_APPLY:
            scores[key], reasons[key] = nan, reason
        elif isinstance(score, bool) or score not in (1, 0.5, 0):
            problems.append(f"{key} has the score {dumps(score)}, expected {_expected(key)}")
        else:
            scores[key], reasons[key] = float(score), reason
    if problems:
        raise MalformedVerdict("; ".join(problems))
    return Verdict(scores, reasons)


_FENCED = re.compile(r"\s*```\w*\s*\n(?P<inside>.*?)\n?\s*```\s*", re.DOTALL)


def _expected(key: str) -> str:
    return 'one of 1, 0.5, 0 and "n/a"' if key in MAY_NOT_APPLY else "one of 1, 0.5 and 0"


Conversation = Generator[list[Message], str, Verdict]
"""Yields messages, is sent the model's reply to them, returns the verdict."""


def advance(talk: Conversation, reply: str | None = None) -> list[Message] | Verdict:
    """Return a conversation's next messages, or its verdict; the first has no reply."""
    try:
        return next(talk) if reply is None else talk.send(reply)
    except StopIteration as end:
        found: Verdict = end.value
        return found


def conversation(
    case: Case, answer: Answer, *, attempts: int = 3, limit: int | None = None
) -> Conversation:
    """Judge an answer on all fifteen items.

    What there is nothing to judge by is not asked: without a plan the structural and
    strategic items are 0, without a thought S1 and the diagnostic ones are.

    Args:
        case: the row.
        answer: the answer as read.
        attempts: how often a dimension is asked at most.
        limit: as in `questions`.
    """
    scores = dict.fromkeys(KEYS, nan)
    reasons: dict[str, str] = {}
    scores["s5"] = float(answer.is_strict)
    reasons["s5"] = "computed: " + _reading(answer)
    outcome = run_static(case, answer)
    scores["e5"] = efficacy(outcome.solved, case.round_gt, outcome.response_round)
    reasons["e5"] = (
        f"computed: {'solved' if outcome.solved else 'not solved'}, response in round "
        f"{outcome.response_round or 'none'}, {case.round_gt} needed"
    )
    for dimension, keys in ASKED.items():
        if answer.plan is None and dimension in (STRUCTURE, STRATEGY):
            part = _nothing(keys, f"not asked: no plan could be read ({answer.problem})")
        elif not answer.thought.strip() and dimension == DIAGNOSIS:
            part = _nothing(keys, _NO_THOUGHT)
        else:
            part = yield from _asked(dimension, case, answer, attempts, limit)
        scores.update(part.scores)
        reasons.update(part.reasons)
    if not answer.thought.strip():
        scores["s1"] = 0.0
        reasons["s1"] = _NO_THOUGHT
    return Verdict(scores, reasons)


_NO_THOUGHT = "the answer has no thought"


def _reading(answer: Answer) -> str:
    if answer.plan is None:
        return answer.problem
    return f"tolerated {', '.join(answer.tolerated)}" if answer.tolerated else "read strictly"


def _nothing(keys: tuple[str, ...], reason: str) -> Verdict:
    return Verdict(dict.fromkeys(keys, 0.0), dict.fromkeys(keys, reason))


def _asked(
    dimension: str, case: Case, answer: Answer, attempts: int, limit: int | None
) -> Conversation:
    keys = ASKED[dimension]
    try:
        messages = _question(dimension, case, answer, limit)
        problem = "never asked"
    except QuestionTooLong as error:
        return _unanswered(keys, str(error))
    for _ in range(attempts):
        reply = yield messages
        try:
            return verdict(dimension, reply)
        except MalformedVerdict as error:
            problem = str(error)
        again = Template(_prompt("again")).substitute(
            problem=problem, keys=_listed(keys), levels=_levels(keys), example=_example(keys)
        )
        messages = [
            *messages,
            # Endpoints refuse a turn without content.
            _message("assistant", reply if reply.strip() else "(an empty reply)"),
            _message("user", again.strip()),
        ]
    return _unanswered(keys, f"{problem}; asked {attempts} times")


def _unanswered(keys: tuple[str, ...], problem: str) -> Verdict:
    return Verdict(dict.fromkeys(keys, nan), dict.fromkeys(keys, f"{UNANSWERED}: {problem}"))


def unanswered(verdict: Verdict) -> list[str]:
    """Return the items that no usable reply was got for."""
    return [
        key
        for key, reason in verdict.reasons.items()
        if isnan(verdict.scores[key]) and reason.startswith(UNANSWERED)
    ]


@dataclass(frozen=True, slots=True)
class LlmJudge:
    """Judges answers by asking a model.

    Attributes:
        ask: sends messages and returns the reply's text. What it raises is not caught:
            waiting and trying again after a fault of the line is the client's business.
        attempts: how often each question is asked at most.
        limit: characters of a question at most; None for no limit.
    """

    ask: Ask
    attempts: int = 3
    limit: int | None = field(default=None, kw_only=True)

    def __call__(self, case: Case, answer: Answer) -> Scores:
        """Return the fifteen scores."""
        return self.judge(case, answer).scores

    def judge(self, case: Case, answer: Answer) -> Verdict:
        """Return the fifteen scores with their reasons."""
        talk = conversation(case, answer, attempts=self.attempts, limit=self.limit)
        step = advance(talk)
        while not isinstance(step, Verdict):
            step = advance(talk, self.ask(step))
        return step


@dataclass(frozen=True, slots=True)
class AsyncLlmJudge:
    """`LlmJudge` for a client that is awaited."""

    ask: AskLater
    attempts: int = 3
    limit: int | None = field(default=None, kw_only=True)

    async def __call__(self, case: Case, answer: Answer) -> Scores:
        """Return the fifteen scores."""
        return (await self.judge(case, answer)).scores

    async def judge(self, case: Case, answer: Answer) -> Verdict:
        """Return the fifteen scores with their reasons."""
        talk = conversation(case, answer, attempts=self.attempts, limit=self.limit)
        step = advance(talk)
        while not isinstance(step, Verdict):
            step = advance(talk, await self.ask(step))
        return step
