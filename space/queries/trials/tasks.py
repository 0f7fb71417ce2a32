"""What the pages about tasks ask: how often each task of an edition is solved, and by which cell.

A task is its name and its digest: two digests are two tasks. Nothing is added up over editions.
"""

from typing import Final

from space.queries.statement import Statement
from space.queries.trials.standing import IS_REFERENCE, STANDING


def tasks(benchmark: str, *, edition: str = "", task: str = "") -> Statement:
    """Return the tasks of one edition, hardest first; with `task`, its lines in every edition of the benchmark, newest first."""
    where, values = "c.benchmark = ?", [benchmark]
    if edition:
        where, values = f"{where} AND c.edition = ?", [*values, edition]
    if task:
        where, values = f"{where} AND t.task_name = ?", [*values, task]
    order = "max(c.completed_at) DESC, c.edition, " if task else ""
    return Statement(
        f"{_TASKS} WHERE {where} AND {STANDING} GROUP BY c.benchmark, c.edition, t.task_name, t.task_digest "
        f"ORDER BY {order}solve_rate NULLS LAST, t.task_name, t.task_digest",
        tuple(values),
    )


def matrix(benchmark: str, edition: str, *, task: str = "") -> Statement:
    """Return one row per cell and task of an edition: tasks hardest first, within a task the cells best first."""
    values: tuple[object, ...] = (benchmark, edition, benchmark, edition)
    where = "WHERE t.task_name = ?" if task else ""
    return Statement(f"{_MATRIX} {where} ORDER BY task_place, cell_place", (*values, task) if task else values)


def block(squares: Statement, cells: tuple[int, int], tasks: tuple[int, int]) -> Statement:
    """Return of the rows of `squares` those of the cells and tasks whose places lie in the given ranges, ends included."""
    return Statement(
        f"SELECT * FROM ({squares.sql}) WHERE cell_place BETWEEN ? AND ? AND task_place BETWEEN ? AND ? "  # noqa: S608 - ours
        "ORDER BY cell_place, task_place",
        (*squares.values, *cells, *tasks),
    )


def extent(squares: Statement) -> Statement:
    """Return how many cells and tasks the rows of `squares` have."""
    return Statement(
        f"SELECT max(cell_place) AS cells, max(task_place) AS tasks FROM ({squares.sql})",  # noqa: S608 - ours
        squares.values,
    )


_OURS: Final = f"FILTER (NOT {IS_REFERENCE})"
_TASKS: Final = f"""
SELECT c.benchmark, c.edition, t.task_name, t.task_digest, count(*) {_OURS} AS cells,
       count(*) FILTER (NOT {IS_REFERENCE} AND t.passed > 0) AS solving_cells,
       coalesce(sum(t.trials) {_OURS}, 0)::BIGINT AS planned_trials,
       coalesce(sum(t.passed) {_OURS}, 0)::BIGINT AS passed_trials,
       sum(t.passed) {_OURS} / sum(t.trials) {_OURS} AS solve_rate,
       CASE WHEN sum(t.trials) {_OURS} IS NULL THEN 'not_tried'
            WHEN sum(t.scored) {_OURS} = 0 THEN 'not_scored'
            WHEN sum(t.passed) {_OURS} = 0 THEN 'never_solved'
            WHEN sum(t.passed) {_OURS} = sum(t.trials) {_OURS} THEN 'always_solved' ELSE 'sometimes_solved' END AS mark,
       coalesce(sum(t.scored) {_OURS}, 0)::BIGINT AS scored_trials,
       coalesce(sum(t.agent_failed) {_OURS}, 0)::BIGINT AS agent_failed_trials,
       coalesce(sum(t.benchmark_failed) {_OURS}, 0)::BIGINT AS benchmark_failed_trials,
       coalesce(sum(t.infrastructure_exhausted) {_OURS}, 0)::BIGINT AS infrastructure_exhausted_trials,
       coalesce(sum(t.unfinished) {_OURS}, 0)::BIGINT AS unfinished_trials,
       sum(t.mean_seconds * t.timed) {_OURS} / nullif(sum(t.timed) {_OURS}, 0) AS mean_seconds,
       coalesce(sum(t.timed) {_OURS}, 0)::BIGINT AS timed_trials,
       coalesce(sum(t.trials) FILTER (c.agent_name = 'oracle'), 0)::BIGINT AS solution_trials,
       coalesce(sum(t.passed) FILTER (c.agent_name = 'oracle'), 0)::BIGINT AS solution_passed,
       coalesce(sum(t.trials) FILTER (c.agent_name = 'nop'), 0)::BIGINT AS nothing_trials,
       coalesce(sum(t.passed) FILTER (c.agent_name = 'nop'), 0)::BIGINT AS nothing_passed,
       any_value(c.trial_seconds) AS trial_seconds, any_value(c.repeats) AS repeats, any_value(c.sandbox) AS sandbox,
       bool_and(c.source_checked) AS source_checked,
       list_sort(list_distinct(flatten(list(c.source_flags)))) AS source_flags, max(c.completed_at) AS newest
FROM cell_task t JOIN cell c USING (cell_id)
"""  # noqa: S608 - fixed pieces
_MATRIX: Final = f"""
WITH who AS (
  SELECT c.cell_id, c.benchmark, c.edition, c.model_repo, c.agent_name,
         row_number() OVER (ORDER BY c.score DESC NULLS LAST, c.cell_id) AS cell_place
  FROM cell c WHERE c.benchmark = ? AND c.edition = ? AND {STANDING}
), what AS (
  SELECT t.task_name, t.task_digest,
         row_number() OVER (ORDER BY sum(t.passed) {_OURS} / sum(t.trials) {_OURS} NULLS LAST, t.task_name, t.task_digest)
           AS task_place
  FROM cell_task t JOIN cell c USING (cell_id) WHERE c.benchmark = ? AND c.edition = ? AND {STANDING}
  GROUP BY t.task_name, t.task_digest
)
SELECT who.benchmark, who.edition, t.task_name, t.task_digest, task_place, who.cell_id, cell_place, who.model_repo,
       who.agent_name, t.trials, t.passed, t.scored, t.agent_failed, t.benchmark_failed, t.infrastructure_exhausted,
       t.unfinished, t.reward / t.trials AS mean_reward, t.attempts, t.mean_seconds
FROM who JOIN cell_task t USING (cell_id) JOIN what USING (task_name, task_digest)
"""  # noqa: S608 - fixed pieces
