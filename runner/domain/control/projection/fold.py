"""The fold of a run's journal: event by event, in the order of seq, total and linear.

`fold` never raises for what an event says: an event that the tables do not allow is noted as an anomaly and has no other effect,
an event that was folded before is skipped. A writer that is about to append asks `fold_strictly`, which refuses instead. The
state passed in is given up: it is changed in place and returned. Called by the pass, workers, status and audit.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

import msgspec

from runner.domain.control.chain import Segment
from runner.domain.control.envelope import Event, Payload
from runner.domain.control.kinds import EVENTS, UnreadEvent
from runner.domain.control.projection import action_rules, run_rules, trial_rules, wave_rules
from runner.domain.control.projection.state import RunProjection
from shared.errors import Refused

type Rule = Callable[[RunProjection, Any, Event], None]


def fold(state: RunProjection, event: Event) -> RunProjection:
    """Return `state` after `event`."""
    run = state.run
    if event.seq <= run.seq:
        return state
    run.seq = event.seq
    _RULES.get(type(event), _without_rule)(state, event.payload, event)
    return state


def fold_segments(state: RunProjection, segments: Iterable[Segment]) -> RunProjection:
    """Return `state` after all events of `segments`: `fold` over each, written out for speed."""
    run, rule_of = state.run, _RULES.get
    for segment in segments:
        seq = run.seq
        for event in segment.events:
            if event.seq <= seq:
                continue
            run.seq = seq = event.seq
            rule = rule_of(type(event), _without_rule)
            rule(state, event.payload, event)
    return state


def fold_strictly(state: RunProjection, event: Event) -> RunProjection:
    """Return `state` after `event`, as the next of its journal; raise ILLEGAL_TRANSITION if the tables do not allow it."""
    run = state.run
    seq, anomalies, count = run.seq, run.anomalies, run.anomaly_count
    fold(state, msgspec.structs.replace(event, seq=seq + 1))
    if run.anomaly_count == count:
        return state
    message = run.anomalies[-1].message if len(run.anomalies) > len(anomalies) else "the tables do not allow it"
    run.seq, run.anomalies, run.anomaly_count = seq, anomalies, count
    raise Refused("ILLEGAL_TRANSITION", f"{event.kind}: {message}", way_out="Read the journal again and decide anew.")


def _without_rule(state: RunProjection, _payload: Payload, event: Event) -> None:
    if isinstance(event, UnreadEvent):
        state.run.skipped += 1
    else:
        state.note(event.kind, "this kind does not stand in a run's journal")


_RULES_BY_KIND: Final[dict[str, Rule]] = {
    "request_taken": run_rules.request_taken,
    "request_refused": run_rules.request_refused,
    "approval_requested": run_rules.approval_requested,
    "approved": run_rules.approved,
    "submitted": run_rules.submitted,
    "cancel_requested": run_rules.cancel_requested,
    "retry_requested": run_rules.retry_requested,
    "seal_requested": run_rules.seal_requested,
    "draining": wave_rules.draining,
    "attention": run_rules.attention,
    "finished": run_rules.finished,
    "acquired": wave_rules.acquired,
    "provisioned": wave_rules.moved,
    "ready": wave_rules.moved,
    "started": wave_rules.started,
    "cleaning": wave_rules.moved,
    "cleanup_failed": wave_rules.cleanup_failed,
    "cleanup_verified": wave_rules.cleanup_verified,
    "closed": wave_rules.closed,
    "action_reserved": action_rules.reserved,
    "action_retried": action_rules.retried,
    "action_claimed": action_rules.claimed,
    "action_observed": action_rules.observed,
    "action_closed": action_rules.closed,
    "progress_sealed": trial_rules.progress_sealed,
    "presumed_lost": trial_rules.presumed_lost,
    "evidence_late": trial_rules.evidence_late,
    "spend_settled": action_rules.spend_settled,
    "spend_overrun": action_rules.spend_overrun,
    "consent_requested": run_rules.consent_requested,
    "consent_given": run_rules.consent_given,
    "withdraw_requested": run_rules.withdraw_requested,
}
_RULES: Final = {EVENTS[kind]: rule for kind, rule in _RULES_BY_KIND.items()}
