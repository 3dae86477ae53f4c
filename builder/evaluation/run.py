"""Runs an evaluation in a folder, goes on with one that was stopped, and reads its log."""

from __future__ import annotations

import contextlib
import fcntl
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING

from builder.evaluation.report import Play, Prices, Report, Tokens
from builder.evaluation.settings import Endpoint, Settings, check_url
from builder.refusal import Refusal
from builder.resume import fingerprint
from builder.resume.files import write_whole
from builder.row_files import Hashed, choose_rows
from environment.agents.prompt import PROMPT_VERSION, prompt_hash
from plan.json_text import Json, dump_bytes, loads
from plan.row import Row
from scoring import llm_judge, rule_judge
from scoring.predictions import FILE, JUDGEMENTS, RUN
from scoring.rubric import KEYS

if TYPE_CHECKING:
    from inspect_ai.model import Model

LOGS = "logs"
CACHE = "cache"

Begin = Callable[[int, int], Callable[[int], None]]
"""Told how many plays there are and how many are known to be done, gives what counts on."""


def evaluate(settings: Settings, out: Path, begin: Begin, prices: Prices | None = None) -> Report:
    """Play and score every row, as far as the folder doesn't hold it already.

    Every answer is kept in ``out/cache`` as soon as it has come, every row in ``out/logs``
    once it is scored. So a run that was killed asks for nothing again that was answered.

    Args:
        settings: what is asked for.
        out: the folder; made if it isn't there.
        begin: see `Begin`.
        prices: what tokens cost, if that is known.

    Raises:
        Refusal: inspect-ai isn't there, rows or models can't be had, or the folder holds
            something else.
    """
    _import_inspect()
    check_url(settings.agent.base_url, "--base-url")
    check_url(os.environ.get("OPENAI_BASE_URL") or None, "OPENAI_BASE_URL")
    if settings.judge:
        check_url(settings.judge.base_url, "--judge-base-url")
    chosen = Hashed(
        choose_rows(settings.rows, level=settings.level, split=settings.split, limit=settings.limit)
    )
    rows = {row.instance_id: row for row in chosen}
    arguments = {
        **settings.arguments(),
        "rows": chosen.digest(),
        "prompt": prompt_hash(),
        "prompt_version": PROMPT_VERSION,
        "judge_prompt": llm_judge.prompt_hash() if settings.judge else None,
        "code": fingerprint.code(),
        "version": fingerprint.version(),
        "inspect_ai": _inspect_version(),
    }
    models = _models(settings)
    with _claimed(out, arguments):
        log = _run(settings, models, rows, out, arguments, begin)
        asked = len(rows) * settings.epochs
        plays, failures = _read(log, list(rows))
        report = Report(arguments, asked, plays, failures, prices)
        _write(report, settings, out)
        return report


def _import_inspect() -> None:
    try:
        import inspect_ai  # noqa: F401  # only whether it's there
    except ImportError as error:
        raise Refusal(
            "pararecover evaluate",
            f"inspect-ai can't be imported ({error})",
            "the extra `eval`, which brings inspect-ai",
            "pip install 'pararecover[eval]'",
        ) from None


def _inspect_version() -> str:
    from importlib.metadata import version

    return version("inspect-ai")


@contextlib.contextmanager
def _claimed(out: Path, arguments: Mapping[str, Json]) -> Iterator[None]:
    """Hold the folder for this process and this evaluation alone."""
    if out.exists() and not out.is_dir():
        raise Refusal(f"--out {out}", "not a folder", "a new or empty folder", "choose another")
    known = out / RUN
    if known.exists():
        _refuse_others(out, known, arguments)
    elif out.exists() and any(out.iterdir()):
        names = sorted(path.name for path in out.iterdir())
        raise Refusal(
            f"--out {out}",
            f"holds {', '.join(names[:3])}{', …' if len(names) > 3 else ''}",
            "a new or empty folder, or one in which the same evaluation was started",
            "choose another folder; nothing was touched",
        )
    out.mkdir(parents=True, exist_ok=True)
    with (out / ".lock").open("wb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Refusal(
                f"--out {out}",
                "another process is evaluating in it",
                "a folder of its own for each run",
                "wait for it to end, or choose another folder",
            ) from None
        if not known.exists():
            write_whole(known, dump_bytes({"arguments": arguments, "state": "started"}))
        yield


