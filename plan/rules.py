"""Value rules: what a parameter's content must satisfy beyond its JSON type.

Rules are inferred from the schema, the parameter's name and description, and recorded
values. They are conservative: a weak hint gives no rule, every recorded value satisfies
every rule, and a text in a form that a rule doesn't know never breaks it.

======================  ===========================================================
name                    bound
======================  ===========================================================
date, time, datetime    regex of the exact form, or None: any known form
date_order              None; ``partner`` points to the start
bounds_order            None; ``partner`` points to the least value
email, url, phone, ip,  regex that the text must match as well, or None
uuid, file_path, color,
timezone, currency,
country, language
id_pattern, pattern     regex (searched for, not anchored, as in JSON Schema)
enum                    the choices
latitude, longitude,    (lowest, highest), None where open
percentage, calendar,
count, price, measure,
range
======================  ===========================================================

Lists inside bounds are tuples, so that rules can be keys.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from ipaddress import ip_address

import jsonschema_rs

from plan.codes import COUNTRIES, CURRENCIES, LANGUAGES, SLIPS_OF_HTTP, ZONE_REGIONS
from plan.json_text import Json, dumps, escape, loads, split_pointer
from plan.tool import Tool


@dataclass(frozen=True, slots=True)
class Rule:
    """What the value at one place of a call's arguments must satisfy.

    Attributes:
        name: the rule's kind (see the module).
        pointer: JSON Pointer inside the arguments; "-" stands for every item of a list.
        bound: what the check compares with; see the module.
        partner: JSON Pointer of the other value, for the two orders.
    """

    name: str
    pointer: str
    bound: Json = None
    partner: str | None = None


def infer(tool: Tool, examples: Sequence[Mapping[str, Json]]) -> tuple[Rule, ...]:
    """Return a tool's value rules, at most one a place besides the orders.

    Args:
        tool: the tool, with its parameters' JSON Schema.
        examples: arguments of recorded calls, references resolved. Without any, only what
            the schema and strong names say is taken.
    """
    found, pairs = _hints(dumps(tool.parameters))
    rules: list[Rule] = []
    days: set[str] = set()
    for place in found:
        if place.key is not None:
            key = place.key
            values = [example[key] for example in examples if key in example]
        else:
            values = [value for example in examples for _, value in _values(example, place.tokens)]
        rule = _rule_at(place, values)
        if rule is not None:
            rules.append(rule)
            if rule.name in _DAYS:
                days.add(rule.pointer)
    for rule in pairs:
        if rule.name == "date_order" and not (rule.pointer in days and rule.partner in days):
            continue
        if all(_in_order(rule, example) for example in examples):
            rules.append(rule)
    return tuple(rules)


def _rule_at(place: _Place, values: Sequence[Json]) -> Rule | None:
    for hint in place.hints:
        if _fits(hint, values):
            return hint.rule
    if not values:
        return None
    if place.shapes and isinstance(values[0], str):
        rule = place.shapes.get(_shape(values[0]))
        if rule is not None and all(accepts(rule, value) for value in values):
            return rule
    return _id_rule(place, values) if place.prefixes is not None else None


def holds(rule: Rule, arguments: Mapping[str, Json]) -> bool:
    """Tell whether arguments satisfy a rule.

    True where nothing stands at the place, and where a value of another type does: types
    are the schema's business.
    """
    if rule.partner is not None:
        return _in_order(rule, arguments)
    tokens = _tokens(rule.pointer)
    key = tokens[0]
    if key not in arguments:
        return True
    value = arguments[key]
    if len(tokens) == 1:
        return accepts(rule, value)
    if len(tokens) == 2 and tokens[1] == "-":
        return not isinstance(value, list) or all(accepts(rule, item) for item in value)
    return all(accepts(rule, inner) for _, inner in _values(value, tokens[1:]))


def broken(rules: Sequence[Rule], arguments: Mapping[str, Json]) -> list[Rule]:
    """Return the rules that arguments break, each with the pointer of the broken value."""
    found: list[Rule] = []
    for rule in rules:
        if not holds(rule, arguments):
            if "/-" not in rule.pointer:
                found.append(rule)
                continue
            found.extend(
                replace(rule, pointer=pointer)
                for pointer, value in places(rule, arguments)
                if not accepts(rule, value)
            )
    return found


def places(rule: Rule, arguments: Mapping[str, Json]) -> Iterator[tuple[str, Json]]:
    """Yield (JSON Pointer, value) of every place in the arguments that a rule speaks of."""
    return _values(arguments, _tokens(rule.pointer))


def accepts(rule: Rule, value: Json) -> bool:
    """Tell whether one value satisfies a rule; orders need two, so they always accept."""
    name = rule.name
    if isinstance(value, str):
        if name in _TEXTS:
            return _known(name, rule.bound, value) is not False
        if name == "enum":
            return value in rule.bound or not any(isinstance(one, str) for one in rule.bound)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        if name in _NUMBERS:
            low, high = rule.bound
            return (
                (low is None or value >= low)
                and (high is None or value <= high)
                and (name not in _WHOLE or value == int(value))
            )
        if name == "enum":
            numbers = [one for one in rule.bound if type(one) in (int, float)]
            return not numbers or value in numbers
    return True


@lru_cache(maxsize=1 << 15)
def _known(name: str, bound: str | None, text: str) -> bool | None:
    """Return the check's answer for a text; False if it doesn't match the regex."""
    if bound is not None and not _matcher(bound)(text):
        return False
    return _TEXTS[name](text)


# What the schema says -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Hint:
    """A rule that may hold at a place.

    ``shown`` asks for an example in the rule's form: always, if there are any examples, or
    never.
    """

    rule: Rule
    shown: str


@dataclass(frozen=True, slots=True)
class _Place:
    """A place of the schema: its hints, best first.

    ``shapes`` are rules that hold where recorded values have that shape.
    ``prefixes`` are the words that an id's prefix may shorten; None where the name doesn't
    say that an id stands there. ``key`` is the parameter of a place at the top.
    """

    pointer: str
    tokens: tuple[str, ...]
    key: str | None
    hints: tuple[_Hint, ...]
    shapes: Mapping[str, Rule]
    prefixes: tuple[str, ...] | None


ALWAYS, IF_ANY, NEVER = "always", "if_any", "never"


def _fits(hint: _Hint, values: Sequence[Json]) -> bool:
    rule = hint.rule
    if not values:
        return hint.shown != ALWAYS
    for value in values:
        if not accepts(rule, value):
            return False
    if hint.shown == NEVER:
        return True
    return any(isinstance(value, str) and _known(rule.name, rule.bound, value) for value in values)


@lru_cache(maxsize=4096)
def _hints(parameters: str) -> tuple[tuple[_Place, ...], tuple[Rule, ...]]:
    """Compile a tool's parameters, given as canonical text: places and possible orders."""
    found: list[_Place] = []
    pairs: list[Rule] = []
    _visit_fields(loads(parameters).get("properties"), "", found, pairs, 0)
    return tuple(found), tuple(pairs)


