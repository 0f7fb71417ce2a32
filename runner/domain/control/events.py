"""What each kind of event says: the payloads of every journal.

Trials are named by their index in the plan (from 0) and attempts by their ordinal (from 1); ids follow from the run and these.
A range of trials is `[first_trial, count, first_ordinal, attempts_allowed]`. Never change a field's meaning: stored events are
read for ever; a new field is optional. Which kind carries which payload: runner/domain/control/kinds.py.
"""

import msgspec

from runner.domain.control.account import Account
from runner.domain.control.envelope import Payload
from runner.domain.control.facts import Fact

type TrialRange = tuple[int, int, int, int]


class TakenRequest(msgspec.Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """A request as it was taken, body included."""

    request_id: str
    kind: str
    user_id: str
    org_id: str
    role: str
    body: str
    body_sha256: str


class RequestTaken(Payload, frozen=True):
    """A waiting request was taken into the journal of its subject."""

    request: TakenRequest


class RequestRefused(Payload, frozen=True):
    """A taken request ends without effect."""

    request_id: str
    code: str
    message: str = ""


class ApprovalRequested(Payload, frozen=True):
    """A submit above the threshold waits for a maintainer until `expires_at`."""

    request_id: str
    body_sha256: str
    ceiling_usd_micros: int
    trials: int
    expires_at: str
    requested_by: str = ""
    owner: str = ""
    at_ms: int = 0
    """Store time of the request."""


class Approved(Payload, frozen=True):
    """A maintainer let a waiting submit in."""

    request_id: str
    body_sha256: str
    approver_user_id: str
    is_single: bool = False


class Policy(msgspec.Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """What of the plan's policy the fold needs."""

    max_attempts: int
    hold_hours: int = 24


class Submitted(Payload, frozen=True):
    """The plan is locked and the run may be worked on."""

    plan_digest: str
    lock_sha256: str
    trials: int
    shards: tuple[tuple[int, int, int], ...]
    """[cell_index, first_trial, count], covering every trial once, in plan order."""
    policy: Policy
    requested_by: str
    cells: tuple[str, ...] = ()
    """Cell ids in the order of cell_index."""
    ceiling_usd_micros: int = 0
    owner: str = ""
    """The organisation whose caps the run counts against."""
    at_ms: int = 0
    """Store time of the take."""
    needs_consent: bool = False
    """Nothing is published before its requester says so."""


class CancelRequested(Payload, frozen=True):
    """No reservation follows in log order; `now` ends attempts without grace."""

    request_id: str
    reason: str = ""
    now: bool = False


class RetryRequested(Payload, frozen=True):
    """Trials without a valid result get a new generation of attempts."""

    request_id: str
    trials: tuple[int, ...]
    reason: str = ""


class SealRequested(Payload, frozen=True):
    """Open trials become infrastructure_exhausted by hand."""

    request_id: str
    reason: str


class Draining(Payload, frozen=True):
    """A run (empty `wave_id`) or a wave takes no further work."""

    wave_id: str = ""
    because: str = ""


class Attention(Payload, frozen=True):
    """A person is needed: `code` is on; an empty message clears it."""

    code: str
    message: str = ""


class Finished(Payload, frozen=True):
    """The end of a run: its state, its label and the counts of its trials by state."""

    state: str
    label: str
    counts: dict[str, int]


class Acquired(Payload, frozen=True):
    """A wave is reserved: which tries at which trials it may make."""

    wave_id: str
    number: int
    ranges: tuple[TrialRange, ...]
    assignment_sha256: str
    deployment: str
    route: str = ""
    """The provider or hardware pool whose concurrency the wave counts against."""


class WaveMoved(Payload, frozen=True):
    """A step of a wave that needs no more words: provisioned, ready, cleaning, cleanup_verified, closed."""

    wave_id: str


class WaveStarted(Payload, frozen=True):
    """The wave's worker began its first attempt."""

    wave_id: str
    job: str


class CleanupFailed(Payload, frozen=True):
    """One try at pausing and verifying what a wave owns did not succeed."""

    wave_id: str
    code: str
    message: str = ""


class ActionReserved(Payload, frozen=True):
    """The durable promise to do one side effect, made before it."""

    action_id: str
    verb: str
    target: str
    generation: int
    performer: str
    perform_by_ms: int
    """Store time until which the performer alone may act."""
    ceiling_usd_micros: int = 0
    lease_generation: int = 0
    wave_id: str = ""
    owner: str = ""
    """The user whose daily and monthly caps the ceiling counts against."""


class ActionRetried(Payload, frozen=True):
    """The next try at a reserved action, after the world was read."""

    action_id: str
    try_number: int
    performer: str
    perform_by_ms: int


class ActionClaimed(Payload, frozen=True):
    """A worker won the right to start."""

    action_id: str
    job: str


class ActionObserved(Payload, frozen=True):
    """What reading the world said: applied, refused or absent."""

    action_id: str
    result: str
    detail: str = ""


class ActionClosed(Payload, frozen=True):
    """Nothing more will happen for this action; its slot and its ceiling are free."""

    action_id: str
    because: str = ""


class ProgressSealed(Payload, frozen=True):
    """A worker's facts of one heartbeat are in the log, by digest, and here too."""

    wave_id: str
    k: int
    sha256: str
    count: int
    rejected: tuple[tuple[int, int, str], ...] = ()
    """[trial, ordinal, code] of facts whose bundle did not verify."""
    facts: tuple[Fact, ...] = ()


class PresumedLost(Payload, frozen=True):
    """Started attempts of a lost job, as [trial, ordinal]."""

    wave_id: str
    attempts: tuple[tuple[int, int], ...]


class EvidenceLate(Payload, frozen=True):
    """A valid bundle came after its trial had a result; it is linked and changes nothing."""

    trial: int
    ordinal: int
    bundle_sha256: str


class SpendSettled(Payload, frozen=True):
    """What an ended action cost; an unknown cost settles at its whole ceiling."""

    action_id: str
    settled_usd_micros: int
    is_known: bool = True


class SpendOverrun(Payload, frozen=True):
    """The cost was above the ceiling: the run admits no more."""

    action_id: str
    settled_usd_micros: int
    ceiling_usd_micros: int


class HoldSet(Payload, frozen=True):
    """New billable work is held back, or let go again, in the whole installation."""

    request_id: str
    is_on: bool
    reason: str


class ConsentRequested(Payload, frozen=True):
    """The run has ended and its rows are shown to its requester, who decides until `expires_at`."""

    shown_sha256: str
    """Digest of the document that shows them."""
    publication_id: str
    expires_at: str


class ConsentGiven(Payload, frozen=True):
    """It is decided whether the run's rows are published or kept private."""

    decision: str
    """publish or private."""
    by: str
    """requester, maintainer or time."""
    request_id: str = ""
    user_id: str = ""


class WithdrawRequested(Payload, frozen=True):
    """A published run is to leave the ranking; its line stays listed with the reason."""

    request_id: str
    publication_id: str
    reason: str
    user_id: str
    by: str
    """requester or maintainer."""
    at_ms: int = 0
    """Store time of the request."""


class AccountSettled(Payload, frozen=True):
    """A run's journal closes: what it used of quotas and caps."""

    account: Account


class MalformedRefused(Payload, frozen=True):
    """A waiting request could not be read; its bytes are kept as an object."""

    request_id: str
    object_sha256: str
    code: str
    message: str = ""


class Ended(Payload, frozen=True):
    """The end of a subject that is not a run: a training, release or publication."""

    state: str
    detail: str = ""


class Noted(Payload, frozen=True):
    """A step of a subject that is not a run; `name` is one of that subject's own words, `digests` what it is about."""

    name: str
    digests: tuple[str, ...] = ()
    detail: str = ""


class Unread(Payload, frozen=True):
    """The payload of a kind that this version does not know and may skip."""
