"""A phone and a keyboard: what the first screen at 390 pixels holds, where the navigation goes on, a visit without a mouse."""

import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from benchmarks.synthetic import synthetic_run
from benchmarks.synthetic_results import write_results
from tests.space.browser import Visitor
from tests.space.served import serving, settings_for
from tests.space.works import FIRST, made_run

pytestmark = pytest.mark.browser
LONG = "a-rather-long-organisation/Quite-Long-Model-135M-Instruct"


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the app over thirty cells."""
    root = tmp_path_factory.mktemp("many")
    write_results(root, [synthetic_run(1, cells=30, tasks=4, repeats=1)])
    yield from serving(settings_for(root))


@pytest.fixture(scope="module")
def long_names(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the app over two cells, one of them of a model with a long name."""
    root = tmp_path_factory.mktemp("long")
    write_results(root, [made_run(1, (FIRST[0]._replace(model=LONG), FIRST[2]))])
    yield from serving(settings_for(root))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_first_screen_of_a_phone_holds_what_one_chooses_by(browser: Browser, long_names: str, theme: str) -> None:
    """Name, rank, score, interval and cost of the first cell, a long name too; nothing is wider than the screen."""
    window = Visitor(browser, long_names, width=390, theme=theme)
    page = window.open("/")
    row = page.locator("table.leaderboard tbody tr", has_text="Quite-Long-Model-135M-Instruct")
    for part in (".subject-first", ".score-number", ".score-band", ".interval", ".narrow-only"):
        expect(row.locator(part)).to_be_in_viewport(ratio=1)
    expect(row.locator(".narrow-only")).to_have_text(re.compile(r"^\$\d.* per trial$"))
    expect(row.locator("td").first).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert (row.locator(".subject").bounding_box() or {"width": 0})["width"] >= 140
    owner, name = row.locator(".owner").bounding_box(), row.locator(".subject-first").bounding_box()
    assert owner is not None
    assert name is not None
    assert name["height"] > owner["height"]
    window.close()
    assert window.problems == []


def test_the_cost_stands_once_where_there_is_room(browser: Browser, long_names: str) -> None:
    """On a wide screen it has its own column and is not said again below the name."""
    window = Visitor(browser, long_names)
    page = window.open("/")
    expect(page.locator(".narrow-only").first).to_be_hidden()
    window.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_navigation_shows_that_it_goes_on(browser: Browser, long_names: str, theme: str) -> None:
    """A mark stands at its edge while there is more to that side, and not at its end; the current page is in view."""
    window = Visitor(browser, long_names, width=390, theme=theme)
    page = window.open("/")
    nav = page.locator(".top nav")
    assert nav.evaluate("node => node.scrollWidth > node.clientWidth")
    ground = color_at(page, 2, 2)
    assert edge_of(page) != ground
    assert edge_of(page, is_left=True) == ground
    nav.evaluate("node => { node.scrollLeft = node.scrollWidth; }")
    assert edge_of(page) == ground
    assert edge_of(page, is_left=True) != ground
    page = window.open("/about")
    expect(page.locator(".top nav a", has_text="About")).to_be_in_viewport(ratio=1)
    window.close()
    assert window.problems == []


def test_the_drawing_of_costs_is_whole_on_a_phone(browser: Browser, works_server: str) -> None:
    """Every point lies in the window, and its letters are as large as a text's; a wide window shows the other drawing alone."""
    window = Visitor(browser, works_server, width=390)
    page = window.open("/cost")
    drawing = page.locator("svg.pareto:visible")
    expect(drawing).to_have_count(1)
    for point in drawing.locator("circle.point").all():
        box = point.bounding_box()
        assert box is not None
        assert 0 < box["x"] < box["x"] + box["width"] < 390
    assert drawing.get_by_text(re.compile(r"^\$0")).count() > 1
    size = drawing.evaluate("node => node.getBoundingClientRect().width / node.viewBox.baseVal.width")
    assert 0.95 < size < 1.1
    window.close()
    wide = Visitor(browser, works_server).open("/cost")
    assert wide.locator("svg.pareto:visible").get_attribute("viewBox") == "0 0 920 380"