def _visit_fields(
    properties: Json, path: str, found: list[_Place], pairs: list[Rule], depth: int
) -> None:
    if not isinstance(properties, dict) or depth > 3:
        return
    for name, schema in properties.items():
        if isinstance(schema, dict):
            _visit(name, schema, f"{path}/{escape(name)}", found, pairs, depth)
    if "/-" in path:
        # Orders inside the items of a list would need pointers with two stars in step.
        return
    words = {_words(name): name for name in properties}
    for parts, name in words.items():
        for start, end in _PAIRS:
            if start not in parts:
                continue
            at = parts.index(start)
            other = words.get((*parts[:at], end, *parts[at + 1 :]))
            if other is None or (start == "in" and parts[:at] != ("check",)):
                continue
            kind = "bounds_order" if start in _LEAST else "date_order"
            pointer = f"{path}/{escape(other)}"
            pairs.append(Rule(kind, pointer, None, f"{path}/{escape(name)}"))


def _visit(
    name: str,
    schema: Mapping[str, Json],
    path: str,
    found: list[_Place],
    pairs: list[Rule],
    depth: int,
) -> None:
    kind = _scalar_type(schema)
    if kind == "object" or (kind is None and "properties" in schema):
        _visit_fields(schema.get("properties"), path, found, pairs, depth + 1)
        return
    if kind == "array":
        items = schema.get("items")
        inner = dict(items) if isinstance(items, dict) else {}
        inner.setdefault("description", schema.get("description"))
        if depth < 3:
            _visit(_singular(name), inner, f"{path}/-", found, pairs, depth + 1)
        return
    words = _words(name)
    told = schema.get("description")
    told = told.casefold() if isinstance(told, str) else ""
    hints: list[_Hint] = []
    shapes: Mapping[str, Rule] = {}
    prefixes = None
    choices = schema.get("enum")
    if isinstance(choices, list) and choices:
        scalar = all(isinstance(one, (str, int, float)) for one in choices)
        if scalar and not any(isinstance(one, bool) for one in choices):
            hints.append(_Hint(Rule("enum", path, tuple(choices)), NEVER))
    else:
        if kind in ("string", None):
            hints += _text_hints(words, told, schema, path)
            if "pattern" not in schema:
                shapes = _shapes_of(words, path)
            if words and (words[-1] in _ID_WORDS) and "pattern" not in schema:
                prefixes = (*words, *re.findall(r"[a-z]+", told))
        if kind in ("integer", "number", None):
            hints += _number_hints(words, told, schema, path, kind)
    if hints or shapes or prefixes is not None:
        tokens = tuple(split_pointer(path))
        key = tokens[0] if len(tokens) == 1 else None
        found.append(_Place(path, tokens, key, tuple(hints), shapes, prefixes))


