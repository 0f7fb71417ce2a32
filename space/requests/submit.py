"""Asking for a run: what was chosen from an offer becomes a plan, what it would take, and the body of a request.

The plan comes from the same function and the same bytes that the pass uses, so its digest is the pass's own. Everything here is
an early answer: the pass that takes the request decides.
"""

import re
from datetime import UTC, datetime
from typing import Final, NamedTuple

from shared.documents.installation_status import InstallationStatus, UseLine
from shared.documents.reviewed.limits import RequesterLimits
from shared.documents.reviewed.offer import Offer
from shared.documents.run_request import RunRequest
from shared.errors import BadInput, Refused
from shared.inbox.quotas import Asked, Used, limits_of, needs_approval, require_quota
from shared.inbox.rights import Standing, owner_of, require_right
from shared.money import micros_from_usd
from shared.planning.plan import Plan
from shared.planning.requested import Choice, plan_requested
from space.auth.people import Person
from space.requests.desk import Desk
from space.requests.freshness import require_fresh
from space.requests.next_pass import due

_NOTHING = UseLine(open=0, day=0, day_usd_micros=0, month_usd_micros=0)
_AMOUNT: Final = re.compile(r"[0-9]{1,9}(\.[0-9]{1,6})?")


class Preview(NamedTuple):
    """What a submit would ask for."""

    offer: Offer
    asked: RunRequest
    plan: Plan
    size: Asked
    used: Used
    bounds: RequesterLimits
    waits_for_approval: bool
    is_held: bool
    next_pass: str
    """When it is due, in words."""


def choose(models: tuple[str, ...], agents: tuple[str, ...], ceiling_usd: str) -> Choice:
    """Return the choice that form fields make; raise BadInput naming the field."""
    for chosen, name in ((models, "models"), (agents, "agents")):
        if not chosen:
            raise BadInput("REQUEST_INVALID", "choose at least one", field=name)
    amount = ceiling_usd.strip() or "0"
    if not _AMOUNT.fullmatch(amount):
        raise BadInput("REQUEST_INVALID", "expected an amount in US dollars, such as 2.50", field="ceiling_usd")
    return Choice(models, agents, micros_from_usd(amount))


def preview_submit(desk: Desk, person: Person, offer_name: str, choice: Choice) -> Preview:
    """Return what this choice would ask for now; raise BadInput or Refused with what stands in the way."""
    require_right(desk.access, "submit", person.actor)
    require_fresh(desk)
    offer = desk.status.offer(offer_name)
    if offer is None:
        raise Refused("request.profile_unknown", "this is not offered", field="offer", way_out="Choose one that is offered now.")
    plan = plan_requested(offer, choice).plan
    asked = RunRequest.from_json(
        {
            "offer": offer.name,
            "offer_sha256": offer.digest,
            "models": list(choice.models),
            "agents": list(choice.agents),
            "max_spend_usd_micros": choice.max_spend_usd_micros,
            "plan_digest": plan.digest,
        }
    )
    size = Asked(plan.head.arithmetic.trials, plan.head.arithmetic.cells, len(asked.to_bytes()), choice.max_spend_usd_micros)
    installation = desk.status.installation()
    is_member = person.standing is not Standing.ANYONE
    bounds, used = limits_of(installation.limits, is_member=is_member), _used(desk, person, installation)
    require_quota(bounds, used, size)
    waits = needs_approval(installation.limits, size, is_member=is_member)
    return Preview(offer, asked, plan, size, used, bounds, waits, installation.is_held, due(installation, desk.clock()))


def require_unchanged(desk: Desk, person: Person, body: str) -> None:
    """Raise Refused `request.preview_changed` unless planning gives the body's plan again, or another refusal that holds now."""
    asked = RunRequest.from_bytes(body.encode())
    now = preview_submit(desk, person, asked.offer, Choice(asked.models, asked.agents, asked.max_spend_usd_micros))
    if now.asked != asked:
        message = "what is offered has changed since the preview"
        raise Refused(
            "request.preview_changed", message, way_out="Nothing was written. Look at the new preview, then confirm it."
        )


def _used(desk: Desk, person: Person, installation: InstallationStatus) -> Used:
    """Return what is in use: what the pass counted, and the submits that still wait in the inbox."""
    today = datetime.fromtimestamp(desk.clock(), UTC).date().isoformat()
    is_today, is_month = installation.day == today, installation.day[:7] == today[:7]
    owner_name = owner_of(desk.access, person.actor)
    user, owner = installation.users.get(person.user_id, _NOTHING), installation.owners.get(owner_name, _NOTHING)
    own, owners = [], []
    for request in desk.inbox.waiting():
        if request.kind == "submit" and (ceiling := _ceiling(request.body)) is not None:
            if request.actor.user_id == person.user_id:
                own.append(ceiling)
            if owner_of(desk.access, request.actor) == owner_name:
                owners.append(ceiling)
    return Used(
        open_user=user.open + len(own),
        open_owner=owner.open + len(owners),
        day_user=user.day + len(own),
        day_owner=owner.day + len(owners),
        day_user_usd_micros=is_today * user.day_usd_micros + sum(own),
        day_owner_usd_micros=is_today * owner.day_usd_micros + sum(owners),
        month_user_usd_micros=is_month * user.month_usd_micros + sum(own),
        month_owner_usd_micros=is_month * owner.month_usd_micros + sum(owners),
    )


def _ceiling(body: str) -> int | None:
    try:
        return RunRequest.from_bytes(body.encode()).max_spend_usd_micros
    except BadInput:
        return None
