"""What surrounds each page of requests: the same head, navigation and looks as every page, as a plain document.

These pages work without scripts: forms are sent and answered as the browser does it.
"""

from collections.abc import Sequence
from typing import Final

from shared.errors import SeawallError
from space.components.html import Child, Markup, join, tag
from space.components.shell import head, panel
from space.pages.page import REQUEST
from space.pages.plain import plain_page

PURPOSE: Final = "Ask for a run of a reviewed benchmark, and see what became of it."


def page(title: str, *children: Child, purpose: Child = PURPOSE) -> str:
    """Return a whole page as HTML text."""
    return plain_page(title, join(head(title, purpose), *children), REQUEST[0])


def refusal(error: SeawallError) -> Markup:
    """Return what stands above a form that was refused: the code, why, and what to do."""
    text = error.message[:1].upper() + error.message[1:]
    where = tag("p", "Field: ", tag("strong", error.field)) if error.field else None
    return panel(error.code, where, tag("p", text), tag("p", error.way_out) if error.way_out else None, kind="failed")


def hidden(name: str, value: str) -> Markup:
    """Return a field that is sent and not shown."""
    return tag("input", type="hidden", name=name, value=value)


def sender(action: str, *children: Child, class_: str = "ask") -> Markup:
    """Return a form that is sent to `action`."""
    return tag("form", *children, method="post", action=action, class_=class_)


def button(title: str, *, kind: str = "") -> Markup:
    """Return the button that sends a form."""
    return tag("button", title, type="submit", class_=kind or None)


def lines(pairs: Sequence[tuple[str, Child]]) -> Markup:
    """Return named values."""
    return tag("dl", *(tag("div", tag("dt", name), tag("dd", value)) for name, value in pairs), class_="facts")
