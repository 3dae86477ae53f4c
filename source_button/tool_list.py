"""Tool lists as they are found, turned into tools with JSON Schema parameters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

import orjson

from plan.json_text import Json, escape, lookup, type_name
from plan.problem import Problem
from plan.tool import Tool

_TYPES = frozenset({"object", "array", "string", "number", "integer", "boolean", "null"})
# What people write for a type, in lower case, and what JSON Schema calls it.
_FOREIGN: Mapping[str, Mapping[str, Json]] = MappingProxyType(
    {
        "float": {"type": "number"},
        "double": {"type": "number"},
        "decimal": {"type": "number"},
        "numeric": {"type": "number"},
        "num": {"type": "number"},
        "currency": {"type": "number"},
        "percentage": {"type": "number"},
        "int": {"type": "integer"},
        "int32": {"type": "integer"},
        "int64": {"type": "integer"},
        "long": {"type": "integer"},
        "str": {"type": "string"},
        "text": {"type": "string"},
        "char": {"type": "string"},
        "url": {"type": "string"},
        "uri": {"type": "string"},
        "email": {"type": "string"},
        "uuid": {"type": "string"},
        "file": {"type": "string"},
        "binary": {"type": "string"},
        "date": {"type": "string"},
        "time": {"type": "string"},
        "datetime": {"type": "string"},
        "date-time": {"type": "string"},
        "timestamp": {"type": "string"},
        "bool": {"type": "boolean"},
        "list": {"type": "array"},
        "tuple": {"type": "array"},
        "set": {"type": "array"},
        "sequence": {"type": "array"},
        "dict": {"type": "object"},
        "dictionary": {"type": "object"},
        "map": {"type": "object"},
        "json": {"type": "object"},
        "hash": {"type": "object"},
        "none": {"type": "null"},
        "nil": {"type": "null"},
        "enum": {},
        "any": {},
        "mixed": {},
        "union": {},
        "unknown": {},
        "": {},
    }
)
_GENERIC = re.compile(
    r"^\s*(?:typing\.)?(list|array|sequence|tuple|set|dict|map|optional|union|literal|object)"
    r"\s*[\[<(](.*)[\])>]\s*$",
    re.IGNORECASE,
)
_SCHEMAS = frozenset({"items", "additionalProperties", "contains", "not", "if", "then", "else"})
_SCHEMA_LISTS = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})
_SCHEMA_MAPS = frozenset({"properties", "patternProperties", "definitions", "$defs"})
_NUMBERS = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"})
_COUNTS = frozenset(
    {
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "minProperties",
        "maxProperties",
        "minContains",
        "maxContains",
    }
)
# They would send a validator elsewhere.
_LEADING_AWAY = frozenset({"$dynamicRef", "$recursiveRef", "$schema", "$id", "id", "$anchor"})
_ANNOTATIONS = frozenset(
    {"type", "description", "title", "default", "example", "examples", "format", "enum", "const"}
)
_PLAIN = _ANNOTATIONS - {"enum"}
_MAX_DEPTH = 64
# Bytes of a definition too long to be remembered.
_LONG = 20_000


class _Reading:
    """What is found while one tool is read."""

    __slots__ = ("problems", "refs", "warnings")

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.warnings: list[Problem] = []
        self.refs: list[tuple[str, str]] = []

    def problem(self, code: str, path: str, message: str) -> None:
        self.problems.append(Problem(code, path, message))

    def warn(self, code: str, path: str, message: str) -> None:
        self.warnings.append(Problem(code, path, message))


def read_tools(
    value: Json, path: str, problems: list[Problem], warnings: list[Problem]
) -> dict[str, Tool]:
    """Return a tool list by name, in its order.

    Read are BUTTON's flat form (name to {type, description}), JSON Schema objects, OpenAI's
    wrapping ({"type": "function", "function": …}) and lists of named parameters. ``path`` is
    where the list stands in the record; what is wrong goes to ``problems``, what was mapped
    without loss to ``warnings``.
    """
    tools: dict[str, Tool] = {}
    if isinstance(value, dict):
        warnings.append(Problem("tool_list_object", path, "one tool without a list around it"))
        value = [value]
    if not isinstance(value, list):
        problems.append(
            Problem("tool_list", path, f"expected a list of tools, found {type_name(value)}")
        )
        return tools
    if not value:
        problems.append(Problem("no_tools", path, "the tool list is empty"))
    for index, item in enumerate(value):
        place = f"{path}/{index}"
        text = orjson.dumps(item)
        read = _read_definition if len(text) < _LONG else _read_definition.__wrapped__
        tool, wrong, doubtful = read(text)
        problems.extend([Problem(p.code, place + p.path, p.message) for p in wrong])
        warnings.extend([Problem(p.code, place + p.path, p.message) for p in doubtful])
        if tool is None:
            continue
        if tool.name in tools:
            problems.append(
                Problem("duplicate_tool", f"{place}/name", f"two tools are named {tool.name!r}")
            )
        tools[tool.name] = tool
    return tools


# Corpora list the same tools in many records.
@lru_cache(maxsize=2048)
def _read_definition(
    text: bytes,
) -> tuple[Tool | None, tuple[Problem, ...], tuple[Problem, ...]]:
    """Return a tool from its JSON text, with problems and warnings; their paths begin at it."""
    reading = _Reading()
    tool = _read_tool(orjson.loads(text), "", reading)
    return tool, tuple(reading.problems), tuple(reading.warnings)


def _read_tool(item: Json, path: str, reading: _Reading) -> Tool | None:
    if isinstance(item, dict) and isinstance(item.get("function"), dict):
        item = item["function"]
        path += "/function"
    if not isinstance(item, dict):
        reading.problem("tool_type", path, f"expected an object, found {type_name(item)}")
        return None
    name = item.get("name")
    if not isinstance(name, str) or not name.strip():
        found = "nothing" if name is None else repr(name)
        reading.problem("tool_name", path, f"a tool needs a name, found {found}")
        return None
    description = item.get("description")
    if not isinstance(description, str):
        description = "" if description is None else str(description)
        reading.warn("tool_description", path, "the tool has no description in words")
    parameters = _read_parameters(item, path, reading)
    if parameters is None:
        return None
    returns = None
    for key in ("responses", "response", "returns", "output"):
        if key in item:
            returns = _read_returns(item[key], f"{path}/{key}", reading)
            break
    return Tool(name, description, parameters, returns)


def _read_parameters(item: Mapping[str, Json], path: str, reading: _Reading) -> Json:
    """Return the parameters as a JSON Schema object, or None."""
    key = "parameters"
    for other in ("parameters", "input_schema", "inputSchema", "arguments"):
        if other in item:
            key = other
            break
    found = item.get(key)
    where = f"{path}/{key}"
    if found is None or found == []:
        if found is None:
            reading.warn("no_parameters", path, "the tool lists no parameters; taken as none")
        found = {}
    if isinstance(found, list):
        found = _named(found, where, reading)
        if found is None:
            return None
    if not isinstance(found, dict):
        reading.problem(
            "tool_parameters",
            where,
            f"expected a map of parameters or a JSON Schema, found {type_name(found)}",
        )
        return None
    before = len(reading.problems)
    flags: list[str] | None = None
    if _is_schema(found):
        inner = found.get("properties")
        if isinstance(inner, dict):
            inner, flags = _flagged(inner, f"{where}/properties", reading)
            found = {**found, "properties": inner}
        schema = {**_schema(found, where, reading, 0), "type": "object"}
        properties = schema.setdefault("properties", {})
    else:
        found, flags = _flagged(found, where, reading)
        properties = _schema_map(found, where, reading, 0)
        schema = {"type": "object", "properties": properties}
        for key in ("definitions", "$defs"):
            if isinstance(item.get(key), dict):
                schema[key] = _schema_map(item[key], f"{path}/{key}", reading, 0)
    required = item.get("required", schema.get("required", flags))
    if isinstance(required, bool):
        reading.warn("required_flag", f"{path}/required", "required is no list of names")
        required = list(properties) if required else []
    if required is None:
        if properties:
            reading.warn(
                "required_absent", path, "nothing says which parameters are required; taken as none"
            )
        required = []
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        reading.problem("tool_required", f"{path}/required", "expected a list of names")
        return None
    for name in required:
        if name not in properties:
            reading.warn(
                "required_unlisted",
                f"{path}/required",
                f"{name!r} is required but not described; taken as a parameter of any type",
            )
            properties[name] = {}
    schema["required"] = list(dict.fromkeys(required))
    if reading.refs:
        _check_refs(schema, reading)
    return schema if len(reading.problems) == before else None


def _flagged(
    found: Mapping[str, Json], path: str, reading: _Reading
) -> tuple[Mapping[str, Json], list[str] | None]:
    """Take "required": true out of the parameters; return them and the names, if any say so."""
    flagged = [
        name
        for name, part in found.items()
        if isinstance(part, dict) and isinstance(part.get("required"), bool)
    ]
    if not flagged:
        return found, None
    reading.warn("required_flag", path, "required is said inside the parameters")
    clean = dict(found)
    for name in flagged:
        clean[name] = {key: value for key, value in found[name].items() if key != "required"}
    return clean, [name for name in flagged if found[name]["required"]]


def _is_schema(found: Mapping[str, Json]) -> bool:
    """Tell a JSON Schema object from a flat map of parameters.

    In a flat map ``type`` and ``properties`` would be parameters, described by objects.
    """
    if isinstance(found.get("type"), (str, list)):
        return True
    inner = found.get("properties")
    return isinstance(inner, dict) and not isinstance(inner.get("type"), str)


def _named(found: list[Json], path: str, reading: _Reading) -> dict[str, Json] | None:
    """Return a list of {"name": …, …} as a flat map."""
    flat: dict[str, Json] = {}
    for index, part in enumerate(found):
        if not isinstance(part, dict) or not isinstance(part.get("name"), str):
            reading.problem(
                "tool_parameters", f"{path}/{index}", "expected a parameter with a name"
            )
            return None
        rest = {key: value for key, value in part.items() if key != "name"}
        if part["name"] in flat:
            reading.problem(
                "duplicate_parameter", f"{path}/{index}", f"{part['name']!r} stands twice"
            )
            return None
        flat[part["name"]] = rest
    reading.warn("parameter_list", path, "parameters are a list; read as a map by name")
    return flat


def _read_returns(found: Json, path: str, reading: _Reading) -> Json:
    """Return a result schema, or None where the source's is no schema: it binds nobody."""
    loose = _Reading()
    if isinstance(found, dict) and found:
        if _is_schema(found):
            schema = _schema(found, path, loose, 0)
        else:
            schema = {"type": "object", "properties": _schema_map(found, path, loose, 0)}
        if loose.refs:
            _check_refs(schema, loose)
        if not loose.problems:
            reading.warnings.extend(loose.warnings)
            return schema
    reading.warn("tool_responses", path, "the description of the results is no schema; left out")
    return None


