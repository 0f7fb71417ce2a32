"""Rights: every kind of request, every standing, every owner."""

import pytest

from shared.errors import Refused
from shared.inbox.codec import KINDS, Actor
from shared.inbox.rights import Access, Standing, Submitters, owner_of, require_right, standing_of

ACCESS = Access(Submitters.MEMBERS, frozenset({"m"}), frozenset({"w"}))
ACTORS = {
    "requester": Actor("alice", "m", "read"),
    "member": Actor("bob", "m", "admin"),
    "reader": Actor("rea", "w", "read"),
    "maintainer": Actor("mia", "w", "write"),
    "stranger": Actor("sam", "x", "admin"),
    "former": Actor("alice", "x", "read"),
    "nobody": Actor("", "w", "admin"),
}
OWN = {"cancel", "consent", "withdraw"}


def is_let(kind: str, who: str, access: Access = ACCESS) -> bool:
    """Tell whether `who` may ask for `kind` of a run of alice's."""
    try:
        require_right(access, kind, ACTORS[who], "alice")
    except Refused as error:
        return error.code != "NOT_AUTHORISED"
    return True


@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("who", sorted(ACTORS))
def test_who_may_ask_for_what(kind: str, who: str) -> None:
    """A requester for what is the own, also after leaving the organisation; maintainers for everything; nobody without a name."""
    expected = {
        "requester": kind in OWN or kind == "submit",
        "former": kind in OWN,
        "member": kind == "submit",
        "reader": kind == "submit",
        "maintainer": True,
        "stranger": False,
        "nobody": False,
    }
    assert is_let(kind, who) is expected[who]


@pytest.mark.parametrize(("setting", "let"), [("members", False), ("anyone", True), ("nobody", False)])
def test_strangers_submit_where_anyone_may(setting: str, *, let: bool) -> None:
    """And members do not where nobody may."""
    access = Access(Submitters(setting), ACCESS.member_orgs, ACCESS.maintainer_orgs)
    assert is_let("submit", "stranger", access) is let
    assert is_let("submit", "member", access) is (setting != "nobody")
    assert is_let("submit", "maintainer", access)


def test_standing_is_told_from_organisation_and_role() -> None:
    """By ids; a role elsewhere is none here."""
    found = {who: standing_of(ACCESS, actor) for who, actor in ACTORS.items()}
    assert (found["maintainer"], found["reader"], found["stranger"]) == (Standing.MAINTAINER, Standing.MEMBER, Standing.ANYONE)
    assert [owner_of(ACCESS, ACTORS[who]) for who in ("requester", "stranger", "maintainer")] == ["m", "-", "w"]


def test_an_empty_organisation_is_nobodys() -> None:
    """Who belongs to none is a member of none, whatever is configured."""
    assert standing_of(Access(Submitters.MEMBERS, frozenset(), frozenset()), Actor("u", "", "admin")) is Standing.ANYONE
