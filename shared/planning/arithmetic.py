"""What a plan adds up to: counts, the longest wave, and cost, over all of its deployments.

A wave serves one deployment, so trials, waves, time and money are added up per deployment and then over all. Every refusal names
the field that would have to change.
"""

from dataclasses import dataclass

from shared.documents.experiment.deployment import Deployment
from shared.documents.experiment.experiment import Experiment
from shared.documents.plan import Arithmetic, PlannedCell, PlannedPolicy, PlannedSandbox
from shared.documents.reviewed.prices import PriceDocument
from shared.planning.cost import Cost, Work, check_budget, check_deployment_budget, cost_of, is_paid_by_token, rates_of
from shared.planning.deployments import specification_of
from shared.planning.feasibility import check_wave, startup_seconds


@dataclass(frozen=True)
class Bill:
    """What is added up: the experiment, what it resolved to, and the prices."""

    experiment: Experiment
    sandbox: PlannedSandbox
    policy: PlannedPolicy
    cells: tuple[PlannedCell, ...]
    tasks: int
    prices: PriceDocument

    @property
    def trials_per_cell(self) -> int:
        """How many trials each cell has."""
        return self.tasks * self.policy.repeats


def add_up(bill: Bill, shards: int) -> Arithmetic:
    """Return counts, time and cost; raise Refused where the plan cannot be carried out or paid for."""
    total, waves, longest = Cost(0, 0, 0), 0, 0
    for spec_digest in sorted({cell.deployment_spec_digest for cell in bill.cells}):
        work, cost = _of_deployment(bill, [cell for cell in bill.cells if cell.deployment_spec_digest == spec_digest])
        total = Cost(total.expected + cost.expected, total.worst + cost.worst, max(total.wave_ceiling, cost.wave_ceiling))
        waves, longest = waves + work.waves, max(longest, work.wave_seconds)
    check_budget(total, bill.experiment)
    return Arithmetic(
        cells=len(bill.cells),
        tasks=bill.tasks,
        trials=len(bill.cells) * bill.trials_per_cell,
        shards=shards,
        waves=waves,
        longest_wave_seconds=longest,
        expected_cost_usd_micros=total.expected,
        worst_cost_usd_micros=total.worst,
        wave_ceiling_usd_micros=total.wave_ceiling,
    )


def _of_deployment(bill: Bill, cells: list[PlannedCell]) -> tuple[Work, Cost]:
    """Return work and cost of the `cells` that share one deployment; the slowest of them bounds its waves."""
    slowest = min(cells, key=lambda cell: cell.concurrency)
    deployment, field = _deployment(bill.experiment, slowest.deployment_id)
    policy, timeout = bill.policy, bill.experiment.runtime.job.timeout_seconds
    trials = len(cells) * bill.trials_per_cell
    shards = len(cells) * -(-bill.trials_per_cell // policy.trials_per_shard)
    wave_trials = min(trials, policy.trials_per_shard * policy.shards_per_wave)
    seconds = check_wave(slowest, wave_trials, startup_seconds(specification_of(deployment)), policy, timeout)
    model = next((one.repo for one in bill.experiment.matrix.models if one.id == slowest.model_id), "")
    is_paid = is_paid_by_token(deployment, policy, bill.prices, model, field)
    work = Work(trials, -(-shards // policy.shards_per_wave), wave_trials, seconds, is_paid)
    cost = cost_of(work, deployment, policy, rates_of(deployment, bill.sandbox, bill.experiment, bill.prices, field))
    check_deployment_budget(cost, deployment, field)
    return work, cost


def _deployment(experiment: Experiment, name: str) -> tuple[Deployment, str]:
    found = ((one, f"matrix.deployments[{index}]") for index, one in enumerate(experiment.matrix.deployments) if one.id == name)
    return next(found)
