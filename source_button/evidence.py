"""What a value says by itself: numbers and dates in texts, and whether a match may be chance."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from functools import lru_cache

from plan.json_text import Json

NEVER, WEAK, STRONG = 0, 1, 2
"""How much an equal value says: nothing; something beside an equal name; enough alone."""

WORD = re.compile(r"\w+")
DIGIT = re.compile(r"[0-9]")
_KEY_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_AMOUNT = re.compile(
    r"\s*(?:[A-Z]{3}\s|[A-Z]{0,2}[$€£¥₹]\s?)?([+-]?\d[\d,]*(?:\.\d+)?)"
    r"\s?(?:%|[$€£¥₹]|°?[A-Za-z²³µ/]{1,12}(?: [A-Za-z]{1,10})?)?\s*"
)
NUMBER = re.compile(r"(?=[-\d])(?<![\w.,-])-?\d[\d,]*(?:\.\d+)?(?![\d])")
# 3rd, 12h
_DIGITS_FIRST = re.compile(r"(?=\d)\b(\d+)[a-z]*\b")
_MONTHS = (
    "january february march april may june july august september october november december"
).split()
_MONTH_NUMBERS = {name: n for n, name in enumerate(_MONTHS, 1)} | {
    name[:3]: n for n, name in enumerate(_MONTHS, 1)
}
_MONTH = r"(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|" + (
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
# The first letters of all alternatives let the search pass over the rest of a text.
_DATES = re.compile(
    r"(?=[\djfmasond])\b(?:"
    r"(?P<iso>(\d{4})-(\d{2})-(\d{2})(?!\d))"
    rf"|(?P<mdy>{_MONTH}\s+(\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s+(\d{{4}}))?)"
    rf"|(?P<dmy>(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}\b(?:,?\s+(\d{{4}}))?)"
    r"|(?P<us>(\d{1,2})/(\d{1,2})/(\d{4})\b)"
    r"|(?P<de>(\d{1,2})\.(\d{1,2})\.(\d{4})\b))",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"\b(\d{1,2})(?::(\d{2}))?(?::\d{2})?\s*([ap])\.?m\b|\b(\d{1,2}):(\d{2})", re.I)
_SPAN = re.compile(
    r"(?=[\daotfsend])\b(?:(\d{1,3}|a|an|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty"
    r"|thirty)[ -]|(?=day (?:before|after)))(day|night|week)s?\b"
    r"(?: (?:of )?(before|prior|earlier|ahead|after|later|following|from))?",
    re.IGNORECASE,
)
_NUMBER_WORDS = {
    word: n
    for n, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
} | {"a": 1, "an": 1, "fifteen": 15, "twenty": 20, "thirty": 30, "dozen": 12, "half": 0.5}


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


# Currencies, languages and units: shared by chance wherever they stand.
_COMMON = word_set(
    "usd eur gbp jpy cny inr cad aud chf sek nok dkk brl mxn krw sgd hkd nzd zar gal lbs ltr "
    "kmh mph kwh min sec hrs pcs yes utc gmt est pst pdt edt cet true false none null n/a "
    "unknown celsius fahrenheit metric imperial english spanish french german italian chinese "
    "japanese en-us en-gb monday tuesday wednesday thursday friday saturday sunday today tomorrow"
) | frozenset(_MONTHS)
_STATES = word_set(
    "success successful successfully succeeded ok okay done active inactive available "
    "unavailable confirmed pending completed complete approved rejected scheduled created "
    "updated deleted open closed high medium low excellent good fair poor positive negative "
    "neutral sent delivered failed error enabled disabled verified valid invalid paid unpaid "
    "booked reserved cancelled draft published new online offline public private standard "
    "premium basic normal urgent critical moderate general default other started processing "
    "shipped logged granted"
)
_ORDINARY_KEYS = word_set(
    "status state type unit units format currency language count quantity number total "
    "success message code result results value values data info details level priority"
)


def normalise(text: str) -> str:
    """Return a text without differences of case and blanks."""
    return " ".join(text.casefold().split())


def amount(text: str) -> float | None:
    """Return the number that a text such as "$1,245.30", "45 km" or "72%" writes, else None."""
    return _amount(text) if len(text) <= 32 else None


# Values come up again and again within a record; long texts would stay in memory.
@lru_cache(maxsize=4096)
def _amount(text: str) -> float | None:
    found = _AMOUNT.fullmatch(text) if DIGIT.search(text) else None
    return None if found is None else float(found.group(1).replace(",", ""))


def number_strength(number: float) -> int:
    """Tell how much an equal number says: 0 and 1 nothing, small, round and years a little."""
    if not number or abs(number) == 1 or number != number:
        return NEVER
    if number == int(number):
        size = abs(int(number))
        if size <= 20 or 1900 <= size <= 2100:
            return WEAK
        digits = str(size).rstrip("0")
        return STRONG if len(digits) > 1 else WEAK
    digits = repr(abs(number)).replace(".", "").lstrip("0")
    return STRONG if len(digits) > 2 or abs(number) >= 10 else WEAK


def text_strength(text: str) -> int:
    """Tell how much an equal text says: codes and units nothing, plain words a little."""
    size = len(text)
    if size < 3:
        return NEVER
    if size <= 10:
        low = text.casefold().strip()
        if low in _COMMON:
            return NEVER
        if text.isdecimal():
            return number_strength(float(text))
        if size == 3 and not text.isupper():
            return NEVER
        if low in _STATES:
            return WEAK
    if text.isalpha() and text.islower():
        return WEAK
    if size <= 32 and text.islower() and "_" in text and text.replace("_", "").isalpha():
        return WEAK
    number = amount(text)
    if number is not None:
        return number_strength(number)
    return STRONG


def strength(value: Json) -> int:
    """Tell how much an equal value says."""
    if isinstance(value, bool) or value is None:
        return NEVER
    if isinstance(value, str):
        return text_strength(value)
    if isinstance(value, (int, float)):
        return number_strength(value)
    return NEVER


def stands_out(text: str) -> bool:
    """Tell whether a text found inside a longer one can't well be there by chance."""
    size = len(text)
    if size < 4 or text.isspace():
        return False
    if DIGIT.search(text):
        number = amount(text)
        return number is None or (number_strength(number) == STRONG and size >= 4)
    words = text.split()
    if len(words) > 1:
        return size >= 9 or (size >= 6 and not text.islower())
    if text.isalpha():
        low = text.casefold()
        return not text.islower() and low not in _COMMON and low not in _STATES
    return any(mark in text for mark in "@/_#.-") and size >= 5


