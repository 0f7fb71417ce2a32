"""What stands below the name in a row: what a trial cost, where the screen is too narrow for its column, and the earlier runs."""

from collections.abc import Mapping
from typing import Any

from space.components.figures import money
from space.components.html import Child, Markup, join, tag
from space.components.subject import cell_address


def below_name(cell: Mapping[str, Any], said: str = "") -> Markup:
    """Return the cost of a trial, for narrow screens alone, and the link to the cell's other runs with what is `said` of them."""
    return join(_cost(cell), earlier_runs(cell, said))


def earlier_runs(cell: Mapping[str, Any], said: str = "") -> Markup | None:
    """Return the link to the history of `cell`, None where this is its only published run."""
    others = cell["runs"] - 1
    if not others:
        return None
    words = f"{others} {'earlier' if cell['is_newest'] else 'other'} run{'' if others == 1 else 's'}"
    link = tag("a", words, href=cell_address(cell["cell_id"], "history"))
    return tag("span", link, f": {said}" if said else None, class_="second-line earlier")


def _cost(cell: Mapping[str, Any]) -> Markup | None:
    if cell["cost_observation"] == "not_applicable":
        return None
    amount: Child = money(cell["cost_per_trial_usd_micros"], "cost not reported")
    is_known = cell["cost_per_trial_usd_micros"] is not None
    return tag("span", amount, " a trial" if is_known else None, class_="second-line narrow-only")
