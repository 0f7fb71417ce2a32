"""`/failures`: how planned trials ended, then what went wrong with the attempts at them, by what and for whom."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from shared.plural import counted
from space.components.figures import duration, missing
from space.components.html import Child, Markup, join, tag
from space.components.leaderboard import edition_line, strip
from space.components.measured.failures import SUCCEEDED, crossed, grouped
from space.components.paging import paging
from space.components.shell import head, panel
from space.components.standing import OUTCOMES, badge, outcome_bar
from space.components.subject import plain_model
from space.components.table import Column, table
from space.components.trials import task_address
from space.listings.listing import Listed, read, read_whole
from space.listings.trials import trials as trials_listing
from space.listings.trials.failures import LISTING
from space.pages.page import Page
from space.queries.view import View, address
from space.readers.editions import choose_edition
from space.readers.mirror import Mirror

type Rows = Sequence[Mapping[str, Any]]

_PURPOSE: Final = "What goes wrong, and for whom: a failed trial counts 0 and stays in the denominator, a lost one is told apart."
_NOT_SCORED: Final = ("agent_failed", "benchmark_failed", "infrastructure_exhausted", "unfinished")


def show(view: View, mirror: Mirror) -> Markup:
    """Return the failures of the edition, run or cell that `view` names."""
    rows = read_whole(LISTING, view, mirror).rows
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(row["grouping"], []).append(row)
    return join(
        head("Failures", _PURPOSE),
        _scope(view, mirror),
        _outcomes(groups.get("outcome", [])),
        *(_attempts(groups) if groups.get("category") else [_no_attempt()]),
        _failed_trials(view, mirror),
    )


def _scope(view: View, mirror: Mirror) -> Markup:
    for key, what in (("cell_id", "cell"), ("run_id", "run")):
        if view.text(key):
            link = tag(
                "a",
                f"Of one {what}: ",
                tag("code", view.text(key), class_="digest"),
                href=address(View(what, {key: view.text(key)})),
            )
            return tag("p", link, class_="crumb")
    chosen = choose_edition(view, mirror)
    return join(
        strip(chosen.benchmarks, chosen.benchmark, page="failures"),
        edition_line(chosen.benchmark, chosen.row, chosen.editions, page="failures"),
    )


def _outcomes(rows: Rows) -> Markup:
    if not rows:
        return panel("No trial to count", tag("p", "No cell stands here, so no trial was planned."), kind="empty")
    counts = {row["value"].replace("not_passed", "scored"): row["count"] for row in rows}
    planned = counted(rows[0]["whole"], "planned trial")
    return tag(
        "section",
        tag("h2", "Outcomes of planned trials"),
        tag(
            "p",
            f"Each of {planned} has one outcome. Scored means that the verifier gave a reward, 0 included.",
        ),
        outcome_bar([(name, counts.get(name, 0)) for name, *_ in OUTCOMES]),
    )


def _attempts(groups: Mapping[str, Rows]) -> list[Markup | None]:
    whole = counted(groups["category"][0]["whole"], "attempt")
    failed = [row for row in groups["category"] if row["ended"] != SUCCEEDED]
    if not failed:
        none = tag("p", f"None of {whole} failed.", role="status")
        return [tag("section", tag("h2", "Attempts that failed"), none)]
    total = sum(row["count"] for row in failed)
    return [
        tag("h2", "Attempts that failed"),
        tag(
            "p",
            f"{total:,} of {whole}. What may help is tried again: a trial can be scored although an attempt failed.",
        ),
        grouped(failed, "Category", "Why attempts failed, most frequent first."),
        _grouped(groups, "reason", "Reason code", "The reasons behind the categories."),
        _grouped(groups, "phase", "Phase reached", "The part of a trial that began last before the attempt failed."),
        _grouped(groups, "exception", "Exception type", "As Harbor reports it; its text stays in the evidence."),
        tag("h2", "Who was affected"),
        crossed(groups["agent"], "Agent", "Attempts of each agent, highest share of failures first."),
        crossed(groups["model"], "Model", "Attempts of each model, highest share of failures first."),
        crossed(groups["deployment"], "Deployment", "Attempts of each deployment, highest share of failures first."),
        tag("h2", "Retries and review"),
        _grouped(groups, "retry", "Retried because", "Why a further attempt was made.")
        or tag("p", f"None of {whole} was a retry."),
        _grouped(groups, "review", "Needs review", "Attempts whose failure no rule of the classification knows.")
        or tag("p", f"None of {whole} needs review: a rule of the classification knew each failure."),
    ]


def _grouped(groups: Mapping[str, Rows], grouping: str, title: str, caption: str) -> Markup | None:
    rows = groups.get(grouping)
    return grouped(rows, title, caption) if rows else None


def _no_attempt() -> Markup:
    return tag("section", tag("h2", "Attempts that failed"), tag("p", "No attempt began here."))


def _failed_trials(view: View, mirror: Mirror) -> Markup:
    asked = view.with_values(outcomes=view.texts("outcomes") or _NOT_SCORED)
    listed = read(trials_listing.LISTING, asked, mirror)
    title = tag("h2", "Trials that were not scored", id="trials")
    if not listed.total:
        return tag("section", title, tag("p", "None: every planned trial was scored."))
    return tag("section", title, _trials_table(listed), paging(view, listed.page, listed.pages))


def _trials_table(listed: Listed) -> Markup:
    columns = [
        Column("Task"),
        Column("Model and agent"),
        Column("Repeat", is_number=True),
        Column("Outcome"),
        Column("Category"),
        Column("Reason code"),
        Column("Attempts", is_number=True),
        Column("Took", is_number=True),
    ]
    caption = f"{counted(listed.total, 'trial')}; the outcome leads to the attempts."
    return table(caption, columns, [_trial(row) for row in listed.rows], name="Trials that were not scored")


def _trial(row: Mapping[str, Any]) -> list[Child]:
    word, style = next((word, style) for name, word, _, style in OUTCOMES if name == row["outcome"])
    to = address(View("attempt", {"cell_id": row["cell_id"], "trial_id": row["trial_id"]}))
    return [
        tag("a", row["task_name"], href=task_address(row["benchmark"], row["task_name"])),
        f"{plain_model(row['model_repo'])}, {row['agent_name']}",
        str(row["repeat"]),
        tag("a", badge(style, word), href=to),
        row["failure_category"] or missing("none"),
        row["reason_code"] or missing("none"),
        str(row["attempts"]),
        duration(row["duration_seconds"]) if row["duration_seconds"] is not None else missing("none counted"),
    ]


PAGE: Final = Page(
    slug="failures",
    title="Failures",
    parameters=LISTING.parameters | {"outcomes", "page", "per_page"},
    show=show,
    in_nav=True,
    order=40,
)
