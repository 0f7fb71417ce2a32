"""Choosing in a real browser: no barrier, no overflow, and a comparison by keyboard alone."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.space.browser import LOOKS, Visitor, walk
from tests.space.listings.choosing.published_facts import one, read_facts

pytestmark = pytest.mark.browser


def addresses(root: Path) -> dict[str, str]:
    """Return an address of each page for choosing, with things on it."""
    facts = read_facts(root)
    names = [one(facts, name, "shell").row["cell_id"] for name in ("Coral-32B", "coral-7b")]
    names.append(one(facts, "Coral-32B", "shell", "provider").row["cell_id"])
    single = one(facts, "coral-7b", "shell", repeats=1).row["cell_id"]
    return {
        "leaderboard": "/",
        "models": "/model",
        "model": "/model?model=example/coral-7b",
        "agents": "/agent",
        "agent": "/agent?agent=shell",
        "grid": "/grid",
        "cost": "/cost",
        "pick": f"/compare?cells={single}",
        "compare": f"/compare?cells={','.join(sorted(names))}",
        "another edition": f"/compare?cells={','.join(sorted([names[0], single]))}",
        "cell": f"/cell?cell_id={names[1]}",
        "nothing": "/cost?max_cost=0",
    }


@pytest.mark.parametrize(("theme", "width"), LOOKS)
def test_no_serious_barrier_on_any_page(browser: Browser, works_server: str, works: Path, theme: str, width: int) -> None:
    """Axe finds nothing serious or critical, no page is wider than its window, nothing fails or leaves the site."""
    assert walk(browser, works_server, addresses(works), width=width, theme=theme) == []


def test_two_cells_are_compared_by_keyboard_alone(browser: Browser, works_server: str) -> None:
    """Space marks the boxes, Enter on the button opens the comparison; a point of the drawing opens its cell."""
    window = Visitor(browser, works_server)
    page = window.open("/")
    for model in ("example/Coral-32B", "example/kelp-1b"):
        page.get_by_label(f"Compare {model} with shell").first.focus()
        page.keyboard.press("Space")
    page.locator("form.comparing button").focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/compare\\?cells=cell-.*,cell-"))
    expect(page.locator("section.pair strong").first).to_contain_text("significantly better")
    page = window.open("/cost")
    page.locator(".pareto a").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/cell\\?cell_id="))
    window.close()
    assert window.problems == []


def test_whether_a_model_got_better_takes_two_clicks_from_anywhere(browser: Browser, works_server: str) -> None:
    """Leaderboard and its earlier runs; or Models and the model, whose page says it in words."""
    window = Visitor(browser, works_server)
    page = window.open("/about")
    page.locator("nav a", has_text="Leaderboard").first.click()
    page.locator("table.leaderboard a", has_text="1 earlier run").first.click()
    page.wait_for_url(re.compile("/cell\\?cell_id=.*#history"))
    expect(page.locator("#history")).to_be_in_viewport()
    page = window.open("/about")
    page.locator("nav a", has_text="Models").first.click()
    page.locator("table.rows a", has_text="coral-7b").first.click()
    said = "1 earlier run: 12 points higher than the one before; the tests do not tell them apart"
    expect(page.locator(".earlier").first).to_have_text(said)
    window.close()
    assert window.problems == []


def test_the_cost_limit_is_part_of_the_address(browser: Browser, works_server: str) -> None:
    """Typing a limit and Enter lists the cheaper cells; reload shows the same."""
    window = Visitor(browser, works_server)
    page = window.open("/")
    page.locator("input[name=max_cost]").focus()
    page.keyboard.type("0.01")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/\?max_cost=0\.01$"))
    page.wait_for_selector("#content h1")
    rows = page.locator("table.leaderboard").first.locator("tbody tr")
    shown = rows.count()
    assert 0 < shown < 6
    page.reload()
    page.wait_for_selector("#content h1")
    expect(rows).to_have_count(shown)
    expect(page.locator("input[name=max_cost]")).to_have_value("0.01")
    window.close()
    assert window.problems == []
