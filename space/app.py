"""The composition: FastAPI with plain GET routes and response headers around one Gradio app with a route per page."""

import random
import time
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import gradio as gr
from fastapi import FastAPI
from fastapi.responses import JSONResponse

from space.answer import answer
from space.api import add_api
from space.components.html import script
from space.config import Settings
from space.gate import Gate
from space.pages.page import Page, discover
from space.readers.folder import FolderSource
from space.readers.refresh import Refresh
from space.tools import NAMES as TOOLS
from space.tools import add_tools

THEME: Final = Path(__file__).parent / "theme"
_SYSTEM: Final = ["system-ui", "-apple-system", "Segoe UI", "Roboto", "Helvetica Neue", "Arial", "sans-serif"]
_MONO: Final = ["ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "monospace"]


def create_app(settings: Settings) -> FastAPI:
    """Return the whole Space; refreshing starts with it."""
    refresh = Refresh(FolderSource(settings.source), memory_mib=settings.memory_mib, clock=time.time)
    refresh.start(settings.refresh_seconds, lambda: random.uniform(0, 0.1))  # noqa: S311 - spreads load, guards nothing
    app = FastAPI(title="Seawall", docs_url=None, redoc_url=None, openapi_url=None)
    app.state.refresh = refresh
    _add_probes(app, refresh)
    add_api(app, refresh, settings)
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
    def fill(request: gr.Request) -> str:
        query = getattr(request, "query_params", None)
        return answer(page, str(query or ""), refresh, settings)

    return fill
