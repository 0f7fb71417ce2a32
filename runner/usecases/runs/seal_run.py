"""Seal a run: lost waves first, then the derived summaries and statements, then the root; from journal and bundles alone.

Deterministic: whoever seals, and however often, the bytes are equal. The reward of a trial is read from the sealed result of its
selected attempt, never from the journal. Called by the sealing job.
"""

from dataclasses import dataclass

from runner.domain.control.projection.state import RunProjection, Wave, due_outcome
from runner.domain.control.projection.trials import Trial
from runner.domain.retries import POLICY
from runner.domain.yields import declare, reach
from runner.evidence.bundle import SealedBundle, SealOrder, finish_bundle, seal_bundle
from runner.evidence.markers import markers_at, read_marker
from runner.evidence.summaries import AttemptFacts, RunFacts, TrialFacts, derive_run, seal_run_root
from runner.ports.stores.evidence_store import EvidenceStore
from runner.usecases.attempts.attempt_place import attempt_place
from runner.usecases.attempts.attempt_reading import scoring_of
from runner.usecases.attempts.sealed_attempts import read_sealed_attempt
from shared import paths
from shared.digests import Digest, Json, canonical_json
from shared.documents.evidence.bundle import Marker
from shared.documents.plan import PlanHead
from shared.documents.run_lock import RunLock
from shared.ids import CellId, RunId, WaveId, attempt_id, cell_id, trial_id
from shared.outcomes import AttemptEnd, Category, Outcome
from shared.planning.sharding import PlannedTrial, trial_at
from shared.states import AttemptState, TrialState

BEFORE_WAVES = declare("seal.before_waves", "the sealing job, nothing is written")
BEFORE_DERIVE = declare("seal.before_derive", "the sealing job, every wave is sealed, nothing is derived")
BEFORE_ROOT = declare("seal.before_root", "the sealing job, cells and trials are derived, the root is not sealed")

_ENDS = {
    AttemptState.SUCCEEDED: AttemptEnd.SUCCEEDED,
    AttemptState.FAILED: AttemptEnd.FAILED,
    AttemptState.CANCELLED: AttemptEnd.CANCELLED,
    AttemptState.LOST: AttemptEnd.LOST,
    AttemptState.STARTED: AttemptEnd.LOST,
}


@dataclass(frozen=True, slots=True)
class SealWorld:
    """What sealing one run needs."""

    run_id: RunId
    state: RunProjection
    head: PlanHead
    lock: RunLock
    evidence: EvidenceStore


def seal_run(world: SealWorld) -> SealedBundle:
    """Seal everything of the run that is not sealed yet and return its root."""
    reach(BEFORE_WAVES)
    waves = {WaveId(wave.wave_id): _seal_wave(world, wave) for wave in world.state.run.waves.values()}
    reach(BEFORE_DERIVE)
    facts = RunFacts(
        run_id=world.run_id,
        plan_sha256=Digest(world.lock.plan_digest),
        run_lock=world.lock.to_bytes(),
        planned=_planned(world),
        waves=waves,
        is_cancel_requested=world.state.run.is_cancel_requested,
    )
    derived = derive_run(facts, (_trial_facts(world, index) for index in range(world.state.trials.count)), world.evidence)
    reach(BEFORE_ROOT)
    return seal_run_root(facts, derived, world.evidence)


def outcome_of(trial: Trial) -> Outcome | None:
    """Return the public outcome of `trial` at the run's end; None if the run ended first."""
    if trial.state is TrialState.EXHAUSTED:
        due = due_outcome(POLICY[trial.category].outcome if trial.category else None)
        return Outcome(due.value)
    return Outcome(trial.state.value) if trial.state.value in set(Outcome) else None


def end_of_attempt(state: AttemptState) -> AttemptEnd | None:
    """Return how an attempt ended; None for one that never began."""
    return _ENDS.get(state)


def _planned(world: SealWorld) -> dict[CellId, int]:
    cells = [cell_id(world.run_id, cell.cell_digest) for cell in world.head.cells]
    return dict.fromkeys(cells, world.head.trials_per_cell)


def _seal_wave(world: SealWorld, wave: Wave) -> Digest:
    """Return the checksums digest of the wave's bundle, sealing it as failed if its worker could not."""
    prefix = paths.wave_prefix(world.run_id, WaveId(wave.wave_id))
    if markers_at(world.evidence, prefix):
        return read_marker(world.evidence, prefix)[1].checksums_sha256
    if world.evidence.stat(f"{prefix}/{paths.CHECKSUMS}") is not None:
        return finish_bundle(prefix, world.evidence).checksums_sha256
    written = {stored.path.removeprefix(f"{prefix}/") for stored in world.evidence.list(prefix)}
    segments = tuple(sorted(path for path in written if path.startswith("progress/")))
    because = wave.because or "lost"
    summary: dict[str, Json] = {"wave_id": wave.wave_id, "because": because, "job_id": wave.job, "segments": len(segments)}
    order = SealOrder(subject=wave.wave_id, marker=Marker.FAILED, fence=wave.number)
    # What a killed worker had put of its own summary stays as it is; ours stands beside it under another name.
    files = {"wave-lost.json": canonical_json(summary)}
    left = tuple(sorted(path for path in written if "/" not in path and path not in files))
    return seal_bundle(prefix, files, order, world.evidence, present=(*segments, *left)).checksums_sha256


def _trial_facts(world: SealWorld, index: int) -> TrialFacts:
    planned, trial = trial_at(world.head, index), world.state.trials.trial(index)
    outcome = outcome_of(trial)
    cell, name = cell_id(world.run_id, planned.cell.cell_digest), trial_id(world.run_id, planned.key)
    selected = attempt_id(name, trial.selected) if trial.selected and outcome is not None else None
    return TrialFacts(
        cell_id=cell,
        trial_id=name,
        task_name=planned.task.name,
        task_sha256=Digest(planned.task.task_digest),
        repeat=planned.repeat,
        outcome=outcome,
        reward=_reward(world, planned, trial) if outcome is Outcome.SCORED else None,
        selected_attempt_id=selected,
        attempts=tuple(_attempts(world, planned, trial)),
    )


def _reward(world: SealWorld, planned: PlannedTrial, trial: Trial) -> float | None:
    prefix = attempt_place(world.run_id, world.head, planned.index, trial.selected)
    result = read_sealed_attempt(world.evidence, prefix, scoring_of(world.head.benchmark)).reading.result
    return result.reward if result is not None else None


def _attempts(world: SealWorld, planned: PlannedTrial, trial: Trial) -> list[AttemptFacts]:
    found = []
    for ordinal, state in enumerate(trial.attempts, start=1):
        end = end_of_attempt(state)
        if end is None:
            continue
        prefix = attempt_place(world.run_id, world.head, planned.index, ordinal)
        sealed = read_marker(world.evidence, prefix)[1].checksums_sha256 if markers_at(world.evidence, prefix) else None
        category = Category.LOST if end is AttemptEnd.LOST else None
        name = attempt_id(trial_id(world.run_id, planned.key), ordinal)
        found.append(AttemptFacts(name, ordinal, end, category, sealed))
    return found
