"""What a page about one cell asks: its row, its run, its tasks and its trials."""

from space.queries.statement import Statement


def cell(cell_id: str) -> Statement:
    """Return the row of one cell."""
    return Statement("SELECT * FROM cell WHERE cell_id = ?", (cell_id,))


def run(run_id: str) -> Statement:
    """Return the row of one run."""
    return Statement("SELECT * FROM run WHERE run_id = ?", (run_id,))


def tasks(cell_id: str, limit: int, offset: int) -> Statement:
    """Return one page of the tasks of a cell by name, each with its trials summed up."""
    return Statement(
        "SELECT * FROM cell_task WHERE cell_id = ? ORDER BY task_name, task_digest LIMIT ? OFFSET ?", (cell_id, limit, offset)
    )


def task_sums(cell_id: str) -> Statement:
    """Return planned and passed trials of every task of a cell."""
    return Statement("SELECT trials, passed FROM cell_task WHERE cell_id = ? ORDER BY task_name, task_digest", (cell_id,))


def trials(publication: str, cell_id: str, tasks_named: list[str]) -> Statement:
    """Return the trials of a cell for the named tasks, by task and repeat."""
    return Statement(
        "SELECT trial_id, task_name, task_digest, repeat, outcome, reward, passed, attempts, duration_seconds FROM trials_of(?) "
        "WHERE cell_id = ? AND list_contains(?::VARCHAR[], task_name) ORDER BY task_name, task_digest, repeat",
        (publication, cell_id, tasks_named),
    )


def durations(publication: str, cell_id: str) -> Statement:
    """Return quantiles of what the trials of a cell took in seconds and money, and how many of them reported it."""
    return Statement(
        "SELECT quantile_cont(duration_seconds, 0.5) AS median, quantile_cont(duration_seconds, 0.9) AS p90, "
        "quantile_cont(duration_seconds, 0.99) AS p99, quantile_cont(cost_usd_micros, 0.5) AS cost_p50, "
        "quantile_cont(cost_usd_micros, 0.9) AS cost_p90, quantile_cont(cost_usd_micros, 0.99) AS cost_p99, "
        "count(duration_seconds) AS timed, count(cost_usd_micros) AS priced, count(*) AS trials "
        "FROM trials_of(?) WHERE cell_id = ?",
        (publication, cell_id),
    )
