"""The form that leads from a list of cells to their comparison: boxes before the names, one button, no script."""

from space.components.html import Child, Markup, tag
from space.queries.view import View


def compare_form(view: View, status: Markup | None, *content: Child) -> Markup:
    """Return `content`, whose rows have boxes named `cells`, in a form with `status` and the button above it."""
    theme = view.text("__theme")
    return tag(
        "form",
        tag("input", type="hidden", name="__theme", value=theme) if theme else None,
        tag(
            "div",
            status,
            tag("span", "Mark two to four cells to ", tag("button", "compare", type="submit"), class_="pick-button"),
            class_="above",
        ),
        *content,
        method="get",
        action="/compare",
        class_="comparing",
        aria_label="Cells to compare",
    )
