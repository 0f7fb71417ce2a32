"""Recomputing cells from their published trials: counts, score, interval, bounds, cost; equal to the last bit or broken."""

from typing import Any

from runner.usecases.results.published_tables import PublishedTables, broken
from shared.outcomes import AttemptEnd, Observation, Outcome
from shared.tables.published import NO_USAGE, AttemptFacts, CellFacts, Identity, Scope, TrialFacts, Usage
from shared.tables.rows import counts_row, score_row
from shared.tables.schema import COUNTS
from shared.tables.score import count_trials, score_cell

_COUNT_COLUMNS = tuple(column.name for column in COUNTS)


def compare_cell(published: PublishedTables, cell_id: str | None) -> None:
    """Require that every number of the cell `cell_id` (None: of all cells) follows from its trials; raise VERIFY_BROKEN."""
    cells = published.rows["cells"]
    for index, name in enumerate(cells["cell_id"]):
        if cell_id is not None and name != cell_id:
            continue
        row = {column: values[index] for column, values in cells.items()}
        expected = _recomputed(published, row)
        for column, value in expected.items():
            if row[column] != value:
                raise broken(f"{name}.{column}", f"the row says {row[column]!r}, its trials give {value!r}")
    if cell_id is None:
        _compare_run(published)


def _compare_run(published: PublishedTables) -> None:
    runs, cells = published.rows["runs"], published.rows["cells"]
    for column in _COUNT_COLUMNS:
        if runs[column][0] != sum(cells[column]):
            raise broken(f"{runs['run_id'][0]}.{column}", "the run's count is not the sum of its cells")


def _recomputed(published: PublishedTables, row: dict[str, Any]) -> dict[str, Any]:
    trials = tuple(_trials(published, row["cell_id"]))
    if len({trial.task_name for trial in trials}) != row["tasks"] or len(trials) != row["tasks"] * row["repeats"]:
        raise broken(str(row["cell_id"]), "the trials are not every task times every repeat")
    cell, scope = _cell(row, trials), _scope(row)
    return {**counts_row(count_trials(trials)), **score_row(score_cell(cell, scope))}


def _trials(published: PublishedTables, cell_id: str) -> list[TrialFacts]:
    table = published.rows["trials"]
    attempts = _attempts(published)
    found = []
    for index, owner in enumerate(table["cell_id"]):
        if owner == cell_id:
            outcome = table["outcome"][index]
            trial = table["trial_id"][index]
            mine = tuple(attempts.get(trial, ()))
            found.append(
                TrialFacts(
                    trial_id=trial,
                    task_name=table["task_name"][index],
                    task_digest=table["task_digest"][index],
                    repeat=table["repeat"][index],
                    outcome=None if outcome is None else Outcome(outcome),
                    reward=table["reward"][index],
                    is_passed=table["passed"][index],
                    selected=next((each for each in mine if each.attempt_id == table["selected_attempt_id"][index]), None),
                    attempts=_with_cost(mine, table["cost_usd_micros"][index]),
                )
            )
    return found


def _attempts(published: PublishedTables) -> dict[str, list[AttemptFacts]]:
    table = published.rows["attempts"]
    found: dict[str, list[AttemptFacts]] = {}
    for index, attempt in enumerate(table["attempt_id"]):
        facts = AttemptFacts(
            attempt_id=attempt,
            ordinal=table["ordinal"][index],
            wave_id=table["wave_id"][index],
            runtime=table["runtime"][index],
            end=AttemptEnd(table["state"][index]),
            classification_version=table["classification_version"][index],
        )
        found.setdefault(table["trial_id"][index], []).append(facts)
    return found


def _with_cost(attempts: tuple[AttemptFacts, ...], cost: int | None) -> tuple[AttemptFacts, ...]:
    """Put the trial's published cost on its first attempt: the attempts table has no cost, the trial's is their sum."""
    if not attempts:
        return ()
    first, *rest = attempts
    usages = [Usage(Observation.OBSERVED, cost_usd_micros=cost), *(Usage(Observation.OBSERVED, cost_usd_micros=0) for _ in rest)]
    if cost is None:
        usages = [NO_USAGE for _ in attempts]
    return tuple(_replace_usage(each, usage) for each, usage in zip([first, *rest], usages, strict=True))


def _replace_usage(attempt: AttemptFacts, usage: Usage) -> AttemptFacts:
    values = {name: getattr(attempt, name) for name in attempt.__slots__}
    return AttemptFacts(**{**values, "usage": usage})


def _cell(row: dict[str, Any], trials: tuple[TrialFacts, ...]) -> CellFacts:
    identity = Identity(**{name: row[name] for name in Identity.__slots__})
    return CellFacts(
        identity=identity,
        quality=row["quality"],
        trials=trials,
        weights_format=row["weights_format"],
        deployment_digest=row["deployment_digest"],
        deployment_spec_digest=row["deployment_spec_digest"],
        concurrency=row["concurrency"],
        primary_reward=row["primary_reward"],
        pass_threshold=row["pass_threshold"],
        reward_range=(row["reward_low"], row["reward_high"]),
        host_packages_sha256=row["host_packages_sha256"],
        needs_model=row["cost_observation"] != Observation.NOT_APPLICABLE,
    )


def _scope(row: dict[str, Any]) -> Scope:
    names = ("kind", "quality", "role", "series", "benchmark_digest", "tasks_sha256", "tasks", "repeats", "sandbox")
    values = {name: row[name] for name in (*names, "trial_seconds", "agent_setup_multiplier")}
    return Scope(**values)
