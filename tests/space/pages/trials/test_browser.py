"""The pages about runs, tasks, failures, speed and trainings in a real browser, with what much trouble left on them."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.builders.troubles import BENCHMARK, DATASET, NEVER, TWICE
from tests.space.browser import LOOKS, Visitor, walk
from tests.space.publishing import all_rows

pytestmark = pytest.mark.browser


def addresses(root: Path) -> dict[str, str]:
    """Return an address of each page, with things on it."""
    run = all_rows(root, "runs", DATASET)[0]
    trial = next(row for row in all_rows(root, "trials", DATASET) if row["attempts"] > 1)
    return {
        "runs": "/run",
        "run": f"/run?run_id={run['run_id']}",
        "tasks": f"/tasks?benchmark={BENCHMARK}",
        "matrix": f"/matrix?benchmark={BENCHMARK}",
        "task": f"/task?benchmark={BENCHMARK}&task={TWICE}",
        "attempt": f"/attempt?cell_id={trial['cell_id']}&trial_id={trial['trial_id']}",
        "failures": f"/failures?benchmark={BENCHMARK}",
        "throughput": f"/throughput?benchmark={BENCHMARK}",
        "trainings": "/trainings",
        "releases": "/releases",
        "about": "/about",
    }


@pytest.mark.parametrize(("theme", "width"), LOOKS)
def test_no_serious_barrier_on_any_page(browser: Browser, troubled_server: str, troubles: Path, theme: str, width: int) -> None:
    """Axe finds nothing serious or critical, no page is wider than its window, nothing fails or leaves the site."""
    assert walk(browser, troubled_server, addresses(troubles), width=width, theme=theme) == []


def test_which_tasks_nobody_solves_takes_two_clicks_from_the_leaderboard(browser: Browser, troubled_server: str) -> None:
    """Tasks in the navigation, then the task's own name."""
    window = Visitor(browser, troubled_server)
    page = window.open("/")
    page.locator("nav a", has_text="Tasks").first.click()
    expect(page.locator("#content")).to_contain_text("Nobody solves: 1 of 12 tasks.")
    page.locator("#content p a", has_text=NEVER).click()
    expect(page.locator("h1")).to_have_text(NEVER)
    expect(page.locator("#content")).to_contain_text("never solved")
    window.close()
    assert window.problems == []


def test_a_failed_trial_leads_to_its_attempts_and_its_run(browser: Browser, troubled_server: str) -> None:
    """From the list of failures to the attempts in order, and on to the run."""
    window = Visitor(browser, troubled_server)
    page = window.open(f"/failures?benchmark={BENCHMARK}")
    page.locator("table.rows a", has_text="agent failed").first.click()
    expect(page.locator("#content")).to_contain_text("cost_ceiling")
    page.locator("dd a", has_text="run-").click()
    expect(page.locator("#content")).to_contain_text("one submission of one plan")
    window.close()
    assert window.problems == []


def test_an_anchor_of_about_is_in_view(browser: Browser, troubled_server: str) -> None:
    """Another page links to how the choice is made."""
    window = Visitor(browser, troubled_server)
    page = window.open("/about#choice")
    expect(page.locator("#choice")).to_be_in_viewport()
    window.close()
    assert window.problems == []
