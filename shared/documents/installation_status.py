"""The status of the installation as the pass wrote it: the hold, what waits, and who uses how much of which quota.

The Space reads it for its early answers ("2 of 3 unfinished requests, $4.10 left today"); the pass that takes a request judges
anew. It shows a visitor nothing but the visitor's own lines.
"""

from typing import ClassVar

from shared.documents.document import Document
from shared.documents.reviewed.limits import Limits


class UseLine(Document):
    """What one user, or one owner, uses now."""

    open: int
    """Accepted submits whose run has not ended."""
    day: int
    """Accepted submits of the last 24 hours."""
    day_usd_micros: int
    month_usd_micros: int


class InstallationStatus(Document):
    """The newest status of the whole installation."""

    error_code: ClassVar[str] = "STATUS_INVALID"

    schema_version: int = 1
    is_held: bool
    hold_because: str
    attention: dict[str, str]
    limits: Limits
    """What requests are judged by."""
    users: dict[str, UseLine]
    """By user id; who uses nothing is left out."""
    owners: dict[str, UseLine]
    """By organisation id; `-` stands for everybody who has none."""
    day: str
    """UTC day that the amounts of a day are of."""
    passed_at: str = ""
    """When a pass looked at the whole inbox; at most half a minute older than the newest that did. Empty: none has."""
    repeats_s: int = 0
    """How soon the next pass follows, in seconds; 0 where each is started by a person and nothing is promised."""
