"""`/run`: one submission: who asked and approved, what it fixed, its cells, trials and attempts, its spend; or all runs."""

from collections.abc import Mapping
from typing import Any, Final

from shared.plural import counted
from space.components.choosing.cells import linked_score_block
from space.components.facts import Fact, facts, figures
from space.components.figures import count, day, digest, duration, missing, moment, money, price_document, short
from space.components.html import Child, Markup, join, repository_link, tag
from space.components.leaderboard import reason
from space.components.paging import paging
from space.components.shell import head, panel
from space.components.standing import failed_counts, outcome_bar, outcome_counts, quality
from space.components.subject import deployment_name, subject
from space.components.table import Column, table
from space.listings.listing import read, read_whole
from space.listings.trials.runs import LISTING
from space.pages.page import Page
from space.queries.trials import runs as query
from space.queries.view import View, address
from space.readers.editions import unknown
from space.readers.mirror import Mirror

_LIST: Final = "Each run is one submission of one plan; submitting a plan again makes another run."
_APPROVALS: Final = {
    "not_needed": "not needed",
    "single": "single: approved by the one who asked",
    "other": "by somebody else",
}


def show(view: View, mirror: Mirror) -> Markup:
    """Return the page of the run that `view` names, or the list of runs."""
    if not view.text("run_id"):
        return _list(view, mirror)
    found = read_whole(LISTING, view.with_values(benchmark=""), mirror).rows
    if not found:
        raise unknown("run_id", view.text("run_id"))
    run = found[0]
    return join(
        tag("p", tag("a", "Runs", href=address(View("run", {}))), class_="crumb"),
        head(run["experiment"], f"One run of the benchmark {run['benchmark']}: one submission of one plan."),
        _figures(run),
        tag("section", tag("h2", "Trials"), _trials(run)),
        tag("section", tag("h2", "Physical attempts"), _attempts(mirror, run)),
        _cells(mirror, run),
        tag("section", tag("h2", "The submission"), facts(_submission(run))),
        tag("section", tag("h2", "What it hangs on"), facts(_digests(run), class_="facts long")),
    )


def _figures(run: Mapping[str, Any]) -> Markup:
    unpriced = run["cells_without_cost"]
    return figures(
        [
            ("Cells", count(run["cells"]), f"{run['withdrawn_cells']} stand no more" if run["withdrawn_cells"] else "all stand"),
            (
                "Planned trials",
                count(run["planned_trials"]),
                f"{counted(run['tasks'], 'task')} x {counted(run['repeats'], 'repeat')} a cell",
            ),
            ("Scored trials", count(run["scored_trials"]), f"{run['passed_trials']:,} passed"),
            (
                "Physical attempts",
                count(run["attempts"]),
                f"{run['failed_attempts']:,} failed, in {counted(run['waves'], 'wave')}",
            ),
            ("Estimated spend", money(run["estimated_cost_usd_micros"], "not estimated"), "before it began"),
            (
                "Settled spend",
                money(run["spent_usd_micros"]),
                f"{unpriced} of {counted(run['cells'], 'cell')} did not report theirs"
                if unpriced
                else "as every attempt reported it",
            ),
        ]
    )


def _trials(run: Mapping[str, Any]) -> Markup:
    return join(
        tag("p", "A trial is a cell's try at one repeat of a task. It gets one outcome, however many attempts that takes."),
        outcome_bar(outcome_counts(run)),
    )


def _attempts(mirror: Mirror, run: Mapping[str, Any]) -> Markup:
    states = mirror.rows(query.attempt_states(run["run_id"]))
    if not states:
        return tag("p", "No attempt began.", class_="muted")
    link = tag("a", "why attempts failed", href=address(View("failures", {"run_id": run["run_id"]})))
    said = ", ".join(f"{row['attempts']:,} {row['state']}" for row in states)
    return tag("p", f"Each physical try counts here, retries too: {said}; ", link, ".")


def _cells(mirror: Mirror, run: Mapping[str, Any]) -> Markup:
    rows = mirror.rows(query.cells(run["run_id"]))
    columns = [
        Column("Model and agent"),
        Column("Score", is_number=True),
        Column("Passed", is_number=True),
        Column("Quality"),
        Column("Deployment"),
        Column("Cost", is_number=True, hint="all attempts, retries included"),
        Column("Standing"),
    ]
    caption = f"{counted(len(rows), 'cell')} of this run, best score first; ranks are taken over all runs of an edition."
    return join(tag("h2", "Cells"), table(caption, columns, [_cell(row) for row in rows], name="Cells of this run"))


