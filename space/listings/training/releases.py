"""Every operation that moved, or refused to move, a serving channel; the live pointer is authoritative."""

from typing import Final

from space.listings.listing import Listing
from space.listings.training.declared import asks, fields

FIELDS: Final = fields(
    "release_id channel entry candidate incumbent generation_before:i generation_after:i state verdict reasons:l policy "
    "deployment approvers:l approvals canary_passed:b canary_latency_ms:f restored:b application_observed:b training_provenance "
    "submitted_at:t finished_at:t cost_usd_micros:m verification statement"
)
LISTING: Final = Listing(
    name="releases",
    title="Releases",
    parameters=frozenset({"release_id"}),
    fields=FIELDS,
    ask=asks("releases", FIELDS, key="release_id", newest="submitted_at", parameter="release_id"),
)
