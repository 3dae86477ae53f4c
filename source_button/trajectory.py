"""One BUTTON record as tools, user messages, turns, calls and results, or what is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from plan.json_text import Json, dump_bytes, equal, escape, type_name
from plan.problem import Problem
from plan.reference import is_expression
from plan.tool import Tool
from source_button.strict_json import JsonError, parse
from source_button.tool_list import read_tools

MAX_DEPTH = 100
"""Levels of nesting that arguments and results may have."""

_TOOL_ROLES = frozenset({"tool", "function", "observation"})
_RESULT_KEYS = ("results", "result", "response", "output")
_LEVELS: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}


@dataclass(slots=True)
class RecordedCall:
    """A call as it was made, and what came back.

    Attributes:
        turn: the assistant message that made it, from 1.
        name: the tool's name.
        arguments: what was sent.
        path: JSON Pointer of the call in the record, going on into its JSON text.
        result: what the tool returned.
        thought: what the assistant wrote before the call.
        said: how many of the user messages came before it.
    """

    turn: int
    name: str
    arguments: dict[str, Json]
    path: str
    thought: str
    said: int
    result: Json = None


@dataclass(frozen=True, slots=True)
class Trajectory:
    """A record that holds together.

    Attributes:
        tools: the tool list by name.
        users: the user's messages in order.
        calls: in call order.
        warnings: what was mapped, reordered or doubtful, without loss.
    """

    tools: dict[str, Tool]
    users: list[str]
    calls: list[RecordedCall]
    warnings: list[Problem]

    @property
    def query(self) -> str:
        """The user's messages up to the last call, joined by a blank line."""
        return "\n\n".join(self.users[: self.calls[-1].said])


def read_record(value: Json) -> Trajectory | list[Problem]:
    """Read one decoded BUTTON record.

    Returns the trajectory, or everything that is wrong, in the record's order. Paths are
    JSON Pointers into the record; inside a message they go on into the JSON text of its
    ``<tool>``, ``<call>`` or results.
    """
    if isinstance(value, dict) and isinstance(value.get("messages"), list):
        return _Reader().read(value["messages"])
    if isinstance(value, dict) and "messages" in value:
        found = type_name(value["messages"])
        return [Problem("not_button", "/messages", f"expected a list of messages, found {found}")]
    found = "no such key" if isinstance(value, dict) else type_name(value)
    return [Problem("not_button", "", f'expected an object with a list "messages", found {found}')]