def _scalar_type(schema: Mapping[str, Json]) -> str | None:
    kind = schema.get("type")
    if isinstance(kind, list):
        kinds = [one for one in kind if one != "null"]
        kind = kinds[0] if len(kinds) == 1 else "several" if kinds else None
    return kind if isinstance(kind, str) else None


def _text_hints(
    words: tuple[str, ...], told: str, schema: Mapping[str, Json], path: str
) -> list[_Hint]:
    pattern = schema.get("pattern")
    pattern = pattern if isinstance(pattern, str) and _matcher(pattern) is not _always else None
    format = schema.get("format")
    last = words[-1] if words else ""
    before = words[-2] if len(words) > 1 else ""
    hints: list[_Hint] = []

    def add(name: str, bound: str | None, shown: str) -> None:
        hints.append(_Hint(Rule(name, path, pattern or bound), shown))

    if isinstance(format, str) and format in _FORMATS:
        name, bound = _FORMATS[format]
        add(name, bound, NEVER if format in _STRICT_FORMATS else IF_ANY)
    if last in ("date", "startdate", "enddate", "birthdate", "duedate", "dob"):
        if "yyyy-mm-dd" in told:
            add("date", _ISO_DAY, IF_ANY)
        add("date", None, IF_ANY)
    if last == "time" and before not in _DURATIONS:
        if "hh:mm" in told:
            add("time", None, IF_ANY)
        add("time", None, ALWAYS)
    if last in ("email", "mail") or (last == "address" and before in ("email", "mail")):
        add("email", "@", IF_ANY)
    if last in ("url", "uri", "website", "webpage", "link", "endpoint", "href"):
        add("url", None, IF_ANY)
    if last in _PHONES or (last == "number" and before in _PHONES):
        add("phone", None, IF_ANY)
    if "currency" in words and last in ("currency", "code", "from", "to"):
        strict = "4217" in told or "three-letter" in told or "3-letter" in told
        add("currency", "^[A-Za-z]{3}$" if strict else None, IF_ANY)
        add("currency", None, IF_ANY)
    if last in ("country", "nationality") or (last == "code" and before == "country"):
        strict = "alpha-2" in told or "two-letter" in told or "2-letter" in told
        coded = strict or last == "code" or pattern is not None
        add("country", "^[A-Za-z]{2}$" if strict else None, IF_ANY if coded else ALWAYS)
    if last in ("language", "lang", "locale") or (last == "code" and before in _LANGUAGE_WORDS):
        coded = "639" in told or "code" in told or last == "code" or last == "locale"
        add("language", None, IF_ANY if coded else ALWAYS)
    if last in ("ip", "ipv4") or (last == "address" and before in ("ip", "ipv4")):
        add("ip", None, IF_ANY)
    if last in ("path", "filepath", "filename") or (
        last in ("name", "location") and before in ("file", "folder", "directory")
    ):
        add("file_path", None, IF_ANY)
    elif last in ("file", "folder", "directory", "dir"):
        add("file_path", None, ALWAYS)
    if last in ("timezone", "tz") or words[-2:] == ("time", "zone"):
        add("timezone", None, IF_ANY)
    if last in ("color", "colour"):
        add("color", None, ALWAYS)
    if pattern is not None:
        name = "id_pattern" if last in _ID_WORDS or _looks_like_id(pattern) else "pattern"
        add(name, pattern, NEVER)
    return hints


def _shapes_of(words: tuple[str, ...], path: str) -> dict[str, Rule]:
    """Return the rules that the shape of recorded values alone may show."""
    if _FREE_TEXT.intersection(words):
        return {}
    names = ["datetime", "date", "uuid", "url"]
    if not _DURATIONS.intersection(words):
        names.append("time")
    if words and words[-1] in _ADDRESSEES:
        names.append("email")
    if words and words[-1] in _HOSTS:
        names.append("ip")
    return {name: Rule(name, path) for name in names}


