"""The oracle as an agent: the perfect plan, and a thought made from the row's labels."""

from __future__ import annotations

from random import Random

from environment.agents.agent import spell
from environment.agents.facts import Scene, find_facts
from environment.agents.thought import write
from environment.episode import Episode
from environment.oracle import places, recover
from plan.json_text import equal
from plan.state import State
from plan.task import RESPONSE, ROOT, Plan, Task


class Oracle:
    """Answers with the recovery that the clean plan gives, whatever the state.

    It looks behind the scenes: into the episode's log, its row's clean plan and labels.
    """

    __slots__ = ("_episode", "_lots")

    def __init__(self, episode: Episode, lots: Random) -> None:
        """Make an oracle for one episode; ``lots`` draws the phrasings of its thoughts."""
        self._episode = episode
        self._lots = lots

    def answer(self, state: State) -> str:
        """Return the thought and the plan of a perfect agent."""
        scene = look(self._episode, state)
        return spell(write(find_facts(scene, scene.plan), self._lots), scene.plan)


def look(episode: Episode, state: State) -> Scene:
    """Return what an oracle knows at a state of its episode."""
    clean, row = episode.world.clean, episode.row
    log = episode.log
    last = [seen for seen in log if seen.round == state.round and seen.node in state.plan.tasks]
    plan = recover(clean, state.plan, log, last)
    return Scene(
        clean,
        state,
        log,
        row.errors if state.round == row.t else (),
        {id: node for id, node in places(clean, state.plan, log).items() if id != ROOT},
        Plan.of(_spared(state.plan, task) for task in plan.tasks.values()),
    )


def _spared(before: Plan, task: Task) -> Task:
    """Return a pending task in the words and order that it has, as far as it is the same."""
    old = before.tasks.get(task.id)
    if old is None or task.status:
        return task
    depends_on = old.depends_on if {*old.depends_on} == {*task.depends_on} else task.depends_on
    keeps = task.id == RESPONSE or old.name == task.name
    arguments = old.arguments if equal(old.arguments, task.arguments) else task.arguments
    return Task(
        task.id,
        task.name,
        arguments,
        old.description if keeps else task.description,
        depends_on,
        task.status,
    )
