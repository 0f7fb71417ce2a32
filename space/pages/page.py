"""What a page is, and how the pages are found: every module of this folder and those in it with a `PAGE`.

`show(view, mirror)` returns the page's content as markup and can be called without a browser; `build` lays out the blocks, one
HTML block filled by a load event for every page so far.
"""

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, Final

from space import pages
from space.components.html import Markup
from space.components.shell import Links, waiting
from space.keeper import Keeper
from space.listings import listing
from space.queries.view import View
from space.readers.mirror import Mirror


def build_filled(page: "Page", fill: Callable[..., str]) -> None:
    """Lay out one HTML block that `fill` fills when the page is opened."""
    import gradio as gr

    gr.Navbar(visible=False)
    block: Any = gr.HTML(
        str(waiting()),
        apply_default_css=False,
        js_on_load=None,
        padding=False,
        elem_id="page",
    )
    root: Any = gr.context.Context.root_block
    root.load(
        fill, None, block, queue=False, api_visibility="private", show_progress="hidden", api_name=f"show_{page.slug or 'home'}"
    )


@dataclass(frozen=True, slots=True)
class Page:
    """One page: `slug` is its path ("" for the first), `parameters` the query keys it reads, `order` its place."""

    slug: str
    title: str
    parameters: frozenset[str]
    show: Callable[..., Markup]
    """Makes the content from the view and the mirror."""
    names_keeper: bool = False
    """`show` takes the keyword `keeper` too, and says where the program is and whom to ask."""
    in_nav: bool = False
    order: int = 100
    quiet_without: tuple[str, ...] = ()
    """Lists: while none of them has a row, the page stands muted at the end of the navigation."""
    build: Callable[["Page", Callable[..., str]], None] = build_filled

    @property
    def path(self) -> str:
        """The page's own address."""
        return f"/{self.slug}"


REQUEST: Final = ("/request", "Request")
"""The one page that Gradio does not serve: plain forms, answered by space/request_routes.py."""


def navigation(mirror: Mirror | None = None) -> Links:
    """Return the pages in the navigation in their order; quiet are those about lists without a row in `mirror`, or not known."""
    shown = [page for page in discover() if page.in_nav]
    quiet = [page for page in shown if page.quiet_without and not has_rows(page, mirror)]
    return Links(
        [*((page.path, page.title) for page in shown if page not in quiet), REQUEST], [(page.path, page.title) for page in quiet]
    )


def has_rows(page: Page, mirror: Mirror | None) -> bool:
    """Tell whether one of the lists that `page` is about has a row."""
    if mirror is None:
        return False
    lists = (listing.discover()[name] for name in page.quiet_without)
    return any(listing.count(each.ask(View(each.name, {}), mirror), mirror) for each in lists)


def told(page: Page, keeper: Keeper) -> Page:
    """Return `page` as the Space of `keeper` shows it."""
    return replace(page, show=partial(page.show, keeper=keeper)) if page.names_keeper else page


@cache
def discover() -> tuple[Page, ...]:
    """Return every page, in the order of the navigation."""
    names = sorted(module.name for module in pkgutil.walk_packages(pages.__path__, "space.pages."))
    modules = [importlib.import_module(name) for name in names]
    return tuple(sorted((module.PAGE for module in modules if hasattr(module, "PAGE")), key=lambda page: page.order))
