"""The request form over HTTP: plain forms, each answered by a whole page, so that they work without scripts.

Every form is held to its origin before anything is read of it. Who asks, space/auth/sign_in.py says. Where the form is closed
there is no login, no session and no route that writes.
"""

import logging
import secrets
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from shared.documents.run_request import RunRequest
from shared.errors import BadInput, Conflict, Refused, SeawallError, StoreFault
from shared.ids import generate
from shared.inbox.codec import RequestSubject
from shared.planning.requested import manifest_of
from space.auth.people import Person
from space.auth.sign_in import CALLBACK_PATH, LOGIN_PATH, SignIn
from space.keeper import NOBODY, Keeper
from space.pages.requests import own
from space.pages.requests.closed import closed, signed_out
from space.pages.requests.form import Filled, form
from space.pages.requests.frame import page, refusal
from space.pages.requests.preview import decision_preview, filled_of, submit_preview
from space.pages.requests.state import state
from space.requests.confirm import Confirming, NotRecordedYet
from space.requests.decide import FIELDS, draft_decision
from space.requests.desk import Desk
from space.requests.fields import Fields, read_fields
from space.requests.next_pass import next_pass
from space.requests.run_seen import see_run
from space.requests.submit import choose, preview_submit
from space.requests.ticket import Draft, issue

CONFIRM_PATH: Final = "/request/confirm"
MAX_CONFIRMS: Final = 64
MAX_OTHERS: Final = 24
_FORM: Final = frozenset({"offer", "models", "agents", "ceiling_usd"})
_CONFIRM: Final = frozenset({"ticket", "body", "seen"})
_PRIVATE: Final = {"cache-control": "no-store", "vary": "cookie"}
_STATUS: Final = {
    "auth.signed_out": 401, "auth.origin": 403, "NOT_AUTHORISED": 403, "request.not_owner": 403, "SELF_APPROVAL": 403,
    "request.forged": 403, "view.not_published": 404,
}  # fmt: skip
type FindPublished = Callable[[Sequence[str]], Sequence[str]]
"""Returns the ids of cells that were published with one of these cell digests."""
_log: Final = logging.getLogger("seawall.space")


def closed_routes(code: str, keeper: Keeper = NOBODY) -> list[Route]:
    """Return the one route of a Space without a form: the page that says why."""

    async def answer(_: Request) -> Response:
        return HTMLResponse(page("Request", closed(code, keeper)))

    return [Route("/request", answer, methods=["GET"])]


class Parts(NamedTuple):
    """What the routes work with."""

    desk: Desk
    sign_in: SignIn
    find_published: FindPublished
    keeper: Keeper = NOBODY


def open_routes(parts: Parts) -> list[Route]:
    """Return the routes of sign-in and form."""
    made = RequestRoutes(parts)
    return [
        Route("/request", made.route(made.show), methods=["GET"]),
        Route("/request/manifest", made.route(made.manifest), methods=["GET"]),
        Route("/request/preview", made.route(made.preview), methods=["POST"]),
        Route("/request/ask", made.route(made.ask), methods=["POST"]),
        Route(CONFIRM_PATH, made.route(made.confirm), methods=["POST"]),
        Route(LOGIN_PATH, made.route(parts.sign_in.login), methods=["GET"]),
        Route(CALLBACK_PATH, made.route(parts.sign_in.callback), methods=["GET"]),
        Route("/logout", made.route(parts.sign_in.logout), methods=["POST"]),
    ]