def _schema(found: Json, path: str, reading: _Reading, depth: int) -> dict[str, Json]:
    """Return a schema in which every type is JSON Schema's."""
    if depth > _MAX_DEPTH:
        reading.problem("nesting", path, f"the schema is nested more than {_MAX_DEPTH} deep")
        return {}
    if isinstance(found, str):
        # "city": "string", or "city": "The city to look in."
        mapped = _type(found)
        if mapped is None:
            mapped = {"description": found}
        reading.warn("parameter_text", path, f"described by the text {found[:60]!r} only")
        return mapped
    if not isinstance(found, dict):
        if found is True and depth:
            return {}
        reading.problem("tool_schema", path, f"expected a schema, found {type_name(found)}")
        return {}
    kind = found.get("type")
    if type(kind) is str and kind in _TYPES and _ANNOTATIONS.issuperset(found):
        if "enum" not in found:
            return found
        schema = dict(found)
    else:
        schema = _deep_schema(found, path, reading, depth)
    values = schema.get("enum")
    if "enum" in schema and (not isinstance(values, list) or not values):
        reading.warn("enum_empty", f"{path}/enum", "an enum without values; any value is taken")
        del schema["enum"]
    return schema


def _deep_schema(
    found: Mapping[str, Json], path: str, reading: _Reading, depth: int
) -> dict[str, Json]:
    schema = dict(found)
    if "type" in schema:
        _read_type(schema, path, reading)
    for key, inner in found.items():
        if key in _ANNOTATIONS:
            continue
        place = f"{path}/{escape(key)}"
        if key in _SCHEMAS:
            if key == "items" and isinstance(inner, list):
                schema["prefixItems"] = _schema_list(inner, place, reading, depth)
                del schema["items"]
            elif not isinstance(inner, bool):
                schema[key] = _schema(inner, place, reading, depth + 1)
        elif key in _SCHEMA_LISTS:
            if isinstance(inner, list) and inner:
                schema[key] = _schema_list(inner, place, reading, depth)
            else:
                found_type = "an empty list" if inner == [] else type_name(inner)
                reading.problem(
                    "tool_schema", place, f"expected a list of schemas, found {found_type}"
                )
                del schema[key]
        elif key in _SCHEMA_MAPS:
            if isinstance(inner, dict):
                schema[key] = _schema_map(inner, place, reading, depth)
            else:
                reading.problem(
                    "tool_schema",
                    place,
                    f"expected a map of names to schemas, found {type_name(inner)}",
                )
                del schema[key]
        elif key == "$ref":
            reading.refs.append((place, inner))
        elif key == "required":
            _read_required(schema, place, reading, depth)
        elif key in _LEADING_AWAY:
            # A parameter called "id" is a schema itself.
            if isinstance(inner, str):
                reading.warn("schema_keyword", place, f"{key} is left out")
                del schema[key]
        elif key in _NUMBERS or key in _COUNTS:
            if not _fits(key, inner):
                reading.warn("schema_keyword", place, f"{key} {str(inner)[:60]} is left out")
                del schema[key]
        elif key == "pattern" and not _is_pattern(inner):
            reading.warn("schema_keyword", place, "the pattern is none; left out")
            del schema[key]
    return schema