def _shape(text: str) -> str:
    """Return the name of the one rule that a text's shape may stand for, or ""."""
    if "@" in text:
        return "email" if _is_email(text) else ""
    if "://" in text or text[:4] == "www.":
        return "url" if _is_url(text) else ""
    size = len(text)
    if 30 <= size <= 40 and text.count("-") == 4:
        return "uuid" if _is_uuid(text) else ""
    if not text[:1].isdigit() and not text[-4:].isdigit():
        return ""
    if size > 13 and _is_datetime(text):
        return "datetime"
    if size < 9 and ":" in text:
        return "time" if _is_time(text) else ""
    if 8 <= size <= 24 and _is_date(text):
        return "date"
    return "ip" if text.count(".") == 3 and _is_ip(text) else ""


def _number_hints(
    words: tuple[str, ...],
    told: str,
    schema: Mapping[str, Json],
    path: str,
    kind: str | None,
) -> list[_Hint]:
    low, high = _limits(schema, kind)
    last = words[-1] if words else ""
    before = words[-2] if len(words) > 1 else ""
    bounded = low is not None or high is not None
    signed = _SIGNED.intersection(words) or "negative" in told
    name, lowest, highest = "", None, None
    if last in ("latitude", "lat"):
        name, lowest, highest = "latitude", -90, 90
    elif last in ("longitude", "lng", "lon", "long"):
        name, lowest, highest = "longitude", -180, 180
    elif _PERCENT.intersection(words) or "percent" in told:
        if high is not None and high <= 100 and low is not None and low >= 0:
            name = "percentage"
        elif not signed and _SHARES.intersection(words) and kind is not None:
            name, lowest, highest = "percentage", 0, 100
    elif words in _CALENDAR and kind == "integer":
        name, (lowest, highest) = "calendar", _CALENDAR[words]
    elif not signed and (
        words[0:1] == ("num",)
        or words[0:2] == ("number", "of")
        or last in _COUNTS
        or (last == "size" and before in ("party", "group", "team", "class"))
    ):
        name, lowest = "count", 0
    elif not signed and last in _MONEY:
        name, lowest = "price", 0
    elif not signed and (last in _MEASURES or before in _MEASURES):
        name, lowest = "measure", 0
    hints: list[_Hint] = []
    if low is None:
        low = lowest
    elif lowest is not None:
        low = max(low, lowest)
    if high is None:
        high = highest
    elif highest is not None:
        high = min(high, highest)
    if name and kind is not None:
        hints.append(_Hint(Rule(name, path, (low, high)), NEVER))
    if bounded:
        hints.append(_Hint(Rule("range", path, _limits(schema, kind)), NEVER))
    return hints


def _limits(schema: Mapping[str, Json], kind: str | None) -> tuple[float | None, float | None]:
    """Return the schema's closed interval; an open end moves to the next number inside."""
    low, high = _number(schema.get("minimum")), _number(schema.get("maximum"))
    over, under = (
        _number(schema.get("exclusiveMinimum")),
        _number(schema.get("exclusiveMaximum")),
    )
    if over is not None:
        over = math.floor(over) + 1 if kind == "integer" else math.nextafter(over, math.inf)
        low = over if low is None else max(low, over)
    if under is not None:
        under = math.ceil(under) - 1 if kind == "integer" else math.nextafter(under, -math.inf)
        high = under if high is None else min(high, under)
    return low, high


def _number(value: Json) -> float | None:
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _words(name: str) -> tuple[str, ...]:
    """Split a name into lower-case words: ``checkInDate`` and ``check-in_date`` alike."""
    spaced = _HUMP.sub(r"\1 \2", name)
    return tuple(part for part in _SPLIT.split(spaced.casefold()) if part)


def _singular(name: str) -> str:
    if name.endswith(("sses", "ses", "xes")) and not name.endswith(("ases", "uses")):
        return name[:-2]
    return name[:-1] if name.endswith("s") and not name.endswith("ss") else name


# Ids -----------------------------------------------------------------------------------

_ID = re.compile(r"([A-Za-z]{2,8})([-_#])([0-9A-Za-z]+(?:[-_][0-9A-Za-z]+)*)")
_ID_WORDS = frozenset({"id", "ids", "reference", "ref", "sku"})


def _looks_like_id(pattern: str) -> bool:
    return re.match(r"\^[A-Za-z]{2,8}[-_#]", pattern) is not None


