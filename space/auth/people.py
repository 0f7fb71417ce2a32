"""Who is signed in, as the provider says now: user id, name, and the organisation and role that give the most here.

Asked with the visitor's own token and remembered for at most a minute, so that who was removed from an organisation asks for
nothing more. What a cookie says of a person is shown at most, never judged by.
"""

import hashlib
import threading
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from shared.errors import Refused, StoreFault
from shared.inbox.codec import Actor
from shared.inbox.rights import Access, Standing, standing_of
from space.auth.provider import Provider

REMEMBERED_S: Final = 60.0
MAX_REMEMBERED: Final = 1_000
_ORDER: Final = (Standing.MAINTAINER, Standing.MEMBER, Standing.ANYONE)


class Person(NamedTuple):
    """Somebody who is signed in."""

    name: str
    actor: Actor
    standing: Standing

    @property
    def user_id(self) -> str:
        """The provider's id, which a person keeps when the name changes."""
        return self.actor.user_id

    @property
    def is_maintainer(self) -> bool:
        """Tell whether this person keeps the installation."""
        return self.standing is Standing.MAINTAINER


class People:
    """Asks the provider, and remembers for a minute."""

    def __init__(self, provider: Provider, access: Access, clock: Callable[[], float]) -> None:
        self._provider: Final = provider
        self._access: Final = access
        self._clock: Final = clock
        self._lock: Final = threading.Lock()
        self._known: dict[bytes, tuple[float, Person]] = {}

    def holder_of(self, token: str) -> Person:
        """Return who holds `token`; raise Refused `auth.signed_out`, or StoreFault `auth.unavailable`."""
        name, now = hashlib.sha256(token.encode()).digest(), self._clock()
        with self._lock:
            at, person = self._known.get(name, (now - REMEMBERED_S, None))
        if person is not None and 0 <= now - at < REMEMBERED_S:
            return person
        person = person_of(self._provider.userinfo(token), self._access)
        with self._lock:
            if len(self._known) >= MAX_REMEMBERED:
                self._known.clear()
            self._known[name] = (now, person)
        return person


def person_of(userinfo: Mapping[str, Any], access: Access) -> Person:
    """Return the person that the provider's userinfo tells of, judged by organisation ids and roles alone."""
    user_id = userinfo.get("sub")
    if not _is_word(user_id):
        raise StoreFault("auth.unavailable", "the sign-in provider names no user id", way_out="Ask a maintainer.")
    organisations = userinfo.get("orgs") or []
    actors = [
        Actor(str(user_id), str(each.get("sub")), str(each.get("roleInOrg") or ""))
        for each in (organisations if isinstance(organisations, list) else [])
        if isinstance(each, dict) and _is_word(each.get("sub")) and _is_word(each.get("roleInOrg") or "none")
    ]
    actors = [actor for actor in actors if standing_of(access, actor) is not Standing.ANYONE]
    actors.sort(key=lambda actor: (_ORDER.index(standing_of(access, actor)), actor.org_id))
    actor = actors[0] if actors else Actor(str(user_id), "", "")
    shown = userinfo.get("preferred_username")
    return Person(str(shown) if _is_word(shown) else str(user_id), actor, standing_of(access, actor))


def require_same(person: Person, user_id: str) -> None:
    """Raise Refused unless the token's holder is who the session says."""
    if person.user_id != user_id:
        raise Refused("auth.signed_out", "the session is somebody else's", way_out="Sign in again.")


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= 200 and value.isprintable()
