"""The installation's own journal: the hold on new billable work, what ended runs used, and requests that no run's journal takes.

It is one journal of the subject ("installation", "installation"), folded from its beginning. Called by the pass, status, audit.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from runner.domain.control import events
from runner.domain.control.account import Account
from runner.domain.control.chain import Segment
from runner.domain.control.envelope import Event, Subject

INSTALLATION: Final = Subject("installation", "installation")


@dataclass
class Installation:
    """What the installation's journal says; it belongs to the one who folded it."""

    seq: int = 0
    is_held: bool = False
    hold_because: str = ""
    taken: set[str] = field(default_factory=set)
    """Ids of the requests that were taken here, so that a repeated take is seen."""
    refused: set[str] = field(default_factory=set)
    attention: dict[str, str] = field(default_factory=dict)
    accounts: dict[str, Account] = field(default_factory=dict)
    """By run id: what runs used whose journals have closed."""


def fold_installation(segments: Iterable[Segment]) -> Installation:
    """Return the state that the whole journal of the installation gives."""
    state = Installation()
    for segment in segments:
        for event in segment.events:
            if event.seq > state.seq:
                state.seq = event.seq
                take_event(state, event)
    return state


def take_event(state: Installation, event: Event) -> None:
    """Let `state` know what `event` says."""
    match event.payload:
        case events.RequestTaken(request=request):
            state.taken.add(request.request_id)
        case events.HoldSet(is_on=is_on, reason=reason):
            state.is_held, state.hold_because = is_on, reason if is_on else ""
        case events.MalformedRefused(request_id=request_id) | events.RequestRefused(request_id=request_id):
            state.refused.add(request_id)
        case events.AccountSettled(account=account):
            state.accounts[account.run_id] = account
        case events.Attention(code=code, message=message):
            state.attention.pop(code, None)
            if message:
                state.attention[code] = message
        case _:
            return