def _schema_map(
    found: Mapping[str, Json], path: str, reading: _Reading, depth: int
) -> dict[str, Json]:
    """Return a map of names to schemas; the plainest are taken as they are."""
    return {
        name: part
        if type(part) is dict
        and type(part.get("type")) is str
        and part["type"] in _TYPES
        and _PLAIN.issuperset(part)
        else _schema(part, f"{path}/{escape(name)}", reading, depth + 1)
        for name, part in found.items()
    }


def _schema_list(found: list[Json], path: str, reading: _Reading, depth: int) -> list[Json]:
    return [_schema(part, f"{path}/{n}", reading, depth + 1) for n, part in enumerate(found)]


def _is_pattern(value: Json) -> bool:
    try:
        re.compile(value)
    except (re.error, TypeError, RecursionError, OverflowError):
        return False
    return True


def _fits(key: str, value: Json) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    if key in _COUNTS:
        return isinstance(value, int) and value >= 0
    return key != "multipleOf" or value > 0


def _read_required(schema: dict[str, Json], path: str, reading: _Reading, depth: int) -> None:
    required = schema["required"]
    if not (isinstance(required, list) and all(isinstance(name, str) for name in required)):
        if depth == 0 and not isinstance(required, bool):
            reading.problem("tool_required", path, "expected a list of names")
        else:
            reading.warn("schema_keyword", path, "required is no list; left out")
            del schema["required"]


