"""A process that serves over an inbox on the Hub and is ended while something waits: `python .. ADDRESS INBOX TOKEN REQUEST`."""

import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI

from shared.inbox.codec import decode_request
from space.hub.dataset import HubDataset
from space.hub.place import HubPlace
from space.readers.folder import FolderSource
from space.readers.refresh import Refresh
from space.requests.hub.inbox import HubInbox
from space.serving import serve


@asynccontextmanager
async def started(app: FastAPI) -> AsyncIterator[None]:
    """Put the request and say so."""
    app.state.inbox.put(app.state.asked)
    sys.stdout.write("serving\n")
    sys.stdout.flush()
    yield


def main() -> None:
    """Serve until a signal comes."""
    address, name, token, file = sys.argv[1:5]
    app = FastAPI(lifespan=started)
    app.state.asked = decode_request(Path(file).read_bytes())
    app.state.refresh = Refresh(FolderSource(Path(file).parent), memory_mib=128, clock=time.time)
    app.state.inbox = inbox = HubInbox(HubDataset(HubPlace(name, address, token)), time.time)
    inbox.start()

    serve(app, "127.0.0.1", 0)


if __name__ == "__main__":
    main()
