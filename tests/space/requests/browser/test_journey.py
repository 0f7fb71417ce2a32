"""One request in a real browser, from the form to its withdrawn row: every step on the page, over the results it publishes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.doubles.oidc import OidcDouble
from tests.space.browser import barriers
from tests.space.requests.test_failures import one_fails
from tests.space.requests.visits import House, form_served
from tests.space.served import settings_for

pytestmark = pytest.mark.browser


@pytest.fixture
def app(house: House, certificate: Path) -> Iterator[tuple[str, Any]]:
    """The address of a Space over what the installation publishes, and its app."""
    results = house.place.house.settings.results
    results.mkdir(exist_ok=True)
    with form_served(house, certificate, settings_for(results)) as space:
        yield space


class Journey:
    """A browser window on the Space, and the installation that works behind it."""

    def __init__(self, page: Page, house: House, app: tuple[str, Any]) -> None:
        self.page, self._house = page, house
        self.space, self._app = app

    def open(self, path: str) -> str:
        """Open a page without a barrier; return its text."""
        self.page.goto(self.space + path)
        self.page.wait_for_selector("#content h1", timeout=30_000)
        assert barriers(self.page) == []
        return self.page.inner_text("#content")

    def press(self, name: str) -> None:
        """Press a button that leads to a page."""
        self.page.get_by_role("button", name=name).click()
        self.page.wait_for_selector("#content h1")

    def pass_time(self) -> None:
        """Let passes and jobs carry out what was asked, and the Space look at what is published."""
        self._house.place.settle()
        assert self._app.state.refresh.refresh().state == "ready"


def test_a_request_goes_from_the_form_to_a_withdrawn_row(
    house: House, provider: OidcDouble, browser: Browser, app: tuple[str, Any]
) -> None:
    """Form, preview, inbox, pass, finished run, own failures, consent, published row, withdrawn row."""
    house.place.script = one_fails
    window = browser.new_context(ignore_https_errors=True, viewport={"width": 1280, "height": 900})
    journey = Journey(window.new_page(), house, app)
    provider.next_user = "alice"
    journey.open("/request")
    journey.page.get_by_role("link", name="Sign in").click()
    journey.page.wait_for_selector("text=You are")
    journey.page.get_by_label("nop").uncheck()
    journey.press("Preview")
    assert "NEXT PASS" in journey.page.inner_text("#content").upper()
    journey.page.get_by_label("I have read").check()
    journey.press("Confirm")
    run_id = journey.page.url.partition("run_id=")[2]
    own = f"/request?run_id={run_id}"
    assert "Recorded" in journey.open(own)
    journey.pass_time()
    text = journey.open(own)
    assert "AgentTimeoutError" in text
    assert f"evidence fetch {run_id} --attempt att-" in text
    assert "oracle" not in journey.open("/")
    journey.open(own)
    journey.press("Publish these rows")
    journey.press("Confirm")
    journey.pass_time()
    assert "Published" in journey.open(own)
    board = journey.open("/")
    assert "oracle" in board
    assert "1 reference" in board
    journey.open(own)
    journey.page.get_by_label("Reason, published").fill("a wrong model")
    journey.press("Withdraw")
    journey.press("Confirm")
    journey.pass_time()
    assert "Withdrawn" in journey.open(own)
    board = journey.open("/")
    assert "None of these cells is ranked" in board
    assert "a wrong model" in board.partition("Listed, not ranked")[2]
    window.close()
