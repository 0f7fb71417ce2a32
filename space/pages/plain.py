"""A page that Gradio does not serve: the same head, navigation and looks as every page, as a plain document that needs no script.

Called for the pages of requests, and for an address that is none.
"""

from functools import cache
from pathlib import Path
from typing import Final

from space.components.html import Markup, document, join, tag
from space.components.shell import head, panel, shell
from space.pages.page import navigation

_THEME: Final = Path(__file__).parents[1] / "theme"
MAX_SHOWN: Final = 200


def plain_page(title: str, content: Markup, current: str = "") -> str:
    """Return a whole page as HTML text; `current` is its path where it stands in the navigation."""
    body = shell(links=navigation(), current=current, address="", banners=(), page=content, footer=None)
    return str(document(f"{title} - Seawall", _styles(), _script(), body))


def unknown_page(path: str) -> str:
    """Return the page that stands at an address where nothing is."""
    shown = path if len(path) <= MAX_SHOWN else f"{path[:MAX_SHOWN]}.."
    said = tag("p", "No page of this Space has the address ", tag("code", shown, class_="digest"), ".")
    back = tag("p", "Back to the ", tag("a", "leaderboard", href="/"), ", or open one of the pages above.")
    return plain_page(
        "Not published", join(head("Not published", "Nothing stands at this address."), panel("No such page", said, back))
    )


@cache
def _styles() -> str:
    return "\n".join((_THEME / name).read_text(encoding="utf-8") for name in ("tokens.css", "layout.css", "requests.css"))


@cache
def _script() -> str:
    return (_THEME / "plain.js").read_text(encoding="utf-8")
