"""`/trainings`: trainings, qualifications and evaluations as published, failed and refused ones too; or one training."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from space.components.facts import Fact, facts
from space.components.figures import count, day, digest, duration, missing, money
from space.components.html import Child, Markup, join, tag
from space.components.shell import head, panel
from space.components.standing import badge
from space.components.table import Column, table
from space.listings.listing import Listing, read, read_whole
from space.listings.training import evaluations, qualifications
from space.listings.training.trainings import LISTING
from space.pages.page import Page
from space.queries.view import View, address
from space.readers.editions import unknown
from space.readers.mirror import Mirror

type Row = Mapping[str, Any]

_PURPOSE: Final = "Recipes carried out, and the proof that their build can train: failed and refused ones stand here too."
_STATES: Final = {"succeeded": "clean", "passed": "clean", "failed": "failed", "refused": "failed", "no_receipt": "manual"}


def show(view: View, mirror: Mirror) -> Markup:
    """Return the three lists, or the one training that `view` names."""
    if view.text("training_id"):
        found = read_whole(LISTING, view, mirror).rows
        if not found:
            raise unknown("training_id", view.text("training_id"))
        return one_training(found[0])
    return join(
        head("Trainings", _PURPOSE),
        _list(LISTING, view, mirror, trainings_table, _NO_TRAINING),
        _list(qualifications.LISTING, view, mirror, qualifications_table, _NO_QUALIFICATION),
        _list(evaluations.LISTING, view, mirror, evaluations_table, _NO_EVALUATION),
    )


def trainings_table(rows: Sequence[Row]) -> Markup:
    """Return trainings with their receipt; one of another trainer part is no receipt for them."""
    columns = [Column("Training"), Column("Method"), Column("Base"), Column("State"), Column("Receipt")]
    columns += [Column("Steps", is_number=True), Column("Selected step", is_number=True), Column("Finished", is_number=True)]
    shown: list[list[Child]] = [
        [
            tag("a", row["recipe_name"], href=address(View("trainings", {"training_id": row["training_id"]}))),
            row["method"],
            row["base"],
            _state(row["state"]),
            receipt(row),
            f"{row['steps_done'] or 0:,} of {row['steps_planned'] or 0:,}",
            missing("none selected") if row["selected_step"] is None else count(row["selected_step"]),
            day(row["finished_at"]),
        ]
        for row in rows
    ]
    return table("An unfinished training has not passed.", columns, shown, name="Trainings")


def qualifications_table(rows: Sequence[Row]) -> Markup:
    """Return qualifications with the checks that failed."""
    columns = [Column("Qualification"), Column("State"), Column("Trainer part"), Column("Failed checks"), Column("Resume mode")]
    columns += [Column("Optimizer steps", is_number=True), Column("Finished", is_number=True)]
    shown: list[list[Child]] = [
        [
            digest(row["qualification_id"]),
            _state(row["state"]),
            digest(row["trainer_part"]),
            ", ".join(row["failed_checks"] or ()) or "none",
            row["resume_mode"] or missing("not_applicable"),
            count(row["optimizer_steps"]),
            day(row["finished_at"]),
        ]
        for row in rows
    ]
    return table("Each is about one trainer part and no other.", columns, shown, name="Qualifications")


def evaluations_table(rows: Sequence[Row]) -> Markup:
    """Return evaluations by artifact, role and metric."""
    columns = [
        Column("Evaluation"),
        Column("Role"),
        Column("Metric"),
        Column("Value", is_number=True),
        Column("Samples", is_number=True),
    ]
    columns += [Column("Verdict"), Column("Completed", is_number=True)]
    shown: list[list[Child]] = [
        [
            digest(row["evaluation_id"]),
            row["role"],
            row["metric"],
            missing("not_observed") if row["value"] is None else f"{row['value']:.6g}",
            count(row["samples"]),
            join(row["verdict"] or row["state"], tag("span", ", ".join(row["reasons"] or ()), class_="second-line")),
            day(row["completed_at"]),
        ]
        for row in rows
    ]
    return table("On frozen held-out sets; an outcome here is observed, not verified.", columns, shown, name="Evaluations")


def one_training(row: Row) -> Markup:
    """Return one training in full."""
    pairs: list[Fact] = [
        ("State", _state(row["state"])),
        ("Receipt", receipt(row)),
        ("Failure category", row["failure_category"] or missing("none")),
        ("Recipe", digest(row["recipe"])),
        ("Trainer part", digest(row["trainer_part"])),
        ("Build", digest(row["build"])),
        ("Base", row["base"]),
        ("Start adapter", digest(row["start_adapter"], "none")),
        ("Environment, loop", f"{row['environment_kind'] or 'none'}, {row['loop'] or 'none'}"),
        ("Steps", f"{row['steps_done'] or 0:,} of {row['steps_planned'] or 0:,}"),
        ("Selected, resumable step", f"{_or_none(row['selected_step'])}, {_or_none(row['resumable_step'])}"),
        ("Resumed from", digest(row["resumed_from"], "not resumed")),
        ("Dropped rollouts", f"{row['dropped_rollouts'] or 0:,} of {row['rollouts'] or 0:,}"),
        ("Took", duration(row["wall_s"])),
        ("Cost", money(row["cost_usd_micros"])),
        ("Statement", digest(row["statement"])),
    ]
    up = tag("p", tag("a", "Trainings", href="/trainings"), class_="crumb")
    return join(up, head(row["recipe_name"], f"One training, {row['method']}, as published."), facts(pairs, class_="facts long"))


def receipt(row: Row) -> Markup:
    """Return the standing of the receipt of a training's own trainer part, or that it has none."""
    if row["receipt_state"] == "no_receipt":
        return badge("manual", "no receipt for this build")
    failed = ", ".join(row["failed_checks"] or ())
    return join(_state(row["receipt_state"]), tag("span", f" {failed}", class_="muted") if failed else None)


def _list(listing: Listing, view: View, mirror: Mirror, draw: Callable[[Sequence[Row]], Markup], nothing: str) -> Markup:
    rows = read(listing, view, mirror).rows
    inner = draw(rows) if rows else panel(f"No {listing.name} published", tag("p", nothing), kind="empty")
    return tag("section", tag("h2", listing.title, id=listing.name), inner)


def _state(state: str) -> Markup:
    return badge(_STATES.get(state, "partial"), state.replace("_", " "))


def _or_none(step: int | None) -> str:
    return "none" if step is None else f"{step:,}"


_NO_TRAINING: Final = (
    "No training has ended and been published. Failed and refused ones will stand here too, beside those that passed."
)
_NO_QUALIFICATION: Final = (
    "No build has been qualified, so there is no receipt for any: nobody has proved here that one can train."
)
_NO_EVALUATION: Final = "No trained artifact has been evaluated on a held-out set. Cells of the leaderboard are no evaluations."
PAGE: Final = Page(
    slug="trainings",
    title="Trainings",
    parameters=frozenset({"training_id", "page", "per_page"}),
    show=show,
    in_nav=True,
    order=70,
    quiet_without=("trainings", "qualifications", "evaluations"),
)
