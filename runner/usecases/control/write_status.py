"""Writing the status of a run: a document that counts to the plan, lists failures first and says what is awaited."""

from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

from runner.domain.control.envelope import utc_text
from runner.domain.control.projection.state import RunProjection
from runner.domain.control.projection.trials import TRIAL_CODE, Trial
from shared.documents.plan import PlanHead
from shared.documents.status import MAX_REFUSAL_LINES, MAX_TRIAL_LINES, ActionLine, RefusalLine, RunStatus, TrialLine, WaveLine
from shared.ids import cell_id
from shared.outcomes import Label
from shared.planning.sharding import trial_at
from shared.states import RUN_TERMINAL, RunState, TrialState

SETTLED: Final = "nothing"
"""What a run awaits that has ended."""
_ENDED_FOR_A_PERSON: Final = frozenset({"publish_failed", "waves_lost"})
"""Attention of a run that ended short of what it was for."""
_FIRST = (TrialState.EXHAUSTED, TrialState.BENCHMARK_FAILED, TrialState.INFRASTRUCTURE_EXHAUSTED, TrialState.AGENT_FAILED)
_THEN = (TrialState.RETRY_WAIT, TrialState.ACTIVE, TrialState.CANCELLED, TrialState.SCORED, TrialState.QUEUED, TrialState.PLANNED)


class Around(NamedTuple):
    """What a status says beside what the journal tells."""

    publication_id: str = ""
    held_by: str = ""


def run_status(run_id: str, state: RunProjection, head: PlanHead | None, now_ms: int, around: Around | None = None) -> RunStatus:
    """Return the status of the run as its projection tells it; `head` is None while no plan is locked."""
    run, around = state.run, around or Around()
    return RunStatus(
        run_id=run_id,
        experiment=head.experiment if head else "",
        state=run.state.value if run.state else "unknown",
        label=run.label,
        requested_by=run.requested_by,
        approval="single" if run.is_single_approval else "other" if run.approved_by else "not_needed",
        planned=run.trials,
        counts={each.value: count for each, count in state.trials.counts().items() if count},
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
        trials=tuple(_lines(run_id, state, head)) if head else (),
        seq=run.seq,
        written_at=utc_text(now_ms),
    )


def person_needed(state: RunProjection) -> str:
    """Return what a person is asked for before anything more happens to the run, or nothing while something else may."""
    run = state.run
    if state.open_actions() or state.open_waves() or run.label == Label.CANCELLED:
        return ""
    codes = _ENDED_FOR_A_PERSON if run.state in RUN_TERMINAL else run.attention.keys()
    return "; ".join(f"{code}: {run.attention[code]}" for code in sorted(codes & run.attention.keys()))


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
        return "its publication" if state.open_actions() else SETTLED
    if run.state is RunState.CANCEL_REQUESTED:
        return "the end of what is under way"
    if run.state is RunState.DRAINING:
        return "the seal of its evidence"
    waves = ", ".join(f"wave {wave.number} ({wave.state.value})" for wave in state.open_waves())
    return waves or (f"room for its next wave ({held_by})" if held_by else "its next wave")


def _lines(run_id: str, state: RunProjection, head: PlanHead) -> list[TrialLine]:
    in_order = (index for wanted in (*_FIRST, *_THEN) for index in _in_state(state, wanted))
    return [_line(run_id, state.trials.trial(index), head) for index in islice(in_order, MAX_TRIAL_LINES)]


def _in_state(state: RunProjection, wanted: TrialState) -> Iterator[int]:
    """Yield the trials in one state, in plan order, without making a value of every other one."""
    first, code = 0, TRIAL_CODE[wanted]
    for piece in state.trials.states_of(0, state.trials.count):
        at = piece.find(code)
        while at >= 0:
            yield first + at
            at = piece.find(code, at + 1)
        first += len(piece)


def _line(run_id: str, trial: Trial, head: PlanHead) -> TrialLine:
    planned = trial_at(head, trial.index)
    return TrialLine(
        trial=trial.index,
        task=planned.task.name,
        repeat=planned.repeat,
        cell_id=cell_id(run_id, planned.cell.cell_digest),  # type: ignore[arg-type]
        state=trial.state.value,
        attempts=sum(each.value not in {"reserved", "released"} for each in trial.attempts),
        category=trial.category.value if trial.category and trial.state is not TrialState.SCORED else None,
        reward=None if trial.reward is None else repr(trial.reward),
    )
