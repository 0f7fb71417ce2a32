"""What the statistics know of a cell: its score, what each task came to over its repeats, and what it cost in money and time.

Plain numbers, so that whoever holds trials or tables sums them up as it likes. A planned trial without a scored outcome counts as
reward 0 and stays in `trials`: nothing that failed is ever left out.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple


class TaskSum(NamedTuple):
    """The trials of one cell on one task."""

    trials: int
    """Planned repeats, at least 1."""
    passed: int
    """Trials whose reward reached the pass threshold."""
    mean: float
    """Mean reward over the planned trials."""
    variance: float | None = None
    """Variance of the rewards within the task, divided by trials - 1; None with a single trial."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell as one of those that are ranked together."""

    cell_id: str
    score: float
    """As published: the sum of rewards divided by the number of planned trials."""
    tasks: Mapping[str, TaskSum]
    """By whatever names a task within an edition, its digest included."""
    cost_usd_micros: float | None = None
    """Cost of one planned trial; None where the cost was not reported."""
    seconds: float | None = None
    """Median duration of a trial; None where none was observed."""


def task_sum(rewards: Sequence[float], passed: int) -> TaskSum:
    """Return the sum of the planned trials of one task; a trial that was not scored stands in `rewards` as 0."""
    count = len(rewards)
    mean = math.fsum(rewards) / count
    spread = math.fsum((reward - mean) ** 2 for reward in rewards)
    return TaskSum(count, passed, mean, spread / (count - 1) if count > 1 else None)
