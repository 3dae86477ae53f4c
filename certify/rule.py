"""Whether a value keeps a value rule: the certificate's own reading of every rule.

`plan.rules` says which rule a place has. A text in a form that isn't known here breaks
nothing, as there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from functools import lru_cache
from ipaddress import ip_interface

from plan.codes import COUNTRIES, CURRENCIES, LANGUAGES, SLIPS_OF_HTTP, ZONE_REGIONS
from plan.json_text import Json, split_pointer
from plan.rules import Rule

NUMBERS = frozenset(
    {"latitude", "longitude", "percentage", "calendar", "count", "price", "measure", "range"}
)
WHOLE = frozenset({"count", "calendar"})


def holds(rule: Rule, arguments: Mapping[str, Json]) -> bool:
    """Tell whether arguments keep a rule; what isn't there, or has another type, does."""
    values = _at(arguments, split_pointer(rule.pointer))
    if rule.partner is not None:
        ends, starts = list(values), list(_at(arguments, split_pointer(rule.partner)))
        return not ends or not starts or _is_ordered(rule.name, starts[0], ends[0])
    return all(_is_possible(rule, value) for value in values)


def _at(value: Json, tokens: Sequence[str]) -> Iterator[Json]:
    """Yield the values at a pointer, in which "-" stands for every item of a list."""
    if not tokens:
        yield value
        return
    head, rest = tokens[0], tokens[1:]
    if isinstance(value, dict):
        if head in value:
            yield from _at(value[head], rest)
    elif isinstance(value, list):
        if head == "-":
            for item in value:
                yield from _at(item, rest)
        elif head.isdecimal() and int(head) < len(value):
            yield from _at(value[int(head)], rest)


def _is_possible(rule: Rule, value: Json) -> bool:
    name, bound = rule.name, rule.bound
    if isinstance(value, bool):
        return True
    if name == "enum":
        alike = [one for one in bound if isinstance(one, str) == isinstance(value, str)]
        return not isinstance(value, (str, int, float)) or not alike or value in alike
    if isinstance(value, (int, float)):
        if name not in NUMBERS:
            return True
        low, high = bound
        return (
            not (low is not None and value < low)
            and not (high is not None and value > high)
            and not (name in WHOLE and value % 1)
        )
    if not isinstance(value, str) or name in NUMBERS:
        return True
    if isinstance(bound, str) and _compiled(bound).search(value) is None:
        return False
    check = _CHECKS.get(name)
    return check is None or check(value)


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        # A schema's "$" is the very end, Python's is also before a last line break.
        return re.compile(re.sub(r"(?<!\\)\$$", r"\\Z", pattern))
    except re.error:
        return re.compile("")


_NUMERIC = re.compile(r"(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})", re.ASCII)
_WORDED = re.compile(
    r"(?:(\d{1,2})(?:st|nd|rd|th)? )?([A-Za-z]{3,9})\.?(?: (\d{1,2})(?:st|nd|rd|th)?)?,? (\d{4})",
    re.ASCII,
)
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip


def days(text: str) -> list[date] | None:
    """Return the days that a text can mean: none if impossible, None if it is no date."""
    if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        # Digits of any script, as in `int`.
        return _real([(int(text[:4]), int(text[5:7]), int(text[8:]))])
    match = _NUMERIC.fullmatch(text)
    if match:
        first, middle, last = match[1], int(match[3]), match[4]
        if len(first) == 4 and len(last) <= 2:
            return _real([(int(first), middle, int(last))])
        if len(first) <= 2 and len(last) == 4:
            year = int(last)
            return _real([(year, middle, int(first)), (year, int(first), middle)])
        return None
    match = _WORDED.fullmatch(text)
    if match and (match[1] is None) != (match[3] is None):
        name = match[2].casefold()
        for index, month in enumerate(_MONTHS, 1):
            if name in (month, month[:3]):
                return _real([(int(match[4]), index, int(match[1] or match[3]))])
    return None


