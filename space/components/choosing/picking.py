"""The form that leads from a list of cells to their comparison: boxes before the names, then one button, no script.

The button comes after the boxes, for who goes through the page with the keyboard, and stays at the lower edge of the window.
"""

from space.components.html import Child, Markup, tag
from space.queries.view import View


def compare_form(view: View, status: Markup | None, *content: Child) -> Markup:
    """Return `content`, whose rows have boxes named `cells`, in a form with `status` above it and the button after it."""
    theme = view.text("__theme")
    return tag(
        "form",
        tag("input", type="hidden", name="__theme", value=theme) if theme else None,
        status,
        *content,
        tag("div", "Mark two to four cells to ", tag("button", "compare", type="submit"), class_="pick-button"),
        method="get",
        action="/compare",
        class_="comparing",
        aria_label="Cells to compare",
    )
