"""The request form over Datasets on the Hub: the same pages, the same rights, and nothing said to be recorded that is not."""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette

from shared.inbox.codec import Request
from space.app import request_routes
from space.form_settings import read_form_settings
from space.gate import Gate
from space.hub.dataset import HubDataset
from space.requests.hub.inbox import HubInbox
from space.requests.inbox import Put
from tests.builders.hub import CONTROL, INBOX, INBOX_NAME, READING, WIDE, Hub, write_status
from tests.builders.requests import member_limits
from tests.doubles.hub.identity import READ
from tests.doubles.oidc import OidcDouble
from tests.space.requests.visits import CHOICE, House, environment_for, said

COMMIT = "POST .*/commit/main"


class PromptInbox(HubInbox):
    """An inbox for which time passes while a page waits."""

    house: "HubHouse"

    def settle(self, request: Request, seconds: float) -> Put:
        """Let time pass as while a page waits, and do what is due."""
        self.house.later(min(seconds, 6))
        self.writer.step()
        return super().settle(request, 0)


class HubHouse(House):
    """An installation whose Space lies on the Hub: what it asks for is carried to the runner, and the status back."""

    def __init__(self, folder: Path, provider: OidcDouble) -> None:
        self.hub = Hub(folder / "hub")
        self.hub.edit(INBOX_NAME)
        self.hub.edit(CONTROL)
        self.hub.scope(READING, {f"datasets/{CONTROL}": [READ]})
        self.inbox: PromptInbox | None = None
        super().__init__(folder, provider)
        self.carry()

    def open(self, submitters: str = "members", **changes: str) -> Any:
        """Return a fresh Space, as after a restart."""
        on_hub = {
            "HF_ENDPOINT": self.hub.address,
            "SEAWALL_INBOX": f"hub:{INBOX_NAME}",
            "SEAWALL_INBOX_TOKEN": INBOX,
            "SEAWALL_STATUS": f"hub:{CONTROL}",
            "SEAWALL_READ_TOKEN": READING,
        }
        given = {**environment_for(self.place, self.provider, submitters), **on_hub, **changes}
        settings = self.settings = read_form_settings({name: value for name, value in given.items() if value})
        self.inbox = None
        if not settings.closed:
            self.inbox = PromptInbox(HubDataset(settings.inbox, 3.0), self.now)  # type: ignore[arg-type]
            self.inbox.house = self
        return Gate(Starlette(routes=list(request_routes(settings, self.now, None, self.inbox))))

    def carry(self) -> None:
        """Take what waits to the runner, let passes and jobs do what they can, and show how it stands."""
        if self.inbox is not None:
            self.later(61)
            self.inbox.writer.step()
        files = self.hub.files(INBOX_NAME)
        waiting = {path: data for path, data in files.items() if path.startswith("requests/")}
        for path, data in waiting.items():
            self.place.house.inbox.put([(path[len("requests/") : -len(".json")], data)])
        self.hub.edit(INBOX_NAME, dict.fromkeys(waiting))
        self.place.settle()
        write_status(self.hub, {tuple(about): each.data for about, each in self.place.house.status.list().items()})
        self.later(11)

    def held(self) -> list[str]:
        """Return the requests that wait on the Hub."""
        return [path for path in self.hub.files(INBOX_NAME) if path.startswith("requests/")]


@pytest.fixture
def house(provider: OidcDouble, tmp_path: Path) -> Iterator[HubHouse]:
    """An installation that offers the starter tasks, and its Space on the Hub."""
    made = HubHouse(tmp_path, provider)
    yield made
    made.hub.close()


def test_a_request_goes_from_the_form_to_a_published_row(house: HubHouse) -> None:
    """Form, inbox Dataset, pass, status Dataset, consent, published, withdrawn: each read where it lies."""
    alice = house.visitor("alice")
    run_id = alice.ask_run()
    assert len(house.held()) == 1
    assert "Recorded" in said(alice.get(f"/request?run_id={run_id}"))
    house.carry()
    page = said(alice.get(f"/request?run_id={run_id}"))
    assert "waiting for your decision" in page
    assert "What would become public" in page
    assert run_id in alice.get("/request").text
    assert alice.ask("consent", run_id, decision="publish").status_code == 303
    house.carry()
    assert "Published" in said(alice.get(f"/request?run_id={run_id}"))
    assert alice.ask("withdraw", run_id, reason="a wrong model").status_code == 303
    house.carry()
    assert "a wrong model" in said(alice.get(f"/request?run_id={run_id}"))
    assert house.visitor("bob").get(f"/request?run_id={run_id}").status_code == 404


@pytest.mark.parametrize("kind", ["503", "hang", "drop_before", "429_plain"])
def test_what_is_not_written_in_time_is_said_not_to_be_recorded(house: HubHouse, kind: str) -> None:
    """And when it is tried; once it is written the page says so, and the same ticket is the same request."""
    alice = house.visitor("alice")
    form = alice.preview()
    house.hub.fail(COMMIT, kind, nth=0)
    answer = alice.confirm(form)
    assert answer.status_code == 303
    page = said(alice.get(answer.headers["location"]))
    assert "Writing: not recorded yet" in page
    assert "It is tried next at" in page
    assert "Recorded" not in page
    assert "not recorded yet" in said(alice.get("/request"))
    assert house.held() == []
    house.hub.heal()
    house.later(61)
    house.inbox.writer.step()  # type: ignore[union-attr]
    assert "Recorded" in said(alice.get(answer.headers["location"]))
    assert alice.confirm(form).headers["location"] == answer.headers["location"]
    assert len(house.held()) == 1


