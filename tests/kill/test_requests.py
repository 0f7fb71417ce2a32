"""A member's request, carried by real processes that are killed at each step: none lost, none taken twice, none public early."""

import shutil
import signal
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from runner.domain.control.envelope import Subject
from runner.domain.control.events import RequestTaken
from runner.usecases.requests.make_offer import AFTER_OFFER, BEFORE_OFFER
from runner.usecases.results.audit_tables import audit_tables
from runner.usecases.results.published_tables import read_catalog
from runner.usecases.runs.submit_run import put_request, request_body
from shared.documents.reviewed.offer import Offer
from shared.documents.status import RunStatus
from shared.ids import RequestId, RunId
from shared.inbox.codec import Actor, Request, RequestSubject
from shared.inbox.offers import OFFER
from tests.builders.requests import run_request
from tests.kill.support.installation import Installation, write_experiment

pytestmark = pytest.mark.kill
ALICE: Final = Actor("alice", "org-members", "read")
RUN: Final = RunId("run-" + "0" * 31 + "1")
MEMBERS: Final = {"SEAWALL_MEMBER_ORG_IDS": "org-members"}
OFFERING: Final = (BEFORE_OFFER, AFTER_OFFER)
REFUSING: Final = "pass.before_refusals"
RECORDING: Final = ("publishing/publish.before_record:1", "publishing/publish.after_record:1")
TAKING: Final = (
    "cli/control.before_commit:1",
    "cli/control.after_commit:1",
    "cli/pass.before_remove:1",
    "cli/pass.after_status:1",
)
DECIDING: Final = (*TAKING, "publishing/job.after_claim:1", "publishing/results.before_revision:1", *RECORDING)


