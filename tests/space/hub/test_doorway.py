"""Every request leaves once, waits a bounded time, and reaches no host but the Hub's."""

import socket
import threading
from pathlib import Path

import httpx2
import pytest
from huggingface_hub.utils import get_session  # type: ignore[attr-defined]  # exported without __all__

from space.hub import doorway
from space.hub.answers import HubFault
from space.hub.dataset import HubDataset
from space.hub.doorway import CONNECT_S, READ_S, Lost, Strayed, open_door
from space.hub.place import HUB, HubPlace
from tests.builders.hub import READING, Hub

FAULTS = ["408", "409", "412", "429_quota", "500_lost", "502", "503", "504", "drop_before", "hang", "short_body"]


@pytest.fixture
def dataset(hub: Hub) -> HubDataset:
    """A Dataset with one file."""
    hub.edit("example/some", {"revisions/1.json": b"{}" * 500})
    return HubDataset(HubPlace("example/some", hub.address, READING), 0.3)


@pytest.mark.parametrize("kind", FAULTS)
def test_a_failed_question_is_asked_once(hub: Hub, dataset: HubDataset, kind: str) -> None:
    """By head, folder, paths and file alike."""
    sha = dataset.head().sha
    asks = (dataset.head, lambda: dataset.folder("revisions", sha), lambda: dataset.changed(["revisions/1.json"], sha))
    for ask in (*asks, lambda: dataset.read("revisions/1.json", sha, 9_999), dataset.whoami):
        before = len(hub.calls())
        hub.fail("", kind)
        with pytest.raises(HubFault):
            ask()
        assert len(hub.calls()) == before + 1


def test_nobody_there_is_nothing_sent() -> None:
    """A refused connection can have had no effect."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
        open_door(address)
        with pytest.raises(Lost) as caught:
            get_session().get(f"{address}/api")
    assert not caught.value.sent


@pytest.fixture
def listened(monkeypatch: pytest.MonkeyPatch) -> list[httpx2.Request]:
    """What would leave the machine, which nothing does here."""
    sent: list[httpx2.Request] = []

    class Noted(httpx2.BaseTransport):
        def handle_request(self, request: httpx2.Request) -> httpx2.Response:
            sent.append(request)
            if request.url.path == "/away":
                return httpx2.Response(302, headers={"location": str(request.url.params["to"])})
            return httpx2.Response(200, content=b"ok")

    monkeypatch.setattr(doorway, "_open", {**doorway._open})
    monkeypatch.setattr(httpx2, "HTTPTransport", Noted)
    return sent


@pytest.mark.parametrize("to", ["https://cdn-lfs.hf.co/x", "https://cas-bridge.xethub.hf.co/x?signed=1"])
def test_large_files_are_fetched_where_the_platform_keeps_them_without_the_token(listened: list[httpx2.Request], to: str) -> None:
    """Token and cookies stay with the Hub."""
    open_door(HUB)
    with doorway._client() as client:
        answer = client.get(f"{HUB}/away", params={"to": to}, headers={"authorization": "Bearer canary", "cookie": "a=b"})
    assert answer.content == b"ok"
    assert [request.headers.get("authorization") for request in listened] == ["Bearer canary", None]
    assert listened[1].headers.get("cookie") is None
    with doorway._client() as client:
        client.get(to, headers={"authorization": "Bearer canary"})
    assert listened[2].headers.get("authorization") is None
    assert listened[0].extensions["timeout"] == {"connect": CONNECT_S, "pool": CONNECT_S, "read": READ_S, "write": READ_S}


@pytest.mark.parametrize(
    "to",
    [
        "https://evil.example/x",
        "http://cdn-lfs.hf.co/x",
        "https://hf.co.evil.example/",
        "https://evilhf.co/",
        "http://169.254.169.254/latest",
        "http://localhost/",
        "http://huggingface.co/x",
        "https://huggingface.co:8443/x",
    ],
)
def test_no_other_host_is_reached(listened: list[httpx2.Request], to: str) -> None:
    """Neither by a redirect nor asked for at once."""
    open_door(HUB)
    with doorway._client() as client:
        with pytest.raises(Strayed):
            client.get(f"{HUB}/away", params={"to": to}, headers={"authorization": "Bearer canary"})
        with pytest.raises(Strayed):
            client.get(to)
    assert len(listened) == 1


def test_a_next_page_elsewhere_is_not_read(tmp_path: Path) -> None:
    """The listing ends with a fault, and the other host hears nothing."""
    heard = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as other:
        other.settimeout(0.2)
        hub = Hub(tmp_path / "hub")
        hub.edit("example/many", {f"a/{n}": b"x" for n in range(1_001)})
        dataset = HubDataset(HubPlace("example/many", hub.address, READING), 0.5)
        sha = dataset.head().sha
        assert len(dataset.folder("a", sha)) == 1_001
        hub.fail("/tree/", "next_page", to=f"http://127.0.0.1:{other.getsockname()[1]}/")
        with pytest.raises(HubFault, match="is not the Hub"):
            dataset.folder("a", sha)
        hub.close()
        try:
            other.accept()
            heard.set()
        except TimeoutError:
            pass
    assert not heard.is_set()


def test_a_body_that_comes_a_byte_at_a_time_is_not_waited_for_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each byte is in time, so that only the time of the whole tells."""
    monkeypatch.setattr(doorway, "BODY_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        stop = threading.Event()
        thread = threading.Thread(target=_drip, args=(listening, stop))
        thread.start()
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        open_door(address)
        with pytest.raises(Lost) as caught:
            get_session().get(f"{address}/api")
        stop.set()
        thread.join()
    assert caught.value.sent


def _drip(listening: socket.socket, stop: threading.Event) -> None:
    """Answer one request with a hundred bytes, one every tenth of a second."""
    connection, _ = listening.accept()
    with connection:
        connection.recv(65_536)
        connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n")
        for _ in range(100):
            if stop.wait(0.1):
                return
            connection.sendall(b"x")
