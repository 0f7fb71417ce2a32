"""Plan a run: read the manifest, pin its source, have Harbor read its fragments, and resolve the rest purely.

Nothing is written and nothing of a task runs. The same manifest and the same files give the same plan; moving the source
folder changes the manifest's digest alone. `keep_source` then stores the source for the waves, refusing if it is no longer
what was planned.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pydantic import JsonValue

from runner.agents.definition import AgentDefinition
from runner.agents.registry import discover
from runner.ports.compute.harness import CheckedTask, FieldProblem, HarnessCheck, HarnessCheckResult
from runner.ports.stores.sources import SourceFolder, Sources
from runner.usecases.runs.check_agents import check_agents
from runner.usecases.runs.check_solutions import check_solutions
from runner.usecases.runs.check_variables import check_variables
from runner.usecases.runs.plan_notes import plan_notes
from shared.digests import Digest, canonical_json
from shared.documents.experiment.experiment import Experiment
from shared.documents.experiment.reader import read_manifest
from shared.documents.reviewed.prices import PriceDocument
from shared.documents.run_lock import HarborLock, RunLock
from shared.errors import BadInput, Refused
from shared.ids import RunId
from shared.planning.inputs import BoundProfile, HarborDump, PlanInputs, ResolvedSource, SourceTask, TaskNeeds
from shared.planning.plan import Plan, plan

_AGENT_PATH: Final = re.compile(r"agents\[(\d+)\]\.?(.*)")
_UNKNOWN_WORDS: Final = "does not know"
_NO_AGENT_WORDS: Final = "has no agent"


@dataclass(frozen=True)
class World:
    """What planning may look at: sources, Harbor's parser, the reviewed prices and profiles."""

    sources: Sources
    check: HarnessCheck
    prices: PriceDocument
    profiles: Mapping[str, Mapping[str, Any]]
    serving_profiles: tuple[BoundProfile, ...] = ()
    agents: Mapping[str, AgentDefinition] = field(default_factory=discover)


@dataclass(frozen=True)
class PlannedRun:
    """A plan with what it was made from."""

    plan: Plan
    experiment: Experiment
    manifest_sha256: Digest
    source: SourceFolder
    inputs: PlanInputs
    """What was known of the world when it was made."""
    notes: tuple[str, ...]
    """What a person should know of it, beside the plan and in none of its digests."""


def plan_run(manifest: bytes, beside: Path, world: World) -> PlannedRun:
    """Return the plan of `manifest`, whose folder is `beside`; raise BadInput or Refused naming the field."""
    read = read_manifest(manifest, world.profiles)
    experiment = read.experiment
    source = world.sources.resolve(experiment.benchmark.source, beside)
    fragments = [agent.agent.given() for agent in experiment.matrix.agents]
    checked = world.check.check(fragments, experiment.harbor.job.given(), source.folder)
    _check_harbor(experiment, checked)
    if world.sources.resolve(experiment.benchmark.source, beside).lock != source.lock:
        way_out = "Let nothing write there, then plan again."
        raise Refused("SOURCE_CHANGED", "the source changed during planning.", field="benchmark.source", way_out=way_out)
    inputs = PlanInputs(
        ResolvedSource(source.lock, tuple(map(_task, checked.tasks))),
        HarborDump(tuple(_json(agent) for agent in checked.agents), _json(checked.job)),
        world.serving_profiles,
        read.profiles,
    )
    made = plan(experiment, inputs, world.prices)
    check_agents(experiment, made.head, world.agents)
    check_solutions(made.head, {task.name for task in checked.tasks if not task.needs.has_solution})
    check_variables(made.head, {task.name: task.needs.variables for task in checked.tasks})
    return PlannedRun(made, experiment, read.sha256, source, inputs, plan_notes(made.head, checked))


def keep_source(planned: PlannedRun, beside: Path, sources: Sources) -> SourceFolder:
    """Store the source of `planned` for its waves; raise Refused `SOURCE_DRIFT` if it is not what was planned."""
    kept = sources.keep(planned.experiment.benchmark.source, beside)
    if kept.lock != planned.source.lock:
        message = "the source is no longer what was planned."
        raise Refused("SOURCE_DRIFT", message, field="benchmark.source", way_out="Plan again and review the difference.")
    return kept


def lock_run(planned: PlannedRun, run_id: RunId, build: Digest, requested_by: str, submitted_at: str) -> RunLock:
    """Return the lock of one submission of `planned`; `build` is what the waves start from, pinned or measured."""
    pinned = planned.plan.head.runtime.build
    if pinned is not None and pinned != build:
        message = f"the manifest pins another build than {build}."
        raise Refused("BUILD_DRIFT", message, field="runtime.build", way_out="Submit from the pinned build, or pin this one.")
    head = planned.plan.head
    return RunLock(
        run_id=run_id,
        plan_digest=planned.plan.digest,
        manifest_sha256=planned.manifest_sha256,
        source_lock_sha256=head.benchmark.source_lock_sha256,
        prices_sha256=head.prices_sha256,
        build=build,
        harbor=HarborLock(version=head.harbor.version, lock_sha256=head.harbor.lock_sha256),
        requested_by=requested_by,
        submitted_at=submitted_at,
    )


def _check_harbor(experiment: Experiment, checked: HarnessCheckResult) -> None:
    for name, pinned, found in (
        ("version", experiment.harbor.version, checked.harbor),
        ("lock_sha256", experiment.harbor.lock_sha256, checked.lock_sha256),
    ):
        if pinned != found:
            way_out = "Run harness install, or pin what is installed."
            raise Refused("HARNESS_MISMATCH", f"the installed Harbor has {found}.", field=f"harbor.{name}", way_out=way_out)
    if checked.problems:
        raise _refusal(checked.problems[0])


def _refusal(problem: FieldProblem) -> BadInput:
    """Return Harbor's own complaint, at the place of the manifest that it is about."""
    matched = _AGENT_PATH.fullmatch(problem.path)
    if matched is not None:
        place = f"matrix.agents[{matched[1]}].agent" + (f".{matched[2]}" if matched[2] else "")
    elif problem.path.startswith("job"):
        place = f"harbor.{problem.path}"
    else:
        message = f"Harbor cannot read {problem.path}/task.toml or what it names: {problem.problem[:300]}"
        way_out = "Correct the task, or leave it out by removing its folder from the source."
        return BadInput("TASK_INVALID", message, field="benchmark.source", way_out=way_out)
    if _NO_AGENT_WORDS in problem.problem:
        return BadInput("AGENT_UNKNOWN", problem.problem, field=place, way_out="Harbor's documentation lists its agents.")
    code = "MANIFEST_UNKNOWN_FIELD" if _UNKNOWN_WORDS in problem.problem else "MANIFEST_VALUE"
    return BadInput(code, f"{problem.problem[:300]}.", field=place, way_out="See Harbor's own documentation of the field.")


def _task(task: CheckedTask) -> SourceTask:
    needs = task.needs
    return SourceTask(
        task.name,
        task.path,
        task.digest,
        TaskNeeds(
            docker_image=needs.docker_image,
            gpus=needs.gpus,
            has_compose=needs.has_compose,
            network=needs.network,
            agent_seconds=needs.agent_seconds,
            verifier_seconds=needs.verifier_seconds,
            local_obstacles=needs.unsupported,
        ),
    )


def _json(value: Mapping[str, Any]) -> dict[str, JsonValue]:
    """Return `value` as plain JSON, refusing what has no canonical form before it can reach a digest."""
    canonical_json(value)
    return dict(value)
