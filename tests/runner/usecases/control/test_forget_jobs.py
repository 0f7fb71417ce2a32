"""Forgetting jobs: only what has ended, long ago, and whose outcome is in a journal that could be read."""

from pathlib import Path

from runner.domain import limits
from runner.domain.control.projection.state import RunProjection
from runner.ports.compute.jobs import JobKind, JobStage, JobView
from runner.usecases.control.forget_jobs import forget_jobs
from tests.builders.houses import Place
from tests.builders.journals import Journal
from tests.doubles.jobs import ScriptedJobs
from tests.runner.domain.control.test_actions import reserved

OLD_MS = (limits.JOB_KEPT_S + 61) * 1000


def forgotten(stage: JobStage = JobStage.COMPLETED, *, at_ms: int = OLD_MS, is_unknown: bool = False) -> bool:
    """Tell whether one job, created at 0 with a minute to work, is forgotten at `at_ms`."""
    jobs = ScriptedJobs()
    view = JobView("job-1", "act-x", "run-1", JobKind.WAVE, stage, 0, 60)
    jobs.views["job-1"], jobs.specs["job-1"] = view, None  # type: ignore[assignment]
    states = {} if is_unknown else {"run-1": RunProjection()}
    return forget_jobs([view], states, ["run-1"], jobs, at_ms) == 1


def test_an_old_job_that_has_ended_is_forgotten() -> None:
    """Seven days after its time was over."""
    assert (forgotten(), forgotten(at_ms=OLD_MS - 2_000)) == (True, False)


def test_a_job_that_may_be_alive_is_kept() -> None:
    """However old."""
    assert [forgotten(stage) for stage in (JobStage.RUNNING, JobStage.UNKNOWN, JobStage.SCHEDULING)] == [False] * 3


def test_a_job_of_a_run_that_could_not_be_read_is_kept() -> None:
    """Nobody knows what its log is needed for."""
    assert forgotten(is_unknown=True) is False


def test_a_job_whose_action_is_open_is_kept() -> None:
    """Its outcome is not in the log yet."""
    journal = Journal().submit().acquire()
    action = reserved(journal)
    jobs, view = ScriptedJobs(), JobView("job-1", action, "run-1", JobKind.WAVE, JobStage.ERROR, 0, 60)
    assert forget_jobs([view], {"run-1": journal.state}, ["run-1"], jobs, OLD_MS) == 0


def test_a_pass_forgets_the_jobs_of_runs_that_have_ended(tmp_path: Path) -> None:
    """A week later nothing is kept of them, and the pass is idle all the same."""
    place = Place(tmp_path)
    place.submit()
    place.finish()
    place.jobs.views = {name: view.__class__(**{**_fields(view), "created_ms": 0}) for name, view in place.jobs.views.items()}
    report = place.reconcile()
    assert (report.forgotten, report.is_idle, place.jobs.views) == (3, True, {})


def _fields(view: JobView) -> dict[str, object]:
    return {name: getattr(view, name) for name in view.__slots__}
