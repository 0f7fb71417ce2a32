"""What the page about failures asks: how trials and attempts ended, counted by several groupings.

Within a grouping every trial, or every attempt, is counted once, those that succeeded too: a share always has its whole beside
it. Released attempts never began and are not counted.
"""

from typing import Final

from space.queries.statement import Statement
from space.queries.trials.standing import STANDING

_GROUPINGS: Final = ("outcome", "category", "reason", "exception", "phase", "agent", "model", "deployment", "retry", "review")


def failures(benchmark: str, edition: str, *, run_id: str = "", cell_id: str = "") -> Statement:
    """Return rows {grouping, value, ended, count, whole} of an edition's standing cells, or of one run or cell."""
    column, value = ("cell_id", cell_id) if cell_id else ("run_id", run_id)
    where = f"c.{column} = ? AND c.withheld IS NULL" if value else f"c.benchmark = ? AND c.edition = ? AND {STANDING}"
    values: tuple[object, ...] = (value,) if value else (benchmark, edition)
    return Statement(_FAILURES.format(where=where), values)


_ENDED: Final = "CASE WHEN state = 'succeeded' THEN state ELSE coalesce(category, state) END"
_UNSCORED: Final = ("agent_failed", "benchmark_failed", "infrastructure_exhausted", "unfinished")
_TRIALS: Final = (
    ("passed", "scored", "passed_trials"),
    ("not_passed", "scored", "scored_trials - passed_trials"),
    *((name, name, f"{name}_trials") for name in _UNSCORED),
)
_OUTCOMES: Final = " UNION ALL ".join(
    f"SELECT 'outcome' AS grouping, '{value}' AS value, '{ended}' AS ended, sum({column}) AS count FROM within"  # noqa: S608 - fixed
    for value, ended, column in _TRIALS
)


def _grouped(grouping: str, value: str, condition: str = "true") -> str:
    columns = f"'{grouping}' AS grouping, {value} AS value, ended, sum(attempts) AS count"
    return f"SELECT {columns} FROM tried WHERE {condition} GROUP BY ALL"  # noqa: S608 - fixed pieces


_FAILED: Final = "state <> 'succeeded'"
_ATTEMPTS: Final = " UNION ALL ".join(
    [
        _grouped("category", "ended"),
        _grouped("reason", "coalesce(reason_code, 'not_reported')", _FAILED),
        _grouped("exception", "exception_type", f"{_FAILED} AND exception_type IS NOT NULL"),
        _grouped("phase", "coalesce(phase, 'not_reported')", _FAILED),
        _grouped("agent", "agent_name"),
        _grouped("model", "model_repo"),
        _grouped("deployment", "deployment"),
        _grouped("retry", "retry_reason", "retry_reason IS NOT NULL"),
        _grouped("review", "coalesce(reason_code, 'not_reported')", "needs_review"),
    ]
)
_PLACES: Final = ", ".join(f"'{name}'" for name in _GROUPINGS)
_FAILURES: Final = f"""
WITH within AS (SELECT * FROM cell c WHERE {{where}}),
tried AS (
  SELECT a.*, {_ENDED} AS ended, w.agent_name, w.model_repo,
         CASE WHEN w.deployment_kind = w.deployment_id THEN w.deployment_kind
              ELSE w.deployment_kind || ' ' || w.deployment_id END AS deployment
  FROM cell_attempt a JOIN within w USING (cell_id) WHERE a.state <> 'released'
), counted AS ({_OUTCOMES} UNION ALL {_ATTEMPTS})
SELECT grouping, value, ended, count::BIGINT AS count,
       CASE WHEN grouping IN ('agent', 'model', 'deployment') THEN sum(count) OVER (PARTITION BY grouping, value)
            WHEN grouping IN ('outcome', 'category') THEN sum(count) OVER (PARTITION BY grouping)
            ELSE (SELECT sum(attempts) FROM tried) END::BIGINT AS whole
FROM counted WHERE count > 0
ORDER BY list_position([{_PLACES}], grouping), count DESC, value, ended
"""  # noqa: S608 - fixed pieces
