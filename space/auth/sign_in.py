"""Signing in and out over HTTP, and who sends a request: the provider says so, a session only holds the token to ask with.

Answers are redirects and cookies alone. Where a form came from is judged here too; whoever routes a form asks that first.
"""

import secrets
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from shared.errors import Refused
from space.auth.people import People, Person, require_same
from space.auth.provider import Provider
from space.auth.session import LOGIN, SESSION, Login, Session, Sessions

LOGIN_PATH: Final = "/login/huggingface"
CALLBACK_PATH: Final = "/login/callback"
HOME: Final = "/request"
"""Where people come from and go back to, with what its address asks for."""


class SignIn:
    """Sign-in at the address `origins[0]`; forms are taken from any of `origins`."""

    def __init__(self, origins: tuple[str, ...], provider: Provider, people: People, sessions: Sessions) -> None:
        self._origins: Final = origins
        self._provider: Final = provider
        self._people: Final = people
        self._sessions: Final = sessions

    def login(self, request: Request, _: bytes) -> Response:
        """Send the visitor to the provider."""
        target = request.query_params.get("to", "")
        is_ours = target == HOME or target.startswith(f"{HOME}?")
        login = Login(secrets.token_urlsafe(24), secrets.token_urlsafe(48), target if is_ours else HOME)
        response = RedirectResponse(self._provider.address(self._callback, login.state, login.verifier), status_code=302)
        response.headers.append("set-cookie", self._sessions.open_login(login))
        return response

    def callback(self, request: Request, _: bytes) -> Response:
        """Open a session for whom the provider sent back with a code that we asked for."""
        login = self._sessions.login(request.cookies)
        given = request.query_params
        if login is None or not secrets.compare_digest(login.state.encode(), given.get("state", "").encode()):
            raise Refused("auth.signed_out", "this sign-in was not begun here, or took too long", way_out="Sign in again.")
        if not given.get("code"):
            raise Refused("auth.signed_out", "the provider signed nobody in", way_out="Sign in again.")
        token = self._provider.exchange(given["code"], self._callback, login.verifier)
        person = self._people.holder_of(token.access_token)
        response = RedirectResponse(login.target, status_code=303)
        response.headers.append("set-cookie", self._sessions.open(person.user_id, token))
        response.headers.append("set-cookie", self._sessions.close(LOGIN))
        return response

    def logout(self, _request: Request, _: bytes) -> Response:
        """End the session."""
        response = RedirectResponse(HOME, status_code=303)
        response.headers.append("set-cookie", self._sessions.close(SESSION))
        return response

    def session(self, request: Request) -> Session | None:
        """Return the session that `request` carries, None where nobody is signed in."""
        return self._sessions.session(request.cookies)

    def person(self, request: Request) -> Person:
        """Return who sends `request`; raise Refused `auth.signed_out`, or StoreFault if the provider cannot be asked."""
        session = self.session(request)
        if session is None:
            raise Refused(
                "auth.signed_out", "you are not signed in, or the session has ended", way_out="Open Request and sign in."
            )
        person = self._people.holder_of(session.access_token)
        require_same(person, session.user_id)
        return person

    def require_origin(self, request: Request) -> None:
        """Raise Refused `auth.origin` unless the form was sent from this app's own address."""
        if request.headers.get("origin") not in self._origins:
            raise Refused(
                "auth.origin", "this form was not sent from this address", way_out="Open the page and send it from there."
            )

    @property
    def _callback(self) -> str:
        return f"{self._origins[0]}{CALLBACK_PATH}"
