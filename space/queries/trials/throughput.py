"""What the page about speed asks: per standing cell of an edition how long things took, how much came out, what an endpoint did.

Times of model requests and of endpoints are the published metrics that shared/measures.py names; task times, tokens and pace are
made of what every cell publishes.
"""

from typing import Final

from shared.measures import ENDPOINT_PHASES, LATENCIES, endpoint_metric
from space.queries.statement import Statement
from space.queries.trials.standing import STANDING


def throughput(benchmark: str, edition: str) -> Statement:
    """Return one row per standing cell of an edition, most output tokens a second first."""
    return Statement(_THROUGHPUT, (benchmark, edition))


def attempt_seconds(benchmark: str, edition: str) -> Statement:
    """Return the durations that attempts measured themselves, per cell and metric."""
    return Statement(
        "SELECT m.cell_id, c.model_repo, c.agent_name, m.name, m.p50, m.p95, m.observed, m.missing FROM cell_metric m "  # noqa: S608 - fixed pieces
        f"JOIN cell c USING (cell_id) WHERE c.benchmark = ? AND c.edition = ? AND {STANDING} AND m.owner_type = 'attempt' "
        "ORDER BY m.name, m.p50, m.cell_id",
        (benchmark, edition),
    )


def _latency(column: str, name: str, aggregation: str) -> str:
    return f"max(m.total) FILTER (m.name = '{name}' AND m.aggregation = '{aggregation}') AS {column}_{aggregation}"


_LATENCIES: Final = ", ".join(_latency(column, name, each) for column, name in LATENCIES.items() for each in ("p50", "p95"))
_PHASES: Final = ", ".join(
    f"sum(w.value) FILTER (w.name = '{endpoint_metric(phase)}') AS endpoint_{phase}_seconds" for phase in ENDPOINT_PHASES
)
_LATENCY_COLUMNS: Final = ", ".join(
    f"l.{column}_{each} AS {column}_seconds_{each}" for column in LATENCIES for each in ("p50", "p95")
)
_PHASE_COLUMNS: Final = ", ".join(f"e.endpoint_{phase}_seconds" for phase in ENDPOINT_PHASES)
_THROUGHPUT: Final = f"""
WITH latency AS (
  SELECT m.cell_id, {_LATENCIES} FROM cell_metric m WHERE m.owner_type = 'cell' GROUP BY m.cell_id
), endpoint AS (
  SELECT v.cell_id, {_PHASES}
  FROM (SELECT DISTINCT cell_id, wave_id FROM cell_attempt) v JOIN wave_metric w USING (wave_id) GROUP BY v.cell_id
)
SELECT c.benchmark, c.edition, c.cell_id, c.model_repo, c.agent_name, c.deployment_kind, c.deployment_id, c.provider, c.hardware,
       c.concurrency, {_LATENCY_COLUMNS}, s.trial_p50 AS trial_seconds_p50, s.trial_p95 AS trial_seconds_p95,
       s.timed_trials, c.planned_trials,
       c.input_tokens, c.cached_tokens, c.output_tokens, c.reasoning_tokens,
       CASE WHEN c.model_repo = 'none' THEN 'not_applicable' ELSE 'not_reported' END AS tokens_missing,
       CASE WHEN c.model_repo = 'none' THEN 'not_applicable' ELSE 'not_observed' END AS latency_missing,
       (c.completed_at - c.started_at) / 1e6 AS wall_seconds,
       c.output_tokens / nullif((c.completed_at - c.started_at) / 1e6, 0) AS output_tokens_per_second,
       3600 * (c.planned_trials - c.unfinished_trials) / nullif((c.completed_at - c.started_at) / 1e6, 0) AS trials_per_hour,
       coalesce(v.waves, 0) AS waves,
       {_PHASE_COLUMNS},
       CASE WHEN c.model_repo = 'none' THEN 'not_applicable'
            WHEN bool_or(c.deployment_kind = 'endpoint') OVER ()
                 AND bool_or(c.deployment_kind <> 'endpoint' AND c.model_repo <> 'none') OVER () THEN 'not_comparable'
            WHEN c.deployment_kind <> 'endpoint' THEN 'not_applicable'
            WHEN e.cell_id IS NULL THEN 'not_observed' ELSE 'observed' END AS endpoint_observation
FROM cell c LEFT JOIN cell_speed s USING (cell_id) LEFT JOIN latency l USING (cell_id) LEFT JOIN endpoint e USING (cell_id)
     LEFT JOIN (SELECT cell_id, count(DISTINCT wave_id) AS waves FROM cell_attempt GROUP BY cell_id) v USING (cell_id)
WHERE c.benchmark = ? AND c.edition = ? AND {STANDING}
ORDER BY output_tokens_per_second DESC NULLS LAST, c.cell_id
"""  # noqa: S608 - fixed pieces
