"""What the page about one task asks: its versions (digests) on a benchmark, and how the standing cells did on each."""

from typing import Final

from space.queries.statement import Statement

_FROM: Final = (
    "FROM cell_task t JOIN cell c USING (cell_id) WHERE c.benchmark = ? AND t.task_name = ? AND c.stands AND c.is_newest "
    "AND c.withheld IS NULL AND c.role = 'final'"
)


def versions(benchmark: str, task: str) -> Statement:
    """Return one row per digest of the task: trials, outcomes and pass counts over the standing cells, newest first."""
    return Statement(f"{_VERSIONS} {_FROM} GROUP BY t.task_digest ORDER BY newest DESC, t.task_digest", (benchmark, task))


def cells(benchmark: str, task: str, digest: str, limit: int) -> Statement:
    """Return the standing cells that ran this digest of the task, most solved first."""
    order = "ORDER BY t.passed / t.trials DESC, c.cell_id LIMIT ?"
    return Statement(f"{_CELLS} {_FROM} AND t.task_digest = ? {order}", (benchmark, task, digest, limit))


_VERSIONS: Final = """
SELECT t.task_digest, count(DISTINCT c.cell_id) AS cells, sum(t.trials)::BIGINT AS planned_trials,
       sum(t.scored)::BIGINT AS scored_trials, sum(t.passed)::BIGINT AS passed_trials,
       sum(t.agent_failed)::BIGINT AS agent_failed_trials, sum(t.benchmark_failed)::BIGINT AS benchmark_failed_trials,
       sum(t.infrastructure_exhausted)::BIGINT AS infrastructure_exhausted_trials,
       sum(t.unfinished)::BIGINT AS unfinished_trials, max(c.completed_at) AS newest
"""
_CELLS: Final = """
SELECT c.cell_id, c.model_repo, c.agent_name, c.edition, t.trials, t.passed, t.scored, t.reward, t.mean_seconds,
       t.agent_failed, t.benchmark_failed, t.infrastructure_exhausted, t.unfinished
"""
