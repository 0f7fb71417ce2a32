import itertools
from dataclasses import replace

import pytest

from runner.harness.failures import DEADLINE, TABLE, Facts, classify, explain_configuration, facts_of
from runner.harness.reader import RewardState, read_result
from shared.outcomes import AttemptEnd, Category, Phase
from tests.builders.results import result_bytes

_V, _I, _A = RewardState.VALID, RewardState.INVALID, RewardState.ABSENT
_GOOD = Facts(phase=Phase.VERIFIER, reward=_V)
_MISSING = "Environment variable 'TOKEN' not found in host environment"
ROWS = [
    (1, Facts(is_cancelled=True, is_lost=True), Category.CANCELLED),
    (1, replace(_GOOD, is_cancelled=True), Category.CANCELLED),
    (2, Facts(is_lost=True), Category.LOST),
    (3, replace(_GOOD, differs_from_plan=True), Category.CONFIGURATION),
    (3, Facts(exception="ValueError", message=_MISSING), Category.CONFIGURATION),
    (4, replace(_GOOD, has_secret_left=True), Category.EVIDENCE),
    (5, replace(_GOOD, ledger=Category.RATE_LIMIT), Category.RATE_LIMIT),
    (5, replace(_GOOD, ledger=Category.TRANSIENT, is_session_missing=True), Category.TRANSIENT),
    (6, replace(_GOOD, is_over_cost=True), Category.AGENT),
    (7, replace(_GOOD, is_session_missing=True), Category.AGENT),
    (8, _GOOD, None),
    (8, replace(_GOOD, exception="AgentTimeoutError"), None),
    (8, replace(_GOOD, exception="NonZeroAgentExitCodeError"), None),
    (9, Facts(exception="RuntimeError", phase=Phase.ENVIRONMENT), Category.TRANSIENT),
    (9, Facts(exception="ValueError", phase=Phase.CREATE), Category.TRANSIENT),
    (9, Facts(exception="AgentSetupTimeoutError", phase=Phase.AGENT_SETUP), Category.TRANSIENT),
    (9, Facts(exception=DEADLINE, phase=Phase.ENVIRONMENT), Category.TRANSIENT),
    (10, Facts(exception="SandboxLost", phase=Phase.AGENT), Category.AMBIGUOUS),
    (10, Facts(exception="SandboxLost", phase=Phase.VERIFIER), Category.AMBIGUOUS),
    (11, Facts(exception="AgentTimeoutError", phase=Phase.AGENT), Category.AGENT),
    (11, Facts(exception=DEADLINE, phase=Phase.AGENT), Category.AGENT),
    (12, Facts(exception="VerifierTimeoutError", phase=Phase.VERIFIER), Category.BENCHMARK),
    (12, Facts(exception="RewardFileNotFoundError", phase=Phase.VERIFIER), Category.BENCHMARK),
    (12, Facts(exception="VerifierOutputParseError", phase=Phase.VERIFIER), Category.BENCHMARK),
    (12, Facts(exception="ValidationError", phase=Phase.VERIFIER, reward=_I), Category.BENCHMARK),
    (12, Facts(phase=Phase.VERIFIER, reward=_I), Category.BENCHMARK),
    (12, Facts(exception="AgentTimeoutError", phase=Phase.VERIFIER, reward=_I), Category.BENCHMARK),
    (8, replace(_GOOD, exception="SandboxFull"), None),
    (9, Facts(exception="SandboxFull", phase=Phase.ENVIRONMENT), Category.TRANSIENT),
    (11, Facts(exception="SandboxFull", phase=Phase.AGENT), Category.AGENT),
    (11, Facts(exception="SandboxFull", phase=Phase.VERIFIER), Category.AGENT),
    (11, Facts(exception="SandboxCommandTimeout", phase=Phase.AGENT), Category.AGENT),
    (12, Facts(exception="DownloadVerifierDirError", phase=Phase.VERIFIER), Category.BENCHMARK),
    (12, Facts(exception="AddTestsDirError", phase=Phase.VERIFIER), Category.BENCHMARK),
    (12, Facts(exception="RuntimeError", phase=Phase.VERIFIER), Category.BENCHMARK),
    (12, Facts(exception="AgentTimeoutError", phase=Phase.VERIFIER), Category.BENCHMARK),
    (13, Facts(exception="OSError", phase=Phase.AGENT), Category.TRANSIENT),
    (13, replace(_GOOD, exception="ApiRateLimitError"), Category.TRANSIENT),
    (13, Facts(phase=Phase.VERIFIER), Category.TRANSIENT),
]


