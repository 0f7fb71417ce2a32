"""An account: what one accepted submit uses of quotas and caps; carried by an event once its run has ended."""

import msgspec


class Account(msgspec.Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """What one accepted submit uses."""

    run_id: str
    user_id: str
    owner: str
    submitted_ms: int
    submitted_on: str
    """UTC day of the submit: its amounts count on that day and in that month."""
    ceiling_usd_micros: int = 0
    is_open: bool = False
    """Its run has not ended: the whole ceiling counts."""
    spent: dict[str, int] = {}
    """Micro-USD by UTC day: settled, and the ceilings of what is still open."""
    starts: tuple[int, ...] = ()
    """Store times of the job starts of the newest hour."""

    @property
    def used_usd_micros(self) -> int:
        """Return what counts against the caps of the day and the month of the submit, and of every later one while it is open."""
        cost = sum(self.spent.values())
        return max(self.ceiling_usd_micros, cost) if self.is_open else cost
