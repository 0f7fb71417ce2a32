"""Which cells the pages about tasks, failures and speed add up: of the standing runs of a cell the ranked one, else the newest.

None that is withheld. A later run that may not be ranked, a partial one for example, takes no ranked one's place.

Harbor's own agents (oracle, nop) check a benchmark: they say whether a task can be solved, and are not counted among those who
tried to solve it.
"""

from typing import Final

from shared.statistics.ranked_sets import REFERENCE_AGENTS

STANDING: Final = (
    "c.stands AND c.withheld IS NULL AND c.role = 'final' AND "
    "(c.is_ranked OR c.is_newest AND c.cell_digest NOT IN (SELECT cell_digest FROM cell WHERE is_ranked))"
)
IS_REFERENCE: Final = "c.agent_name IN ({})".format(", ".join(f"'{name}'" for name in sorted(REFERENCE_AGENTS)))
