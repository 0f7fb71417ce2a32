"""What the leaderboard asks: the published benchmarks, the editions of one, and the rows of one edition in a view's order.

Values are bound; the sort key and direction choose from fixed maps. Ties are broken by cell id, so that paging is stable.
"""

from typing import Final

from space.queries.statement import Statement
from space.queries.trials.standing import IS_REFERENCE
from space.queries.view import View

LOWER_IS_BETTER: Final = frozenset({"cost", "duration"})
_SORTS: Final = {
    "score": "score",
    "cost": "cost_usd_micros / planned_trials",
    "pass_rate": "pass_rate",
    "tokens": "input_tokens + output_tokens",
    "duration": "trial_seconds_median",
    "completed": "completed_at",
}
FILTERED: Final = {
    "models": "model_repo",
    "agents": "agent_name",
    "deployments": "deployment_id",
    "providers": "provider",
    "hardware": "hardware",
    "quality": "quality",
    "kind": "kind",
}
SHOWN: Final = "(is_newest OR is_ranked OR NOT stands)"
"""Of the reruns of a cell the newest, and the one that is ranked if the newest may not be; whatever was withdrawn."""
ROW: Final = (
    "SELECT *, round(cost_usd_micros / planned_trials)::BIGINT AS cost_per_trial_usd_micros, "
    "round(cost_usd_micros / nullif(passed_trials, 0))::BIGINT AS cost_per_pass_usd_micros FROM cell"
)


def benchmarks() -> Statement:
    """Return every benchmark with its number of standing cells, models and agents, the one published last first.

    What was withdrawn since, or restored, makes no benchmark the newest: the first publication of a cell that stands counts.
    """
    return Statement(
        "SELECT benchmark, count(*) FILTER (stands AND is_newest) AS cells, count(DISTINCT model_repo) AS models, "
        "count(DISTINCT agent_name) AS agents, max(completed_at) AS newest FROM cell WHERE role = 'final' "
        "GROUP BY benchmark ORDER BY max(published_sequence) FILTER (stands) DESC NULLS LAST, benchmark"
    )


def editions(benchmark: str) -> Statement:
    """Return the editions of `benchmark`: most cells first, then newest."""
    return Statement(
        "SELECT benchmark, edition, any_value(tasks) AS tasks, any_value(repeats) AS repeats, any_value(sandbox) AS sandbox, "
        "any_value(trial_seconds) AS trial_seconds, any_value(pass_threshold) AS pass_threshold, "
        "any_value(tasks_sha256) AS tasks_sha256, count(*) FILTER (stands AND is_newest) AS cells, "
        "max(completed_at) AS newest, bool_and(series = 'sample' AND starts_with(dataset, 'example/')) AS is_sample "
        "FROM cell WHERE benchmark = ? AND role = 'final' "
        "GROUP BY benchmark, edition ORDER BY cells DESC, newest DESC, edition",
        (benchmark,),
    )


def choices(benchmark: str, edition: str) -> Statement:
    """Return the values that the filters offer, as (key, value, cells); a value that no cell has is not offered."""
    one = "SELECT '{key}' AS key, {column} AS value FROM shown WHERE {column} IS NOT NULL"
    each = " UNION ALL ".join(one.format(key=key, column=column) for key, column in FILTERED.items())
    return Statement(
        f"WITH shown AS (SELECT * FROM cell WHERE benchmark = ? AND edition = ? AND role = 'final' AND {SHOWN}) "  # noqa: S608 - fixed pieces
        f"SELECT key, value, count(*) AS cells FROM ({each}) GROUP BY ALL ORDER BY key, value",
        (benchmark, edition),
    )


def names(benchmark: str, edition: str) -> Statement:
    """Return who is measured in each cell of an edition."""
    return Statement(
        "SELECT cell_id, model_repo, agent_name, deployment_id, deployment_kind, reward_low, reward_high, score, effective_n "
        "FROM cell WHERE benchmark = ? AND edition = ?",
        (benchmark, edition),
    )


