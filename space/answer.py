"""A page's whole answer: parse the address, take the mirror, show, and turn any failure into a panel with a code.

Nothing that goes wrong leaves a blank page or a traceback: an error of ours shows its code and way out, anything else an error id
that stands in the log beside the traceback.
"""

import logging
import secrets
from collections.abc import Sequence
from functools import partial
from typing import Final

from shared.errors import SeawallError
from space.components.html import Markup, join, tag
from space.components.shell import Footer, banner, head, panel, shell
from space.config import Settings
from space.pages.page import Page, navigation
from space.queries.statement import Statement
from space.queries.view import View, address, parse
from space.readers.mirror import Mirror
from space.readers.refresh import Refresh

_NEWEST_RECORD: Final = Statement("SELECT max(recorded_at) AS newest FROM catalog")
CALM: Final = {"view.not_published": "Not published", "view.nothing": "Nothing published yet"}
"""What is no failure: there is nothing to show, and the panel says so."""
_log: Final = logging.getLogger("seawall.space")


def answer(page: Page, query: str, refresh: Refresh, settings: Settings) -> str:
    """Return the HTML of `page` for `query`; never raises."""
    view = parse(page.slug, query, page.parameters)
    banners = _banners(view, refresh, settings)
    footer = None
    try:
        with refresh.lease() as mirror:
            content = mirror.remembered(address(view), partial(page.show, view, mirror))
            footer = _footer(mirror, refresh)
    except SeawallError as error:
        content = _failed(page, error.code, error.message, error.way_out)
    except Exception:  # noqa: BLE001 - a visitor gets a panel, the log gets the traceback
        incident = secrets.token_hex(4)
        _log.exception("page %s failed, error id %s", page.path, incident)
        content = _failed(
            page, "page.failed", f"This page could not be made. Error id {incident}.", "Reload, or open another page."
        )
    return str(shell(links=navigation(), current=page.path, address=address(view), banners=banners, page=content, footer=footer))


def _banners(view: View, refresh: Refresh, settings: Settings) -> Sequence[Markup]:
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
    return Footer(mirror.identity, revision, newest["newest"] if newest else None, refresh.standing.checked_at)
