"""Tables of a mirror that pages about failures and speed add up: attempts by how they ended, durations, metrics, all per cell.

A mirror never changes, so what a page would have to count over all attempts is counted once, when the mirror is built:
`cell_attempt` (attempts of a cell by wave, state, category, reason, phase, exception, retry reason), `cell_speed` (quantiles of
its trials), `cell_metric` (the durations that its attempts measured, and what was measured of it as a whole), `wave_metric`, and
`unscored_trial`, the trials without a score in the place of a search through all of them.
"""

from collections.abc import Mapping
from typing import Final

from space.readers.engine import Engine


def create_measures(engine: Engine) -> None:
    """Make the tables from the published views."""
    for statement in MEASURES.values():
        engine.build(statement)


_CELL_ATTEMPT: Final = """
CREATE TABLE cell_attempt AS
SELECT cell_id, wave_id, state, category, reason_code, phase, exception_type, retry_reason, needs_review, count(*) AS attempts
FROM attempts GROUP BY ALL ORDER BY cell_id
"""
_CELL_SPEED: Final = """
CREATE TABLE cell_speed AS
SELECT cell_id, quantile_cont(duration_seconds, 0.5) AS trial_p50, quantile_cont(duration_seconds, 0.95) AS trial_p95,
       count(duration_seconds) AS timed_trials
FROM trials GROUP BY cell_id ORDER BY cell_id
"""
_CELL_METRIC: Final = """
CREATE TABLE cell_metric AS
WITH measured AS (
  SELECT a.cell_id, m.owner_type, m.name, m.unit, m.aggregation, CASE WHEN m.observation = 'observed' THEN m.value END AS value
  FROM metrics m JOIN attempts a ON a.attempt_id = m.owner_id WHERE m.owner_type = 'attempt' AND m.unit = 'second'
  UNION ALL
  SELECT owner_id, owner_type, name, unit, aggregation, CASE WHEN observation = 'observed' THEN value END
  FROM metrics WHERE owner_type = 'cell'
)
SELECT cell_id, owner_type, name, unit, aggregation, quantile_cont(value, 0.5) AS p50, quantile_cont(value, 0.95) AS p95,
       fsum(value) AS total, count(value) AS observed, count(*) - count(value) AS missing
FROM measured GROUP BY ALL ORDER BY cell_id, owner_type, name
"""
_WAVE_METRIC: Final = """
CREATE TABLE wave_metric AS
SELECT owner_id AS wave_id, name, unit, fsum(value) FILTER (observation = 'observed') AS value
FROM metrics WHERE owner_type = 'wave' GROUP BY ALL ORDER BY wave_id, name
"""
_UNSCORED_TRIAL: Final = """
CREATE TABLE unscored_trial AS
SELECT cell_id, trial_id, task_name, task_digest, repeat, outcome, reward, passed, attempts, selected_attempt_id,
       failure_category, reason_code, cost_usd_micros, duration_seconds
FROM trials WHERE outcome IS DISTINCT FROM 'scored' ORDER BY cell_id, trial_id
"""
MEASURES: Final[Mapping[str, str]] = {
    "cell_attempt": _CELL_ATTEMPT,
    "cell_speed": _CELL_SPEED,
    "cell_metric": _CELL_METRIC,
    "wave_metric": _WAVE_METRIC,
    "unscored_trial": _UNSCORED_TRIAL,
}
"""The statement that makes each table, by its name."""
