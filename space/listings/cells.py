"""Every published cell over all editions, with its rank range within its own edition. Never averaged over editions."""

from collections.abc import Mapping
from typing import Final

from shared.statistics.passk import pass_hat_k
from space.listings.listing import Field, Listing
from space.queries import leaderboard as query
from space.queries.choosing.history import rerun_counts
from space.queries.view import View
from space.readers.engine import Row
from space.readers.mirror import Mirror
from space.readers.ranks import edition_ranks

FILTERS: Final = frozenset(
    {"models", "agents", "deployments", "providers", "hardware", "quality", "kind", "q", "reruns", "roles", "max_cost"}
)
FIELDS: Final = (
    Field("benchmark"),
    Field("edition", meaning="digest over everything that makes scores comparable"),
    Field("cell_id", meaning="the address of the cell: /cell?cell_id=.."),
    Field("model_repo"),
    Field("model_revision"),
    Field("agent_name"),
    Field("agent_revision"),
    Field("rank_low", "int", "best rank that the paired tests allow; none without a rank", is_derived=True),
    Field("rank_high", "int", "worst rank that the paired tests allow", is_derived=True),
    Field("tie_group", "int", "cells not told apart from the first of their group; none for a reference agent", is_derived=True),
    Field("score", "float", "sum of rewards / planned trials: a trial without a scored outcome adds 0"),
    Field("score_low", "float", "95% interval: task sampling and rerun noise"),
    Field("score_high", "float"),
    Field("bound_low", "float", "the score if every trial lost to infrastructure had failed"),
    Field("bound_high", "float", "the score if every trial lost to infrastructure had passed"),
    Field("pass_rate", "float", "trials that reached the threshold, of all planned"),
    Field("pass_hat_k", "float", "tasks solved in every repeat, k = repeats", is_derived=True),
    Field("passed_trials", "int"),
    Field("planned_trials", "int"),
    Field("agent_failed_trials", "int"),
    Field("benchmark_failed_trials", "int"),
    Field("infrastructure_exhausted_trials", "int"),
    Field("unfinished_trials", "int"),
    Field("repeats", "int"),
    Field("cost_per_trial_usd_micros", "micros", "all attempts, retries included, over the planned trials; micro-USD"),
    Field("cost_usd_micros", "micros"),
    Field("trial_seconds_median", "seconds", "median duration of a trial's selected attempt"),
    Field("input_tokens", "int"),
    Field("output_tokens", "int"),
    Field("kind"),
    Field("quality"),
    Field("is_ranked", "bool"),
    Field("unranked_reason"),
    Field("record", meaning="what the catalog says of it now: published, restored, withdrawn, superseded"),
    Field("record_reason"),
    Field("deployment_id"),
    Field("deployment_kind"),
    Field("provider"),
    Field("hardware"),
    Field("concurrency", "int"),
    Field("completed_at", "time"),
    Field("publication_id"),
    Field("evidence_sha256"),
    Field("run_lock_sha256"),
)


def with_ranks(_view: View, mirror: Mirror, rows: list[Row]) -> list[Row]:
    """Return `rows` of cells with what shared/statistics says of them: rank range, tie group, pass^k over all repeats.

    Beside the published columns stand `ranked_cells`, and `runs`: how many published runs the cell has.
    """
    return [_with_rank(mirror, row) for row in rows]


def _with_rank(mirror: Mirror, row: Row) -> Row:
    ranks = edition_ranks(mirror, row["benchmark"], row["edition"])
    decisions = ranks.decisions(row["cell_id"])
    cell = ranks.cells.get(row["cell_id"])
    rank = decisions.rank(row["cell_id"]) if decisions else None
    return {
        **row,
        "runs": _runs(mirror).get((row["cell_digest"], row["role"]), 1),
        "rank_low": rank.low if rank else None,
        "rank_high": rank.high if rank else None,
        "ranked_cells": len(decisions.cells) if decisions else None,
        "tie_group": decisions.group(row["cell_id"]) if decisions else None,
        "pass_hat_k": pass_hat_k(cell.tasks.values(), row["repeats"]) if cell and cell.tasks else None,
    }


def _runs(mirror: Mirror) -> Mapping[tuple[str, str], int]:
    """Return how many runs each cell has that has several."""
    return {(row["cell_digest"], row["role"]): row["runs"] for row in mirror.asked(rerun_counts())}


LISTING: Final = Listing(
    name="cells",
    title="All cells",
    parameters=frozenset({"benchmark", "edition", "model", "agent", "cell_id", *FILTERS}),
    fields=FIELDS,
    ask=lambda view, _mirror: query.all_rows(view),
    derive=with_ranks,
    row_key="cell_id",
)
