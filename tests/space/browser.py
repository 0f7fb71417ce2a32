"""Chromium for the tests, driven by Playwright: every page that it opens counts console errors and requests to other hosts."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Browser, Dialog, Page, sync_playwright

CHROMIUM = Path("/usr/bin/chromium")
LOOKS = [
    ("light", 1440),
    ("dark", 390),
    pytest.param("dark", 1440, marks=pytest.mark.long),
    pytest.param("light", 390, marks=pytest.mark.long),
]
"""Theme and width, in pixels: each theme and each width is looked at every time, all four in the long tests."""
INSTALL = "the browser tests need Chromium: apt-get install chromium"
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@contextmanager
def chromium() -> Iterator[Browser]:
    """Yield a browser; without Chromium the test fails where CI is set, else is skipped, with the install command."""
    if not CHROMIUM.exists():
        if os.environ.get("CI"):
            pytest.fail(INSTALL)
        pytest.skip(INSTALL)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


def barriers(page: Page) -> list[str]:
    """Return what axe finds serious or critical on `page`, each with the element, and by how much the page is too wide."""
    violations = Axe().run(page).response["violations"]
    found = [each for each in violations if each["impact"] in {"serious", "critical"}]
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    said = [f"{each['id']} {each['nodes'][0]['html'][:160]}" for each in found]
    return [*said, f"{wide} px too wide"] if wide > 0 else said


def walk(browser: Browser, server: str, addresses: Mapping[str, str], *, width: int, theme: str) -> list[str]:
    """Return everything that is wrong with any page of `addresses`: barriers, width, errors, foreign requests."""
    window = Visitor(browser, server, width=width, theme=theme)
    found = [f"{name}: {each}" for name, path in addresses.items() for each in barriers(window.open(path))]
    window.close()
    return found + window.problems


class Visitor:
    """One window; `problems` holds console errors, page errors, dialogs and foreign requests."""

    def __init__(self, browser: Browser, server: str, *, width: int = 1440, theme: str = "light") -> None:
        height = 844 if width < 700 else 900
        self.context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme)  # type: ignore[arg-type]
        self.page: Page = self.context.new_page()
        self.server = server
        self.problems: list[str] = []
        self.page.on("console", lambda message: self._note(f"console: {message.text}", is_problem=message.type == "error"))
        self.page.on("pageerror", lambda error: self._note(f"page error: {error}"))
        self.page.on("dialog", self._refuse)
        self.page.on("request", lambda request: self._note(f"to {request.url}", is_problem=self._is_foreign(request.url)))

    def open(self, path: str) -> Page:
        """Open `path` of the server and wait for the page's content."""
        self.page.goto(self.server + path)
        self.page.wait_for_selector("#content h1", timeout=30_000)
        return self.page

    def close(self) -> None:
        """Close the window."""
        self.context.close()

    def _note(self, text: str, *, is_problem: bool = True) -> None:
        if is_problem:
            self.problems.append(text)

    def _refuse(self, dialog: Dialog) -> None:
        self._note("a dialog opened")
        dialog.dismiss()

    def _is_foreign(self, address: str) -> bool:
        return urlsplit(address).scheme not in {"data", "blob"} and urlsplit(address).netloc != urlsplit(self.server).netloc
