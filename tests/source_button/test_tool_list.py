"""Tool lists of every form become tools with JSON Schema parameters."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest

from plan.problem import Problem
from plan.tool import Tool
from source_button.tool_list import read_tools


def _read(value: Any) -> tuple[dict[str, Tool], list[str], list[str]]:
    problems: list[Problem] = []
    warnings: list[Problem] = []
    tools = read_tools(value, "", problems, warnings)
    for tool in tools.values():
        if not problems:
            jsonschema_rs.validator_for(tool.parameters)
    return tools, [p.code for p in problems], [w.code for w in warnings]


def test_the_flat_form() -> None:
    tools, problems, warnings = _read(
        [
            {
                "name": "find",
                "description": "Find it.",
                "parameters": {
                    "type": {"type": "string", "description": "A parameter called type."},
                    "properties": {"type": "array", "items": {"type": "number"}},
                },
                "required": ["type"],
                "responses": {"found": {"type": "boolean"}},
            }
        ]
    )
    assert not problems
    assert not warnings
    assert tools["find"].parameters == {
        "type": "object",
        "properties": {
            "type": {"type": "string", "description": "A parameter called type."},
            "properties": {"type": "array", "items": {"type": "number"}},
        },
        "required": ["type"],
    }
    assert tools["find"].returns == {
        "type": "object",
        "properties": {"found": {"type": "boolean"}},
    }


def test_the_openai_form() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    tools, problems, warnings = _read(
        [{"type": "function", "function": {"name": "f", "description": "d", "parameters": schema}}]
    )
    assert (tools["f"].parameters, problems, warnings) == (schema, [], [])


@pytest.mark.parametrize(
    ("found", "schema"),
    [
        ("float", {"type": "number"}),
        ("dict", {"type": "object"}),
        ("int", {"type": "integer"}),
        ("List[str]", {"type": "array", "items": {"type": "string"}}),
        ("array of strings", {"type": "array"}),
        ("string[]", {"type": "array", "items": {"type": "string"}}),
        ("bool", {"type": "boolean"}),
        ("datetime", {"type": "string"}),
        ("any", {}),
        ("enum", {}),
        ("string or number", {"type": ["string", "number"]}),
        ("Optional[int]", {"type": ["null", "integer"]}),
        ("Dict[str, int]", {"type": "object"}),
        ("FlightObject", {}),
        (["string", "float"], {"type": ["string", "number"]}),
        (["string", "Whatever"], {}),
    ],
)
def test_foreign_types_are_mapped_with_a_warning(found: Any, schema: Any) -> None:
    tools, problems, warnings = _read(
        [{"name": "f", "description": "", "parameters": {"a": {"type": found}}, "required": []}]
    )
    assert tools["f"].properties["a"] == schema
    assert (problems, warnings) == ([], ["foreign_type"])


@pytest.mark.parametrize(
    ("tool", "warning"),
    [
        ({"parameters": {"a": {"type": "string"}}}, "required_absent"),
        ({"required": []}, "no_parameters"),
        ({"parameters": [{"name": "a", "type": "string"}], "required": []}, "parameter_list"),
        ({"parameters": {"a": {"type": "string", "required": True}}}, "required_flag"),
        ({"parameters": {"a": "string"}, "required": []}, "parameter_text"),
        ({"parameters": {}, "required": ["a"]}, "required_unlisted"),
        ({"parameters": {"a": {"type": "string", "enum": []}}, "required": []}, "enum_empty"),
        ({"parameters": {"a": {"minimum": "3"}}, "required": []}, "schema_keyword"),
        ({"parameters": {"a": {"pattern": "("}}, "required": []}, "schema_keyword"),
        ({"parameters": {}, "required": [], "responses": "a list"}, "tool_responses"),
        ({"parameters": {}, "required": [], "description": None}, "tool_description"),
    ],
)
def test_what_is_odd_but_clear_is_kept_with_a_warning(tool: Any, warning: str) -> None:
    tools, problems, warnings = _read([{"name": "f", "description": "Does.", **tool}])
    assert (list(tools), problems, warnings) == (["f"], [], [warning])


@pytest.mark.parametrize(
    ("tools", "code"),
    [
        ("none", "tool_list"),
        ([], "no_tools"),
        (["find"], "tool_type"),
        ([{"description": "x"}], "tool_name"),
        ([{"name": ""}], "tool_name"),
        ([{"name": 7}], "tool_name"),
        ([{"name": "f", "parameters": "city"}], "tool_parameters"),
        ([{"name": "f", "parameters": [1]}], "tool_parameters"),
        ([{"name": "f", "parameters": {"a": 5}}], "tool_schema"),
        ([{"name": "f", "parameters": {"a": {"type": 5}}}], "tool_schema"),
        ([{"name": "f", "parameters": {"a": {"anyOf": {}}}}], "tool_schema"),
        ([{"name": "f", "parameters": {"a": {}}, "required": "a"}], "tool_required"),
        ([{"name": "f", "parameters": {"a": {"$ref": "#/definitions/gone"}}}], "schema_reference"),
        ([{"name": "f", "parameters": {"a": {"$ref": "http://x.org/s"}}}], "schema_reference"),
        ([{"name": "f", "parameters": {"a": {"$ref": "#/properties/a"}}}], "schema_reference"),
        (2 * [{"name": "f", "parameters": {}, "required": []}], "duplicate_tool"),
    ],
)
def test_what_is_no_tool_list_is_a_problem(tools: Any, code: str) -> None:
    assert code in _read(tools)[1]


def test_a_schema_may_refer_to_itself() -> None:
    node = {
        "type": "object",
        "properties": {"children": {"type": "array", "items": {"$ref": "#/definitions/node"}}},
    }
    tools, problems, _ = _read(
        [
            {
                "name": "f",
                "description": "d",
                "parameters": {
                    "type": "object",
                    "properties": {"tree": {"$ref": "#/definitions/node"}},
                    "definitions": {"node": node},
                    "required": ["tree"],
                },
            }
        ]
    )
    assert not problems
    validator = jsonschema_rs.validator_for(tools["f"].parameters)
    assert validator.is_valid({"tree": {"children": [{"children": []}]}})
    assert not validator.is_valid({"tree": {"children": [3]}})


def test_deep_schemas_are_a_problem() -> None:
    schema: Any = {"type": "string"}
    for _ in range(100):
        schema = {"type": "array", "items": schema}
    assert "nesting" in _read([{"name": "f", "parameters": {"a": schema}, "required": []}])[1]
