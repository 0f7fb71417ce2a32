"""Tests of the YAML reader: what the limits refuse, and what scalars mean."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.documents.yaml_reader import MAX_BYTES, MAX_DEPTH, MAX_NODES, MAX_SCALAR_BYTES, read_yaml
from shared.errors import BadInput


def refusal(data: bytes) -> BadInput:
    with pytest.raises(BadInput) as caught:
        read_yaml(data)
    assert caught.value.code == "MANIFEST_YAML"
    assert caught.value.way_out
    return caught.value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"), ("yes", "yes"), ("on", "on"), ("true", True), ("False", False), ("~", None), ("null", None), ("", None),
        ("12", 12), ("-7", -7), ("+7", 7), ("0o17", 15), ("0x1F", 31), ("017", 17), ("1_000", "1_000"), ("12:30", "12:30"),
        ("1.5", 1.5), (".5", 0.5), ("1e3", 1000.0), ("2026-01-01", "2026-01-01"),
        ("'12'", "12"), ('"true"', "true"), ("0b1", "0b1"),
        ("9223372036854775807", 2**63 - 1), ("-9223372036854775808", -(2**63)),
    ],
)  # fmt: skip
def test_scalars_follow_the_core_schema(text: str, value: object) -> None:
    """A scalar means what YAML 1.2's core schema says, so `no` is text."""
    read = read_yaml(f"key: {text}\n".encode()).value["key"]
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    "text",
    [
        "a: &x 1", "a: *x", "a: !!str 1", "a: !local 1", "a: ! 1", "a: !!python/object/apply:os.system [id]", "<<: {a: 1}",
        "a: 1\na: 2", "a: {b: 1, 'b': 2}", "? [a]\n: 1", "? {a: 1}\n: 1", "a: 1\n---\nb: 1",
        "%YAML 1.2\n---\na: 1", "%TAG ! x\n---\na: 1",
        "a: .nan", "a: .INF", "a: -.inf", "a: 1e999", "a: 9223372036854775808", "a: -9223372036854775809",
        "a: 0x8000000000000000",
        "", "# nothing\n", "a: [", "a: b: c", "\ta: 1", "a: 'x", "a: \x07",
    ],
)  # fmt: skip
def test_what_a_manifest_never_needs_is_refused(text: str) -> None:
    """Anchors, tags, repeated keys, second documents and their kind are refused."""
    refusal(text.encode())


def test_a_refusal_names_line_and_column() -> None:
    """The place stands in the message."""
    assert "line 3, column 4" in refusal(b"a: 1\nb:\n - &x 1\n").message


def test_nesting_of_20_passes_and_21_is_refused() -> None:
    """The depth limit is exact."""
    assert read_yaml(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH).value == eval("[" * MAX_DEPTH + "]" * MAX_DEPTH)  # noqa: S307 - our own text
    assert "deeper" in refusal(b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1)).message


def test_size_limit_is_exact() -> None:
    """256 KiB pass, one byte more does not."""
    comment = b"a: 1 #" + b"x" * (MAX_BYTES - 6)
    assert read_yaml(comment).value == {"a": 1}
    assert str(MAX_BYTES) in refusal(comment + b"x").message


def test_scalar_limit_is_exact_and_counts_bytes() -> None:
    """8 KiB of UTF-8 pass, one byte more does not."""
    assert len(read_yaml(("a: " + "é" * (MAX_SCALAR_BYTES // 2)).encode()).value["a"]) == MAX_SCALAR_BYTES // 2
    assert "scalar" in refusal(("a: x" + "é" * (MAX_SCALAR_BYTES // 2)).encode()).message


def test_node_limit_is_exact() -> None:
    """50,000 nodes pass, one more does not."""
    assert len(read_yaml(b"[" + b"1," * (MAX_NODES - 1) + b"]").value) == MAX_NODES - 1
    assert "nodes" in refusal(b"[" + b"1," * MAX_NODES + b"]").message


@pytest.mark.parametrize("data", [b"a: \xff", b"\xff\xfea\x00:\x00 \x001\x00", b"a: \xed\xa0\x80"])
def test_other_encodings_are_refused(data: bytes) -> None:
    """Only UTF-8 is read."""
    refusal(data)


def test_lines_of_every_part_are_known() -> None:
    """The tree says on which line each part begins."""
    lines = read_yaml(b"a:\n  b: 1\n  c:\n    - x\n    - y\n").lines
    assert (lines["a",], lines["a", "b"], lines["a", "c", 1]) == (1, 2, 5)


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.binary(max_size=200), st.text("ab:-[]{}?,&*!|>'\"%#\n \t01.~<", max_size=120).map(str.encode)))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    """Nothing but a tree or our refusal comes out, whatever goes in."""
    try:
        read_yaml(data)
    except BadInput as error:
        assert error.code == "MANIFEST_YAML"  # noqa: PT017 - either answer is right
