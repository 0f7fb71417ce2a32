"""Writing the status of a run: a document that counts to the plan, lists failures first and says what is awaited."""

from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

from runner.domain.control.decisions.draft import KEEP_PRIVATE, SHOW, WITHDRAW
from runner.domain.control.decisions.publicity import PUBLISHED_LABELS
from runner.domain.control.envelope import utc_text
from runner.domain.control.projection.run_rules import PRIVATE
from runner.domain.control.projection.state import Run, RunProjection
from runner.domain.control.projection.trials import TRIAL_CODE, Trial
from runner.evidence.redaction import Redactor
from runner.usecases.control.presume_run import UNREADABLE
from shared.documents.plan import PlanHead
from shared.documents.status import (
    MAX_REFUSAL_LINES,
    MAX_TRIAL_LINES,
    ActionLine,
    ApprovalLine,
    CellLine,
    ConsentLine,
    RefusalLine,
    RunStatus,
    TrialLine,
    WaveLine,
)
from shared.ids import RunId, attempt_id, cell_id, trial_id
from shared.outcomes import Label
from shared.planning.sharding import PlannedTrial, trial_at
from shared.states import RUN_TERMINAL, RunState, TrialState

SETTLED: Final = "nothing"
"""What a run awaits that has ended."""
_ENDED_FOR_A_PERSON: Final = frozenset({"publish_failed", "waves_lost"})
"""Attention of a run that ended short of what it was for."""
_HELD_FOR_A_PERSON: Final = {
    "HOLD": "`control hold off` lets it go on",
    "CAP_": "other limits or time let it go on",
    UNREADABLE: "the journal of another run cannot be read, and nothing says what it uses: restore the log from a copy",
}
"""What holds a run back and does not pass with the end of other work, by how its name begins, and what lets it go on."""
_PUBLICITY: Final = {
    SHOW: "what its requester is shown",
    KEEP_PRIVATE: "the record that it is kept private",
    WITHDRAW: "its withdrawal",
}
_AWAITED: Final = {
    RunState.WAITING_APPROVAL: "a maintainer's approval until {until}",
    RunState.CANCEL_REQUESTED: "the end of what is under way",
    RunState.DRAINING: "the seal of its evidence",
}
_FIRST = (TrialState.EXHAUSTED, TrialState.BENCHMARK_FAILED, TrialState.INFRASTRUCTURE_EXHAUSTED, TrialState.AGENT_FAILED)
_TRIED_AGAIN: Final = frozenset({TrialState.RETRY_WAIT, TrialState.QUEUED, TrialState.ACTIVE})
_THEN = (TrialState.RETRY_WAIT, TrialState.ACTIVE, TrialState.CANCELLED, TrialState.SCORED, TrialState.QUEUED, TrialState.PLANNED)


class Around(NamedTuple):
    """What a status says beside what the journal tells."""

    publication_id: str = ""
    held_by: str = ""
    is_withdrawn: bool = False


def run_status(run_id: str, state: RunProjection, head: PlanHead | None, now_ms: int, around: Around | None = None) -> RunStatus:
    """Return the status of the run as its projection tells it; `head` is None while no plan is locked."""
    run, around = state.run, around or Around()
    trials, cells = _lines(run_id, state, head) if head else ([], {})
    return RunStatus(
        run_id=run_id,
        experiment=head.experiment if head else "",
        state=run.state.value if run.state else "unknown",
        label=run.label,
        requested_by=run.requested_by or _asker(run),
        owner=run.owner,
        request_state=request_state(state, around),
        waiting_approval=_waiting_approval(state),
        consent=_consent(state),
        withdrawn_because=run.withdrawal.reason if run.withdrawal else "",
        cancelled_because=run.cancel_because,
        ceiling_usd_micros=run.ceiling_usd_micros,
        reserved_usd_micros=state.open_ceilings_usd_micros(),
        settled_usd_micros=state.settled_usd_micros(),
        approval="single" if run.is_single_approval else "other" if run.approved_by else "not_needed",
        planned=run.trials,
        counts={each.value: count for each, count in state.trials.counts().items() if count},
        failures={category.value: count for category, count in state.trials.failures().items()},
        attention=dict(sorted(run.attention.items())),
        anomalies=run.anomaly_count,
        waves=tuple(
            WaveLine(number=wave.number, state=wave.state.value, because=wave.because, segments=wave.segments)
            for wave in sorted(run.waves.values(), key=lambda wave: wave.number)
        ),
        actions=tuple(
            ActionLine(action_id=each.action_id, target=each.target, state=each.state.value, tries=each.tries)
            for each in state.open_actions()
        ),
        awaits=_awaits(state, around.held_by),
        held_by=around.held_by,
        publication_id=around.publication_id,
        refusals=_refusals(state),
        cells=tuple(cells.values()),
        trials=tuple(trials),
        seq=run.seq,
        written_at=utc_text(now_ms),
    )


