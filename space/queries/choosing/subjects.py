"""What the lists of models and agents ask: how many cells each has and over how many benchmarks; nothing is averaged."""

from typing import Final, Literal

from space.queries.leaderboard import conditions
from space.queries.statement import Statement
from space.queries.view import View

_SAID: Final = {"model": ("model_repo", "agent_name", "agents"), "agent": ("agent_name", "model_repo", "models")}


def subjects(view: View, what: Literal["model", "agent"]) -> Statement:
    """Return the models (agents) of all cells that the view selects, by name, with counts."""
    name, other, others = _SAID[what]
    where, values = conditions(view)
    if view.text("benchmark"):
        where += " AND benchmark = ?"
        values.append(view.text("benchmark"))
    return Statement(
        f"SELECT {name}, count(*) AS cells, count(*) FILTER (is_ranked) AS ranked_cells, "  # noqa: S608 - fixed pieces
        f"count(DISTINCT benchmark) AS benchmarks, count(DISTINCT edition) AS editions, count(DISTINCT {other}) AS {others}, "
        f"max(completed_at) AS newest FROM cell WHERE true {where} GROUP BY {name} ORDER BY {name}",
        tuple(values),
    )
