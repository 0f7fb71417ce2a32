"""The plan: an experiment fully resolved, immutable, named by the digest of its head.

`plan` is pure: equal experiment, Harbor dumps, source and prices give an equal plan on every machine, whatever the order of
keys, lists and rules in the manifest. Called by the CLI, by the Space's preview, and again by the pass that takes a request,
which trusts no plan but its own.
"""

from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

from shared.digests import Digest
from shared.documents.experiment.experiment import Experiment
from shared.documents.plan import PlanHead, PlannedCell, PlannedDeployment, PlannedPolicy, PlannedTask, Shard
from shared.documents.reviewed.prices import PriceDocument
from shared.errors import BadInput
from shared.planning.arithmetic import Bill, add_up
from shared.planning.cells import plan_agents, plan_cells, plan_models, plan_setting
from shared.planning.deployments import specification_of
from shared.planning.feasibility import check_idle_bound, check_needs
from shared.planning.inputs import PlanInputs
from shared.planning.limits import MAX_SHARDS, MAX_TRIALS
from shared.planning.selection import select_tasks
from shared.planning.sharding import cut_shards, shard_line, shard_root


@dataclass(frozen=True)
class Plan:
    """A plan's head and its shards in order."""

    head: PlanHead
    shards: tuple[Shard, ...]

    @cached_property
    def digest(self) -> Digest:
        """The plan's identity: SHA-256 of the canonical head, which names the shard list by its digest."""
        return self.head.digest

    def head_bytes(self) -> bytes:
        """Return the bytes of plan.json."""
        return self.head.to_bytes()

    def shard_bytes(self) -> bytes:
        """Return the bytes of shards.jsonl."""
        return b"".join(shard_line(shard) + b"\n" for shard in self.shards)


def plan(experiment: Experiment, inputs: PlanInputs, prices: PriceDocument) -> Plan:
    """Return the plan of `experiment`; raise BadInput or Refused naming the field that stands in the way."""
    wanted = experiment.benchmark
    tasks = select_tasks(inputs.source.tasks, wanted.tasks, wanted.exclude_tasks)
    setting = plan_setting(experiment, inputs, tasks)
    policy = _policy(experiment)
    check_needs(tasks, setting.sandbox)
    check_idle_bound(tasks, setting.sandbox, policy)
    models, agents = plan_models(experiment), plan_agents(experiment, inputs)
    cells = plan_cells(experiment, inputs, setting, models, agents)
    _check_size(len(cells), len(tasks), policy)
    shards = cut_shards(
        [cell.cell_digest for cell in cells], [task.name for task in tasks], policy.repeats, policy.trials_per_shard
    )
    head = PlanHead(
        experiment=experiment.metadata.name,
        benchmark=setting.benchmark,
        tasks=tuple(PlannedTask(name=task.name, path=task.path, task_digest=task.digest) for task in tasks),
        models=tuple(model for model in models if model.id in {cell.model_id for cell in cells}),
        deployments=_deployments(experiment, cells),
        agents=tuple(agent for agent in agents if agent.id in {cell.agent_id for cell in cells}),
        cells=cells,
        harbor=setting.harbor,
        sandbox=setting.sandbox,
        policy=policy,
        evidence=experiment.evidence,
        publishing=experiment.publishing,
        runtime=experiment.runtime,
        prices_sha256=prices.digest,
        profiles=tuple(sorted(set(inputs.profiles))),
        arithmetic=add_up(Bill(experiment, setting.sandbox, policy, cells, len(tasks), prices), len(shards)),
        shards=shard_root(shards),
    )
    return Plan(head, tuple(shards))


def _policy(experiment: Experiment) -> PlannedPolicy:
    policy = experiment.policy
    return PlannedPolicy(
        repeats=policy.repeats,
        concurrent_trials=policy.concurrent_trials,
        trial_seconds=policy.trial_seconds,
        trials_per_shard=policy.trials_per_shard,
        shards_per_wave=policy.shards_per_wave,
        max_attempts=policy.max_attempts,
        wave_max_seconds=policy.wave.max_seconds,
        wave_reserve_seconds=policy.wave.reserve_seconds,
        estimate_trial_seconds=policy.estimate.trial_seconds,
        headroom_thousandths=int(Decimal(policy.estimate.headroom) * 1000),
        max_spend_usd_micros=policy.max_spend_usd_micros,
        max_trial_spend_usd_micros=policy.max_trial_spend_usd_micros,
    )


def _check_size(cells: int, tasks: int, policy: PlannedPolicy) -> None:
    trials = cells * tasks * policy.repeats
    if trials > MAX_TRIALS:
        message = f"{cells} cells x {tasks} tasks x {policy.repeats} repeats are {trials} trials, more than {MAX_TRIALS}."
        raise BadInput("PLAN_TOO_LARGE", message, field="policy.repeats", way_out="Split the experiment.")
    shards = cells * -(-tasks * policy.repeats // policy.trials_per_shard)
    if shards > MAX_SHARDS:
        message = f"{trials} trials make {shards} shards, more than {MAX_SHARDS}."
        raise BadInput("PLAN_TOO_LARGE", message, field="policy.trials_per_shard", way_out="Put more trials into a shard.")


def _deployments(experiment: Experiment, cells: tuple[PlannedCell, ...]) -> tuple[PlannedDeployment, ...]:
    used = {cell.deployment_id for cell in cells}
    chosen = sorted((one for one in experiment.matrix.deployments if one.id in used), key=lambda one: one.id)
    return tuple(PlannedDeployment(id=one.id, kind=one.kind, specification=_without_id(specification_of(one))) for one in chosen)


def _without_id(specification: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in specification.items() if name != "id"}
