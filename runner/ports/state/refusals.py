"""Refusals that every adapter of the control log raises in the same words; nothing was written when one is raised."""

from runner.domain.control.envelope import Subject
from runner.domain.control.leases import Fence
from runner.ports.state.answers import Version
from shared.digests import Digest
from shared.errors import Refused, StoreFault


def fenced(fence: Fence) -> Refused:
    """Return FENCED: the writer no longer holds what it says."""
    message = f"{fence.scope} is not held under generation {fence.generation}"
    return Refused("FENCED", message, way_out="Stop all effects; acquire the lease again.")


def event_id_reused(event_id: str) -> Refused:
    """Return EVENT_ID_REUSED: one id would stand for two different events."""
    message = f"event {event_id} is in the log with other bytes"
    return Refused("EVENT_ID_REUSED", message, way_out="Read the journal again and decide anew.")


def version_unknown(version: Version) -> StoreFault:
    """Return VERSION_UNKNOWN: a version that this log never had."""
    return StoreFault("VERSION_UNKNOWN", f"version {version} is not in this log's history", way_out="Read the head again.")


def tip_missing(subject: Subject, last: int, tip: int) -> StoreFault:
    """Return JOURNAL_GAP: the newest events of a journal are gone."""
    message = f"journal of {subject.type} {subject.id} ends at seq {last}, but {tip} events were appended"
    return StoreFault("JOURNAL_GAP", message, way_out="The subject is frozen, others go on. Restore the log from a copy.")


def document_altered(digest: Digest) -> StoreFault:
    """Return DOCUMENT_DIGEST: stored bytes are not those that their name says."""
    return StoreFault("DOCUMENT_DIGEST", f"the document {digest} was altered", way_out="Restore the store from a copy.")
