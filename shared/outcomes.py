"""The words for how a trial and its attempts end; what follows from a word stands in runner/domain/retries.py.

A trial gets exactly one public `Outcome`. A failed attempt gets one `Category`, which decides whether it is tried again and
which outcome the trial gets when its tries are spent. `quality`, the label of a cell and a run, is the fold of outcomes.
"""

from enum import StrEnum


class Outcome(StrEnum):
    """The public terminal class of a trial. Every outcome but `scored` is worth 0 in the score."""

    SCORED = "scored"
    AGENT_FAILED = "agent_failed"
    BENCHMARK_FAILED = "benchmark_failed"
    INFRASTRUCTURE_EXHAUSTED = "infrastructure_exhausted"


class Category(StrEnum):
    """Why an attempt did not succeed."""

    LOST = "lost"
    TRANSIENT = "transient"
    AMBIGUOUS = "ambiguous"
    QUOTA = "quota"
    RATE_LIMIT = "rate_limit"
    EVIDENCE = "evidence"
    BENCHMARK = "benchmark"
    AGENT = "agent"
    CONFIGURATION = "configuration"
    AUTHENTICATION = "authentication"
    CANCELLED = "cancelled"


class AttemptEnd(StrEnum):
    """The terminal state of one physical attempt."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"
    LOST = "lost"
    RELEASED = "released"


class Label(StrEnum):
    """The public label of a cell or a run once it has ended (02 section 4)."""

    CLEAN = "clean"
    DEGRADED = "degraded"
    PARTIAL = "partial"
    CANCELLED = "cancelled"
    FAILED = "failed"


class Phase(StrEnum):
    """The part of a trial that began last."""

    CREATE = "create"
    ENVIRONMENT = "environment"
    AGENT_SETUP = "agent_setup"
    AGENT = "agent"
    VERIFIER = "verifier"


class Observation(StrEnum):
    """What is known of a value that a remote party may or may not report; only `observed` has a value."""

    OBSERVED = "observed"
    NOT_OBSERVED = "not_observed"
    NOT_REPORTED = "not_reported"
    NOT_APPLICABLE = "not_applicable"
    MALFORMED = "malformed"


def label_of(planned: int, scored: int, ended: int, *, is_cancel_requested: bool) -> Label:
    """Return the label of `planned` trials of which `ended` have an outcome and `scored` are scored; first match wins."""
    if planned and scored == planned:
        return Label.CLEAN
    if scored and ended == planned:
        return Label.DEGRADED
    if scored:
        return Label.PARTIAL
    return Label.CANCELLED if is_cancel_requested else Label.FAILED