def without_secrets(status: RunStatus, redactor: Redactor) -> RunStatus:
    """Return `status` with every secret taken out of what people gave as a reason and what errors said."""
    redact = redactor.redact_text
    return status.model_copy(
        update={
            "attention": {code: redact(message) for code, message in status.attention.items()},
            "refusals": tuple(each.model_copy(update={"message": redact(each.message)}) for each in status.refusals),
            "waves": tuple(each.model_copy(update={"because": redact(each.because)}) for each in status.waves),
            "withdrawn_because": redact(status.withdrawn_because),
            "cancelled_because": redact(status.cancelled_because),
        }
    )


def person_needed(state: RunProjection, held_by: str = "") -> str:
    """Return what a person is asked for before anything more happens to the run, or nothing while something else may."""
    run = state.run
    if state.open_actions() or state.open_waves() or run.label == Label.CANCELLED:
        return ""
    asked = next((what for begin, what in _HELD_FOR_A_PERSON.items() if held_by.startswith(begin)), "")
    if asked:
        return f"{held_by}: {asked}"
    if run.state is RunState.WAITING_APPROVAL:
        return f"approval: a maintainer has until {run.approval_expires_at}"
    if waits_for_consent(run):
        return f"consent: its requester has until {run.consent_expires_at}"
    codes = _ENDED_FOR_A_PERSON if run.state in RUN_TERMINAL else run.attention.keys()
    return "; ".join(f"{code}: {run.attention[code]}" for code in sorted(codes & run.attention.keys()))


def waits_for_consent(run: Run) -> bool:
    """Tell whether the requester has been shown what would be published and has not decided."""
    return bool(run.shown_sha256) and not run.consent


def request_state(state: RunProjection, around: Around) -> str:
    """Return where the request of the run is, in the words of its requester's page."""
    run = state.run
    if run.state in {RunState.WAITING_APPROVAL, RunState.REFUSED}:
        return run.state.value
    if run.state not in RUN_TERMINAL:
        return "taken" if run.state is not None else "refused"
    if run.label not in PUBLISHED_LABELS:
        return "ended"
    if waits_for_consent(run):
        return "waiting_consent"
    if run.consent == PRIVATE:
        return "kept_private"
    return "taken" if not around.publication_id else "withdrawn" if around.is_withdrawn else "published"


def _asker(run: Run) -> str:
    """Return who asked for a run that was refused at once, so that the reason reaches its requester."""
    return next((asked.user_id for asked in run.requests.values() if asked.kind == "submit"), "")


def _waiting_approval(state: RunProjection) -> ApprovalLine | None:
    run = state.run
    if run.state is not RunState.WAITING_APPROVAL:
        return None
    waiting = (
        asked.request_id for asked in run.requests.values() if asked.kind == "submit" and asked.body_sha256 == run.approval
    )
    return ApprovalLine(
        request_id=next(waiting, ""),
        body_sha256=run.approval,
        expires_at=run.approval_expires_at,
        ceiling_usd_micros=run.ceiling_usd_micros,
    )


