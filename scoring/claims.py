"""What an answer's thought says of its row, held against what is known of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from scoring.answer import RESPONSE, ROOT, Answer, Plan
from scoring.case import Case
from scoring.graph import ancestors
from scoring.json_text import Json, dumps
from scoring.reference import nodes_in
from scoring.thought import Names, Sentence, joined, quotations, sentences

MESSAGE = 12
"""So many characters of a failure's message quoted tell of that failure."""

_REF = re.compile(r'"\$ref":"[^"]*"')

_CLAUSE = re.compile(r",?\s+(?:whereas|while|but)\s+|,\s+(?:and|so)\s+|;\s+", re.IGNORECASE)


@dataclass(frozen=True)
class Claims:
    """A row and what an answer's thought says of it."""

    case: Case
    answer: Answer

    @cached_property
    def plans(self) -> list[Plan]:
        """The plans that a statement may be about: earlier ones, the new and the clean one."""
        plan = self.answer.plan
        return [self.case.plan, *self.case.past, *([plan] if plan else []), self.case.gold]

    @cached_property
    def names(self) -> Names:
        """What a thought may name."""
        nodes: dict[str, set[str]] = {}
        for plan in (self.case.plan, *self.case.past, self.answer.plan or {}):
            for id, task in plan.items():
                if id not in (ROOT, RESPONSE):
                    nodes.setdefault(id, set()).add(task.name)
        tools = set(self.case.tools).union(*nodes.values()) if nodes else set(self.case.tools)
        return Names(
            {id: frozenset(used) for id, used in nodes.items()},
            frozenset(tools),
            frozenset(id for id in nodes if id not in self._values),
        )

    @cached_property
    def _values(self) -> set[str]:
        """Numbers that stand in the query, in arguments and in results."""
        plan = self.answer.plan or {}
        texts = [
            self.case.query,
            *(dumps(seen.arguments) + dumps(seen.result) for seen in self.case.log),
            *(
                _REF.sub("", dumps(task.arguments))
                for one in (self.case.plan, *self.case.past, plan)
                for task in one.values()
            ),
        ]
        return set(re.findall(r"\d+", " ".join(texts)))

    @cached_property
    def sentences(self) -> list[Sentence]:
        """The thought's sentences; one that quotes a failure's message tells of that failure."""
        return [self._told(sentence) for sentence in sentences(self.answer.thought, self.names)]

    def _told(self, sentence: Sentence) -> Sentence:
        for piece in quotations(sentence.text):
            folded = " ".join(piece.replace("\\", "").split()).casefold().strip("\"'")
            sources = [node for node, text in self._messages.items() if folded in text]
            if len(folded) >= MESSAGE and sources:
                return replace(
                    sentence,
                    fails=True,
                    nodes=sentence.nodes or (tuple(sources) if len(sources) == 1 else ()),
                )
        return sentence

    @cached_property
    def clauses(self) -> list[Sentence]:
        """The sentences, parted where one tells of two outcomes."""
        found = []
        for sentence in self.sentences:
            parts = _CLAUSE.split(sentence.text)
            if len(parts) == 1 or any(part.count('"') % 2 for part in parts):
                found.append(sentence)
            else:
                found.extend(
                    self._told(clause) for part in parts for clause in sentences(part, self.names)
                )
        return found

    @cached_property
    def _messages(self) -> dict[str, str]:
        """What failed calls returned."""
        return {
            seen.node: joined([dumps(seen.result)])
            for seen in self.case.log
            if seen.node in self.loud
        }

    @cached_property
    def loud(self) -> set[str]:
        """Sent calls whose results say that they failed."""
        case = self.case
        loud = {error["node"] for error in case.errors if error["visibility"] == "explicit"}
        # What was sent with a reference left in it came back as failed, whatever its label.
        loud |= {seen.node for seen in case.log if any(nodes_in(seen.arguments))}
        return loud & case.sent

    @cached_property
    def injected(self) -> list[Mapping[str, Json]]:
        """The errors that were injected."""
        return [error for error in self.case.errors if error["origin"] == "injected"]

    @cached_property
    def affected(self) -> set[str]:
        """Tasks of the plan before that can't be right because of an injected error."""
        own = {error["node"] for error in self.injected}
        found = {node for error in self.case.errors for node in error["affected"]}
        found |= {error["node"] for error in self.case.errors if error["origin"] != "injected"}
        # A task with an error of its own is affected where another error reaches it.
        reached = {
            node
            for error in self.case.errors
            for node in error["affected"]
            if node in own and node != error["node"]
        }
        return {node for node in found - own | reached if node in self.case.plan}

    @cached_property
    def wrong(self) -> set[str]:
        """Every task that an error stands at or reaches."""
        return self.affected | {error["node"] for error in self.case.errors}

    @cached_property
    def said(self) -> str:
        """All that an agent could read, and what it wrote in its plan: one folded text."""
        plan = self.answer.plan or {}
        own = [
            f"{task.id} {task.name} {dumps(task.arguments)} {task.description}"
            for task in plan.values()
        ]
        return joined([*self.case.texts, *own])

    def waits(self, node: str, other: str) -> bool:
        """Tell whether a task waits for another in any plan at hand."""
        return any(other in before.get(node, ()) for before in self._waits)

    def always_waits(self, node: str, other: str) -> bool:
        """Tell whether a task waits for another, by its dependencies, in every plan that has it."""
        return all(other in before[node] for before in self._stated if node in before)

    @cached_property
    def _stated(self) -> list[dict[str, frozenset[str]]]:
        return [
            ancestors({id: task.depends_on for id, task in plan.items()}) for plan in self.plans
        ]

    @cached_property
    def _waits(self) -> list[dict[str, frozenset[str]]]:
        """What tasks wait for by their dependencies, or refer to."""
        return [
            *self._stated,
            *(
                ancestors(
                    {
                        id: {*task.depends_on, *(n for n in nodes_in(task.arguments) if n != id)}
                        for id, task in plan.items()
                    }
                )
                for plan in self.plans
            ),
        ]
