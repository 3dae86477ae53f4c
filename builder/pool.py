"""Worker processes for pure functions of one shard, with bounded work in flight."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from types import TracebackType
from typing import TypeVar

from builder.refusal import Refusal

T = TypeVar("T")
R = TypeVar("R")

MOST_WORKERS = 64
AHEAD = 3


def default_workers() -> int:
    """Return the number of processors, 16 at most."""
    return min(os.cpu_count() or 1, 16)


class Pool:
    """Runs shards in spawned processes, or in this one where one worker is enough."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._executor: ProcessPoolExecutor | None = None

    def __enter__(self) -> Pool:
        if self.workers == 1:
            _collect_seldom()
        else:
            self._executor = ProcessPoolExecutor(
                self.workers, mp_context=get_context("spawn"), initializer=_begin
            )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._executor is not None:
            self._executor.shutdown(wait=True, cancel_futures=True)

    def run(self, shard: Callable[[T], R], tasks: Iterable[T]) -> Iterator[R]:
        """Yield the shards' outcomes in the tasks' order.

        Tasks are drawn as needed: no more than a few for each worker are in flight.

        Raises:
            Refusal: a worker process was killed.
        """
        if self._executor is None:
            yield from map(shard, tasks)
            return
        flying: deque[Future[R]] = deque()
        try:
            for task in tasks:
                flying.append(self._executor.submit(shard, task))
                if len(flying) >= self.workers * AHEAD:
                    yield flying.popleft().result()
            while flying:
                yield flying.popleft().result()
        except BrokenProcessPool:
            raise Refusal(
                "worker process",
                "was ended from outside, perhaps for want of memory",
                "workers that live until the build is done",
                "give the same command again, perhaps with fewer --workers: it goes on "
                "where it stopped",
            ) from None


def _collect_seldom() -> None:
    """Let the garbage collector look seldom, and never at what was there before the work.

    Rows are made of thousands of small objects that reference counts free by themselves.
    """
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def _begin() -> None:
    _collect_seldom()
    # The main process answers for Ctrl-C; its workers only finish their shard.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_follow, daemon=True).start()


def _follow() -> None:
    # A pool's workers outlive a killed parent, waiting for work that never comes.
    parent = parent_process()
    if parent is not None:
        parent.join()
        sys.stderr.flush()
        os._exit(1)
