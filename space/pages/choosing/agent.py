"""`/agent`: the list of agents with counts, or one agent with all its cells, edition by edition."""

from typing import Final

from space.components.html import Markup
from space.pages.choosing.subjects import PARAMETERS, show_list, show_one
from space.pages.page import Page
from space.queries.view import View
from space.readers.mirror import Mirror


def show(view: View, mirror: Mirror) -> Markup:
    """Return the page of the agent that `view` names, or the list."""
    return show_one("agent", view, mirror) if view.text("agent") else show_list("agent", view, mirror)


PAGE: Final = Page(slug="agent", title="Agents", parameters=PARAMETERS - {"model"}, show=show, in_nav=True, order=12)