def _real(candidates: Sequence[tuple[int, int, int]]) -> list[date]:
    found = []
    for year, month, day in candidates:
        try:
            found.append(date(year, month, day))
        except ValueError:
            continue
    return sorted(set(found))


def _is_date(text: str) -> bool:
    return days(text) != []


_CLOCK = re.compile(
    r"(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?(?: ?([AaPp])\.?[Mm]\.?)?", re.ASCII
)


def _is_time(text: str) -> bool:
    match = _CLOCK.fullmatch(text)
    if match is None:
        return True
    hour, minute, second = int(match[1]), int(match[2]), int(match[3] or 0)
    if minute > 59 or second > 60:
        return False
    if match[4]:
        return 0 < hour < 13
    return hour < 24 or (hour, minute, second) == (24, 0, 0)


def _is_datetime(text: str) -> bool:
    if len(text) < 14 or text[10] not in "Tt " or days(text[:10]) is None:
        return True
    clock = re.sub(r"(?:[Zz]|[+-][0-9]{2}:?[0-9]{2})\Z", "", text[11:])
    if _CLOCK.fullmatch(clock) is None:
        return True
    return _is_date(text[:10]) and _is_time(clock)


def _is_email(text: str) -> bool:
    if "@" not in text:
        return True
    return all(_is_address(part) for part in re.split("[,;]", text))


def _is_address(text: str) -> bool:
    text = text.strip()
    if text.endswith(">") and "<" in text:
        text = text[text.rindex("<") + 1 : -1]
    name, _, host = text.rpartition("@")
    labels = host.split(".")
    if not name or any(not part for part in name.split(".")) or len(labels) < 2:
        return False
    if re.search(r"[\s()<>\[\]:;,\\\"@]", name):
        return False
    good = all(re.fullmatch(r"\w(?:[\w-]*\w)?", label) for label in labels)
    return good and re.match(r"[^\W\d_].", labels[-1]) is not None


def _is_url(text: str) -> bool:
    if text[:4].casefold() in ("www.", "www,"):
        host, port = _host_of(text)
        return host.count(".") > 1 and _is_host(host, ",:@") and _is_port(port)
    match = re.match(r"([A-Za-z][A-Za-z0-9+.-]{1,9})(:/|[:/;])", text)
    if match is None:
        return True
    scheme = match[1].casefold()
    if match[2] != ":/" and scheme not in ("http", "https", "ftp"):
        return True
    rest = text[match.end(1) :]
    if not rest.startswith("://") or re.search(r"\s", text) or scheme in SLIPS_OF_HTTP:
        return False
    if rest.startswith(":///"):
        return match[1] == "file"
    user, mark, place = re.split("[/?#]", rest[3:])[0].rpartition("@")
    if mark and (not user or "@" in user):
        return False
    if re.fullmatch(r"\[[0-9a-fA-F:.]+\](?::[0-9]{1,5})?", place):
        return True
    host, port = _host_of(place)
    return _is_host(host.removesuffix("."), ",;:@\\") and _is_port(port)


def _host_of(text: str) -> tuple[str, str | None]:
    """Return what stands before a path, and what stands between a colon and the path."""
    host, mark, port = re.split("[/?#]", text)[0].partition(":")
    return host, port if mark else None


def _is_host(host: str, wrong: str) -> bool:
    """Tell whether a host's labels are all there, without blanks or wrong signs."""
    return all(host.split(".")) and not any(sign.isspace() or sign in wrong for sign in host)


def _is_port(port: str | None) -> bool:
    return port is None or re.fullmatch("[0-9]{1,5}", port) is not None


def _is_phone(text: str) -> bool:
    digits = [letter for letter in text if letter.isdigit()]
    if len(digits) < 3 and not text.startswith("+"):
        return True
    bare = re.sub(r"[\s().\-/\u2010-\u2015]", "", text)
    bare = re.sub(r"(?i)(?:,|;|ext\.?|x|#)[0-9]{1,6}$", "", bare)
    number = bare.removeprefix("+")
    if number.isdecimal():
        return len(number) <= 15 and (len(number) >= 7 or not bare.startswith("+"))
    vanity = number.isupper() and number.isalnum() and re.search("[A-Z]{3}", number)
    return bool(vanity)