def _refuse_others(out: Path, known: Path, arguments: Mapping[str, Json]) -> None:
    try:
        before = loads(known.read_bytes())["arguments"]
        differing = [
            f"{name} {_short(before.get(name))} then, {_short(now)} now"
            for name, now in arguments.items()
            if before.get(name) != now
        ]
    except (ValueError, TypeError, KeyError, AttributeError):
        raise Refusal(
            str(known),
            "not written by `pararecover evaluate`",
            "a new or empty folder",
            "choose another folder; nothing was touched",
        ) from None
    if differing:
        raise Refusal(
            f"--out {out}",
            "an evaluation was started in it with other arguments: " + "; ".join(differing),
            "the same arguments, to go on with the same evaluation",
            "choose another folder, or give the arguments that it was started with",
        )


def _short(value: Json) -> str:
    text = "nothing" if value is None else dump_bytes(value).decode()
    return text if len(text) <= 60 else text[:57] + "…"


def _run(
    settings: Settings,
    models: tuple[Model, Model | None],
    rows: Mapping[str, Row],
    out: Path,
    arguments: Mapping[str, Json],
    begin: Begin,
) -> str:
    """Let inspect-ai play what is left, and return where the log stands."""
    from inspect_ai import eval_set
    from inspect_ai._util.error import PrerequisiteError

    from builder.evaluation.task import JUDGE, make_task

    logs = out.absolute() / LOGS
    transport = settings.transport
    advance = begin(len(rows) * settings.epochs, _played(logs))
    # What inspect-ai says of its own accord would mix with `--json`.
    with _cache_in(out.absolute() / CACHE), contextlib.redirect_stdout(sys.stderr):
        try:
            _, headers = eval_set(
                make_task(rows, settings, arguments, advance),
                log_dir=str(logs),
                model=models[0],
                model_roles={JUDGE: models[1]} if models[1] else None,
                epochs=settings.epochs,
                display="none",
                # One try; what failed is asked for by the same command, when the user wants.
                retry_attempts=1,
                retry_immediate=False,
                # All the other rows are played before a failed one ends the run.
                fail_on_error=True,
                continue_on_fail=True,
                max_connections=transport.max_connections,
                max_retries=transport.max_retries,
                attempt_timeout=transport.timeout,
                log_model_api=False,
                # Else what a kill left is looked for in the user's home; DIR alone shall do.
                log_realtime=False,
                log_buffer=None if transport.cache else 1,
                ctl_server=False,
                **settings.sampling.given(),
            )
        except PrerequisiteError as error:
            raise Refusal(
                "inspect-ai",
                _plain(error),
                "a model that can be asked, and a folder of this evaluation's logs",
                "see above; docs/evaluate.md tells how endpoints are given",
            ) from None
    return str(headers[0].location)


def _models(settings: Settings) -> tuple[Model, Model | None]:
    """Return the model under test, and the judge if one is asked."""
    judge = _model(settings.judge, "--judge") if settings.judge else None
    return _model(settings.agent, "--model"), judge


def _model(endpoint: Endpoint, option: str) -> Model:
    from inspect_ai._util.error import PrerequisiteError
    from inspect_ai.model import get_model

    import builder.evaluation.builtin  # noqa: F401  # registers the built-in models

    name = endpoint.model
    provider, _, rest = name.partition("/")
    if provider == "openai" and (endpoint.base_url or os.environ.get("OPENAI_BASE_URL")):
        # inspect-ai takes a name that it doesn't know for OpenAI's newest model, which has an
        # interface of its own. Another's endpoint speaks chat completions; `openai-api` is for
        # those, and finds the same environment variables.
        name = f"openai-api/openai/{rest}"
    try:
        return get_model(name, base_url=endpoint.base_url, api_key=endpoint.api_key, memoize=False)
    except (ValueError, PrerequisiteError) as error:
        raise Refusal(
            f"{option} {endpoint.model}",
            _plain(error),
            "a model as inspect-ai names it, such as openai/NAME, and its key and endpoint",
            "see docs/evaluate.md and https://inspect.aisi.org.uk/providers.html",
        ) from None


