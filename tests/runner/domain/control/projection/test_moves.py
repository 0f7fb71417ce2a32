"""Every (state, kind) pair of runs, waves and actions: listed moves are made, all others change nothing and are noted."""

from pathlib import Path

import msgspec

from runner.domain.control import events
from runner.domain.control.envelope import Payload
from runner.domain.control.projection.fold import fold
from runner.domain.control.projection.state import Action, Asked, Run, RunProjection, Wave
from runner.domain.control.projection.trials import Trials
from shared.states import ACTION_MOVES, RUN_MOVES, WAVE_MOVES, ActionState, RunState, WaveState
from tests.builders.goldens import check_golden
from tests.builders.journals import event

GOLDEN = Path("tests/data/golden/moves.txt")
RUN_KINDS: dict[str, Payload] = {
    "submitted": events.Submitted(
        plan_digest="p",
        lock_sha256="l",
        trials=1,
        shards=((0, 0, 1),),
        policy=events.Policy(max_attempts=3),
        requested_by="u",
    ),
    "approval_requested": events.ApprovalRequested(
        request_id="req-1", body_sha256="x", ceiling_usd_micros=1, trials=1, expires_at="2026-01-01T00:00:00.000Z"
    ),
    "request_refused": events.RequestRefused(request_id="req-1", code="NOT_AUTHORISED"),
    "acquired": events.Acquired(wave_id="wave-1", number=1, ranges=((0, 1, 1, 1),), assignment_sha256="a", deployment="d"),
    "cancel_requested": events.CancelRequested(request_id="req-2"),
    "draining": events.Draining(),
    "retry_requested": events.RetryRequested(request_id="req-2", trials=(0,)),
    "seal_requested": events.SealRequested(request_id="req-2", reason="stuck"),
    "finished": events.Finished(state="failed", label="failed", counts={}),
}
WAVE_KINDS: dict[str, Payload] = {
    "provisioned": events.WaveMoved(wave_id="wave-1"),
    "ready": events.WaveMoved(wave_id="wave-1"),
    "started": events.WaveStarted(wave_id="wave-1", job="job-1"),
    "draining": events.Draining(wave_id="wave-1"),
    "cleaning": events.WaveMoved(wave_id="wave-1"),
    "cleanup_failed": events.CleanupFailed(wave_id="wave-1", code="TIMEOUT"),
    "cleanup_verified": events.WaveMoved(wave_id="wave-1"),
    "closed": events.WaveMoved(wave_id="wave-1"),
}
ACTION_KINDS: dict[str, Payload] = {
    "action_retried": events.ActionRetried(action_id="act-1", try_number=2, performer="q", perform_by_ms=9),
    "action_claimed": events.ActionClaimed(action_id="act-1", job="job-1"),
    "action_observed": events.ActionObserved(action_id="act-1", result="applied"),
    "action_closed": events.ActionClosed(action_id="act-1"),
}


def after(run: Run, kind: str, payload: Payload) -> tuple[Run, int]:
    """Return the run after one event, and how many anomalies it made."""
    state = RunProjection(run, Trials(run.trials))
    fold(state, msgspec.structs.replace(event(kind, payload), seq=1))
    return state.run, state.run.anomaly_count


def run_in(state: RunState | None) -> Run:
    """Return a run in `state` that an event of each kind would fit, but for the state."""
    asked = Asked(request_id="req-1", kind="submit", user_id="u", body_sha256="x", seq=1)
    return Run(state=state, trials=1, requests={"req-1": asked}, approval="x", approved_by="m", shards=((0, 0, 1),))


def wave_in(state: WaveState) -> Run:
    """Return a run with one wave in `state`, whose cleanup is verified once it is cleaning."""
    is_verified = state in {WaveState.CLEANING, WaveState.CLEANUP_FAILED}
    wave = Wave(
        wave_id="wave-1",
        number=1,
        state=state,
        ranges=(),
        assignment_sha256="a",
        deployment="d",
        is_cleanup_verified=is_verified,
        cleanup_failures=2,
    )
    return Run(state=RunState.ACTIVE, trials=1, waves={"wave-1": wave})


def action_in(state: ActionState) -> Run:
    """Return a run with one action in `state`."""
    action = Action(
        action_id="act-1",
        verb="job_submit",
        target="wave-1",
        generation=1,
        state=state,
        performer="p",
        perform_by_ms=1,
        reserved_on="2026-01-01",
        ceiling_usd_micros=5,
    )
    return Run(state=RunState.ACTIVE, actions={"act-1": action})


def run_moves() -> list[str]:
    """Return what each kind does to a run in each state."""
    lines = []
    for state in (None, *RunState):
        for kind, payload in RUN_KINDS.items():
            run, anomalies = after(run_in(state), kind, payload)
            lines.append(f"run {state} {kind}: {'-' if anomalies else run.state}")
            is_listed = run.state == state or run.state in RUN_MOVES.get(state, frozenset())
            assert is_listed, lines[-1]
            assert not anomalies or run.state == state
    return lines


def wave_moves() -> list[str]:
    """Return what each kind does to a wave in each state."""
    lines = []
    for state in WaveState:
        for kind, payload in WAVE_KINDS.items():
            run, anomalies = after(wave_in(state), kind, payload)
            found = run.waves["wave-1"].state
            lines.append(f"wave {state} {kind}: {'-' if anomalies else found}")
            assert found == state or found in WAVE_MOVES.get(state, frozenset()), lines[-1]
    return lines


def action_moves() -> list[str]:
    """Return what each kind does to an action in each state."""
    lines = []
    for state in ActionState:
        for kind, payload in ACTION_KINDS.items():
            run, anomalies = after(action_in(state), kind, payload)
            found = run.actions["act-1"].state
            lines.append(f"action {state} {kind}: {'-' if anomalies else found}")
            assert found == state or found in ACTION_MOVES.get(state, frozenset()), lines[-1]
    return lines


def test_every_pair_of_state_and_kind_is_as_listed() -> None:
    """The whole table, as a golden that a person can read; `-` is an anomaly without effect."""
    lines = [*run_moves(), *wave_moves(), *action_moves()]
    check_golden(GOLDEN, "\n".join([*lines, ""]).encode())


def test_terminal_runs_absorb() -> None:
    """No kind moves a run that has ended."""
    ended = [line for line in run_moves() if line.split()[1] in {"completed", "partial", "failed", "cancelled", "refused"}]
    assert all(line.endswith((": -", ": " + line.split()[1])) for line in ended)
