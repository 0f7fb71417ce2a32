"""When the next pass is due: what the pass told of itself, in words for the preview and a request's page."""

from datetime import UTC, datetime
from typing import Final

from shared.documents.installation_status import InstallationStatus
from shared.errors import StoreFault
from space.requests.desk import Desk

TOLD_EVERY_S: Final = 30
"""A pass tells its time at least so often while passes follow each other more quickly."""
_SLACK: Final = 2.0
"""So many times its promised wait, a pass is told to be late."""


def next_pass(desk: Desk) -> str:
    """Return when the next pass is due, as far as it is known."""
    try:
        return due(desk.status.installation(), desk.clock())
    except StoreFault:
        return "not known: no pass has told of itself"


def due(installation: InstallationStatus, now_s: float) -> str:
    """Return when the pass after the newest one that `installation` tells of is due, seen at `now_s`."""
    if not installation.passed_at:
        return "not known: no pass has told of itself"
    told_s = datetime.fromisoformat(installation.passed_at).timestamp()
    every_s = installation.repeats_s
    if not every_s:
        return f"when a maintainer starts it; the last one was at {_clock(told_s)}"
    due_s = told_s + max(every_s, TOLD_EVERY_S)
    if now_s > told_s + _SLACK * max(every_s, TOLD_EVERY_S):
        return f"overdue since {_clock(due_s)}: ask a maintainer whether passes still run"
    return f"at {_clock(due_s)}" if every_s > TOLD_EVERY_S else f"within {every_s} s: one follows the other"


def _clock(at_s: float) -> str:
    return f"{datetime.fromtimestamp(at_s, UTC):%Y-%m-%d %H:%M:%S} UTC"
