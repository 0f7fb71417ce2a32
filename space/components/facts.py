"""Named values in a panel: a definition list in columns, and groups of them under headings."""

from collections.abc import Sequence

from space.components.html import Child, Markup, tag

type Fact = tuple[str, Child]


def facts(pairs: Sequence[Fact], *, class_: str = "facts") -> Markup:
    """Return `pairs` of name and value as a definition list."""
    return tag("dl", *(tag("div", tag("dt", name), tag("dd", value)) for name, value in pairs), class_=class_)


def group(title: str, pairs: Sequence[Fact]) -> Markup:
    """Return one titled group of a provenance panel."""
    return tag("section", tag("h3", title), facts(pairs, class_="facts long"), class_="group")


def figures(pairs: Sequence[tuple[str, Child, Child]]) -> Markup:
    """Return the large numbers of a page: (name, value, what stands small below it)."""
    boxes = [
        tag("div", tag("dt", name), tag("dd", value, tag("span", below, class_="below") if below else None), class_="figure")
        for name, value, below in pairs
    ]
    return tag("dl", *boxes, class_="figures")
