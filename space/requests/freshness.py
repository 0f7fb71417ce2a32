"""Whether the Space still knows what is published: a submit is previewed and confirmed only where it does.

A Space whose source has not been checked for a day shows numbers that may be withdrawn or measured again meanwhile, and says of
a configuration that nobody has measured it although somebody did.
"""

from datetime import UTC, datetime
from typing import Final

from shared.errors import Refused
from space.requests.desk import Desk

STALE_AFTER_S: Final = 24 * 3_600


def require_fresh(desk: Desk) -> None:
    """Raise Refused `source.stale` with the reason if no check of the source has succeeded for 24 hours."""
    checked = desk.checked()
    if checked is None or desk.clock() - checked.at_s < STALE_AFTER_S:
        return
    when = f"{datetime.fromtimestamp(checked.at_s, UTC):%Y-%m-%d %H:%M} UTC"
    message = f"what is published has not been checked since {when}: {checked.because or 'no check has ended'}"
    raise Refused("source.stale", message, way_out="Nothing was written. Ask a maintainer to put the source right.")
