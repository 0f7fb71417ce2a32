"""What a put into an inbox on one machine may do: one rule for the SQLite file and for memory."""

from collections.abc import Callable, Sequence

from runner.ports.state.answers import Conflict, Full, Version
from shared.inbox.codec import is_urgent
from shared.inbox.ddl import MAX_WAITING


def admit(
    requests: Sequence[tuple[str, bytes]], find: Callable[[str], bytes | None], waiting: int
) -> dict[str, bytes] | Conflict | Full:
    """Return the requests that do not wait yet, or why none of them may be put.

    `find` returns the waiting bytes of an id. An id that waits with other bytes is a conflict; when `waiting` would exceed the
    bound, only cancels and holds are let in.
    """
    fresh: dict[str, bytes] = {}
    for request_id, data in requests:
        known = fresh.get(request_id, find(request_id))
        if known is None:
            fresh[request_id] = data
        elif known != data:
            return Conflict(Version(""), f"REQUEST_CONFLICT: {request_id} waits with other bytes")
    ordinary = sum(not is_urgent(data) for data in fresh.values())
    return Full(waiting) if ordinary and waiting + len(fresh) > MAX_WAITING else fresh
