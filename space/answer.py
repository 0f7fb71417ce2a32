"""A page's whole answer: parse the address, take the mirror, show, and turn any failure into a panel with a code.

Nothing that goes wrong leaves a blank page or a traceback: an error of ours shows its code and way out, anything else an error id
that stands in the log beside the traceback.
"""

import logging
import secrets
from functools import partial
from typing import Final

from shared.errors import SeawallError
from space.app_revision import LICENCE, app_revision, schema_versions
from space.components.as_of import Dated, as_of, earlier_banner, loading_banner
from space.components.html import Markup, carrying, join, tag
from space.components.shell import Footer, banner, head, panel, shell
from space.components.texts.words import explained
from space.config import Settings
from space.exports.answers import later_records
from space.exports.panel import panel as files_panel
from space.pages.page import Page, navigation
from space.queries.statement import Statement
from space.queries.view import View, address, parse
from space.readers.mirror import Mirror
from space.readers.refresh import Refresh

_NEWEST_RECORD: Final = Statement("SELECT max(recorded_at) AS newest FROM catalog")
CALM: Final = {"view.not_published": "Not published", "view.nothing": "Nothing published yet"}
"""What is no failure: there is nothing to show, and the panel says so."""
_log: Final = logging.getLogger("seawall.space")


def answer(page: Page, query: str, refresh: Refresh, settings: Settings, space: str = "") -> str:
    """Return the HTML of `page` for `query`, asked of the Space at the address `space`; never raises."""
    view = parse(page.slug, query, page.parameters)
    banners = _banners(view, refresh, settings)
    footer, choice, links = None, None, navigation()
    space = space or settings.reached_at("", "")
    revision = view.number("revision")
    try:
        with refresh.lease(revision) as mirror:
            links = navigation(mirror)
            content = mirror.remembered(f"{space}{address(view)}", partial(_content, page, view, mirror, space))
            footer = _footer(mirror, refresh)
            choice = _as_of(view, mirror, refresh)
            banners += _earlier(view, mirror, refresh)
    except SeawallError as error:
        content = _failed(page, error.code, error.message, error.way_out)
    except Exception:  # noqa: BLE001 - a visitor gets a panel, the log gets the traceback
        incident = secrets.token_hex(4)
        _log.exception("page %s failed, error id %s", page.path, incident)
        content = _failed(
            page, "page.failed", f"This page could not be made. Error id {incident}.", "Reload, or open another page."
        )
    if revision:
        content = carrying(content, "revision", str(revision))
        banners += [] if footer else [loading_banner(view)]
    shown = address(view)
    return str(shell(links=links, current=page.path, address=shown, banners=banners, page=content, footer=footer, as_of=choice))


def _content(page: Page, view: View, mirror: Mirror, space: str) -> Markup:
    """Return what `page` shows, its words explained, with the files and the query of its list below."""
    return join(explained(page.show(view, mirror)), files_panel(view, mirror, space))


def _as_of(view: View, mirror: Mirror, refresh: Refresh) -> Markup | None:
    catalog = mirror.revisions.catalog
    dated = [Dated(each.number, each.created_at, each.commit) for each in refresh.revisions.listed]
    return as_of(view, catalog.revision.number, dated) if catalog else None


def _earlier(view: View, mirror: Mirror, refresh: Refresh) -> list[Markup]:
    """Return the banner of an earlier revision, with what became of its cells since; none over the newest."""
    catalog = mirror.revisions.catalog
    with refresh.lease() as newest:
        if catalog is None or newest.identity == mirror.identity:
            return []
        later = mirror.remembered(f"later than this, at {newest.identity}", lambda: later_records(mirror, newest))
    return [earlier_banner(view, catalog.revision.number, later)]


def _banners(view: View, refresh: Refresh, settings: Settings) -> list[Markup]:
    found = []
    if settings.is_sample:
        found.append(banner("sample", tag("strong", "Sample, not results. "), "These rows are synthetic and measure nothing."))
    standing = refresh.standing
    if standing.state == "stale":
        found.append(
            banner(
                "stale",
                tag("strong", f"{standing.code}: "),
                f"{standing.message}. The numbers below are the last that passed every check.",
            )
        )
    if view.ignored:
        found.append(banner("note", f"Not understood and left out: {', '.join(view.ignored)}."))
    return found


def _failed(page: Page, code: str, message: str, way_out: str) -> Markup:
    text = message[:1].upper() + message[1:]
    kind = "" if code in CALM else "failed"
    return join(
        head(page.title, ""), panel(CALM.get(code, code), tag("p", text), tag("p", way_out) if way_out else None, kind=kind)
    )


def _footer(mirror: Mirror, refresh: Refresh) -> Footer:
    newest = mirror.remembered("newest record", lambda: mirror.one(_NEWEST_RECORD))
    catalog = mirror.revisions.catalog
    revision = "none" if catalog is None else f"{catalog.dataset}@{catalog.revision.number}"
    standing = refresh.standing
    return Footer(
        mirror.identity,
        revision,
        newest["newest"] if newest else None,
        standing.checked_at,
        standing.since if standing.state == "stale" else None,
        schema_versions(),
        app_revision(),
        LICENCE,
    )
