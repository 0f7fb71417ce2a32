"""Finding trials in folders that Harbor left: every one of them, and nothing that an agent left instead."""

import json
import os
import shutil
from pathlib import Path

import pytest

from runner.harness.job_folders import Found, find_trials
from shared.errors import BadInput
from tests.builders.imports import CASES, JOB, JOBS, alter_result, copy_jobs, trials_of


def find(folder: Path) -> Found:
    return find_trials(folder, "reward", (0.0, 1.0))


def troubles(found: Found) -> dict[str, str]:
    return {each.place: each.code for each in found.troubles}


def forge(place: Path) -> None:
    """Write a result with full reward, as an agent would among its artifacts."""
    place.mkdir(parents=True)
    shutil.copy(trials_of(JOBS)[0] / "result.json", place / "result.json")
    alter_result(place, id="forged", verifier_result={"rewards": {"reward": 1.0}})


def test_a_job_of_harbor_is_found_whole() -> None:
    """Eight trials, the version that made them, and as many as the job says."""
    found = find(JOBS)
    assert (len(found.trials), found.lost, found.troubles, found.announced) == (8, [], [], {JOB: 8})
    assert {each.harbor_version for each in found.trials} == {"0.26.0"}
    assert all(each.has_folder and each.place.startswith(f"{JOB}/") for each in found.trials)


def test_a_folder_above_a_job_and_the_job_itself_hold_the_same() -> None:
    """Only the places are told from another start."""
    assert [each.sha256 for each in find(JOBS / JOB).trials] == [each.sha256 for each in find(JOBS).trials]


def test_an_agents_own_result_file_is_not_believed(tmp_path: Path) -> None:
    """Not beside the trial's own, and not where that is gone."""
    jobs = copy_jobs(tmp_path)
    first, second, *_ = trials_of(jobs)
    forge(first / "artifacts" / "logs")
    forge(second / "agent" / "results")
    (second / "result.json").unlink()
    found = find(jobs)
    assert len(found.trials) == 7
    assert "forged" not in {each.setting.trial_uuid for each in found.trials}
    assert [(each.place, each.task) for each in found.lost] == [(f"{JOB}/{second.name}", second.name.partition("__")[0])]


def test_links_are_not_followed(tmp_path: Path) -> None:
    """Neither to a folder nor to a file; a file that is one is told."""
    jobs = copy_jobs(tmp_path)
    (jobs / "linked").symlink_to(JOBS / JOB)
    trial = trials_of(jobs)[0]
    (trial / "result.json").unlink()
    (trial / "result.json").symlink_to(trials_of(JOBS)[0] / "result.json")
    found = find(jobs)
    assert len(found.trials) == 7
    assert troubles(found)[f"{JOB}/{trial.name}/result.json"] == "unreadable"


def test_a_pipe_is_told_and_not_waited_for(tmp_path: Path) -> None:
    """Whoever left it there."""
    jobs = copy_jobs(tmp_path)
    trial = trials_of(jobs)[0]
    (trial / "result.json").unlink()
    os.mkfifo(trial / "result.json")
    assert troubles(find(jobs))[f"{JOB}/{trial.name}/result.json"] == "unreadable"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"{", "result_unreadable"),
        (json.dumps({"schema_version": 2, "task_name": "x", "trial_name": "y"}).encode(), "result_version"),
        (json.dumps({"task_name": "x\u001b[2J", "trial_name": "y"}).encode(), "result_unreadable"),
        (json.dumps({"task_name": "x" * 513, "trial_name": "y"}).encode(), "result_unreadable"),
    ],
)
def test_a_result_that_cannot_be_read_is_a_lost_trial(tmp_path: Path, data: bytes, code: str) -> None:
    """It is named, and the others are found."""
    jobs = copy_jobs(tmp_path)
    trial = trials_of(jobs)[0]
    (trial / "result.json").write_bytes(data)
    found = find(jobs)
    place = f"{JOB}/{trial.name}"
    assert (len(found.trials), [each.place for each in found.lost], troubles(found)) == (7, [place], {place: code})


def test_a_job_that_is_called_like_a_part_of_a_trial_is_a_job(tmp_path: Path) -> None:
    """Names of folders alone decide nothing."""
    jobs = copy_jobs(tmp_path)
    (jobs / JOB).rename(jobs / "agent")
    assert len(find(jobs).trials) == 8


def test_result_files_alone_are_found_as_well() -> None:
    """Older collections keep nothing else; what is no result is told."""
    found = find(CASES)
    expected = json.loads((CASES / "expected.json").read_bytes())
    assert {each.place for each in found.trials} == {f"{name}.json" for name in expected}
    assert not any(each.has_folder for each in found.trials)
    assert troubles(found) == {"expected.json": "result_unreadable"}


def test_retries_of_harbors_own_are_seen(tmp_path: Path) -> None:
    """They deleted what was before."""
    jobs = copy_jobs(tmp_path)
    job = json.loads((jobs / JOB / "result.json").read_bytes())
    job["stats"]["n_retries"] = 3
    (jobs / JOB / "result.json").write_text(json.dumps(job))
    assert find(jobs).retried == {JOB: 3}


def test_what_is_no_folder_is_refused(tmp_path: Path) -> None:
    """A file, nothing, or a link to a folder."""
    (tmp_path / "link").symlink_to(JOBS)
    for path in (tmp_path / "none", JOBS / JOB / "result.json", tmp_path / "link"):
        with pytest.raises(BadInput, match="PATH_NOT_FOUND"):
            find(path)
