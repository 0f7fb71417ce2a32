"""What surrounds every page: skip link, name, navigation, banners, the page's head and the footer that says what is shown."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from space.components.figures import moment
from space.components.html import Child, Markup, join, tag
from space.components.texts.words import linked


@dataclass(frozen=True, slots=True)
class Footer:
    """What the numbers of a page hang on; times are seconds since the epoch, the last publication's microseconds."""

    mirror: str
    catalog_revision: str
    last_publication: int | None
    checked_at: float | None
    stale_since: float | None
    """None while the newest that the source shows is served."""
    schemas: str
    app_revision: str
    licence: str


class Links(NamedTuple):
    """The navigation as (path, title): `quiet` pages have nothing to show yet, and stand muted after the others."""

    main: Sequence[tuple[str, str]]
    quiet: Sequence[tuple[str, str]] = ()


def shell(
    *,
    links: Links,
    current: str,
    address: str,
    banners: Sequence[Markup],
    page: Markup,
    footer: Footer | None,
    as_of: Markup | None = None,
) -> Markup:
    """Return a whole page: `current` is this page's path, `address` its whole address."""
    return tag(
        "div",
        tag("a", "Skip to the content", href="#content", class_="skip"),
        tag(
            "div",
            tag("a", tag("span", "Seawall", class_="wordmark"), href="/", class_="home"),
            _navigation(links, current),
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


def _navigation(links: Links, current: str) -> Markup:
    def entry(to: str, title: str, kind: str | None, hint: str | None) -> Markup:
        link = tag("a", title, href=to, aria_current="page" if to == current else None, title=hint)
        return tag("li", link, class_=kind)

    main = [entry(to, title, None, None) for to, title in links.main]
    quiet = [entry(to, title, "quiet", "nothing published yet") for to, title in links.quiet]
    return tag("nav", tag("ul", *main, *quiet), aria_label="Pages")


def _footer(footer: Footer) -> Markup:
    facts: list[tuple[Child, Child]] = [
        (linked("mirror"), tag("code", footer.mirror[:12], class_="digest")),
        (join(linked("catalog"), " revision"), footer.catalog_revision),
        ("last publication", moment(footer.last_publication)),
        ("last check", _second(footer.checked_at)),
        *([] if footer.stale_since is None else [("stale since", _second(footer.stale_since))]),
        ("schema versions", footer.schemas),
        ("app revision", tag("code", footer.app_revision[:12], class_="digest")),
        ("licence", footer.licence),
    ]
    parts = [tag("span", name, " ", value) for name, value in facts]
    return tag("div", *parts, tag("a", "How to verify", href="/about#verify"), class_="foot")


def _second(at: float | None) -> Child:
    return moment(None if at is None else int(at * 1_000_000))
