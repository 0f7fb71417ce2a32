"""Refusing what cannot be read: bytes that are no request become an object and an entry of the installation's journal."""

from collections.abc import Sequence

from runner.domain.control import events
from runner.domain.control.envelope import Subject, derived_event_id
from runner.domain.control.installation import INSTALLATION
from runner.domain.control.kinds import record
from runner.ports.state.batch import Batch, make_batch
from runner.ports.state.clock import Chance, Clock
from runner.ports.state.control_log import ControlLog, Head
from runner.ports.state.inbox import Listing
from runner.ports.stores.objects import Objects
from runner.usecases.journals.commits import commit_decision
from shared.digests import sha256
from shared.errors import BadInput


def refuse_malformed(
    malformed: Sequence[tuple[str, BadInput]],
    listing: Listing,
    *,
    log: ControlLog,
    objects: Objects,
    clock: Clock,
    chance: Chance,
) -> int:
    """Keep the bytes of each unreadable request and say why it was refused; return how many there were."""
    if not malformed:
        return 0
    data = {waiting.request_id: waiting.data for waiting in listing.requests}
    found = []
    for request_id, error in malformed:
        objects.put(data[request_id])
        payload = events.MalformedRefused(
            request_id=request_id[:64], object_sha256=sha256(data[request_id]), code=error.code, message=error.message[:300]
        )
        event_id = derived_event_id("malformed_refused", INSTALLATION, request_id, payload.object_sha256)
        found.append((payload, event_id))

    def decide(head: Head) -> Batch:
        # A pass may have died between saying so and removing the request: what was said is not said again.
        known = {event.event_id for segment in log.read(INSTALLATION, 0, head.version) for event in segment.events}
        made = [
            record(
                "malformed_refused",
                payload,
                about=Subject("request", payload.request_id),
                event_id=event_id,
                at_ms=head.now_ms,
                producer="reconciler",
            )
            for payload, event_id in found
            if event_id not in known
        ]
        return make_batch({INSTALLATION: made}, parent=head.version, nonce=chance.uuid7().hex)

    commit_decision(log, decide, clock=clock, chance=chance)
    return len(malformed)
