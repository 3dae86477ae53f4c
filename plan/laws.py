"""What is legal for the tools of one trajectory, compiled once and when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from plan.json_text import Json, dumps
from plan.legality import Checker, checker
from plan.rules import Rule, infer
from plan.tool import Tool


class Laws:
    """The schema checkers and value rules of a trajectory's tools.

    Ids have no part in them, so a plan and its renamed copies share one object.
    """

    __slots__ = ("_checkers", "_recorded", "_rules", "_tools")

    def __init__(
        self, tools: Mapping[str, Tool], recorded: Sequence[tuple[str, Mapping[str, Json]]]
    ) -> None:
        self._tools = tools
        self._recorded = recorded
        self._checkers: dict[str, Checker] = {}
        self._rules: dict[str, tuple[Rule, ...]] = {}

    def checker(self, name: str) -> Checker:
        """Return the compiled schema of a listed tool.

        Raises:
            KeyError: no such tool.
        """
        known = self._checkers.get(name)
        if known is None:
            known = self._checkers[name] = checker(dumps(self._tools[name].parameters))
        return known

    def rules(self, name: str) -> tuple[Rule, ...]:
        """Return the value rules of a listed tool, its recorded calls being examples.

        Raises:
            KeyError: no such tool.
        """
        known = self._rules.get(name)
        if known is None:
            examples = [sent for tool, sent in self._recorded if tool == name]
            known = self._rules[name] = infer(self._tools[name], examples)
        return known