# A corpus has a few hundred keys and tool names, each of which comes up thousands of times.
@lru_cache(maxsize=4096)
def key_words(key: str) -> tuple[str, ...]:
    """Return the words of a key in snake, camel, kebab or dotted case, in lower case."""
    return tuple(_singular(word.lower()) for word in _KEY_WORD.findall(key))


def _singular(word: str) -> str:
    if len(word) > 3 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word[-1] == "s" and word[-2] not in "sui":
        return word[:-1]
    return word


@lru_cache(maxsize=4096)
def agree(first: str, second: str) -> bool:
    """Tell whether two keys name the same thing, and not just anything."""
    if first == second:
        return first.lower() not in _ORDINARY_KEYS
    one, two = set(key_words(first)), set(key_words(second))
    shared = one & two
    if not shared or not (one <= two or two <= one):
        return False
    return not shared <= _ORDINARY_KEYS | {"id", "name"}


@lru_cache(maxsize=4096)
def alike(first: str, second: str) -> int:
    """Return how much two keys have in common; for choosing among equal values."""
    if first == second:
        return 3
    one, two = set(key_words(first)), set(key_words(second))
    if one == two:
        return 3
    shared = one & two
    if not shared:
        return 0
    return 2 if one <= two or two <= one else 1


def bounded(text: str, start: int, end: int) -> bool:
    """Tell whether text[start:end] doesn't begin or end inside a word or number."""
    if start and text[start].isalnum() and text[start - 1].isalnum():
        return False
    if end < len(text) and text[end - 1].isalnum():
        after = text[end]
        if after.isalnum():
            return False
        # 129.00 is not 129, and 1,105 is not 1.
        if after in ".," and text[end - 1].isdigit() and text[end + 1 : end + 2].isdigit():
            return False
    return not (
        start > 1
        and text[start].isdigit()
        and text[start - 1] in ".,"
        and text[start - 2].isdigit()
    )


def find(text: str, part: str) -> int:
    """Return where a part stands in a text as a whole word or phrase, or -1."""
    start = text.find(part)
    while start >= 0:
        if bounded(text, start, start + len(part)):
            return start
        start = text.find(part, start + 1)
    return -1


Day = tuple[int, int, int]