def test_two_cells_stand_beside_each_other_on_a_phone(browser: Browser, long_names: str) -> None:
    """Both scores are in the window without a move sideways."""
    window = Visitor(browser, long_names, width=390)
    boxes = window.open("/").locator("input[name=cells]").all()
    page = window.open(f"/compare?cells={','.join(box.get_attribute('value') or '' for box in boxes)}")
    scores = page.locator("table.beside").first.locator(".score-number")
    expect(scores).to_have_count(2)
    for score in scores.all():
        expect(score).to_be_in_viewport(ratio=1)
        box = score.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] < 374
    window.close()


def test_a_name_in_the_grid_is_not_broken_into_letters(browser: Browser, works_server: str) -> None:
    """The first column of a phone's grid is as wide as a name of a model."""
    window = Visitor(browser, works_server, width=390)
    box = window.open("/grid").locator("table.grid tbody th").first.bounding_box()
    assert box is not None
    assert box["width"] >= 112
    window.close()


def test_a_whole_visit_by_keyboard_alone(browser: Browser, many: str, tmp_path: Path) -> None:
    """Tab and Enter alone: sort, next page, export, filter, open a cell."""
    window = Visitor(browser, many)
    page = window.open("/?per_page=25")
    enter(page, "thead th a", "Cost per trial")
    page.wait_for_url(re.compile("sort=cost"))
    page.wait_for_selector("th[aria-sort=ascending]")
    enter(page, ".paging a", "Next")
    page.wait_for_url(re.compile("page=2"))
    expect(page.locator(".paging .here")).to_have_text("Page 2 of 2")
    enter(page, "details.files summary", "Files")
    with page.expect_download() as waiting:
        enter(page, "details.files a", "CSV")
    waiting.value.save_as(tmp_path / "list.csv")
    lines = (tmp_path / "list.csv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 31
    assert "cost_per_trial_usd_micros" in lines[0].split(",")
    tab_to(page, "input[name=q]", "")
    page.keyboard.type("model-1")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("q=model-1"))
    page.wait_for_selector("a.clear")
    enter(page, "a.subject", "model-1")
    page.wait_for_url(re.compile("/cell"))
    expect(page.locator("h1")).to_contain_text("model-1")
    window.close()
    assert window.problems == []


def edge_of(page: Page, *, is_left: bool = False) -> tuple[int, ...]:
    """Return the colour at an edge of the navigation, above its words."""
    box = page.locator(".top nav").bounding_box()
    assert box is not None
    return color_at(page, box["x"] + (2 if is_left else box["width"] - 2), box["y"] + 3)


def color_at(page: Page, x: float, y: float) -> tuple[int, ...]:
    """Return the colour that a visitor sees at a place of the window."""
    with Image.open(io.BytesIO(page.screenshot())) as picture:
        return tuple(picture.convert("RGB").getpixel((round(x), round(y))))  # type: ignore[arg-type]


def enter(page: Page, selector: str, text: str) -> None:
    """Press Tab until the element that `selector` and `text` name has the focus, then Enter."""
    tab_to(page, selector, text)
    page.keyboard.press("Enter")


def tab_to(page: Page, selector: str, text: str) -> None:
    """Press Tab until the element that `selector` and `text` name has the focus; whoever cannot get there fails."""
    page.wait_for_selector("#content h1")
    for _ in range(400):
        page.keyboard.press("Tab")
        said = (
            "([selector, text]) => document.activeElement.matches(selector) && document.activeElement.textContent.includes(text)"
        )
        if page.evaluate(said, [selector, text]):
            outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            assert outline != "none", f"{selector} {text} has the focus and does not show it"
            return
    raise AssertionError(f"no way by Tab to {selector} {text}")