@pytest.fixture(scope="session")
def offering(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder whose installation offers two tasks and has a request of alice's in its inbox."""
    folder = tmp_path_factory.mktemp("offering")
    installation = Installation(folder, **MEMBERS)
    manifest = write_experiment(folder / "experiment")
    assert installation.call("request", "offer", str(manifest)) == 0
    ask(installation, "submit", 1, run_request(offer_of(installation)).to_bytes().decode())
    return folder


@pytest.fixture(scope="session")
def ended(offering: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder whose run has ended and waits for alice."""
    installation = copy(offering, tmp_path_factory.mktemp("ended"))
    assert finish(installation) == 3
    assert status_of(installation).request_state == "waiting_consent"
    return installation.folder


def copy(template: Path, folder: Path) -> Installation:
    """Return a copy of an installation, its trial host scripted."""
    shutil.copytree(template / "home", folder / "home")
    return Installation(folder, **MEMBERS).use_double()


def offer_of(installation: Installation) -> Offer:
    """Return the offer as the Space reads it."""
    found = installation.house.status.read(Subject(OFFER, "starter"))
    assert found is not None
    return Offer.from_bytes(found.data)


def ask(installation: Installation, kind: str, number: int, body: str) -> None:
    """Put one of alice's requests into the inbox."""
    request = Request(RequestId(f"req-{number:032x}"), kind, ALICE, RequestSubject("run", RUN), body)
    put_request(installation.house.inbox, request)


def decide(installation: Installation, decision: str) -> None:
    """Let alice decide about what she was shown."""
    consent = status_of(installation).consent
    assert consent is not None
    ask(installation, "consent", 2, request_body(decision=decision, shown_sha256=consent.shown_sha256))


def finish(installation: Installation, **extra: str) -> int:
    """Reconcile until only a person moves on."""
    return installation.finish(**extra)


def status_of(installation: Installation) -> RunStatus:
    """Return the run's status."""
    found = installation.house.status.read(Subject("run", RUN))
    assert found is not None
    return RunStatus.from_bytes(found.data)


def records(installation: Installation) -> list[dict[str, Any]]:
    """Return the catalog's records."""
    store = installation.house.results
    head = store.head("local/catalog")
    return list(read_catalog(store, "local/catalog", head)) if head else []


def killed(installation: Installation, fault: str) -> None:
    """Let a watch meet `fault`; the watch goes on, or another one does."""
    once = installation.folder / "died"
    code = finish(installation, SEAWALL_FAULT=f"{fault}:{once}")
    assert once.exists(), f"{fault} was never reached"
    if fault.startswith("cli/"):
        assert code == -signal.SIGKILL
        finish(installation)


def require_taken_once(installation: Installation, requests: int) -> None:
    """Require that each request stands in the journal once and none waits, and that everything published holds."""
    taken = [event for event in installation.events() if isinstance(event.payload, RequestTaken)]
    assert (len(taken), installation.house.inbox.list(1).waiting) == (requests, 0)
    assert installation.state().run.anomaly_count == 0
    store = installation.house.results
    datasets = [name for name in store.names() if store.kind(name) == "results"]
    if store.head("local/catalog") is not None:
        assert not audit_tables(store, datasets, "local/catalog").findings


@pytest.mark.parametrize("fault", [TAKING[0], TAKING[2], *(pytest.param(TAKING[at], marks=pytest.mark.long) for at in (1, 3))])
def test_a_request_is_taken_once_whatever_is_killed(tmp_path: Path, offering: Path, fault: str) -> None:
    """And nothing of its run is public while its requester has not agreed."""
    installation = copy(offering, tmp_path)
    killed(installation, fault)
    require_taken_once(installation, 1)
    assert (status_of(installation).request_state, records(installation)) == ("waiting_consent", [])


@pytest.mark.long
@pytest.mark.parametrize("fault", ["publishing/job.before_claim:1", "publishing/job.after_claim:1"])
def test_what_is_shown_is_put_together_again(tmp_path: Path, offering: Path, fault: str) -> None:
    """A job that died before it showed anything is followed by one that does."""
    installation = copy(offering, tmp_path)
    killed(installation, fault)
    assert status_of(installation).request_state == "waiting_consent"
    assert installation.house.status.read(Subject("shown", RUN)) is not None


@pytest.mark.parametrize(
    "fault", [RECORDING[0], *(pytest.param(each, marks=pytest.mark.long) for each in DECIDING if each != RECORDING[0])]
)
def test_a_run_kept_private_is_recorded_once(tmp_path: Path, ended: Path, fault: str) -> None:
    """One record a cell, and no row."""
    installation = copy(ended, tmp_path)
    decide(installation, "private")
    killed(installation, fault)
    require_taken_once(installation, 2)
    assert status_of(installation).request_state == "kept_private"
    assert [row["record"] for row in records(installation)] == ["private"] * 2
    assert installation.house.results.head("local/starter") is None


@pytest.mark.long
@pytest.mark.parametrize("fault", [*TAKING, "publishing/publish.before_rows:1", "publishing/publish.after_rows:1"])
def test_a_consent_publishes_once(tmp_path: Path, ended: Path, fault: str) -> None:
    """Exactly what was shown."""
    installation = copy(ended, tmp_path)
    shown = status_of(installation).consent
    assert shown is not None
    decide(installation, "publish")
    killed(installation, fault)
    require_taken_once(installation, 2)
    assert (status_of(installation).publication_id, len(records(installation))) == (shown.publication_id, 2)


@pytest.mark.long
@pytest.mark.parametrize("fault", DECIDING)
def test_a_withdrawal_is_recorded_once(tmp_path: Path, ended: Path, fault: str) -> None:
    """A journal that had closed is opened again, and closes."""
    installation = copy(ended, tmp_path)
    decide(installation, "publish")
    assert finish(installation) == 0
    publication = status_of(installation).publication_id
    ask(installation, "withdraw", 3, request_body(publication_id=publication, reason="a wrong model"))
    killed(installation, fault)
    require_taken_once(installation, 3)
    assert status_of(installation).request_state == "withdrawn"
    assert sorted(row["record"] for row in records(installation)) == ["published"] * 2 + ["withdrawn"] * 2
    assert Subject("run", RUN) not in installation.house.log.head().open


@pytest.mark.long
@pytest.mark.parametrize("point", OFFERING)
def test_an_offer_that_was_killed_is_made_again(tmp_path: Path, point: str) -> None:
    """Before the log names it there is none; after it the next pass shows it."""
    installation = Installation(tmp_path, **MEMBERS)
    offer = ("request", "offer", str(write_experiment(tmp_path / "experiment")))
    assert installation.call(*offer, SEAWALL_FAULT=f"cli/{point}:1") == -signal.SIGKILL
    assert (f"{OFFER}/starter" in installation.house.log.head().pointers) is (point == AFTER_OFFER)
    if point == BEFORE_OFFER:
        assert installation.call(*offer) == 0
    assert installation.call("run", "reconcile", "--all") == 0
    assert offer_of(installation).name == "starter"


@pytest.mark.long
def test_a_refusal_that_was_not_recorded_is_met_again(tmp_path: Path, offering: Path) -> None:
    """The reservation stands; the next pass starts the job for real."""
    installation = copy(offering, tmp_path)
    process = installation.spawn([sys.executable, "-m", "tests.kill.support.refused_pass", REFUSING])
    assert process.wait(60) == -signal.SIGKILL
    assert finish(installation) == 3
    require_taken_once(installation, 1)
    assert status_of(installation).request_state == "waiting_consent"
