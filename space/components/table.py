"""One table for every page: a caption, headers with scope, sort links with `aria-sort`, a named scroll box for the keyboard."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from space.components.html import Child, Markup, tag


@dataclass(frozen=True, slots=True)
class Column:
    """One column's header; `sort_link` is the address that sorts by it, `sorted_as` says whether and how it is sorted now."""

    title: str
    is_number: bool = False
    sort_link: str = ""
    sorted_as: Literal["", "ascending", "descending"] = ""
    hint: str = ""


def table(
    caption: Child,
    columns: Sequence[Column],
    rows: Sequence[Sequence[Child]],
    *,
    name: str,
    class_: str = "",
    ruled: Collection[int] = (),
) -> Markup:
    """Return a table whose first cell of each row is its header; `caption` is read out, and shown above.

    A rule stands above the rows at the places `ruled`.
    """
    head = tag("thead", tag("tr", *(_header(column) for column in columns)))
    body = tag("tbody", *(_row(columns, row, is_ruled=place in ruled) for place, row in enumerate(rows)))
    inner = tag("table", tag("caption", tag("span", caption, class_="caption-text")), head, body, class_=f"rows {class_}".strip())
    return tag("div", inner, class_="scroll", role="region", tabindex=0, aria_label=name)


def _row(columns: Sequence[Column], row: Sequence[Child], *, is_ruled: bool) -> Markup:
    cells = (_cell(columns, index, cell) for index, cell in enumerate(row))
    return tag("tr", *cells, class_="ruled" if is_ruled else None)


def _header(column: Column) -> Markup:
    arrow = {"ascending": "\N{UPWARDS ARROW}", "descending": "\N{DOWNWARDS ARROW}", "": ""}[column.sorted_as]
    label: Child = column.title
    if column.sort_link:
        mark = tag("span", arrow, class_="arrow", aria_hidden="true") if arrow else None
        label = tag("a", column.title, mark, href=column.sort_link)
    return tag(
        "th",
        label,
        scope="col",
        class_="num" if column.is_number else None,
        aria_sort=column.sorted_as or None,
        title=column.hint or None,
    )


def _cell(columns: Sequence[Column], index: int, cell: Child) -> Markup:
    style = "num" if columns[index].is_number else None
    return tag("th", cell, scope="row", class_=style) if index == 0 else tag("td", cell, class_=style)