def _id_rule(place: _Place, values: Sequence[Json]) -> Rule | None:
    """Return the rule that recorded ids show: same prefix and mark, then digits or more.

    The prefix must shorten a word of the name or description, or two different ids share
    it; digits alone count if the ids are written in capitals or there are two of them.
    """
    texts = [value for value in values if isinstance(value, str)]
    matches = [_ID.fullmatch(text) for text in texts]
    if not texts or len(texts) != len(values):
        return None
    prefixes, marks, rests = set(), set(), []
    for match in matches:
        if match is None:
            return None
        prefixes.add(match[1])
        marks.add(match[2])
        rests.append(match[3])
    if len(marks) != 1 or not all(any(c.isdigit() for c in rest) for rest in rests):
        return None
    several = len(set(texts)) > 1
    prefix = next(iter(prefixes))
    if len(prefixes) != 1 or not (several or _shortens(prefix.casefold(), place.prefixes or ())):
        return None
    digits = all(rest.isdigit() for rest in rests) and (several or prefix.isupper())
    rest = "[0-9]+" if digits else "[0-9A-Za-z]+([-_][0-9A-Za-z]+)*"
    return Rule("id_pattern", place.pointer, f"^(?i:{prefix}){next(iter(marks))}{rest}$")


def _shortens(prefix: str, words: Sequence[str]) -> bool:
    for word in words:
        if word[:1] == prefix[0]:
            letters = iter(word)
            if all(letter in letters for letter in prefix):
                return True
    return False


# Checks --------------------------------------------------------------------------------
# True: a right value in a known form; False: a known form, and wrong; None: another form.


def _always(text: str) -> bool:
    return True


@lru_cache(maxsize=4096)
def _matcher(pattern: str) -> Callable[[str], bool]:
    """Return the search of a regex; one that can't be read matches everything.

    The schema validator's own engine is used, so that rule and schema never disagree.
    """
    try:
        return jsonschema_rs.validator_for({"pattern": pattern}).is_valid
    except (ValueError, jsonschema_rs.ValidationError):
        return _always


_ISO_DAY = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_YEAR_FIRST = re.compile(r"([0-9]{4})([-/.])([0-9]{1,2})\2([0-9]{1,2})")
_YEAR_LAST = re.compile(r"([0-9]{1,2})([-/.])([0-9]{1,2})\2([0-9]{4})")
_DAY_IN_WORDS = re.compile(
    r"(?:(?P<d>[0-9]{1,2})(?:st|nd|rd|th)? (?P<m>[A-Za-z]{3,9})\.?"
    r"|(?P<M>[A-Za-z]{3,9})\.? (?P<D>[0-9]{1,2})(?:st|nd|rd|th)?),? (?P<y>[0-9]{4})"
)
_MONTH_NAMES = (
    ("january", "jan"),
    ("february", "feb"),
    ("march", "mar"),
    ("april", "apr"),
    ("may", "may"),
    ("june", "jun"),
    ("july", "jul"),
    ("august", "aug"),
    ("september", "sep"),
    ("october", "oct"),
    ("november", "nov"),
    ("december", "dec"),
)
_MONTHS = {name: at for at, names in enumerate(_MONTH_NAMES, 1) for name in names}
_DAYS_IN = (0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def day_of(text: str) -> tuple[int, int, int] | bool | None:
    """Return a date's (year, month, day); False if impossible, None if it's no date.

    Numeric dates that begin with the year, numeric dates that end with it (True where day
    and month can't be told apart), and dates with the month in words.
    """
    if len(text) == 10 and text[4] == text[7] == "-":
        digits = text[:4] + text[5:7] + text[8:]
        if digits.isdecimal():
            return _real(int(digits[:4]), int(digits[4:6]), int(digits[6:]))
    match = _YEAR_FIRST.fullmatch(text)
    if match:
        return _real(int(match[1]), int(match[3]), int(match[4]))
    match = _YEAR_LAST.fullmatch(text)
    if match:
        first, second, year = int(match[1]), int(match[3]), int(match[4])
        british, american = _real(year, second, first), _real(year, first, second)
        if british and american:
            return british if first == second else True
        return british or american
    match = _DAY_IN_WORDS.fullmatch(text)
    if match:
        month = _MONTHS.get((match["m"] or match["M"]).casefold())
        if month is None:
            return None
        return _real(int(match["y"]), month, int(match["d"] or match["D"]))
    return None


def _real(year: int, month: int, day: int) -> tuple[int, int, int] | bool:
    if not (1 <= month <= 12 and 1 <= day <= _DAYS_IN[month] and year):
        return False
    if month == 2 and day == 29 and (year % 4 or (year % 100 == 0 and year % 400)):
        return False
    return year, month, day


def _is_date(text: str) -> bool | None:
    found = day_of(text)
    return None if found is None else found is not False


_TIME = re.compile(
    r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:[.,][0-9]+)?)?(?: ?([AaPp])\.?[Mm]\.?)?"
)
_OFFSET = re.compile(r"(?:Z|z|[+-][0-9]{2}:?[0-9]{2})")