def _cell(row: Mapping[str, Any]) -> list[Child]:
    return [
        subject(row),
        linked_score_block(row),
        missing("withheld") if row["withheld"] else f"{row['passed_trials']}/{row['planned_trials']}",
        quality(row),
        join(deployment_name(row), tag("span", row["hardware"] or row["provider"] or "", class_="second-line")),
        money(row["cost_usd_micros"], row["cost_observation"]),
        tag("span", "ranked", class_="muted") if row["is_ranked"] else reason(row),
    ]


def _submission(run: Mapping[str, Any]) -> list[Fact]:
    submitted, completed = run["submitted_at"], run["completed_at"]
    approved = _APPROVALS.get(run["approval"], run["approval"])
    return [
        ("Label", run["series"]),
        ("Experiment", run["experiment"]),
        ("Benchmark", tag("a", run["benchmark"], href=address(View("", {"benchmark": run["benchmark"]})))),
        ("Requested by", run["requested_by"]),
        ("Approval", f"{approved}, {run['approved_by']}" if run["approved_by"] else approved),
        ("Kind, quality, role", f"{run['kind']}, {run['quality']}, {run['role']}"),
        ("Submitted", moment(submitted)),
        ("Completed", moment(completed)),
        ("Took", duration((completed - submitted) / 1e6)),
        ("Harbor", run["harbor_version"]),
        ("Tasks from", _source(run)),
    ]


def _source(run: Mapping[str, Any]) -> Child:
    if run["source_repo"] is None:
        return str(run["source_type"]).replace("_", " ")
    return join(
        repository_link(run["source_repo"], is_dataset=True), tag("span", f" {run['source_revision'] or ''}", class_="muted")
    )


def _digests(run: Mapping[str, Any]) -> list[Fact]:
    return [
        ("Run", digest(run["run_id"])),
        ("Plan", digest(run["plan_digest"])),
        ("Manifest", digest(run["manifest_sha256"])),
        ("Run lock", digest(run["run_lock_sha256"])),
        ("Build", digest(run["build_digest"])),
        ("Harbor lock", digest(run["harbor_lock_sha256"])),
        ("Price document", price_document(run["prices_sha256"])),
        ("Evidence root", digest(run["evidence_sha256"])),
        ("Control commit", digest(run["control_commit"])),
        ("Publication", digest(run["publication_id"])),
        ("Dataset", _dataset(run)),
    ]


def _dataset(run: Mapping[str, Any]) -> Child:
    if run["dataset"] is None:
        return missing("no cell of it is in the catalog")
    return join(repository_link(run["dataset"], is_dataset=True), f" @ {run['dataset_revision']}")


def _list(view: View, mirror: Mirror) -> Markup:
    listed = read(LISTING, view, mirror)
    if not listed.total:
        return join(head("Runs", _LIST), panel("No run to show", tag("p", "Nothing is published here yet."), kind="empty"))
    columns = [
        Column("Run"),
        Column("Benchmark"),
        Column("Cells", is_number=True),
        Column("Trials", is_number=True),
        Column("Attempts", is_number=True),
        Column("Quality"),
        Column("Spend", is_number=True),
        Column("Requested by"),
        Column("Completed", is_number=True),
    ]
    return join(
        head("Runs", _LIST),
        tag("p", counted(listed.total, "run"), role="status", class_="count"),
        table("Published runs, newest first.", columns, [_run_row(row) for row in listed.rows], name="Runs"),
        paging(view, listed.page, listed.pages),
    )


def _run_row(row: Mapping[str, Any]) -> list[Child]:
    failed = failed_counts(row)
    return [
        join(
            tag("a", row["experiment"], href=address(View("run", {"run_id": row["run_id"]}))),
            tag("span", short(row["run_id"]), class_="second-line"),
        ),
        row["benchmark"],
        count(row["cells"]),
        join(count(row["planned_trials"]), tag("span", failed, class_="second-line") if failed else None),
        join(count(row["attempts"]), tag("span", f"{row['failed_attempts']:,} failed", class_="second-line")),
        quality(row),
        money(row["spent_usd_micros"]),
        row["requested_by"],
        day(row["completed_at"]),
    ]


PAGE: Final = Page(slug="run", title="Run", parameters=frozenset({"run_id", "benchmark", "page", "per_page"}), show=show)
