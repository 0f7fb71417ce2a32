"""What a plan may cost, in micro-USD, each term rounded up: expected, worst case, and the ceiling that one wave reserves.

Expected: each trial once, at the estimate. Worst: every attempt of every trial used, each at its outer wall clock and, where
it is set, at max_trial_spend_usd_micros. What runs on this machine costs nothing; anything else without a row in the price
document is `PRICE_UNKNOWN`, never free.
"""

from typing import NamedTuple

from shared.documents.experiment.deployment import Deployment, Endpoint, Provider, Server
from shared.documents.experiment.experiment import Experiment
from shared.documents.experiment.policy import LOCAL
from shared.documents.plan import PlannedPolicy, PlannedSandbox
from shared.documents.reviewed.prices import PriceDocument
from shared.errors import BadInput, Refused
from shared.money import prorated

_HOUR = 3_600


class Work(NamedTuple):
    """The work of one pair of model and deployment: trials, waves, and the seconds and trials of its longest wave."""

    trials: int
    waves: int
    wave_trials: int
    wave_seconds: int
    is_paid_by_token: bool


class Cost(NamedTuple):
    """A cost in micro-USD: expected, at worst, and what one wave reserves."""

    expected: int
    worst: int
    wave_ceiling: int


class Rates(NamedTuple):
    """Micro-USD an hour for what a wave occupies, and for one sandbox."""

    wave_hour: int
    sandbox_hour: int


def cost_of(work: Work, deployment: Deployment, policy: PlannedPolicy, rates: Rates) -> Cost:
    """Return the cost of `work` on `deployment`."""
    attempts = work.trials * policy.max_attempts
    spend = (policy.max_trial_spend_usd_micros or 0) if work.is_paid_by_token else 0
    expected_wave = prorated(rates.wave_hour, work.wave_seconds, _HOUR) * work.waves
    bound_wave = prorated(rates.wave_hour, policy.wave_max_seconds, _HOUR)
    usual_sandbox = prorated(rates.sandbox_hour, policy.estimate_trial_seconds, _HOUR)
    longest_sandbox = prorated(rates.sandbox_hour, policy.trial_seconds, _HOUR)
    estimated = deployment.estimated_wave_cost_usd_micros * work.waves if isinstance(deployment, Provider) else 0
    return Cost(
        expected=expected_wave + usual_sandbox * work.trials + estimated,
        worst=bound_wave * work.waves * policy.max_attempts + (longest_sandbox + spend) * attempts,
        wave_ceiling=bound_wave + (longest_sandbox + spend) * work.wave_trials,
    )


def rates_of(deployment: Deployment, sandbox: PlannedSandbox, experiment: Experiment, prices: PriceDocument, field: str) -> Rates:
    """Return what a wave on `deployment` occupies an hour; raise Refused `PRICE_UNKNOWN` naming the missing row."""
    job, wave_hour, sandbox_hour = experiment.runtime.job, 0, 0
    if job.flavor != LOCAL:
        hour = prices.job_hour(job.flavor)
        wave_hour += _known(hour, f"job flavor {job.flavor}", "runtime.job.flavor")
    if isinstance(deployment, Endpoint):
        row = prices.endpoint_hour(deployment.vendor, deployment.region, deployment.hardware, deployment.accelerator_count)
        name = f"{deployment.vendor} {deployment.region} {deployment.hardware} x{deployment.accelerator_count}"
        wave_hour += deployment.replicas.max * _known(row, f"endpoint hardware {name}", f"{field}.hardware")
        watchdog = prices.job_hour("cpu-basic")
        wave_hour += _known(watchdog, "job flavor cpu-basic (the watchdog)", f"{field}.kind")
    if sandbox.kind != LOCAL:
        flavor = str(sandbox.settings["flavor"])
        sandbox_hour = _known(prices.sandbox_hour(flavor), f"sandbox flavor {flavor}", "harbor.job.environment.kwargs.flavor")
    return Rates(wave_hour, sandbox_hour)


def is_paid_by_token(deployment: Deployment, policy: PlannedPolicy, prices: PriceDocument, model: str, field: str) -> bool:
    """Tell whether attempts on `deployment` are paid by token; raise `CAP_MISSING` or `PRICE_UNKNOWN` for an unbounded provider.

    A configured server is paid by token only if the price document lists it; without a row it is this installation's own machine.
    """
    if isinstance(deployment, Server):
        return prices.token_price(deployment.server, model) is not None
    if not isinstance(deployment, Provider):
        return False
    if policy.max_trial_spend_usd_micros is None:
        way_out = "Set what one attempt may cost, in micro-USD."
        cap = "policy.max_trial_spend_usd_micros"
        raise BadInput("CAP_MISSING", "a provider deployment needs it.", field=cap, way_out=way_out)
    if prices.token_price(deployment.provider, model) is None:
        _known(None, f"tokens of {model} at {deployment.provider}", f"{field}.provider")
    return True


def check_deployment_budget(cost: Cost, deployment: Deployment, field: str) -> None:
    """Raise Refused `PLAN_OVER_BUDGET` if a provider is expected to cost more than its own ceiling."""
    if isinstance(deployment, Provider) and cost.expected > deployment.max_spend_usd_micros:
        message = f"the expected cost is {cost.expected} micro-USD, this deployment may cost {deployment.max_spend_usd_micros}."
        raise Refused("PLAN_OVER_BUDGET", message, field=f"{field}.max_spend_usd_micros", way_out="Raise it, or plan less work.")


def check_budget(total: Cost, experiment: Experiment) -> None:
    """Raise Refused `PLAN_OVER_BUDGET` if the expected cost, or the ceiling of one wave, is more than the run may cost."""
    cap = experiment.policy.max_spend_usd_micros
    for what, amount in (("the expected cost", total.expected), ("the ceiling of one wave", total.wave_ceiling)):
        if amount > cap:
            message = f"{what} is {amount} micro-USD, the run may cost {cap}."
            field = "policy.max_spend_usd_micros"
            raise Refused("PLAN_OVER_BUDGET", message, field=field, way_out="Raise it, or plan less work in a wave.")


def _known(price: int | None, what: str, field: str) -> int:
    if price is None:
        message = f"the price document has no row for {what}."
        raise Refused("PRICE_UNKNOWN", message, field=field, way_out="Have a reviewed price document with that row accepted.")
    return price
