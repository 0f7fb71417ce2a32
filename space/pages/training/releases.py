"""`/releases`: serving channels by generation, every operation that moved or refused to move one, and published snapshots."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from space.components.figures import count, digest, missing, moment, size
from space.components.html import Child, Markup, join, repository_link, tag
from space.components.shell import head, panel
from space.components.standing import badge
from space.components.table import Column, table
from space.listings.listing import read
from space.listings.training import snapshots
from space.listings.training.releases import LISTING
from space.pages.page import Page
from space.queries.view import View
from space.readers.editions import unknown
from space.readers.mirror import Mirror

type Row = Mapping[str, Any]

_PURPOSE: Final = (
    "What serving channels point to, how it got there, and what was refused. The live pointer is authoritative, not this list."
)
_STATES: Final = {"succeeded": "clean", "refused": "failed", "recovered_failure": "degraded", "rollback_failed": "failed"}


def show(view: View, mirror: Mirror) -> Markup:
    """Return releases and snapshots, or the one release that `view` names."""
    listed = read(LISTING, view, mirror)
    if view.text("release_id"):
        if not listed.rows:
            raise unknown("release_id", view.text("release_id"))
        return join(head("Release", _PURPOSE), releases_table(listed.rows))
    found = read(snapshots.LISTING, view, mirror).rows
    return join(
        head("Releases", _PURPOSE),
        tag(
            "section",
            tag("h2", "Releases", id="releases"),
            releases_table(listed.rows) if listed.rows else panel("No releases published", tag("p", _NO_RELEASE), kind="empty"),
        ),
        tag(
            "section",
            tag("h2", "Snapshots", id="snapshots"),
            snapshots_table(found) if found else panel("No snapshots published", tag("p", _NO_SNAPSHOT), kind="empty"),
        ),
    )


def releases_table(rows: Sequence[Row]) -> Markup:
    """Return releases, newest first, the words of `verification` as they are published."""
    columns = [
        Column("Release"),
        Column("Channel"),
        Column("Generation"),
        Column("State"),
        Column("Verdict"),
        Column("Candidate"),
    ]
    columns += [Column("Incumbent"), Column("Canary"), Column("Approvers"), Column("Provenance"), Column("Verification")]
    columns += [Column("Submitted", is_number=True)]
    return table("Each moved a channel, or says why it did not.", columns, [_release(row) for row in rows], name="Releases")


def snapshots_table(rows: Sequence[Row]) -> Markup:
    """Return snapshots with payload and pointer commit; staged is not published."""
    columns = [
        Column("Snapshot"),
        Column("Line"),
        Column("Repository"),
        Column("State"),
        Column("Payload commit"),
        Column("Pointer commit"),
    ]
    columns += [Column("Files", is_number=True), Column("Size", is_number=True), Column("Licence, visibility")]
    return table("Licence and visibility as found.", columns, [_snapshot(row) for row in rows], name="Snapshots")


def _release(row: Row) -> list[Child]:
    canary = {True: "passed", False: "not passed"}.get(row["canary_passed"])
    moved = f"{_or(row['generation_before'])} to {_or(row['generation_after'])}"
    restored = tag("span", " restored", class_="muted") if row["restored"] else None
    return [
        digest(row["release_id"]),
        row["channel"],
        moved,
        join(badge(_STATES.get(row["state"], "partial"), row["state"].replace("_", " ")), restored),
        join(row["verdict"] or missing("none"), tag("span", ", ".join(row["reasons"] or ()), class_="second-line")),
        digest(row["candidate"]),
        digest(row["incumbent"], "none"),
        canary or missing("not_observed"),
        ", ".join(row["approvers"] or ()) or missing("none"),
        row["training_provenance"] or "provenance unknown",
        row["verification"],
        moment(row["submitted_at"]),
    ]


def _snapshot(row: Row) -> list[Child]:
    return [
        digest(row["snapshot_id"]),
        row["line"],
        repository_link(row["repo"]),
        badge("clean" if row["state"] == "published" else "partial", row["state"]),
        digest(row["payload_commit"]),
        digest(row["pointer_commit"], "not published"),
        count(row["files"]),
        missing() if row["bytes"] is None else size(row["bytes"]),
        f"{row['license'] or 'unknown'}, {row['visibility'] or 'unknown'}",
    ]


def _or(generation: int | None) -> str:
    return "none" if generation is None else str(generation)


_NO_RELEASE: Final = "No channel has been moved from here, so nothing is promoted, and nothing was refused."
_NO_SNAPSHOT: Final = "No model repository holds a published snapshot of a training of this installation."
PAGE: Final = Page(
    slug="releases",
    title="Releases",
    parameters=frozenset({"release_id", "page", "per_page"}),
    show=show,
    in_nav=True,
    order=80,
    quiet_without=("releases", "snapshots"),
)
