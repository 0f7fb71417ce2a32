"""The installation's own journal: the hold on new billable work, and requests that nobody's journal could take.

It is one journal of the subject ("installation", "installation"), folded from its beginning. Called by the pass, status, audit.
"""

from collections.abc import Iterable
from typing import Final

import msgspec

from runner.domain.control import events
from runner.domain.control.chain import Segment
from runner.domain.control.envelope import Event, Subject

INSTALLATION: Final = Subject("installation", "installation")


class Installation(msgspec.Struct, frozen=True, kw_only=True):
    """What the installation's journal says."""

    seq: int = 0
    is_held: bool = False
    hold_because: str = ""
    taken: frozenset[str] = frozenset()
    """Ids of the requests that were taken here, so that a repeated take is seen."""
    refused: frozenset[str] = frozenset()
    attention: dict[str, str] = {}


def fold_installation(segments: Iterable[Segment]) -> Installation:
    """Return the state that the whole journal of the installation gives."""
    state = Installation()
    for segment in segments:
        for event in segment.events:
            state = _after(state, event)
    return state


def _after(state: Installation, event: Event) -> Installation:
    if event.seq <= state.seq:
        return state
    payload = event.payload
    state = msgspec.structs.replace(state, seq=event.seq)
    if isinstance(payload, events.RequestTaken):
        return msgspec.structs.replace(state, taken=state.taken | {payload.request.request_id})
    if isinstance(payload, events.HoldSet):
        return msgspec.structs.replace(state, is_held=payload.is_on, hold_because=payload.reason if payload.is_on else "")
    if isinstance(payload, (events.MalformedRefused, events.RequestRefused)):
        return msgspec.structs.replace(state, refused=state.refused | {payload.request_id})
    if isinstance(payload, events.Attention):
        attention = {code: text for code, text in state.attention.items() if code != payload.code}
        if payload.message:
            attention[payload.code] = payload.message
        return msgspec.structs.replace(state, attention=attention)
    return state
