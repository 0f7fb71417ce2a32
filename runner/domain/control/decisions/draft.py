"""A draft: the events that a pass is about to commit for one run, each folded into the state as it is written.

So a later decision of the same pass sees the earlier ones, and an illegal event is refused before it can be sent. Event ids are
derived from what the event is about, so the same decision made twice is one event.
"""

from dataclasses import dataclass, field
from typing import Final

from runner.domain.control import events
from runner.domain.control.actions import Promise, reserve
from runner.domain.control.decisions.seen import Situation
from runner.domain.control.envelope import Event, Payload, Subject, derived_event_id
from runner.domain.control.kinds import record
from runner.domain.control.projection.fold import fold_strictly
from runner.domain.control.projection.state import Action, RunProjection
from shared.digests import Json

PRODUCER: Final = "reconciler"
JOB_SUBMIT: Final = "job_submit"
SEAL: Final = "seal"
PUBLISH: Final = "publish"
SHOW: Final = "show"
KEEP_PRIVATE: Final = "keep_private"
WITHDRAW: Final = "withdraw"
PUBLISHING_TARGETS: Final = frozenset({PUBLISH, SHOW, KEEP_PRIVATE, WITHDRAW})
"""What the publishing job may be started for."""


@dataclass(frozen=True, slots=True)
class Submit:
    """A job to start, for an action that the same commit reserves."""

    action_id: str
    target: str


@dataclass(frozen=True, slots=True)
class Cancel:
    """A job to end."""

    job_id: str
    is_killed: bool


@dataclass
class Draft:
    """What is decided for one run so far."""

    state: RunProjection
    situation: Situation
    events: list[Event] = field(default_factory=list)
    cancels: list[Cancel] = field(default_factory=list)
    submits: list[Submit] = field(default_factory=list)
    documents: list[bytes] = field(default_factory=list)
    is_closed: bool = False

    @property
    def subject(self) -> Subject:
        """The run's journal."""
        return Subject("run", self.situation.run_id)

    def say(self, kind: str, payload: Payload, about: Subject, *identity: Json, because: tuple[str, ...] = ()) -> None:
        """Add one event about `about`; `identity` is what makes it this event and no other."""
        event = record(
            kind,
            payload,
            about=about,
            event_id=derived_event_id(kind, self.subject, *identity),
            at_ms=self.situation.now_ms,
            producer=PRODUCER,
            because=because,
        )
        fold_strictly(self.state, event)
        self.events.append(event)

    def reserve_job(self, target: str, *, wave_id: str = "", ceiling_usd_micros: int = 0) -> None:
        """Reserve the start of a job for `target` and remember to perform it."""
        situation = self.situation
        wanted = Promise(JOB_SUBMIT, target, ceiling_usd_micros, self.state.run.requested_by, wave_id)
        reserved = reserve(
            self.subject,
            self.state.run.generations,
            wanted,
            performer=situation.performer,
            now_ms=situation.now_ms,
            perform_s=situation.pace.perform_s,
            lease_generation=situation.generation,
        )
        self.say("action_reserved", reserved, Subject("action", reserved.action_id), reserved.action_id)
        self.submits.append(Submit(reserved.action_id, target))

    def retry_job(self, action: Action) -> None:
        """Commit the next try at starting the job of `action`, after the world was read."""
        situation, number = self.situation, action.tries + 1
        perform_by_ms = situation.now_ms + int(situation.pace.perform_s * 1000)
        payload = events.ActionRetried(
            action_id=action.action_id, try_number=number, performer=situation.performer, perform_by_ms=perform_by_ms
        )
        self.say("action_retried", payload, Subject("action", action.action_id), action.action_id, number)
        self.submits.append(Submit(action.action_id, action.target))

    def end_action(self, action: Action, result: str, detail: str = "") -> None:
        """Record what reading the world said of `action`, and close it."""
        about = Subject("action", action.action_id)
        observed = events.ActionObserved(action_id=action.action_id, result=result, detail=detail)
        self.say("action_observed", observed, about, action.action_id)
        if not action.is_settled:
            # Without a bill, what never started cost nothing, and anything else its whole ceiling.
            is_free = result != "applied"
            cost = 0 if is_free else action.ceiling_usd_micros
            settled = events.SpendSettled(action_id=action.action_id, settled_usd_micros=cost, is_known=is_free)
            self.say("spend_settled", settled, about, action.action_id)
        self.say("action_closed", events.ActionClosed(action_id=action.action_id), about, action.action_id)

    def ask_attention(self, code: str, message: str) -> None:
        """Say once that a person is needed."""
        if self.state.run.attention.get(code) != message:
            payload = events.Attention(code=code, message=message)
            self.say("attention", payload, self.subject, code, message, self.state.run.seq)

    def clear_attention(self, code: str) -> None:
        """Say that a person has acted on `code`; nothing if nobody was asked to."""
        if code in self.state.run.attention:
            self.say("attention", events.Attention(code=code), self.subject, code, "", self.state.run.seq)
