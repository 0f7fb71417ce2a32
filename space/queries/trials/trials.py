"""Which trials and attempts a list holds: of one cell, of one run, or of an edition.

Of one cell or run the files of its own publication are read alone; of an edition every file of the table, or, where none is asked
for that was scored, the table of those that the mirror made.
"""

from typing import Final, NamedTuple

from space.queries.statement import Statement
from space.queries.trials.standing import STANDING


class Within(NamedTuple):
    """What the trials belong to: the publication and a cell or a run of it, or an edition."""

    publication: str = ""
    cell_id: str = ""
    run_id: str = ""
    benchmark: str = ""
    edition: str = ""


def publication_of(*, cell_id: str = "", run_id: str = "") -> Statement:
    """Return the publication and cell that a cell id, or the run that a run id, lies in."""
    column, value = ("cell_id", cell_id) if cell_id else ("run_id", run_id)
    return Statement(f"SELECT publication_id, cell_id, run_id FROM cell WHERE {column} = ? LIMIT 1", (value,))  # noqa: S608 - fixed


def trials(within: Within, *, task: str = "", outcomes: tuple[str, ...] = ()) -> Statement:
    """Return trials with who tried them, by task, cell and repeat."""
    source, where, values = _from("trials", within)
    if not within.publication and outcomes and "scored" not in outcomes:
        source = "unscored_trial"
    if task:
        where, values = f"{where} AND t.task_name = ?", [*values, task]
    if outcomes:
        where, values = f"{where} AND list_contains(?::VARCHAR[], coalesce(t.outcome, 'unfinished'))", [*values, list(outcomes)]
    order = "ORDER BY t.task_name, t.task_digest, t.cell_id, t.repeat, t.trial_id"
    return Statement(f"{_TRIAL} FROM {source} t JOIN cell c USING (cell_id) WHERE {where} {order}", tuple(values))


def attempts(within: Within, *, trial_id: str = "", attempt_id: str = "") -> Statement:
    """Return attempts with their trial, by task, cell, repeat and ordinal; `is_selected` marks the one that counts."""
    source, where, values = _from("attempts", within)
    trials_from, _, trials_values = _from("trials", within)
    for column, value in (("t.trial_id", trial_id), ("t.attempt_id", attempt_id)):
        if value:
            where, values = f"{where} AND {column} = ?", [*values, value]
    joined = f"{_ATTEMPT} FROM {source} t JOIN cell c USING (cell_id) JOIN {trials_from} k ON k.trial_id = t.trial_id"
    publication = trials_values[:1] if within.publication else []
    order = "ORDER BY k.task_name, k.task_digest, t.cell_id, k.repeat, t.ordinal, t.attempt_id"
    before = values[:1] if within.publication else []
    return Statement(f"{joined} WHERE {where} {order}", (*before, *publication, *values[len(before) :]))


def _from(table: str, within: Within) -> tuple[str, str, list[object]]:
    if within.publication:
        column, value = ("cell_id", within.cell_id) if within.cell_id else ("run_id", within.run_id)
        return f"{table}_of(?)", f"c.{column} = ?", [within.publication, value]
    return table, f"c.benchmark = ? AND c.edition = ? AND {STANDING}", [within.benchmark, within.edition]


_TRIAL: Final = """
SELECT c.benchmark, c.edition, c.run_id, t.cell_id, c.model_repo, c.agent_name, t.trial_id, t.task_name, t.task_digest, t.repeat,
       coalesce(t.outcome, 'unfinished') AS outcome, CASE WHEN c.withheld IS NULL THEN t.reward END AS reward,
       CASE WHEN c.withheld IS NULL THEN t.passed END AS passed, c.withheld, t.attempts, t.selected_attempt_id,
       t.failure_category, t.reason_code, t.cost_usd_micros, t.duration_seconds
"""
_ATTEMPT: Final = """
SELECT c.benchmark, c.edition, c.run_id, t.cell_id, c.model_repo, c.agent_name, k.task_name, k.task_digest, k.repeat, t.trial_id,
       t.attempt_id, t.ordinal, coalesce(k.selected_attempt_id = t.attempt_id, false) AS is_selected, t.state, t.category,
       t.reason_code, t.phase, t.exception_type, t.retry_reason, t.needs_review, t.classification_version, t.runtime,
       t.verifier_environment, t.wave_id, t.job_id, t.bundle_sha256, t.started_at, t.finished_at
"""