class _Reader:
    """Goes through the messages of one record, once."""

    __slots__ = (
        "calls", "open", "problems", "said", "tools", "tools_rejected", "turn", "users", "warnings",
    )  # fmt: skip

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.warnings: list[Problem] = []
        self.tools: dict[str, Tool] | None = None
        self.tools_rejected = False
        self.users: list[str] = []
        self.calls: list[RecordedCall] = []
        self.open: list[RecordedCall] = []
        self.turn = 0
        self.said = 0

    def read(self, messages: list[Json]) -> Trajectory | list[Problem]:
        answered = False
        broken = False
        index = 0
        while index < len(messages):
            message = messages[index]
            path = f"/messages/{index}"
            index += 1
            if not isinstance(message, dict):
                self.problem("message_type", path, f"expected an object, found {_kind(message)}")
                continue
            role = _role(message)
            content = message.get("content")
            if not isinstance(content, str):
                self.problem(
                    "message_content", f"{path}/content", f"expected text, found {_kind(content)}"
                )
                continue
            path += "/content"
            if role in _TOOL_ROLES:
                parts = [(path, content)]
                while index < len(messages) and _is_result(messages[index]):
                    parts.append((f"/messages/{index}/content", messages[index]["content"]))
                    index += 1
                if not broken:
                    self.read_results(parts)
                self.open = []
                broken = False
                continue
            if self.open:
                self.problem("no_results", self.open[0].path, "these calls have no results")
                self.open = []
            broken = False
            if role == "assistant":
                if "<call>" in content:
                    answered = "<final>" in content
                    before = len(self.problems)
                    self.read_calls(content, path)
                    # Without the calls, their results can't be judged.
                    broken = len(self.problems) > before and not self.open
                else:
                    answered = True
            elif role == "user":
                self.users.append(content)
            elif role == "system":
                before = len(self.problems)
                self.read_system(content, path)
                self.tools_rejected |= len(self.problems) > before
            else:
                self.problem(
                    "message_role",
                    path[:-8] + "/role",
                    f"expected system, user, assistant or tool, found {_shown(message, 'role')}",
                )
        if self.open:
            self.problem("no_results", self.open[0].path, "these calls have no results")
        if self.tools is None and not any(p.code == "no_tool_block" for p in self.problems):
            self.problem("no_tool_block", "/messages", "no system message lists the tools")
        if not self.users:
            self.problem("no_query", "/messages", "no user message")
        elif self.calls and not self.calls[0].said:
            self.problem("no_query", "/messages", "the first call comes before any user message")
        if not self.turn:
            self.problem("no_calls", "/messages", "no assistant message calls a tool")
        if self.problems:
            return self.problems
        if not answered:
            self.warn("no_final", "/messages", "the trajectory ends without a final answer")
        assert self.tools is not None
        return Trajectory(self.tools, self.users, self.calls, self.warnings)

    def problem(self, code: str, path: str, message: str) -> None:
        self.problems.append(Problem(code, path, message))

    def warn(self, code: str, path: str, message: str) -> None:
        self.warnings.append(Problem(code, path, message))

    def parse(self, text: str, code: str, path: str) -> Json:
        """Return decoded JSON text, or `_BROKEN` once its problem is noted."""
        try:
            return parse(text)
        except JsonError as error:
            self.problem(
                code if error.code == "json" else error.code, path + error.path, error.message
            )
            return _BROKEN

    def read_system(self, content: str, path: str) -> None:
        start = content.find("<tool>")
        if start < 0:
            if self.tools is None:
                self.problem(
                    "no_tool_block", path, "expected the tools as JSON between <tool> and </tool>"
                )
            return
        if self.tools is not None:
            self.problem("second_tool_block", path, "a second message lists tools")
            return
        self.tools = {}
        end = content.find("</tool>", start)
        if end < 0:
            self.problem("tool_json", path, "<tool> without </tool>")
            return
        try:
            value = parse(content[start + 6 : end])
        except JsonError as error:
            # A description may hold the closing tag; then the last one closes.
            last = content.rfind("</tool>")
            if error.code == "json" and last != end:
                value = self.parse(content[start + 6 : last], "tool_json", path)
            else:
                code = "tool_json" if error.code == "json" else error.code
                self.problem(code, path + error.path, error.message)
                return
        if value is not _BROKEN:
            self.tools = read_tools(value, path, self.problems, self.warnings)

    def read_calls(self, content: str, path: str) -> None:
        """Read an assistant message's ``<call>`` blocks into ``self.open``."""
        self.turn += 1
        start = content.find("<call>")
        thought = content[:start].strip()
        # Without a "$" there is none of our operators; looking for them costs more than this.
        suspicious = "$" in content or "\\u0024" in content
        found: list[tuple[str, Json]] = []
        blocks = 0
        while start >= 0:
            blocks += 1
            end = content.find("</call>", start)
            if end < 0:
                self.warn("call_unclosed", path, "<call> without </call>")
                end = len(content)
            text = _unfenced(content[start + 6 : end])
            try:
                value = parse(text)
            except JsonError as error:
                last = content.rfind("</call>")
                if error.code == "json" and last > end:
                    # An argument may hold the closing tag; then the last one closes.
                    end = last
                    value = self.parse(_unfenced(content[start + 6 : last]), "call_json", path)
                else:
                    code = "call_json" if error.code == "json" else error.code
                    self.problem(code, path + error.path, error.message)
                    value = _BROKEN
            if value is _BROKEN:
                return
            if isinstance(value, list):
                found.extend((f"{path}/{n}", item) for n, item in enumerate(value))
            else:
                found.append((path, value))
            start = content.find("<call>", end)
        if blocks > 1:
            self.warn("several_call_blocks", path, f"{blocks} <call> blocks in one message")
        if "<final>" in content:
            self.warn("call_and_final", path, "a message both calls and answers")
        if not found:
            self.problem("call_empty", path, "<call> holds no call")
        made: list[RecordedCall] = []
        whole = True
        for place, item in found:
            call = self.read_call(item, place, thought, suspicious)
            whole = whole and call is not None
            if call is not None:
                made.append(call)
        if whole:
            self.open = made
            self.calls.extend(made)

    def read_call(
        self, item: Json, path: str, thought: str, suspicious: bool
    ) -> RecordedCall | None:
        if not isinstance(item, dict):
            self.problem("call_type", path, f"expected an object, found {type_name(item)}")
            return None
        if isinstance(item.get("function"), dict):
            item = item["function"]
            self.warn("call_function", path, "the call is wrapped in a function")
        name = item.get("name")
        if not isinstance(name, str):
            self.problem("call_name", path, "the call names no tool")
            return None
        arguments = item.get("arguments")
        if arguments is None and "arguments" not in item and "parameters" in item:
            arguments = item["parameters"]
            self.warn("call_parameters", path, 'arguments stand under "parameters"')
        if arguments is None:
            arguments = {}
            self.warn("no_arguments", path, "the call gives no arguments; taken as none")
        place = f"{path}/arguments"
        if isinstance(arguments, str):
            text = arguments
            arguments = self.parse(text or "{}", "call_json", place)
            if arguments is _BROKEN:
                return None
            self.warn("arguments_text", place, "the arguments are JSON text in a string")
        if not isinstance(arguments, dict):
            self.problem(
                "arguments_type", place, f"expected an object, found {type_name(arguments)}"
            )
            return None
        deep = _too_deep(arguments)
        if deep:
            self.problem("nesting", place, f"arguments are nested more than {MAX_DEPTH} deep")
            return None
        lookalike = _expression(arguments, "") if suspicious else None
        if lookalike is not None:
            self.problem(
                "reference_lookalike",
                place + lookalike,
                "the argument looks like one of our own references; it could not be told apart",
            )
        self.check_call(name, arguments, path)
        return RecordedCall(self.turn, name, arguments, path, thought, len(self.users))

    def check_call(self, name: str, arguments: dict[str, Json], path: str) -> None:
        """Note what keeps a call from being a clean call of a listed tool."""
        if self.tools is None:
            return
        tool = self.tools.get(name)
        if tool is None:
            # Where the tool list itself has problems, they say why the name is unknown.
            if not self.tools_rejected:
                known = ", ".join(sorted(self.tools)[:8])
                self.problem(
                    "unknown_tool", f"{path}/name", f"no tool is named {name!r}; listed: {known}"
                )
            return
        for key in tool.required:
            if key not in arguments:
                self.problem(
                    "missing_argument",
                    f"{path}/arguments",
                    f"{name} requires {key!r}, which the call doesn't give",
                )
        properties = tool.properties
        for key, value in arguments.items():
            schema = properties.get(key)
            if schema is None:
                if not tool.is_open and not tool.parameters.get("patternProperties"):
                    self.problem(
                        "unknown_argument",
                        f"{path}/arguments/{escape(key)}",
                        f"{name} has no parameter {key!r}",
                    )
                continue
            kind = schema.get("type")
            if kind is not None and not (
                (type(value) is str and kind == "string") or _is_type(value, kind)
            ):
                place = f"{path}/arguments/{escape(key)}"
                message = f"{name} takes {kind} for {key!r}, the call gives {type_name(value)}"
                if _is_coercible(value, kind) or (value is None and key not in tool.required):
                    self.warn("argument_type", place, message)
                else:
                    self.problem("argument_type", place, message)
            values = schema.get("enum")
            if values is not None and not any(equal(value, each) for each in values):
                self.warn(
                    "argument_enum",
                    f"{path}/arguments/{escape(key)}",
                    f"{name} lists other values for {key!r} than the call gives",
                )

    def read_results(self, parts: list[tuple[str, str]]) -> None:
        """Give the open calls their results."""
        calls = self.open
        if not calls:
            self.problem("stray_results", parts[0][0], "results without a call before them")
            return
        found: list[tuple[str, Json]] = []
        before = len(self.problems)
        for path, content in parts:
            text = content.strip()
            if len(calls) == len(parts) and text[:1] not in ("[", "{"):
                # One message for each call, and no form at all: the text is the result.
                found.append((path, content))
                continue
            value = self.parse(_unfenced(text), "results_json", path)
            if value is _BROKEN:
                continue
            if isinstance(value, list) and (
                len(parts) == 1 and (len(calls) > 1 or not value or _is_entry(value[0]))
            ):
                found.extend((f"{path}/{n}", item) for n, item in enumerate(value))
            elif isinstance(value, list) and len(value) == 1 and _is_entry(value[0]):
                found.append((f"{path}/0", value[0]))
            else:
                found.append((path, value))
        if len(self.problems) > before:
            return
        if len(parts) > 1:
            self.warn("several_results", parts[0][0], f"{len(parts)} tool messages for one turn")
        if len(found) != len(calls):
            self.problem(
                "result_count",
                parts[0][0],
                f"expected {len(calls)} results, one for each call, found {len(found)}",
            )
            return
        if len(calls) == len(parts) and not any(_is_entry(item) for _, item in found):
            self.warn("results_bare", parts[0][0], "results without the calls' names")
            for call, (path, item) in zip(calls, found, strict=True):
                self.keep_result(call, item, path)
            return
        self.match_results(found)

    def match_results(self, found: list[tuple[str, Json]]) -> None:
        """Match results to calls: by place, else by name and arguments, else by name."""
        calls = self.open
        entries: list[tuple[str, str, Json, Json]] = []
        for path, item in found:
            entry = self.read_entry(item, path)
            if entry is None:
                return
            entries.append(entry)
        if all(
            entry[1] == call.name and (entry[2] is None or entry[2] == call.arguments)
            for entry, call in zip(entries, calls, strict=True)
        ):
            for call, entry in zip(calls, entries, strict=True):
                self.keep_result(call, entry[3], entry[0])
            return
        rest = list(range(len(entries)))
        chosen: dict[int, int] = {}
        for number, call in enumerate(calls):
            key = dump_bytes(call.arguments)
            for place in rest:
                _, name, arguments, _ = entries[place]
                if name == call.name and arguments is not None and dump_bytes(arguments) == key:
                    chosen[number] = place
                    rest.remove(place)
                    break
        unmatched = [number for number in range(len(calls)) if number not in chosen]
        for number in unmatched:
            name = calls[number].name
            same = [place for place in rest if entries[place][1] == name]
            if len(same) != 1 or sum(calls[other].name == name for other in unmatched) != 1:
                self.problem(
                    "result_match",
                    found[0][0] if not rest else entries[rest[0]][0],
                    f"no result can be matched with certainty to the call of {name!r}",
                )
                return
            rest.remove(same[0])
            chosen[number] = same[0]
            self.warn(
                "result_arguments",
                f"{entries[same[0]][0]}/arguments",
                f"the result of {name!r} repeats other arguments than the call's",
            )
        if any(number != place for number, place in chosen.items()):
            self.warn(
                "results_reordered", found[0][0], "the results come in another order than the calls"
            )
        for number, place in chosen.items():
            self.keep_result(calls[number], entries[place][3], entries[place][0])

    def read_entry(self, item: Json, path: str) -> tuple[str, str, Json, Json] | None:
        """Return (path, name, arguments or None, result)."""
        if not isinstance(item, dict):
            self.problem(
                "result_type",
                path,
                f"expected an object with name, arguments and results, found {type_name(item)}",
            )
            return None
        name = item.get("name")
        if not isinstance(name, str):
            self.problem("result_name", path, "the result doesn't say which tool gave it")
            return None
        for key in _RESULT_KEYS:
            if key in item:
                break
        else:
            self.problem("result_missing", path, 'there is no "results"')
            return None
        if key != "results":
            self.warn("result_key", f"{path}/{key}", f'the result stands under "{key}"')
        arguments = item.get("arguments")
        if isinstance(arguments, str):
            try:
                arguments = parse(arguments)
            except JsonError:
                arguments = None
        return path, name, arguments, item[key]

    def keep_result(self, call: RecordedCall, result: Json, path: str) -> None:
        if _too_deep(result):
            self.problem("nesting", path, f"the result is nested more than {MAX_DEPTH} deep")
            return
        call.result = result
        if isinstance(result, dict) and _is_failure(result):
            self.warn("result_failure", path, f"the result of {call.name!r} tells of a failure")


