"""The history of a cell: every published run of its cell digest in time, each with what changed and what a paired test says.

The test is the raw one of a single pair, this run minus the run before it, at 5%; runs of another edition are never subtracted.
"""

from typing import Final

from shared.statistics.paired import compare
from space.listings.listing import Field, Listing
from space.queries import cell as cell_query
from space.queries.choosing import history as query
from space.queries.statement import Statement
from space.queries.view import View
from space.readers.editions import unknown
from space.readers.engine import Row
from space.readers.mirror import Mirror
from space.readers.ranks import edition_ranks

SINGLE_LOOK: Final = 0.05


def _ask(view: View, mirror: Mirror) -> Statement:
    found = next(iter(mirror.asked(cell_query.cell(view.text("cell_id")))), None)
    if found is None:
        raise unknown("cell_id", view.text("cell_id"))
    return query.reruns(found["cell_digest"], found["role"])


def _derive(_view: View, mirror: Mirror, rows: list[Row]) -> list[Row]:
    return [{**row, **_against_before(mirror, row)} for row in rows]


def _against_before(mirror: Mirror, row: Row) -> Row:
    nothing = dict.fromkeys(("difference", "difference_low", "difference_high", "p"))
    if row["before_id"] is None:
        return {**nothing, "verdict": "first"}
    if row["before_edition"] != row["edition"]:
        return {**nothing, "verdict": "another_edition"}
    known = edition_ranks(mirror, row["benchmark"], row["edition"]).cells
    if row["cell_id"] not in known or row["before_id"] not in known:
        return {**nothing, "verdict": "not_compared"}
    test = compare(known[row["cell_id"]].tasks, known[row["before_id"]].tasks)
    verdict = "untested" if test.p is None else "not_told_apart"
    if test.p is not None and test.difference is not None and test.p <= SINGLE_LOOK:
        verdict = "better" if test.difference > 0 else "worse"
    return {
        "difference": test.difference,
        "difference_low": test.low,
        "difference_high": test.high,
        "p": test.p,
        "verdict": verdict,
    }


LISTING: Final = Listing(
    name="history",
    title="History of a cell",
    parameters=frozenset({"cell_id"}),
    fields=(
        Field("cell_id"),
        Field("run_id"),
        Field("completed_at", "time"),
        Field("record", meaning="what the catalog says of it now"),
        Field("is_ranked", "bool", "this run stands in the ranked set"),
        Field("score", "float"),
        Field("score_low", "float", "95% interval"),
        Field("score_high", "float"),
        Field("passed_trials", "int"),
        Field("planned_trials", "int"),
        Field("cost_per_trial_usd_micros", "micros"),
        Field("harbor_version"),
        Field("engine"),
        Field("engine_version"),
        Field("image_digest"),
        Field("prices_sha256"),
        Field("before_id", meaning="the run before it"),
        Field("changed", "texts", "what else changed since the run before"),
        Field("difference", "float", "mean task difference to the run before", is_derived=True),
        Field("difference_low", "float", "95% paired interval", is_derived=True),
        Field("difference_high", "float", is_derived=True),
        Field("p", "float", "two-sided, raw, of this one pair", is_derived=True),
        Field("verdict", meaning="better or worse at p <= 5%, not_told_apart, untested, not_compared", is_derived=True),
    ),
    ask=_ask,
    derive=_derive,
)
