"""Each way in which a call can end has a meaning, and none is taken for success."""

import inspect
from typing import Any

import httpx2
import pytest
from huggingface_hub import errors
from huggingface_hub.errors import HfHubHTTPError

from space.hub.answers import ERRORS, Busy, HubFault, Moved, Throttled, Unknown, answer_of, fault_of, throttled_for
from space.hub.doorway import Answered, Lost, Strayed

COMMIT, BEFORE = "/api/datasets/o/n/commit/main", "/api/datasets/o/n/preupload/main"


def answered(status: int, path: str = COMMIT, text: str = "", **headers: str) -> Answered:
    """Return an answer of the Hub."""
    return Answered(status, httpx2.Headers(headers), text, path)


def response(status: int) -> httpx2.Response:
    """Return a response with its request."""
    return httpx2.Response(status, request=httpx2.Request("GET", "https://hub.example/"))


HTTP_ERRORS = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, HfHubHTTPError)]
OTHERS = [kind for _, kind in inspect.getmembers(httpx2, inspect.isclass) if issubclass(kind, httpx2.HTTPError)]


@pytest.mark.parametrize("kind", HTTP_ERRORS)
@pytest.mark.parametrize("status", [401, 403, 404, 418])
def test_every_error_of_the_client_about_an_answer_is_a_fault(kind: Any, status: int) -> None:
    """For a read and for a commit."""
    error = kind("told", response=response(status))
    assert isinstance(error, ERRORS)
    assert isinstance(fault_of(error, "x"), HubFault)
    with pytest.raises(HubFault):
        answer_of(error, "x")


@pytest.mark.parametrize("kind", OTHERS)
def test_every_error_of_the_http_library_is_a_fault(kind: Any) -> None:
    """Those that the transport does not meet itself."""
    assert issubclass(kind, ERRORS)
    more = {"request": response(500).request, "response": response(500)} if kind is httpx2.HTTPStatusError else {}
    assert fault_of(kind("told", **more), "x").code == "HUB_UNREACHABLE"


@pytest.mark.parametrize("status", range(400, 600))
def test_every_status_means_something(status: int) -> None:
    """A read never returns; a commit is never said to have landed."""
    if status in {408, 409, 412, 429} or status >= 500:
        error: Exception = answered(status)
        expected = {409: Busy, 412: Moved, 429: Throttled}.get(status, Unknown)
        assert isinstance(answer_of(error, "x"), expected)
    else:
        error = HfHubHTTPError("told", response=response(status))
        with pytest.raises(HubFault):
            answer_of(error, "x")
    assert isinstance(fault_of(error, "x"), HubFault)


@pytest.mark.parametrize(
    "error", [Lost(sent=True, path=BEFORE), answered(500, BEFORE), answered(409, BEFORE), answered(412, BEFORE)]
)
def test_what_fails_before_the_commit_has_no_effect(error: Exception) -> None:
    """So it is tried again, and nothing has to be read."""
    assert answer_of(error, "x") == Busy()


@pytest.mark.parametrize("error", [Lost(sent=True, path=COMMIT), KeyError("commitUrl"), TypeError(), ValueError()])
def test_what_may_have_landed_is_not_known(error: Exception) -> None:
    """A lost answer, and one that cannot be read."""
    assert answer_of(error, "x") == Unknown()


def test_what_was_not_sent_did_not_happen() -> None:
    """And a way elsewhere is a refusal."""
    assert answer_of(Lost(sent=False, path=COMMIT), "x") == Busy()
    with pytest.raises(HubFault):
        answer_of(Strayed("elsewhere"), "x")


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        (answered(429, ratelimit='"api";r=0;t=55'), 55),
        (answered(429, text="rate limit for repository commits. Retry this action in about 37 minutes"), 2_220),
        (answered(429, text="rate limit for repository commits (128 per hour)", ratelimit='"api";r=900;t=9'), 3_600),
        (answered(429, text="rate limit for repository commits: in about 1 hour"), 3_600),
        (answered(429, **{"retry-after": "120"}), 120),
        (answered(429, **{"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"}), 60),
        (answered(429), 60),
        (answered(429, **{"retry-after": "999999999"}), 86_400),
    ],
)
def test_how_long_a_429_asks_to_wait(error: Answered, seconds: int) -> None:
    """The quota's reset, the text about commits, the header, or a minute; never beyond a day."""
    assert throttled_for(error) == seconds
