"""`/throughput`: how long trials and model requests took, tokens by kind, what came out a second, what endpoints did meanwhile.

What nobody observed is said once and is no column; columns of endpoints leave a list that mixes kinds of deployment.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from shared.plural import counted
from space.components.figures import count, duration, missing
from space.components.html import Child, Markup, join, tag
from space.components.leaderboard import edition_line, strip
from space.components.measured.drawings import reach
from space.components.paging import paging, slice_of
from space.components.shell import head, panel
from space.components.subject import deployment_name, subject
from space.components.table import Column, table
from space.listings.listing import read_whole
from space.listings.trials.throughput import ENDPOINT_FIELDS, LATENCY_FIELDS, LISTING
from space.pages.page import Page
from space.queries.trials import throughput as query
from space.queries.view import View
from space.readers.editions import Chosen, choose_edition
from space.readers.mirror import Mirror

type Rows = Sequence[Mapping[str, Any]]

_PURPOSE: Final = "How fast cells went under the conditions they ran in. Speed is no part of a score."
_LATENCIES: Final = ("First token, p50", "p95", "Between tokens, p50", "p95", "Request, p50", "p95")
_PHASES: Final = ("Startup", "Active", "Idle", "Drain", "Cleanup")


def show(view: View, mirror: Mirror) -> Markup:
    """Return the speed of the cells of the edition that `view` means."""
    chosen = choose_edition(view, mirror)
    whole = read_whole(LISTING, view, mirror).rows
    page, pages, rows = slice_of(view, whole)
    top = join(
        head("Throughput", _PURPOSE),
        strip(chosen.benchmarks, chosen.benchmark, page="throughput"),
        edition_line(chosen.benchmark, chosen.row, chosen.editions, page="throughput"),
    )
    if not whole:
        return join(top, panel("No cell to show", tag("p", "No cell of this edition stands."), kind="empty"))
    return join(
        top,
        tag("p", counted(len(whole), "cell"), role="status", class_="count"),
        _pace(rows, max((row["trial_seconds_p95"] or 0.0 for row in whole), default=0.0)),
        _tokens(rows),
        tag("h2", "Model requests"),
        _latencies(rows, whole),
        tag("h2", "Endpoints"),
        _endpoints(rows, whole),
        _measured(mirror, chosen),
        paging(view, page, pages),
    )


def _pace(rows: Rows, top: float) -> Markup:
    columns = [
        Column("Model and agent"),
        Column("Deployment"),
        Column("At once", is_number=True, hint="trials at once"),
        Column("Trial, p50", is_number=True),
        Column("Trial, p95", is_number=True),
        Column("p50 to p95"),
        Column("Output tokens a second", is_number=True),
        Column("Trials an hour", is_number=True),
        Column("Wall time", is_number=True),
    ]
    caption = (
        "Durations are of the attempts that count. Pace is over the time from the first attempt's start to the last one's end."
    )
    return table(caption, columns, [_pace_row(row, top) for row in rows], name="Trials and pace")


def _pace_row(row: Mapping[str, Any], top: float) -> list[Child]:
    p50, p95 = row["trial_seconds_p50"], row["trial_seconds_p95"]
    drawing = missing("not_observed")
    if p50 is not None and p95 is not None:
        drawing = reach(p50, p95, top, f"half of the trials within {duration(p50)}, 95% within {duration(p95)}")
    return [
        subject(row),
        join(deployment_name(row), tag("span", row["hardware"] or row["provider"] or "", class_="second-line")),
        count(row["concurrency"]),
        _seconds(p50, "not_observed"),
        join(
            _seconds(p95, "not_observed"), tag("span", f"of {counted(row['timed_trials'] or 0, 'trial')}", class_="second-line")
        ),
        drawing,
        _rate(row["output_tokens_per_second"], row["tokens_missing"]),
        _rate(row["trials_per_hour"], "not_observed"),
        _seconds(row["wall_seconds"], "not_observed"),
    ]


def _tokens(rows: Rows) -> Markup:
    kinds = ("input", "cached", "output", "reasoning")
    columns = [Column("Model and agent"), *(Column(kind.capitalize(), is_number=True) for kind in kinds)]
    shown: list[list[Child]] = [
        [
            subject(row),
            *(
                missing(row["tokens_missing"]) if row[f"{kind}_tokens"] is None else count(row[f"{kind}_tokens"])
                for kind in kinds
            ),
        ]
        for row in rows
    ]
    caption = (
        "Tokens by kind, over all attempts; not reported where one attempt did not say. Cached tokens are part of the input."
    )
    return join(tag("h2", "Tokens"), table(caption, columns, shown, name="Tokens by kind"))


def _latencies(rows: Rows, whole: Rows) -> Markup:
    if all(row[name] is None for row in whole for name in LATENCY_FIELDS):
        asked = sum(row["latency_missing"] != "not_applicable" for row in whole)
        said = f"in any of {counted(asked, 'cell')} that ask a model: nothing between agent and model measured its requests"
        return tag("p", "Time to the first token, between tokens and of a whole request: ", missing("not_observed"), f" {said}.")
    shown: list[list[Child]] = [
        [subject(row), *(_seconds(row[name], row["latency_missing"]) for name in LATENCY_FIELDS)] for row in rows
    ]
    columns = [Column("Model and agent"), *(Column(title, is_number=True) for title in _LATENCIES)]
    return table("Over all model requests of a cell.", columns, shown, name="Model requests")


def _endpoints(rows: Rows, whole: Rows) -> Markup:
    observations = {row["endpoint_observation"] for row in whole}
    if "not_comparable" in observations:
        kinds = sorted({row["deployment_kind"] for row in whole if row["model_repo"] != "none"})
        said = f" {' and '.join(kinds)} stand in one list, and only an endpoint has these figures."
        return tag("p", tag("strong", "Startup, active, idle, drain and cleanup: not comparable."), said)
    if observations == {"not_applicable"}:
        return tag(
            "p", "Startup, active, idle, drain and cleanup: ", missing("not_applicable"), ", no cell here owned an endpoint."
        )
    shown: list[list[Child]] = [
        [
            subject(row),
            count(row["waves"]),
            *(_seconds(row[name], _why(row)) for name in ENDPOINT_FIELDS),
        ]
        for row in rows
    ]
    columns = [Column("Model and agent"), Column("Waves", is_number=True), *(Column(each, is_number=True) for each in _PHASES)]
    caption = "How long the endpoints of a cell's waves were in each phase, summed; cells that shared a wave share its time."
    return table(caption, columns, shown, name="Endpoints")


def _why(row: Mapping[str, Any]) -> str:
    return "not_observed" if row["endpoint_observation"] == "observed" else str(row["endpoint_observation"])


def _measured(mirror: Mirror, chosen: Chosen) -> Markup | None:
    rows = mirror.rows(query.attempt_seconds(chosen.benchmark, chosen.edition))
    if not rows:
        return None
    columns = [
        Column("Model and agent"),
        Column("Metric"),
        Column("p50", is_number=True),
        Column("p95", is_number=True),
        Column("Attempts", is_number=True),
    ]
    shown: list[list[Child]] = [
        [
            subject(row),
            row["name"],
            _seconds(row["p50"], "not_observed"),
            _seconds(row["p95"], "not_observed"),
            join(f"{row['observed']:,}", f", {row['missing']:,} without" if row["missing"] else None),
        ]
        for row in rows[:MAX_MEASURED]
    ]
    more = f"; the first {MAX_MEASURED} of {len(rows):,}" if len(rows) > MAX_MEASURED else ""
    caption = f"Durations that attempts measured themselves, by metric{more}."
    return join(tag("h2", "Measured by attempts"), table(caption, columns, shown, name="Measured by attempts"))


def _seconds(value: float | None, why: str) -> Child:
    if value is None:
        return missing(why)
    return f"{1000 * value:.0f} ms" if value < 1 else duration(value)


def _rate(value: float | None, why: str) -> Child:
    return missing(why) if value is None else f"{value:,.1f}"


MAX_MEASURED: Final = 200
PAGE: Final = Page(
    slug="throughput",
    title="Throughput",
    parameters=LISTING.parameters | {"page", "per_page"},
    show=show,
    in_nav=True,
    order=50,
)
