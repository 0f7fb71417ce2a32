"""Which lists stand behind a page: what `?format=` of its address exports, the first of them, and what its links offer.

A page without a line here has the list of its own name, if there is one.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from space.listings.listing import Listing, discover
from space.queries.view import View


def lists_behind(view: View) -> Sequence[Listing]:
    """Return the lists of the page that `view` shows, the main one first; none for a page of text."""
    names = _BEHIND.get(view.page, _of_its_name)(view)
    return [discover()[name] for name in names if name in discover()]


def only_its_own(listing: Listing, view: View, page: str) -> View:
    """Return `view` under the address `page`, without what `listing` does not read."""
    kept = {key: value for key, value in view.values.items() if key in {*listing.parameters, "revision"}}
    return View(page, kept)


def _of_its_name(view: View) -> tuple[str, ...]:
    return (view.page,)


def _of_cell(view: View) -> tuple[str, ...]:
    return ("trials", "attempts", "history", "failures") if view.text("cell_id") else ()


def _of_run(view: View) -> tuple[str, ...]:
    return ("runs", "trials", "attempts", "failures") if view.text("run_id") else ("runs",)


_BEHIND: Final[Mapping[str, Callable[[View], tuple[str, ...]]]] = {
    "": lambda _view: ("leaderboard",),
    "model": lambda view: ("cells",) if view.text("model") else ("models",),
    "agent": lambda view: ("cells",) if view.text("agent") else ("agents",),
    "cell": _of_cell,
    "run": _of_run,
    "task": lambda _view: ("tasks", "matrix", "trials"),
    "attempt": lambda _view: ("attempts",),
    "failures": lambda _view: ("failures", "trials"),
    "trainings": lambda _view: ("trainings", "qualifications", "evaluations"),
    "releases": lambda _view: ("releases", "snapshots"),
}
