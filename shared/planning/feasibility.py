"""Whether a plan can be carried out at all: needs of the tasks, time of a wave, idle bound of the sandbox.

A wave takes startup + ceil(trials / c) x trial_seconds x headroom + reserve, where c is the smallest of the concurrencies that
bind it. A plan that cannot fit is refused before anything is paid for, naming the c that would fit.
"""

from collections.abc import Iterable
from typing import Final

from pydantic import JsonValue

from shared.documents.experiment.policy import LOCAL
from shared.documents.plan import PlannedCell, PlannedPolicy, PlannedSandbox
from shared.errors import Refused
from shared.planning.inputs import SourceTask

DAY_SECONDS: Final = 86_400
_IDLE_DEFAULT_SECONDS: Final = 600


def check_needs(tasks: Iterable[SourceTask], sandbox: PlannedSandbox) -> None:
    """Raise Refused `TASK_UNSUPPORTED` for the first task that `sandbox` cannot carry out."""
    for task in tasks:
        obstacle = _obstacle(task, sandbox)
        if obstacle:
            message = f"the task {task.name!r} does not fit the sandbox {sandbox.kind}: {obstacle}."
            way_out = "Exclude it with benchmark.exclude_tasks, or use another sandbox."
            raise Refused("TASK_UNSUPPORTED", message, field="benchmark.tasks", way_out=way_out)


def _obstacle(task: SourceTask, sandbox: PlannedSandbox) -> str:
    needs = task.needs
    if needs.gpus:
        return f"it needs {needs.gpus} GPU"
    if needs.has_compose:
        return "it needs Docker Compose"
    if sandbox.kind == LOCAL:
        return "; ".join(needs.local_obstacles)
    if needs.docker_image is None:
        return "it names no docker_image"
    return f"it limits the network ({needs.network})" if needs.network in {"no-network", "allowlist"} else ""


def check_idle_bound(tasks: Iterable[SourceTask], sandbox: PlannedSandbox, policy: PlannedPolicy) -> None:
    """Raise Refused `PLAN_INFEASIBLE` if a remote sandbox would be ended as idle under the longest command of a task."""
    if sandbox.kind == LOCAL:
        return
    idle = sandbox.settings.get("job_timeout")
    bound = idle if isinstance(idle, int) else _IDLE_DEFAULT_SECONDS
    longest = min(policy.trial_seconds, max((_longest_command(task, policy.trial_seconds) for task in tasks), default=0))
    if bound < longest:
        message = f"the sandbox counts as idle after {bound} s, and a command may take {longest} s."
        field = "harbor.job.environment.kwargs.job_timeout"
        raise Refused("PLAN_INFEASIBLE", message, field=field, way_out=f"Set it to {longest} or more.")


def _longest_command(task: SourceTask, otherwise: int) -> int:
    known = [seconds for seconds in (task.needs.agent_seconds, task.needs.verifier_seconds) if seconds is not None]
    return int(max(known)) if len(known) == 2 else otherwise


def wave_seconds(trials: int, concurrency: int, startup: int, policy: PlannedPolicy) -> int:
    """Return how long a wave of `trials` is expected to take, in whole seconds, rounded up."""
    rounds = -(-trials // concurrency)
    work = -(-rounds * policy.estimate_trial_seconds * policy.headroom_thousandths // 1000)
    return startup + work + policy.wave_reserve_seconds


def check_wave(cell: PlannedCell, trials: int, startup: int, policy: PlannedPolicy, job_seconds: int) -> int:
    """Return the seconds of a wave of `trials` of `cell`; raise Refused `PLAN_INFEASIBLE` naming the concurrency that fits."""
    bound = min(policy.wave_max_seconds, job_seconds, DAY_SECONDS)
    seconds = wave_seconds(trials, cell.concurrency, startup, policy)
    if seconds <= bound:
        return seconds
    message = f"a wave of {trials} trials, {cell.concurrency} at once, takes {seconds} s of {bound} s."
    fitting = _fitting_concurrency(trials, startup, policy, bound)
    if fitting is None:
        way_out = (
            "No concurrency fits: lower trials_per_shard or shards_per_wave, or raise wave.max_seconds and job.timeout_seconds."
        )
    else:
        way_out = f"It fits at {fitting} at once (concurrent_trials and request_concurrency), or with fewer shards_per_wave."
    raise Refused("PLAN_INFEASIBLE", message, field="policy.concurrent_trials", way_out=way_out)


def _fitting_concurrency(trials: int, startup: int, policy: PlannedPolicy, bound: int) -> int | None:
    """Return the smallest concurrency with which the wave fits, or None."""
    low, high = 1, trials
    if wave_seconds(trials, high, startup, policy) > bound:
        return None
    while low < high:
        middle = (low + high) // 2
        if wave_seconds(trials, middle, startup, policy) <= bound:
            high = middle
        else:
            low = middle + 1
    return low


def startup_seconds(specification: dict[str, JsonValue]) -> int:
    """Return how long a deployment takes to come up; only an endpoint of ours has to."""
    probes = specification.get("probes")
    startup = probes.get("startup_seconds") if isinstance(probes, dict) else 0
    assert isinstance(startup, int)
    return startup
