"""Whether two cells differ, from the tasks that both ran: difference, 95% interval and raw p.

Estimand: the mean over tasks of (mean reward of one cell - mean reward of the other), on tasks like the shared ones. Tasks are
the independent observations, so a task's difficulty, which both cells meet, cancels. Both cells ran each shared task as often.

| test | when | p | interval |
|---|---|---|---|
| `mcnemar` | one repeat, rewards 0 or 1 | exact: a fair coin over tasks one alone solved (McNemar 1947) | Agresti, Min 2005 |
| `paired_t` | otherwise | Student's t on the task differences, T - 1 degrees of freedom | the same t |
| `sign` | all differences equal: no spread | exact: a fair coin over the tasks; 1 if the difference is 0 | none |
| `untested` | fewer than 10 shared tasks | none | none |

p is two-sided and raw: a single look at one pair. What separates cells in a ranking is shared/statistics/ranks.py, which
adjusts for looking at every pair. Differences are in units of the reward.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from shared.statistics.cells import TaskSum
from shared.statistics.distributions import fair_two_sided, normal_quantile, student_t, student_two_sided

MIN_TASKS: Final = 10
CONFIDENCE: Final = 0.95
_NOISE: Final = 1e-12
"""What sums of decimal rewards differ by although they are equal, relative to the largest."""

type Method = Literal["mcnemar", "paired_t", "sign", "untested"]


@dataclass(frozen=True, slots=True)
class PairTest:
    """Two cells on their shared tasks."""

    method: Method
    tasks: int
    """Shared tasks."""
    won: int
    lost: int
    tied: int
    difference: float | None
    """First minus second; None without a shared task."""
    low: float | None
    high: float | None
    """The 95% interval of the difference; None where no spread shows or nothing was tested."""
    p: float | None
    """None where nothing was tested."""


def compare(first: Mapping[str, TaskSum], second: Mapping[str, TaskSum]) -> PairTest:
    """Test `first` against `second` on the tasks that both have."""
    shared = sorted(first.keys() & second.keys())
    pairs = [(first[task], second[task]) for task in shared]
    differences = task_differences([a.mean for a, _ in pairs], [b.mean for _, b in pairs])
    won, lost = sum(each > 0 for each in differences), sum(each < 0 for each in differences)
    method = _method(pairs, differences)
    mean = math.fsum(differences) / len(differences) if differences else None
    low, high, p = None, None, None
    if method == "mcnemar":
        p = fair_two_sided(won, lost)
        low, high = _discordant_interval(won, lost, len(shared))
    elif method == "sign":
        p = fair_two_sided(won, lost)
    elif method == "paired_t":
        p, low, high = _student(differences)
    return PairTest(method, len(shared), won, lost, len(shared) - won - lost, mean, low, high, p)


def task_differences(first: Sequence[float], second: Sequence[float]) -> list[float]:
    """Return first minus second, task by task; what only rounding makes different comes back exactly equal, or exactly 0."""
    noise = _NOISE * max(map(abs, [*first, *second]), default=0.0)
    found = [a - b if abs(a - b) > noise else 0.0 for a, b in zip(first, second, strict=True)]
    return [found[0]] * len(found) if found and max(found) - min(found) <= noise else found


def is_single_binary(task: TaskSum) -> bool:
    """True if the task ran once and its reward was 0 or 1."""
    return task.trials == 1 and task.mean in {0.0, 1.0}


def _method(pairs: list[tuple[TaskSum, TaskSum]], differences: list[float]) -> Method:
    if len(pairs) < MIN_TASKS:
        return "untested"
    if all(is_single_binary(a) and is_single_binary(b) for a, b in pairs):
        return "mcnemar"
    return "sign" if min(differences) == max(differences) else "paired_t"


def _student(differences: list[float]) -> tuple[float, float, float]:
    tasks = len(differences)
    mean = math.fsum(differences) / tasks
    stderr = math.sqrt(math.fsum((each - mean) ** 2 for each in differences) / (tasks - 1) / tasks)
    half = stderr * student_t(1 - (1 - CONFIDENCE) / 2, tasks - 1)
    return student_two_sided(mean / stderr, tasks - 1), mean - half, mean + half


def _discordant_interval(won: int, lost: int, tasks: int) -> tuple[float, float]:
    """Return Wald's interval after half a task is added to each of the four outcomes, so that it has a width at 0 and 100%."""
    n, difference = tasks + 2, won - lost
    half = normal_quantile(1 - (1 - CONFIDENCE) / 2) * math.sqrt(max(0.0, won + lost + 1 - difference**2 / n)) / n
    low, high = difference / n - half, difference / n + half
    return max(-1.0, min(low, difference / tasks)), min(1.0, max(high, difference / tasks))
