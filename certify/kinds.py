"""The kinds as certificates know them: names and dimensions, and nothing of injectors."""

from __future__ import annotations

from collections.abc import Mapping

DEPENDENCE_ERROR = "Dependence_Error"
DEPENDENCE_NULL = "Dependence_Null"
PARALLELISM_ERROR = "Parallelism_Error"
SERIAL_ERROR = "Serial_Error"
PARAMETER_ERROR = "Parameter_Error"
PARAMETER_INVALID = "Parameter_Invalid"
PARAMETER_MISSING = "Parameter_Missing"
TYPE_ERROR = "Type_Error"
TOOL_NAME_ERROR = "Tool_name_Error"
TOOL_SELECT_ERROR = "Tool_select_Error"
TOOLCALL_MISSING = "Toolcall_Missing"
TOOLCALL_REDUNDANCY = "Toolcall_Redundancy"
NULL_ERROR = "Null_Error"
TIMEOUT_ERROR = "Timeout_Error"

DIMENSIONS: Mapping[str, str] = {
    DEPENDENCE_ERROR: "Structural-related",
    DEPENDENCE_NULL: "Structural-related",
    PARALLELISM_ERROR: "Structural-related",
    SERIAL_ERROR: "Structural-related",
    PARAMETER_ERROR: "Parameter-related",
    PARAMETER_INVALID: "Parameter-related",
    PARAMETER_MISSING: "Parameter-related",
    TYPE_ERROR: "Parameter-related",
    TOOL_NAME_ERROR: "Tool-related",
    TOOL_SELECT_ERROR: "Tool-related",
    TOOLCALL_MISSING: "Tool-related",
    TOOLCALL_REDUNDANCY: "Tool-related",
    NULL_ERROR: "Tool-related",
    TIMEOUT_ERROR: "Tool-related",
}
"""Each kind's dimension (the first paper, appendix C, table 12)."""

KINDS = tuple(DIMENSIONS)
