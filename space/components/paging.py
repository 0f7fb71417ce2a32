"""Real links between the pages of a long list."""

from collections.abc import Sequence

from space.components.html import Markup, tag
from space.queries.view import View, address


def page_of(view: View, total: int, per_page: int) -> tuple[int, int]:
    """Return (page, pages): the page that is shown, the last one where the view asks beyond the end."""
    pages = max(1, -(-total // per_page))
    return min(view.number("page"), pages), pages


def slice_of[Shown](view: View, whole: Sequence[Shown]) -> tuple[int, int, Sequence[Shown]]:
    """Return (page, pages, what the page holds) of a list that is known as a whole."""
    size = view.number("per_page")
    page, pages = page_of(view, len(whole), size)
    return page, pages, whole[(page - 1) * size : page * size]


def paging(view: View, page: int, pages: int) -> Markup | None:
    """Return links to the previous and next page, or None where one page holds all."""
    if pages == 1:
        return None
    before = tag("a", "Previous", href=address(view.with_values(page=page - 1))) if page > 1 else tag("span", "Previous")
    after = tag("a", "Next", href=address(view.with_values(page=page + 1))) if page < pages else tag("span", "Next")
    return tag(
        "nav", before, tag("span", f"Page {page} of {pages}", class_="here"), after, class_="paging", aria_label="Pages of rows"
    )
