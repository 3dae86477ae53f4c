"""`pararecover evaluate`: a model over a split, through inspect-ai, against a loopback endpoint."""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from builder.commands import main
from builder.evaluation.report import Prices, Tokens
from builder.parquet import read_rows
from environment.agents.prompt import SYSTEM, messages, prompt_hash
from environment.episode import read_state
from plan.json_text import dumps, loads
from plan.row import INPUT_COLUMNS, Row
from scoring.rubric import KEYS
from tests.builder.model_server import BUSY, CUT, DOWN, MALFORMED, SLOW, WELL, Asked, ModelServer

# inspect-ai leaves streams and connections to the garbage collector, and calls tenacity as it
# used to be called.
pytestmark = pytest.mark.filterwarnings(
    "ignore::ResourceWarning",
    "ignore::pytest.PytestUnraisableExceptionWarning",
    "ignore:The 'initial' parameter is deprecated:DeprecationWarning",
)

ROOT = Path(__file__).resolve().parents[2]
KEY = "sk-a-key-that-nobody-may-see"
ROWS = 6


def run(*words: object, code: int = 0) -> Result:
    done = CliRunner().invoke(main, [str(word) for word in words])
    assert done.exit_code == code, done.output + repr(done.exception)
    return done


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("built") / "out"
    words = ["--size", 30, "--workers", 1, "--no-certify", "--split", "0.4,0.1,0.5"]
    run("build-level2", *words, "--out", out)
    return out


