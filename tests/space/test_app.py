"""The app over HTTP: probes, redirects, headers, closed routes; and an answer for every failure and every query."""

import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from pathlib import Path

import gradio as gr
import httpx
import pytest
from gradio.routes import App

from space import answer as module
from space.answer import answer
from space.config import read_settings
from space.pages.page import Page, discover
from space.queries.view import View
from space.readers.folder import FolderSource
from space.readers.mirror import Mirror
from space.readers.refresh import Refresh
from tests.space.publishing import rows_of
from tests.space.served import settings_for

ROOT = Path(__file__).parents[2]
PAGES = discover()


@pytest.fixture(scope="module")
def refresh(published: Path) -> Refresh:
    """A refreshed source."""
    made = Refresh(FolderSource(published), memory_mib=256, clock=lambda: 0.0)
    made.refresh()
    return made


def test_the_probes_answer(server: str) -> None:
    """`/healthz` says that the process lives, `/readyz` that a mirror is served."""
    assert httpx.get(f"{server}/healthz").status_code == 200
    ready = httpx.get(f"{server}/readyz")
    assert (ready.status_code, ready.json()["state"]) == (200, "ready")


def test_not_ready_without_a_mirror(tmp_path: Path, published: Path) -> None:
    """A source that cannot be served is not ready and still alive."""
    from fastapi.testclient import TestClient

    from space.app import create_app

    shutil.copytree(published, tmp_path / "results")
    shutil.rmtree(tmp_path / "results/example/harbour-chores")
    app = create_app(settings_for(tmp_path / "results"))
    app.state.refresh.refresh()
    client = TestClient(app)
    assert client.get("/healthz").status_code == 200
    assert (client.get("/readyz").status_code, client.get("/readyz").json()["code"]) == (503, "source.unreachable")


@pytest.mark.parametrize(
    ("asked", "sent_to"),
    [
        ("/?view=cell&cell_id=cell-1", "/cell?cell_id=cell-1"),
        ("/?view=about", "/about"),
        ("/?cell_id=x&view=task&q=%26", "/task?cell_id=x&q=%26"),
    ],
)
def test_a_view_in_the_query_leads_to_its_page(server: str, asked: str, sent_to: str) -> None:
    """An embedding site passes on the query only; `?view=` names the page."""
    found = httpx.get(f"{server}{asked}", follow_redirects=False)
    assert (found.status_code, found.headers["location"]) == (307, sent_to)


@pytest.mark.parametrize("asked", ["/?view=//evil.example", "/?view=nothing", "/?view="])
def test_an_unknown_view_stays_on_the_first_page(server: str, asked: str) -> None:
    """No other address is ever redirected to."""
    assert httpx.get(f"{server}{asked}", follow_redirects=False).status_code == 200


def test_every_answer_carries_the_policy(server: str) -> None:
    """Pages, assets and refusals alike: no foreign origin, no sniffing, framed by the Hub only."""
    for path in ("/", "/cell", "/theme.css", "/healthz", "/gradio_api/upload", "/nothing"):
        headers = httpx.get(f"{server}{path}").headers
        assert headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "frame-ancestors 'self' https://huggingface.co" in headers["content-security-policy"]


@pytest.mark.parametrize(
    "path", ["upload", "upload_progress", "stream/a/b/c", "proxy=https://evil.example/", "component_server", "file=/etc/passwd"]
)
@pytest.mark.parametrize("prefix", ["/gradio_api/", "/"])
def test_unused_routes_are_closed(server: str, prefix: str, path: str) -> None:
    """Nobody uploads, streams, proxies or reads a file through Gradio."""
    assert httpx.get(f"{server}{prefix}{path}").status_code == 404
    assert httpx.post(f"{server}{prefix}{path}", content=b"x").status_code == 404


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/gradio_api/openapi.json"),
        ("GET", "/gradio_api/info"),
        ("GET", "/gradio_api"),
        ("POST", "/gradio_api/call/fill"),
        ("POST", "/gradio_api/call/v2/fill"),
        ("POST", "/gradio_api/api/predict"),
        ("POST", "/gradio_api/run/fill"),
        ("POST", "/gradio_api/reset"),
        ("POST", "/gradio_api/cancel"),
        ("POST", "/gradio_api/queue/join"),
        ("GET", "/gradio_api/queue/data"),
        ("GET", "/gradio_api/heartbeat/x"),
        ("GET", "/gradio_api/token"),
        ("GET", "/gradio_api/runs"),
        ("POST", "/gradio_api/process_recording"),
        ("POST", "/gradio_api/vibe-edit/"),
        ("GET", "/monitoring"),
        ("GET", "/monitoring/summary"),
        ("GET", "/monitoring/guessed-key"),
        ("POST", "/login"),
    ],
)
def test_gradio_offers_nothing_but_its_pages(server: str, method: str, path: str) -> None:
    """No schema, no queue, no second way to call, no monitoring, no password."""
    assert httpx.request(method, f"{server}{path}", json={}).status_code == 404


