"""What a put into an inbox on one machine may do, in the answers of the port: one rule for the SQLite file and for memory."""

from collections.abc import Callable, Sequence

from runner.ports.state.answers import Conflict, Full, Version
from shared.inbox import admission


def admit(
    requests: Sequence[tuple[str, bytes]], find: Callable[[str], bytes | None], waiting: int
) -> dict[str, bytes] | Conflict | Full:
    """Return the requests that do not wait yet, or why none of them may be put."""
    fresh = admission.admit(requests, find, waiting)
    if isinstance(fresh, admission.Clash):
        return Conflict(Version(""), f"REQUEST_CONFLICT: {fresh.request_id} waits with other bytes")
    return Full(fresh.waiting) if isinstance(fresh, admission.Crowded) else fresh
