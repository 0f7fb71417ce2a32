"""Every published run: one submission of one plan, who asked for it and who approved, what came of it and what it cost."""

from typing import Final

from space.listings.listing import Field, Listing
from space.queries.statement import Statement
from space.queries.trials import runs as query
from space.queries.view import View
from space.readers.mirror import Mirror


def _ask(view: View, _mirror: Mirror) -> Statement:
    return query.runs(run_id=view.text("run_id"), benchmark=view.text("benchmark"))


LISTING: Final = Listing(
    name="runs",
    title="Runs",
    parameters=frozenset({"benchmark", "run_id"}),
    fields=(
        Field("run_id"),
        Field("benchmark"),
        Field("experiment", meaning="the name that the manifest gives"),
        Field("series", meaning="the label that runs belonging together share"),
        Field("kind"),
        Field("quality"),
        Field("role"),
        Field("requested_by"),
        Field("approval", meaning="not_needed, other, or single: approved by the one who asked"),
        Field("approved_by"),
        Field("cells", "int"),
        Field("withdrawn_cells", "int", "cells that stand no more: withdrawn or superseded"),
        Field("tasks", "int"),
        Field("repeats", "int"),
        Field("planned_trials", "int"),
        Field("scored_trials", "int"),
        Field("passed_trials", "int"),
        Field("agent_failed_trials", "int"),
        Field("benchmark_failed_trials", "int"),
        Field("infrastructure_exhausted_trials", "int"),
        Field("unfinished_trials", "int"),
        Field("attempts", "int", "physical tries, retries included"),
        Field("failed_attempts", "int"),
        Field("waves", "int"),
        Field("estimated_cost_usd_micros", "micros", "what planning expected; micro-USD"),
        Field("spent_usd_micros", "micros", "what all attempts of all cells reported; none unless every one did"),
        Field("cells_without_cost", "int", "cells of which not every attempt reported a cost"),
        Field("plan_digest"),
        Field("manifest_sha256"),
        Field("run_lock_sha256"),
        Field("prices_sha256", meaning="the price document that costs and estimates are made with"),
        Field("build_digest", meaning="the code that the workers started from"),
        Field("harbor_version"),
        Field("harbor_lock_sha256"),
        Field("source_type"),
        Field("source_repo"),
        Field("source_revision"),
        Field("evidence_sha256"),
        Field("control_commit"),
        Field("publication_id"),
        Field("dataset"),
        Field("dataset_revision"),
        Field("submitted_at", "time"),
        Field("completed_at", "time"),
    ),
    ask=_ask,
)
