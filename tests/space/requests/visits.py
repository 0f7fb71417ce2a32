"""People at the request form, as a browser sends them: sign in, preview, confirm; and the installation behind it."""

import html
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.testclient import TestClient

from runner.usecases.control.pass_world import Rules
from shared.documents.reviewed.limits import Limits, local_limits
from shared.documents.status import RunStatus
from shared.errors import BadInput
from shared.inbox.codec import Request, decode_request
from shared.inbox.rights import Access, Submitters
from space.app import create_app, request_routes
from space.config import Settings
from space.form_settings import read_form_settings
from space.gate import Gate
from space.readers.refresh import Refresh
from space.readers.status import StatusReader
from tests.builders.houses import Place
from tests.builders.requests import offered
from tests.doubles.oidc import CLIENT_ID, CLIENT_SECRET, OidcDouble
from tests.space.served import free_port, served

HOST = "127.0.0.1:8443"
ORIGIN = f"https://{HOST}"
CHOICE = {"offer": "starter", "models": "none", "agents": "oracle", "ceiling_usd": "0"}


def environment_for(place: Place, provider: OidcDouble, submitters: str = "members", host: str = HOST) -> dict[str, str]:
    """Return the settings of a Space whose form is open."""
    return {
        "SPACE_ID": "example/seawall",
        "SPACE_HOST": host,
        "OAUTH_CLIENT_ID": CLIENT_ID,
        "OAUTH_CLIENT_SECRET": CLIENT_SECRET,
        "OAUTH_SCOPES": "openid profile",
        "OPENID_PROVIDER_URL": provider.address,
        "SEAWALL_INBOX": f"sqlite:{place.house.settings.home / 'inbox.sqlite'}",
        "SEAWALL_STATUS": f"sqlite:{place.house.settings.home / 'control.sqlite'}",
        "SEAWALL_SUBMITTERS": submitters,
        "SEAWALL_MEMBER_ORG_IDS": "org-members",
        "SEAWALL_MAINTAINER_ORG_IDS": "org-maintainers",
    }


type Answer = Any
"""What a route answered."""


class House:
    """The installation, its Space and a clock for both."""

    def __init__(self, folder: Path, provider: OidcDouble) -> None:
        self.provider = provider
        self.place = Place(folder)
        self.judge_by("members", local_limits())
        self.offer = offered(self.place)
        self.place.reconcile()
        self.app = self.open()

    def judge_by(self, submitters: str, limits: Limits) -> None:
        """Let passes judge by these rules."""
        access = Access(Submitters(submitters), frozenset({"org-members"}), frozenset({"org-maintainers"}))
        self.place.rules = Rules(limits, access)

    def open(self, submitters: str = "members", refresh: Refresh | None = None, **changes: str) -> Any:
        """Return a fresh Space over what `refresh` reads, as after a restart; an empty setting is left out."""
        given = {**environment_for(self.place, self.provider, submitters), **changes}
        settings = read_form_settings({name: value for name, value in given.items() if value})
        self.settings = settings
        return Gate(Starlette(routes=list(request_routes(settings, self.now, refresh))))

    def now(self) -> float:
        """Return the time of the installation's clock."""
        return self.place.clock.now_ms() / 1000

    def later(self, seconds: float) -> None:
        """Let time pass."""
        self.place.clock.sleep(seconds)

    def visitor(self, user: str = "", app: Any = None) -> "Visitor":
        """Return a browser; signed in as `user` if given."""
        made = Visitor(self, app or self.app)
        if user:
            made.sign_in(user)
        return made

    def status(self, run_id: str) -> RunStatus:
        """Return the status of a run as the Space reads it."""
        found = StatusReader(self.place.house.settings.home / "control.sqlite").run(run_id)
        assert found is not None
        return found

    def waiting(self) -> list[Request]:
        """Return what waits in the inbox and can be read, as the runner reads it."""
        found = []
        for each in self.place.house.inbox.list(2_000).requests:
            with suppress(BadInput):
                found.append(decode_request(each.data))
        return found


class Visitor:
    """One browser with its cookies."""

    def __init__(self, house: House, app: Any) -> None:
        self.house = house
        self.client = TestClient(app, base_url=ORIGIN, follow_redirects=False, raise_server_exceptions=False)

    def get(self, path: str) -> Answer:
        """Open a page."""
        return self.client.get(path)

    def post(self, path: str, form: dict[str, Any], **headers: str) -> Answer:
        """Send a form from the Space's own page; a header given empty is left out."""
        sent = {name.replace("_", "-"): value for name, value in {"origin": ORIGIN, **headers}.items() if value}
        return self.client.post(path, data=form, headers=sent)

    def sign_in(self, user: str, to: str = "/request") -> Answer:
        """Go to the provider as `user` and come back."""
        self.house.provider.next_user = user
        sent = self.client.get("/login/huggingface", params={"to": to})
        assert sent.status_code == 302, sent.text
        with httpx.Client() as outside:
            back = outside.get(sent.headers["location"])
        assert back.status_code == 302, back.text
        return self.client.get(back.headers["location"].removeprefix(ORIGIN))

    def preview(self, **changes: Any) -> dict[str, str]:
        """Return the form that a preview of the choice asks to confirm."""
        answer = self.post("/request/preview", {**CHOICE, **changes})
        assert answer.status_code == 200, said(answer)
        return {**hidden(answer), "seen": "yes"}

    def confirm(self, form: dict[str, Any]) -> Answer:
        """Confirm a preview."""
        return self.post("/request/confirm", form)

    def ask_run(self, **changes: Any) -> str:
        """Preview and confirm a run; return its id."""
        answer = self.confirm(self.preview(**changes))
        assert answer.status_code == 303, said(answer)
        return str(answer.headers["location"]).partition("run_id=")[2]

    def ask(self, kind: str, run_id: str = "", **fields: str) -> Answer:
        """Ask anything else, look at it and confirm it."""
        named = {"run_id": run_id} if run_id else {}
        answer = self.post("/request/ask", {"kind": kind, **named, **fields})
        return answer if answer.status_code != 200 else self.confirm(hidden(answer))


def hidden(answer: Answer) -> dict[str, str]:
    """Return the hidden fields of the form that confirms."""
    form = answer.text.partition('action="/request/confirm"')[2].partition("</form>")[0]
    found = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', form)
    return {name: html.unescape(value) for name, value in found}


def said(answer: Answer) -> str:
    """Return the text of a page."""
    body = answer.text.partition("<body")[2]
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", f"<body{body}"))).strip()


@contextmanager
def form_served(house: House, certificate: Path, settings: Settings) -> Iterator[tuple[str, FastAPI]]:
    """Yield the address of a whole Space with the form, whose sessions and tickets end by the clock of `house`, and its app."""
    with free_port() as (listener, host):
        form = read_form_settings(environment_for(house.place, house.provider, host=host))
        app = create_app(replace(settings, form=form), house.now)
        with served(app, listener, certificate):
            yield f"https://{host}", app
