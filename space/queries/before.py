"""What of a plan was measured before: the published cells with the same cell digest."""

from collections.abc import Sequence
from typing import Final

from space.queries.statement import Statement

MOST: Final = 20
_SAME: Final = (
    "SELECT cell_id FROM cell WHERE list_contains(CAST(? AS VARCHAR[]), cell_digest) ORDER BY completed_at DESC, cell_id LIMIT ?"
)


def published_before(digests: Sequence[str]) -> Statement:
    """Return the read of the newest published cells, at most 20, that have one of `digests`."""
    return Statement(_SAME, (sorted(digests), MOST))
