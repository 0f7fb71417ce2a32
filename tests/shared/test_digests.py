"""Canonical JSON and digests, against an implementation that is not ours."""

import io
import math

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from shared.digests import (
    MAX_SAFE_INTEGER,
    Json,
    canonical_float,
    canonical_json,
    digest_of,
    is_digest,
    parse_digest,
    sha256,
    sha256_lines,
    sha256_stream,
)

NUMBERS = st.integers(-MAX_SAFE_INTEGER, MAX_SAFE_INTEGER) | st.floats(allow_nan=False, allow_infinity=False)
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
VALUES: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT, lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner), max_leaves=20
)


@given(VALUES)
def test_the_bytes_are_those_of_rfc_8785(value: Json) -> None:
    """For any value that JSON can say."""
    assert canonical_json(value) == rfc8785.dumps(value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_reads_back_as_itself(value: float) -> None:
    """The text is the shortest that does."""
    assert float(canonical_float(value)) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [(-0.0, "0"), (1.0, "1"), (1e-7, "1e-7"), (1e-6, "0.000001"), (1e21, "1e+21"), (1e20, "100000000000000000000"), (0.1, "0.1")],
)
def test_floats_are_printed_as_ecmascript_does(value: float, text: str) -> None:
    """Other languages compute the same digest."""
    assert canonical_float(value) == text


def test_keys_are_sorted_by_utf_16() -> None:
    """An emoji stands before a private-use character, though its code point is larger."""
    assert canonical_json({"\ue000": 1, "\U0001f600": 2, "a": 3}) == '{"a":3,"\U0001f600":2,"\ue000":1}'.encode()


@pytest.mark.parametrize("value", [MAX_SAFE_INTEGER + 1, -MAX_SAFE_INTEGER - 1, math.nan, math.inf, -math.inf, "\ud800", {1: 2}])
def test_what_two_readers_could_disagree_on_is_refused(value: Json) -> None:
    """It has no digest."""
    with pytest.raises(ValueError, match=r"canonical form|keys are text"):
        canonical_json(value)


def test_a_digest_is_64_lowercase_hex_characters() -> None:
    """Never prefixed, never shortened."""
    digest = digest_of({"b": 1, "a": None})
    assert digest == sha256(b'{"a":null,"b":1}')
    assert is_digest(digest)
    for text in (digest.upper(), digest[:-1], f"sha256:{digest}", digest + "\n", ""):
        assert not is_digest(text)
        with pytest.raises(ValueError, match="64 lowercase"):
            parse_digest(text)


def test_streams_and_lines_have_the_digest_of_their_bytes() -> None:
    """However long they are."""
    data = b"x" * (3 << 20) + b"y"
    assert sha256_stream(io.BytesIO(data)) == (sha256(data), len(data))
    assert sha256_lines([b"a", b"", b"b"]) == sha256(b"a\n\nb\n")
