"""A disk that is full: how it shows in an error of the operating system, and the one error that people are told.

Every adapter on this machine and the last line of every process ask here, so a full disk is `STORE_FULL` wherever it strikes.
"""

import errno
from typing import Final

from shared.errors import StoreFault

_CODES: Final = frozenset({errno.ENOSPC, errno.EDQUOT})


def is_full(error: BaseException) -> bool:
    """Tell whether `error` says that a disk, or somebody's share of it, is full."""
    return isinstance(error, OSError) and error.errno in _CODES


def store_full(path: str = "") -> StoreFault:
    """Return the error of a write that found no room; nothing half-written is ever believed."""
    message = "the disk is full; nothing was written"
    return StoreFault("STORE_FULL", message, field=path, way_out="Make room, then run the command again.")
