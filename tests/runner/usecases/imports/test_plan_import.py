"""Planning an import: every trial has its slot, every oddity its name, and the same results are the same import."""

import json
import shutil
from pathlib import Path

import pytest

from runner.harness.job_folders import find_trials
from runner.usecases.imports.plan_import import plan_import
from shared.errors import BadInput, Refused, SeawallError
from tests.builders.imports import CASES, JOB, JOBS, ORDER, PlannedImport, alter_result, codes, copy_jobs, planned, trials_of


def refusal(jobs: Path) -> str:
    with pytest.raises((BadInput, Refused)) as caught:
        planned(jobs)
    error: SeawallError = caught.value
    assert error.way_out
    return error.code


def slots(plan: PlannedImport) -> list[tuple[int, int, int]]:
    return [(trial.cell, trial.repeat, trial.task) for trial in plan.record.trials]


def test_a_whole_job_has_no_oddity() -> None:
    """Two agents, two tasks, twice each; every trial has a slot."""
    plan = planned(JOBS)
    record = plan.record
    assert (len(record.cells), len(record.tasks), record.repeats, record.is_whole) == (2, 2, 2, True)
    assert slots(plan) == [(cell, repeat, task) for cell in (0, 1) for repeat in (1, 2) for task in (0, 1)]
    assert all(trial.result_sha256 for trial in record.trials)
    assert (codes(plan), record.harbor_version) == ({}, "0.26.0")


def test_the_same_results_are_the_same_import_wherever_they_lie(tmp_path: Path) -> None:
    """Another folder, another start, another day; another scoring or dataset is another import."""
    run_id = planned(JOBS).record.run_id
    assert planned(copy_jobs(tmp_path) / JOB, imported_at="2027-01-01T00:00:00.000Z").record.run_id == run_id
    others = [{"primary_reward": "reward", "pass_threshold": "0.5"}, {"dataset": "local/other"}, {"benchmark": "other"}]
    assert len({run_id, *(planned(JOBS, **changes).record.run_id for changes in others)}) == 4


def test_a_copied_job_is_not_counted_twice(tmp_path: Path) -> None:
    """Each copy is named."""
    jobs = copy_jobs(tmp_path)
    shutil.copytree(jobs / JOB, jobs / "copied")
    plan = planned(jobs)
    assert plan.record.run_id == planned(JOBS).record.run_id
    assert codes(plan)["duplicate"] == [f"{JOB}/{trial.name}" for trial in trials_of(jobs)]


def test_another_state_of_one_trial_is_named_and_not_counted(tmp_path: Path) -> None:
    """Harbor's own id of the trial is the same."""
    jobs = copy_jobs(tmp_path)
    again = jobs / JOB / f"{trials_of(jobs)[0].name}-later"
    shutil.copytree(trials_of(jobs)[0], again)
    alter_result(again, finished_at="2026-12-31T00:00:00Z")
    plan = planned(jobs)
    assert codes(plan)["same_trial"] == [f"{JOB}/{again.name}"]
    assert len(plan.record.trials) == 8


def test_two_versions_of_a_task_are_refused(tmp_path: Path) -> None:
    """Their results do not belong together."""
    jobs = copy_jobs(tmp_path)
    alter_result(trials_of(jobs)[0], task_checksum="f" * 64)
    assert refusal(jobs) == "IMPORT_MIXED_TASKS"


def test_a_trial_that_is_not_there_counts(tmp_path: Path) -> None:
    """Its slot stays, its cell is named, and the job is not whole."""
    jobs = copy_jobs(tmp_path)
    shutil.rmtree(trials_of(jobs)[0])
    plan = planned(jobs)
    assert len(plan.record.trials) == 8
    assert sum(trial.result_sha256 is None for trial in plan.record.trials) == 1
    assert set(codes(plan)) == {"missing_trials", "job_incomplete"}
    assert plan.record.is_whole is False


