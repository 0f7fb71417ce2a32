"""Tests of feasibility: what cannot be carried out is refused before anything is paid for."""

import re
from typing import Any

import pytest

from shared.errors import Refused
from shared.planning.inputs import BoundProfile, SourceTask, TaskNeeds
from tests.builders.experiments import changed, good_tree, make_plan, small_tree, some_tasks

HF = "runner.harness.environments.hf_sandbox:HfSandbox"


def refusal(tree: Any, **given: Any) -> Refused:
    with pytest.raises(Refused) as caught:
        make_plan(tree, **given)
    assert caught.value.way_out
    return caught.value


def serial(concurrency: int) -> Any:
    """Return 44 shards of one trial of 45 minutes in one wave of four and a half hours."""
    tree = small_tree()
    tree["policy"] |= {
        "repeats": 1, "trials_per_shard": 1, "shards_per_wave": 44, "concurrent_trials": concurrency, "trial_seconds": 3600,
        "wave": {"max_seconds": 16_200, "reserve_seconds": 300}, "estimate": {"trial_seconds": 2_814, "headroom": "1"},
    }  # fmt: skip
    return changed(tree, "matrix.deployments.0.request_concurrency", 64)


def test_a_wave_that_cannot_fit_names_the_concurrency_that_does() -> None:
    """Work of 124,116 s in a wave of 16,200 s is refused, and what it says fits does fit."""
    error = refusal(serial(1), tasks=some_tasks(43))
    assert error.code == "PLAN_INFEASIBLE"
    assert "124116 s of 16200 s" in error.message
    fitting = re.search(r"fits at (\d+) at once", error.way_out)
    assert fitting is not None
    concurrency = int(fitting[1])
    assert make_plan(serial(concurrency), tasks=some_tasks(43)).head.arithmetic.longest_wave_seconds <= 16_200
    refusal(serial(concurrency - 1), tasks=some_tasks(43))


def test_the_bound_is_exact() -> None:
    """A wave that takes exactly its time passes; a second less does not."""
    tree = changed(small_tree(), "policy.estimate.headroom", "1")
    exact = 300 + 60 * -(-33 // 4)
    assert make_plan(changed(tree, "policy.wave.max_seconds", exact)).head.arithmetic.longest_wave_seconds == exact
    assert refusal(changed(tree, "policy.wave.max_seconds", exact - 1)).code == "PLAN_INFEASIBLE"


def test_the_jobs_timeout_bounds_a_wave_too() -> None:
    """The platform would end the job before the wave is done."""
    assert refusal(changed(small_tree(), "runtime.job.timeout_seconds", 400)).code == "PLAN_INFEASIBLE"


def test_startup_counts() -> None:
    """The time an endpoint takes to come up is part of its wave."""
    tree = good_tree()
    before = make_plan(tree).head.arithmetic.longest_wave_seconds
    later = make_plan(changed(tree, "matrix.deployments.1.probes.startup_seconds", 700)).head.arithmetic.longest_wave_seconds
    assert later == before + 100


def test_no_concurrency_fits_a_trial_longer_than_the_wave() -> None:
    """Then other fields are named."""
    error = refusal(changed(small_tree(), "policy.estimate.trial_seconds", 80_000))
    assert "No concurrency fits" in error.way_out


@pytest.mark.parametrize(
    ("needs", "reason"),
    [
        (TaskNeeds(gpus=1), "1 GPU"),
        (TaskNeeds(has_compose=True), "Compose"),
        (TaskNeeds(local_obstacles=("the user agent",)), "the user agent"),
    ],
)
def test_a_task_that_the_local_sandbox_cannot_hold_is_refused(needs: TaskNeeds, reason: str) -> None:
    """The task and the reason are named."""
    error = refusal(small_tree(), tasks=(SourceTask("odd", "odd", "0", needs),))
    assert error.code == "TASK_UNSUPPORTED"
    assert "odd" in error.message
    assert reason in error.message


@pytest.mark.parametrize(
    ("needs", "reason"),
    [
        (TaskNeeds(), "docker_image"),
        (TaskNeeds("python:3.12", network="allowlist"), "network"),
        (TaskNeeds("python:3.12", gpus=1), "GPU"),
        (TaskNeeds("python:3.12", has_compose=True), "Compose"),
    ],
)
def test_a_task_that_the_remote_sandbox_cannot_hold_is_refused(needs: TaskNeeds, reason: str) -> None:
    """The remote sandbox wants an image and has no GPU, compose or network limits."""
    tree = changed(small_tree(), "harbor.job.environment", {"import_path": HF, "kwargs": {"job_timeout": 3600}})
    error = refusal(tree, tasks=(SourceTask("odd", "odd", "0", needs),))
    assert error.code == "TASK_UNSUPPORTED"
    assert reason in error.message


def test_an_idle_bound_below_the_longest_command_is_refused() -> None:
    """A sandbox that ends as idle under a running command is found at planning."""
    task = SourceTask("slow", "slow", "0", TaskNeeds("python:3.12", agent_seconds=500.0, verifier_seconds=60.0))
    tree = changed(small_tree(), "harbor.job.environment", {"import_path": HF, "kwargs": {"job_timeout": 499}})
    error = refusal(tree, tasks=(task,))
    assert (error.code, error.field) == ("PLAN_INFEASIBLE", "harbor.job.environment.kwargs.job_timeout")
    make_plan(changed(tree, "harbor.job.environment.kwargs.job_timeout", 500), tasks=(task,))


def test_a_serving_profile_binds_the_concurrency_of_its_cells() -> None:
    """The selected concurrency is used where it is the smallest."""
    cell = make_plan(small_tree()).head.cells[0]
    profile = BoundProfile(cell.cell_digest, cell.deployment_digest, 2)
    tree = changed(small_tree(), "policy.serving_profiles", [profile.sha256])
    bound = make_plan(tree, serving_profiles=(profile,)).head.cells[0]
    assert (bound.concurrency, bound.serving_profile_sha256) == (2, profile.sha256)
    assert bound.cell_digest == cell.cell_digest


def test_a_serving_profile_that_nobody_selected_is_refused() -> None:
    """A digest without a document is no profile."""
    error = refusal(changed(small_tree(), "policy.serving_profiles", ["0" * 64]))
    assert (error.code, error.field) == ("PROFILE_MISMATCH", "policy.serving_profiles[0]")


def test_a_final_endpoint_needs_a_serving_profile() -> None:
    """Ranked endpoint cells run at a measured concurrency."""
    assert refusal(changed(good_tree(), "publishing.role", "final")).code == "PROFILE_MISMATCH"


def test_other_tasks_than_the_pinned_ones_are_refused() -> None:
    """tasks_sha256 pins the selected tasks."""
    pinned = make_plan(small_tree()).head.benchmark.tasks_sha256
    tree = changed(small_tree(), "benchmark.tasks_sha256", pinned)
    make_plan(tree)
    assert refusal(tree, tasks=some_tasks(9)).code == "SOURCE_DRIFT"
