"""What a requester sees of the failures of their own run, before and after it is published, and nobody else."""

from typing import Any

import pytest

from runner.ports.compute.harness import AttemptOrder
from tests.builders.results import result_document
from tests.doubles.harness import by_agent
from tests.space.requests.visits import House, Visitor, said


def one_fails(order: AttemptOrder) -> dict[str, Any]:
    """Let the agent's time be over in task one, at a cost; the other task is solved."""
    if order.task_path.name != "one":
        return by_agent(order)
    agent = {"n_input_tokens": 10, "n_output_tokens": 5, "n_cache_tokens": 0, "cost_usd": 0.0125}
    return result_document(parts=3, rewards=None, exception="AgentTimeoutError", agent_result=agent)


@pytest.fixture
def alice(house: House) -> Visitor:
    """Alice, whose runs fail in one task."""
    house.place.script = one_fails
    return house.visitor("alice")


def test_a_failed_trial_is_told_in_full(house: House, alice: Visitor) -> None:
    """Totals by category first, then the trial with all that is known of it, and the command that copies its evidence."""
    run_id = alice.ask_run()
    house.place.settle()
    page = alice.get(f"/request?run_id={run_id}").text
    text = said(alice.get(f"/request?run_id={run_id}"))
    totals, first = (
        text.index("Trials without a score, by the category of their newest failure: agent 1"),
        text.index("org/one 1"),
    )
    assert totals < first < text.index("org/two 1 scored 1")
    line = text[first : text.index("org/two 1 scored 1")]
    attempt = next(each.attempt_id for each in house.status(run_id).trials if each.category)
    command = f"python -m runner evidence fetch {run_id} --attempt {attempt} --into {attempt}"
    assert line.strip() == f"org/one 1 agent failed 1 agent agent timeout agent AgentTimeoutError no - $0.0125 {command}"
    assert page.count("evidence fetch") == 1


def test_they_stay_to_be_seen_whatever_is_decided(house: House, alice: Visitor) -> None:
    """After publication as before it."""
    run_id = alice.ask_run()
    house.place.settle()
    assert alice.ask("consent", run_id, decision="publish").status_code == 303
    house.place.settle()
    text = said(alice.get(f"/request?run_id={run_id}"))
    assert "Published" in text
    assert "AgentTimeoutError no - $0.0125" in text


def test_nobody_else_sees_them(house: House, alice: Visitor) -> None:
    """A maintainer does; another member's page says the same as for a run that is not there."""
    run_id = alice.ask_run()
    house.place.settle()
    assert "AgentTimeoutError" in said(house.visitor("mia").get(f"/request?run_id={run_id}"))
    other, unknown = (house.visitor("bob").get(f"/request?run_id={each}") for each in (run_id, "run-" + "0" * 32))
    assert (other.status_code, unknown.status_code) == (404, 404)
    assert said(other) == said(unknown)


def test_a_run_without_failures_says_so(house: House) -> None:
    """And offers no command."""
    alice = house.visitor("alice")
    run_id = alice.ask_run()
    house.place.settle()
    answer = alice.get(f"/request?run_id={run_id}")
    assert "No trial has failed." in said(answer)
    assert "evidence fetch" not in answer.text