def _is_time(text: str) -> bool | None:
    match = _TIME.fullmatch(text)
    if not match:
        return None
    hour, minute, second = int(match[1]), int(match[2]), int(match[3] or 0)
    if match[4]:
        return 1 <= hour <= 12 and minute < 60 and second <= 60
    return (hour < 24 or (hour == 24 and minute == second == 0)) and minute < 60 and second <= 60


def _is_datetime(text: str) -> bool | None:
    if len(text) < 14 or text[10] not in "Tt ":
        return None
    day = _is_date(text[:10])
    if day is None:
        return None
    clock = text[11:]
    match = _OFFSET.search(clock)
    if match and match.end() == len(clock):
        clock = clock[: match.start()]
    time = _is_time(clock)
    return None if time is None else day and time


_EMAIL = re.compile(
    r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\U0010ffff-]+"
    r"(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\U0010ffff-]+)*"
    r"@(?:[\w](?:[\w-]*[\w])?\.)+[^\W\d_][\w-]*[\w]"
)


def _is_email(text: str) -> bool | None:
    if "@" not in text:
        return None
    if _EMAIL.fullmatch(text):
        return True
    for part in re.split(r"[,;]", text):
        part = part.strip()
        if part.endswith(">") and "<" in part:
            part = part[part.rindex("<") + 1 : -1]
        if not _EMAIL.fullmatch(part):
            return False
    return True


_URL = re.compile(
    r"(?:[A-Za-z][A-Za-z0-9+.-]+)://"
    r"(?:[^\s/?#@]+@)?(?:\[[0-9a-fA-F:.]+\]|[^\s/?#@:.,;\\]+(?:\.[^\s/?#@:.,;\\]+)*\.?)(?::[0-9]{1,5})?"
    r"(?:[/?#]\S*)?"
)
_LIKE_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,9}:/|(?:https?|ftp)[:/;]|www[.,]", re.I)
_WWW = re.compile(r"www(?:\.[^\s/?#@:.,]+){2,}(?::[0-9]{1,5})?(?:[/?#]\S*)?", re.I)


def _is_url(text: str) -> bool | None:
    if not _LIKE_URL.match(text):
        return None
    if text[:4].casefold() == "www.":
        return _WWW.fullmatch(text) is not None
    if text.startswith("file:///"):
        return not any(letter.isspace() for letter in text)
    scheme = text.partition(":")[0].casefold()
    return _URL.fullmatch(text) is not None and scheme not in SLIPS_OF_HTTP


_PHONE_MARKS = re.compile(r"[\s().\-/\u2010-\u2015]")
_EXTENSION = re.compile(r"(?:,|;|ext\.?|x|#)[0-9]{1,6}$", re.I)


def _is_phone(text: str) -> bool | None:
    if sum(letter.isdigit() for letter in text) < 3 and not text.startswith("+"):
        return None
    bare = _EXTENSION.sub("", _PHONE_MARKS.sub("", text))
    digits = bare[1:] if bare.startswith("+") else bare
    if digits.isdecimal():
        return len(digits) <= 15 and (len(digits) >= 7 or bare is digits)
    return digits.isupper() and digits.isalnum() and re.search(r"[A-Z]{3}", digits) is not None


_IP_FORM = re.compile(r"[0-9]+(?:\.[0-9]+){2,}(?:/[0-9]+)?(?::[0-9]+)?")


def _is_ip(text: str) -> bool | None:
    if _IP_FORM.fullmatch(text):
        host, _, mask = text.partition(":")[0].partition("/")
        octets = host.split(".")
        return (
            len(octets) == 4
            and all(len(part) <= 3 and int(part) <= 255 for part in octets)
            and (not mask or int(mask) <= 32)
        )
    if text.count(":") >= 2 and re.fullmatch(r"[0-9A-Za-z:.]+(?:%\w+)?(?:/[0-9]+)?", text):
        try:
            ip_address(text.partition("/")[0])
        except ValueError:
            return False
        return True
    return None


_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.I)
_UUID_FORM = re.compile(r"[0-9a-z]{7,9}(?:-[0-9a-z]{3,5}){3}-[0-9a-z]{11,13}", re.I)


def _is_uuid(text: str) -> bool | None:
    if not 30 <= len(text) <= 40 or not _UUID_FORM.fullmatch(text):
        return None
    return _UUID.fullmatch(text) is not None


