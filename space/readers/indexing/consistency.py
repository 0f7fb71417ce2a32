"""Whether a cell says what its trials say: counts, score, pass rate, interval and bounds are recomputed from `trials`.

A cell whose published numbers differ by more than 1e-9 is withheld: it stays listed with the reason, its numbers are not shown,
and the other cells of its publication stay. So does a cell whose catalog record carries another score than its row.
"""

from collections import defaultdict
from typing import Any, Final

from shared.statistics.intervals import score_interval
from shared.tables.score import has_score
from space.queries.statement import Statement
from space.readers.engine import BUILD_SECONDS, Engine

TOLERANCE: Final = 1e-9
CODE: Final = "cell.inconsistent"


def withheld_cells(engine: Engine) -> dict[str, str]:
    """Return the reason for each cell of `cells` that must not be shown; needs the table `cell_task`."""
    means: dict[str, list[float]] = defaultdict(list)
    for cell, task_mean in engine.build("SELECT cell_id, sum(reward) / sum(trials) FROM cell_task GROUP BY cell_id, task_name"):
        means[cell].append(task_mean)
    found: dict[str, str] = {}
    for cell in engine.rows(Statement(_CELLS), seconds=BUILD_SECONDS):
        wrong = _differences(cell, means[cell["cell_id"]])
        if wrong:
            found[cell["cell_id"]] = f"{CODE}: {', '.join(wrong)} differ from what its trials say"
    return found


def _differences(cell: dict[str, Any], task_means: list[float]) -> list[str]:
    counted = {
        "planned_trials": cell["trials"],
        "scored_trials": cell["t_scored"],
        "agent_failed_trials": cell["t_agent_failed"],
        "benchmark_failed_trials": cell["t_benchmark_failed"],
        "infrastructure_exhausted_trials": cell["t_infrastructure_exhausted"],
        "unfinished_trials": cell["t_unfinished"],
        "passed_trials": cell["t_passed"],
    }
    wrong = [name for name, value in counted.items() if cell[name] != (value or 0)]
    wrong += [name for name, value in _recomputed(cell, task_means).items() if not _agree(cell[name], value)]
    return wrong if _agree(cell["score"], cell["catalog_score"]) else [*wrong, "the catalog's score"]


def _recomputed(cell: dict[str, Any], task_means: list[float]) -> dict[str, float | None]:
    names = ("score", "pass_rate", "score_low", "score_high", "score_stderr", "effective_n", "bound_low", "bound_high")
    if not has_score(cell["kind"], cell["quality"]) or not cell["t_scored"] or not cell["trials"]:
        return dict.fromkeys(names)
    low, high = cell["reward_low"], cell["reward_high"]
    score, lost = cell["t_reward"] / cell["trials"], cell["t_infrastructure_exhausted"] / cell["trials"]
    interval = score_interval(task_means, cell["repeats"]) if (low, high) == (0.0, 1.0) else None
    return {
        "score": score,
        "pass_rate": cell["t_passed"] / cell["trials"],
        "score_low": interval.low if interval else None,
        "score_high": interval.high if interval else None,
        "score_stderr": interval.stderr if interval else None,
        "effective_n": interval.effective_n if interval else None,
        "bound_low": score + low * lost if lost else None,
        "bound_high": score + high * lost if lost else None,
    }


def _agree(published: float | None, recomputed: float | None) -> bool:
    if published is None or recomputed is None:
        return published is recomputed
    return abs(published - recomputed) <= TOLERANCE * max(1.0, abs(recomputed))


_CELLS: Final = """
WITH summed AS (
  SELECT cell_id, sum(trials)::BIGINT AS trials, sum(scored)::BIGINT AS t_scored, sum(agent_failed)::BIGINT AS t_agent_failed,
         sum(benchmark_failed)::BIGINT AS t_benchmark_failed, sum(unfinished)::BIGINT AS t_unfinished,
         sum(infrastructure_exhausted)::BIGINT AS t_infrastructure_exhausted, sum(passed)::BIGINT AS t_passed,
         fsum(reward) AS t_reward
  FROM cell_task GROUP BY cell_id
), newest AS (
  SELECT publication_id, cell_id, arg_max(score, sequence) AS catalog_score FROM catalog GROUP BY ALL
)
SELECT c.*, k.catalog_score, s.* EXCLUDE (cell_id)
FROM cells c LEFT JOIN summed s USING (cell_id) LEFT JOIN newest k USING (publication_id, cell_id)
"""
