"""The composition: FastAPI with plain GET routes and response headers around one Gradio app with a route per page."""

import random
import secrets
import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import gradio as gr
from fastapi import FastAPI
from fastapi.responses import JSONResponse
from starlette.routing import Route

from shared.errors import SeawallError
from shared.ids import uuid7
from space.answer import answer
from space.api import add_api
from space.auth.people import People
from space.auth.provider import Provider
from space.auth.sealed import key_from
from space.auth.session import Sessions
from space.auth.sign_in import SignIn
from space.components.html import script
from space.config import Settings
from space.form_settings import FormSettings
from space.gate import Gate
from space.pages.page import Page, discover, told
from space.queries.before import published_before
from space.readers.refresh import Refresh
from space.request_routes import Parts, closed_routes, open_routes
from space.requests.desk import Checked, Desk
from space.requests.inbox import Inbox
from space.statics import add_statics
from space.stores import inbox_of, is_wide, source_of, status_of
from space.tools import NAMES as TOOLS
from space.tools import add_tools

THEME: Final = Path(__file__).parent / "theme"
_SYSTEM: Final = ["system-ui", "-apple-system", "Segoe UI", "Roboto", "Helvetica Neue", "Arial", "sans-serif"]
_MONO: Final = ["ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "monospace"]


def create_app(settings: Settings, clock: Callable[[], float] = time.time) -> FastAPI:
    """Return the whole Space; refreshing starts with it. `clock` is what sessions and tickets end by."""
    refresh = Refresh(source_of(settings), memory_mib=settings.memory_mib, clock=time.time)
    refresh.start(settings.refresh_seconds, lambda: random.uniform(0, 0.1))  # noqa: S311 - spreads load, guards nothing
    app = FastAPI(title="Seawall", docs_url=None, redoc_url=None, openapi_url=None)
    app.state.refresh = refresh
    app.state.inbox = inbox_of(settings.form, clock)
    _add_probes(app, refresh)
    add_api(app, refresh, settings)
    add_statics(app, settings)
    app.router.routes.extend(request_routes(settings.form, clock, refresh, app.state.inbox))
    mount(app, _blocks(refresh, settings))
    return app


def mount(app: FastAPI, blocks: Any) -> None:
    """Serve the Gradio `blocks` from `app` in the Space's looks, behind its door."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="SSR mode")
        gr.mount_gradio_app(
            app,
            blocks,
            path="",
            footer_links=[],
            ssr_mode=False,
            show_error=False,
            mcp_server=find_spec("mcp") is not None,
            app_kwargs={"openapi_url": None, "docs_url": None, "redoc_url": None},
            theme=gr.themes.Base(font=_SYSTEM, font_mono=_MONO),
            css_paths=[THEME / "tokens.css", THEME / "layout.css"],
            head=str(script((THEME / "sync.js").read_text(encoding="utf-8"))),
        )
    app.add_middleware(
        Gate, functions=frozenset(index for index, function in blocks.fns.items() if function.api_name not in TOOLS)
    )


def _add_probes(app: FastAPI, refresh: Refresh) -> None:
    @app.get("/healthz")
    def healthz() -> JSONResponse:
        return JSONResponse({"ok": True})

    @app.get("/readyz")
    def readyz() -> JSONResponse:
        standing = refresh.standing
        is_ready = standing.state in {"ready", "stale"}
        return JSONResponse({"state": standing.state, "code": standing.code}, status_code=200 if is_ready else 503)


def request_routes(
    settings: FormSettings,
    clock: Callable[[], float] = time.time,
    refresh: Refresh | None = None,
    inbox: Inbox | None = None,
) -> list[Route]:
    """Return sign-in and the request form, or the page that says why there is none."""
    inbox, status = inbox or inbox_of(settings, clock), status_of(settings, clock)
    if settings.closed or settings.provider is None or inbox is None or status is None:
        return closed_routes(settings.closed or "form.no_oauth", settings.keeper)
    if is_wide(inbox):
        return closed_routes("HUB_TOKEN_WIDE", settings.keeper)
    secret, provider = settings.provider.client_secret, Provider(settings.provider)
    desk = Desk(
        settings.access,
        status,
        inbox,
        key_from(secret, "ticket"),
        clock,
        _uuid7,
        partial(_checked, refresh),
    )
    people = People(provider, settings.access, clock)
    sign_in = SignIn(settings.origins, provider, people, Sessions(secret, clock))
    return open_routes(Parts(desk, sign_in, partial(_published_before, refresh), settings.keeper))


def _checked(refresh: Refresh | None) -> Checked | None:
    """Return the last good check of the source; None where there is no source."""
    if refresh is None:
        return None
    standing = refresh.standing
    because = f"{standing.code}: {standing.message}" if standing.state in {"stale", "failed"} else ""
    return Checked(refresh.opened_at if standing.checked_at is None else standing.checked_at, because)


def _published_before(refresh: Refresh | None, digests: Sequence[str]) -> Sequence[str]:
    """Return cells that were published with these cell digests; none while nothing can be read."""
    if refresh is None:
        return ()
    try:
        with refresh.lease() as mirror:
            return [row["cell_id"] for row in mirror.rows(published_before(digests))]
    except SeawallError:
        return ()


def _uuid7() -> UUID:
    return uuid7(time.time_ns() // 1_000_000, secrets.randbits(74))


def _blocks(refresh: Refresh, settings: Settings) -> Any:
    first, *others = discover()
    with gr.Blocks(title="Seawall", analytics_enabled=False) as blocks:
        first.build(first, _filler(first, refresh, settings))
        add_tools(refresh)
    for page in others:
        with blocks.route(page.title, page.path, show_in_navbar=False):
            page.build(page, _filler(page, refresh, settings))
    return blocks


def _filler(page: Page, refresh: Refresh, settings: Settings) -> Callable[..., str]:
    shown = told(page, settings.form.keeper)

    def fill(request: gr.Request) -> str:
        query = getattr(request, "query_params", None)
        asked = request.request
        space = settings.reached_at(asked.url.scheme, asked.url.netloc) if asked is not None else ""
        return answer(shown, str(query or ""), refresh, settings, space)

    return fill