class RequestRoutes:
    """What each route answers; bodies are read before, and the work is done in a thread."""

    def __init__(self, parts: Parts) -> None:
        self._desk, self._sign_in, self._find_published, self._keeper = parts
        self._confirming: Final = Confirming(parts.desk)
        self._slow: Final = CapacityLimiter(MAX_CONFIRMS)
        """Confirms wait until they are written: in threads of their own, so that nothing else waits with them."""
        self._others: Final = CapacityLimiter(MAX_OTHERS)
        """So does whatever asks the provider or the Hub, which may not answer: no page of results waits with it."""

    def route(self, answer: Callable[[Request, bytes], Response]) -> Callable[[Request], Any]:
        """Return the endpoint that answers with `answer`, or with the page of what went wrong."""

        async def endpoint(request: Request) -> Response:
            body = await request.body() if request.method == "POST" else b""
            limiter = self._slow if request.url.path == CONFIRM_PATH else self._others
            response = await run_sync(self._answer, answer, request, body, limiter=limiter)
            response.headers.update(_PRIVATE)
            return response

        return endpoint

    def show(self, request: Request, _: bytes) -> Response:
        """Answer the page: sign in, the form, or one request."""
        if self._sign_in.session(request) is None:
            is_framed = request.headers.get("sec-fetch-dest") == "iframe"
            target = request.url.path + (f"?{request.url.query}" if request.url.query else "")
            login = f"{LOGIN_PATH}?{urlencode({'to': target[:500]})}"
            return HTMLResponse(page("Request", signed_out(login, is_framed=is_framed, keeper=self._keeper)))
        person = self._sign_in.person(request)
        run_id = request.query_params.get("run_id")
        if run_id is not None:
            seen = see_run(self._desk, person, run_id)
            shown = self._desk.status.shown(run_id) if seen.is_own or person.is_maintainer else None
            return HTMLResponse(page("Request", own.who(person), state(seen, shown, person, next_pass(self._desk))))
        return HTMLResponse(self._form(person, Filled(request.query_params.get("offer", "")), None))

    def manifest(self, request: Request, _: bytes) -> Response:
        """Answer the manifest that says what the form says."""
        self._sign_in.person(request)
        asked = request.query_params
        choice = choose(_split(asked.get("models", "")), _split(asked.get("agents", "")), asked.get("ceiling_usd", ""))
        offer = self._desk.status.offer(asked.get("offer", ""))
        if offer is None:
            raise Refused(
                "request.profile_unknown", "this is not offered", field="offer", way_out="Choose one that is offered now."
            )
        named = {"content-disposition": f'attachment; filename="{offer.name}.yaml"'}
        return Response(manifest_of(offer, choice), media_type="application/yaml", headers=named)

    def preview(self, request: Request, body: bytes) -> Response:
        """Answer the preview of a submit; a refusal keeps the form."""
        person = self._sign_in.person(request)
        fields = self._fields(request, body, _FORM)
        filled = Filled(fields.text("offer"), fields.texts("models"), fields.texts("agents"), fields.text("ceiling_usd"))
        try:
            self._desk.inbox.require_writable()
            choice = choose(fields.texts("models"), fields.texts("agents"), fields.text("ceiling_usd"))
            made = preview_submit(self._desk, person, fields.text("offer"), choice)
        except SeawallError as error:
            return HTMLResponse(self._form(person, filled, error), status_of(error))
        subject = RequestSubject("run", generate("run", self._desk.uuid7()))
        before = self._find_published([cell.cell_digest for cell in made.plan.head.cells])
        draft = Draft("submit", subject, made.asked.to_bytes().decode())
        return HTMLResponse(page("Preview", own.who(person), submit_preview(made, before, issue(self._desk, person, draft))))

    def ask(self, request: Request, body: bytes) -> Response:
        """Answer the preview of any other request."""
        person = self._sign_in.person(request)
        draft = draft_decision(self._desk, person, self._fields(request, body, FIELDS))
        self._desk.inbox.require_writable()
        return HTMLResponse(page("Confirm", own.who(person), decision_preview(draft, issue(self._desk, person, draft))))

    def confirm(self, request: Request, body: bytes) -> Response:
        """Record the request, then lead to its page; a refused submit leads back to its form."""
        person = self._sign_in.person(request)
        fields = self._fields(request, body, _CONFIRM)
        try:
            has_read = fields.text("seen") == "yes"
            recorded = self._confirming.confirm(person, fields.text("ticket"), fields.text("body"), has_read=has_read)
        except NotRecordedYet as error:
            if error.request.subject.type != "run":
                raise
            recorded = error.request
        except SeawallError as error:
            return HTMLResponse(self._form(person, _filled_again(fields.text("body")), error), status_of(error))
        about = recorded.subject
        return RedirectResponse(f"/request?run_id={about.id}" if about.type == "run" else "/request", status_code=303)

    def _answer(self, answer: Callable[[Request, bytes], Response], request: Request, body: bytes) -> Response:
        try:
            if request.method not in {"GET", "HEAD"}:
                self._sign_in.require_origin(request)
            return answer(request, body)
        except SeawallError as error:
            return HTMLResponse(page("Request", refusal(error)), status_of(error))
        except Exception:  # noqa: BLE001 - a visitor gets a page, the log gets the traceback
            incident = secrets.token_hex(4)
            _log.exception("%s failed, error id %s", request.url.path, incident)
            failed = SeawallError(
                "page.failed", f"this could not be answered. Error id {incident}.", way_out="Open the page again."
            )
            return HTMLResponse(page("Request", refusal(failed)), 500)

    def _fields(self, request: Request, body: bytes, known: frozenset[str]) -> Fields:
        return read_fields(request.headers.get("content-type", ""), body, known)

    def _form(self, person: Person, filled: Filled, error: SeawallError | None) -> str:
        desk = self._desk
        waiting = [each for each in desk.inbox.waiting() if each.kind == "submit" and each.actor.user_id == person.user_id]
        may = own.may_submit(desk.access, person)
        return page(
            "Request",
            own.who(person),
            refusal(error) if error else None,
            form(desk.status.offers(), filled) if may else own.may_not_submit(desk.access, self._keeper),
            own.own_requests(desk.status.runs_of(person.user_id), waiting, desk.inbox.unwritten()),
            own.for_maintainers(desk.status.runs_waiting(), desk.status.installation()) if person.is_maintainer else None,
        )


def status_of(error: SeawallError) -> int:
    """Return the HTTP status that says what `error` says."""
    if error.code in _STATUS:
        return _STATUS[error.code]
    if isinstance(error, BadInput):
        return 400
    return 503 if isinstance(error, StoreFault | Conflict) else 409


def _filled_again(body: str) -> Filled:
    try:
        asked = RunRequest.from_bytes(body.encode("utf-8", "replace"))
    except BadInput:
        return Filled()
    return filled_of(asked)


def _split(text: str) -> tuple[str, ...]:
    return tuple(sorted(set(filter(None, text[:5_000].split(",")))))
