"""Every training that ended, failed and refused ones too, with the receipt that its own trainer part has, or none."""

from typing import Final

from shared.tables.registry import TABLES
from space.listings.listing import Field, Listing
from space.listings.training.declared import JOB, fields
from space.queries.statement import Statement
from space.queries.training import tables as query
from space.queries.view import View
from space.readers.mirror import Mirror

_PUBLISHED: Final = fields(
    "training_id recipe recipe_name method base start_adapter trainer_part build train_set heldout environment environment_kind "
    "loop sampler mode max_staleness:i receipt resumed_from resume_mode state failure_category steps_planned:i steps_done:i "
    "supervised_tokens:i rollouts:i dropped_rollouts:i policy_versions:i selected_branch selected_step:i selected_adapter "
    f"resumable_step:i resumable_checkpoint {JOB} statement"
)
_RECEIPT: Final = (
    Field("receipt_state", meaning="of the receipt of exactly this trainer part: its state, or no_receipt"),
    Field("qualification_id", meaning="the qualification that gave the receipt", empty="no receipt"),
    Field("failed_checks", "texts", "its checks that did not pass", empty="no receipt"),
)


def _ask(view: View, _mirror: Mirror) -> Statement:
    return query.trainings([field.name for field in _PUBLISHED], TABLES, training_id=view.text("training_id"))


LISTING: Final = Listing(
    name="trainings",
    title="Trainings",
    parameters=frozenset({"training_id"}),
    fields=(*_PUBLISHED, *_RECEIPT),
    ask=_ask,
)
