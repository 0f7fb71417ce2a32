"""Plain files at fixed addresses, and what a link to a page looks like elsewhere: llms.txt, robots.txt, icons, the preview.

Gradio's own page says "Gradio" and names images of other hosts in its head; those lines are replaced where the page is made.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from fastapi import FastAPI
from gradio import routes as gradio_routes
from jinja2 import BaseLoader, Environment
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from space.components.html import Markup, join, tag, with_own_head
from space.config import Settings
from space.exports.routes import ROOT, addresses
from space.exports.texts.llms import llms_text
from space.pages.page import discover
from space.tools import NAMES as TOOLS

THEME: Final = Path(__file__).parent / "theme"
TITLE: Final = "Seawall: agent benchmarks with evidence behind every score"
ABOUT: Final = (
    "Every score with its interval, rank range, cost and failures, down to the checksummed evidence. Anyone can recompute it."
)
ROBOTS: Final = "User-agent: *\nAllow: /\nDisallow: /api/\nDisallow: /*format=\n"
_DAY: Final = {"cache-control": "public, max-age=86400"}
_FILES: Final = {
    "/favicon.ico": ("favicon.svg", "image/svg+xml"),
    "/favicon.svg": ("favicon.svg", "image/svg+xml"),
    "/preview.png": ("preview.png", "image/png"),
}


def add_statics(app: FastAPI, settings: Settings) -> None:
    """Serve the files from `app`, and give every page our own head."""
    routes = [Route(path, _file(THEME / name, kind)) for path, (name, kind) in _FILES.items()]
    pages = [(page.path, page.title) for page in discover()]
    texts = {"/robots.txt": ROBOTS, "/llms.txt": llms_text(pages, ROOT, addresses(), TOOLS)}
    routes += [Route(path, _text(text)) for path, text in texts.items()]
    app.router.routes.extend(routes)
    dress_pages(settings.address)


def dress_pages(address: str) -> None:
    """Put our own title and preview into the page that Gradio makes, in the place of its own."""
    environment = gradio_routes.templates.env
    inner = environment.loader
    assert inner is not None
    environment.loader = _Dressed(inner.inner if isinstance(inner, _Dressed) else inner, head_of(address))
    if environment.cache is not None:
        environment.cache.clear()


def head_of(address: str) -> Markup:
    """Return the title, the preview and the icon; an image is asked for by its whole address."""
    said = {"og:site_name": "Seawall", "og:type": "website", "og:title": TITLE, "og:description": ABOUT}
    image = f"{address}/preview.png"
    return join(
        tag("title", "Seawall"),
        tag("meta", name="description", content=ABOUT),
        *(tag("meta", property=name, content=text) for name, text in said.items()),
        tag("meta", property="og:image", content=image),
        tag("meta", name="twitter:card", content="summary_large_image"),
        tag("meta", name="twitter:title", content=TITLE),
        tag("meta", name="twitter:description", content=ABOUT),
        tag("meta", name="twitter:image", content=image),
        tag("link", rel="icon", type="image/svg+xml", href="/favicon.svg"),
    )


class _Dressed(BaseLoader):
    """Gradio's templates with another head."""

    def __init__(self, inner: BaseLoader, head: Markup) -> None:
        self.inner = inner
        self.head = head

    def get_source(self, environment: Environment, template: str) -> tuple[str, str | None, Callable[[], bool] | None]:
        source, name, is_fresh = self.inner.get_source(environment, template)
        return with_own_head(source, self.head), name, is_fresh


def _file(path: Path, kind: str) -> Callable[[Request], Any]:
    data = path.read_bytes()

    async def answer(_request: Request) -> Response:
        return Response(data, media_type=kind, headers=_DAY)

    return answer


def _text(text: str) -> Callable[[Request], Any]:
    async def answer(_request: Request) -> Response:
        return Response(text, media_type="text/plain; charset=utf-8", headers=_DAY)

    return answer
