"""Jobs as subprocesses: alive exactly while their lock is held, and what became of them is read from their folder."""

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from runner.adapters.local.compute.jobs import FOLDER_VARIABLE, LocalJobs
from runner.adapters.local.compute.own_job import OwnJob
from runner.config import CHECKOUT
from runner.ports.compute.jobs import JobKind, JobSpec, JobStage, JobSubmitted, JobUnknown
from tests.builders.chances import CountedChance
from tests.builders.clocks import StoppedClock

WORKER = """
import os, pathlib, subprocess, sys, time
from runner_under_test import OwnJob
job = OwnJob(pathlib.Path(os.environ["SEAWALL_JOB"]))
job.began()
what = sys.argv[3]
if what == "stray":
    subprocess.Popen(["sleep", "60"], close_fds=False)
    os._exit(0)
if what == "sleep":
    time.sleep(60)
if what == "environment":
    print(os.environ["GIVEN"], os.getcwd())
job.ended(int(what) if what.isdecimal() else 0)
"""


@pytest.fixture
def jobs(tmp_path: Path) -> Iterator[LocalJobs]:
    """Return jobs whose workers are a script that does what its target says; none is left afterwards."""
    workers = tmp_path / "checkout" / "runner" / "workers"
    workers.mkdir(parents=True)
    for folder in (workers, workers.parent):
        (folder / "__init__.py").touch()
    (workers / "wave.py").write_text(WORKER)
    own = (
        (CHECKOUT / "runner/adapters/local/compute/own_job.py")
        .read_text()
        .replace("from runner.adapters.local.compute.jobs import ENDED, PID", 'ENDED, PID = "ended.json", "pid"')
    )
    (tmp_path / "checkout" / "runner_under_test.py").write_text(own)
    environment = {"PATH": os.environ["PATH"], "GIVEN": "given"}
    made = LocalJobs(
        tmp_path / "jobs", tmp_path / "checkout", environment=environment, clock=StoppedClock(), chance=CountedChance()
    )
    yield made
    for view in made.list():
        made.kill(view.job_id)


def submit(jobs: LocalJobs, what: str) -> str:
    """Start a worker and return its job id."""
    answer = jobs.submit(JobSpec(JobKind.WAVE, "act-1", "run-1", what, 60))
    assert isinstance(answer, JobSubmitted)
    return answer.job_id


def wait_for(is_so: Callable[[], bool]) -> None:
    """Return once it is so."""
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def stage(jobs: LocalJobs, job_id: str) -> JobStage:
    """Return where the job is."""
    return next(view.stage for view in jobs.list() if view.job_id == job_id)


@pytest.mark.parametrize(("what", "expected"), [("0", JobStage.COMPLETED), ("8", JobStage.ERROR)])
def test_an_ended_job_says_how(jobs: LocalJobs, what: str, expected: JobStage) -> None:
    """By the exit code that its worker wrote."""
    job_id = submit(jobs, what)
    wait_for(lambda: stage(jobs, job_id) is not JobStage.RUNNING)
    assert stage(jobs, job_id) is expected


def test_a_job_carries_the_label_of_its_action(jobs: LocalJobs) -> None:
    """And is found by it in any later process."""
    job_id = submit(jobs, "0")
    (view,) = jobs.list()
    assert (view.job_id, view.action_id, view.run_id, view.kind) == (job_id, "act-1", "run-1", JobKind.WAVE)


def test_jobs_are_listed_oldest_first(jobs: LocalJobs) -> None:
    """Two submits of one action are two jobs: only a claim makes one of them."""
    assert [submit(jobs, "0"), submit(jobs, "0")] == [view.job_id for view in jobs.list()]


def test_a_cancelled_job_ends(jobs: LocalJobs) -> None:
    """SIGTERM lets it drain; this one just ends."""
    job_id = submit(jobs, "sleep")
    wait_for(lambda: any((folder / "pid").exists() for folder in jobs._folder.iterdir()))
    jobs.cancel(job_id)
    wait_for(lambda: stage(jobs, job_id) is not JobStage.RUNNING)
    assert stage(jobs, job_id) is JobStage.CANCELLED


def test_a_job_that_was_killed_ended_with_an_error(jobs: LocalJobs) -> None:
    """Nobody wrote how it ended, and nobody asked it to."""
    job_id = submit(jobs, "sleep")
    pid = int((jobs._folder / job_id / "pid").read_text())
    os.killpg(pid, signal.SIGKILL)
    wait_for(lambda: stage(jobs, job_id) is not JobStage.RUNNING)
    assert stage(jobs, job_id) is JobStage.ERROR


