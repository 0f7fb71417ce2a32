"""The OpenID provider: where a person signs in, and what it says of who holds a token.

Authorization code with PKCE over TLS. Nothing is taken from a token itself: who somebody is comes from the provider's userinfo,
asked with the token. Only addresses at the provider's own origin are called, and redirects are not followed.
"""

import base64
import hashlib
import threading
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode, urlsplit

import httpx

from shared.errors import Refused, StoreFault
from space.form_settings import ProviderSettings

SCOPES: Final = "openid profile"
TIMEOUT_S: Final = 10.0
MAX_SESSION_S: Final = 8 * 3_600
_ENDPOINTS: Final = ("authorization_endpoint", "token_endpoint", "userinfo_endpoint")


class Token(NamedTuple):
    """A visitor's token and for how many seconds it is good."""

    access_token: str
    seconds: int


class Provider:
    """The provider that `settings` name."""

    def __init__(self, settings: ProviderSettings) -> None:
        self._settings: Final = settings
        self._lock: Final = threading.Lock()
        self._found: dict[str, str] = {}

    def address(self, redirect_uri: str, state: str, verifier: str) -> str:
        """Return where a person signs in and is sent back from with a code."""
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
        query = {
            "response_type": "code",
            "client_id": self._settings.client_id,
            "redirect_uri": redirect_uri,
            "scope": SCOPES,
            "state": state,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        return f"{self._endpoints()['authorization_endpoint']}?{urlencode(query)}"

    def exchange(self, code: str, redirect_uri: str, verifier: str) -> Token:
        """Return the token for a code; raise Refused if the provider gives none, StoreFault if it does not answer."""
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": redirect_uri, "code_verifier": verifier}
        credentials = (self._settings.client_id, self._settings.client_secret)
        found = self._ask("POST", self._endpoints()["token_endpoint"], data=form, auth=credentials)
        token, seconds = found.get("access_token"), found.get("expires_in", MAX_SESSION_S)
        if not isinstance(token, str) or not token or len(token) > 2_048 or not isinstance(seconds, int):
            raise _unavailable("its answer holds no token")
        return Token(token, max(0, min(seconds, MAX_SESSION_S)))

    def userinfo(self, token: str) -> dict[str, Any]:
        """Return what the provider says of who holds `token`; raise Refused `auth.signed_out` if it is good no more."""
        return self._ask("GET", self._endpoints()["userinfo_endpoint"], headers={"authorization": f"Bearer {token}"})

    def _endpoints(self) -> dict[str, str]:
        with self._lock:
            if not self._found:
                found = self._ask("GET", f"{self._settings.url}/.well-known/openid-configuration")
                own = urlsplit(self._settings.url)
                for name in _ENDPOINTS:
                    address = urlsplit(str(found.get(name, "")))
                    if (address.scheme, address.netloc) != (own.scheme, own.netloc):
                        raise _unavailable(f"its {name} is not at its own address")
                self._found = {name: str(found[name]) for name in _ENDPOINTS}
            return self._found

    def _ask(self, method: str, url: str, **given: Any) -> dict[str, Any]:
        try:
            answer = httpx.request(method, url, timeout=TIMEOUT_S, follow_redirects=False, **given)
            if answer.status_code in {400, 401, 403}:
                raise Refused("auth.signed_out", "the provider does not know this sign-in any more", way_out="Sign in again.")
            if answer.status_code != 200:
                raise _unavailable(f"it answered {answer.status_code}")
            found = answer.json()
        except (httpx.HTTPError, ValueError) as error:
            raise _unavailable(type(error).__name__) from None
        if not isinstance(found, dict):
            raise _unavailable("its answer is not a JSON object")
        return found


def _unavailable(why: str) -> StoreFault:
    message = f"the sign-in provider cannot be asked: {why}"
    return StoreFault("auth.unavailable", message, way_out="Nothing was written. Try again in a minute.")
