"""What the ranks of one edition hang on: the columns of its cells and the sums of their tasks."""

from typing import Final

from space.queries.statement import Statement

_CANDIDATE: Final = (
    "cell_id, cell_digest, edition, kind, quality, role, sandbox, host_packages_sha256, planned_trials, "
    "infrastructure_exhausted_trials, stands, published_sequence AS sequence"
)
_HAS_SCORE: Final = "withheld IS NULL AND score IS NOT NULL"


def cells(benchmark: str, edition: str) -> Statement:
    """Return every standing cell of an edition that is not withheld, with what says whether it may be ranked."""
    return Statement(
        f"SELECT {_CANDIDATE}, score, cost_usd_micros / planned_trials AS cost, trial_seconds_median AS seconds "  # noqa: S608 - fixed pieces
        f"FROM cell WHERE benchmark = ? AND edition = ? AND {_HAS_SCORE} ORDER BY cell_id",
        (benchmark, edition),
    )


def candidates() -> Statement:
    """Return what says whether a cell may be ranked, for every cell of every edition."""
    return Statement(f"SELECT {_CANDIDATE} FROM cell WHERE {_HAS_SCORE} ORDER BY cell_id")  # noqa: S608 - fixed pieces


def editions(cells: int) -> Statement:
    """Return the editions that have at least so many standing cells."""
    return Statement(
        "SELECT benchmark, edition FROM cell WHERE stands GROUP BY 1, 2 HAVING count(*) >= ? ORDER BY 1, 2", (cells,)
    )


def tasks(benchmark: str, edition: str) -> Statement:
    """Return what each task came to in each cell of an edition: planned repeats, passed, mean and variance of the rewards."""
    return Statement(
        "SELECT t.cell_id, t.task_name || '@' || t.task_digest AS task, t.trials, t.passed, t.reward / t.trials AS mean, "
        "CASE WHEN t.trials > 1 THEN t.variance END AS variance FROM cell_task t JOIN cell c USING (cell_id) "
        "WHERE c.benchmark = ? AND c.edition = ? AND c.withheld IS NULL AND c.score IS NOT NULL AND c.stands",
        (benchmark, edition),
    )


def matrices(benchmark: str, edition: str) -> Statement:
    """Return the decisions about all pairs of a ranked set, for the ranked sets of an edition that were decided before."""
    return Statement(
        "SELECT cells, len(cells) AS size, better, tested, untested, threshold FROM ranked_matrix "
        "WHERE benchmark = ? AND edition = ?",
        (benchmark, edition),
    )