def _read_type(schema: dict[str, Json], path: str, reading: _Reading) -> None:
    """Replace a schema's type by JSON Schema's, with a warning if it was another."""
    kind = schema["type"]
    if isinstance(kind, str):
        if kind in _TYPES:
            return
        mapped = _type(kind)
        if mapped is None:
            # "Person", "flight object": a name that binds nothing.
            mapped = {}
        del schema["type"]
        for key, value in mapped.items():
            schema.setdefault(key, value)
    elif isinstance(kind, list) and kind:
        names: list[str] = []
        loose = False
        for part in kind:
            mapped = _type(part) if isinstance(part, str) else None
            name = None if mapped is None else mapped.get("type")
            if isinstance(name, str):
                if name not in names:
                    names.append(name)
            elif isinstance(name, list):
                names.extend(n for n in name if n not in names)
            else:
                loose = True
        if names == kind:
            return
        del schema["type"]
        if names and not loose:
            schema["type"] = names[0] if len(names) == 1 else names
    elif isinstance(kind, dict):
        # {"type": {"type": "string"}}: a schema in the place of its type.
        inner = _schema(kind, f"{path}/type", reading, _MAX_DEPTH)
        del schema["type"]
        for key, value in inner.items():
            schema.setdefault(key, value)
    else:
        reading.problem(
            "tool_schema", f"{path}/type", f"expected a type's name, found {type_name(kind)}"
        )
        del schema["type"]
        return
    now = schema.get("type", "any")
    reading.warn("foreign_type", f"{path}/type", f"the type {str(kind)[:60]!r} is read as {now!r}")


