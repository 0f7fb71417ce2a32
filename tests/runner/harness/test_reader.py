import json

import pytest

from runner.harness.reader import MAX_RESULT_BYTES, RewardState, read_result
from shared.errors import BadInput
from shared.outcomes import Observation, Phase
from tests.builders.results import result_bytes, result_document


@pytest.mark.parametrize(
    "value",
    [True, False, None, "1.0", -0.1, 1.0001, 1e300, float("nan"), float("inf"), 10**400, [1], {"a": 1}],
    ids=str,
)
def test_only_a_finite_number_in_range_is_a_valid_reward(value: object) -> None:
    """A boolean, a text, a NaN or a number out of range is invalid, never clipped."""
    result = read_result(result_bytes(rewards={"reward": value}), "reward")
    assert (result.reward_state, result.reward) == (RewardState.INVALID, None)


@pytest.mark.parametrize("value", [0, 1, 0.5, 1.0, 0.0])
def test_a_reward_in_range_is_valid(value: float) -> None:
    """Both ends of the range count, zero too."""
    result = read_result(result_bytes(rewards={"reward": value}), "reward")
    assert (result.reward_state, result.reward) == (RewardState.VALID, float(value))


def test_a_reward_range_of_the_plan_is_used() -> None:
    """-3 is valid where the benchmark's range says so."""
    assert read_result(result_bytes(rewards={"neg": -3}), "neg", (-5, 5)).reward == -3.0


@pytest.mark.parametrize("rewards", [{}, {"other": 1.0}, [], "1", 1.0])
def test_rewards_without_the_primary_key_are_invalid(rewards: object) -> None:
    """An empty or misshapen rewards value is there, but not valid."""
    assert read_result(result_bytes(rewards=rewards), "reward").reward_state is RewardState.INVALID


def test_no_verifier_result_is_an_absent_reward() -> None:
    """Null rewards and no verifier result are absent."""
    assert read_result(result_bytes(rewards=None), "reward").reward_state is RewardState.ABSENT
    document = result_document() | {"verifier_result": {"rewards": None}}
    assert read_result(json.dumps(document).encode(), "reward").reward_state is RewardState.ABSENT


def test_a_number_without_a_name_to_show_is_no_metric() -> None:
    """Half a character could not be stored, and would stop the publication of everything beside it."""
    names = ["", "a\nb", "\ud800", "x" * 201]
    assert read_result(result_bytes(rewards={"reward": 1, **dict.fromkeys(names, 1.0)}), "reward").rewards == {"reward": 1.0}


def test_half_a_character_in_a_text_can_be_stored() -> None:
    """An exception's message may hold anything."""
    data = result_bytes(exception_info={"exception_type": "a\ud800", "exception_message": "é\udfff"})
    exception = read_result(data, "reward").exception
    assert exception is not None
    assert (exception.type, exception.message) == ("a\\ud800", "é\\udfff")


def test_other_numbers_are_metrics() -> None:
    """Every finite number of the verifier is kept, what is not finite is not."""
    result = read_result(result_bytes(rewards={"reward": 1, "speed": 2.5, "bad": float("nan"), "flag": True}), "reward")
    assert result.rewards == {"reward": 1.0, "speed": 2.5}


@pytest.mark.parametrize(("parts", "phase"), list(enumerate(Phase)))
def test_the_phase_is_the_part_that_began_last(parts: int, phase: Phase) -> None:
    """Nothing begun is `create`."""
    assert read_result(result_bytes(parts=parts, rewards=None), "reward").phase is phase


def test_an_old_layout_without_version_and_times_is_read() -> None:
    """A verifier result alone shows that the verifier began."""
    document = {"task_name": "old", "verifier_result": {"rewards": {"reward": 0.25}}, "something_new": {"a": 1}}
    result = read_result(json.dumps(document).encode(), "reward")
    assert (result.phase, result.reward) == (Phase.VERIFIER, 0.25)