def test_a_job_that_lost_as_many_of_every_task_is_not_whole(tmp_path: Path) -> None:
    """No slot is empty, and the denominator would have shrunk unseen."""
    jobs = copy_jobs(tmp_path)
    seen = set()
    for trial in trials_of(jobs):
        result = json.loads((trial / "result.json").read_bytes())
        if (key := (result["task_name"], result["agent_info"]["name"])) not in seen:
            seen.add(key)
            shutil.rmtree(trial)
    plan = planned(jobs)
    assert (plan.record.repeats, len(plan.record.trials), plan.record.is_whole) == (1, 4, False)
    assert codes(plan) == {"job_incomplete": [JOB]}


def test_a_trial_without_a_result_makes_the_import_partial(tmp_path: Path) -> None:
    """It ran, and nobody knows how it ended."""
    jobs = copy_jobs(tmp_path)
    (trials_of(jobs)[0] / "result.json").unlink()
    plan = planned(jobs)
    assert {"no_result", "lost_trial", "missing_trials"} == set(codes(plan))
    assert plan.record.is_whole is False


def test_other_arguments_are_another_cell(tmp_path: Path) -> None:
    """Two settings of one agent are not repeats of each other."""
    jobs = copy_jobs(tmp_path)
    trial = trials_of(jobs)[0]
    config = json.loads((trial / "result.json").read_bytes())["config"]
    config["agent"]["kwargs"] = {"effort": "high"}
    alter_result(trial, config=config)
    assert len(planned(jobs).record.cells) == 3


def test_nothing_that_could_be_scored_is_refused() -> None:
    """Another reward is asked for than the results have."""
    with pytest.raises(Refused, match="IMPORT_NOTHING_SCORED"):
        planned(JOBS, primary_reward="accuracy")


def test_every_oddity_of_real_results_is_named() -> None:
    """Older layouts, naive times, Windows, usage that cannot be, ends without a score."""
    found = codes(planned(CASES))
    odd = {code: [place.removesuffix(".json") for place in places] for code, places in found.items()}
    assert odd["naive_times"] == ["naive-times-null-usage"]
    assert odd["windows_paths"] == ["windows-paths-nop"]
    assert odd["usage_malformed"] == odd["agent_timeout"] == ["agent-timeout-but-solved"]
    assert odd["agent_version"] == ["naive-times-null-usage"]
    assert odd["attempt_cancelled"] == ["cancelled"]
    assert odd["attempt_transient"] == ["image-build-runtimeerror"]
    assert odd["attempt_benchmark"] == ["empty-reward-dict", "multistep-step-error", "nan-reward"]
    assert set(odd["older_layout"]) > {"naive-times-null-usage", "agent-timeout-but-solved", "windows-paths-nop"}
    assert odd["result_unreadable"] == ["expected"]


def test_no_name_carries_a_secret(tmp_path: Path) -> None:
    """An agent may be called like one; what is stored is not."""
    jobs = copy_jobs(tmp_path)
    alter_result(trials_of(jobs)[0], agent_info={"name": "agent-hunter2-hunter2", "version": "hf_" + "a" * 30})
    data = planned(jobs, {"KEY": "hunter2-hunter2"}).record.to_bytes()
    assert b"hunter2-hunter2" not in data
    assert b"hf_aaaa" not in data


def test_results_that_another_import_has_are_named(tmp_path: Path) -> None:
    """A job that has grown since; the same import again is not another."""
    jobs = copy_jobs(tmp_path)
    shutil.rmtree(trials_of(jobs)[0])
    part = planned(jobs)
    found = find_trials(JOBS, "reward", (0.0, 1.0))
    earlier = {part.record.run_id: frozenset(map(str, part.files))}
    (oddity,) = plan_import(found, ORDER, str, earlier).record.oddities
    assert (oddity.code, oddity.message) == ("imported_before", f"7 of these results are part of {part.record.run_id} too")
    whole = planned(JOBS)
    assert plan_import(found, ORDER, str, {whole.record.run_id: frozenset(map(str, whole.files))}).record.oddities == ()
