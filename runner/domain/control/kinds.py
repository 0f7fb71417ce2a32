"""The kinds of events, each with its payload, and the one way to make an event.

A journal of a subject that is not a run uses the same requests, actions, attention and spend, and `noted` and `ended` for its
own steps. Kinds are added, never renamed or reused: a stored event is read for ever. `record` makes events for writers; the
table of classes is what a stored segment is decoded with.
"""

from typing import Final, cast

import msgspec

from runner.domain.control import events
from runner.domain.control.envelope import Event, Payload, Subject, utc_text
from shared.versions import EVENT

KINDS: Final[dict[str, type[Payload]]] = {
    "request_taken": events.RequestTaken,
    "request_refused": events.RequestRefused,
    "approval_requested": events.ApprovalRequested,
    "approved": events.Approved,
    "submitted": events.Submitted,
    "cancel_requested": events.CancelRequested,
    "retry_requested": events.RetryRequested,
    "seal_requested": events.SealRequested,
    "draining": events.Draining,
    "attention": events.Attention,
    "finished": events.Finished,
    "acquired": events.Acquired,
    "provisioned": events.WaveMoved,
    "ready": events.WaveMoved,
    "started": events.WaveStarted,
    "cleaning": events.WaveMoved,
    "cleanup_failed": events.CleanupFailed,
    "cleanup_verified": events.WaveMoved,
    "closed": events.WaveMoved,
    "action_reserved": events.ActionReserved,
    "action_retried": events.ActionRetried,
    "action_claimed": events.ActionClaimed,
    "action_observed": events.ActionObserved,
    "action_closed": events.ActionClosed,
    "progress_sealed": events.ProgressSealed,
    "presumed_lost": events.PresumedLost,
    "evidence_late": events.EvidenceLate,
    "spend_settled": events.SpendSettled,
    "spend_overrun": events.SpendOverrun,
    "hold_set": events.HoldSet,
    "malformed_refused": events.MalformedRefused,
    "consent_requested": events.ConsentRequested,
    "consent_given": events.ConsentGiven,
    "withdraw_requested": events.WithdrawRequested,
    "account_settled": events.AccountSettled,
    "ended": events.Ended,
    "noted": events.Noted,
}
CARRIERS: Final = frozenset({"request_taken", "submitted", "acquired", "progress_sealed", "presumed_lost", "retry_requested"})


def record(
    kind: str,
    payload: Payload,
    *,
    about: Subject,
    event_id: str,
    at_ms: int,
    producer: str,
    because: tuple[str, ...] = (),
    must_understand: bool = True,
) -> Event:
    """Return the event of `kind` about the entity `about`, observed at `at_ms`; its seq comes from the log."""
    if KINDS[kind] is not type(payload):
        raise TypeError(f"{kind} carries {KINDS[kind].__name__}, not {type(payload).__name__}")
    return EVENTS[kind](
        schema_version=EVENT,
        event_id=event_id,
        subject_type=about.type,
        subject_id=about.id,
        observed_at=utc_text(at_ms),
        producer=producer,
        must_understand=must_understand,
        because=because,
        payload=payload,
    )


def _event_class(kind: str, payload: type[Payload]) -> type[Event]:
    made = msgspec.defstruct(
        "".join(word.title() for word in kind.split("_")) + "Event",
        [("payload", payload)],
        bases=(Event,),
        namespace={"kind": kind, "__doc__": f"The event `{kind}`."},
        module=__name__,
        tag_field="kind",
        tag=kind,
        frozen=True,
        gc=False,
        omit_defaults=True,
        kw_only=True,
    )
    return cast("type[Event]", made)


EVENTS: Final[dict[str, type[Event]]] = {kind: _event_class(kind, payload) for kind, payload in KINDS.items()}
UnreadEvent: Final[type[Event]] = _event_class("unread", events.Unread)
