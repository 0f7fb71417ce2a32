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
_LISTED: Final = "FROM cell WHERE benchmark = ? AND edition = ? AND role = 'final'"
_MAY_BE_RANKED: Final = "(ranked AND stands AND withheld IS NULL)"


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
    where, values = _where(view)
    which = _MAY_BE_RANKED if is_ranked else f"NOT {_MAY_BE_RANKED}"
    return Statement(
        f"SELECT * {_LISTED} AND {which} {where} ORDER BY {column} {direction} NULLS LAST, cell_id LIMIT ? OFFSET ?",
        (benchmark, edition, *values, limit, offset),
    )


def counts(view: View, benchmark: str, edition: str) -> Statement:
    """Return how many cells the view selects over all pages: `ranked` may be ranked, `others` not."""
    where, values = _where(view)
    counted = f"count(*) FILTER ({_MAY_BE_RANKED}) AS ranked, count(*) FILTER (NOT {_MAY_BE_RANKED}) AS others"
    return Statement(f"SELECT {counted} {_LISTED} {where}", (benchmark, edition, *values))


def direction_of(view: View) -> str:
    """Return `asc` or `desc`: the view's own, or what puts the better value first."""
    return view.text("dir") or ("asc" if view.text("sort") in LOWER_IS_BETTER else "desc")


def _where(view: View) -> tuple[str, list[object]]:
    clauses: list[str] = []
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
