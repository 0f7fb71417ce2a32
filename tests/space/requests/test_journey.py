"""A member's request from the form to the leaderboard, over the page alone; passes and jobs in between are the installation's."""

from tests.space.requests.visits import House, said


def test_a_request_goes_from_the_form_to_a_published_row(house: House) -> None:
    """Form, inbox, pass, finished run, own failures, consent, published row, withdrawal."""
    alice = house.visitor("alice")
    assert "Ask for a run" in said(alice.get("/request"))
    run_id = alice.ask_run()
    assert [(each.kind, each.actor.user_id, each.subject.id) for each in house.waiting()] == [("submit", "alice", run_id)]
    assert "Recorded" in said(alice.get(f"/request?run_id={run_id}"))
    house.place.settle()
    page = said(alice.get(f"/request?run_id={run_id}"))
    assert "waiting for your decision" in page
    assert "What would become public" in page
    assert alice.ask("consent", run_id, decision="publish").status_code == 303
    house.place.settle()
    assert "Published" in said(alice.get(f"/request?run_id={run_id}"))
    assert alice.ask("withdraw", run_id, reason="a wrong model").status_code == 303
    house.place.settle()
    page = said(alice.get(f"/request?run_id={run_id}"))
    assert "Withdrawn" in page
    assert "a wrong model" in page
