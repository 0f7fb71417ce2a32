"""The request form in a real browser over TLS: sign in, preview, confirm, follow; twice, in two tabs, signed out, removed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from space.config import SAMPLE
from tests.doubles.oidc import OidcDouble
from tests.space.browser import barriers
from tests.space.requests.visits import House, form_served
from tests.space.served import settings_for

pytestmark = pytest.mark.browser
_SEND_AGAIN: Final = """async (form) => {
  const answer = await fetch("/request/confirm", {method: "POST", body: new URLSearchParams(form)});
  return answer.url;
}"""


@pytest.fixture
def space(house: House, certificate: Path) -> Iterator[str]:
    """The address of the whole Space, whose sessions and tickets end by the installation's clock."""
    with form_served(house, certificate, settings_for(SAMPLE, is_sample=True)) as (address, _):
        yield address


@pytest.fixture
def window(browser: Browser) -> Iterator[BrowserContext]:
    """One browser window that trusts the loopback certificate."""
    context = browser.new_context(ignore_https_errors=True, viewport={"width": 1280, "height": 900})
    yield context
    context.close()


def sign_in(page: Page, space: str, provider: OidcDouble, user: str = "alice") -> None:
    """Sign in by the page's link."""
    provider.next_user = user
    page.goto(f"{space}/request")
    page.get_by_role("link", name="Sign in").click()
    page.wait_for_selector("text=You are")


def preview(page: Page, space: str) -> None:
    """Fill the form and look at its preview."""
    page.goto(f"{space}/request")
    page.get_by_label("nop").uncheck()
    page.get_by_role("button", name="Preview").click()
    page.wait_for_selector("text=Plan digest")


def confirm(page: Page) -> None:
    """Say that it was read, and confirm."""
    page.get_by_label("I have read").check()
    page.get_by_role("button", name="Confirm").click()
    page.wait_for_selector("#content h1")


def test_from_the_navigation_to_the_published_rows(
    house: House, space: str, provider: OidcDouble, window: BrowserContext
) -> None:
    """The whole way, with no console error and no request to anywhere but here and the provider."""
    problems: list[str] = []
    page = window.new_page()
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on(
        "request", lambda request: None if request.url.startswith((space, provider.address)) else problems.append(request.url)
    )
    page.goto(space)
    page.wait_for_selector("#content h1", timeout=30_000)
    page.get_by_role("link", name="Request", exact=True).click()
    assert barriers(page) == []
    sign_in(page, space, provider)
    assert barriers(page) == []
    preview(page, space)
    assert barriers(page) == []
    confirm(page)
    assert "Recorded" in page.inner_text("#content")
    house.place.settle()
    page.reload()
    assert barriers(page) == []
    page.get_by_role("button", name="Publish these rows").click()
    page.get_by_role("button", name="Confirm").click()
    page.wait_for_selector("text=In the inbox")
    house.place.settle()
    page.reload()
    assert "Published" in page.inner_text(".state")
    assert problems == []


def test_a_repeated_click_and_a_second_tab_are_one_request(
    house: House, space: str, provider: OidcDouble, window: BrowserContext
) -> None:
    """The same form sent again leads to the same run; the second tab sees it."""
    page = window.new_page()
    sign_in(page, space, provider)
    preview(page, space)
    sent = {name: page.locator(f"input[name={name}]").get_attribute("value") for name in ("ticket", "body", "seen")}
    page.get_by_label("I have read").check()
    page.get_by_role("button", name="Confirm").dblclick()
    page.wait_for_selector("text=Recorded")
    assert page.evaluate(_SEND_AGAIN, sent) == page.url
    second = window.new_page()
    second.goto(f"{space}/request")
    assert second.get_by_role("region", name="Your requests").get_by_role("link").count() == 1
    assert len(house.waiting()) == 1


def test_signed_out_elsewhere_the_tab_is_told(house: House, space: str, provider: OidcDouble, window: BrowserContext) -> None:
    """The other tab's confirm writes nothing and says how to go on."""
    page, other = window.new_page(), window.new_page()
    sign_in(page, space, provider)
    preview(page, space)
    other.goto(f"{space}/request")
    other.get_by_role("button", name="Sign out").click()
    other.wait_for_selector("text=Sign in")
    confirm(page)
    assert "auth.signed_out" in page.inner_text("#content")
    assert house.waiting() == []


def test_a_session_that_ended_is_told_to_sign_in_again(
    house: House, space: str, provider: OidcDouble, window: BrowserContext
) -> None:
    """An hour later the preview confirms nothing; the page then offers to sign in."""
    page = window.new_page()
    sign_in(page, space, provider)
    preview(page, space)
    house.later(3_601)
    confirm(page)
    assert "auth.signed_out" in page.inner_text("#content")
    page.goto(f"{space}/request")
    assert page.get_by_role("link", name="Sign in").count() == 1
    assert house.waiting() == []


def test_a_removed_member_is_told_whom_to_ask(house: House, space: str, provider: OidcDouble, window: BrowserContext) -> None:
    """Within a minute, although the session goes on."""
    page = window.new_page()
    sign_in(page, space, provider)
    preview(page, space)
    provider.people["alice"]["orgs"] = []
    house.later(61)
    confirm(page)
    assert "NOT_AUTHORISED" in page.inner_text("#content")
    assert "Ask a maintainer" in page.inner_text("#content")
    assert page.get_by_role("button", name="Preview").count() == 0
    assert house.waiting() == []


def test_without_scripts_the_form_works(house: House, space: str, provider: OidcDouble, browser: Browser) -> None:
    """Forms are sent by the browser itself."""
    context = browser.new_context(ignore_https_errors=True, java_script_enabled=False)
    page: Any = context.new_page()
    sign_in(page, space, provider)
    preview(page, space)
    confirm(page)
    assert len(house.waiting()) == 1
    context.close()


def test_a_phone_shows_the_form_without_scrolling_sideways(
    house: House, space: str, provider: OidcDouble, browser: Browser
) -> None:
    """At 390 pixels, light and dark."""
    for scheme in ("light", "dark"):
        context = browser.new_context(
            ignore_https_errors=True,
            viewport={"width": 390, "height": 844},
            color_scheme=scheme,  # type: ignore[arg-type]
        )
        page = context.new_page()
        sign_in(page, space, provider)
        preview(page, space)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert barriers(page) == []
        context.close()
