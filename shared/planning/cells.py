"""What a cell is: the digests that decide which results are the same measurement and which may be ranked together.

`benchmark_digest` covers source lock, selection, scoring and what Harbor's job says beyond sandbox and agent setup. The
**edition** adds the tasks' digests, repeats, time limit, agent setup multiplier and sandbox: only cells of one edition are ranked
together. The **cell digest** adds model, deployment, agent, Harbor's lock and the cost ceiling of a trial: whatever can change an
outcome. Ids, labels, prices, estimates and concurrency are in none of them.
"""

import math
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from shared.digests import Digest, canonical_float, digest_of
from shared.documents.experiment.experiment import Experiment
from shared.documents.experiment.harbor import SANDBOX_DEFAULTS
from shared.documents.experiment.matrix import NO_MODEL, Agent, Model
from shared.documents.plan import (
    PlannedAgent,
    PlannedBenchmark,
    PlannedCell,
    PlannedHarbor,
    PlannedModel,
    PlannedSandbox,
)
from shared.errors import BadInput, Refused
from shared.planning.deployments import deployment_digest, deployment_spec_digest, model_identity, specification_of
from shared.planning.inputs import BoundProfile, PlanInputs, SourceTask
from shared.planning.matrix import Point, expand_matrix

_MULTIPLIER = "agent_setup_timeout_multiplier"


@dataclass(frozen=True)
class Setting:
    """What all cells of one experiment share."""

    benchmark: PlannedBenchmark
    harbor: PlannedHarbor
    sandbox: PlannedSandbox
    trial_seconds: int
    repeats: int
    max_trial_spend_usd_micros: int | None

    def edition(self) -> Digest:
        """Return the digest of what cells must share to be ranked together."""
        return digest_of({
            "benchmark_digest": self.benchmark.benchmark_digest,
            "tasks_sha256": self.benchmark.tasks_sha256,
            "repeats": self.repeats,
            "primary_reward": self.benchmark.primary_reward,
            "pass_threshold": self.benchmark.pass_threshold,
            "trial_seconds": self.trial_seconds,
            "agent_setup_multiplier": self.harbor.agent_setup_multiplier,
            "sandbox": self.sandbox.model_dump(mode="json"),
        })  # fmt: skip

    def cell_digest(self, model: PlannedModel, deployment: Digest, agent: PlannedAgent) -> Digest:
        """Return the digest of everything that can change an outcome of one cell."""
        return digest_of({
            "edition": self.edition(),
            "model": model_identity(model),
            "deployment": deployment,
            "agent": {"revision": agent.revision, "revision_kind": agent.revision_kind, "agent": agent.agent},
            "harbor": {"version": self.harbor.version, "lock_sha256": self.harbor.lock_sha256},
            "max_trial_spend_usd_micros": self.max_trial_spend_usd_micros,
        })  # fmt: skip


def tasks_sha256(tasks: tuple[SourceTask, ...]) -> Digest:
    """Return the digest of the map from task name to task digest, the same for any kind of source."""
    return digest_of({task.name: task.digest for task in tasks})


def plan_benchmark(experiment: Experiment, inputs: PlanInputs, tasks: tuple[SourceTask, ...]) -> PlannedBenchmark:
    """Return benchmark and scoring with their digests; raise Refused `SOURCE_DRIFT` if the manifest pins other tasks."""
    asked, lock, found = experiment.benchmark, inputs.source.lock, tasks_sha256(tasks)
    if asked.tasks_sha256 is not None and asked.tasks_sha256 != found:
        message = f"the selected tasks have the digest {found}."
        raise Refused("SOURCE_DRIFT", message, field="benchmark.tasks_sha256", way_out="Review the tasks, then pin this digest.")
    scoring: dict[str, JsonValue] = {
        "primary_reward": asked.primary_reward,
        "reward_range": list(asked.reward_range),
        "pass_threshold": asked.pass_threshold,
    }
    covered: dict[str, JsonValue] = {
        "name": asked.name,
        "source_lock": lock,
        "selection": [task.name for task in tasks],
        "scoring": scoring,
        "job": _rest_of_job(inputs.harbor.job),
    }
    return PlannedBenchmark(
        name=asked.name,
        benchmark_digest=digest_of(covered),
        tasks_sha256=found,
        source_lock=lock,
        source_lock_sha256=digest_of(lock),
        primary_reward=asked.primary_reward,
        reward_range=asked.reward_range,
        pass_threshold=asked.pass_threshold,
        eval_task_id=asked.eval_task_id,
    )


