"""Pictures of the pages for a reviewer: `python -m tests.space.theme.screenshots ADDRESS FOLDER [--readme FILE]`.

Takes every page of a running Space at 1,440 and 390 pixels, light and dark; `--readme` takes the leaderboard alone, light, at
1,280 pixels, cropped to its content.
"""

import argparse
import sys
from pathlib import Path

from playwright.sync_api import Browser

from space.pages.page import discover
from tests.space.browser import Visitor, chromium


def main(arguments: list[str]) -> int:
    """Take the pictures; return 1 if a page had a console error or a foreign request."""
    parser = argparse.ArgumentParser(description="Take pictures of the pages of a running Space.")
    parser.add_argument("address")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--readme", type=Path, help="write only the picture for the README, to this file")
    found = parser.parse_args(arguments)
    problems: list[str] = []
    with chromium() as browser:
        if found.readme:
            problems += _readme(browser, found.address, found.readme)
        else:
            found.folder.mkdir(parents=True, exist_ok=True)
            for width in (1440, 390):
                for theme in ("light", "dark"):
                    problems += _all(browser, found.address, found.folder, width, theme)
    for problem in problems:
        sys.stderr.write(f"{problem}\n")
    return 1 if problems else 0


def _all(browser: Browser, address: str, folder: Path, width: int, theme: str) -> list[str]:
    window = Visitor(browser, address, width=width, theme=theme)
    page = window.open("/")
    links = {each.slug or "leaderboard": each.path for each in discover() if each.in_nav}
    links |= {"runs": "/run", "matrix": "/matrix", "unknown": "/cell?cell_id=cell-none"}
    marked = [box.get_attribute("value") for box in page.locator("input[name=cells]").all()]
    links["compare"] = f"/compare?cells={','.join(value for value in marked[1:4] if value)}"
    links["cell"] = page.locator("table.leaderboard tbody a").first.get_attribute("href") or "/"
    window.open(links["cell"])
    links["task"] = page.locator("a[href^='/task?']").first.get_attribute("href") or "/"
    links["attempt"] = page.locator("a.square").first.get_attribute("href") or "/"
    links["run"] = page.locator("dd a[href^='/run?']").first.get_attribute("href") or "/run"
    for name, path in links.items():
        window.open(path)
        page.wait_for_timeout(200)
        page.screenshot(path=folder / f"{name}-{width}-{theme}.png", full_page=True)
    window.close()
    return window.problems


def _readme(browser: Browser, address: str, file: Path) -> list[str]:
    window = Visitor(browser, address, width=1280)
    page = window.open("/")
    page.wait_for_timeout(300)
    box = page.locator(".seawall").bounding_box()
    assert box is not None
    page.screenshot(path=file, clip={"x": 0, "y": 0, "width": 1280, "height": min(box["height"], 900)})
    window.close()
    return window.problems


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
