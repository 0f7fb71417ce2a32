"""Tests of cost: integer micro-USD, rounded up per term, unknown never free."""

from typing import Any

import pytest

from shared.documents.reviewed.prices import PriceDocument, no_prices
from shared.errors import SeawallError
from shared.planning.inputs import SourceTask, TaskNeeds
from tests.builders.experiments import Tree, changed, good_tree, make_plan, small_tree, some_prices

HF = {"import_path": "runner.harness.environments.hf_sandbox:HfSandbox", "kwargs": {"job_timeout": 3600}}
HF_TASKS = tuple(SourceTask(f"t{n}", f"t{n}", "0", TaskNeeds("python:3.12")) for n in range(10))


def provider() -> Tree:
    tree = small_tree()
    tree["matrix"]["deployments"] = [good_tree()["matrix"]["deployments"][2]]
    return tree


def endpoint() -> Tree:
    tree = small_tree()
    tree["matrix"]["deployments"] = [good_tree()["matrix"]["deployments"][1]]
    return tree


def local() -> Tree:
    return changed(small_tree(), "runtime", {"job": {"flavor": "local", "timeout_seconds": 18_000}})


def costs(tree: Tree, **given: Any) -> tuple[int, int, int]:
    found = make_plan(tree, **given).head.arithmetic
    return found.expected_cost_usd_micros, found.worst_cost_usd_micros, found.wave_ceiling_usd_micros


def refusal(tree: Tree, **given: Any) -> tuple[str, str]:
    with pytest.raises(SeawallError) as caught:
        make_plan(tree, **given)
    assert caught.value.way_out
    return caught.value.code, caught.value.field


def without(field: str) -> PriceDocument:
    return some_prices().model_copy(update={field: ()})


def test_this_machine_costs_nothing() -> None:
    """A local job with a server of its own needs no price."""
    assert costs(changed(local(), "policy.max_spend_usd_micros", 0), prices=no_prices()) == (0, 0, 0)


def test_a_remote_job_costs_its_waves_rounded_up() -> None:
    """One wave of 975 s at 30,000 an hour; at worst three waves of 14,400 s."""
    assert costs(small_tree()) == (8_125, 3 * 120_000, 120_000)


def test_an_endpoint_costs_hardware_job_and_watchdog() -> None:
    """One wave of 1,575 s, startup included, at 800,000 + 30,000 + 10,000 an hour."""
    assert costs(endpoint())[0] == 367_500


def test_remote_sandboxes_cost_by_the_trial() -> None:
    """30 trials of 60 s at 10,000 an hour, each rounded up."""
    tree = changed(local(), "harbor.job.environment", HF)
    assert costs(tree, tasks=HF_TASKS) == (30 * 167, 90 * 1_667, 30 * 1_667)


def test_a_provider_costs_its_estimate_and_at_worst_every_ceiling() -> None:
    """Expected: the estimate a wave. Worst: 99 attempts at the ceiling."""
    tree = changed(provider(), "runtime", local()["runtime"])
    assert costs(tree) == (2_000_000, 99 * 100_000, 33 * 100_000)


@pytest.mark.parametrize(
    ("tree", "missing", "field"),
    [
        (small_tree(), "jobs", "runtime.job.flavor"),
        (endpoint(), "hardware", "matrix.deployments[0].hardware"),
        (provider(), "tokens", "matrix.deployments[0].provider"),
    ],
    ids=["job", "endpoint", "provider"],
)
def test_what_has_no_price_is_refused(tree: Tree, missing: str, field: str) -> None:
    """The missing row is named by the field that needs it."""
    assert refusal(tree, prices=without(missing)) == ("PRICE_UNKNOWN", field)


def test_a_sandbox_without_a_price_is_refused() -> None:
    """Remote sandboxes are paid for too."""
    tree = changed(small_tree(), "harbor.job.environment", HF)
    found = refusal(tree, tasks=HF_TASKS, prices=without("sandboxes"))
    assert found == ("PRICE_UNKNOWN", "harbor.job.environment.kwargs.flavor")


def test_a_provider_without_a_ceiling_a_trial_is_refused() -> None:
    """An attempt paid by token must be bounded."""
    assert refusal(changed(provider(), "policy.max_trial_spend_usd_micros", None)) == (
        "CAP_MISSING",
        "policy.max_trial_spend_usd_micros",
    )


def test_a_server_with_a_token_price_counts_like_a_provider() -> None:
    """A configured server is free only as long as no price is known for it."""
    row = some_prices().tokens[0].model_copy(update={"provider": "laboratory"})
    prices = some_prices().model_copy(update={"tokens": (row,)})
    assert costs(local())[2] == 0
    assert costs(local(), prices=prices)[2] == 33 * 100_000


def test_the_expected_cost_may_be_the_budget_and_no_more() -> None:
    """The bound is exact."""
    tree = changed(small_tree(), "policy.max_spend_usd_micros", 120_000)
    make_plan(tree)
    assert refusal(changed(tree, "policy.max_spend_usd_micros", 119_999))[0] == "PLAN_OVER_BUDGET"


def test_a_providers_own_ceiling_binds() -> None:
    """A deployment may not be expected to cost more than it may."""
    tree = changed(provider(), "matrix.deployments.0.max_spend_usd_micros", 2_000_000)
    assert refusal(tree) == ("PLAN_OVER_BUDGET", "matrix.deployments[0].max_spend_usd_micros")


def test_another_price_document_is_another_plan_of_equal_cells() -> None:
    """Prices are in the plan digest and in no cell digest."""
    one, other = make_plan(small_tree()), make_plan(small_tree(), prices=some_prices().model_copy(update={"name": "later"}))
    assert one.digest != other.digest
    assert one.head.cells == other.head.cells
