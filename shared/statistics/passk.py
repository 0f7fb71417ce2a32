"""pass@k and pass^k: solved at least once in k repeats, and solved in every one of k repeats.

Estimands, for a task whose c of K planned trials passed: pass@k = 1 - C(K-c, k) / C(K, k) (Chen et al. 2021) and pass^k = C(c,
k) / C(K, k) (Yao et al. 2024): the share of all choices of k among the K trials that hold a pass, or nothing but passes. Both
are unbiased for k independent trials, and are averaged over tasks. They belong side by side: the first rewards luck, the second
reliability. Trials count, attempts never do: a retry after a fault of the infrastructure is no second chance. None: a task has
fewer than k trials.
"""

import math
from collections.abc import Iterable

from shared.statistics.cells import TaskSum


def pass_at_k(tasks: Iterable[TaskSum], k: int) -> float | None:
    """Return the chance that at least one of `k` trials of a task passes, averaged over `tasks`; None if repeats < k."""
    return _averaged([(each.trials, each.trials - each.passed) for each in tasks], k, solved=False)


def pass_hat_k(tasks: Iterable[TaskSum], k: int) -> float | None:
    """Return the chance that all of `k` trials of a task pass, averaged over `tasks`; None if repeats < k."""
    return _averaged([(each.trials, each.passed) for each in tasks], k, solved=True)


def _averaged(counts: list[tuple[int, int]], k: int, *, solved: bool) -> float | None:
    if k < 1:
        raise ValueError(f"k is at least 1, got {k}")
    if not counts or any(trials < k for trials, _ in counts):
        return None
    alike = [math.comb(same, k) / math.comb(trials, k) for trials, same in counts]
    return math.fsum(alike if solved else [1 - each for each in alike]) / len(alike)
