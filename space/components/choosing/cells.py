"""Cells in a list beside each other: score linked to its provenance, rank range, and where the cell stands."""

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from space.components.figures import day, duration, money
from space.components.html import Child, Markup, join, tag
from space.components.leaderboard import rank_text, reason
from space.components.score import band, bounds_text, interval_text, score_number
from space.components.standing import quality
from space.components.subject import below_name, cell_address, deployment_name, picked_subject
from space.components.table import Column, table

NO_TRENDS: Final[Mapping[str, str]] = MappingProxyType({})


def linked_score(cell: Mapping[str, Any]) -> Markup:
    """Return the score of `cell` as a link to where it comes from, or why there is none."""
    return tag("a", score_number(cell), href=cell_address(cell["cell_id"], "provenance"), class_="score-link", title="provenance")


def linked_score_block(cell: Mapping[str, Any]) -> Markup:
    """Return score, band, interval and bounds of `cell`, the score linked to its provenance."""
    if cell["score"] is None:
        return linked_score(cell)
    is_unit = (cell["reward_low"], cell["reward_high"]) == (0.0, 1.0)
    lost = bounds_text(cell)
    return tag(
        "div",
        tag("strong", linked_score(cell), class_="score-number"),
        band(cell["score"], cell["score_low"], cell["score_high"]) if is_unit else None,
        tag("span", interval_text(cell), class_="interval"),
        tag("span", lost, class_="bounds") if lost else None,
        class_="score",
    )


def standing_of(cell: Mapping[str, Any]) -> Child:
    """Return the rank range of a ranked cell, for any other why it has none."""
    if not cell["is_ranked"]:
        return reason(cell)
    return join(rank_text(cell), tag("span", f" of {cell['ranked_cells']}", class_="muted") if cell["ranked_cells"] else None)


def cells_table(
    rows: Sequence[Mapping[str, Any]],
    caption: Child,
    name: str,
    picked: Collection[str] = (),
    trends: Mapping[str, str] = NO_TRENDS,
) -> Markup:
    """Return the cells of one edition with the figures that a reader chooses by.

    The names have boxes for a comparison; those of the cell ids `picked` are marked. `trends` says by cell id how it did against
    the run before it.
    """
    columns = [
        Column("Model and agent"),
        Column("Score", is_number=True),
        Column("Rank, or why none"),
        Column("Cost per trial", is_number=True),
        Column("Time per trial", is_number=True),
        Column("Quality"),
        Column("Deployment"),
        Column("Completed", is_number=True),
    ]
    shown = [_row(row, trends.get(row["cell_id"], ""), is_picked=row["cell_id"] in picked) for row in rows]
    return table(caption, columns, shown, name=name, class_="leaderboard")


def _row(row: Mapping[str, Any], trend: str, *, is_picked: bool) -> list[Child]:
    return [
        picked_subject(row, below_name(row, trend), is_picked=is_picked),
        linked_score_block(row),
        standing_of(row),
        money(row["cost_per_trial_usd_micros"], row["cost_observation"]),
        duration(row["trial_seconds_median"]),
        quality(row),
        join(deployment_name(row), tag("span", row["hardware"] or row["provider"] or "", class_="second-line")),
        day(row["completed_at"]),
    ]
