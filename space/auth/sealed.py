"""Texts that only this app can have made: fields, a purpose and an end, signed with a key from the client secret.

Sessions, logins under way and tickets are sealed texts. Each purpose has a key of its own, so that none can stand for another.
What is sealed can be read by whoever holds it; it cannot be changed.
"""

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from shared.digests import Json, canonical_json

MAX_TEXT: Final = 8_192


class Unsealed(NamedTuple):
    """What a sealed text says; it was made here, and maybe long ago."""

    fields: Mapping[str, Any]
    is_expired: bool


def key_from(secret: str, purpose: str) -> bytes:
    """Return the key for `purpose`."""
    return hmac.digest(secret.encode(), f"seawall {purpose} 1".encode(), hashlib.sha256)


def seal(key: bytes, fields: Mapping[str, Json], expires_at: int) -> str:
    """Return `fields` as one text that is good until `expires_at`, in seconds since 1970."""
    said = canonical_json({"fields": fields, "expires_at": expires_at})
    return f"{_text(said)}.{_text(hmac.digest(key, said, hashlib.sha256))}"


def unseal(key: bytes, text: str, now: float) -> Unsealed | None:
    """Return what `text` says, None if it was not made with `key`."""
    said, _, signature = text[:MAX_TEXT].partition(".")
    try:
        data, signed = _bytes(said), _bytes(signature)
    except (binascii.Error, ValueError):
        return None
    if not hmac.compare_digest(hmac.digest(key, data, hashlib.sha256), signed):
        return None
    found = json.loads(data)
    return Unsealed(found["fields"], is_expired=now >= found["expires_at"])


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _bytes(text: str) -> bytes:
    return base64.b64decode(text.encode("ascii") + b"=" * (-len(text) % 4), altchars=b"-_", validate=True)
