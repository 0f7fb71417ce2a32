"""`/cost`: which cells buy a better score with more money, what each cost, and what each kind of hardware took."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from shared.plural import counted
from space.components.choosing.cells import linked_score, standing_of
from space.components.choosing.pareto import NARROW, pareto_plot
from space.components.figures import count, duration, missing, money, price_document
from space.components.html import Child, Markup, join, tag
from space.components.leaderboard import edition_line, strip
from space.components.paging import paging
from space.components.shell import head, panel
from space.components.standing import badge
from space.components.subject import subject, subject_line
from space.components.table import Column, table
from space.listings.choosing.cost import LISTING
from space.listings.listing import read, read_whole
from space.pages.page import Page
from space.queries.choosing import cost as query
from space.queries.view import View, address
from space.readers.editions import Chosen, choose_edition
from space.readers.mirror import Mirror

_PURPOSE: Final = "What a planned trial cost, all attempts and retries included, against the score it bought."
_PLACES: Final = {
    "frontier": ("clean", "frontier"),
    "hollow": ("partial", "lead not shown"),
    "dominated": ("manual", "dominated"),
    "without_cost": ("manual", "cost not reported"),
    "unranked": ("manual", "not ranked"),
    "reference": ("manual", "reference"),
    "another_set": ("manual", "another ranked set"),
}
_DRAWN: Final = frozenset({"frontier", "hollow", "dominated"})
MAX_NAMED: Final = 12
MAX_DOMINATED: Final = 300


def show(view: View, mirror: Mirror) -> Markup:
    """Return the costs of the edition that `view` means."""
    chosen = choose_edition(view, mirror)
    whole = read_whole(LISTING, view, mirror).rows
    listed = read(LISTING, view, mirror)
    return join(
        head("Cost", _PURPOSE),
        strip(chosen.benchmarks, chosen.benchmark, page="cost"),
        edition_line(chosen.benchmark, chosen.row, chosen.editions, page="cost"),
        _plot([row for row in whole if row["place"] in _DRAWN]),
        _unpriced([row for row in whole if row["cost_per_trial_usd_micros"] is None]),
        _table(listed.rows, listed.total) if listed.total else _empty(view),
        paging(view, listed.page, listed.pages),
        _hardware(mirror, chosen),
    )


def _plot(rows: Sequence[Mapping[str, Any]]) -> Markup:
    if not rows:
        return panel("Nothing to draw", tag("p", "No ranked cell of this selection reported what it cost."), kind="empty")
    legend = [
        ("frontier", "on the frontier: dearer and significantly better than the one before"),
        ("hollow", "no other is cheaper and as good, but its lead over the frontier may be chance"),
        ("dominated", "another costs no more and scores no less"),
    ]
    entries = [tag("li", tag("span", class_=f"mark {name}", aria_hidden="true"), tag("span", words)) for name, words in legend]
    dominated = sorted((row for row in rows if row["place"] == "dominated"), key=lambda row: -row["score"])
    left_out = {row["cell_id"] for row in dominated[MAX_DOMINATED:]}
    drawn = [row for row in rows if row["cell_id"] not in left_out]
    said = f"{len(left_out):,} dominated cells with the lowest scores are not drawn; the table holds them." if left_out else None
    drawing = tag("div", pareto_plot(drawn), pareto_plot(drawn, NARROW), class_="drawing")
    return tag(
        "div",
        drawing,
        tag("ul", *entries, class_="legend"),
        tag("p", said, class_="muted") if said else None,
        class_="pareto-box",
    )


def _unpriced(rows: Sequence[Mapping[str, Any]]) -> Markup | None:
    """Name the cells that have no point: an unknown cost is not 0."""
    unknown = [row for row in rows if row["cost_observation"] != "not_applicable"]
    if not unknown:
        return None
    names = [join(", " if place else None, subject_line(row)) for place, row in enumerate(unknown[:MAX_NAMED])]
    more = f" and {len(unknown) - MAX_NAMED} more" if len(unknown) > MAX_NAMED else ""
    said = f"{counted(len(unknown), 'cell')} without reported cost: "
    return tag("p", said, names, more, ".", class_="muted")


def _table(rows: Sequence[Mapping[str, Any]], total: int) -> Markup:
    columns = [
        Column("Model and agent"),
        Column("Score", is_number=True),
        Column("Cost per trial", is_number=True, hint="all attempts, retries included, over the planned trials"),
        Column("Rank, or why none"),
        Column("Cost per pass", is_number=True, hint="all attempts, retries included, over the passed trials"),
        Column("In all", is_number=True),
        Column("Time of all attempts", is_number=True),
        Column("Place"),
    ]
    caption = f"{counted(total, 'cell')}, the ranked first, cheapest first. A pass is a trial that reached the threshold."
    return join(tag("h2", "Every cell"), table(caption, columns, [_row(row) for row in rows], name="Cost of every cell"))


def _row(row: Mapping[str, Any]) -> list[Child]:
    why = row["cost_observation"]
    per_pass: Child = money(row["cost_per_pass_usd_micros"], why)
    if row["cost_usd_micros"] is not None and not row["passed_trials"]:
        per_pass = missing("nothing passed")
    return [
        subject(row),
        linked_score(row),
        money(row["cost_per_trial_usd_micros"], why),
        standing_of(row),
        per_pass,
        money(row["cost_usd_micros"], why),
        duration(row["duration_seconds"]),
        badge(*_PLACES[row["place"]]),
    ]


def _hardware(mirror: Mirror, chosen: Chosen) -> Markup:
    rows = mirror.rows(query.by_hardware(chosen.benchmark, chosen.edition))
    columns = [Column("Where the model ran"), Column("Cells", is_number=True), Column("Trials", is_number=True)]
    columns += [Column(name, is_number=True) for name in ("Active time", "Cost", "Cost per trial", "Cost per pass")]
    columns += [Column("Price documents")]
    caption = "Standing cells, all attempts. A sum is not reported as soon as one of its cells does not report the value."
    shown = table(caption, columns, [_hardware_row(row) for row in rows], name="Cost by hardware")
    return tag("section", tag("h2", "By hardware"), shown)


def _hardware_row(row: Mapping[str, Any]) -> list[Child]:
    cost = row["cost_usd_micros"]
    why = "not_applicable" if row["deployment_kind"] == "none" else f"not reported by {row['cells'] - row['priced']}"
    place = row["hardware"] or row["provider"] or ("no model" if row["deployment_kind"] == "none" else "not reported")
    return [
        join(place, tag("span", f" {row['deployment_kind']}", class_="muted") if row["deployment_kind"] != "none" else None),
        count(row["cells"]),
        count(row["planned_trials"]),
        duration(row["active_seconds"]),
        money(cost, why),
        money(None if cost is None else round(cost / row["planned_trials"]), why),
        money(round(cost / row["passed_trials"]), why) if cost is not None and row["passed_trials"] else missing(why),
        join(*(price_document(price, is_whole=False) for price in row["prices"])),
    ]


def _empty(view: View) -> Markup:
    reset = address(View("cost", {key: view.values[key] for key in ("benchmark", "edition") if key in view.values}))
    return panel("No cell matches", tag("p", tag("a", "Clear filters", href=reset)), kind="empty")


PAGE: Final = Page(
    slug="cost", title="Cost", parameters=LISTING.parameters | {"page", "per_page"}, show=show, in_nav=True, order=60
)