def rows(view: View, benchmark: str, edition: str) -> Statement:
    """Return the cells of an edition in the view's order: those that may be ranked, then all others."""
    column, direction = _SORTS[view.text("sort")], direction_of(view).upper()
    where, values = conditions(view)
    return Statement(
        f"{ROW} WHERE benchmark = ? AND edition = ? {where} ORDER BY is_ranked DESC, {column} {direction} NULLS LAST, cell_id",
        (benchmark, edition, *values),
    )


def matching(view: View, benchmark: str, edition: str) -> Statement:
    """Return the ids of the ranked cells of an edition that the filters of the view leave."""
    where, values = conditions(view)
    return Statement(
        f"SELECT cell_id FROM cell WHERE benchmark = ? AND edition = ? AND is_ranked {where} ORDER BY cell_id",  # noqa: S608 - fixed pieces
        (benchmark, edition, *values),
    )


def counts(view: View, benchmark: str, edition: str) -> Statement:
    """Return how many cells the view lists, as what, and how many only a ceiling of cost hides that have no cost."""
    where, values = conditions(view)
    whatever, known = conditions(view.with_values(max_cost=""))
    one = "SELECT count(*) FROM cell WHERE benchmark = ? AND edition = ?"
    return Statement(
        "SELECT count(*) AS cells, count(*) FILTER (is_ranked AND NOT is_reference) AS ranked, "  # noqa: S608 - fixed pieces
        "count(*) FILTER (is_ranked AND is_reference) AS reference, count(*) FILTER (NOT is_ranked) AS unranked, "
        f"count(*) FILTER (NOT stands) AS gone, ({one} {whatever} AND cost_usd_micros IS NULL AND ?) AS without_cost "
        f"FROM (SELECT *, {IS_REFERENCE} AS is_reference FROM cell c WHERE benchmark = ? AND edition = ? {where})",
        (benchmark, edition, *known, bool(view.text("max_cost")), benchmark, edition, *values),
    )


def all_rows(view: View) -> Statement:
    """Return the cells of all editions that the view selects: by benchmark, edition and score, never summed over editions.

    A cell that is named is there whatever the filters would hide: an older rerun, a part of a composite.
    """
    if view.text("cell_id"):
        return Statement(f"{ROW} WHERE cell_id = ? ORDER BY cell_id", (view.text("cell_id"),))
    where, values = conditions(view)
    for key, column in (("model", "model_repo"), ("agent", "agent_name"), ("benchmark", "benchmark")):
        if view.text(key):
            where += f" AND {column} = ?"
            values.append(view.text(key))
    if view.text("edition"):
        where += " AND starts_with(edition, ?)"
        values.append(view.text("edition"))
    return Statement(
        f"{ROW} WHERE true {where} ORDER BY benchmark, edition, is_ranked DESC, score DESC NULLS LAST, cell_id",
        tuple(values),
    )


def direction_of(view: View) -> str:
    """Return `asc` or `desc`: the view's own, or what puts the better value first."""
    return view.text("dir") or ("asc" if view.text("sort") in LOWER_IS_BETTER else "desc")


def conditions(view: View) -> tuple[str, list[object]]:
    """Return the conditions that the filters of `view` put on `cell`, each beginning with AND, and their values."""
    clauses = ["AND role = ?"]
    values: list[object] = [view.text("roles")]
    if view.text("reruns") == "latest":
        clauses.append(f"AND {SHOWN}")
    for key, column in FILTERED.items():
        if view.texts(key):
            clauses.append(f"AND list_contains(?::VARCHAR[], {column})")
            values.append(list(view.texts(key)))
    if view.text("max_cost"):
        clauses.append("AND cost_usd_micros <= planned_trials * CAST(? AS DECIMAL(18, 6)) * 1000000")
        values.append(view.text("max_cost"))
    if view.text("q"):
        text = view.text("q").lower()
        clauses.append("AND (contains(lower(model_repo), ?) OR contains(lower(agent_name), ?) OR contains(cell_id, ?))")
        values += [text, text, text]
    return " ".join(clauses), values
