"""The looks of the leaderboard: benchmark strip, line of the edition, the table of ranked cells, the table of the others.

A rank is the range that paired tests between cells allow; the order is that of one column, and the caption says so. Numbers 1
to N are never shown.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, Literal

from shared.plural import counted
from space.components.figures import day, duration, missing, money, percent, short
from space.components.html import Child, Markup, join, tag
from space.components.score import score_block
from space.components.standing import badge, quality
from space.components.subject import below_name, cell_address, deployment_name, picked_subject
from space.components.table import Column, table
from space.queries.leaderboard import direction_of
from space.queries.view import View, address

_CELL: Final = re.compile(r"cell-[0-9a-f]{1,58}")
_ORDERS: Final = {
    "score": "score",
    "cost": "cost per trial",
    "pass_rate": "pass rate",
    "tokens": "tokens",
    "duration": "time per trial",
    "completed": "time of completion",
}


def strip(benchmarks: Sequence[Mapping[str, Any]], current: str, page: str = "") -> Markup:
    """Return the published benchmarks as links to `page`, the shown one marked."""
    entries = [
        tag(
            "li",
            tag(
                "a",
                tag("span", row["benchmark"], class_="benchmark-name"),
                tag("span", f"{counted(row['cells'], 'standing cell')}, newest ", day(row["newest"]), class_="muted"),
                href=address(View(page, {"benchmark": row["benchmark"]})),
                aria_current="true" if row["benchmark"] == current else None,
            ),
        )
        for row in benchmarks
    ]
    return tag("nav", tag("ul", *entries), class_="strip", aria_label="Benchmarks")


def edition_line(benchmark: str, edition: Mapping[str, Any], editions: Sequence[Mapping[str, Any]], page: str = "") -> Markup:
    """Return what the shown edition fixes, and links to the other editions of the benchmark on `page`."""
    said = [
        f"{counted(edition['tasks'], 'task')} x {counted(edition['repeats'], 'repeat')}",
        f"passed at reward {edition['pass_threshold']:g}",
        f"{duration(edition['trial_seconds'])} a trial",
        f"{edition['sandbox']} sandbox",
    ]
    others = [row for row in editions if row["edition"] != edition["edition"]]
    links = [
        tag(
            "a",
            f"{counted(row['tasks'], 'task')} x {row['repeats']}, {counted(row['cells'], 'standing cell')}",
            href=address(View(page, {"benchmark": benchmark, "edition": row["edition"][:12]})),
        )
        for row in others
    ]
    return tag(
        "p",
        tag("strong", "Edition "),
        short(edition["edition"]),
        tag("span", ": " + ", ".join(said) + ".", class_="muted"),
        tag("span", " Other editions: ", class_="muted") if links else None,
        *(join(link, " ") for link in links),
        class_="edition",
    )


def ranked_table(view: View, rows: Sequence[Mapping[str, Any]], *, sets: int = 1, is_filtered: bool = False) -> Markup:
    """Return the cells that may be ranked, in the view's order; `sets` is how many ranked sets the edition has.

    Groups are marked where every ranked cell is there in the order of scores: with a filter a line could stand in a wrong place.
    """
    is_whole = sets == 1 and view.text("sort") == "score" and not view.text("dir") and not is_filtered
    starts = _group_starts(rows) if is_whole else frozenset()
    caption = join(
        f"Ordered by {_ORDERS[view.text('sort')]}. The band is the 95% interval: it covers task sampling and rerun noise. ",
        "A rank is the range that paired tests on shared tasks leave: 2-4 of 6 says that one cell is significantly better and ",
        "two are significantly worse. Filters never move it.",
        " A line begins a group that the tests tell apart from the first of the group above, reference agents left out."
        if starts
        else None,
        f" There are {sets} ranked sets: local runs are ranked within one host's software." if sets > 1 else None,
    )
    shown = [_row(row) for row in rows]
    return table(caption, _columns(view), shown, name="Cells of this edition", class_="leaderboard", ruled=starts)


def _group_starts(rows: Sequence[Mapping[str, Any]]) -> frozenset[int]:
    """Return the places of `rows` where another tie group begins; a reference agent is in none."""
    grouped = [(place, row["tie_group"]) for place, row in enumerate(rows) if row["tie_group"] is not None]
    return frozenset(place for (_, before), (place, group) in pairwise(grouped) if group != before)


def rank_text(row: Mapping[str, Any]) -> Child:
    """Return the rank range of a cell, or a dash for a cell that is not in a ranked set."""
    if row["rank_low"] is None:
        return missing("no rank")
    return str(row["rank_low"]) if row["rank_low"] == row["rank_high"] else f"{row['rank_low']}-{row['rank_high']}"


def unranked_table(rows: Sequence[Mapping[str, Any]]) -> Markup:
    """Return the cells that are listed without a rank, each with its reason."""
    columns = [
        Column("Model and agent"),
        Column("Score", is_number=True),
        Column("Why it is not ranked"),
        Column("Passed", is_number=True),
    ]
    columns += [Column("Quality"), Column("Completed", is_number=True, hint="and where the score comes from")]
    shown = [
        [picked_subject(row, below_name(row)), score_block(row), reason(row), _passed(row), quality(row), _completed(row)]
        for row in rows
    ]
    caption = "Cells with a reason against ranking them."
    return join(tag("h2", "Listed, not ranked"), table(caption, columns, shown, name="Cells without rank", class_="leaderboard"))


def reason(cell: Mapping[str, Any]) -> Markup:
    """Return why `cell` is not ranked: withheld here, withdrawn or superseded in the catalog, or as published."""
    if cell["withheld"]:
        return join(badge("failed", "withheld"), " ", cell["withheld"])
    if not cell["stands"]:
        parts: list[Child] = [badge("partial", cell["record"]), " ", day(cell["recorded_at"])]
        parts += [": ", cell["record_reason"]] if cell["record_reason"] else []
        parts += [". Replaced by ", _successor(cell["replaced_by"])] if cell["replaced_by"] else []
        return join(*parts)
    return join(cell["unranked_reason"] or "a newer run of this cell is ranked")


def _successor(replaced_by: str) -> Markup:
    """Return what replaces a cell, linked where it is a cell's id."""
    name = tag("code", replaced_by, class_="digest")
    return tag("a", name, href=cell_address(replaced_by)) if _CELL.fullmatch(replaced_by) else name