@pytest.mark.parametrize(("row", "facts", "category"), ROWS, ids=[f"row {row}: {facts.exception}" for row, facts, _ in ROWS])
def test_each_row_matches_what_it_says(row: int, facts: Facts, category: Category | None) -> None:
    """The first row that matches decides."""
    meaning = classify(facts)
    assert (meaning.row, meaning.category) == (row, category)


def test_every_row_has_a_case_and_every_pair_an_answer() -> None:
    """No row is without a case above; every (phase, reward) pair is classified; only the last row needs review."""
    assert {row for row, _facts, _category in ROWS} == {row.number for row in TABLE}
    for phase, reward, name in itertools.product(
        Phase, RewardState, ("", "AgentTimeoutError", "OSError", "VerifierTimeoutError")
    ):
        meaning = classify(Facts(exception=name, phase=phase, reward=reward))
        assert meaning.needs_review == (meaning.row == 13)


@pytest.mark.parametrize("exception", ["", "AgentTimeoutError", "NonZeroAgentExitCodeError", "ApiError", "OSError"])
def test_another_valid_reward_changes_no_state(exception: str) -> None:
    """The value of a valid reward is read nowhere: 0 and 1 are one classification."""
    meanings = {
        classify(facts_of(read_result(result_bytes(rewards={"reward": value}, exception=exception), "reward")))
        for value in (0.0, 0.5, 1.0)
    }
    assert len(meanings) == 1


def test_a_trailing_provider_failure_is_retried_at_any_reward_with_a_ledger_only() -> None:
    """With a ledger a 429 at the end retries at reward 0 and 1; without one it never does."""
    for value in (0.0, 1.0):
        facts = facts_of(read_result(result_bytes(rewards={"reward": value}), "reward"))
        assert classify(replace(facts, ledger=Category.RATE_LIMIT)).category is Category.RATE_LIMIT
        assert classify(facts).attempt is AttemptEnd.SUCCEEDED


@pytest.mark.parametrize("usage", [None, {"n_input_tokens": 2_652_869, "n_output_tokens": 0}])
def test_a_timeout_with_full_reward_scores(usage: object) -> None:
    """An agent that ran out of time and solved the task has solved it, whatever its usage says."""
    result = read_result(result_bytes(exception="AgentTimeoutError", agent_result=usage), "reward")
    assert classify(facts_of(result)).attempt is AttemptEnd.SUCCEEDED


def test_the_ends_of_attempts_follow_the_category() -> None:
    """Cancelled and lost have ends of their own, every other category is a failure."""
    assert classify(Facts(is_cancelled=True)).attempt is AttemptEnd.CANCELLED
    assert classify(Facts(is_lost=True)).attempt is AttemptEnd.LOST
    assert classify(Facts(exception="OSError", phase=Phase.AGENT)).attempt is AttemptEnd.FAILED


def test_a_deadline_is_no_cancellation() -> None:
    """Harbor records a cancellation when the outer clock ends a trial; the host's reason tells the two apart."""
    result = read_result(result_bytes(parts=3, rewards=None, exception="CancelledError"), "reward")
    assert classify(facts_of(result)).category is Category.CANCELLED
    assert classify(facts_of(result, is_deadline=True)).category is Category.AGENT


@pytest.mark.parametrize("exception", ["NonZeroAgentExitCodeError", "SandboxBuildFailed", "RuntimeError"])
def test_what_a_command_printed_is_no_configuration_fault(exception: str) -> None:
    """An agent whose output speaks of a missing variable costs its own trial and no other."""
    message = "stdout: Environment variable check: ok\nbash: rg: command not found"
    facts = Facts(exception=exception, message=message, phase=Phase.VERIFIER, reward=RewardState.VALID)
    assert classify(facts).category is not Category.CONFIGURATION


def test_a_missing_variable_is_a_configuration_fault() -> None:
    """Harbor's own words for it, whole."""
    message = "Environment variable 'BREAKER_TOKEN' not found in host environment"
    facts = Facts(exception="ValueError", message=message, phase=Phase.CREATE, reward=RewardState.ABSENT)
    assert classify(facts).category is Category.CONFIGURATION
    assert explain_configuration(facts) == "the environment variable BREAKER_TOKEN is not set for it"
    assert "plan" in explain_configuration(Facts(differs_from_plan=True))
