"""What the grid asks: every model with every agent of one edition, each square with all its cells, or said to be empty.

A square without a cell is `not_run`, or `not_applicable` where the agent asks no model or a model's agent is asked without one.
"""

from typing import Final

from space.queries.leaderboard import ROW, conditions
from space.queries.statement import Statement
from space.queries.view import View

_SQUARES: Final = """
WITH shown AS ({row} WHERE benchmark = ? AND edition = ? {where}),
models AS (SELECT DISTINCT model_repo FROM shown WHERE len(?::VARCHAR[]) = 0 OR list_contains(?::VARCHAR[], model_repo)),
agents AS (
  SELECT agent_name, bool_and(model_repo = 'none') AS asks_no_model FROM shown
  WHERE len(?::VARCHAR[]) = 0 OR list_contains(?::VARCHAR[], agent_name) GROUP BY agent_name
)
SELECT m.model_repo, a.agent_name, s.* EXCLUDE (model_repo, agent_name, benchmark, edition),
       ?::VARCHAR AS benchmark, ?::VARCHAR AS edition,
       CASE WHEN s.cell_id IS NOT NULL THEN 'run' WHEN m.model_repo = 'none' OR a.asks_no_model THEN 'not_applicable'
            ELSE 'not_run' END AS square
FROM models m CROSS JOIN agents a
     LEFT JOIN shown s ON s.model_repo = m.model_repo AND s.agent_name = a.agent_name
ORDER BY m.model_repo = 'none', m.model_repo, a.agent_name, s.is_ranked DESC NULLS LAST, s.score DESC NULLS LAST, s.cell_id
"""


def squares(view: View, benchmark: str, edition: str) -> Statement:
    """Return one row per cell and one per empty square, by model and agent; `models` and `agents` narrow rows and columns."""
    where, values = conditions(view.with_values(models=(), agents=()))
    models, agents = list(view.texts("models")), list(view.texts("agents"))
    named = (models, models, agents, agents, benchmark, edition)
    return Statement(_SQUARES.format(row=ROW, where=where).strip(), (benchmark, edition, *values, *named))
