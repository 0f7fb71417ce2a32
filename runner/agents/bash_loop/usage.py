"""The tokens of a conversation: a sum of what every turn reported, or nothing at all.

A sum that misses a turn would be published as observed; so a count that one turn did not report is not reported at the end.
Called by `agent.py`, which may import Harbor; this module needs neither.
"""

from typing import Protocol

from runner.agents.bash_loop.chat import Answer


class UsageFields(Protocol):
    """Where the sums go: Harbor's context of an agent."""

    n_input_tokens: int | None
    n_cache_tokens: int | None
    n_output_tokens: int | None


class Usage:
    """The sums so far; None from the first turn on that did not report the count."""

    def __init__(self) -> None:
        self._input: int | None = 0
        self._cached: int | None = 0
        self._output: int | None = 0

    def add(self, answer: Answer, fields: UsageFields) -> None:
        """Add one turn and write the sums to `fields`."""
        self._input = _sum(self._input, answer.input_tokens)
        self._cached = _sum(self._cached, answer.cached_tokens)
        self._output = _sum(self._output, answer.output_tokens)
        fields.n_input_tokens, fields.n_cache_tokens, fields.n_output_tokens = self._input, self._cached, self._output


def _sum(so_far: int | None, count: int | None) -> int | None:
    return None if so_far is None or count is None else so_far + count
