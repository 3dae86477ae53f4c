"""Episodes: an agent answers, its plan is executed for a round, until the response runs.

An `Episode` does no input or output of its own: whoever drives it shows `Episode.state` to
an agent, in whatever way that agent is reached, and gives back what it wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from environment.careless import advance
from environment.rightness import is_solved
from environment.world import World, usable_results
from plan.clean import CleanPlan
from plan.execution import EMPTY, ERROR, OK, Execution, Fault, Observation, is_empty
from plan.json_text import Json, dump_bytes, loads
from plan.reference import references
from plan.row import Row
from plan.state import Round, State
from plan.task import RESPONSE, Plan, Task
from plan.tool import Tool

MAXIMUM_ROUNDS = 40
"""The paper's bound (appendix H); all rounds count, those already spent included."""

MOST_INPUT = 16 << 20
"""Bytes that references may bring into one call; what passes them is refused unsent."""

Read = Callable[[str], Json | None]
"""Reads an agent's output: the JSON of a well-formed plan (as a row spells it), or None."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended.

    ``round`` is the one in which the response ran, or None if it never did; ``solved``
    whether the response ran and every clean call had been made rightly before.
    """

    round: int | None
    solved: bool
    log: tuple[Execution, ...]


def run_to_end(world: World, plan: Plan, log: Sequence[Execution], after: int) -> Ending:
    """Execute a plan, changing nothing but statuses, from the round after ``after`` on."""
    done = list(log)
    for round in range(after + 1, MAXIMUM_ROUNDS + 1):
        frontier = plan.frontier()
        if not frontier:
            break
        executions = world.run(plan, done, round, {})
        done += executions
        if RESPONSE in frontier:
            return Ending(round, is_solved(world.clean, done, round), tuple(done))
        plan = advance(plan, executions)
    return Ending(None, False, tuple(done))


def read_state(row: Row) -> State:
    """Return the state that a row's agent is shown: its input columns, parsed."""
    return State(
        row.t,
        row.query,
        {tool["name"]: Tool.from_json(tool) for tool in loads(row.tools)},
        Plan.from_json(loads(row.plan)),
        tuple(Observation.from_json(seen) for seen in loads(row.observations)),
        tuple(Round.from_json(past) for past in loads(row.history)),
    )


def replay(world: World, state: State, faults: Sequence[Fault]) -> list[Execution]:
    """Execute the rounds up to a state again and return their log.

    Args:
        world: the row's world.
        state: the row's state, at round t.
        faults: what the environment was asked for in rounds 1 to t.
    """
    log: list[Execution] = []
    plans = [past.plan for past in state.history]
    for round, plan in enumerate([*plans, state.plan], 1):
        asked = {fault.node: fault.kind for fault in faults if fault.round == round}
        log += world.run(plan, log, round, asked)
    return log