def test_every_route_of_gradio_is_closed_but_the_one_in_use(server: str) -> None:
    """Whatever a newer Gradio adds: its own list of routes is asked."""
    included = [getattr(route, "original_router", None) for route in App.create_app(gr.Blocks()).routes]
    paths = {route.path for router in included if router for route in router.routes}
    assert len(paths) > 20
    for path in paths:
        asked = "/gradio_api" + re.sub(r"{[^}]*}", "x", path).removeprefix("/gradio_api")
        assert {httpx.request(method, f"{server}{asked}").status_code for method in ("GET", "POST")} == {404}, asked


@pytest.mark.parametrize("hidden", ["%0A", "%0D%0A", "%00", "%C2%85", "%E2%80%AE"])
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/gradio_api/upload"),
        ("POST", "/gradio_api/queue/join"),
        ("POST", "/gradio_api/run/predict"),
        ("GET", "/gradio_api/startup-events"),
        ("GET", "/gradio_api/file=/etc/hosts"),
        ("GET", "/config"),
        ("GET", "/monitoring"),
    ],
)
def test_no_route_is_reached_past_an_unseen_character(server: str, method: str, path: str, hidden: str) -> None:
    """Gradio's routes overlook a line break at their end: such a path is no address at all."""
    files = {"files": ("a.html", b"x", "text/html")} if path.endswith("upload") else None
    found = httpx.request(method, f"{server}{path}{hidden}", files=files)
    assert (found.status_code, found.json()["error"]["code"]) == (404, "route.closed")


@pytest.mark.parametrize(
    "body",
    [
        b'{"data": [], "fn_index": 999}',
        b'{"data": [], "fn_index": -1}',
        b'{"data": [], "fn_index": true}',
        b'{"data": [], "fn_index": "0"}',
        b'{"data": []}',
        b'{"fn_index": 0}',
        b"[]",
        b"{",
        b"",
        b"\xff",
        b"[" * 200_000,
        b'{"data": [], "fn_index": ' + b"9" * 10_000 + b"}",
    ],
    ids=lambda body: body[:30].decode("latin-1") or "empty",
)
def test_a_call_of_what_is_not_there_is_told_so(server: str, body: bytes) -> None:
    """400 with a code, where Gradio would fail with 500."""
    found = httpx.post(f"{server}/gradio_api/run/predict", content=body, headers={"content-type": "application/json"})
    assert (found.status_code, found.json()["error"]["code"]) == (400, "call.invalid")


def test_a_call_that_a_page_makes_is_answered(server: str) -> None:
    """Through the door, with its body whole."""
    found = httpx.post(f"{server}/gradio_api/run/predict", json={"data": [], "fn_index": 0, "session_hash": "s"}, timeout=30)
    assert found.status_code == 200
    assert "seawall" in found.json()["data"][0]


def test_a_large_body_is_refused(server: str) -> None:
    """Bodies beyond 256 KiB are not read, nor those that do not say their length."""
    body = b"x" * (300 << 10)
    assert httpx.post(f"{server}/gradio_api/run/predict", content=body).status_code == 413
    assert httpx.post(f"{server}/gradio_api/run/predict", content=iter([body])).status_code == 411


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.slug or "home")
def test_an_error_in_a_page_is_a_panel_with_a_code(page: Page, refresh: Refresh, published: Path) -> None:
    """No traceback, no blank page: a code and an error id."""

    def broken(view: View, mirror: Mirror) -> None:
        raise ZeroDivisionError("secret detail")

    broken_page = Page(f"{page.slug}broken", page.title, page.parameters, broken)  # type: ignore[arg-type]
    html = answer(broken_page, "", refresh, settings_for(published))
    assert "page.failed" in html
    assert "Error id" in html
    assert "secret detail" not in html
    assert "Traceback" not in html


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.slug or "home")
def test_every_page_answers_in_every_state(page: Page, published: Path, tmp_path: Path) -> None:
    """Ready, stale, loading and failed each read as what they are."""
    shutil.copytree(published, tmp_path / "results")
    made = Refresh(FolderSource(tmp_path / "results"), memory_mib=256, clock=lambda: 0.0)
    settings = settings_for(tmp_path)
    assert "source.loading" in answer(page, "", made, settings)
    made.refresh()
    ready = answer(page, "", made, settings)
    assert "source." not in ready
    shutil.rmtree(tmp_path / "results/example/catalog")
    (tmp_path / "results/example/catalog").mkdir()
    (tmp_path / "results/example/catalog/current.json").write_bytes(b"{")
    made.refresh()
    stale = answer(page, "", made, settings)
    assert "source.schema" in stale
    assert "last that passed every check" in stale
    failed = Refresh(FolderSource(tmp_path / "results"), memory_mib=256, clock=lambda: 0.0)
    failed.refresh()
    assert "panel failed" in answer(page, "", failed, settings)


