"""What the pages about runs ask: each submission with its cells, its spend, and its attempts by state."""

from typing import Final

from space.queries.statement import Statement


def runs(*, run_id: str = "", benchmark: str = "") -> Statement:
    """Return the published runs, newest first; one run, or those of one benchmark, where named."""
    where, values = "", []
    for column, value in (("r.run_id", run_id), ("r.benchmark", benchmark)):
        if value:
            where += f" AND {column} = ?"
            values.append(value)
    return Statement(f"{_RUNS} WHERE true{where} ORDER BY r.completed_at DESC, r.run_id", tuple(values))


def cells(run_id: str) -> Statement:
    """Return the cells of one run, best score first."""
    return Statement("SELECT * FROM cell WHERE run_id = ? ORDER BY score DESC NULLS LAST, cell_id", (run_id,))


def attempt_states(run_id: str) -> Statement:
    """Return how many attempts of one run ended in each state."""
    return Statement(
        "SELECT a.state, sum(a.attempts)::BIGINT AS attempts FROM cell_attempt a JOIN cell c USING (cell_id) WHERE c.run_id = ? "
        "GROUP BY a.state ORDER BY attempts DESC, a.state",
        (run_id,),
    )


_RUNS: Final = """
SELECT r.*, coalesce(p.passed_trials, 0) AS passed_trials, coalesce(p.withdrawn_cells, 0) AS withdrawn_cells,
       coalesce(p.cells_without_cost, 0) AS cells_without_cost, p.spent_usd_micros, p.dataset, p.dataset_revision,
       p.receipt_sha256
FROM run r LEFT JOIN (
  SELECT run_id, sum(passed_trials) FILTER (withheld IS NULL)::BIGINT AS passed_trials,
         count(*) FILTER (NOT stands) AS withdrawn_cells,
         count(*) FILTER (cost_usd_micros IS NULL AND cost_observation <> 'not_applicable') AS cells_without_cost,
         CASE WHEN count(*) FILTER (cost_usd_micros IS NULL AND cost_observation <> 'not_applicable') = 0
              THEN sum(cost_usd_micros)::BIGINT END AS spent_usd_micros,
         any_value(dataset) AS dataset, any_value(dataset_revision) AS dataset_revision,
         any_value(receipt_sha256) AS receipt_sha256
  FROM cell GROUP BY run_id
) p ON p.run_id = r.run_id
"""
