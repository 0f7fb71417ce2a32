"""What the page about costs asks beside the cells themselves: how much each kind of hardware took, in time and money."""

from space.queries.leaderboard import SHOWN
from space.queries.statement import Statement


def by_hardware(benchmark: str, edition: str) -> Statement:
    """Return the standing cells of an edition by where their model ran; a sum is None unless every cell reported the value."""
    return Statement(
        "SELECT deployment_kind, hardware, provider, count(*) AS cells, sum(planned_trials)::BIGINT AS planned_trials, "  # noqa: S608 - a fixed piece
        "sum(passed_trials)::BIGINT AS passed_trials, count(cost_usd_micros) AS priced, "
        "CASE WHEN count(*) = count(cost_usd_micros) THEN sum(cost_usd_micros)::BIGINT END AS cost_usd_micros, "
        "CASE WHEN count(*) = count(duration_seconds) THEN fsum(duration_seconds) END AS active_seconds, "
        "list(DISTINCT prices_sha256 ORDER BY prices_sha256) AS prices "
        "FROM cell JOIN (SELECT run_id, publication_id, prices_sha256 FROM run) USING (run_id, publication_id) "
        f"WHERE benchmark = ? AND edition = ? AND role = 'final' AND stands AND {SHOWN} "
        "GROUP BY deployment_kind, hardware, provider ORDER BY hardware NULLS LAST, provider NULLS LAST, deployment_kind",
        (benchmark, edition),
    )