def _columns(view: View) -> list[Column]:
    def sortable(title: str, key: str, hint: str = "") -> Column:
        is_sorted, now = view.text("sort") == key, direction_of(view)
        link = view.with_values(sort=key, dir=("asc" if now == "desc" else "desc") if is_sorted else "", page=1)
        shown: Literal["", "ascending", "descending"] = ""
        if is_sorted:
            shown = "descending" if now == "desc" else "ascending"
        return Column(title, is_number=True, sort_link=address(link), sorted_as=shown, hint=hint)

    return [
        Column("Model and agent"),
        Column("Rank", is_number=True, hint="the range that paired tests allow"),
        sortable("Score", "score", "mean reward over the planned trials, of 100"),
        sortable("Passed", "pass_rate", "trials that reached the threshold, of all planned"),
        sortable("Cost per trial", "cost", "all attempts, retries included, over the planned trials"),
        sortable("Time per trial", "duration", "median over the trials"),
        Column("All repeats", is_number=True, hint="pass^k: tasks passed in every repeat"),
        Column("Quality"),
        Column("Deployment"),
        sortable("Completed", "completed", "and where the score comes from"),
    ]


def _row(row: Mapping[str, Any]) -> list[Child]:
    return [
        picked_subject(row, below_name(row)),
        rank_text(row),
        score_block(row),
        _passed(row),
        money(row["cost_per_trial_usd_micros"], row["cost_observation"]),
        duration(row["trial_seconds_median"]),
        missing("withheld") if row["pass_hat_k"] is None else f"{percent(row['pass_hat_k'])}%",
        quality(row),
        _deployment(row),
        _completed(row),
    ]


def _passed(row: Mapping[str, Any]) -> Child:
    if row["withheld"]:
        return missing("withheld")
    return f"{row['passed_trials']:,}/{row['planned_trials']:,}"


def _deployment(row: Mapping[str, Any]) -> Markup:
    """Return how the model was served, on what, and how many trials ran at once."""
    times = f"{row['accelerator_count']} x " if row["accelerator_count"] else ""
    place = f"{times}{row['hardware']}" if row["hardware"] else row["provider"] or _unnamed_place(row)
    return tag(
        "div",
        deployment_name(row),
        tag("span", f"{place}, {row['concurrency']} at once", class_="second-line"),
        class_="deployed",
    )


def _unnamed_place(row: Mapping[str, Any]) -> str:
    if row["deployment_kind"] == "none":
        return "no accelerator"
    return "hardware not reported"


def _completed(row: Mapping[str, Any]) -> Markup:
    """Return when a cell was completed, and the link to where its score comes from."""
    link = tag("a", "provenance", href=cell_address(row["cell_id"], "provenance"), class_="evidence")
    return join(day(row["completed_at"]), tag("span", link, class_="second-line"))
