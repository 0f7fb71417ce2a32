"""The real app on a free port of the loopback, for as long as a test looks at it."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from fastapi import FastAPI

from space.app import create_app
from space.config import Settings

MOST_S = 60
"""So long a start may take."""


def settings_for(root: Path, *, is_sample: bool = False) -> Settings:
    """Return settings that serve `root`."""
    return Settings(root, is_sample=is_sample, host="127.0.0.1", port=1, refresh_seconds=3_600, memory_mib=512)


def serving(settings: Settings) -> Iterator[str]:
    """Serve what `settings` say and yield its address."""
    with free_port() as (listener, host), served(create_app(settings), listener):
        yield f"http://{host}"


@contextmanager
def free_port() -> Iterator[tuple[socket.socket, str]]:
    """Yield a socket on a free port, and its host and port as addresses name them."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        yield listener, f"127.0.0.1:{listener.getsockname()[1]}"


@contextmanager
def served(app: FastAPI, listener: socket.socket, certificate: Path | None = None) -> Iterator[None]:
    """Serve `app`, over TLS with a `certificate`, from when its results were read until the end of the block."""
    server = uvicorn.Server(
        uvicorn.Config(app, log_level="error", lifespan="on", ssl_certfile=certificate, ssl_keyfile=certificate)
    )
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    deadline = time.monotonic() + MOST_S
    while not (server.started and app.state.refresh.standing.state != "loading") and time.monotonic() < deadline:
        threading.Event().wait(0.05)
    try:
        yield
    finally:
        server.should_exit = True
        thread.join(20)
        app.state.refresh.close()
