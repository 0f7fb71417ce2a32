"""Immutable published states of model repositories, by line; staged is not published."""

from typing import Final

from space.listings.listing import Listing
from space.listings.training.declared import asks, fields

FIELDS: Final = fields(
    "snapshot_id kind line repo payload_commit pointer_commit manifest files:i bytes:i source_commit release_id generation:i "
    "license visibility state error_type tries:i statement"
)
LISTING: Final = Listing(
    name="snapshots",
    title="Snapshots",
    parameters=frozenset(()),
    fields=FIELDS,
    ask=asks("snapshots", FIELDS, key="snapshot_id", newest="generation"),
)
