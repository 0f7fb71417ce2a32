"""Rights: who may ask for what, told from the actor that a request states and from the installation's settings.

Who writes a request states the actor as the identity provider named it; both houses judge it by these rules. Organisations are
known by their ids, never by their names.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from shared.errors import Refused
from shared.inbox.codec import Actor

WRITING_ROLES: Final = frozenset({"write", "admin"})
OWNER_OF_ANYONE: Final = "-"
"""The owner of all requesters without a named organisation together."""


class Submitters(StrEnum):
    """Who may ask for a run; maintainers always may."""

    MEMBERS = "members"
    ANYONE = "anyone"
    NOBODY = "nobody"


class Standing(StrEnum):
    """What an actor is to an installation."""

    MAINTAINER = "maintainer"
    MEMBER = "member"
    ANYONE = "anyone"


@dataclass(frozen=True, slots=True)
class Access:
    """The settings that rights are judged by."""

    submitters: Submitters
    member_orgs: frozenset[str]
    maintainer_orgs: frozenset[str]


def standing_of(access: Access, actor: Actor) -> Standing:
    """Return what `actor` is here."""
    if actor.org_id in access.maintainer_orgs:
        return Standing.MAINTAINER if actor.role in WRITING_ROLES else Standing.MEMBER
    return Standing.MEMBER if actor.org_id in access.member_orgs else Standing.ANYONE


def owner_of(access: Access, actor: Actor) -> str:
    """Return the owner whose caps the actor's requests count against."""
    return OWNER_OF_ANYONE if standing_of(access, actor) is Standing.ANYONE else actor.org_id


def require_right(access: Access, kind: str, actor: Actor, requester: str = "") -> None:
    """Raise Refused NOT_AUTHORISED unless `actor` may ask for `kind` of a run that `requester` (a user id) asked for."""
    standing = standing_of(access, actor)
    if not actor.user_id:
        raise Refused("NOT_AUTHORISED", "the request names nobody who asks", way_out="Sign in.")
    if standing is Standing.MAINTAINER:
        return
    if kind == "submit":
        is_let = access.submitters is Submitters.ANYONE or (access.submitters, standing) == (Submitters.MEMBERS, Standing.MEMBER)
    else:
        is_let = kind in {"cancel", "consent", "withdraw"} and bool(requester) and actor.user_id == requester
    if not is_let:
        message = "you may not ask for a run here" if kind == "submit" else f"this {kind} is not yours to ask for"
        raise Refused("NOT_AUTHORISED", message, way_out="Ask a maintainer of this installation.")
