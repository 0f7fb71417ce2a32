"""The two cookies: who is signed in, and a login that is under way. Both are sealed, http-only and sent over TLS alone.

The Hub shows a Space inside its own page, so the cookies have to travel there (`SameSite=None`); every request that writes is
therefore held to its origin and to a ticket. The session holds the visitor's token, with no other scope than to say who it is.
"""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from space.auth.provider import Token
from space.auth.sealed import key_from, seal, unseal

SESSION: Final = "__Host-seawall"
LOGIN: Final = "__Host-seawall-login"
LOGIN_S: Final = 600


class Session(NamedTuple):
    """A session as its cookie says it."""

    user_id: str
    access_token: str


class Login(NamedTuple):
    """A login under way: what the provider must send back, what proves that we began it, and where it goes on."""

    state: str
    verifier: str
    target: str


class Sessions:
    """Makes and reads both cookies."""

    def __init__(self, secret: str, clock: Callable[[], float]) -> None:
        self._keys: Final = {SESSION: key_from(secret, "session"), LOGIN: key_from(secret, "login")}
        self._clock: Final = clock

    def open_login(self, login: Login) -> str:
        """Return the cookie of a login that begins."""
        return self._cookie(LOGIN, login._asdict(), LOGIN_S)

    def login(self, cookies: Mapping[str, str]) -> Login | None:
        """Return the login that is under way."""
        found = self._read(LOGIN, cookies)
        return Login(found["state"], found["verifier"], found["target"]) if found else None

    def open(self, user_id: str, token: Token) -> str:
        """Return the cookie of a new session, which ends with its token."""
        return self._cookie(SESSION, {"user_id": user_id, "access_token": token.access_token}, token.seconds)

    def session(self, cookies: Mapping[str, str]) -> Session | None:
        """Return the session, None where there is none, where it was forged or has ended."""
        found = self._read(SESSION, cookies)
        return Session(found["user_id"], found["access_token"]) if found else None

    def close(self, name: str) -> str:
        """Return the cookie that ends `name`."""
        return f"{name}=; Path=/; Secure; HttpOnly; SameSite=None; Max-Age=0"

    def _cookie(self, name: str, fields: Mapping[str, str], seconds: int) -> str:
        value = seal(self._keys[name], fields, int(self._clock()) + seconds)
        return f"{name}={value}; Path=/; Secure; HttpOnly; SameSite=None; Max-Age={seconds}"

    def _read(self, name: str, cookies: Mapping[str, str]) -> Mapping[str, str] | None:
        found = unseal(self._keys[name], cookies.get(name, ""), self._clock())
        return None if found is None or found.is_expired else found.fields
