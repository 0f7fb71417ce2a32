"""What surrounds every page: skip link, name, navigation, banners, the page's head and the footer that says what is shown."""

from collections.abc import Sequence
from dataclasses import dataclass

from space.components.figures import moment
from space.components.html import Child, Markup, tag


@dataclass(frozen=True, slots=True)
class Footer:
    """What the numbers of a page hang on."""

    mirror: str
    catalog_revision: str
    last_publication: int | None
    checked_at: float | None


def shell(
    *,
    links: Sequence[tuple[str, str]],
    current: str,
    address: str,
    banners: Sequence[Markup],
    page: Markup,
    footer: Footer | None,
    as_of: Markup | None = None,
) -> Markup:
    """Return a whole page: `links` are (path, title), `current` is this page's path, `address` its whole address."""
    entries = [tag("li", tag("a", title, href=to, aria_current="page" if to == current else None)) for to, title in links]
    return tag(
        "div",
        tag("a", "Skip to the content", href="#content", class_="skip"),
        tag(
            "div",
            tag("a", tag("span", "Seawall", class_="wordmark"), href="/", class_="home"),
            tag("nav", tag("ul", *entries), aria_label="Pages"),
            class_="top",
        ),
        *banners,
        as_of,
        tag("div", page, id="content", tabindex=-1),
        _footer(footer) if footer else None,
        class_="seawall",
        data_address=address,
    )


def waiting() -> Markup:
    """Return what stands in a page's place until its content arrives."""
    return tag("div", "Reading the published tables", class_="seawall waiting", role="status")


def head(title: Child, purpose: Child) -> Markup:
    """Return a page's h1 and its one sentence of purpose."""
    return tag("div", tag("h1", title), tag("p", purpose, class_="purpose"), class_="head")


def banner(kind: str, *children: Child) -> Markup:
    """Return a band over the page; `kind` is sample, stale or note."""
    return tag("div", *children, class_=f"banner {kind}", role="status" if kind != "sample" else "note")


def panel(title: str, *children: Child, kind: str = "") -> Markup:
    """Return a framed box with a heading, for what stands in a page's place: empty, failed, not published."""
    return tag("div", tag("h2", title), *children, class_=f"panel {kind}".strip())


def _footer(footer: Footer) -> Markup:
    checked = None if footer.checked_at is None else int(footer.checked_at * 1_000_000)
    facts = [
        ("mirror", tag("code", footer.mirror[:12], class_="digest")),
        ("catalog revision", footer.catalog_revision),
        ("last publication", moment(footer.last_publication)),
        ("last check", moment(checked)),
    ]
    parts = [tag("span", f"{name} ", value) for name, value in facts]
    return tag("div", *parts, tag("a", "How to verify", href="/about#verify"), class_="foot")
