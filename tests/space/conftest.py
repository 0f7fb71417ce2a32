"""What the tests of the Space share: one published folder, its mirror, and the real app on a loopback port."""

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn

from space.app import create_app
from space.config import SAMPLE, Settings
from space.readers.mirror import Mirror
from tests.space.publishing import mirror_of, publish_sample
from tests.space.works import publish_works


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The root of a published folder: the sample's run, one cell withdrawn, and a second benchmark. Not to be changed."""
    root = tmp_path_factory.mktemp("published")
    publish_sample(root)
    return root


@pytest.fixture(scope="session")
def mirror(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Mirror:
    """A mirror of `published`."""
    return mirror_of(published, tmp_path_factory.mktemp("mirror"))


@pytest.fixture(scope="session")
def works(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The root of a published folder with one of each thing that choosing must tell apart. Not to be changed."""
    root = tmp_path_factory.mktemp("works")
    publish_works(root)
    return root


@pytest.fixture(scope="session")
def works_mirror(works: Path, tmp_path_factory: pytest.TempPathFactory) -> Mirror:
    """A mirror of `works`."""
    return mirror_of(works, tmp_path_factory.mktemp("works-mirror"))


@pytest.fixture(scope="session")
def sample_mirror(tmp_path_factory: pytest.TempPathFactory) -> Mirror:
    """A mirror of the sample."""
    return mirror_of(SAMPLE, tmp_path_factory.mktemp("sample-mirror"))


@pytest.fixture(scope="session")
def works_server(works: Path) -> Iterator[str]:
    """The address of the app over `works`."""
    yield from serving(settings_for(works))


def settings_for(root: Path, *, is_sample: bool = False) -> Settings:
    """Return settings that serve `root`."""
    return Settings(root, is_sample=is_sample, host="127.0.0.1", port=1, refresh_seconds=3_600, memory_mib=512)


def serving(settings: Settings) -> Iterator[str]:
    """Serve the app on a free port and yield its address."""
    app = create_app(settings)
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="on"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    deadline = time.monotonic() + 60
    while not (server.started and app.state.refresh.standing.state in {"ready", "failed"}) and time.monotonic() < deadline:
        threading.Event().wait(0.05)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(20)
        app.state.refresh.close()


@pytest.fixture(scope="session")
def sample_server() -> Iterator[str]:
    """The address of the app over the sample."""
    yield from serving(settings_for(SAMPLE, is_sample=True))


@pytest.fixture(scope="session")
def server(published: Path) -> Iterator[str]:
    """The address of the app over `published`."""
    yield from serving(settings_for(published))
