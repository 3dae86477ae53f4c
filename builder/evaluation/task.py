"""The inspect-ai task: rows as samples, the episode as solver, the rubric as scorer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import nan

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    CachePolicy,
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from tenacity import RetryError

from builder.evaluation.builtin import asked_of, built_in
from builder.evaluation.report import E5_STAR, EFFICIENCY, PASS_AT_1, Tokens
from builder.evaluation.settings import Settings
from builder.playing import begin
from environment.agents.prompt import Message, messages
from plan.json_text import Json
from plan.row import Row
from scoring.answer import Answer, read_text
from scoring.case import Case
from scoring.llm_judge import AsyncLlmJudge, unanswered
from scoring.metrics import efficiency
from scoring.rubric import KEYS, efficacy
from scoring.rule_judge import judge as judge_by_rules
from scoring.simulation import run_static

NAME = "pararecover"
SCORER = "sde"
JUDGE = "judge"
"""The judge's role in inspect-ai."""

PREDICTION = "prediction"
TOKENS = "tokens"
"""What the sample's store holds in the log."""

REASONS = "reasons"
"""What the score's metadata holds beside the judge's `TOKENS`."""

Advance = Callable[[int], None]


def make_task(
    rows: Mapping[str, Row], settings: Settings, arguments: Mapping[str, Json], advance: Advance
) -> Task:
    """Return the task.

    Args:
        rows: the rows by instance_id.
        settings: what was asked for.
        arguments: what the log calls the task's arguments: hashes and choices.
        advance: called with 1 whenever a row has been played and scored.
    """

    @task(name=NAME)
    def pararecover(**arguments: Json) -> Task:
        return Task(
            dataset=MemoryDataset([_sample(row) for row in rows.values()], name=settings.split),
            solver=_solver(rows, settings),
            scorer=_scorer(rows, settings, advance),
        )

    return pararecover(**arguments)


def _sample(row: Row) -> Sample:
    # Labels stand in the metadata, which no model sees; the log's readers filter by them. The
    # episode is begun here too, so that a row that can't be played is told before any costs.
    return Sample(
        input=chat(messages(begin(row).state)),
        id=row.instance_id,
        metadata={
            "level": row.level,
            "query_id": row.query_id,
            "error_kinds": list(row.error_kinds),
            "t": row.t,
        },
    )


def chat(said: list[Message]) -> list[ChatMessage]:
    """Return messages as inspect-ai takes them."""
    kinds = {
        "system": ChatMessageSystem,
        "user": ChatMessageUser,
        "assistant": ChatMessageAssistant,
    }
    return [kinds[one["role"]](content=one["content"]) for one in said]


def _solver(rows: Mapping[str, Row], settings: Settings) -> Solver:
    @solver(name="replan")
    def replan() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            row = rows[str(state.sample_id)]
            episode = begin(row)
            agent = built_in(settings.agent.model, episode)
            policy = _policy(settings, row.instance_id) if agent is None else False
            tokens = Tokens()
            outputs: list[str] = []
            while not outputs or not (settings.single or episode.is_over):
                # A chat that grows would show an agent its old thoughts, which are no part of
                # the state (equation 3 of the paper: G(t-1) and O(t) in, thought and G(t)
                # out), and its last rounds would cost many times its first. So each round is
                # a chat of its own.
                asked = chat(messages(episode.state))
                with asked_of(agent, episode.state):
                    output = await _ask(get_model(), asked, policy)
                tokens = tokens.plus(tokens_of(output.usage))
                outputs.append(_writable(output.completion))
                state.messages = [*asked, output.message]
                state.output = output
                episode.give(outputs[-1])
            prediction: dict[str, Json] = {"instance_id": row.instance_id, "output": outputs[0]}
            if settings.epochs > 1:
                prediction["epoch"] = state.epoch
            if not settings.single:
                prediction["episode"] = episode.record(settings.agent.model)
            state.store.set(PREDICTION, prediction)
            state.store.set(TOKENS, tokens.to_json())
            return state

        return solve

    return replan()


async def _ask(
    model: Model,
    said: list[ChatMessage],
    policy: CachePolicy | bool,
    config: GenerateConfig | None = None,
) -> ModelOutput:
    """Ask a model; what the last try failed with is raised as it was."""
    try:
        return await model.generate(said, config=config or GenerateConfig(), cache=policy)
    except RetryError as error:
        last = error.last_attempt.exception()
        raise (error if last is None else last) from None


def _writable(text: str) -> str:
    """Return a text that UTF-8 can hold: half of a surrogate pair becomes U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _policy(settings: Settings, id: str) -> CachePolicy | bool:
    """Return how answers are kept: for good, and for each row of its own."""
    return settings.transport.cache and CachePolicy(expiry=None, scopes={"instance": id})


def _scorer(rows: Mapping[str, Row], settings: Settings, advance: Advance) -> Scorer:
    # Rows of one query have much in common, so they count as one draw in the standard error.
    @scorer(metrics={"*": [mean(), stderr(cluster="query_id")]}, name=SCORER)
    def sde() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            row = rows[str(state.sample_id)]
            prediction = state.store.get(PREDICTION)
            case = Case.from_record(row.to_record())
            answer = read_text(prediction["output"])
            reasons: Mapping[str, str] = {}
            tokens = Tokens()
            if settings.judge is None:
                scores: Mapping[str, float] = judge_by_rules(case, answer)
            else:
                asking = _Asking(get_model(role=JUDGE), _policy(settings, row.instance_id))
                verdict = await AsyncLlmJudge(asking.ask).judge(case, answer)
                scores, reasons, tokens = verdict.scores, verdict.reasons, asking.tokens
                missing = unanswered(verdict)
                if missing:
                    reasons = {**reasons, "unanswered": ", ".join(missing)}
            advance(1)
            return Score(
                value={key: scores[key] for key in KEYS} | _extra(case, answer, prediction),
                answer=prediction["output"],
                explanation="\n".join(f"{key}: {reason}" for key, reason in reasons.items()),
                metadata={REASONS: dict(reasons), TOKENS: tokens.to_json()},
            )

        return score

    return sde()


@dataclass(slots=True)
class _Asking:
    """Asks a judge, and counts what it costs."""

    model: Model
    policy: CachePolicy | bool
    tokens: Tokens = field(default_factory=Tokens)

    async def ask(self, said: list[Message]) -> str:
        config = GenerateConfig(temperature=0.0)
        output = await _ask(self.model, chat(said), self.policy, config)
        self.tokens = self.tokens.plus(tokens_of(output.usage))
        return output.completion


def tokens_of(usage: ModelUsage | None) -> Tokens:
    """Return one answer's tokens; inspect-ai counts what an endpoint cached apart."""
    if usage is None:
        return Tokens(answers=1)
    cached = usage.input_tokens_cache_read or 0
    told = usage.input_tokens + cached + (usage.input_tokens_cache_write or 0)
    return Tokens(1, 1, told, cached, usage.output_tokens)


def _extra(case: Case, answer: Answer, prediction: Mapping[str, Json]) -> dict[str, float]:
    outcome = run_static(case, answer)
    episode = prediction.get("episode")
    return {
        E5_STAR: efficacy(outcome.solved, case.recovery_round_gt, outcome.response_round),
        PASS_AT_1: float(episode["solved"]) if episode else nan,
        EFFICIENCY: efficiency(outcome.solved, case.funcall_times_gt, outcome.calls),
    }
