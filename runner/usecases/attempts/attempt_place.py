"""Where the bundle of an attempt lies, from its run, its plan, its trial and its ordinal."""

from shared import paths
from shared.documents.plan import PlanHead
from shared.ids import RunId, attempt_id, cell_id, trial_id
from shared.planning.sharding import trial_at


def attempt_place(run_id: RunId, head: PlanHead, trial: int, ordinal: int) -> str:
    """Return where the bundle of the `ordinal`-th try at the trial with plan index `trial` lies."""
    planned = trial_at(head, trial)
    cell, name = cell_id(run_id, planned.cell.cell_digest), trial_id(run_id, planned.key)
    return paths.attempt_prefix(run_id, cell, name, attempt_id(name, ordinal))
