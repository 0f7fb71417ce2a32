"""What an ended attempt means, from its files alone."""

from typing import Any

import pytest

from runner.usecases.attempts.attempt_reading import AttemptReading, Scoring, is_passed, read_attempt
from shared.documents.evidence.attempt import AttemptDocument, AttemptEnding
from shared.outcomes import AttemptEnd, Category
from tests.builders.results import result_bytes

SCORING = Scoring("reward", 0.0, 1.0)
SOME: dict[str, Any] = dict.fromkeys(AttemptDocument.model_fields, "x")
ATTEMPT = AttemptDocument.model_construct(**{**SOME, "task_digest": "ab" * 32, "primary_reward": "reward"})


def ending(reason: str = "finished", exception: str = "", phase: str = "verifier") -> AttemptEnding:
    """Return what the host said last."""
    return AttemptEnding(
        at="2026-01-01T00:00:00.000Z",
        reason=reason,
        exit_code=0,
        signal=None,
        exception_type=exception,
        exception_message="",
        phase=phase,
    )


def read(result: bytes | None, end: AttemptEnding | None = None, *, has_secret_left: bool = False) -> AttemptReading:
    """Return the reading of an attempt."""
    return read_attempt(ATTEMPT, end or ending(), result, SCORING, has_secret_left=has_secret_left)


@pytest.mark.parametrize("reward", [0.0, 0.5, 1.0])
def test_a_valid_reward_is_a_success_whatever_it_is(reward: float) -> None:
    """No rule reads its value."""
    reading = read(result_bytes(rewards={"reward": reward}))
    assert (reading.classification.attempt, reading.result and reading.result.reward) == (AttemptEnd.SUCCEEDED, reward)


@pytest.mark.parametrize("reason", ["cancelled", "stopped"])
def test_a_cancel_that_came_too_late_undoes_no_result(reason: str) -> None:
    """The verifier had written a valid reward; without one the attempt is cancelled."""
    assert read(result_bytes(), ending(reason)).classification.attempt is AttemptEnd.SUCCEEDED
    assert read(result_bytes(rewards=None), ending(reason)).classification.attempt is AttemptEnd.CANCELLED
    assert read(None, ending(reason)).classification.attempt is AttemptEnd.CANCELLED


def test_nothing_reported_is_lost() -> None:
    """No result file, and no word of why."""
    reading = read(None, ending("lost"))
    assert (reading.classification.attempt, reading.classification.category) == (AttemptEnd.LOST, Category.LOST)


def test_a_result_outranks_what_the_host_said() -> None:
    """A worker that died after the result stood has scored."""
    assert read(result_bytes(), ending("lost")).classification.attempt is AttemptEnd.SUCCEEDED


@pytest.mark.parametrize(("fault", "category"), [("SandboxLost", Category.AMBIGUOUS), ("SandboxFull", Category.AGENT)])
def test_the_end_of_a_sandbox_outranks_what_it_was_taken_for(fault: str, category: Category) -> None:
    """Harbor saw a verifier folder that could not be downloaded, as when an agent removed it; a reward that stands is kept."""
    seen = result_bytes(rewards=None, exception="DownloadVerifierDirError")
    assert read(seen, ending(exception=fault)).classification.category is category
    assert read(seen).classification.category is Category.BENCHMARK
    assert read(result_bytes(), ending(exception=fault)).classification.attempt is AttemptEnd.SUCCEEDED


def test_a_trial_that_could_not_be_created_is_not_lost() -> None:
    """The host said why."""
    reading = read(None, ending("finished", "RuntimeError", "create"))
    assert reading.classification.category is Category.TRANSIENT


def test_another_task_than_the_planned_is_a_failure_of_configuration() -> None:
    """Its reward would be one of something else."""
    reading = read(result_bytes(task_checksum="cd" * 32))
    assert reading.classification.category is Category.CONFIGURATION


def test_a_secret_that_is_left_makes_the_attempt_unusable() -> None:
    """Its evidence could not be stored whole."""
    assert read(result_bytes(), has_secret_left=True).classification.category is Category.EVIDENCE


def test_a_result_that_cannot_be_read_is_none() -> None:
    """What the host said decides."""
    assert read(b"{", ending("lost")).result is None


@pytest.mark.parametrize(
    ("reward", "threshold", "is_so"),
    [(0.1, "0.1", True), (0.3, "0.30000000000000001", False), (1.0, "1", True), (0.999, "1.0", False)],
)
def test_a_threshold_is_compared_as_decimals(reward: float, threshold: str, *, is_so: bool) -> None:
    """A tenth is a tenth."""
    assert is_passed(reward, threshold) == is_so
