"""The pages in a real browser: accessible, legible on a phone, usable by keyboard, without errors or foreign requests."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from benchmarks.synthetic import synthetic_run
from benchmarks.synthetic_results import write_results
from tests.space.browser import LOOKS, Visitor, walk
from tests.space.publishing import CATALOG, rows_of
from tests.space.served import serving, settings_for

pytestmark = pytest.mark.browser


@pytest.fixture
def visitor(browser: Browser, server: str) -> Iterator[Visitor]:
    """A window of 1,440 pixels; what goes wrong in it fails the test."""
    opened = Visitor(browser, server)
    yield opened
    opened.close()
    assert opened.problems == []


def addresses(root: Path) -> dict[str, str]:
    """Return an address of each page, with things on it."""
    cell = rows_of(root, "cells")[2]
    trial = next(row for row in rows_of(root, "trials") if row["cell_id"] == cell["cell_id"])
    return {
        "leaderboard": "/?benchmark=harbour-chores",
        "filtered": "/?benchmark=harbour-chores&models=example/kelp-1b",
        "empty": "/?benchmark=harbour-chores&q=zzz",
        "cell": f"/cell?cell_id={cell['cell_id']}",
        "withdrawn": f"/cell?cell_id={rows_of(root, 'catalog', CATALOG)[-1]['cell_id']}",
        "unknown": "/cell?cell_id=cell-none",
        "task": f"/task?benchmark=harbour-chores&task={trial['task_name']}",
        "attempt": f"/attempt?cell_id={cell['cell_id']}&trial_id={trial['trial_id']}",
        "about": "/about",
    }


PLACES = ["leaderboard", "filtered", "empty", "cell", "withdrawn", "unknown", "task", "attempt", "about"]


@pytest.mark.parametrize(("theme", "width"), LOOKS)
def test_no_serious_barrier_on_any_page(browser: Browser, server: str, published: Path, theme: str, width: int) -> None:
    """Axe finds nothing serious or critical, no page is wider than its window, nothing fails or leaves the site."""
    assert walk(browser, server, addresses(published), width=width, theme=theme) == []


def test_a_phone_shows_model_score_and_interval_at_once(browser: Browser, server: str) -> None:
    """At 390 pixels the first row's three facts stand in the first screen."""
    window = Visitor(browser, server, width=390)
    page = window.open("/?benchmark=harbour-chores")
    row = page.locator("table.leaderboard tbody tr").first
    for part in (".subject-first", ".score-number", ".score-band", ".interval"):
        expect(row.locator(part)).to_be_in_viewport(ratio=1)
    assert not page.locator("details.filters").get_attribute("open")
    window.close()


def test_sorting_filtering_and_opening_work_by_keyboard_alone(visitor: Visitor) -> None:
    """Tab and Enter reach a sort link, the search, and a cell."""
    page = visitor.open("/?benchmark=harbour-chores")
    page.locator("thead th a", has_text="Cost per trial").focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("sort=cost"))
    page.wait_for_selector("th[aria-sort=ascending]")
    page.locator("input[name=q]").focus()
    page.keyboard.type("coral-32b")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("q=coral-32b"))
    expect(page.locator("table.leaderboard tbody tr")).to_have_count(1)
    page.locator("table.leaderboard tbody a").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/cell"))
    expect(page.locator("h1")).to_contain_text("Coral-32B")


def test_the_first_tab_is_the_way_past_the_navigation(visitor: Visitor) -> None:
    """The skip link comes first and leads to the content."""
    page = visitor.open("/about")
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#content")).to_be_focused()


def test_reload_and_history_show_the_same_rows(visitor: Visitor) -> None:
    """The address is the whole state: reload, back and forward agree with it."""
    page = visitor.open("/?benchmark=harbour-chores&agents=shell")
    rows = page.locator("table.leaderboard tbody").first
    filtered = rows.inner_text()
    page.reload()
    expect(rows).to_have_text(filtered, use_inner_text=True)
    page.locator("a.clear").click()
    page.wait_for_url(lambda address: "agents" not in address)
    page.wait_for_selector("#content h1")
    page.go_back()
    page.wait_for_url(re.compile("agents=shell"))
    expect(rows).to_have_text(filtered, use_inner_text=True)


def test_a_long_list_is_paged_by_links(browser: Browser, tmp_path: Path) -> None:
    """Next and Previous lead through all cells, each on one page."""
    write_results(tmp_path, [synthetic_run(1, cells=30, tasks=4, repeats=1)])
    server = serving(settings_for(tmp_path))
    window = Visitor(browser, next(server))
    page = window.open("/?per_page=25")
    rows = page.locator("table.leaderboard").first.locator("tbody tr")
    seen = rows.locator("a.evidence").evaluate_all("nodes => nodes.map(node => node.href)")
    page.locator(".paging a", has_text="Next").click()
    page.wait_for_url(re.compile("page=2"))
    expect(page.locator(".paging .here")).to_have_text("Page 2 of 2")
    seen += rows.locator("a.evidence").evaluate_all("nodes => nodes.map(node => node.href)")
    assert len(set(seen)) == len(seen) > 25
    page.reload()
    expect(page.locator(".paging .here")).to_have_text("Page 2 of 2")
    page.locator(".paging a", has_text="Previous").click()
    expect(page.locator(".paging .here")).to_have_text("Page 1 of 2")
    window.close()
    server.close()  # type: ignore[attr-defined]
    assert window.problems == []


def test_choosing_models_filters_and_keeps_the_benchmark(visitor: Visitor) -> None:
    """The form's answer is the canonical address of the view."""
    page = visitor.open("/?benchmark=harbour-chores")
    page.locator("details.choice > summary", has_text="Models").click()
    page.locator("input[name=models][value='example/coral-7b']").check()
    page.locator("input[name=models][value='none']").check()
    page.locator(".filters button[type=submit]").click()
    page.wait_for_url(re.compile(r"/\?benchmark=harbour-chores&models=example%2Fcoral-7b,none$"))
    expect(page.locator("table.leaderboard").first.locator("tbody tr")).to_have_count(2)


def test_every_score_leads_to_a_filled_provenance_panel(visitor: Visitor, published: Path) -> None:
    """Each row's evidence link ends at a panel without an empty field, in view."""
    page = visitor.open("/?benchmark=harbour-chores")
    links = page.locator("a.evidence").evaluate_all("nodes => nodes.map(node => node.getAttribute('href'))")
    assert len(links) == len(rows_of(published, "cells"))
    for link in links:
        visitor.open(link)
        expect(page.locator("#provenance")).to_be_in_viewport()
        values = page.locator(".provenance dd").all_inner_texts()
        assert len(values) > 40
        assert all(value.strip() for value in values)
        assert "no evidence exists" in page.locator(".provenance .summary").inner_text()


def test_the_theme_of_an_embedding_page_stays(browser: Browser, server: str) -> None:
    """`__theme=dark` is kept from page to page."""
    window = Visitor(browser, server)
    page = window.open("/?benchmark=harbour-chores&__theme=dark")
    page.locator("nav a", has_text="About").click()
    page.wait_for_url(re.compile("/about.*__theme=dark"))
    window.close()
    assert window.problems == []
