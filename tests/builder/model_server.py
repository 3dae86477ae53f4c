"""A loopback endpoint that speaks OpenAI's chat completions, and misbehaves on demand."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from environment.agents.agent import spell
from environment.agents.baselines import DoNothing
from environment.agents.prompt import SYSTEM
from plan.execution import Observation
from plan.json_text import loads
from plan.row import Row
from plan.state import Round, State
from plan.task import Plan
from plan.tool import Tool
from scoring.llm_judge import ASKED

WELL = "well"
MALFORMED = "malformed"
SLOW = "slow"
BUSY = "busy"
DOWN = "down"
CUT = "cut"

Asked = tuple[str, int]
"""What a request is about: the query and the round."""

Mood = Callable[[Asked, int], str]
"""How a request is met: given what it is about and how often that was asked before."""


def always_well(asked: Asked, times: int) -> str:
    return WELL


@dataclass
class ModelServer:
    """Answers with the row's gold plan, and in later rounds goes on with it.

    Attributes:
        rows: what it knows, by query.
        mood: how it meets each request.
        patience: seconds that a slow answer takes.
        answered: what it answered with 200, in order.
        refused: status codes of other replies.
        bodies: the requests as they came.
        keys: the Authorization headers.
        verdicts: the score that it gives for each item when it is asked as a judge.
        judged: the first item of each question that it was asked as a judge.
        most: after so many answers it falls silent, until `speak`.
    """

    rows: dict[str, Row]
    mood: Mood = always_well
    patience: float = 0.2
    most: int | None = None
    answered: list[Asked] = field(default_factory=list)
    refused: list[int] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)
    verdicts: dict[str, float] = field(default_factory=dict)
    judged: list[str] = field(default_factory=list)
    _speaks: threading.Event = field(default_factory=threading.Event)
    _era: int = 0
    _asked: Counter[Asked] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def of(cls, rows: Iterable[Row], **options: Any) -> ModelServer:
        return cls({row.query: row for row in rows}, **options)

    def __enter__(self) -> ModelServer:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle(self) -> None:
                # A client may give up, or be killed, at any time.
                with contextlib.suppress(ConnectionError):
                    super().handle()

            def do_POST(self) -> None:
                length = int(self.headers["Content-Length"])
                data = self.rfile.read(length)
                if len(data) == length:
                    server._meet(self, json.loads(data))

            def log_message(self, *parts: Any) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        # A client that was killed leaves its connection to a thread that nobody waits for.
        self._http.daemon_threads = True
        threading.Thread(target=self._http.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.speak()
        self._http.shutdown()
        self._http.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    def speak(self) -> None:
        """Answer again; what was asked in the silence never is answered."""
        with self._lock:
            self.most = None
            self._era += 1
        self._speaks.set()

    def _may_answer(self, asked: Asked, era: int) -> bool:
        with self._lock:
            is_silent = self.most is not None and len(self.answered) >= self.most
            if is_silent or era < self._era:
                return False
            self.answered.append(asked)
            return True

    def _meet(self, request: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        content = body["messages"][1]["content"]
        if body["messages"][0]["content"] != SYSTEM:
            self.bodies.append(body)
            self._judge(request, content, len(body["messages"]) > 2)
            return
        shown = loads(content)
        asked = (shown["query"], shown["round"])
        with self._lock:
            times, era = self._asked[asked], self._era
            self._asked[asked] += 1
            self.bodies.append(body)
            self.keys.add(request.headers.get("Authorization", ""))
        mood = self.mood(asked, times)
        self._reply(request, mood, asked, shown, era)

    def _reply(
        self,
        request: BaseHTTPRequestHandler,
        mood: str,
        asked: Asked,
        shown: dict[str, Any],
        era: int,
    ) -> None:
        if mood == CUT:
            request.close_connection = True
            request.connection.close()
            return
        if mood in (BUSY, DOWN):
            status = 429 if mood == BUSY else 503
            self.refused.append(status)
            self._send(request, status, {"error": {"message": "try again", "code": None}})
            return
        if mood == SLOW:
            time.sleep(self.patience)
        text = '<plan>{"tasks": [{"id": ' if mood == MALFORMED else self._answer(shown)
        if not self._may_answer(asked, era):
            self._speaks.wait()
            request.close_connection = True
            return
        self._say(request, text)

    def _say(self, request: BaseHTTPRequestHandler, text: str) -> None:
        self._send(
            request,
            200,
            {
                "id": "chat-1",
                "object": "chat.completion",
                "created": 0,
                "model": "loopback",
                "choices": [
                    {
                        "index": 0,
                        "finish_reason": "stop",
                        "message": {"role": "assistant", "content": text},
                    }
                ],
                "usage": {"prompt_tokens": 1000, "completion_tokens": 10, "total_tokens": 1010},
            },
        )

    def _judge(self, request: BaseHTTPRequestHandler, question: str, again: bool) -> None:
        """Judge as `verdicts` says; the first reply to each question is no JSON."""
        keys = next(keys for keys in ASKED.values() if f"`{keys[0]}`" in question)
        said = {key: {"reason": "So it is.", "score": self.verdicts[key]} for key in keys}
        with self._lock:
            self.judged.append(keys[0])
        self._say(request, json.dumps(said) if again else "Good!")

    def _answer(self, shown: dict[str, Any]) -> str:
        row = self.rows[shown["query"]]
        if shown["round"] == row.t:
            return spell("Here is the repaired plan.", Plan.from_json(loads(row.gold_plan)))
        return DoNothing().answer(
            State(
                shown["round"],
                shown["query"],
                {tool["name"]: Tool.from_json(tool) for tool in shown["tools"]},
                Plan.from_json(shown["plan"]),
                tuple(Observation.from_json(seen) for seen in shown["observations"]),
                tuple(Round.from_json(past) for past in shown["history"]),
            )
        )

    def _send(self, request: BaseHTTPRequestHandler, status: int, value: Any) -> None:
        data = json.dumps(value).encode()
        request.send_response(status)
        if status != 200:
            request.send_header("Retry-After", "0.05")
        request.send_header("Content-Type", "application/json")
        request.send_header("Content-Length", str(len(data)))
        request.end_headers()
        request.wfile.write(data)
