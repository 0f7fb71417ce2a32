"""Jobs that run when a test says so, in the test's own process."""

from collections.abc import Callable
from dataclasses import replace

from runner.ports.compute.jobs import (
    TERMINAL_STAGES,
    JobRefused,
    JobSpec,
    JobStage,
    JobSubmitted,
    JobUnknown,
    JobView,
    SubmitAnswer,
)
from shared.errors import SeawallError

FAR_MS = 10**15
"""Created after every test's clock: never overdue, in the order of submission."""


class ScriptedJobs:
    """The port `Jobs`; `work` carries a job out, and an error of ours ends it as one."""

    def __init__(self, work: Callable[[JobView, JobSpec], None] = lambda _view, _spec: None) -> None:
        self._work = work
        self.views: dict[str, JobView] = {}
        self.specs: dict[str, JobSpec] = {}
        self.cancelled: list[str] = []
        self.errors: list[SeawallError] = []
        self.forgotten: list[str] = []
        self.refusal: JobRefused | None = None
        """What submits answer instead of starting anything."""
        self.is_answer_lost = False
        """The next submits start their job and do not say so."""

    def submit(self, spec: JobSpec) -> SubmitAnswer:
        """Remember the job; it runs in `work_all`."""
        if self.refusal is not None:
            return self.refusal
        number = len(self.views) + len(self.forgotten) + 1
        view = JobView(
            f"job-{number:032x}", spec.action_id, spec.run_id, spec.kind, JobStage.RUNNING, FAR_MS + number, spec.timeout_s
        )
        self.views[view.job_id], self.specs[view.job_id] = view, spec
        return JobUnknown("the answer was lost") if self.is_answer_lost else JobSubmitted(view.job_id)

    def list(self) -> list[JobView]:
        """Return every job, oldest first."""
        return list(self.views.values())

    def cancel(self, job_id: str) -> None:
        """End the job before it has done anything."""
        self.cancelled.append(job_id)
        self.end(job_id, JobStage.CANCELLED)

    kill = cancel

    def forget(self, job_id: str) -> None:
        """Know nothing of an ended job any more."""
        if self.views[job_id].stage in TERMINAL_STAGES:
            del self.views[job_id], self.specs[job_id]
            self.forgotten.append(job_id)

    def end(self, job_id: str, stage: JobStage) -> None:
        """Let the job be in `stage`, unless it has ended."""
        view = self.views.get(job_id)
        if view is not None and view.stage not in TERMINAL_STAGES:
            self.views[job_id] = replace(view, stage=stage)

    def work_all(self) -> int:
        """Carry out every job that has not ended; return how many there were."""
        waiting = [view for view in self.views.values() if view.stage not in TERMINAL_STAGES]
        for view in waiting:
            try:
                self._work(view, self.specs[view.job_id])
                self.end(view.job_id, JobStage.COMPLETED)
            except SeawallError as error:
                self.errors.append(error)
                self.end(view.job_id, JobStage.ERROR)
        return len(waiting)