_NOT_IN_PATHS = re.compile(r'\x00|^[A-Za-z]:\\.*[<>|"\x00-\x1f]', re.S)
_PATH_FORM = re.compile(r"(?:.*[/\\].*|.*\.\w{1,6})", re.S)


def _is_file_path(text: str) -> bool | None:
    if not _PATH_FORM.fullmatch(text) or "://" in text:
        return None
    return _NOT_IN_PATHS.search(text) is None


_COLOR = re.compile(r"#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})", re.I)


def _is_color(text: str) -> bool | None:
    return _COLOR.fullmatch(text) is not None if text.startswith("#") else None


_ZONE_OFFSET = re.compile(r"(?:UTC|GMT)? ?[+-]([0-9]{1,2})(?::?([0-9]{2}))?", re.I)


def _is_timezone(text: str) -> bool | None:
    if "/" in text and " " not in text:
        return text.partition("/")[0] in ZONE_REGIONS and not text.endswith("/")
    match = _ZONE_OFFSET.fullmatch(text)
    if match:
        return int(match[1]) <= 14 and int(match[2] or 0) < 60
    return None


def _is_currency(text: str) -> bool | None:
    if len(text) == 3 and text.isascii() and text.isalpha():
        return text.upper() in CURRENCIES
    return None


def _is_country(text: str) -> bool | None:
    if len(text) == 2 and text.isascii() and text.isalpha():
        return text.upper() in COUNTRIES
    return None


_LOCALE = re.compile(r"([A-Za-z]{2})(?:[-_][A-Za-z0-9]{2,8})*")


def _is_language(text: str) -> bool | None:
    match = _LOCALE.fullmatch(text)
    return match[1].lower() in LANGUAGES if match else None


def _is_anything(text: str) -> bool | None:
    return True


_TEXTS: Mapping[str, Callable[[str], bool | None]] = {
    "date": _is_date,
    "time": _is_time,
    "datetime": _is_datetime,
    "email": _is_email,
    "url": _is_url,
    "phone": _is_phone,
    "ip": _is_ip,
    "uuid": _is_uuid,
    "file_path": _is_file_path,
    "color": _is_color,
    "timezone": _is_timezone,
    "currency": _is_currency,
    "country": _is_country,
    "language": _is_language,
    "id_pattern": _is_anything,
    "pattern": _is_anything,
}
_NUMBERS = frozenset(
    {"latitude", "longitude", "percentage", "calendar", "count", "price", "measure", "range"}
)
_WHOLE = frozenset({"count", "calendar"})
_DAYS = frozenset({"date", "datetime"})


def _in_order(rule: Rule, arguments: Mapping[str, Json]) -> bool:
    end, start = _value(arguments, rule.pointer), _value(arguments, rule.partner or "")
    if end is None or start is None:
        return True
    if rule.name == "bounds_order":
        numbers = (
            isinstance(value, (int, float)) and not isinstance(value, bool)
            for value in (start, end)
        )
        return not all(numbers) or bool(start <= end)
    return not isinstance(start, str) or not isinstance(end, str) or _follows(start, end)


@lru_cache(maxsize=1 << 12)
def _follows(start: str, end: str) -> bool:
    """Tell whether two dates or times that can be compared don't stand in the wrong order."""
    if start[4:5] == end[4:5] and start[4:5] in ("-", "/", "."):
        first, last = day_of(start[:10]), day_of(end[:10])
        if isinstance(first, tuple) and isinstance(last, tuple):
            if first != last:
                return first < last
            # Times compare as text where both are written alike.
            return len(start) != len(end) or start[19:] != end[19:] or start <= end
    first, last = day_of(start), day_of(end)
    return not (isinstance(first, tuple) and isinstance(last, tuple)) or first <= last


# Places --------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def _tokens(pointer: str) -> tuple[str, ...]:
    return tuple(split_pointer(pointer))


def _value(arguments: Json, pointer: str) -> Json:
    """Return the value at a pointer without stars, or None."""
    for token in _tokens(pointer):
        if not isinstance(arguments, Mapping):
            return None
        arguments = arguments.get(token)
    return arguments


def _values(value: Json, tokens: Sequence[str], path: str = "") -> Iterator[tuple[str, Json]]:
    if not tokens:
        yield path, value
    elif isinstance(value, Mapping):
        if tokens[0] in value:
            yield from _values(value[tokens[0]], tokens[1:], f"{path}/{escape(tokens[0])}")
    elif isinstance(value, list):
        if tokens[0] == "-":
            for index, item in enumerate(value):
                yield from _values(item, tokens[1:], f"{path}/{index}")
        elif tokens[0].isdecimal() and int(tokens[0]) < len(value):
            at = int(tokens[0])
            yield from _values(value[at], tokens[1:], f"{path}/{at}")


