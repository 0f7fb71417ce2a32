"""What the Hub's answers mean: for a read its value or a HubFault; for a commit, whether it landed.

a 2xx that fits                          Applied, to be read back
2xx that does not fit, 408, 5xx, lost    Unknown: it may have landed, the world says
not sent, 409, a failure before it       Busy: nothing happened
412                                      Moved: somebody committed before
429                                      Throttled, until when
401 403 404 and any other 4xx            HubFault: it was refused
"""

import re
from typing import Final, NamedTuple

import httpx2
from huggingface_hub.errors import (
    EntryNotFoundError,
    GatedRepoError,
    HfHubHTTPError,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)
from huggingface_hub.utils import parse_ratelimit_headers  # type: ignore[attr-defined]  # exported without __all__

from shared.errors import StoreFault
from space.hub.doorway import Answered, Lost, Strayed

ABSENT: Final = "HUB_ABSENT"
FORBIDDEN: Final = "HUB_FORBIDDEN"
REFUSED: Final = "HUB_REFUSED"
THROTTLED: Final = "HUB_THROTTLED"
UNREACHABLE: Final = "HUB_UNREACHABLE"
SHAPE: Final = "HUB_ANSWER_SHAPE"
SIZE: Final = "HUB_ANSWER_SIZE"
BUSY_S: Final = 2.0
PLAIN_S: Final = 60.0
COMMITS_S: Final = 3_600.0
MOST_S: Final = 24 * 3_600.0
_COMMITS: Final = re.compile(r"repository commits", re.IGNORECASE)
_ABOUT: Final = re.compile(r"about (\d{1,4}) (second|minute|hour)")
_SECONDS: Final = {"second": 1.0, "minute": 60.0, "hour": 3_600.0}


class HubFault(StoreFault):
    """The Hub gave no value; `seconds` is how long it asks to be left alone."""

    def __init__(self, code: str, message: str, seconds: float = 0.0) -> None:
        super().__init__(code, message)
        self.seconds: Final = seconds


class Applied(NamedTuple):
    """The commit was acknowledged; what it holds has to be read at `sha`."""

    sha: str


class Moved(NamedTuple):
    """Nothing happened: the branch has moved on from the parent."""


class Busy(NamedTuple):
    """Nothing happened; try again after `seconds`."""

    seconds: float = BUSY_S


class Throttled(NamedTuple):
    """Nothing happened, and nothing will for `seconds`."""

    seconds: float


class Unknown(NamedTuple):
    """It may have landed, or may yet."""


type CommitAnswer = Applied | Moved | Busy | Throttled | Unknown
ERRORS: Final = (Lost, Answered, Strayed, HfHubHTTPError, httpx2.HTTPError, KeyError, TypeError, ValueError, AttributeError)
"""All that a call of the client library can end with."""


def fault_of(error: Exception, what: str) -> HubFault:  # noqa: PLR0911 - a table: one meaning a line
    """Return what `error` means to somebody who reads `what`."""
    match error:
        case Answered(status=429):
            seconds = throttled_for(error)
            return HubFault(THROTTLED, f"{what}: the Hub asks to wait {seconds:.0f} s", seconds)
        case Lost() | Answered() | Strayed():
            return HubFault(UNREACHABLE, f"{what}: {error}")
        case GatedRepoError():
            return HubFault(FORBIDDEN, f"{what} is gated")
        case HfHubHTTPError() if error.response.status_code in {401, 403}:
            return HubFault(FORBIDDEN, f"{what} may not be used with this token, or is not there")
        case RepositoryNotFoundError() | RevisionNotFoundError() | EntryNotFoundError():
            return HubFault(ABSENT, f"{what} is not there")
        case HfHubHTTPError():
            return HubFault(UNREACHABLE, f"{what}: it answered {error.response.status_code}")
        case httpx2.HTTPError():
            return HubFault(UNREACHABLE, f"{what}: {type(error).__name__}")
    return HubFault(SHAPE, f"{what}: the answer is not what the Hub's answers are")


def answer_of(error: Exception, what: str) -> CommitAnswer:
    """Return what `error` says of a commit; raise HubFault where it was refused."""
    if isinstance(error, Lost | Answered) and "/commit/" not in error.path:
        status = error.status if isinstance(error, Answered) else 0
        return Throttled(throttled_for(error)) if isinstance(error, Answered) and status == 429 else Busy()
    match error:
        case HfHubHTTPError():  # first: one of its kinds is a ValueError too
            fault = fault_of(error, what)
            raise HubFault(REFUSED, fault.message) if fault.code == UNREACHABLE else fault
        case Answered(status=412):
            return Moved()
        case Answered(status=409):
            return Busy()
        case Answered(status=429):
            return Throttled(throttled_for(error))
        case Lost(sent=False):
            return Busy()
        case Lost() | Answered() | KeyError() | TypeError() | ValueError() | AttributeError():
            return Unknown()
    raise fault_of(error, what)


def throttled_for(error: Answered) -> float:
    """Return the seconds that a 429 asks to wait, as its headers or its text say."""
    quota = parse_ratelimit_headers(error.headers)
    after = error.headers.get("retry-after", "")
    if quota is not None and quota.remaining == 0:
        seconds = float(quota.reset_in_seconds)
    elif _COMMITS.search(error.text):
        about = _ABOUT.search(error.text)
        seconds = int(about[1]) * _SECONDS[about[2]] if about else COMMITS_S
    else:
        seconds = float(after) if after.isascii() and after.isdigit() else PLAIN_S
    return min(max(seconds, 1.0), MOST_S)