_BROKEN = object()


def _kind(value: Json) -> str:
    return "nothing" if value is None else type_name(value)


def _role(message: dict[str, Json]) -> str:
    role = message.get("role")
    return role if isinstance(role, str) else ""


def _shown(message: dict[str, Json], key: str) -> str:
    """Return a key's value as a message shows it."""
    value = message.get(key)
    return repr(value[:60]) if isinstance(value, str) else _kind(value)


def _is_result(message: Json) -> bool:
    return (
        isinstance(message, dict)
        and _role(message) in _TOOL_ROLES
        and isinstance(message.get("content"), str)
    )


def _is_entry(value: Json) -> bool:
    """Tell whether a value has the form of one call's results."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("name"), str)
        and ("arguments" in value or any(key in value for key in _RESULT_KEYS))
    )


def _unfenced(text: str) -> str:
    """Return a block's text without a Markdown fence around it."""
    text = text.strip()
    if text.startswith("```") and text.endswith("```") and "\n" in text:
        return text[text.index("\n") + 1 : -3].strip()
    return text


def _is_failure(result: dict[str, Json]) -> bool:
    if result.get("error") and not result.get("success"):
        return True
    status = result.get("status")
    return isinstance(status, str) and status.casefold() in ("error", "failed", "failure")


def _is_type(value: Json, kind: Json) -> bool:
    if isinstance(kind, list):
        return any(_is_type(value, each) for each in kind)
    if kind == "integer":
        return (isinstance(value, int) and not isinstance(value, bool)) or (
            isinstance(value, float) and value.is_integer()
        )
    if isinstance(value, bool):
        return bool(kind == "boolean")
    return isinstance(value, _LEVELS.get(kind, (object,)))


