"""Requests as the form writes them: an offer, people with their organisations, and what each of them asks for."""

from typing import Any

from runner.usecases.control.pass_world import Rules
from runner.usecases.journals.loading import run_subject
from runner.usecases.requests.make_offer import OfferWorld, Titled, make_offer
from runner.usecases.runs.submit_run import put_request, request_body
from shared.documents.reviewed.limits import Limits, local_limits
from shared.documents.reviewed.offer import Offer
from shared.documents.reviewed.prices import PriceDocument
from shared.documents.run_request import RunRequest
from shared.documents.status import RunStatus
from shared.ids import RequestId, RunId
from shared.inbox.codec import Actor, Request, RequestSubject
from shared.inbox.rights import Access, Submitters
from shared.planning.requested import Choice, plan_requested
from tests.builders.experiments import Tree, encode
from tests.builders.houses import PRICES, Place, starter_tree, write_source

ALICE = Actor("alice", "org-members", "read")
BOB = Actor("bob", "org-members", "contributor")
MIA = Actor("mia", "org-maintainers", "write")
MAX = Actor("max", "org-maintainers", "admin")
READER = Actor("rea", "org-maintainers", "read")
STRANGER = Actor("sam", "org-elsewhere", "admin")
NOBODY = Actor("", "org-members", "read")
PEOPLE = {"alice": ALICE, "bob": BOB, "mia": MIA, "max": MAX, "rea": READER, "sam": STRANGER, "nobody": NOBODY}
TEN_DOLLARS = 10_000_000
QUOTAS = [
    ({"open_requests_user": 1}, "request.user_open"),
    ({"open_requests_owner": 1}, "request.org_open"),
    ({"requests_day_user": 1}, "request.user_rate"),
    ({"requests_day_owner": 1}, "request.org_rate"),
    ({"request_trials": 3}, "request.too_large"),
    ({"request_cells": 1}, "request.too_large"),
    ({"request_bytes": 100}, "request.too_large"),
    ({"day_user_usd_micros": 15_000_000}, "request.user_cap"),
    ({"day_owner_usd_micros": 15_000_000}, "request.org_cap"),
    ({"month_user_usd_micros": 15_000_000}, "request.user_month"),
    ({"month_owner_usd_micros": 15_000_000}, "request.org_month"),
]
"""Each bound alone, and the code of what goes beyond it: the second run of ten dollars, or for a size the first one already."""
TOO_LARGE = "request.too_large"


def rules(submitters: Submitters = Submitters.MEMBERS, limits: Limits | None = None, **changes: Any) -> Rules:
    """Return rules under which alice and bob are members, mia and max maintainers, and sam is nobody's."""
    access = Access(submitters, frozenset({"org-members"}), frozenset({"org-maintainers", "local"}))
    return Rules((limits or local_limits()).model_copy(update=changes), access)


def member_limits(**changes: Any) -> Limits:
    """Return limits whose class `member` has other bounds."""
    limits = local_limits()
    return limits.model_copy(update={"member": limits.member.model_copy(update=changes)})


def offered(place: Place, tree: Tree | None = None, name: str = "starter", prices: PriceDocument = PRICES) -> Offer:
    """Make an offer of `tree` at `prices`."""
    manifest = encode(tree or starter_tree())
    house = place.house
    world = OfferWorld(house.log, house.status, house.sources, prices, place.clock, house.chance, "mia")
    beside = write_source(place.folder / "source")
    return make_offer(place.plan(tree, prices), manifest, beside, Titled(name, "The starter tasks"), world)


def run_request(offer: Offer, *, agents: tuple[str, ...] = ("nop", "oracle"), ceiling: int = 0) -> RunRequest:
    """Return what a form sends for these agents."""
    made = plan_requested(offer, Choice(("none",), agents, ceiling))
    return RunRequest(
        offer=offer.name,
        offer_sha256=offer.digest,
        models=("none",),
        agents=agents,
        max_spend_usd_micros=ceiling,
        plan_digest=made.plan.digest,
    )


def ask_run(place: Place, actor: Actor, asked: RunRequest, number: int = 1) -> RunId:
    """Put the submit into the inbox and return the run's id."""
    run_id = RunId(f"run-{number:032x}")
    put(place, "submit", actor, run_id, asked.to_bytes().decode(), number=number)
    return run_id


def put(place: Place, kind: str, actor: Actor, run_id: str, body: str = "", *, number: int = 0) -> RequestId:
    """Put one request about a run into the inbox and return its id."""
    request_id = RequestId(f"req-{number:032x}") if number else RequestId(f"req-{place.house.chance.uuid7().hex}")
    put_request(place.house.inbox, Request(request_id, kind, actor, RequestSubject("run", run_id), body))
    return request_id


def ask(place: Place, kind: str, actor: Actor, run_id: str, **body: Any) -> RequestId:
    """Put one request with a small body into the inbox and return its id."""
    return put(place, kind, actor, run_id, request_body(**body))


def status_of(place: Place, run_id: RunId) -> RunStatus:
    """Return the run's stored status."""
    found = place.house.status.read(run_subject(run_id))
    assert found is not None
    return RunStatus.from_bytes(found.data)


def refusals(place: Place, run_id: RunId) -> list[str]:
    """Return the codes of the run's refused requests, oldest first."""
    return [asked.refused for asked in place.state(run_id).run.requests.values() if asked.refused]
