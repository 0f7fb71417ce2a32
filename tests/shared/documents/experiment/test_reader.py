"""Tests of the manifest reader: a fault anywhere is a refusal with a code, never another error."""

import copy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from shared.digests import sha256
from shared.documents.experiment.reader import read_experiment, read_manifest
from shared.errors import BadInput
from tests.builders.experiments import GOOD, encode, good_tree

LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.floats(), st.text(max_size=12), st.just([]), st.just({})
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in children:
        found += places(inner, (*path, key))
    return found


PLACES = places(good_tree())


@settings(max_examples=300, deadline=None)
@given(place=st.sampled_from(PLACES), leaf=LEAVES)
def test_any_value_at_any_place_is_read_or_refused(place: tuple[Any, ...], leaf: Any) -> None:
    """One place of the manifest becomes anything: the answer is an experiment or a refusal with a way out."""
    tree = copy.deepcopy(good_tree())
    here: Any = tree
    for part in place[:-1]:
        here = here[part]
    here[place[-1]] = leaf
    try:
        read_experiment(encode(tree))
    except BadInput as error:
        assert error.code.isupper()  # noqa: PT017 - either answer is right
        assert error.way_out  # noqa: PT017 - same


@settings(max_examples=150, deadline=None)
@given(start=st.integers(0, 5000), length=st.integers(0, 40), patch=st.binary(max_size=8))
def test_a_damaged_file_is_read_or_refused(start: int, length: int, patch: bytes) -> None:
    """Bytes cut out of the manifest, or put into it, cause no other error."""
    data = GOOD.read_bytes()
    try:
        read_experiment(data[:start] + patch + data[start + length :])
    except BadInput as error:
        assert error.code.isupper()  # noqa: PT017 - either answer is right


def test_the_digest_is_that_of_the_exact_bytes() -> None:
    """A comment changes the manifest's digest and not the experiment."""
    data = GOOD.read_bytes()
    one, other = read_manifest(data, {}), read_manifest(data + b"# a comment\n", {})
    assert one.experiment == other.experiment
    assert (one.sha256, other.sha256) == (sha256(data), sha256(data + b"# a comment\n"))
