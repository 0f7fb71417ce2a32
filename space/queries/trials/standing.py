"""Which cells the pages about tasks, failures and speed add up: those that stand, the newest of each, none that is withheld.

Harbor's own agents (oracle, nop) check a benchmark: they say whether a task can be solved, and are not counted among those who
tried to solve it.
"""

from typing import Final

from shared.statistics.ranked_sets import REFERENCE_AGENTS

STANDING: Final = "c.stands AND c.is_newest AND c.withheld IS NULL AND c.role = 'final'"
IS_REFERENCE: Final = "c.agent_name IN ({})".format(", ".join(f"'{name}'" for name in sorted(REFERENCE_AGENTS)))
