"""What a list of trials or attempts holds, as a view says it: a cell, a run, a trial's or attempt's own cell, or an edition.

Both lists begin with the same columns: which trial of which cell it is.
"""

from typing import Final

from space.listings.listing import Field
from space.queries import attempt as attempt_query
from space.queries.trials import trials as query
from space.queries.trials.trials import Within
from space.queries.view import View
from space.readers.editions import choose_edition, unknown
from space.readers.mirror import Mirror

OF_TRIAL: Final = (
    Field("benchmark"),
    Field("edition"),
    Field("run_id"),
    Field("cell_id"),
    Field("model_repo"),
    Field("agent_name"),
    Field("task_name"),
    Field("task_digest"),
    Field("repeat", "int"),
)


def within(view: View, mirror: Mirror) -> Within:
    """Return what `view` means, the narrowest id first; Refused `view.not_published` for one that is not published."""
    for key, owner in (("attempt_id", attempt_query.owner_of_attempt), ("trial_id", attempt_query.owner_of_trial)):
        if view.values.get(key) and not view.text("cell_id"):
            found = mirror.one(owner(view.text(key)))
            if found is None:
                raise unknown(key, view.text(key))
            return _of(view.with_values(cell_id=found["cell_id"]), mirror)
    if view.text("cell_id") or view.text("run_id"):
        return _of(view, mirror)
    chosen = choose_edition(view, mirror)
    return Within(benchmark=chosen.benchmark, edition=chosen.edition)


def _of(view: View, mirror: Mirror) -> Within:
    cell_id, run_id = view.text("cell_id"), view.text("run_id")
    found = mirror.one(query.publication_of(cell_id=cell_id, run_id=run_id))
    if found is None:
        raise unknown("cell_id", cell_id) if cell_id else unknown("run_id", run_id)
    return Within(found["publication_id"], cell_id=cell_id, run_id="" if cell_id else run_id)
