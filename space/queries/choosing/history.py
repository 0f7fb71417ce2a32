"""What the history of a cell asks: all published runs of its cell digest in time, and how many were kept private.

What changed besides the cell digest is said by name: a rerun has the same model, agent, deployment and tasks, and may still have
run on another Harbor, engine, image or host, at other prices, from a deployment that was described anew.
"""

from typing import Final

from space.queries.statement import Statement

_SHOWN: Final = (
    "cell_id", "run_id", "benchmark", "edition", "completed_at", "record", "stands", "withheld", "is_ranked",
    "score", "score_low", "score_high", "bound_low", "bound_high", "reward_low", "reward_high", "effective_n",
    "passed_trials", "planned_trials", "infrastructure_exhausted_trials", "cost_observation",
    "engine", "engine_version", "image_digest",
)  # fmt: skip
"""What a history shows of a run: naming all hundred columns of a cell takes longer than reading these."""
CHANGEABLE: Final = {
    "harbor": "(r.harbor_version, r.harbor_lock_sha256)",
    "engine": "(c.engine, c.engine_version)",
    "image": "c.image_digest",
    "deployment": "(c.deployment_digest, c.deployment_spec_digest)",
    "prices": "r.prices_sha256",
    "serving_profile": "c.serving_profile_sha256",
    "host": "c.host_packages_sha256",
}


def reruns(cell_digest: str, role: str) -> Statement:
    """Return every published run of a cell, oldest first, each with the run before it and what else changed since."""
    changes = ", ".join(
        f"CASE WHEN {column} IS DISTINCT FROM lag({column}) OVER before THEN '{name}' END" for name, column in CHANGEABLE.items()
    )
    shown = ", ".join(f"c.{name}" for name in _SHOWN)
    return Statement(
        f"SELECT {shown}, round(c.cost_usd_micros / c.planned_trials)::BIGINT AS cost_per_trial_usd_micros, "  # noqa: S608 - fixed pieces
        "r.harbor_version, r.prices_sha256, "
        "lag(c.cell_id) OVER before AS before_id, lag(c.edition) OVER before AS before_edition, "
        "CASE WHEN lag(c.cell_id) OVER before IS NULL THEN [] "
        f"ELSE list_filter([{changes}], lambda x: x IS NOT NULL) END AS changed "
        "FROM cell c LEFT JOIN run r ON r.run_id = c.run_id AND r.publication_id = c.publication_id "
        "WHERE c.cell_digest = ? AND c.role = ? WINDOW before AS (ORDER BY c.completed_at, c.sequence) "
        "ORDER BY c.completed_at, c.sequence",
        (cell_digest, role),
    )


def rerun_counts() -> Statement:
    """Return the number of published runs of every cell that has several, by cell digest and role."""
    return Statement("SELECT cell_digest, role, count(*) AS runs FROM cell GROUP BY ALL HAVING count(*) > 1")


def kept_private(cell_digest: str) -> Statement:
    """Return how many runs of a cell were kept private, as `runs`."""
    return Statement("SELECT count(*) AS runs FROM catalog WHERE record = 'private' AND cell_digest = ?", (cell_digest,))
