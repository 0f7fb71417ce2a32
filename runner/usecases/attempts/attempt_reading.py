"""What an ended attempt means, read from its files alone: by the worker that sealed it and by everyone who checks it later.

The same function reads a staging folder and a sealed bundle, so a rebuilt row cannot differ from a published one. A valid
result.json outranks the exit code; without one, the host's last words (`AttemptEnding`) decide.
"""

from dataclasses import replace
from decimal import Decimal
from typing import NamedTuple

from runner.harness.failures import Classification, Facts, classify, facts_of
from runner.harness.faults import SANDBOX_FAULTS
from runner.harness.reader import RewardState, TrialResult, read_result
from shared.documents.evidence.attempt import AttemptDocument, AttemptEnding
from shared.documents.plan import PlannedBenchmark
from shared.errors import BadInput
from shared.outcomes import Phase

DEADLINE = "deadline"
CANCELLED = frozenset({"cancelled", "stopped"})
LOST = "lost"


class Scoring(NamedTuple):
    """How a result file is scored: the key of the primary reward and the ends of its range."""

    primary_reward: str
    low: float
    high: float


def scoring_of(benchmark: PlannedBenchmark) -> Scoring:
    """Return the scoring of a planned benchmark."""
    low, high = benchmark.reward_range
    return Scoring(benchmark.primary_reward, float(low), float(high))


class AttemptReading(NamedTuple):
    """An attempt's result file, if it left a readable one, and what its end means."""

    result: TrialResult | None
    classification: Classification
    facts: Facts


def read_attempt(
    attempt: AttemptDocument,
    ending: AttemptEnding,
    result_bytes: bytes | None,
    scoring: Scoring,
    *,
    has_secret_left: bool = False,
) -> AttemptReading:
    """Return what the end of `attempt` means; `has_secret_left` if its evidence could not be stored whole."""
    result = _result(result_bytes, scoring)
    facts = _facts(result, ending)
    if result is not None and result.task_checksum and result.task_checksum != attempt.task_digest:
        facts = replace(facts, differs_from_plan=True)
    if has_secret_left:
        facts = replace(facts, has_secret_left=True)
    return AttemptReading(result, classify(facts), facts)


def exception_of(result: TrialResult | None, ending: AttemptEnding) -> str:
    """Return the type of the exception that ended an attempt: Harbor's own word, else the host's; empty if there was none."""
    return result.exception.type if result is not None and result.exception is not None else ending.exception_type


def is_passed(reward: float, pass_threshold: str) -> bool:
    """Tell whether `reward` reaches the threshold, compared as decimals so that 0.1 is 0.1."""
    return Decimal(repr(reward)) >= Decimal(pass_threshold)


def _result(data: bytes | None, scoring: Scoring) -> TrialResult | None:
    if data is None:
        return None
    try:
        return read_result(data, scoring.primary_reward, (scoring.low, scoring.high))
    except BadInput:
        return None


def _facts(result: TrialResult | None, ending: AttemptEnding) -> Facts:
    phase = Phase(ending.phase) if ending.phase else Phase.CREATE
    if result is None:
        return Facts(
            exception=ending.exception_type,
            message=ending.exception_message,
            phase=phase,
            reward=RewardState.ABSENT,
            is_cancelled=ending.reason in CANCELLED,
            is_lost=ending.reason != DEADLINE and not ending.exception_type,
        )
    facts = facts_of(result, is_deadline=ending.reason == DEADLINE)
    # A cancel that arrived after the verifier had written a valid reward does not undo the result.
    is_valid = facts.reward is RewardState.VALID
    facts = replace(facts, is_cancelled=facts.is_cancelled or (ending.reason in CANCELLED and not is_valid))
    # That the sandbox ended stands behind whatever Harbor made of it, and undoes no result either.
    return replace(facts, exception=ending.exception_type) if ending.exception_type in SANDBOX_FAULTS and not is_valid else facts
