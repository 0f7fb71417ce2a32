"""What the leaderboard asks: the published benchmarks, the editions of one, and the rows of one edition in a view's order.

Values are bound; the sort key and direction choose from fixed maps. Ties are broken by cell id, so that paging is stable.
"""

from typing import Final

from space.queries.statement import Statement
from space.queries.view import View

LOWER_IS_BETTER: Final = frozenset({"cost", "duration"})
_SORTS: Final = {
    "score": "score",
    "cost": "cost_usd_micros / planned_trials",
    "pass_rate": "pass_rate",
    "tokens": "input_tokens + output_tokens",
    "duration": "trial_seconds_mean",
    "completed": "completed_at",
}
_LISTED: Final = """
FROM (SELECT c.*, t.trial_seconds_mean, t.trials_timed FROM cell c LEFT JOIN (
        SELECT cell_id, sum(mean_seconds * timed) / nullif(sum(timed), 0) AS trial_seconds_mean,
               sum(timed)::BIGINT AS trials_timed FROM cell_task GROUP BY cell_id) t USING (cell_id))
WHERE benchmark = ? AND edition = ? AND role = 'final'
"""


def benchmarks() -> Statement:
    """Return every benchmark with its number of standing cells, models and agents, newest first."""
    return Statement(
        "SELECT benchmark, count(*) FILTER (stands AND is_newest) AS cells, count(DISTINCT model_repo) AS models, "
        "count(DISTINCT agent_name) AS agents, max(completed_at) AS newest FROM cell WHERE role = 'final' "
        "GROUP BY benchmark ORDER BY newest DESC, benchmark"
    )


def editions(benchmark: str) -> Statement:
    """Return the editions of `benchmark`: most cells first, then newest."""
    return Statement(
        "SELECT benchmark, edition, any_value(tasks) AS tasks, any_value(repeats) AS repeats, any_value(sandbox) AS sandbox, "
        "any_value(trial_seconds) AS trial_seconds, any_value(pass_threshold) AS pass_threshold, "
        "any_value(tasks_sha256) AS tasks_sha256, count(*) FILTER (stands AND is_newest) AS cells, "
        "max(completed_at) AS newest FROM cell WHERE benchmark = ? AND role = 'final' "
        "GROUP BY benchmark, edition ORDER BY cells DESC, newest DESC, edition",
        (benchmark,),
    )


def choices(benchmark: str, edition: str) -> Statement:
    """Return the models and agents that the filters offer, as (key, value, cells)."""
    return Statement(
        "SELECT 'models' AS key, model_repo AS value, count(*) AS cells FROM cell WHERE benchmark = ? AND edition = ? "
        "AND role = 'final' GROUP BY 2 UNION ALL SELECT 'agents', agent_name, count(*) FROM cell WHERE benchmark = ? "
        "AND edition = ? AND role = 'final' GROUP BY 2 ORDER BY key DESC, value",
        (benchmark, edition, benchmark, edition),
    )


def rows(view: View, benchmark: str, edition: str, *, is_ranked: bool, limit: int, offset: int) -> Statement:
    """Return one page of the standing cells that may be ranked, or of all others."""
    column, direction = _SORTS[view.text("sort")], direction_of(view).upper()
    where, values = _where(view, is_ranked=is_ranked)
    return Statement(
        f"SELECT * {_LISTED} {where} ORDER BY {column} {direction} NULLS LAST, cell_id LIMIT ? OFFSET ?",
        (benchmark, edition, *values, limit, offset),
    )


def count(view: View, benchmark: str, edition: str, *, is_ranked: bool) -> Statement:
    """Return how many rows `rows` has over all pages, as `total`."""
    where, values = _where(view, is_ranked=is_ranked)
    return Statement(f"SELECT count(*) AS total {_LISTED} {where}", (benchmark, edition, *values))


def direction_of(view: View) -> str:
    """Return `asc` or `desc`: the view's own, or what puts the better value first."""
    return view.text("dir") or ("asc" if view.text("sort") in LOWER_IS_BETTER else "desc")


def _where(view: View, *, is_ranked: bool) -> tuple[str, list[object]]:
    standing = "ranked AND stands AND withheld IS NULL"
    clauses = [f"AND {standing}" if is_ranked else f"AND NOT ({standing})"]
    values: list[object] = []
    if view.text("reruns") == "latest":
        clauses.append("AND (is_newest OR NOT stands)")
    for key, column in (("models", "model_repo"), ("agents", "agent_name")):
        if view.texts(key):
            clauses.append(f"AND list_contains(?::VARCHAR[], {column})")
            values.append(list(view.texts(key)))
    if view.text("q"):
        text = view.text("q").lower()
        clauses.append("AND (contains(lower(model_repo), ?) OR contains(lower(agent_name), ?) OR contains(cell_id, ?))")
        values += [text, text, text]
    return " ".join(clauses), values