def test_a_hold_that_is_not_written_yet_is_not_said_to_hold(house: HubHouse) -> None:
    """It has no page of its own, so the answer says it."""
    house.hub.fail(COMMIT, "503", nth=0)
    answer = house.visitor("mia").ask("hold", switch="on")
    assert (answer.status_code, "request.writing" in said(answer), house.held()) == (503, True, [])


def test_what_waits_to_be_written_counts_against_the_limits(house: HubHouse) -> None:
    """Two previews, room for one, and a Hub that does not answer: the second is refused."""
    house.judge_by("members", member_limits(open_requests_user=1))
    house.carry()
    alice = house.visitor("alice")
    first, second = alice.preview(), alice.preview()
    house.hub.fail(COMMIT, "503", nth=0)
    assert [alice.confirm(form).status_code for form in (first, second)] == [303, 409]


def test_confirming_after_a_restart_is_the_same_request(house: HubHouse) -> None:
    """It is read in the inbox."""
    alice = house.visitor("alice")
    form = alice.preview()
    alice.confirm(form)
    again = house.visitor(app=house.open())
    again.client.cookies = alice.client.cookies
    assert again.confirm(form).status_code == 303
    assert len(house.held()) == 1


def removed(house: HubHouse) -> None:
    """Take alice out of every organisation."""
    house.provider.add("alice", "alice-at-sea")
    house.later(61)


def renamed(house: HubHouse) -> None:
    """Give another organisation the name that hers had."""
    house.provider.add("alice", "alice-at-sea", ("org-elsewhere", "members", "admin"))
    house.later(61)


@pytest.mark.parametrize("how", ["removed", "renamed", "forged", "foreign", "null", "absent"])
def test_who_may_not_ask_makes_no_commit(house: HubHouse, how: str) -> None:
    """A removed member, a renamed organisation, a forged cookie, a form sent from elsewhere."""
    alice = house.visitor("alice")
    form = alice.preview()
    origin = {"foreign": "https://evil.example", "null": "null", "absent": ""}
    if how in {"removed", "renamed"}:
        (removed if how == "removed" else renamed)(house)
    if how == "forged":
        for cookie in alice.client.cookies.jar:
            cookie.value = f"{(cookie.value or '')[:-6]}AAAAAA"
    before = house.hub.commits(INBOX_NAME)
    answer = alice.post("/request/confirm", form, **({"origin": origin[how]} if how in origin else {}))
    assert answer.status_code in {401, 403}
    house.later(60)
    house.inbox.writer.step()  # type: ignore[union-attr]
    assert house.hub.commits(INBOX_NAME) == before


def test_a_wide_token_keeps_the_form_closed(house: HubHouse) -> None:
    """No login route, no session, and the page says why, without the token."""
    visitor = house.visitor(app=house.open(SEAWALL_INBOX_TOKEN=WIDE))
    page = visitor.get("/request")
    assert (page.status_code, "HUB_TOKEN_WIDE" in said(page), WIDE in page.text) == (200, True, False)
    assert visitor.get("/login/huggingface").status_code == 404
    assert visitor.post("/request/preview", CHOICE).status_code in {404, 405}


@pytest.mark.parametrize(
    ("route", "code"), [(INBOX_NAME, "inbox.unavailable"), (CONTROL, "status.unavailable"), ("whoami", "inbox.unavailable")]
)
def test_a_store_that_does_not_answer_is_told_before_the_ticket(house: HubHouse, route: str, code: str) -> None:
    """No ticket, nothing written, and the form stays."""
    alice = house.visitor("alice", house.open())
    house.later(3_700)
    alice.sign_in("alice")
    house.hub.fail(route, "500_lost", nth=0)
    answer = alice.post("/request/preview", CHOICE)
    assert (answer.status_code, code in said(answer), 'name="ticket"' in answer.text) == (503, True, False)
    assert house.held() == []


def test_no_token_is_in_a_log_an_error_or_a_page(house: HubHouse, caplog: pytest.LogCaptureFixture) -> None:
    """Whatever goes well or wrong."""
    caplog.set_level(logging.DEBUG)
    alice = house.visitor("alice")
    answers = [alice.get("/request"), alice.post("/request/preview", CHOICE)]
    for kind in ("500_lost", "403", "odd_json", "drop_before", "429_commits"):
        house.hub.fail("", kind, nth=0)
        house.later(3_700)
        answers += [alice.sign_in("alice"), alice.get("/request"), alice.post("/request/preview", CHOICE)]
        answers.append(alice.ask("cancel", "run-" + "0" * 32))
        house.hub.heal()
    told = caplog.text + "".join(answer.text for answer in answers)
    for token in (INBOX, READING):
        assert token not in told
        assert token not in repr(house.settings)