def test_the_sample_always_says_that_it_is_one(refresh: Refresh, published: Path) -> None:
    """The banner stands on every page of the sample and on no other."""
    for page in PAGES:
        assert "Sample, not results" in answer(page, "", refresh, settings_for(published, is_sample=True))
        assert "Sample, not results" not in answer(page, "", refresh, settings_for(published))


def test_our_own_words_hold_no_unseen_characters(refresh: Refresh, published: Path) -> None:
    """No page shows an escape of ours, such as a line break inside a sentence."""
    for page in PAGES:
        assert "\\u" not in answer(page, "", refresh, settings_for(published))


def test_the_sample_is_small_and_clean() -> None:
    """At most 250 kB, and its selected attempts all succeeded."""
    settings = read_settings({})
    assert sum(file.stat().st_size for file in settings.source.rglob("*") if file.is_file()) <= 250_000
    attempts = {row["attempt_id"]: row["state"] for row in rows_of(settings.source, "attempts")}
    selected = {row["selected_attempt_id"] for row in rows_of(settings.source, "trials")} - {None}
    assert {attempts[name] for name in selected} == {"succeeded"}


WATCHING = """
import os
import sys

def note(event, arguments):
    host = "127.0.0.1"
    if event == "socket.connect" and isinstance(arguments[1], tuple):
        host = arguments[1][0]
    if event in ("socket.getaddrinfo", "socket.gethostbyname"):
        host = arguments[0]
    if host not in ("127.0.0.1", "::1", "localhost"):
        with open(os.environ["REACHED"], "a") as reached:
            reached.write(f"{event} {host}\\n")

sys.addaudithook(note)
note("socket.getaddrinfo", ("nobody",))
"""
"""Python of every process of a Space: it notes each host that is looked up or connected to, and one, to show that it does."""


def test_five_copied_things_boot_a_space(tmp_path: Path) -> None:
    """app.py, README.md, requirements.txt, space/ and shared/ in an empty folder serve the sample, and reach no other host."""
    (tmp_path / "watching").mkdir()
    (tmp_path / "watching/sitecustomize.py").write_text(WATCHING)
    reached = tmp_path / "reached"
    for name in ("app.py", "README.md", "requirements.txt"):
        if (ROOT / name).exists():
            shutil.copy(ROOT / name, tmp_path / name)
    for name in ("space", "shared"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("SEAWALL", "PYTHONPATH"))}
    environment |= {"PORT": str(port), "SEAWALL_HOST": "127.0.0.1"}
    environment |= {"PYTHONPATH": str(tmp_path / "watching"), "REACHED": str(reached)}
    process = subprocess.Popen([sys.executable, "app.py"], cwd=tmp_path, env=environment)
    try:
        transport = httpx.HTTPTransport(retries=0)
        with httpx.Client(transport=transport, base_url=f"http://127.0.0.1:{port}", timeout=5) as client:
            assert _ready(client, process)
            assert "Seawall" in client.get("/").text
            answer = client.get("/api/v1/cells")
            assert (answer.status_code, answer.json()["total"]) == (200, len(answer.json()["rows"]))
            assert answer.json()["total"] > 5
            assert reached.read_text() == "socket.getaddrinfo nobody\n"
    finally:
        process.terminate()
        process.wait(20)


def _ready(client: httpx.Client, process: "subprocess.Popen[bytes]") -> bool:

    for _ in range(240):
        if process.poll() is not None:
            return False
        try:
            if client.get("/readyz").json()["state"] == "ready":
                return True
        except (httpx.ConnectError, httpx.ReadTimeout):
            pass
        threading.Event().wait(0.25)
    return False


def test_the_wrapper_logs_what_it_hides(refresh: Refresh, published: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The log holds the traceback beside the id that the panel shows."""

    def broken(view: View, mirror: Mirror) -> None:
        raise ZeroDivisionError("detail for the log")

    html = answer(Page("x", "X", frozenset(), broken), "", refresh, settings_for(published))  # type: ignore[arg-type]
    assert module.__name__ == "space.answer"
    record = caplog.records[-1]
    assert str(record.args[1]) in html  # type: ignore[index]
    assert "detail for the log" in caplog.text
