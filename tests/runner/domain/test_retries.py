"""Every row of the policy table, and causes mixed in one trial."""

import pytest

from runner.domain.retries import POLICY, SESSION_MISSING, decide_retry, retry_delay_ms
from shared.outcomes import Category, Outcome

ROWS = [
    (Category.LOST, "", 3, Outcome.INFRASTRUCTURE_EXHAUSTED),
    (Category.TRANSIENT, "", 3, Outcome.INFRASTRUCTURE_EXHAUSTED),
    (Category.AMBIGUOUS, "", 3, Outcome.INFRASTRUCTURE_EXHAUSTED),
    (Category.QUOTA, "", 3, Outcome.INFRASTRUCTURE_EXHAUSTED),
    (Category.RATE_LIMIT, "", 3, Outcome.INFRASTRUCTURE_EXHAUSTED),
    (Category.EVIDENCE, "", 3, Outcome.BENCHMARK_FAILED),
    (Category.BENCHMARK, "", 3, Outcome.BENCHMARK_FAILED),
    (Category.AGENT, SESSION_MISSING, 2, Outcome.AGENT_FAILED),
    (Category.AGENT, "another reason", 1, Outcome.AGENT_FAILED),
    (Category.AGENT, "", 1, Outcome.AGENT_FAILED),
    (Category.CONFIGURATION, "", 1, Outcome.INFRASTRUCTURE_EXHAUSTED),
    (Category.AUTHENTICATION, "", 1, Outcome.INFRASTRUCTURE_EXHAUSTED),
    (Category.CANCELLED, "", 1, None),
]


@pytest.mark.parametrize(("category", "reason", "tries", "outcome"), ROWS)
def test_each_category_has_its_tries_and_its_outcome(
    category: Category, reason: str, tries: int, outcome: Outcome | None
) -> None:
    """The n-th failure is retried until the tries are spent, then gives the outcome."""
    for failures in range(1, tries + 1):
        decision = decide_retry(category, reason, {category: failures}, max_attempts=3)
        assert decision.is_retried == (failures < tries)
        assert decision.outcome == (None if failures < tries else outcome)


def test_every_category_has_a_row() -> None:
    """A new category is not forgotten."""
    assert set(POLICY) == set(Category) == {row[0] for row in ROWS}


def test_causes_share_the_attempts_of_their_trial() -> None:
    """Two causes mixed in one trial cannot try more often than one."""
    assert decide_retry(Category.LOST, "", {Category.LOST: 1, Category.EVIDENCE: 1}, 3).is_retried
    assert not decide_retry(Category.LOST, "", {Category.LOST: 2, Category.EVIDENCE: 1}, 3).is_retried
    spent = decide_retry(Category.AGENT, SESSION_MISSING, {Category.AGENT: 1, Category.TRANSIENT: 2}, 3)
    assert (spent.is_retried, spent.outcome) == (False, Outcome.AGENT_FAILED)


def test_what_is_cancelled_costs_no_budget() -> None:
    """Our own stop takes no try from a trial."""
    assert decide_retry(Category.LOST, "", {Category.LOST: 1, Category.CANCELLED: 9}, 2).is_retried


@pytest.mark.parametrize("category", list(Category))
def test_only_what_would_fail_again_drains_the_wave(category: Category) -> None:
    """A wrong configuration, or a refused token, fails every trial alike."""
    drains = decide_retry(category, "", {category: 1}, 3).drains_wave
    assert drains == (category in {Category.CONFIGURATION, Category.AUTHENTICATION})


@pytest.mark.parametrize("failures", [1, 2, 3])
def test_the_delay_doubles_and_is_jittered_by_the_attempt(failures: int) -> None:
    """10 s x 2^(n-1), 75% to 125%; a quota waits twice as long; the same attempt always waits the same."""
    base = 10_000 * 2 ** (failures - 1)
    delays = [retry_delay_ms(Category.TRANSIENT, f"att-{number}", failures) for number in range(200)]
    assert min(delays) >= base * 0.75
    assert max(delays) <= base * 1.25
    assert len(set(delays)) > 50
    assert retry_delay_ms(Category.QUOTA, "att-1", failures) == 2 * retry_delay_ms(Category.LOST, "att-1", failures)


def test_retry_after_is_honoured_in_full() -> None:
    """The server knows best; a shorter wait than ours is not taken."""
    assert retry_delay_ms(Category.RATE_LIMIT, "att-1", 1, retry_after_s=900) == 900_000
    assert retry_delay_ms(Category.RATE_LIMIT, "att-1", 1, retry_after_s=1) >= 15_000