def plan_setting(experiment: Experiment, inputs: PlanInputs, tasks: tuple[SourceTask, ...]) -> Setting:
    """Return what all cells of `experiment` share."""
    environment = experiment.harbor.job.environment
    policy = experiment.policy
    return Setting(
        benchmark=plan_benchmark(experiment, inputs, tasks),
        harbor=PlannedHarbor(
            version=experiment.harbor.version,
            lock_sha256=Digest(experiment.harbor.lock_sha256),
            job=_without_defaults(inputs.harbor.job, environment.sandbox_kind),
            agent_setup_multiplier=canonical_float(experiment.harbor.job.agent_setup_timeout_multiplier or 1.0),
        ),
        sandbox=PlannedSandbox(kind=_kind(environment.sandbox_kind), settings=environment.sandbox_settings()),
        trial_seconds=policy.trial_seconds,
        repeats=policy.repeats,
        max_trial_spend_usd_micros=policy.max_trial_spend_usd_micros,
    )


def plan_models(experiment: Experiment) -> tuple[PlannedModel, ...]:
    """Return the listed models and the model `none`, by id."""
    nothing = PlannedModel(id=NO_MODEL, repo=NO_MODEL, revision=NO_MODEL, weights_format=NO_MODEL, quantization=None)
    return tuple(sorted([nothing, *map(_planned_model, experiment.matrix.models)], key=lambda model: model.id))


def plan_agents(experiment: Experiment, inputs: PlanInputs) -> tuple[PlannedAgent, ...]:
    """Return the agents by id, each with Harbor's dump of its fragment; raise BadInput where a revision names another Harbor."""
    agents = zip(experiment.matrix.agents, inputs.harbor.agents, strict=True)
    planned = [_planned_agent(index, agent, dump, experiment.harbor.version) for index, (agent, dump) in enumerate(agents)]
    return tuple(sorted(planned, key=lambda agent: agent.id))


def plan_cells(
    experiment: Experiment,
    inputs: PlanInputs,
    setting: Setting,
    models: tuple[PlannedModel, ...],
    agents: tuple[PlannedAgent, ...],
) -> tuple[PlannedCell, ...]:
    """Return the cells by cell digest; raise BadInput `MATRIX_DUPLICATE_CELL` where two points are one measurement."""
    parts = _Parts(
        {model.id: model for model in models},
        {deployment.id: specification_of(deployment) for deployment in experiment.matrix.deployments},
        {agent.id: agent for agent in agents},
    )
    cells: dict[str, PlannedCell] = {}
    for point in expand_matrix(experiment.matrix):
        cell = _planned_cell(point, parts, experiment, inputs, setting)
        twin = cells.setdefault(cell.cell_digest, cell)
        if twin is not cell:
            other = f"{twin.model_id} x {twin.deployment_id} x {twin.agent_id}"
            message = f"{point.model} x {point.deployment} x {point.agent} is the same measurement as {other}."
            raise BadInput(
                "MATRIX_DUPLICATE_CELL", message, field="matrix", way_out="Drop one; repeats are set by policy.repeats."
            )
    return tuple(cells[digest] for digest in sorted(cells))


@dataclass(frozen=True)
class _Parts:
    models: dict[str, PlannedModel]
    deployments: dict[str, dict[str, JsonValue]]
    agents: dict[str, PlannedAgent]


