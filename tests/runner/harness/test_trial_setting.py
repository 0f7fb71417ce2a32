"""What was run, as result files of several versions tell it; what they do not say is not guessed."""

import pytest

from runner.harness.trial_setting import NOT_OBSERVED, TrialSetting, read_setting
from tests.builders.imports import CASES


def setting(name: str) -> TrialSetting:
    return read_setting((CASES / f"{name}.json").read_bytes())


def test_an_older_layout_tells_agent_and_model() -> None:
    """Version, provider and model, and the multiplier that holds for all parts."""
    found = setting("agent-timeout-but-solved")
    assert (found.agent_name, found.agent_version) == ("claude-code", "2.1.19")
    assert (found.model_provider, found.model_name) == ("minimax", "MiniMax-M2.1")
    assert (found.sandbox, found.agent_setup_multiplier, found.is_versioned) == ("harbor:docker", "2.0", False)


def test_an_agent_of_somebodys_own_is_known_by_its_path() -> None:
    """Its sandbox too, never under a name of ours."""
    found = setting("usage-reported")
    assert (found.agent_name, found.agent_import_path) == ("my-agent", "t_more:MyAgent")
    assert found.sandbox == "harbor:localenv:LocalSandboxEnvironment"


def test_windows_is_seen_by_its_paths() -> None:
    """Nothing else says so."""
    assert setting("windows-paths-nop").has_windows_paths
    assert not setting("usage-reported").has_windows_paths


def test_what_is_not_said_is_not_observed() -> None:
    """A result file with names alone."""
    found = read_setting(b'{"task_name": "t", "trial_name": "t__1"}')
    assert {found.agent_name, found.agent_version, found.agent_setup_multiplier} == {NOT_OBSERVED}
    assert (found.model_name, found.sandbox) == (None, f"harbor:{NOT_OBSERVED}")


@pytest.mark.parametrize("number", ["1e999", "9" * 400])
def test_a_multiplier_that_no_number_holds_stops_nothing(number: str) -> None:
    """Whoever wrote the file could write any digits."""
    data = '{"task_name": "t", "config": {"agent_setup_timeout_multiplier": %s}}' % number  # noqa: UP031 - braces of JSON
    assert read_setting(data.encode()).agent_setup_multiplier in {"inf", NOT_OBSERVED}


def test_arguments_and_limits_are_part_of_what_was_run() -> None:
    """Two trials that differ in them are not repeats of each other."""
    plain = read_setting(b'{"task_name": "t", "config": {"agent": {"kwargs": {}}}}')
    other = read_setting(b'{"task_name": "t", "config": {"agent": {"kwargs": {"effort": "high"}}}}')
    assert plain.rest != other.rest