def _is_ip(text: str) -> bool:
    numeric = re.fullmatch(r"\d+(?:\.\d+){2,}(/\d+)?(:\d+)?", text, re.ASCII)
    if numeric:
        text = text.removesuffix(numeric[2] or "")
        octets, _, mask = text.partition("/")
        # Leading zeros are read as decimal, as most services do.
        text = ".".join(str(int(part)) for part in octets.split(".") if len(part) < 4)
        if text.count(".") != octets.count("."):
            return False
        text += f"/{mask}" if mask else ""
    elif text.count(":") < 2 or not re.fullmatch(r"[0-9A-Za-z:.]+(?:%\w+)?(?:/\d+)?", text):
        return True
    else:
        text = text.partition("/")[0]
    try:
        ip_interface(text)
    except ValueError:
        return False
    return True


def _is_uuid(text: str) -> bool:
    parts = text.casefold().split("-")
    sizes = [len(part) for part in parts]
    near = len(sizes) == 5 and all(
        abs(size - right) < 2 for size, right in zip(sizes, (8, 4, 4, 4, 12), strict=True)
    )
    if not near or not all(re.fullmatch("[0-9a-z]+", part) for part in parts):
        return True
    return sizes == [8, 4, 4, 4, 12] and all(re.fullmatch("[0-9a-f]+", part) for part in parts)


def _is_file_path(text: str) -> bool:
    if "://" in text:
        return True
    if re.match(r"[A-Za-z]:\\", text):
        return not any(letter in '<>|"' or ord(letter) < 32 for letter in text)
    is_path = "/" in text or "\\" in text or re.search(r"\.\w{1,6}\Z", text)
    return "\0" not in text or not is_path


def _is_color(text: str) -> bool:
    if not text.startswith("#"):
        return True
    return len(text) in (4, 5, 7, 9) and all(c in "0123456789abcdefABCDEF" for c in text[1:])


def _is_timezone(text: str) -> bool:
    if "/" in text and " " not in text:
        return text.split("/")[0] in ZONE_REGIONS and text[-1] != "/"
    match = re.fullmatch(r"(?i)(?:UTC|GMT)? ?[+-]([0-9]{1,2})(?::?([0-9]{2}))?", text)
    return match is None or (int(match[1]) < 15 and int(match[2] or 0) < 60)


def _is_code(codes: frozenset[str], size: int) -> Callable[[str], bool]:
    def check(text: str) -> bool:
        is_form = len(text) == size and text.isascii() and text.isalpha()
        return not is_form or text.upper() in codes

    return check


def _is_language(text: str) -> bool:
    match = re.fullmatch(r"([A-Za-z]{2})(?:[-_][A-Za-z0-9]{2,8})*", text)
    return match is None or match[1].casefold() in LANGUAGES


_CHECKS: Mapping[str, Callable[[str], bool]] = {
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
    "currency": _is_code(CURRENCIES, 3),
    "country": _is_code(COUNTRIES, 2),
    "language": _is_language,
}


def _is_ordered(name: str, start: Json, end: Json) -> bool:
    """Tell whether a start isn't after its end; what can't be compared is in order."""
    if name == "bounds_order":
        numbers = all(
            isinstance(value, (int, float)) and not isinstance(value, bool)
            for value in (start, end)
        )
        return not numbers or start <= end
    if not isinstance(start, str) or not isinstance(end, str):
        return True
    # Times of day are compared where both begin with a day, the year first.
    if start[4:5] == end[4:5] and start[4:5] in ("-", "/", "."):
        first, last = _day(start[:10]), _day(end[:10])
        if first is not None and last is not None:
            if first != last:
                return first < last
            alike = len(start) == len(end) and start[19:] == end[19:]
            return not alike or start <= end
    first, last = _day(start), _day(end)
    return first is None or last is None or first <= last


def _day(text: str) -> date | None:
    """Return the one day that a text means, if it is one."""
    found = days(text)
    return found[0] if found is not None and len(found) == 1 else None
