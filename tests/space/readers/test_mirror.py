"""A mirror remembers what was made of it: once for equal keys, never an error, never more than 256."""

from functools import partial

import pytest

from space.readers import mirror as module
from space.readers.mirror import Mirror


def test_what_was_made_is_made_once(mirror: Mirror) -> None:
    """The second answer for a key is the first."""
    made = iter(("first", "second"))
    assert [mirror.remembered("once", lambda: next(made)) for _ in range(3)] == ["first"] * 3
    assert next(made) == "second"


def test_an_error_is_not_remembered(mirror: Mirror) -> None:
    """After a failure the next one tries again."""

    def fail() -> str:
        raise ValueError("not now")

    with pytest.raises(ValueError, match="not now"):
        mirror.remembered("failing", fail)
    assert mirror.remembered("failing", lambda: "made") == "made"


def test_only_the_keys_used_last_are_kept(mirror: Mirror) -> None:
    """Beyond the limit the key that was used longest ago is made anew."""
    for number in range(module.MAX_REMEMBERED + 1):
        mirror.remembered(f"key {number}", partial(str, number))
    assert mirror.remembered("key 0", lambda: "anew") == "anew"
    assert mirror.remembered(f"key {module.MAX_REMEMBERED}", lambda: "anew") == str(module.MAX_REMEMBERED)