# Names ---------------------------------------------------------------------------------

_HUMP = re.compile(r"([a-z0-9])([A-Z])")
_SPLIT = re.compile(r"[^a-z0-9]+")
_FORMATS = {
    "date": ("date", _ISO_DAY),
    "time": ("time", None),
    "date-time": ("datetime", r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}"),
    "email": ("email", "@"),
    "idn-email": ("email", "@"),
    "uri": ("url", ":"),
    "url": ("url", None),
    "uri-reference": ("url", None),
    "ipv4": ("ip", r"^[0-9.]+$"),
    "ipv6": ("ip", ":"),
    "ip": ("ip", None),
    "uuid": ("uuid", r"^[0-9A-Za-z-]{30,40}$"),
    "phone": ("phone", None),
    "tel": ("phone", None),
    "color": ("color", None),
}
_STRICT_FORMATS = frozenset({"date", "date-time", "email", "idn-email", "ipv4", "ipv6", "uuid"})
_PAIRS = (
    ("start", "end"),
    ("begin", "end"),
    ("from", "to"),
    ("since", "until"),
    ("in", "out"),
    ("checkin", "checkout"),
    ("departure", "return"),
    ("depart", "return"),
    ("pickup", "dropoff"),
    ("pickup", "return"),
    ("issue", "due"),
    ("startdate", "enddate"),
    ("after", "before"),
    ("min", "max"),
    ("minimum", "maximum"),
    ("lowest", "highest"),
)
_LEAST = frozenset({"min", "minimum", "lowest"})
_LANGUAGE_WORDS = frozenset({"language", "lang", "locale"})
_PHONES = frozenset({"phone", "telephone", "mobile", "cellphone", "fax", "tel", "msisdn"})
_DURATIONS = frozenset(
    {"duration", "length", "lap", "pace", "elapsed", "cook", "prep", "run", "race", "finish"}
    | {"cooking", "travel", "processing", "total", "running", "timestamp_offset", "video"}
)
_FREE_TEXT = frozenset(
    {"text", "query", "title", "content", "message", "note", "notes", "name", "body", "subject"}
    | {"keyword", "keywords", "description", "comment", "comments", "summary", "question"}
    | {"prompt", "label", "topic", "expression", "version", "format", "pattern", "score"}
)
_ADDRESSEES = frozenset(
    {"recipient", "to", "cc", "bcc", "from", "sender", "attendee", "participant", "invitee"}
    | {"contact", "organizer", "guest", "user", "username", "account", "assignee", "owner"}
)
_HOSTS = frozenset({"host", "server", "gateway", "dns", "hostname", "address", "subnet"})
_PERCENT = frozenset({"percent", "percentage", "pct"})
_SHARES = frozenset(
    {"discount", "humidity", "battery", "brightness", "progress", "completion", "opacity"}
    | {"probability", "coverage", "share", "allocation", "quality", "attendance"}
)
_CALENDAR: Mapping[tuple[str, ...], tuple[int, int]] = {
    ("month",): (1, 12),
    ("birth", "month"): (1, 12),
    ("start", "month"): (1, 12),
    ("end", "month"): (1, 12),
    ("hour",): (0, 24),
    ("minute",): (0, 59),
    ("day", "of", "month"): (1, 31),
    ("year",): (1, 9999),
    ("birth", "year"): (1, 9999),
    ("start", "year"): (1, 9999),
    ("end", "year"): (1, 9999),
}
_COUNTS = frozenset(
    {"count", "guests", "adults", "children", "kids", "infants", "passengers", "travelers"}
    | {"travellers", "people", "persons", "participants", "rooms", "bedrooms", "nights", "seats"}
    | {"tickets", "copies", "players", "bags", "pieces", "servings", "headcount"}
)
_MONEY = frozenset(
    {"price", "cost", "fee", "fare", "budget", "salary", "rent", "deposit", "income", "wage"}
    | {"tuition"}
)
_MEASURES = frozenset(
    {"duration", "minutes", "hours", "seconds", "days", "weeks", "months", "years", "distance"}
    | {"weight", "height", "width", "length", "radius", "area", "volume", "age", "quantity"}
    | {"qty", "capacity", "calories"}
)
_SIGNED = frozenset(
    {"offset", "change", "delta", "adjustment", "difference", "shift", "balance", "adjust"}
    | {"correction", "margin", "growth", "before", "after", "net", "increase", "decrease"}
)
