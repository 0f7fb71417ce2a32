"""Metrics of one artifact on a frozen held-out set, candidate and incumbent apart, with the verdict that they led to."""

from typing import Final

from space.listings.listing import Listing
from space.listings.training.declared import asks, fields

FIELDS: Final = fields(
    "evaluation_id role artifact kind step:i evaluator heldout context policy run_id samples:i metric value:f state verdict "
    "reasons:l completed_at:t comparison selection statement"
)
LISTING: Final = Listing(
    name="evaluations",
    title="Evaluations",
    parameters=frozenset(()),
    fields=FIELDS,
    ask=asks("evaluations", FIELDS, key="evaluation_id", newest="completed_at"),
)
