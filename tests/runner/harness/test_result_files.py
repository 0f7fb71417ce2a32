import json
from pathlib import Path

import pytest

from runner.harness.result_files import classify_path
from shared.errors import BadInput
from tests.builders.results import result_bytes

CASES = Path(__file__).parents[2] / "data" / "harbor-results"
EXPECTED = json.loads((CASES / "expected.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_real_result_becomes_what_is_expected_of_it(name: str) -> None:
    """Files of real trials, of several versions of Harbor."""
    (found,) = classify_path(CASES / f"{name}.json", "reward")
    line = found.as_json()
    expected = {key: value for key, value in EXPECTED[name].items() if key != "why"}
    assert {key: line[key] for key in expected} == expected


@pytest.mark.parametrize("key", ["neg", "big"])
def test_a_primary_reward_out_of_range_is_the_benchmarks_fault(key: str) -> None:
    """-3 and 1e300 are never clipped into the range."""
    (found,) = classify_path(CASES / "negative-and-huge-reward.json", key)
    assert (found.outcome, found.reward) == ("benchmark_failed", None)


def test_a_folder_gives_each_result_below_it(tmp_path: Path) -> None:
    """Files called result.json count, wherever they lie; a job's own result, which is no trial's, does not."""
    for name in ("b", "a"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "result.json").write_bytes(result_bytes())
    (tmp_path / "result.json").write_text('{"n_total_trials": 2}', encoding="utf-8")
    assert [found.file for found in classify_path(tmp_path, "reward")] == ["a/result.json", "b/result.json"]


def test_a_folder_of_cases_leaves_out_what_is_no_result() -> None:
    """expected.json lies beside the cases and is none."""
    assert len(classify_path(CASES, "reward")) == len(EXPECTED)


def test_a_place_without_results_is_refused(tmp_path: Path) -> None:
    """A missing path and an empty folder say so."""
    for path, code in ((tmp_path / "none", "PATH_NOT_FOUND"), (tmp_path, "RESULT_UNREADABLE")):
        with pytest.raises(BadInput) as caught:
            classify_path(path, "reward")
        assert caught.value.code == code
