"""An inbox on the Hub as a test holds it: a clock that it moves, and the Hub below."""

from pathlib import Path

from shared.ids import RequestId
from shared.inbox.codec import Actor, Request, RequestSubject, encode_request
from space.hub.dataset import HubDataset
from space.hub.place import HubPlace
from space.requests.hub.inbox import HubInbox
from tests.builders.hub import INBOX, INBOX_NAME, Hub

COMMIT = "POST .*/commit/main"
READ_S = 3.0
"""How long an answer is waited for: little for one that never comes, and enough for a busy machine."""


class Desk:
    """An inbox with a clock that a test moves, and the Hub it lies on."""

    def __init__(self, folder: Path) -> None:
        self.hub = Hub(folder)
        self.hub.edit(INBOX_NAME)
        self.now = 1_000_000.0
        self.inbox = self.open()

    def open(self, token: str = INBOX) -> HubInbox:
        """Return the inbox as after a restart."""
        return HubInbox(HubDataset(HubPlace(INBOX_NAME, self.hub.address, token), READ_S), lambda: self.now)

    def later(self, seconds: float) -> None:
        """Let time pass and do what is due."""
        self.now += seconds
        self.inbox.writer.step()

    def held(self) -> dict[str, bytes]:
        """Return what waits on the Hub."""
        return {path: data for path, data in self.hub.files(INBOX_NAME).items() if path.startswith("requests/")}

    def is_held(self, request: Request) -> bool:
        """Tell whether the Hub holds exactly this request."""
        return self.held().get(f"requests/{request.request_id}.json") == encode_request(request)

    def commits(self) -> int:
        """Return how many commits were made by writers."""
        return sum(title.startswith("request ") for title in self.hub.commits(INBOX_NAME))

    def take(self) -> set[str]:
        """Take everything, as a pass does, and return the ids."""
        held = self.held()
        self.hub.edit(INBOX_NAME, dict.fromkeys(held))
        return {path[len("requests/") : -len(".json")] for path in held}


def request(number: int, kind: str = "submit") -> Request:
    """Return a small request."""
    actor = Actor("alice", "org-members", "read")
    return Request(RequestId(f"req-{number:032x}"), kind, actor, RequestSubject("run", f"run-{number:032x}"), "{}")