class Episode:
    """One row, played by one agent.

    The environment keeps its own log: a status of true on a call that was never sent makes
    nothing executed (references to it fail), one of false on a call that was sent calls it
    again. Nothing that an agent can write raises: what can't be read spends a round in
    which nothing runs, and a call that can't be made comes back as failed.

    Attributes:
        row: the row.
        world: its world.
    """

    __slots__ = (
        "_log",
        "_outside",
        "_read",
        "_response_round",
        "_state",
        "_steps",
        "_waiting",
        "row",
        "world",
    )

    def __init__(self, row: Row, read: Read, *, outside: bool = False) -> None:
        """Begin at the row's state.

        Args:
            row: a certified row.
            read: reads an agent's output.
            outside: whether legal calls without a recording are left to a tool agent (see
                `Episode.waiting`) rather than simulated.
        """
        self.row = row
        self._read = read
        self._outside = outside
        self._state = read_state(row)
        clean = CleanPlan.from_row_json(row.query, loads(row.tools), loads(row.clean_plan))
        self.world = World(clean, row.seed)
        faults = [Fault.from_json(fault) for fault in loads(row.faults)]
        self._log = replay(self.world, self._state, faults)
        self._steps: list[tuple[int, str]] = []
        self._waiting: dict[str, int] = {}
        self._response_round: int | None = None

    @property
    def state(self) -> State:
        """What the agent sees; its last round is ``state.round``."""
        return self._state

    @property
    def log(self) -> Sequence[Execution]:
        """Everything executed, in order; not for agents to see."""
        return tuple(self._log)

    @property
    def is_over(self) -> bool:
        """Whether the response has run or the rounds are spent."""
        return self._response_round is not None or self._state.round >= MAXIMUM_ROUNDS

    @property
    def waiting(self) -> list[Execution]:
        """Calls of the last round whose results a tool agent is to give with `settle`.

        Each stands as simulated until then.
        """
        return [self._log[index] for index in self._waiting.values()]

    def give(self, output: str) -> None:
        """Take the agent's answer to `state` and execute its frontier as the next round.

        Raises:
            ValueError: the episode is over, or a call waits for its result.
        """
        if self.is_over or self._waiting:
            raise ValueError("the episode is over" if self.is_over else "a call waits")
        state = self._state
        round = state.round + 1
        self._steps.append((state.round, output))
        value = self._read(output)
        plan = None if value is None else _plan(value)
        executions: list[Execution] = []
        if plan is not None:
            frontier = plan.frontier()
            results = usable_results(self._log)
            executions = [
                self._execute(plan.tasks[id], results, round) for id in frontier if id != RESPONSE
            ]
            if RESPONSE in frontier:
                self._response_round = round
        if self._outside:
            first = len(self._log)
            self._waiting = {
                seen.node: first + index for index, seen in enumerate(executions) if seen.synthetic
            }
        self._log += executions
        self._state = State(
            round,
            state.query,
            state.tools,
            state.plan if plan is None else plan,
            tuple(seen.observation() for seen in executions),
            (*state.history, Round(state.round, state.plan, state.observations)),
        )

    def settle(self, node: str, result: Json, *, failed: bool = False) -> None:
        """Give the result of a call of `waiting`; ``failed`` if it is an error.

        Raises:
            KeyError: no such call waits.
        """
        index = self._waiting.pop(node)
        outcome = ERROR if failed else EMPTY if is_empty(result) else OK
        self._log[index] = replace(self._log[index], outcome=outcome, result=result)
        seen = tuple(done.observation() for done in self._of_round(self._state.round))
        self._state = replace(self._state, observations=seen)

    def record(self, agent: str) -> dict[str, Json]:
        """Return the episode as a predictions file keeps it.

        *Reached*: the response was executed. *Solved*: reached, and every clean call had been
        made rightly. ``calls`` counts those of all rounds, the response being none; each
        step's observations are what executing its answer returned.
        """
        ran = self._response_round
        return {
            "agent": agent,
            "reached": ran is not None,
            "solved": ran is not None and is_solved(self.world.clean, self._log, ran),
            "response_round": ran,
            "rounds": self._state.round,
            "calls": len(self._log),
            "steps": [
                {
                    "round": round,
                    "output": output,
                    "observations": [
                        done.observation().to_json() for done in self._of_round(round + 1)
                    ],
                }
                for round, output in self._steps
            ],
        }

    def _of_round(self, round: int) -> list[Execution]:
        return [seen for seen in self._log if seen.round == round]

    def _execute(self, task: Task, results: Mapping[str, Json], round: int) -> Execution:
        try:
            brought = sum(
                len(dump_bytes(results[found.node]))
                for found in references(task.arguments)
                if found.node in results
            )
            if brought <= MOST_INPUT:
                seen = self.world.execute(task, results, round, None)
                dump_bytes(seen.arguments)
                return seen
        except _UNFIT:
            # Foreign values may be anything: years that no calendar has, indices of a
            # thousand digits. Whatever fails on them, it is the call that is bad.
            pass
        refusal = {"error": f"Bad request: {task.name} can't be called with these arguments."}
        return Execution(round, task.id, task.name, task.arguments, ERROR, refusal, "schema")


_UNFIT = (ArithmeticError, LookupError, RecursionError, TypeError, ValueError)


def _plan(value: Json) -> Plan | None:
    """Return a plan whose texts and numbers are all of canonical JSON; None if it can't be.

    Rows and worlds know no other: half of a surrogate pair becomes U+FFFD, an integer of
    more than 64 bits a float, or hexadecimal text where it is too large for that.
    """
    try:
        text = dump_bytes(value)
    except TypeError:
        try:
            text = dump_bytes(_writable(value))
        except (TypeError, RecursionError):
            return None
    return Plan.from_json(loads(text))


def _writable(value: Json) -> Json:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, bool):
        return value
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        try:
            return float(value)
        except OverflowError:
            return hex(value)
    if isinstance(value, Mapping):
        return {_writable(key): _writable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_writable(item) for item in value]
    return value
