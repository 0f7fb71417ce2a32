"""`/attempt`: the attempts of one trial in order, the selected one marked, with what each measured and left as evidence.

The evidence itself is private: its files are named with digest and size, without a link.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from shared.plural import counted
from space.components.facts import Fact, facts
from space.components.figures import MISSING_WORDS, digest, duration, missing, moment, money, size
from space.components.html import Child, Markup, join, tag
from space.components.provenance import is_sample
from space.components.shell import banner, head
from space.components.standing import badge, trial_mark
from space.components.subject import cell_address, plain_model
from space.components.table import Column, table
from space.components.trials import task_address
from space.listings.listing import read_whole
from space.listings.trials.attempts import LISTING
from space.pages.cell import not_published
from space.pages.page import Page
from space.queries import attempt as query
from space.queries import cell as cell_query
from space.queries.view import View, address
from space.readers.mirror import Mirror

type Rows = Sequence[Mapping[str, Any]]


def show(view: View, mirror: Mirror) -> Markup:
    """Return the attempts of the trial that `view` names by trial or by attempt."""
    cell_id, trial_id = _names(view, mirror)
    cell = mirror.one(cell_query.cell(cell_id)) if cell_id else None
    trial = mirror.one(query.trial(cell["publication_id"], trial_id)) if cell else None
    if cell is None or trial is None or trial["cell_id"] != cell["cell_id"]:
        return not_published("attempt", view.text("attempt_id") or view.text("trial_id"))
    attempts = read_whole(LISTING, View("attempt", {"cell_id": cell_id, "trial_id": trial_id}), mirror).rows
    ids = [attempt["attempt_id"] for attempt in attempts]
    metrics = mirror.rows(query.metrics(cell["publication_id"], ids))
    artifacts = mirror.rows(query.artifacts(cell["publication_id"], ids))
    return join(
        _crumb(cell, trial),
        head(join(trial["task_name"], tag("span", f", repeat {trial['repeat']}", class_="muted")), _PURPOSE),
        banner("stale", tag("strong", "Withheld: "), cell["withheld"]) if cell["withheld"] else None,
        facts(_trial_facts(cell, trial)),
        _order(attempts),
        *(
            _attempt(cell, trial, attempt, metrics, artifacts, is_asked=attempt["attempt_id"] == view.text("attempt_id"))
            for attempt in attempts
        ),
        tag("p", "No attempt of this trial began.", class_="muted") if not attempts else None,
    )


_PURPOSE: Final = "One trial: every physical try at it in order, and which of them counts."


def _names(view: View, mirror: Mirror) -> tuple[str, str]:
    cell_id, trial_id, attempt_id = view.text("cell_id"), view.text("trial_id"), view.text("attempt_id")
    if cell_id and trial_id:
        return cell_id, trial_id
    if not trial_id and not attempt_id:
        return "", ""
    found = mirror.one(query.owner_of_trial(trial_id) if trial_id else query.owner_of_attempt(attempt_id))
    return (found["cell_id"], found["trial_id"]) if found else ("", "")


def _crumb(cell: Mapping[str, Any], trial: Mapping[str, Any]) -> Markup:
    name = f"{plain_model(cell['model_repo'])} with {cell['agent_name']}"
    return tag(
        "p",
        tag("a", name, href=cell_address(cell["cell_id"])),
        " / ",
        tag("a", trial["task_name"], href=task_address(cell["benchmark"], trial["task_name"])),
        class_="crumb",
    )


def _trial_facts(cell: Mapping[str, Any], trial: Mapping[str, Any]) -> list[Fact]:
    _, style, word = trial_mark(trial)
    reward: Child = missing("no reward") if trial["reward"] is None else f"{trial['reward']:g}"
    none = "not_applicable" if cell["model_repo"] == "none" else "not_reported"
    return [
        ("Outcome", badge(style, word)),
        ("Reward", join(reward, f" (passed at {cell['pass_threshold']:g})")),
        ("Attempts", str(trial["attempts"])),
        ("Cost of all attempts", money(trial["cost_usd_micros"], none)),
        ("Failure", _pair(trial["failure_category"], trial["reason_code"])),
        ("Took", duration(trial["duration_seconds"]) if trial["duration_seconds"] is not None else missing("none counted")),
        ("Run", tag("a", digest(cell["run_id"]), href=address(View("run", {"run_id": cell["run_id"]})))),
        ("Trial", digest(trial["trial_id"])),
        ("Task digest", digest(trial["task_digest"])),
    ]


def _order(attempts: Rows) -> Markup | None:
    """Return the attempts of a trial that was tried more than once, in order; the selected one is marked."""
    if len(attempts) < 2:
        return None
    columns = [Column("Attempt"), Column("Ended"), Column("Category"), Column("Reason code"), Column("Retried because")]
    columns += [Column("Took", is_number=True), Column("Counts")]
    shown: list[list[Child]] = [
        [
            tag("a", f"Attempt {row['ordinal']}", href=f"#attempt-{row['ordinal']}"),
            row["state"],
            row["category"] or missing("none"),
            row["reason_code"] or missing("none"),
            row["retry_reason"] or missing("not a retry" if row["ordinal"] == 1 else "not_reported"),
            duration(_seconds(row)),
            badge("clean", "selected") if row["is_selected"] else tag("span", "no", class_="muted"),
        ]
        for row in attempts
    ]
    return table(
        f"{counted(len(attempts), 'attempt')} in order; the first valid one counts.", columns, shown, name="Attempts in order"
    )


def _seconds(attempt: Mapping[str, Any]) -> float | None:
    started, finished = attempt["started_at"], attempt["finished_at"]
    return None if started is None or finished is None else (finished - started) / 1e6


def _attempt(
    cell: Mapping[str, Any],
    trial: Mapping[str, Any],
    attempt: Mapping[str, Any],
    metrics: Rows,
    artifacts: Rows,
    *,
    is_asked: bool,
) -> Markup:
    is_selected = attempt["attempt_id"] == trial["selected_attempt_id"]
    none = "This sample has no evidence behind it." if is_sample(cell) else "No evidence file is listed for this attempt."
    mark = badge("clean", "selected: this one counts") if is_selected else badge("manual", "not selected")
    return tag(
        "section",
        tag("h2", f"Attempt {attempt['ordinal']} ", mark, id=f"attempt-{attempt['ordinal']}"),
        facts(_attempt_facts(attempt)),
        _metrics([row for row in metrics if row["owner_id"] == attempt["attempt_id"]]),
        _artifacts([row for row in artifacts if row["owner_id"] == attempt["attempt_id"]], none),
        class_="attempt asked" if is_asked else "attempt",
    )


def _attempt_facts(attempt: Mapping[str, Any]) -> list[Fact]:
    review = "yes" if attempt["needs_review"] else "no"
    return [
        ("State", attempt["state"]),
        ("Category", attempt["category"] or missing("none: it succeeded" if attempt["state"] == "succeeded" else "not_reported")),
        ("Reason code", attempt["reason_code"] or missing("none")),
        ("Phase reached", attempt["phase"] or missing()),
        ("Exception type", attempt["exception_type"] or missing("none")),
        ("Retried because", attempt["retry_reason"] or missing("not a retry" if attempt["ordinal"] == 1 else "not_reported")),
        ("Started", moment(attempt["started_at"])),
        ("Finished", moment(attempt["finished_at"])),
        ("Took", duration(_seconds(attempt))),
        ("Verifier", attempt["verifier_environment"] or missing()),
        ("Needs review", f"{review}, classification {attempt['classification_version']}"),
        ("Runtime", attempt["runtime"]),
        ("Wave", digest(attempt["wave_id"])),
        ("Job", digest(attempt["job_id"])),
        ("Attempt", digest(attempt["attempt_id"])),
        ("Bundle", digest(attempt["bundle_sha256"], "no sealed bundle")),
    ]


def _metrics(rows: Rows) -> Markup | None:
    if not rows:
        return None
    columns = [Column("Metric"), Column("Value", is_number=True), Column("Unit")]
    shown: list[list[Child]] = [[row["name"], _measured(row), row["unit"]] for row in rows]
    return table("What this attempt measured.", columns, shown, name="Metrics")


def _measured(row: Mapping[str, Any]) -> Child:
    if row["value"] is None or row["observation"] != "observed":
        return missing(MISSING_WORDS.get(row["observation"], row["observation"]))
    return f"{row['value']:,.6g}"


def _artifacts(rows: Rows, none: str) -> Markup:
    if not rows:
        return tag("p", none, class_="muted")
    columns = [Column("Evidence file"), Column("Kind"), Column("Size", is_number=True), Column("SHA-256"), Column("Stored")]
    shown: list[list[Child]] = [
        [digest(row["path"]), row["kind"], size(row["size_bytes"]), digest(row["sha256"]), row["stored"]] for row in rows
    ]
    inner = table(
        f"{counted(len(rows), 'file')}. The evidence is private: here are its names and digests.",
        columns,
        shown,
        name="Evidence files",
    )
    return tag("details", tag("summary", f"Evidence files ({len(rows)})"), inner, class_="more")


def _pair(first: str | None, second: str | None) -> Child:
    known = [part for part in (first, second) if part]
    return ", ".join(known) if known else missing("none")


PAGE: Final = Page(slug="attempt", title="Attempt", parameters=frozenset({"cell_id", "trial_id", "attempt_id"}), show=show)