def _is_coercible(value: Json, kind: Json) -> bool:
    """Tell whether a value of another type still says the same beyond doubt."""
    if isinstance(kind, list):
        return any(_is_coercible(value, each) for each in kind)
    if kind in ("number", "integer") and isinstance(value, str):
        try:
            float(value)
        except ValueError:
            return False
        return True
    if kind == "string":
        return isinstance(value, (int, float, bool))
    if kind == "boolean":
        return isinstance(value, str) and value.casefold() in ("true", "false", "yes", "no")
    if kind == "array":
        # One value for a list of one, or values in one text with commas.
        return value is not None
    if kind == "object":
        return isinstance(value, str) and value.lstrip()[:1] == "{"
    return bool(kind == "integer" and isinstance(value, float))


def _too_deep(value: Json, left: int = MAX_DEPTH) -> bool:
    if not left:
        return isinstance(value, (dict, list))
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, list):
        return False
    for item in value:
        if (type(item) is dict or type(item) is list) and _too_deep(item, left - 1):
            return True
    return False


def _expression(value: Json, pointer: str) -> str | None:
    """Return where something looks like a reference of ours, or None."""
    if isinstance(value, dict):
        if len(value) == 1 and is_expression(value):
            return pointer
        for key, item in value.items():
            if type(item) is dict or type(item) is list:
                found = _expression(item, f"{pointer}/{escape(key)}")
                if found is not None:
                    return found
    elif isinstance(value, list):
        for index, item in enumerate(value):
            if type(item) is dict or type(item) is list:
                found = _expression(item, f"{pointer}/{index}")
                if found is not None:
                    return found
    return None
