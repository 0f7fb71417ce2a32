"""The whole Space without a form, and with one: what is there, what is not, and that Gradio's routes write nothing."""

import itertools
import re

import httpx
import pytest
from starlette.routing import Route
from starlette.testclient import TestClient

from shared.errors import BadInput
from space.app import create_app, request_routes
from space.config import SAMPLE, Settings
from space.form_settings import CLOSED, read_form_settings
from space.keeper import Keeper
from space.pages.requests.closed import closed
from tests.space.requests.visits import ORIGIN, House, said


def test_a_space_without_sign_in_says_why_and_names_the_other_ways(sample_server: str) -> None:
    """As `make demo` serves it; the navigation leads there, an embedding site too."""
    page = httpx.get(f"{sample_server}/request")
    text = said(page)
    assert (page.status_code, CLOSED["form.no_oauth"] in text) == (200, True)
    assert "Measure it yourself, then send the manifest" in text
    assert "python -m runner run submit benchmarks/mine.yaml" in text
    assert "listed as manual, and never ranked" in text
    assert "This Space names no contact: ask whoever gave you its address." in text
    assert "this Space names no address to clone from; ask for one." in text
    assert text.index("SEAWALL_REPOSITORY") > text.index("Send finished jobs of Harbor")
    assert text.index("form.no_oauth") > text.index("SEAWALL_CONTACT")
    assert (
        '<a href="/request"'
        in httpx.post(
            f"{sample_server}/gradio_api/run/predict", json={"data": [], "fn_index": 0, "session_hash": "s"}, timeout=30
        ).json()["data"][0]
    )
    assert httpx.get(f"{sample_server}/?view=request&run_id=x").headers["location"] == "/request?run_id=x"


def test_who_is_named_is_whom_to_ask() -> None:
    """As text: whatever it holds becomes no markup. A line that does not fit names its setting."""
    assert "Whom to ask: Kim &lt;kim@example.org&gt;." in str(closed("form.no_oauth", Keeper(contact="Kim <kim@example.org>")))
    assert read_form_settings({"SEAWALL_CONTACT": " Kim "}).keeper.contact == "Kim"
    for bad in ("x" * 201, "two\nlines"):
        with pytest.raises(BadInput) as raised:
            read_form_settings({"SEAWALL_CONTACT": bad})
        assert raised.value.field == "SEAWALL_CONTACT"


@pytest.mark.parametrize("path", ["/login", "/login/huggingface", "/login/callback", "/request/manifest"])
def test_a_space_without_sign_in_has_no_login(sample_server: str, path: str) -> None:
    """No route, no cookie."""
    answer = httpx.get(f"{sample_server}{path}")
    assert (answer.status_code, "set-cookie" in answer.headers) == (404, False)


@pytest.mark.parametrize("path", ["/request", "/request/preview", "/request/ask", "/request/confirm", "/logout"])
def test_a_space_without_sign_in_takes_no_form(sample_server: str, path: str) -> None:
    """Wherever it is sent."""
    assert httpx.post(f"{sample_server}{path}", data={"offer": "starter"}).status_code in {404, 405}


def test_no_route_of_gradio_writes_a_request(house: House) -> None:
    """Each function of the pages, called by nobody; no page but the form's sets a cookie."""
    settings = Settings(
        SAMPLE, is_sample=True, host="127.0.0.1", port=1, refresh_seconds=3_600, memory_mib=256, form=house.settings
    )
    app = create_app(settings)
    client = TestClient(app, base_url="https://127.0.0.1:8443")
    for index in range(30):
        answer = client.post("/gradio_api/run/predict", json={"data": [], "fn_index": index, "session_hash": "s"})
        assert answer.status_code in {200, 400}
    for path in ("/", "/api/v1/cells", "/request", "/healthz"):
        assert "set-cookie" not in client.get(path).headers
    app.state.refresh.close()
    assert house.waiting() == []


def test_a_preview_names_what_was_measured_before(house: House) -> None:
    """The published cells of the same configuration, as links."""
    alice = house.visitor("alice")
    run_id = alice.ask_run()
    house.place.settle()
    alice.ask("consent", run_id, decision="publish")
    house.place.settle()
    settings = Settings(
        house.place.house.settings.results, is_sample=False, host="127.0.0.1", port=1, refresh_seconds=3_600, memory_mib=256,
        form=house.settings,
    )  # fmt: skip
    app = create_app(settings, house.now)
    app.state.refresh.refresh()
    again = house.visitor("alice", app)
    page = again.post("/request/preview", {"offer": "starter", "models": "none", "agents": ["oracle", "nop"], "ceiling_usd": "0"})
    app.state.refresh.close()
    assert page.text.count('href="/cell?cell_id=cell-') == 1


def test_no_route_takes_a_request_from_nobody(house: House) -> None:
    """The confirmation that alice was about to send, sent to every route without her cookie: nothing waits until she sends it."""
    held: list[httpx.Request] = []

    def hold(request: httpx.Request) -> None:
        if request.url.path == "/request/confirm":
            held.append(request)
            raise InterruptedError

    alice = house.visitor("alice")
    alice.client.event_hooks["request"] = [hold]
    with pytest.raises(InterruptedError):
        alice.ask_run()
    [confirmation] = held
    headers = {"origin": ORIGIN, "content-type": confirmation.headers["content-type"]}
    routes = [route.path for route in request_routes(house.settings, house.now) if isinstance(route, Route)]
    assert "/request/confirm" in routes
    nobody = house.visitor()
    for path, method in itertools.product(routes, ("GET", "POST", "PUT", "DELETE")):
        asked = re.sub(r"{[^}]*}", "x", path)
        assert nobody.client.request(method, asked, content=confirmation.content, headers=headers).status_code < 500
    assert house.waiting() == []
    alice.client.event_hooks["request"] = []
    alice.client.post("/request/confirm", content=confirmation.content, headers=headers)
    assert len(house.waiting()) == 1
