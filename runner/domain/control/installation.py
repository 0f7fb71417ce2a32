"""The installation's own journal: the hold on new billable work, what ended runs used, and requests that no run's journal takes.

It is one journal of the subject ("installation", "installation"). Its savepoint, a shortcut like a run's, is its state as bytes,
with the chain of the journal there and the rules that made it. Called by the pass.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from typing import Final, NamedTuple

import msgspec

from runner.domain.control import events
from runner.domain.control.account import Account
from runner.domain.control.chain import Segment
from runner.domain.control.envelope import Event, Subject
from runner.domain.control.kinds import KINDS
from shared.digests import digest_of

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


def fold_installation(segments: Iterable[Segment], state: Installation | None = None) -> Installation:
    """Return the state that the whole journal of the installation gives, or what follows `state`, which is changed."""
    state = state or Installation()
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


RULES: Final = 1
"""Raise it with every change of a rule that gives another state for the same events."""
REDUCER: Final = digest_of(
    {
        "rules": RULES,
        "kinds": {kind: list(payload.__struct_fields__) for kind, payload in KINDS.items()},
        "installation": [each.name for each in fields(Installation)],
        "account": list(Account.__struct_fields__),
    }
)


class InstallationSavepoint(msgspec.Struct, frozen=True, kw_only=True):
    """What the bytes of a savepoint say."""

    chain: str
    reducer: str
    state: Installation


class RestoredInstallation(NamedTuple):
    """The state at the place in its journal where the fold goes on."""

    state: Installation
    chain: str


_encode: Final = msgspec.json.Encoder(order="deterministic").encode
_decode: Final = msgspec.json.Decoder(InstallationSavepoint).decode


def make_installation_savepoint(state: Installation, chain: str) -> bytes:
    """Return the savepoint of `state`, whose journal's chain is `chain`."""
    return _encode(InstallationSavepoint(chain=chain, reducer=REDUCER, state=state))


def restore_installation(data: bytes | None) -> RestoredInstallation | None:
    """Return what the savepoint `data` says, or None if there is none that can be used."""
    if data is None:
        return None
    try:
        found = _decode(data)
    except msgspec.MsgspecError:
        return None
    return RestoredInstallation(found.state, found.chain) if found.reducer == REDUCER else None
