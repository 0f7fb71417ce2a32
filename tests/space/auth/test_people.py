"""Who somebody is: ids and roles of the provider, the organisation that gives the most, nothing else."""

from typing import Any

import pytest

from shared.errors import StoreFault
from shared.inbox.codec import Actor
from shared.inbox.rights import Access, Standing, Submitters
from space.auth.people import person_of

ACCESS = Access(Submitters.MEMBERS, frozenset({"m1", "m2"}), frozenset({"k1"}))


def org(sub: Any, role: Any = "read", **more: Any) -> dict[str, Any]:
    """Return an organisation as the provider lists it."""
    return {"sub": sub, "roleInOrg": role, "name": "whatever", **more}


@pytest.mark.parametrize(
    ("orgs", "actor", "standing"),
    [
        ([], Actor("u", "", ""), Standing.ANYONE),
        ([org("other", "admin")], Actor("u", "", ""), Standing.ANYONE),
        ([org("m2"), org("m1")], Actor("u", "m1", "read"), Standing.MEMBER),
        ([org("m1"), org("k1", "write")], Actor("u", "k1", "write"), Standing.MAINTAINER),
        ([org("m1"), org("k1", "read")], Actor("u", "k1", "read"), Standing.MEMBER),
        ([org("k1", None)], Actor("u", "k1", ""), Standing.MEMBER),
        ([org("x", name="k1", preferred_username="m1")], Actor("u", "", ""), Standing.ANYONE),
        ([org(["m1"]), org({"m1": 1}), "m1", None, 3], Actor("u", "", ""), Standing.ANYONE),
        ({"m1": "admin"}, Actor("u", "", ""), Standing.ANYONE),
        ([org("m1", "read\n")], Actor("u", "", ""), Standing.ANYONE),
    ],
)
def test_the_organisation_that_gives_the_most_is_stated(orgs: Any, actor: Actor, standing: Standing) -> None:
    """By id and role; a name is worth nothing."""
    person = person_of({"sub": "u", "preferred_username": "name", "orgs": orgs}, ACCESS)
    assert (person.actor, person.standing, person.name) == (actor, standing, "name")


@pytest.mark.parametrize("sub", [None, "", 7, ["u"], "u\n", "x" * 201])
def test_without_a_user_id_nobody_is_signed_in(sub: Any) -> None:
    """Whatever else is said."""
    with pytest.raises(StoreFault, match=r"auth\.unavailable"):
        person_of({"sub": sub, "orgs": [org("k1", "admin")]}, ACCESS)
