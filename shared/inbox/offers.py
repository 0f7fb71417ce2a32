"""Where offers stand: the pointer that names the current one in the log, and the status subject by which the Space reads it."""

from typing import Final

OFFER: Final = "offer"
"""The subject type of an offer's status document, which is the offer itself."""


def offer_pointer(name: str) -> str:
    """Return the name of the pointer to the offer called `name`; its target is the digest of the offer, empty once taken back."""
    return f"{OFFER}/{name}"