@pytest.fixture(scope="module")
def rows(built: Path) -> list[Row]:
    (path,) = built.glob("data/level2/test-*.parquet")
    found = list(read_rows(path))[:ROWS]
    assert len({row.query for row in found}) == ROWS
    return found


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No key, endpoint or inspect-ai folder of whoever runs the tests is used."""
    for name in [name for name in os.environ if name.startswith(("OPENAI_", "INSPECT_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture(autouse=True, scope="module")
def leavings() -> Iterator[None]:
    yield
    # Here, where the filter holds, and not in whichever test comes next.
    gc.collect()


def words_for(built: Path, server: ModelServer, out: Path, *more: object) -> list[object]:
    where = ["--model", "openai/loopback", "--base-url", server.url, "--out", out]
    return ["evaluate", "--rows", built, *where, "--limit", ROWS, "--quiet", *more]


def predictions(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / "predictions.jsonl").read_text().splitlines()]


def description(out: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((out / "run.json").read_text())
    return found


def test_a_model_that_answers_well_solves_every_row(
    built: Path, rows: list[Row], tmp_path: Path
) -> None:
    with ModelServer.of(rows) as server:
        words = words_for(built, server, tmp_path / "out", "--temperature", 0.5, "--json")
        said = json.loads(run(*words, "--price-in", 2, "--price-out", 10).stdout)
    assert said["answered"] == said["asked"] == ROWS
    assert said["scores"]["pass_at_1"]["mean"] == 100
    assert said["scores"]["e5_star"]["mean"] == 100
    assert all(said["scores"][key]["mean"] == 100 for key in ("s5", "e1", "e2", "e3", "e4"))
    found = predictions(tmp_path / "out")
    assert [one["instance_id"] for one in found] == [row.instance_id for row in rows]
    for one, row in zip(found, rows, strict=True):
        assert one["output"] == one["episode"]["steps"][0]["output"]
        assert one["episode"]["response_round"] == row.recovery_round_gt
        assert one["episode"]["solved"]
    # Every answer is one request, and its tokens and their cost are those of the endpoint.
    answers = sum(len(one["episode"]["steps"]) for one in found)
    assert len(server.answered) == len(set(server.answered)) == answers
    agent = said["tokens"]["agent"]
    assert (agent["answers"], agent["input"], agent["output"]) == (
        answers,
        1000 * answers,
        10 * answers,
    )
    assert said["cost"] == pytest.approx(answers * (1000 * 2 + 10 * 10) / 1e6)
    assert all(body["temperature"] == 0.5 for body in server.bodies)


def test_an_agent_is_shown_the_state_and_no_label(rows: list[Row]) -> None:
    for row in rows:
        system, user = messages(read_state(row))
        assert system == {"role": "system", "content": SYSTEM}
        shown = loads(user["content"])
        assert shown.pop("round") == row.t
        assert shown.pop("query") == row.query
        assert {key: dumps(value) for key, value in shown.items()} == {
            column: getattr(row, column) for column in INPUT_COLUMNS if column in shown
        }
        assert user["content"] == messages(read_state(row))[1]["content"]


def test_demonstrations_come_before_the_state_and_change_the_hash(rows: list[Row]) -> None:
    shown = (read_state(rows[0]), "<thought>so</thought><plan>{}</plan>")
    chat = messages(read_state(rows[1]), [shown])
    assert [one["role"] for one in chat] == ["system", "user", "assistant", "user"]
    assert chat[2]["content"] == shown[1]
    assert chat[3] == messages(read_state(rows[1]))[1]
    assert prompt_hash([shown]) != prompt_hash()


def test_each_round_is_a_chat_of_its_own(built: Path, rows: list[Row], tmp_path: Path) -> None:
    with ModelServer.of(rows) as server:
        run(*words_for(built, server, tmp_path / "out", "--limit", 2))
    assert max(round for _, round in server.answered) > max(row.t for row in rows[:2])
    for body in server.bodies:
        assert [one["role"] for one in body["messages"]] == ["system", "user"]


def test_a_single_answer_is_scored_without_an_episode(
    built: Path, rows: list[Row], tmp_path: Path
) -> None:
    with ModelServer.of(rows) as server:
        words = words_for(built, server, tmp_path / "out", "--single", "--json")
        said = json.loads(run(*words).stdout)
    assert len(server.answered) == ROWS
    assert all("episode" not in one for one in predictions(tmp_path / "out"))
    assert said["scores"]["e5_star"]["mean"] == 100
    assert said["scores"]["pass_at_1"] == {"mean": None, "stderr": None, "rows": 0}


def test_endpoint_and_key_come_from_the_environment(
    built: Path, rows: list[Row], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    with ModelServer.of(rows) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        words = ["--model", "openai/gpt-5", "--limit", 1, "--single", "--no-cache", "--quiet"]
        run("evaluate", "--rows", built, "--out", out, *words)
    assert server.keys == {f"Bearer {KEY}"}
    assert [body["model"] for body in server.bodies] == ["gpt-5"]
    assert len(predictions(out)) == 1
    assert not (out / "cache").exists()


def test_faults_of_the_line_lose_and_double_nothing(
    built: Path, rows: list[Row], tmp_path: Path
) -> None:
    moods = [BUSY, DOWN, CUT, SLOW]

    def mood(asked: Asked, times: int) -> str:
        first = moods[(len(asked[0]) + asked[1]) % len(moods)]
        return first if times == 0 else WELL

    with ModelServer.of(rows, mood=mood) as server:
        run(*words_for(built, server, tmp_path / "out"))
    assert {429, 503} <= set(server.refused)
    assert max(Counter(server.answered).values()) == 1
    found = predictions(tmp_path / "out")
    assert [one["instance_id"] for one in found] == [row.instance_id for row in rows]
    assert all(one["episode"]["solved"] for one in found)


def test_what_a_slow_endpoint_does_not_say_in_time_is_asked_again(
    built: Path, rows: list[Row], tmp_path: Path
) -> None:
    def mood(asked: Asked, times: int) -> str:
        return SLOW if asked == (rows[0].query, rows[0].t) and times == 0 else WELL

    with ModelServer.of(rows, mood=mood, patience=3) as server:
        run(*words_for(built, server, tmp_path / "out", "--limit", 1, "--timeout", 1))
    (one,) = predictions(tmp_path / "out")
    assert one["episode"]["solved"]


def test_a_malformed_answer_is_unreadable_and_no_crash(
    built: Path, rows: list[Row], tmp_path: Path
) -> None:
    def mood(asked: Asked, times: int) -> str:
        return MALFORMED if asked == (rows[0].query, rows[0].t) else WELL

    with ModelServer.of(rows, mood=mood) as server:
        words = words_for(built, server, tmp_path / "out", "--limit", 1, "--json")
        said = json.loads(run(*words).stdout)
    assert said["unreadable"] == 1
    assert said["scores"]["s5"]["mean"] == 0
    (one,) = predictions(tmp_path / "out")
    first, second = one["episode"]["steps"][:2]
    assert first["observations"] == []
    assert second["round"] == first["round"] + 1


def test_a_row_that_fails_is_named_and_asked_for_again_by_the_same_command(
    built: Path, rows: list[Row], tmp_path: Path
) -> None:
    bad = rows[2]
    with ModelServer.of(rows) as server:
        server.mood = lambda asked, times: DOWN if asked[0] == bad.query else WELL
        words = words_for(built, server, tmp_path / "out", "--max-retries", 0, "--json")
        said = json.loads(run(*words, code=1).stdout)
        assert list(said["failures"]) == [bad.instance_id]
        assert "503" in said["failures"][bad.instance_id]
        assert len(predictions(tmp_path / "out")) == ROWS - 1
        assert description(tmp_path / "out")["state"] == "incomplete"
        before = list(server.answered)
        server.mood = lambda asked, times: WELL
        said = json.loads(run(*words).stdout)
    assert said["failures"] == {}
    assert {query for query, _ in server.answered[len(before) :]} == {bad.query}
    assert len(predictions(tmp_path / "out")) == ROWS
    assert description(tmp_path / "out")["state"] == "complete"


@pytest.mark.slow
def test_a_killed_run_goes_on_without_asking_anything_twice(
    built: Path, rows: list[Row], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    code = "import sys; from builder.commands import main; main(sys.argv[1:])"
    with ModelServer.of(rows, most=7) as server:
        words = [str(word) for word in words_for(built, server, out, "--max-connections", 2)]
        process = subprocess.Popen([sys.executable, "-c", code, *words], cwd=ROOT)
        try:
            # The endpoint falls silent after seven answers; all on disk, the run is killed.
            deadline = time.monotonic() + 60
            while len(kept(out)) < 7:
                assert process.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.02)
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
        assert not (out / "predictions.jsonl").exists()
        assert len(server.answered) == 7
        server.speak()
        run(*words)
        assert max(Counter(server.answered).values()) == 1
        found = predictions(out)
        asked = len(server.answered)
        # Once it is complete, the command says again what it found, and asks for nothing.
        run(*words)
    assert len(server.answered) == asked
    assert predictions(out) == found
    assert [one["instance_id"] for one in found] == [row.instance_id for row in rows]
    assert all(one["episode"]["solved"] for one in found)
    answers = sum(len(one["episode"]["steps"]) for one in found)
    assert description(out)["tokens"]["agent"]["answers"] == answers == asked


def kept(out: Path) -> list[Path]:
    return [path for path in (out / "cache").rglob("*") if path.is_file() and path.stat().st_size]


def test_a_model_judges_in_a_role_of_its_own(built: Path, rows: list[Row], tmp_path: Path) -> None:
    verdicts = {key: (1.0, 0.5, 0.0)[number % 3] for number, key in enumerate(KEYS)}
    with ModelServer.of(rows) as server, ModelServer.of([], verdicts=verdicts) as judge:
        judging = ["--judge", "openai/strict", "--judge-base-url", judge.url]
        words = words_for(built, server, tmp_path / "out", "--limit", 2, "--json", *judging)
        said = json.loads(run(*words).stdout)
        run(*words)
    # Three questions a row, each asked again once: its first reply was no JSON.
    assert Counter(judge.judged) == {"s1": 4, "d1": 4, "e1": 4}
    assert all(body["temperature"] == 0 for body in judge.bodies)
    assert said["tokens"]["judge"]["answers"] == 12
    for key in KEYS:
        computed = {"s5": 100, "e5": said["scores"]["e5"]["mean"]}
        assert said["scores"][key]["mean"] == computed.get(key, 100 * verdicts[key])
    lines = (tmp_path / "out" / "judgements.jsonl").read_text().splitlines()
    assert [json.loads(line)["instance_id"] for line in lines] == [
        row.instance_id for row in rows[:2]
    ]
    assert all(json.loads(line)["judge"] == "openai/strict" for line in lines)
    assert all(json.loads(line)["reasons"]["d1"] == "So it is." for line in lines)


def test_epochs_are_drawn_apart_and_averaged(built: Path, rows: list[Row], tmp_path: Path) -> None:
    def mood(asked: Asked, times: int) -> str:
        return MALFORMED if asked == (rows[0].query, rows[0].t) and times == 0 else WELL

    with ModelServer.of(rows, mood=mood) as server:
        words = words_for(built, server, tmp_path / "out", "--limit", 2, "--epochs", 2, "--json")
        said = json.loads(run(*words, "--single").stdout)
    assert Counter(server.answered) == {(row.query, row.t): 2 for row in rows[:2]}
    pairs = [(one["instance_id"], one["epoch"]) for one in predictions(tmp_path / "out")]
    assert sorted(pairs) == sorted((row.instance_id, n) for row in rows[:2] for n in (1, 2))
    assert said["scores"]["s5"] == {"mean": 75, "stderr": said["scores"]["s5"]["stderr"], "rows": 2}


def test_the_key_is_sent_and_stands_nowhere(
    built: Path, rows: list[Row], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from inspect_ai.log import list_eval_logs, read_eval_log

    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.setenv("MY_KEY", KEY)
    with ModelServer.of(rows) as server:
        words = words_for(built, server, tmp_path / "out", "--limit", 1, "--json")
        done = run(*words, "--api-key-env", "MY_KEY")
    assert server.keys == {f"Bearer {KEY}"}
    assert KEY not in done.output
    files = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert not any(KEY.encode() in path.read_bytes() for path in files)
    (log,) = list_eval_logs(str(tmp_path / "out" / "logs"))
    text = read_eval_log(log).model_dump_json()
    assert rows[0].instance_id in text
    assert KEY not in text


def test_the_log_holds_every_item_as_a_named_score(
    built: Path, rows: list[Row], tmp_path: Path
) -> None:
    from inspect_ai.log import list_eval_logs, read_eval_log

    with ModelServer.of(rows) as server:
        run(*words_for(built, server, tmp_path / "out", "--limit", 2))
    (info,) = list_eval_logs(str(tmp_path / "out" / "logs"))
    log = read_eval_log(info)
    assert log.status == "success"
    assert log.results is not None
    names = {score.name for score in log.results.scores}
    assert names == {*KEYS, "e5_star", "pass_at_1", "tool_use_efficiency"}
    assert all({"mean", "stderr"} == set(score.metrics) for score in log.results.scores)
    arguments = description(tmp_path / "out")["arguments"]
    assert log.eval.task_args["prompt"] == arguments["prompt"] == prompt_hash()
    assert log.eval.task_args["code"] == arguments["code"]


def test_a_run_without_a_model_is_offline(built: Path, rows: list[Row], tmp_path: Path) -> None:
    words = ["evaluate", "--rows", built, "--limit", 3, "--json"]
    solved = json.loads(run(*words, "--mock", "--out", tmp_path / "oracle").stdout)
    assert solved["scores"]["pass_at_1"]["mean"] == 100
    careless = json.loads(run(*words, "--mock", "do-nothing", "--out", tmp_path / "lazy").stdout)
    assert careless["scores"]["es"]["mean"] < solved["scores"]["es"]["mean"]
    assert careless["tokens"]["agent"]["counted"] == 0


def test_predictions_can_be_scored_again(built: Path, tmp_path: Path) -> None:
    run("evaluate", "--rows", built, "--mock", "--quiet", "--out", tmp_path / "out")
    said = description(tmp_path / "out")["scores"]
    words = ["--rows", built, "--split", "test", "--predictions", tmp_path / "out", "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "scoring", *map(str, words)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    again = json.loads(done.stdout)
    assert again["coverage"]
    for key in ("si", "dr", "es", "avg", *KEYS, "e5_star", "pass_at_1", "tool_use_efficiency"):
        assert again[key] == pytest.approx(said[key]["mean"]), key


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["--mock", "--model", "openai/x"], "--mock"),
        ([], "--model"),
        (["--mock", "wizard"], "wizard"),
        (["--model", "nobody/x"], "nobody"),
        (["--model", "x"], "provider"),
        (["--model", "openai/x", "--base-url", "http://me:hunter2@host/v1"], "--base-url"),
        (["--model", "openai/x", "--base-url", "host"], "no address"),
        (["--model", "openai/x", "--api-key-env", "NO_SUCH_KEY"], "NO_SUCH_KEY"),
        (["--mock", "--price-in", "1"], "--price-out"),
        (["--mock", "--level", "level1"], "level1"),
        (["--mock", "--split", "dev"], "dev"),
    ],
)
def test_what_cannot_be_done_is_refused_in_words(
    built: Path, words: list[str], found: str, tmp_path: Path
) -> None:
    done = run("evaluate", "--rows", built, *words, "--out", tmp_path / "out", code=2)
    assert found in done.output
    assert "Traceback" not in done.output
    assert "hunter2" not in done.output
    assert not (tmp_path / "out").exists()


def test_a_missing_key_is_named(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    done = run(
        "evaluate", "--rows", built, "--model", "openai/x", "--out", tmp_path / "out", code=2
    )
    assert "OPENAI_API_KEY" in done.output


def test_a_folder_holds_one_evaluation(built: Path, tmp_path: Path) -> None:
    words = ["evaluate", "--rows", built, "--mock", "--quiet", "--out", tmp_path / "out"]
    run(*words, "--limit", 2)
    done = run(*words, "--limit", 3, code=2)
    assert "limit 2 then, 3 now" in done.output
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    done = run("evaluate", "--rows", built, "--mock", "--out", tmp_path / "mine", code=2)
    assert "notes.txt" in done.output


def test_without_inspect_ai_the_extra_is_named(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "inspect_ai", None)
    done = run("evaluate", "--rows", built, "--mock", "--out", tmp_path / "out", code=2)
    assert "pip install 'pararecover[eval]'" in done.output
    assert not (tmp_path / "out").exists()


def test_a_cost_is_only_said_where_every_token_was_counted() -> None:
    prices = Prices(input=2, output=10)
    assert prices.cost(Tokens(2, 2, 1_000_000, 0, 100_000)) == 3
    assert prices.cost(Tokens(2, 1, 1_000_000, 0, 100_000)) is None