def test_a_job_is_alive_while_anything_of_it_is(jobs: LocalJobs) -> None:
    """Its worker is gone, a process that it started still holds the lock; a kill ends that one too."""
    job_id = submit(jobs, "stray")
    pid = int((jobs._folder / job_id / "pid").read_text())
    wait_for(lambda: not Path(f"/proc/{pid}").exists() or "Z" in Path(f"/proc/{pid}/stat").read_text().split()[2])
    assert stage(jobs, job_id) is JobStage.RUNNING
    jobs.kill(job_id)
    wait_for(lambda: stage(jobs, job_id) is not JobStage.RUNNING)


def test_a_job_sees_the_settings_and_the_checkout(jobs: LocalJobs) -> None:
    """What it prints stands in its log."""
    job_id = submit(jobs, "environment")
    wait_for(lambda: stage(jobs, job_id) is not JobStage.RUNNING)
    log = (jobs._folder / job_id / "log").read_text()
    assert log == f"given {jobs._checkout}\n"


def test_a_start_that_fails_is_unknown(jobs: LocalJobs) -> None:
    """Nothing may be concluded from it but that the world must be read."""
    broken = LocalJobs(Path("/proc/no-such-folder"), jobs._checkout, environment={}, clock=StoppedClock(), chance=CountedChance())
    assert isinstance(broken.submit(JobSpec(JobKind.WAVE, "act-1", "run-1", "0", 60)), JobUnknown)


def test_a_folder_without_a_specification_is_no_job(jobs: LocalJobs) -> None:
    """It never started anything; nor does ending what is not there."""
    (jobs._folder / "job-x").mkdir(parents=True)
    (jobs._folder / "job-y").mkdir()
    (jobs._folder / "job-y" / "spec.json").write_text("{")
    assert jobs.list() == []
    jobs.cancel("job-x")
    jobs.kill("job-z")


@pytest.mark.parametrize("text", ["", "{", "[]", "[1]", "7", "[" * 100_000, '{"job_id": []}'])
def test_a_specification_that_says_nothing_hides_no_other_job(jobs: LocalJobs, text: str) -> None:
    """Whatever stands there after a power cut, or by somebody's hand."""
    job_id = submit(jobs, "0")
    (jobs._folder / "job-y").mkdir()
    (jobs._folder / "job-y" / "spec.json").write_text(text)
    assert [view.job_id for view in jobs.list()] == [job_id]


@pytest.mark.parametrize("text", ["", "{", "[1]", "[" * 100_000])
def test_a_job_whose_end_cannot_be_read_has_failed(jobs: LocalJobs, text: str) -> None:
    """It was there: a pass that did not see it would wait for it, or start it again."""
    job_id = submit(jobs, "0")
    wait_for(lambda: stage(jobs, job_id) is JobStage.COMPLETED)
    (jobs._folder / job_id / "ended.json").write_text(text)
    assert stage(jobs, job_id) is JobStage.ERROR


def test_a_worker_writes_its_end_whole(tmp_path: Path) -> None:
    """The id that it goes by is its folder's name."""
    assert FOLDER_VARIABLE == "SEAWALL_JOB"
    job = OwnJob(tmp_path)
    job.began()
    job.ended(7)
    assert (job.job_id, json.loads((tmp_path / "ended.json").read_bytes())) == (tmp_path.name, {"exit_code": 7})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ended.json", "pid"]


def test_a_job_that_has_ended_can_be_forgotten(jobs: LocalJobs, tmp_path: Path) -> None:
    """Nothing of it is kept; a second time, or one that is not known, is no error."""
    job_id = submit(jobs, "0")
    wait_for(lambda: stage(jobs, job_id) is JobStage.COMPLETED)
    for _ in range(2):
        jobs.forget(job_id)
    assert (list(jobs.list()), list((tmp_path / "jobs").iterdir())) == ([], [])


def test_a_job_that_is_alive_is_not_forgotten(jobs: LocalJobs) -> None:
    """What it is, and its log, stay."""
    job_id = submit(jobs, "sleep")
    jobs.forget(job_id)
    assert [(view.job_id, view.stage) for view in jobs.list()] == [(job_id, JobStage.RUNNING)]