@pytest.mark.parametrize("version", [2, "2.0", 0, True, "x", None, 1.5])
def test_an_unknown_major_is_refused(version: object) -> None:
    """Only major 1 is read; a minor of it is."""
    data = result_bytes(schema_version=version)
    if version == 1.5:
        assert read_result(data, "reward").reward == 1.0
        return
    with pytest.raises(BadInput) as caught:
        read_result(data, "reward")
    assert (caught.value.code, caught.value.field) == ("RESULT_VERSION", "schema_version")


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"null", b"{}", b"\xff", b"[" * 100_000])
def test_what_is_no_result_is_unreadable(data: bytes) -> None:
    """Bytes that are not a trial's result are refused, not guessed."""
    with pytest.raises(BadInput) as caught:
        read_result(data, "reward")
    assert caught.value.code == "RESULT_UNREADABLE"


def test_a_huge_file_is_refused_unparsed() -> None:
    """A result has a bound."""
    with pytest.raises(BadInput, match="larger than"):
        read_result(b" " * (MAX_RESULT_BYTES + 1), "reward")


def test_the_earliest_step_exception_counts() -> None:
    """With steps, the first step that failed gives exception and phase."""
    timing = {"started_at": "2031-03-01T10:00:00Z"}
    steps = [
        {"step_name": "one", "agent_execution": timing, "exception_info": {"exception_type": "NonZeroAgentExitCodeError"}},
        {
            "step_name": "two",
            "agent_execution": timing,
            "verifier": timing,
            "exception_info": {"exception_type": "VerifierTimeoutError"},
        },
    ]
    result = read_result(result_bytes(parts=2, rewards=None, step_results=steps), "reward")
    assert result.exception is not None
    assert (result.exception.type, result.exception.step, result.phase) == ("NonZeroAgentExitCodeError", "one", Phase.AGENT)


def _usage(**counts: object) -> tuple[Observation, int | None, int | None, int | None]:
    usage = read_result(result_bytes(agent_result=counts), "reward").usage
    return usage.observation, usage.input_tokens, usage.output_tokens, usage.cost_usd_micros


def test_usage_that_is_reported_is_read() -> None:
    """Cost becomes whole micro-USD, rounded up."""
    assert _usage(n_input_tokens=100, n_output_tokens=7, cost_usd=0.0000011) == (Observation.OBSERVED, 100, 7, 2)


@pytest.mark.parametrize(
    "counts",
    [
        {"n_input_tokens": 100, "n_output_tokens": 0},
        {"n_input_tokens": -1, "n_output_tokens": 5},
        {"n_input_tokens": True, "n_output_tokens": 5},
        {"n_input_tokens": 1.5, "n_output_tokens": 5},
        {"n_input_tokens": "100", "n_output_tokens": 5},
        {"n_input_tokens": 10, "n_output_tokens": 5, "n_cache_tokens": 11},
        {"n_input_tokens": 10**13, "n_output_tokens": 5},
        {"n_input_tokens": 10, "n_output_tokens": 5, "cost_usd": 1e300},
        {"n_input_tokens": 10, "n_output_tokens": 5, "cost_usd": 10**8},
        {"n_input_tokens": 10, "n_output_tokens": 5, "cost_usd": -0.1},
        {"n_input_tokens": 10, "n_output_tokens": 5, "cost_usd": float("nan")},
    ],
    ids=str,
)
def test_usage_that_cannot_be_is_malformed(counts: dict[str, object]) -> None:
    """Impossible counts are malformed and give no number."""
    assert _usage(**counts) == (Observation.MALFORMED, None, None, None)


def test_null_usage_is_not_reported() -> None:
    """Null counts, and no agent result at all, are not reported."""
    assert _usage(n_input_tokens=None, n_output_tokens=None, cost_usd=None)[0] is Observation.NOT_REPORTED
    assert read_result(result_bytes(), "reward").usage.observation is Observation.NOT_REPORTED


def test_usage_of_steps_is_summed() -> None:
    """A trial with steps reports tokens per step."""
    steps = [{"step_name": name, "agent_result": {"n_input_tokens": 10, "n_output_tokens": 2}} for name in ("one", "two")]
    usage = read_result(result_bytes(step_results=steps), "reward").usage
    assert (usage.input_tokens, usage.output_tokens) == (20, 4)


def test_naive_times_stay_text_and_are_told() -> None:
    """A time without a zone is kept as it is and told."""
    result = read_result(result_bytes(started_at="2031-03-01T10:00:00"), "reward")
    assert (result.started_at, result.has_naive_times) == ("2031-03-01T10:00:00", True)
    assert not read_result(result_bytes(), "reward").has_naive_times
