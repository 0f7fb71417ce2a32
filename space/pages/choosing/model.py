"""`/model`: the list of models with counts, or one model with all its cells, edition by edition."""

from typing import Final

from space.components.html import Markup
from space.pages.choosing.subjects import PARAMETERS, show_list, show_one
from space.pages.page import Page
from space.queries.view import View
from space.readers.mirror import Mirror


def show(view: View, mirror: Mirror) -> Markup:
    """Return the page of the model that `view` names, or the list."""
    return show_one("model", view, mirror) if view.text("model") else show_list("model", view, mirror)


PAGE: Final = Page(slug="model", title="Models", parameters=PARAMETERS - {"agent"}, show=show, in_nav=True, order=11)
