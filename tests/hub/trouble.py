"""How the loopback Hub misbehaves: what goes wrong with which requests, and how often."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

REFUSE = "refuse"
CUT_BEFORE = "cut before"
CUT_DURING = "cut during"
CUT_AFTER = "cut after"
SLOW = "slow"
HOLD_BEFORE = "hold before"
HOLD_DURING = "hold during"
HOLD_AFTER = "hold after"
ACT = "act"


@dataclass(slots=True)
class Trouble:
    """What happens to the requests that it is about.

    Attributes:
        way: ``refuse`` (with a status); ``cut before`` (connection closed, nothing done),
            ``cut during`` (closed after half of the body), ``cut after`` (done, but the answer is
            lost); ``hold …`` at the same places: stands still until `release`, then cuts; ``slow``;
            ``act`` (calls ``action`` first, then all goes well).
        method: of the request.
        path: a regular expression that is found in the request's path.
        times: how many requests meet it; the next ones go well.
        skip: how many such requests go well before.
        status: of a refusal.
        headers: of a refusal.
        message: of a refusal.
        seconds: how slow.
        action: what is called.
        reached: set once a request has met it; of a hold, once it stands still.
    """

    way: str
    method: str
    path: str
    times: int = 1
    skip: int = 0
    status: int = 503
    headers: dict[str, str] = field(default_factory=dict)
    message: str = "Try again"
    seconds: float = 0.3
    action: Callable[[], object] | None = None
    reached: threading.Event = field(default_factory=threading.Event)
    _goes_on: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def meets(self, method: str, path: str) -> bool:
        """Return whether this request meets it, counting it."""
        if method != self.method or not re.search(self.path, path):
            return False
        with self._lock:
            if self.skip:
                self.skip -= 1
                return False
            if not self.times:
                return False
            self.times -= 1
        if not self.way.startswith("hold"):
            self.reached.set()
        return True

    def hold(self) -> None:
        self.reached.set()
        self._goes_on.wait()

    def release(self) -> None:
        self._goes_on.set()
