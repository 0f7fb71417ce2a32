"""What a failed attempt leads to: one table from category to retry and outcome, and the delay before a retry.

An attempt's category (shared/outcomes.py) decides whether its trial is tried again and which outcome the trial gets when its
tries are spent. Tries are counted per trial in the log, so no number of workers can exceed them; what is cancelled, and every
failure of our own (cleanup, control), costs none. The classification that yields a category is runner/harness/failures.py.
Asked by the fold, the wave worker and the simulator's invariants.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from runner.domain.limits import RETRY_BASE_S
from shared.outcomes import Category, Outcome

SESSION_MISSING: Final = "session_missing"


class Cause(StrEnum):
    """Whose failure it is; budgets are reported by cause."""

    WORKLOAD = "workload"
    INFRASTRUCTURE = "infrastructure"
    CONTROL = "control"


class Tries(StrEnum):
    """How often a category is tried again."""

    ATTEMPTS_PER_TRIAL = "attempts per trial"
    ONCE_IF_SESSION_MISSING = "one retry if the required session is missing, within the attempts per trial"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Retry:
    """One row of the policy table."""

    cause: Cause
    tries: Tries
    outcome: Outcome | None
    """What the trial gets when its tries are spent; None: no outcome, a new generation may run it."""
    delay_factor: int = 1
    drains_wave: bool = False
    """The next attempt would fail the same way: the wave drains and a person is asked."""
    costs_budget: bool = True


POLICY: Final[dict[Category, Retry]] = {
    Category.LOST: Retry(Cause.INFRASTRUCTURE, Tries.ATTEMPTS_PER_TRIAL, Outcome.INFRASTRUCTURE_EXHAUSTED),
    Category.TRANSIENT: Retry(Cause.INFRASTRUCTURE, Tries.ATTEMPTS_PER_TRIAL, Outcome.INFRASTRUCTURE_EXHAUSTED),
    Category.AMBIGUOUS: Retry(Cause.INFRASTRUCTURE, Tries.ATTEMPTS_PER_TRIAL, Outcome.INFRASTRUCTURE_EXHAUSTED),
    Category.QUOTA: Retry(Cause.INFRASTRUCTURE, Tries.ATTEMPTS_PER_TRIAL, Outcome.INFRASTRUCTURE_EXHAUSTED, delay_factor=2),
    Category.RATE_LIMIT: Retry(Cause.INFRASTRUCTURE, Tries.ATTEMPTS_PER_TRIAL, Outcome.INFRASTRUCTURE_EXHAUSTED, delay_factor=2),
    Category.EVIDENCE: Retry(Cause.WORKLOAD, Tries.ATTEMPTS_PER_TRIAL, Outcome.BENCHMARK_FAILED),
    Category.BENCHMARK: Retry(Cause.WORKLOAD, Tries.ATTEMPTS_PER_TRIAL, Outcome.BENCHMARK_FAILED),
    Category.AGENT: Retry(Cause.WORKLOAD, Tries.ONCE_IF_SESSION_MISSING, Outcome.AGENT_FAILED),
    Category.CONFIGURATION: Retry(Cause.INFRASTRUCTURE, Tries.NONE, Outcome.INFRASTRUCTURE_EXHAUSTED, drains_wave=True),
    Category.AUTHENTICATION: Retry(Cause.INFRASTRUCTURE, Tries.NONE, Outcome.INFRASTRUCTURE_EXHAUSTED, drains_wave=True),
    Category.CANCELLED: Retry(Cause.CONTROL, Tries.NONE, None, costs_budget=False),
}


class Decision(NamedTuple):
    """What follows from one failure."""

    is_retried: bool
    outcome: Outcome | None
    drains_wave: bool


def decide_retry(category: Category, reason: str, used: Mapping[Category, int], max_attempts: int) -> Decision:
    """Return what follows when an attempt failed with `category`.

    `used` counts the trial's failures by category, this one included; `max_attempts` bounds all of those that cost budget.
    """
    rule = POLICY[category]
    spent = sum(count for one, count in used.items() if POLICY[one].costs_budget)
    if rule.tries is Tries.ATTEMPTS_PER_TRIAL:
        is_allowed = True
    elif rule.tries is Tries.ONCE_IF_SESSION_MISSING:
        is_allowed = reason == SESSION_MISSING and used.get(category, 0) <= 1
    else:
        is_allowed = False
    is_retried = is_allowed and spent < max_attempts
    return Decision(is_retried, None if is_retried else rule.outcome, rule.drains_wave)


def retry_delay_ms(category: Category, attempt_id: str, failures: int, retry_after_s: float | None = None) -> int:
    """Return how long to wait after the `failures`-th failure (from 1) of a trial, whose attempt was `attempt_id`.

    10 s x 2^(n-1), times the category's factor, jittered to 75-125% by the attempt's id: the same attempt always waits the same.
    A Retry-After is honoured in full.
    """
    base_ms = (RETRY_BASE_S * 1000 << (failures - 1)) * POLICY[category].delay_factor
    spread = int.from_bytes(hashlib.sha256(attempt_id.encode()).digest()[:4]) % 501
    delay_ms = base_ms * (750 + spread) // 1000
    return max(delay_ms, int((retry_after_s or 0) * 1000))
