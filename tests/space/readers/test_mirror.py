"""A mirror remembers what was made of it: once for equal keys, never an error, never more than 256."""

import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

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


class Page(NamedTuple):
    """What carries a text."""

    text: str


def test_of_many_who_ask_at_once_one_makes_it(mirror: Mirror) -> None:
    """Sixteen threads, one maker; the others get what it made."""
    makers = list[int]()
    begun, go = threading.Event(), threading.Event()

    def make() -> str:
        makers.append(1)
        begun.set()
        go.wait(30)
        return "made"

    with ThreadPoolExecutor(16) as threads:
        asked = [threads.submit(mirror.remembered, "at once", make) for _ in range(16)]
        assert begun.wait(30)
        go.set()
        assert {each.result() for each in asked} == {"made"}
    assert len(makers) == 1


def test_after_a_failure_the_next_who_waited_makes_it(mirror: Mirror) -> None:
    """The error is told to the one who made it, not to those behind."""
    begun, go = threading.Event(), threading.Event()

    def fail() -> str:
        begun.set()
        go.wait(30)
        raise ValueError("not now")

    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(mirror.remembered, "fails first", fail)
        assert begun.wait(30)
        second = threads.submit(mirror.remembered, "fails first", lambda: "made")
        go.set()
        with pytest.raises(ValueError, match="not now"):
            first.result()
        assert second.result() == "made"


def test_long_pages_are_kept_up_to_a_bound(mirror: Mirror) -> None:
    """Characters count, not keys alone."""
    half = module.MAX_CHARACTERS // 2
    for number in range(3):
        mirror.remembered(f"page {number}", partial(Page, str(number) * half))
    assert mirror.remembered("page 0", partial(Page, "anew")) == Page("anew")
    assert mirror.remembered("page 2", partial(Page, "anew")).text[:1] == "2"
