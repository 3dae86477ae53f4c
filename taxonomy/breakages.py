"""How a value of the right type breaks its rule, in the style of the value itself.

Nothing is drawn: what varies comes from the value's own digits and letters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date, timedelta
from functools import lru_cache

from plan.json_text import Json
from plan.rules import Rule, accepts

Made = Iterator[tuple[str, Json]]


@lru_cache(maxsize=1 << 13, typed=True)
def breakages(rule: Rule, value: str | float) -> tuple[tuple[str, Json], ...]:
    """Return (way, value) of every way to break a rule that a value satisfies.

    No value twice; texts stay texts, numbers numbers. Orders are `disorders`' affair.
    """
    make = _MAKERS.get(rule.name)
    if make is None:
        return ()
    found: dict[Json, str] = {}
    for way, new in make(value, rule.bound):
        if new not in found and not accepts(rule, new):
            found[new] = way
    return tuple((f"{rule.name}_{way}", new) for new, way in found.items())


@lru_cache(maxsize=1 << 12, typed=True)
def disorders(order: str, start: str | float, end: str | float) -> tuple[tuple[str, Json], ...]:
    """Return (way, end) of ends that come before their start; the caller checks the order."""
    found: dict[Json, str] = {}
    if isinstance(start, str) and isinstance(end, str):
        for way, new in _earlier(start, end):
            if new != end:
                found.setdefault(new, way)
    elif not isinstance(start, str) and not isinstance(end, str):
        for way, number in (
            ("below", start - (end - start)),
            ("half", start / 2),
            ("slip", end / 10),
        ):
            new = _like(number, end)
            if new < start and (new >= 0 or start < 0):
                found.setdefault(new, way)
    return tuple((f"{order}_{way}", new) for new, way in found.items())


# Texts ----------------------------------------------------------------------------------

_DAY = re.compile(r"(?<!\d)(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)")
_DAY_LAST = re.compile(r"(?<!\d)(\d{1,2})([-/.])(\d{1,2})\2(\d{4})(?!\d)")
_DAY_WORDS = re.compile(r"(?<!\d)(\d{1,2})(?=(?:st|nd|rd|th)?(?: [A-Za-z]|,? \d{4}))")
_CLOCK = re.compile(r"(?<!\d)(\d{1,2}):(\d{2})")
_LONG = (1, 3, 5, 7, 8, 10, 12)


def _date(text: str, bound: str | None) -> Made:
    match = _DAY.search(text)
    if match:
        head, tail = text[: match.start()], text[match.end() :]
        year, mark, month, day = match[1], match[2], match[3], match[4]
        for way, m, d in _impossible_days(int(month), int(day)):
            yield way, f"{head}{year}{mark}{m:0{len(month)}d}{mark}{d:0{len(day)}d}{tail}"
        yield "swapped", f"{head}{year}{mark}{day}{mark}{month}{tail}"
        if bound is not None:
            for other in "/.-":
                yield "layout", f"{head}{year}{other}{month}{other}{day}{tail}"
            yield "layout", f"{head}{day}{mark}{month}{mark}{year}{tail}"
            yield "layout", f"{head}{month}{mark}{day}{mark}{year}{tail}"
            yield "layout", f"{head}{year}{mark}{int(month)}{mark}{int(day)}{tail}"
            yield "cut", f"{head}{year}{mark}{month}{tail}"
        return
    match = _DAY_LAST.search(text)
    if match:
        head, tail = text[: match.start()], text[match.end() :]
        first, mark, second, year = match[1], match[2], match[3], match[4]
        for way, m, d in _impossible_days(min(int(first), 12), int(second)):
            yield way, f"{head}{m:0{len(first)}d}{mark}{d:0{len(second)}d}{mark}{year}{tail}"
            yield way, f"{head}{d:0{len(first)}d}{mark}{m:0{len(second)}d}{mark}{year}{tail}"
        return
    match = _DAY_WORDS.search(text)
    if match:
        for way, _, d in _impossible_days(1, int(match[1])):
            yield way, text[: match.start()] + str(d) + text[match.end() :]


def _impossible_days(month: int, day: int) -> Iterator[tuple[str, int, int]]:
    """Yield (way, month, day): a day past the month's end, a month past the year's, zero."""
    for other in (32 + day % 4, 36 + month % 4, 31 + month):
        yield "day", month, other
    for other in (12 + month, 13 + day % 7, 20 - month % 4):
        yield "month", max(other, 13), day
    if month not in _LONG:
        yield "month_end", month, 31
        yield "month_end", 2, 30 + day % 2
    elif day > 28:
        yield "month_end", 2, max(day, 30)
    else:
        yield "month_end", (4, 6, 9, 11)[month % 4], 31
        yield "month_end", 2, 30 + day % 2
    yield "zero", month, 0
    yield "zero", 0, day


def _time(text: str, bound: str | None) -> Made:
    match = _CLOCK.search(text)
    if not match:
        return
    head, tail = text[: match.start()], text[match.end() :]
    hour, minute = match[1], match[2]
    h, m = int(hour), int(minute)
    for other in (24 + h % 6, 25 + m % 5, 24 + h):
        yield "hour", f"{head}{other}:{minute}{tail}"
    for other in (60 + m % 40, 60 + h, 65 + (h + m) % 30):
        yield "minute", f"{head}{hour}:{other}{tail}"
    if "m" in tail.casefold():
        yield "hour", f"{head}{h + 12}:{minute}{tail}"
        yield "hour", f"{head}{13 + m % 9}:{minute}{tail}"
    yield "cut", f"{head}{hour}:{minute[0]}{tail}"
    yield "mark", f"{head}{hour}.{minute}{tail}"
    yield "mark", f"{head}{hour}{minute}{tail}"


def _datetime(text: str, bound: str | None) -> Made:
    day, clock = text[:10], text[10:]
    for way, new in _date(day, None):
        yield way, f"{new}{clock}"
    for way, new in _time(clock, None):
        yield way, f"{day}{new}"


def _email(text: str, bound: str | None) -> Made:
    user, _, host = text.rpartition("@")
    name, _, rest = host.rpartition(".")
    yield "host_lost", f"{user}@"
    yield "user_lost", f"@{host}"
    yield "ending_lost", f"{user}@{name}"
    yield "ending_lost", f"{user}@{host.partition('.')[0]}"
    yield "name_lost", f"{user}@.{rest}"
    yield "mark", f"{user}@@{host}"
    yield "mark", f"{user}#{host}"
    yield "mark", f"{user} at {host}"
    yield "mark", user + host
    yield "comma", f"{user}@{name},{rest}"
    yield "dots", f"{user}@{name}..{rest}"
    yield "dots", f"{user}.@{host}"
    for mark in "._-":
        if mark in user:
            yield "blank", f"{user.replace(mark, ' ', 1)}@{host}"
            yield "dots", f"{user.replace(mark, '..', 1)}@{host}"
    yield "blank", f"{user}@ {host}"


def _url(text: str, bound: str | None) -> Made:
    scheme, mark, rest = text.partition("://")
    if not mark:
        if text[:4] == "www.":
            yield "dots", f"www..{text[4:]}"
        return
    host, slash, path = rest.partition("/")
    yield "slash", f"{scheme}:/{rest}"
    yield "slash", f"{scheme}:{rest}"
    yield "slash", f"{scheme}:///{rest}"
    yield "colon", f"{scheme}//{rest}"
    yield "colon", f"{scheme};//{rest}"
    yield "slash", f"{scheme}:\\\\{rest}"
    if scheme in ("http", "https"):
        yield "scheme", f"htp{scheme[4:]}://{rest}"
        yield "scheme", f"htt{scheme[4:]}://{rest}"
        yield "scheme", f"htttp{scheme[4:]}://{rest}"
        yield "scheme", f"ttp{scheme[4:]}://{rest}"
        yield "scheme", f"htpp{scheme[4:]}://{rest}"
    yield "host_lost", f"{scheme}:///{path}"
    yield "dots", f"{scheme}://{host.replace('.', '..', 1)}{slash}{path}"
    yield "blank", f"{scheme}://{host.replace('.', ' ', 1)}{slash}{path}"
    for letter in "-_":
        if letter in path:
            yield "blank", f"{scheme}://{host}/{path.replace(letter, ' ', 1)}"


_LOOK_ALIKE = {
    "0": "O",
    "1": "l",
    "2": "Z",
    "5": "S",
    "8": "B",
    "6": "b",
    "3": "E",
    "4": "A",
    "7": "T",
    "9": "g",
}


def _phone(text: str, bound: str | None) -> Made:
    places = [at for at, sign in enumerate(text) if sign.isdigit()]
    if len(places) < 4:
        return
    for at in (places[len(places) // 2], places[-2], places[-1]):
        yield "letter", text[:at] + _LOOK_ALIKE[_ascii(text[at])] + text[at + 1 :]
    for keep in (4, 5, 6):
        if keep < len(places):
            yield "short", text[: places[keep - 1] + 1]
    digits = "".join(text[at] for at in places)
    yield "long", text + digits[-7:]
    yield "long", text + digits[-6:] + digits[:3]
    yield "mark", f"+{text}"
    if text.startswith("+"):
        yield "mark", text[1:]
        yield "mark", f"0{text}"
        yield "mark", f"#{text[1:]}"


def _ascii(digit: str) -> str:
    return str(int(digit))


def _code(text: str, bound: str | None) -> Made:
    """Break a short code of letters: other letters, another order, one more or less."""
    for at in range(len(text) - 1):
        yield "swapped", text[:at] + text[at + 1] + text[at] + text[at + 2 :]
    for at in range(min(len(text), 3)):
        letter = text[at]
        for other in _NEAR.get(letter.casefold(), ""):
            other = other.upper() if letter.isupper() else other
            yield "letter", text[:at] + other + text[at + 1 :]
    yield "length", text[:-1]
    yield "length", text + text[-1:]
    yield "length", text[:1] + text
    yield "case", text.swapcase()
    yield "dots", ".".join(text)


# Neighbours on a keyboard.
_NEAR: Mapping[str, str] = {
    "a": "sq", "b": "vn", "c": "xv", "d": "sf", "e": "wr", "f": "dg", "g": "fh", "h": "gj",
    "i": "uo", "j": "hk", "k": "jl", "l": "k", "m": "n", "n": "bm", "o": "ip", "p": "o",
    "q": "wa", "r": "et", "s": "ad", "t": "ry", "u": "yi", "v": "cb", "w": "qe", "x": "zc",
    "y": "tu", "z": "x",
}  # fmt: skip


def _timezone(text: str, bound: str | None) -> Made:
    region, mark, city = text.partition("/")
    if mark:
        yield "swapped", f"{city}/{region}"
        yield "part_lost", f"{region}/"
        yield "letter", f"{region[:-1]}/{city}"
        yield "letter", f"{region[0]}{region[2:]}/{city}"
        yield "letter", f"{region[0]}{region[2:3]}{region[1:2]}{region[3:]}/{city}"
        yield "doubled", f"{region}{region[-1]}/{city}"
        return
    match = re.search(r"[+-](\d{1,2})", text)
    if match:
        for other in (15 + int(match[1]) % 9, 24 + int(match[1]) % 9):
            yield "hour", text[: match.start(1)] + str(other) + text[match.end(1) :]


def _ip(text: str, bound: str | None) -> Made:
    host = re.match(r"[0-9.]+", text)
    if not host or host[0].count(".") != 3:
        if ":" in text:
            yield "part", f"{text}:{text.rpartition(':')[2] or '1'}:1:2:3:4:5:6:7:8"
            yield "letter", text.replace(":", ":g", 1)
        return
    parts, tail = host[0].split("."), text[host.end() :]
    for at in (3, 0, 2, 1):
        octet = int(parts[at])
        other = 256 + octet if octet < 44 else 256 + octet % 44
        yield "octet", ".".join([*parts[:at], str(other), *parts[at + 1 :]]) + tail
    yield "octet", ".".join([*parts[:3], f"{parts[3]}{parts[3][-1]}{parts[0][-1]}"]) + tail
    for at in (3, 1):
        yield "part_lost", ".".join([*parts[:at], *parts[at + 1 :]]) + tail
    yield "part_added", ".".join([*parts, parts[0]]) + tail
    yield "part_added", ".".join([*parts, parts[2]]) + tail
    yield "mark", ",".join(parts) + tail
    yield "mark", "-".join(parts) + tail


def _uuid(text: str, bound: str | None) -> Made:
    groups = text.split("-")
    for at in (0, 9, 20, 30):
        if at < len(text) and text[at] != "-":
            other = "ghxz"[int(text[at], 16) % 4]
            yield "letter", text[:at] + other + text[at + 1 :]
    yield "cut", text[:-1]
    yield "cut", text[1:]
    yield "long", text + text[-1]
    yield "part_lost", "-".join(groups[:-2] + groups[-1:])


def _file_path(text: str, bound: str | None) -> Made:
    """Break the form that the schema fixes; of other paths, only those of Windows.

    Elsewhere nearly every sign may stand in a name.
    """
    start = max(text.rfind("/"), text.rfind("\\")) + 1
    folder, name = text[:start], text[start:]
    stem, dot, ending = name.rpartition(".")
    if not dot:
        stem, ending = name, ""
    middle = len(stem) // 2
    if re.match(r"[A-Za-z]:\\", text):
        for way, mark in (("bracket", "<"), ("bracket", ">"), ("bar", "|"), ("quote", '"')):
            yield way, f"{folder}{stem[:middle]}{mark}{stem[middle:]}{dot}{ending}"
        # What a backslash becomes in JSON text if it isn't doubled.
        for letter, sign in (("t", "\t"), ("n", "\n"), ("r", "\r"), ("b", "\b"), ("f", "\f")):
            if f"\\{letter}" in text:
                yield "escape", text.replace(f"\\{letter}", sign, 1)
    if bound is None:
        return
    for mark in "_-":
        if mark in stem:
            yield "blank", f"{folder}{stem.replace(mark, ' ', 1)}{dot}{ending}"
    yield "blank", f"{folder}{stem[:middle]} {stem[middle:]}{dot}{ending}"
    if dot:
        yield "blank", f"{folder}{stem}. {ending}"
        yield "ending_lost", folder + stem
    if folder.startswith("/"):
        yield "root_lost", text[1:]
        yield "root_lost", f".{text}"
        yield "slash", text.replace("/", "\\")
        yield "blank", f"/ {text[1:]}"


def _color(text: str, bound: str | None) -> Made:
    yield "cut", text[:-1]
    yield "long", text + text[-1]
    yield "long", text + text[1:3] + text[-1]
    for at in range(1, min(len(text), 7), 2):
        yield "letter", text[:at] + "ghxz"[at % 4] + text[at + 1 :]


def _identifier(text: str, bound: str | None) -> Made:
    """Break an id or another text with a fixed form."""
    head = re.match(r"[A-Za-z]+", text)
    if head:
        letters, rest = head[0], text[head.end() :]
        bare = rest.lstrip("-_#/:. ")
        mark = rest[: len(rest) - len(bare)]
        yield "prefix_lost", bare
        yield "prefix_lost", rest
        if mark:
            yield "mark_lost", letters + bare
            for other in ("_", "-", "/", " ", "."):
                yield "mark", f"{letters}{other}{bare}"
        for at in range(len(letters) - 1):
            swapped = letters[:at] + letters[at + 1] + letters[at] + letters[at + 2 :]
            yield "prefix_swapped", swapped + rest
        yield "prefix_cut", letters[:-1] + rest
        yield "prefix_doubled", letters + letters[-1] + rest
        yield "prefix_case", letters.swapcase() + rest
        yield "turned", f"{bare}{mark}{letters}"
    places = [at for at, sign in enumerate(text) if sign in _LOOK_ALIKE]
    for at in places[-1:] + places[:1] + places[len(places) // 2 : len(places) // 2 + 1]:
        yield "letter", text[:at] + _LOOK_ALIKE[text[at]] + text[at + 1 :]
    if places:
        at = places[-1]
        yield "digit_lost", text[:at] + text[at + 1 :]
        yield "digit_added", text[: at + 1] + text[at] + text[at + 1 :]
        yield "blank", f"{text[:at]} {text[at:]}"
    yield "case", text.swapcase()
    yield "cut", text[:-1]
    yield "cut", text[1:]


def _choice(value: Json, bound: Json) -> Made:
    if not isinstance(value, str):
        yield from _odd_number(value, bound)
        return
    text = value
    words = re.split(r"[\s_-]+", text)
    yield "case", text.upper()
    yield "case", text.lower()
    yield "case", text.capitalize()
    yield "case", text.title()
    if len(words) > 1:
        for mark in ("-", "_", " ", ""):
            yield "mark", mark.join(words)
        yield "word_lost", words[0]
        yield "word_lost", words[-1]
        yield "turned", text[len(words[0])].join(reversed(words))
    middle = len(text) // 2
    for at in (middle, len(text) - 2, 1):
        if 0 < at < len(text) - 1:
            yield "letter_lost", text[:at] + text[at + 1 :]
            yield "letter_doubled", text[: at + 1] + text[at:]
            yield "letters_swapped", text[:at] + text[at + 1] + text[at] + text[at + 2 :]
    yield "ending", text[:-1] if text.endswith("s") else f"{text}s"
    if len(text) > 5:
        yield "cut", text[:3]
        yield "cut", text[:4]
    if len(text) <= 5:
        yield "letter_lost", text[:-1]
    for other in bound:
        if isinstance(other, str) and other != text:
            yield "two", f"{text}/{other}"
            yield "two", f"{text},{other}"
            break


# Numbers --------------------------------------------------------------------------------


def _odd_number(value: float, bound: Json) -> Made:
    numbers = [one for one in bound if isinstance(one, (int, float))]
    for number in (value + 1, value - 1, value * 10, max(numbers) + value, -value):
        yield "other", _like(number, value)


def _limited(value: float, bound: Json) -> Made:
    """Break limits: the sign, a slip of the decimal point, a bit over or under."""
    low, high = bound
    if low is not None and low >= 0 and value:
        yield "negative", -value
        yield "negative", _like(-value - 1 - value % 3, value)
        yield "negative", _like(-(value + 1) / 2, value)
    for way, number in (("slip", value * 10), ("slip", value * 100)):
        yield way, _like(number, value)
        yield way, _like(-number, value)
    size = abs(value)
    if high is not None:
        for more in (1 + size % 7, size, abs(high) / 4 + size / 3):
            yield "above", _like(high + (more or 1), value)
    if low is not None:
        for less in (1 + size % 7, size, abs(low) / 4 + size / 3):
            yield "below", _like(low - (less or 1), value)


def _counted(value: float, bound: Json) -> Made:
    yield from _limited(value, bound)
    if isinstance(value, int):
        yield "fraction", value + 0.5
        yield "fraction", value - 0.25 if value % 2 else value + 0.2


def _like(number: float, model: float) -> float:
    """Return a number written as another: whole, or with as many digits after the point."""
    if isinstance(model, int):
        return round(number)
    text = repr(model)
    places = 6 if "e" in text else len(text.partition(".")[2])
    return float(round(number, places))


def _earlier(start: str, end: str) -> Made:
    """Yield ends that lie before a start, in the end's own writing."""
    match = re.match(r"(\d{4})([-/.])(\d{2})\2(\d{2})", start)
    shape = re.match(r"(\d{4})([-/.])(\d{2})\2(\d{2})", end)
    if match and shape:
        try:
            first = date(int(match[1]), int(match[3]), int(match[4]))
            last = date(int(shape[1]), int(shape[3]), int(shape[4]))
        except ValueError:
            return
        gap = max((last - first).days, 1)
        for way, days in (
            ("mirrored", gap),
            ("day_before", 1),
            ("days_before", 2 + gap % 5),
            ("days_before", 7 + last.day % 9),
            ("month_before", 28 + first.day % 5),
        ):
            try:
                day = first - timedelta(days=days)
            except OverflowError:
                continue
            yield way, f"{day.year:04d}{shape[2]}{day.month:02d}{shape[2]}{day.day:02d}{end[10:]}"
    year = re.search(r"(?<!\d)\d{4}(?!\d)", end)
    if year:
        for less in (1, 2):
            other = int(year[0]) - less
            yield "year_before", f"{end[: year.start()]}{other:04d}{end[year.end() :]}"


_MAKERS: Mapping[str, Callable[[Json, Json], Made]] = {
    "date": _date,
    "time": _time,
    "datetime": _datetime,
    "email": _email,
    "url": _url,
    "phone": _phone,
    "ip": _ip,
    "uuid": _uuid,
    "file_path": _file_path,
    "color": _color,
    "timezone": _timezone,
    "currency": _code,
    "country": _code,
    "language": _code,
    "id_pattern": _identifier,
    "pattern": _identifier,
    "enum": _choice,
    "latitude": _limited,
    "longitude": _limited,
    "percentage": _limited,
    "calendar": _counted,
    "count": _counted,
    "price": _limited,
    "measure": _limited,
    "range": _limited,
}
