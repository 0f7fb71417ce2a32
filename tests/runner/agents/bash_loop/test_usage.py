"""What the agent reports of its tokens."""

from types import SimpleNamespace

import pytest

from runner.agents.bash_loop.chat import Answer
from runner.agents.bash_loop.usage import Usage


def sums(*turns: tuple[int | None, int | None, int | None]) -> tuple[int | None, int | None, int | None]:
    """Return what stands in the fields after `turns`."""
    usage, fields = Usage(), SimpleNamespace(n_input_tokens=None, n_cache_tokens=None, n_output_tokens=None)
    for counts in turns:
        usage.add(Answer({}, *counts, "stop"), fields)
    return fields.n_input_tokens, fields.n_cache_tokens, fields.n_output_tokens


def test_turns_are_summed() -> None:
    """Each count for itself."""
    assert sums((10, 4, 1), (20, 0, 2)) == (30, 4, 3)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_turn_without_usage_leaves_no_sum(place: int) -> None:
    """Whichever turn it is: part of a sum is not what was observed."""
    turns: list[tuple[int | None, int | None, int | None]] = [(10, 4, 1)] * 3
    turns[place] = (None, None, None)
    assert sums(*turns) == (None, None, None)


def test_a_count_that_a_server_never_reports_takes_no_other_with_it() -> None:
    """Few servers say how many tokens were cached."""
    assert sums((10, None, 1), (20, None, 2)) == (30, None, 3)