def _consent(state: RunProjection) -> ConsentLine | None:
    run = state.run
    if not run.needs_consent or run.state not in RUN_TERMINAL or run.label not in PUBLISHED_LABELS:
        return None
    return ConsentLine(
        shown_sha256=run.shown_sha256,
        publication_id=run.shown_publication,
        expires_at=run.consent_expires_at,
        decision=run.consent,
        by=run.consent_by,
    )


def _refusals(state: RunProjection) -> tuple[RefusalLine, ...]:
    refused = [asked for asked in state.run.requests.values() if asked.refused]
    return tuple(
        RefusalLine(request=asked.request_id, code=asked.refused, message=asked.message)
        for asked in sorted(refused, key=lambda asked: -asked.seq)[:MAX_REFUSAL_LINES]
    )


def _awaits(state: RunProjection, held_by: str) -> str:
    run = state.run
    if run.attention and run.state not in RUN_TERMINAL:
        return f"a person: {', '.join(sorted(run.attention))}"
    if run.state is None:
        return SETTLED  # Only refused requests stand in its journal.
    if run.state in RUN_TERMINAL:
        return _awaits_after_its_end(state)
    if run.state in _AWAITED:
        return _AWAITED[run.state].format(until=run.approval_expires_at)
    waves = ", ".join(f"wave {wave.number} ({wave.state.value})" for wave in state.open_waves())
    return waves or (f"room for its next wave ({held_by})" if held_by else "its next wave")


def _awaits_after_its_end(state: RunProjection) -> str:
    if waits_for_consent(state.run):
        return f"its requester's consent until {state.run.consent_expires_at}"
    opened = state.open_actions()
    return _PUBLICITY.get(opened[0].target, "its publication") if opened else SETTLED


def _lines(run_id: str, state: RunProjection, head: PlanHead) -> tuple[list[TrialLine], dict[str, CellLine]]:
    in_order = (index for wanted in (*_FIRST, *_THEN) for index in _in_state(state, wanted))
    lines: list[TrialLine] = []
    cells: dict[str, CellLine] = {}
    for index in islice(in_order, MAX_TRIAL_LINES):
        planned = trial_at(head, index)
        line = _line(run_id, state, state.trials.trial(index), planned)
        if line.cell_id not in cells:
            cells[line.cell_id] = CellLine(cell_id=line.cell_id, agent=planned.cell.agent_id, model=planned.cell.model_id)
        lines.append(line)
    return lines, cells


def _in_state(state: RunProjection, wanted: TrialState) -> Iterator[int]:
    """Yield the trials in one state, in plan order, without making a value of every other one."""
    first, code = 0, TRIAL_CODE[wanted]
    for piece in state.trials.states_of(0, state.trials.count):
        at = piece.find(code)
        while at >= 0:
            yield first + at
            at = piece.find(code, at + 1)
        first += len(piece)


def _line(run_id: str, state: RunProjection, trial: Trial, planned: PlannedTrial) -> TrialLine:
    category = trial.category if trial.state is not TrialState.SCORED else None
    reason = state.reason_of(trial) if category else None
    may_retry = state.run.state not in RUN_TERMINAL and not state.run.is_cancel_requested
    return TrialLine(
        trial=trial.index,
        task=planned.task.name,
        repeat=planned.repeat,
        cell_id=cell_id(RunId(run_id), planned.cell.cell_digest),
        state=trial.state.value,
        attempts=sum(each.value not in {"reserved", "released"} for each in trial.attempts),
        category=category.value if category else None,
        reward=None if trial.reward is None else repr(trial.reward),
        reason_code=(reason.code or None) if reason else None,
        phase=(reason.phase or None) if reason else None,
        exception_type=(reason.exception or None) if reason else None,
        cost_usd_micros=trial.cost_usd_micros,
        retry_follows=bool(category) and may_retry and trial.state in _TRIED_AGAIN,
        attempt_id=attempt_id(trial_id(RunId(run_id), planned.key), trial.kept) if trial.kept else None,
    )
