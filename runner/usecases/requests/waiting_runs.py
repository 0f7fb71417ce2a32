"""Runs that are asked for and that no pass has taken: their submits wait in the inbox, and no journal knows them yet.

Read from the requests themselves, so that a run can be listed, looked at and cancelled from the moment its submit was
acknowledged. What cannot be read is left out: a pass refuses it.
"""

from collections.abc import Iterator
from typing import Final

from runner.domain.control.envelope import utc_text
from runner.ports.state.inbox import Inbox, Waiting
from runner.ports.stores.objects import Objects
from runner.usecases.journals.loading import RUN, load_plan
from shared.documents.status import RunStatus
from shared.documents.submission import Submission
from shared.errors import SeawallError
from shared.ids import is_id
from shared.inbox.codec import Request, decode_request
from shared.inbox.ddl import MAX_WAITING

IN_INBOX: Final = "in_inbox"
"""The state of a run that no pass has taken."""
AWAITED: Final = "a pass: `run reconcile --all` takes it from the inbox"


def waiting_requests(inbox: Inbox) -> Iterator[tuple[Waiting, Request]]:
    """Yield the readable requests that wait, oldest first."""
    for waiting in inbox.list(MAX_WAITING).requests:
        try:
            yield waiting, decode_request(waiting.data)
        except SeawallError:
            continue  # No request: a pass refuses it.


def waiting_submits(inbox: Inbox) -> dict[str, tuple[Waiting, Request]]:
    """Return the submits that wait by the run that each asks for, oldest first."""
    found: dict[str, tuple[Waiting, Request]] = {}
    for waiting, request in waiting_requests(inbox):
        subject = request.subject
        if request.kind == "submit" and subject.type == RUN and is_id(subject.id, RUN):
            found.setdefault(subject.id, (waiting, request))
    return found


def status_of_waiting(waiting: Waiting, request: Request, objects: Objects) -> RunStatus:
    """Return what can be said of the run that `request` asks for: as any status, in the state `in_inbox`."""
    experiment, trials = _planned(request, objects)
    return RunStatus(
        run_id=request.subject.id,
        experiment=experiment,
        state=IN_INBOX,
        label="",
        requested_by=request.actor.user_id,
        approval="not_needed",
        planned=trials,
        counts={"planned": trials} if trials else {},
        attention={},
        anomalies=0,
        waves=(),
        actions=(),
        awaits=AWAITED,
        publication_id="",
        trials=(),
        seq=0,
        written_at=utc_text(waiting.put_ms),
    )


def _planned(request: Request, objects: Objects) -> tuple[str, int]:
    """Return experiment and trials of the plan that the submit brings; a choice from an offer is planned by the pass alone."""
    try:
        head = load_plan(objects, Submission.from_bytes(request.body.encode()).lock.plan_digest)
    except SeawallError:
        return "", 0
    return head.experiment, head.arithmetic.trials
