"""Signing in against a provider over TLS, and everything that is no sign-in."""

import logging
import re
import threading
from typing import Any

import anyio
import httpx
import pytest
from anyio.to_thread import current_default_thread_limiter

from space.auth.session import SESSION
from tests.doubles.oidc import CLIENT_SECRET
from tests.space.requests.visits import CHOICE, ORIGIN, House, Visitor, said

PLATFORM = ("SPACE_ID", "SPACE_HOST", "OAUTH_CLIENT_ID", "OAUTH_CLIENT_SECRET", "OAUTH_SCOPES", "OPENID_PROVIDER_URL")


def is_signed_in(visitor: Visitor) -> bool:
    """Tell whether the page greets somebody."""
    return "You are " in said(visitor.get("/request"))


def test_a_visitor_signs_in_and_out(house: House) -> None:
    """Code, verifier, token, userinfo; the cookie is for this host, for TLS and for no script."""
    alice = house.visitor()
    assert "Sign in" in said(alice.get("/request"))
    answer = alice.sign_in("alice", to="/request?offer=starter")
    cookie = next(each for each in answer.headers.get_list("set-cookie") if each.startswith(f"{SESSION}="))
    assert (answer.status_code, answer.headers["location"]) == (303, "/request?offer=starter")
    assert all(word in cookie for word in ("__Host-", "Path=/", "Secure", "HttpOnly", "SameSite=None"))
    assert is_signed_in(alice)
    assert house.provider.asked == ["/.well-known/openid-configuration", "/oauth/authorize", "/oauth/token", "/oauth/userinfo"]
    alice.post("/logout", {})
    assert not is_signed_in(alice)


def test_asking_only_for_the_head_of_the_page_is_no_form(house: House) -> None:
    """It has no origin, as a link checker sends it, and is answered as the page is."""
    assert house.visitor().client.head("/request").status_code == 200


@pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example", "/requests", "/cell", "", "/request\\evil"])
def test_after_signing_in_nobody_is_led_elsewhere(house: House, target: str) -> None:
    """Only to the form."""
    assert house.visitor().sign_in("alice", to=target).headers["location"] == "/request"


def test_a_callback_that_nobody_began_signs_nobody_in(house: House) -> None:
    """Another browser's code, a changed state, a second use."""
    first, second = house.visitor(), house.visitor()
    house.provider.next_user = "mia"
    sent = first.get("/login/huggingface").headers["location"]
    state = re.search(r"state=([^&]+)", sent)
    assert state is not None
    for path in (f"/login/callback?code=x&state={state[1]}", "/login/callback?code=x&state=y", "/login/callback"):
        assert second.get(path).status_code == 401
    assert first.get(f"/login/callback?code=unknown&state={state[1]}").status_code == 401
    assert not is_signed_in(first)
    assert not is_signed_in(second)


@pytest.mark.parametrize(
    "change", [lambda text: text[:-3] + "aaa", lambda text: "eyJ9." + text, lambda _: "", lambda text: text[5:]]
)
def test_a_forged_cookie_is_nobody(house: House, change: Any) -> None:
    """Whatever was changed in it."""
    alice = house.visitor("alice")
    value = alice.client.cookies[SESSION]
    alice.client.cookies.clear()
    assert alice.client.get("/request", headers={"cookie": f"{SESSION}={value}"}).text.count("You are ") == 1
    assert "You are " not in alice.client.get("/request", headers={"cookie": f"{SESSION}={change(value)}"}).text


def test_a_session_ends_with_its_token(house: House) -> None:
    """After an hour here; what is sent then is refused with the way to go on."""
    alice = house.visitor("alice")
    form = alice.preview()
    house.later(3_601)
    answer = alice.confirm(form)
    assert (answer.status_code, house.waiting()) == (401, [])
    assert "auth.signed_out" in said(answer)


def test_a_revoked_token_is_nobody(house: House) -> None:
    """Within a minute."""
    alice = house.visitor("alice")
    house.provider.tokens.clear()
    house.later(61)
    assert alice.post("/request/preview", CHOICE).status_code == 401


def test_a_removed_member_asks_for_nothing_more(house: House) -> None:
    """Between preview and confirm, within a minute; what was asked before is still theirs."""
    alice = house.visitor("alice")
    run_id = alice.ask_run()
    form = alice.preview()
    house.provider.people["alice"]["orgs"] = []
    house.later(61)
    answer = alice.confirm(form)
    assert (answer.status_code, len(house.waiting())) == (403, 1)
    assert "NOT_AUTHORISED" in said(answer)
    assert alice.get(f"/request?run_id={run_id}").status_code == 200


def test_organisations_are_known_by_id_alone(house: House) -> None:
    """Renamed, a member stays one; a stranger's organisation with the right name is nothing."""
    house.provider.people["alice"]["orgs"][0].update(name="renamed", preferred_username="renamed")
    assert house.visitor("alice").post("/request/preview", CHOICE).status_code == 200
    house.provider.people["sam"]["orgs"][0].update(name="org-members", preferred_username="org-maintainers")
    assert house.visitor("sam").post("/request/preview", CHOICE).status_code == 403


