"""Quotas: what one person, one organisation and all together may still ask for, judged by the limits profile.

Both houses judge with these words: the form for an early answer, the pass that takes the request for the deciding one, on what
the log says is in use. An accepted submit uses its whole ceiling until its run has ended, then what the run cost. Amounts are
integer micro-USD, days and months are UTC. Nothing here knows a clock or a store.
"""

from typing import NamedTuple

from shared.documents.reviewed.limits import Limits, RequesterLimits
from shared.errors import Refused
from shared.money import format_usd


class Used(NamedTuple):
    """What is in use before a request, by one user and by the user's owner (an organisation, or everybody who has none)."""

    open_user: int = 0
    """Accepted submits whose run has not ended."""
    open_owner: int = 0
    day_user: int = 0
    """Accepted submits of the last 24 hours."""
    day_owner: int = 0
    day_user_usd_micros: int = 0
    day_owner_usd_micros: int = 0
    month_user_usd_micros: int = 0
    month_owner_usd_micros: int = 0


class Asked(NamedTuple):
    """The size of one submit."""

    trials: int
    cells: int
    body_bytes: int
    ceiling_usd_micros: int


def limits_of(limits: Limits, *, is_member: bool) -> RequesterLimits:
    """Return the bounds of the requester's class."""
    return limits.member if is_member else limits.anyone


def require_quota(bounds: RequesterLimits, used: Used, asked: Asked) -> None:
    """Raise Refused with the code of the first bound that `asked` would go beyond; nothing if it fits."""
    sizes = ((asked.trials, bounds.request_trials, "trials"), (asked.cells, bounds.request_cells, "cells"))
    for size, bound, what in (*sizes, (asked.body_bytes, bounds.request_bytes, "bytes")):
        if size > bound:
            message = f"one request may have {bound} {what}, this one has {size}"
            raise Refused("request.too_large", message, way_out="Ask for less, or for several runs.")
    counts = (
        ("request.user_open", used.open_user, bounds.open_requests_user, "you have", "unfinished requests"),
        ("request.org_open", used.open_owner, bounds.open_requests_owner, "your organisation has", "unfinished requests"),
        ("request.user_rate", used.day_user, bounds.requests_day_user, "you made", "requests in 24 hours"),
        ("request.org_rate", used.day_owner, bounds.requests_day_owner, "your organisation made", "requests in 24 hours"),
    )
    for code, count, most, who, what in counts:
        if most is not None and count >= most:
            raise Refused(code, f"{who} {count} {what}, at most {most} are allowed", way_out="Wait until one ends, or a day.")
    _require_money(bounds, used, asked)


def needs_approval(limits: Limits, asked: Asked, *, is_member: bool) -> bool:
    """Tell whether a submit of this size waits for a maintainer; of people without a membership every one does."""
    is_small = asked.ceiling_usd_micros <= limits.approval_ceiling_usd_micros and asked.trials <= limits.approval_trials
    return not (is_member and is_small)


def _require_money(bounds: RequesterLimits, used: Used, asked: Asked) -> None:
    amounts = (
        ("request.user_cap", used.day_user_usd_micros, bounds.day_user_usd_micros, "your day"),
        ("request.org_cap", used.day_owner_usd_micros, bounds.day_owner_usd_micros, "your organisation's day"),
        ("request.user_month", used.month_user_usd_micros, bounds.month_user_usd_micros, "your month"),
        ("request.org_month", used.month_owner_usd_micros, bounds.month_owner_usd_micros, "your organisation's month"),
    )
    for code, amount, cap, whose in amounts:
        if amount + asked.ceiling_usd_micros > cap:
            left = format_usd(max(0, cap - amount))
            message = f"{format_usd(asked.ceiling_usd_micros)} is more than the {left} that are left of {whose}"
            raise Refused(code, message, way_out="Lower the cost ceiling, or ask a maintainer.")