def _planned_cell(point: Point, parts: _Parts, experiment: Experiment, inputs: PlanInputs, setting: Setting) -> PlannedCell:
    model, specification, agent = parts.models[point.model], parts.deployments[point.deployment], parts.agents[point.agent]
    identity = deployment_digest(specification, model)
    profile = _bound_profile(identity, point, specification, experiment, inputs)
    concurrency = [experiment.policy.concurrent_trials, *_whole(specification.get("request_concurrency"))]
    if profile is not None:
        concurrency.append(profile.concurrency)
    return PlannedCell(
        cell_digest=setting.cell_digest(model, identity, agent),
        edition=setting.edition(),
        model_id=point.model,
        deployment_id=point.deployment,
        deployment_digest=identity,
        deployment_spec_digest=deployment_spec_digest(specification, model),
        agent_id=point.agent,
        concurrency=min(concurrency),
        serving_profile_sha256=profile.sha256 if profile is not None else None,
    )


def _bound_profile(
    identity: Digest, point: Point, specification: dict[str, JsonValue], experiment: Experiment, inputs: PlanInputs
) -> BoundProfile | None:
    known = {profile.sha256: profile for profile in inputs.serving_profiles}
    for index, sha256 in enumerate(experiment.policy.serving_profiles):
        field = f"policy.serving_profiles[{index}]"
        if (profile := known.get(Digest(sha256))) is None:
            raise Refused("PROFILE_MISMATCH", "no such serving profile was selected.", field=field, way_out="Run profile select.")
        if profile.deployment_digest == identity:
            return profile
    if specification["kind"] == "endpoint" and experiment.publishing.role == "final":
        message = f"the endpoint {point.deployment!r} has no serving profile for this model, which role final requires."
        way_out = "Run profile plan and profile run, or use role diagnostic."
        raise Refused("PROFILE_MISMATCH", message, field="policy.serving_profiles", way_out=way_out)
    return None


def _planned_model(model: Model) -> PlannedModel:
    scheme = model.weights.quantization
    quantization = f"{scheme.method}/{scheme.scheme}" if scheme is not None else None
    return PlannedModel(
        id=model.id, repo=model.repo, revision=model.revision, weights_format=model.weights.format, quantization=quantization
    )


def _planned_agent(index: int, agent: Agent, dump: dict[str, JsonValue], harbor: str) -> PlannedAgent:
    if agent.revision_kind == "harbor" and agent.revision != harbor:
        field = f"matrix.agents[{index}].revision"
        message = f"the pinned Harbor is {harbor}."
        raise BadInput("MANIFEST_VALUE", message, field=field, way_out="Write that version; the agent is part of it.")
    return PlannedAgent(id=agent.id, revision=agent.revision, revision_kind=agent.revision_kind, agent=dump)


def _rest_of_job(job: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Return Harbor's dump of the job without what the edition names by itself: the sandbox and the agent's setup multiplier."""
    rest = {name: value for name, value in job.items() if name != _MULTIPLIER and not _is_neutral(name, value)}
    environment = _environment(rest)
    rest["environment"] = {name: value for name, value in environment.items() if name not in {"import_path", "kwargs"}}
    return rest


def _without_defaults(job: dict[str, JsonValue], kind: str) -> dict[str, JsonValue]:
    """Return the dump without what says the same as leaving it out: multipliers of 1 and the sandbox's own defaults."""
    kept = {name: value for name, value in job.items() if not _is_neutral(name, value)}
    environment = _environment(kept)
    settings = environment.pop("kwargs", {})
    assert isinstance(settings, dict)
    changed = {name: value for name, value in settings.items() if value != SANDBOX_DEFAULTS[kind][name]}
    return {**kept, "environment": {**environment, **({"kwargs": changed} if changed else {})}}


def _environment(job: dict[str, JsonValue]) -> dict[str, JsonValue]:
    environment = job.get("environment", {})
    assert isinstance(environment, dict)
    return dict(environment)


def _is_neutral(name: str, value: JsonValue) -> bool:
    """Tell whether a multiplier multiplies by 1, which is what leaving it out does."""
    return (
        name.endswith("_timeout_multiplier") and isinstance(value, int | float) and math.isclose(value, 1.0, rel_tol=0, abs_tol=0)
    )


def _kind(kind: str) -> Literal["hf", "local"]:
    return "hf" if kind == "hf" else "local"


def _whole(value: JsonValue) -> list[int]:
    return [value] if isinstance(value, int) else []