@pytest.mark.parametrize("missing", PLATFORM)
def test_without_a_setting_of_the_platform_there_is_no_sign_in(house: House, missing: str) -> None:
    """The page reads on and says why; no route signs in or writes."""
    visitor = house.visitor(app=house.open(**{missing: ""}))
    page = visitor.get("/request")
    assert (page.status_code, "form.no_oauth" in said(page), "set-cookie" in page.headers) == (200, True, False)
    assert {
        visitor.get(path).status_code for path in ("/login", "/login/huggingface", "/login/callback", "/request/manifest")
    } == {404}
    assert {
        visitor.post(path, {}).status_code for path in ("/logout", "/request/preview", "/request/ask", "/request/confirm")
    } == {404}


def test_a_provider_that_is_away_is_said_so(house: House) -> None:
    """Nothing is written, and nobody is taken for somebody."""
    alice = house.visitor("alice")
    form = alice.preview()
    house.provider.is_down = True
    house.later(61)
    answer = alice.confirm(form)
    assert (answer.status_code, house.waiting()) == (503, [])
    assert "auth.unavailable" in said(answer)


def test_a_provider_that_does_not_answer_keeps_no_page_waiting(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many wait to sign in, the threads that make pages are free."""
    answers, real = threading.Event(), house.provider.answer
    monkeypatch.setattr(house.provider, "answer", lambda *asked: answers.wait(30) and real(*asked))

    async def many_sign_in() -> float:
        transport = httpx.ASGITransport(app=house.app)
        async with httpx.AsyncClient(transport=transport, base_url=ORIGIN) as client, anyio.create_task_group() as group:
            for _ in range(60):
                group.start_soon(client.get, "/login/huggingface")
            await anyio.wait_all_tasks_blocked()
            taken = current_default_thread_limiter().borrowed_tokens
            answers.set()
        return taken

    assert anyio.run(many_sign_in) == 0


def test_a_provider_that_sends_elsewhere_is_not_followed(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its addresses are its own, or there is no sign-in."""
    real = house.provider.answer

    def elsewhere(method: str, path: str, *rest: Any) -> Any:
        status, found = real(method, path, *rest)
        return status, {**found, "token_endpoint": "https://evil.example/token"} if path.endswith("configuration") else found

    monkeypatch.setattr(house.provider, "answer", elsewhere)
    assert house.visitor().get("/login/huggingface").status_code == 503


def test_cookie_token_and_secret_are_in_no_page_and_no_log(house: House, caplog: pytest.LogCaptureFixture, capfd: Any) -> None:
    """Over a whole visit, refusals and a failure included."""
    caplog.set_level(logging.DEBUG)
    alice = house.visitor("alice")
    pages = [alice.get("/request"), alice.post("/request/preview", CHOICE), alice.post("/request/preview", {"offer": "x"})]
    run_id = alice.ask_run()
    pages += [alice.get(f"/request?run_id={run_id}"), alice.get("/request?run_id=run-0"), alice.get("/login/callback?code=1")]
    pages.append(alice.post("/request/confirm", {"ticket": "x", "body": "y"}, origin="https://evil.example"))
    house.provider.is_down = True
    house.later(61)
    pages.append(alice.get("/request"))
    (token,) = house.provider.tokens
    written = "".join(page.text for page in pages) + caplog.text + "".join(capfd.readouterr())
    for secret in (token, CLIENT_SECRET, alice.client.cookies[SESSION]):
        assert secret not in written


@pytest.mark.parametrize("submitters", ["members", "anyone", "nobody"])
@pytest.mark.parametrize("who", ["alice", "bob", "mia", "rea", "sam"])
def test_who_may_ask(house: House, submitters: str, who: str) -> None:
    """Every setting and standing: the form is shown to whom a preview is given, all others read whom to ask."""
    allowed = {"members": {"alice", "bob", "mia", "rea"}, "anyone": {"alice", "bob", "mia", "rea", "sam"}, "nobody": {"mia"}}
    visitor = house.visitor(who, house.open(submitters))
    page, preview = visitor.get("/request").text, visitor.post("/request/preview", CHOICE)
    is_let = who in allowed[submitters]
    assert ('action="/request/preview"' in page, "Ask a maintainer" in page) == (is_let, not is_let)
    assert preview.status_code == (200 if is_let else 403)


@pytest.mark.parametrize(
    "origin", ["", "null", "https://evil.example", ORIGIN.replace("https", "http"), f"{ORIGIN}.evil.example"]
)
@pytest.mark.parametrize("path", ["/request/preview", "/request/ask", "/request/confirm", "/logout"])
def test_a_form_from_elsewhere_does_nothing(house: House, path: str, origin: str) -> None:
    """With the cookie, with a good ticket."""
    alice = house.visitor("alice")
    answer = alice.post(path, alice.preview() if path.endswith("confirm") else CHOICE, origin=origin)
    assert (answer.status_code, house.waiting(), is_signed_in(alice)) == (403, [], True)
