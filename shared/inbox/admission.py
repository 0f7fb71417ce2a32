"""What a put into an inbox may do: one rule for every writer, whichever house it lives in."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from shared.inbox.codec import is_urgent
from shared.inbox.ddl import MAX_WAITING


class Clash(NamedTuple):
    """This id waits with other bytes."""

    request_id: str


class Crowded(NamedTuple):
    """As many requests wait as may."""

    waiting: int


def admit(
    requests: Sequence[tuple[str, bytes]], find: Callable[[str], bytes | None], waiting: int
) -> dict[str, bytes] | Clash | Crowded:
    """Return the requests that do not wait yet, or why none of them may be put.

    `find` returns the waiting bytes of an id. When `waiting` would exceed the bound, only cancels and holds are let in.
    """
    fresh: dict[str, bytes] = {}
    for request_id, data in requests:
        known = fresh.get(request_id, find(request_id))
        if known is None:
            fresh[request_id] = data
        elif known != data:
            return Clash(request_id)
    ordinary = sum(not is_urgent(data) for data in fresh.values())
    return Crowded(waiting) if ordinary and waiting + len(fresh) > MAX_WAITING else fresh
