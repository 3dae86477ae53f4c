"""JSON text that would lose something is refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from source_button.strict_json import JsonError, parse

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.text() | st.floats(-1e9, 1e9),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


@given(value=VALUES, indent=st.none() | st.just(2) | st.just("\t"), ascii_only=st.booleans())
def test_what_json_writes_is_read_back(
    value: object, indent: int | str | None, ascii_only: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    try:
        text.encode()
    except UnicodeEncodeError:
        return
    if "\\ud" in text.lower():
        return
    assert parse(text) == value


@pytest.mark.parametrize(
    ("text", "code", "path"),
    [
        ('{"a": 1, "a": 2}', "duplicate_key", "/a"),
        ('[{"b": {"a/b" : 1, "a/b": 1}}]', "duplicate_key", "/0/b/a~1b"),
        ('{"x": "\\u0022:", "a": 1, "a": 2}', "duplicate_key", "/a"),
        ('{"a"\n: 1, "a": 2}', "duplicate_key", "/a"),
        ('{"a": 1, "\\u0061": 2}', "duplicate_key", "/a"),
        ('{"x": "\\u003a", "a": 1, "a": 2}', "duplicate_key", "/a"),
        ('{"x": "\\u003A", "a": 1, "a": ":"}', "duplicate_key", "/a"),
        ("[18446744073709551616]", "integer_range", "/0"),
        ('{"n": -9223372036854775809}', "integer_range", "/n"),
        ("1" * 5000, "json", ""),
        ("[NaN]", "json", ""),
        ("[-Infinity]", "json", ""),
        ('["\\ud800"]', "encoding", ""),
        ("[" * 10_000 + "]" * 10_000, "nesting", ""),
        ("[" * 300 + "]" * 300, "nesting", ""),
        ('{"a":' * 10_000, "nesting", ""),
        ("{'a': 1}", "json", ""),
        ("", "json", ""),
    ],
)
def test_text_that_would_lose_something(text: str, code: str, path: str) -> None:
    with pytest.raises(JsonError) as caught:
        parse(text)
    assert (caught.value.code, caught.value.path) == (code, path)


def test_a_lone_surrogate_in_a_string_is_refused() -> None:
    with pytest.raises(JsonError) as caught:
        parse('"\ud800"')
    assert caught.value.code == "encoding"


def test_numbers_of_full_size_are_kept() -> None:
    assert parse("[18446744073709551615, -9223372036854775808, 1e300]") == [
        18446744073709551615,
        -9223372036854775808,
        1e300,
    ]


@given(
    pairs=st.lists(
        st.tuples(st.sampled_from('ab:"\\'), st.sampled_from(['":', " :", 1])), min_size=1
    )
)
def test_a_key_given_twice_is_never_missed(pairs: list[tuple[str, object]]) -> None:
    text = "{" + ", ".join(f"{json.dumps(k)} : {json.dumps(v)}" for k, v in pairs) + "}"
    if len(dict(pairs)) == len(pairs):
        assert parse(text) == dict(pairs)
    else:
        with pytest.raises(JsonError, match="stands twice"):
            parse(text)