def _type(text: str) -> dict[str, Json] | None:
    """Return what a type's name means as a schema, or None if it is no type's name."""
    name = text.strip().lower()
    if name in _TYPES:
        return {"type": name}
    if name in _FOREIGN:
        return dict(_FOREIGN[name])
    if name.endswith("[]"):
        inner = _type(name[:-2])
        return None if inner is None else {"type": "array", "items": inner}
    generic = _GENERIC.match(name)
    if generic is not None:
        return _generic(generic.group(1), generic.group(2))
    for mark in ("|", " or ", ",", "/"):
        if mark in name:
            kinds: list[Json] = []
            for part in name.split(mark):
                inner = _type(part)
                if inner is None:
                    return None
                kind = inner.get("type")
                if not isinstance(kind, str):
                    return {}
                if kind not in kinds:
                    kinds.append(kind)
            return {"type": kinds[0] if len(kinds) == 1 else kinds}
    for mark in (" of ", " ("):
        head = name.partition(mark)[0]
        if head != name and (head in _TYPES or head in _FOREIGN):
            return _type(head)
    return None


def _generic(outer: str, inner: str) -> dict[str, Json]:
    """Return the schema of list[…], dict[…], optional[…], union[…] or literal[…]."""
    if outer in ("dict", "map", "object"):
        return {"type": "object"}
    if outer == "literal":
        return {}
    if outer in ("optional", "union"):
        kinds: list[Json] = ["null"] if outer == "optional" else []
        for part in inner.split(","):
            mapped = _type(part)
            kind = None if mapped is None else mapped.get("type")
            if not isinstance(kind, str):
                return {}
            if kind not in kinds:
                kinds.append(kind)
        return {"type": kinds}
    mapped = _type(inner.split(",")[0]) if inner.strip() else {}
    return {"type": "array", "items": mapped} if mapped else {"type": "array"}


def _check_refs(schema: Mapping[str, Json], reading: _Reading) -> None:
    """Refuse references that lead out of the schema, to nothing, or only in a circle."""
    for place, start in reading.refs:
        seen: set[str] = set()
        text: Json = start
        while isinstance(text, str):
            if not text.startswith("#") or text in seen:
                text = None
                break
            seen.add(text)
            try:
                target = lookup(schema, text[1:])
            except (LookupError, ValueError):
                text = None
                break
            if not isinstance(target, dict):
                text = None
                break
            if "$ref" not in target:
                break
            text = target["$ref"]
        if not isinstance(text, str):
            reading.problem(
                "schema_reference",
                place,
                f"$ref {str(start)[:80]!r} leads to no schema inside this tool's parameters",
            )