def dates_in(text: str) -> Iterator[tuple[Day, int, int]]:
    """Yield ((year or 0, month, day), start, end) of each date written in a text."""
    for found in _DATES.finditer(text):
        groups = found.groups()
        if found.group("iso"):
            day = (int(groups[1]), int(groups[2]), int(groups[3]))
        elif found.group("mdy"):
            day = (int(groups[7] or 0), _MONTH_NUMBERS[groups[5][:3].lower()], int(groups[6]))
        elif found.group("dmy"):
            day = (int(groups[11] or 0), _MONTH_NUMBERS[groups[10][:3].lower()], int(groups[9]))
        elif found.group("us"):
            day = (int(groups[15]), int(groups[13]), int(groups[14]))
        else:
            day = (int(groups[19]), int(groups[18]), int(groups[17]))
        if 1 <= day[1] <= 12 and 1 <= day[2] <= 31:
            yield day, found.start(), found.end()


def day_of(text: str) -> Day | None:
    """Return the day of an ISO date or date and time, else None."""
    if len(text) < 10 or text[4] != "-" or text[7] != "-" or len(text) > 40:
        return None
    if not (text[:4].isdecimal() and text[5:7].isdecimal() and text[8:10].isdecimal()):
        return None
    if len(text) > 10 and text[10] not in "T _":
        return None
    return int(text[:4]), int(text[5:7]), int(text[8:10])


def shifted(day: Day, days: int) -> Day | None:
    """Return the day some days later (earlier if negative), or None where there is none."""
    try:
        found = date(*day) + timedelta(days)
    except (ValueError, OverflowError):
        return None
    return found.year, found.month, found.day


def clock_times(text: str) -> set[int]:
    """Return the times of day written in a text, in minutes."""
    times = set()
    for hour, minute, half, hour24, minute24 in _CLOCK.findall(text):
        if half:
            value = (int(hour) % 12 + (12 if half in "pP" else 0)) * 60 + int(minute or 0)
        else:
            value = int(hour24) * 60 + int(minute24)
        times.add(value)
    return times


def spans(text: str) -> dict[int, bool]:
    """Return the numbers of days named in a text, earlier ones negative.

    "two days before" gives -2, "a week later" 7, and "for 3 nights" both 3 and -3; the value
    tells whether the text says before or after what.
    """
    found: dict[int, bool] = {}
    for number, unit, way in _SPAN.findall(text):
        if not number:
            count: float | None = 1
        elif number.isdecimal():
            count = int(number)
        else:
            count = _NUMBER_WORDS.get(number.lower())
        if not count:
            continue
        days = int(count * (7 if unit.lower() == "week" else 1))
        way = way.lower()
        if way in ("before", "prior", "earlier", "ahead"):
            found[-days] = True
        elif way:
            found[days] = True
        else:
            found.setdefault(days, False)
            found.setdefault(-days, False)
    return found


class Said:
    """What the user has said so far: it explains a value, and needs no result."""

    __slots__ = ("_days", "_numbers", "_raw", "_text", "_times")

    def __init__(self, text: str) -> None:
        self._raw = text
        self._text = normalise(text)
        self._numbers: set[float] | None = None
        self._days: set[Day] | None = None
        self._times: set[int] | None = None

    @property
    def raw(self) -> str:
        """The messages as they were written."""
        return self._raw

    @property
    def numbers(self) -> set[float]:
        """Every number named, in digits or in a word."""
        if self._numbers is None:
            numbers = {
                float(text.replace(",", "")) for text in NUMBER.findall(self._text.replace("$", ""))
            }
            numbers.update(float(digits) for digits in _DIGITS_FIRST.findall(self._text))
            # "a" and "an" are everywhere, and an equal 1 says nothing.
            numbers.update(
                number
                for word, number in _NUMBER_WORDS.items()
                if word in self._text and number != 1 and find(self._text, word) >= 0
            )
            self._numbers = numbers
        return self._numbers

    @property
    def days(self) -> set[Day]:
        """Every date named; where no year was given, it is 0."""
        if self._days is None:
            self._days = {day for day, _, _ in dates_in(self._raw)}
        return self._days

    def has_day(self, day: Day) -> bool:
        """Tell whether a date was named, with or without its year."""
        return day in self.days or (0, day[1], day[2]) in self.days

    def explains(self, value: Json, key: str) -> bool:
        """Tell whether a scalar was given by the user; ``key`` is it normalised, if text."""
        if isinstance(value, str):
            if find(self._text, key) >= 0:
                return True
            day = day_of(value)
            if day is not None and self.has_day(day):
                if len(value) <= 10:
                    return True
                if self._times is None:
                    self._times = clock_times(self._raw)
                return bool(clock_times(value) & self._times)
            number = amount(value)
            return number is not None and number in self.numbers
        return isinstance(value, (int, float)) and value in self.numbers