def _plain(error: Exception) -> str:
    """Return a message without inspect-ai's markup."""
    from rich.text import Text

    return " ".join(Text.from_markup(str(error)).plain.split())


@contextlib.contextmanager
def _cache_in(folder: Path) -> Iterator[None]:
    """Let inspect-ai keep answers in a folder; it knows no other way to say where."""
    name = "INSPECT_CACHE_DIR"
    before = os.environ.get(name)
    os.environ[name] = str(folder)
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def _newest(logs: Path) -> str | None:
    from inspect_ai.log import list_eval_logs

    found = list_eval_logs(str(logs), descending=True) if logs.is_dir() else []
    return found[0].name if found else None


def _played(logs: Path) -> int:
    """Return how many plays a stopped run is known to have finished."""
    from inspect_ai.log import read_eval_log_sample_summaries

    newest = _newest(logs)
    if newest is None:
        return 0
    return sum(one.completed and not one.error for one in read_eval_log_sample_summaries(newest))


def _read(log: str, order: Sequence[str]) -> tuple[list[Play], dict[str, str]]:
    """Return what a log holds, in the rows' order, and why rows failed."""
    from inspect_ai.log import read_eval_log_samples

    from builder.evaluation.task import PREDICTION, REASONS, SCORER, TOKENS

    place = {id: number for number, id in enumerate(order)}
    plays: list[Play] = []
    failures: dict[str, str] = {}
    unused = {"events", "events_data", "messages", "output"}
    for sample in read_eval_log_samples(log, all_samples_required=False, exclude_fields=unused):
        id = str(sample.id)
        if sample.error is not None or not sample.scores or SCORER not in sample.scores:
            failures[id] = sample.error.message.strip() if sample.error else "it was not scored"
            continue
        score = sample.scores[SCORER]
        told = score.metadata or {}
        plays.append(
            Play(
                id=id,
                epoch=sample.epoch,
                level=sample.metadata["level"],
                query_id=sample.metadata["query_id"],
                prediction=sample.store[PREDICTION],
                scores={key: float(value or 0) for key, value in score.as_dict().items()},
                reasons=told[REASONS],
                agent=Tokens(**sample.store[TOKENS]),
                judge=Tokens(**told[TOKENS]),
            )
        )
    plays.sort(key=lambda play: (play.epoch, place[play.id]))
    return plays, failures


def _write(report: Report, settings: Settings, out: Path) -> None:
    """Write predictions, judgements of a model, and the run's description."""
    predictions = b"".join(dump_bytes(play.prediction) + b"\n" for play in report.plays)
    write_whole(out / FILE, predictions)
    if settings.judge:
        judgements = [_judgement(play, settings) for play in report.plays]
        write_whole(out / JUDGEMENTS, b"".join(dump_bytes(one) + b"\n" for one in judgements))
    state = "complete" if report.is_complete else "incomplete"
    run = {
        "agent": settings.agent.model,
        "model": settings.agent.model,
        "base_url": settings.agent.base_url,
        "seed": settings.sampling.seed,
        "noise": None,
        "prompt": report.arguments["prompt"],
        "code": report.arguments["code"],
        "rows": report.arguments["rows"],
        "state": state,
        **report.to_json(),
    }
    write_whole(out / RUN, dump_bytes(run) + b"\n")


def _judgement(play: Play, settings: Settings) -> dict[str, Json]:
    scores = {key: None if isnan(play.scores[key]) else play.scores[key] for key in KEYS}
    line: dict[str, Json] = {
        "instance_id": play.id,
        "judge": settings.judge.model if settings.judge else rule_judge.NAME,
        "scores": scores,
        "reasons": dict(play.reasons),
    }
    if settings.epochs > 1:
        line["epoch"] = play.epoch
    return line
