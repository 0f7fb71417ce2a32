"""The fact that a sealed attempt ended: what its worker reports, or a pass in the stead of a worker that is gone."""

from typing import Final, Literal

from runner.domain.control.facts import ENDED, Fact
from runner.domain.control.projection.trials import MAX_COST_USD_MICROS
from runner.harness.failures import explain_configuration
from runner.usecases.attempts.attempt_reading import exception_of
from runner.usecases.attempts.sealed_attempts import StoredAttempt
from shared.outcomes import AttemptEnd, Category

MAX_NAME: Final = 64


def ended_fact(stored: StoredAttempt, trial: int, at: str) -> Fact:
    """Return the fact that the attempt `stored` at the trial with plan index `trial` ended, with its bundle."""
    meaning, result = stored.reading.classification, stored.reading.result
    is_success = meaning.attempt is AttemptEnd.SUCCEEDED
    cost = result.usage.cost_usd_micros if result is not None else None
    is_failure = meaning.category is not None
    return Fact(
        trial,
        stored.document.ordinal,
        ENDED,
        at,
        end=_ENDS[meaning.attempt],
        bundle_sha256=stored.bundle.checksums_sha256,
        reward=result.reward if result is not None and is_success else None,
        category="" if meaning.category is None else meaning.category.value,
        reason=meaning.reason_code if is_failure else "",
        detail=explain_configuration(stored.reading.facts) if meaning.category is Category.CONFIGURATION else "",
        phase=stored.reading.facts.phase.value if is_failure else "",
        exception=exception_of(result, stored.ending)[:MAX_NAME] if is_failure else "",
        cost_usd_micros=None if cost is None else min(cost, MAX_COST_USD_MICROS),
    )


_ENDS: Final[dict[AttemptEnd, Literal["succeeded", "failed", "cancelled"]]] = {
    AttemptEnd.SUCCEEDED: "succeeded",
    AttemptEnd.FAILED: "failed",
    AttemptEnd.LOST: "failed",
    AttemptEnd.CANCELLED: "cancelled",
}
