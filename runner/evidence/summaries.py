"""The derived step: trial and cell summaries, evidence statements and the run's root, from facts and sealed bundles alone.

What must always be true: the same facts give the same bytes, whoever derives them and however often (so derived bundles carry the
fence 0); a trial's selected attempt exists as a sealed bundle with the digest that the journal names; no cell loses a planned
trial. Order: trials, cells, then the root with its statements, its marker last. Called when a run is sealed.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import fsum
from typing import Final

from runner.domain.yields import declare, reach
from runner.evidence.bundle import SealedBundle, SealOrder, seal_bundle
from runner.evidence.reading import broken, read_small
from runner.ports.stores.evidence_store import EvidenceStore, Source
from shared import paths
from shared.digests import Digest, sha256
from shared.documents.evidence.bundle import Marker, MarkerDocument
from shared.documents.evidence.cell_summary import CellSummary
from shared.documents.evidence.evidence_statement import LINES_PER_FILE, EvidenceStatement
from shared.documents.evidence.run_summary import RunSummary
from shared.documents.evidence.trial_summary import AttemptSummary, TrialSummary
from shared.documents.manifest import Manifest, ManifestRef
from shared.errors import Refused
from shared.ids import AttemptId, CellId, RunId, TrialId, WaveId
from shared.outcomes import AttemptEnd, Category, Label, Outcome, label_of

BEFORE_TRIAL: Final = declare("evidence.before_trial", "deriving, before each trial's summary is sealed")
BEFORE_CELL: Final = declare("evidence.before_cell", "deriving, the cell's trials stand, its summary does not")
BEFORE_ROOT: Final = declare("evidence.before_root", "sealing a run, all cells stand, the root does not")
AFTER_ROOT: Final = declare("evidence.after_root", "sealing a run, the root's marker stands")


@dataclass(frozen=True)
class AttemptFacts:
    """One physical try as the journal knows it; `checksums_sha256` names its sealed bundle, if it left one."""

    attempt_id: AttemptId
    ordinal: int
    end: AttemptEnd
    category: Category | None = None
    checksums_sha256: Digest | None = None


@dataclass(frozen=True)
class TrialFacts:
    """One planned trial as the journal knows it; `outcome` is None only when the run ended first."""

    cell_id: CellId
    trial_id: TrialId
    task_name: str
    task_sha256: Digest
    repeat: int
    outcome: Outcome | None
    reward: float | None = None
    selected_attempt_id: AttemptId | None = None
    attempts: tuple[AttemptFacts, ...] = ()


@dataclass(frozen=True)
class RunFacts:
    """One run as the journal knows it; `planned` is cell -> number of trials in the lock, `waves` wave -> checksums."""

    run_id: RunId
    plan_sha256: Digest
    run_lock: bytes
    planned: Mapping[CellId, int]
    waves: Mapping[WaveId, Digest] = field(default_factory=dict)
    is_cancel_requested: bool = False


@dataclass(frozen=True)
class DerivedRun:
    """What the derived step wrote, as the root needs it."""

    cells: tuple[CellSummary, ...]
    refs: tuple[ManifestRef, ...]
    statements: tuple[EvidenceStatement, ...] = field(repr=False)


def derive_run(run: RunFacts, trials: Iterable[TrialFacts], store: EvidenceStore) -> DerivedRun:
    """Seal every trial's and cell's summary; raise Refused where the facts and the sealed bundles disagree."""
    by_cell = _by_cell(run, trials)
    summaries, refs, statements = [], [], []
    for cell in sorted(by_cell):
        trial_refs = []
        for trial in by_cell[cell]:
            reach(BEFORE_TRIAL)
            statements.append(_statement(run.run_id, trial, store))
            trial_refs.append(_ref("trial", _seal_trial(run.run_id, trial, store)))
        reach(BEFORE_CELL)
        summary = _cell_summary(run, cell, by_cell[cell])
        summaries.append(summary)
        refs.append(_ref("cell", _seal_cell(summary, trial_refs, store)))
    statements.sort(key=lambda statement: statement.trial_id)
    return DerivedRun(tuple(summaries), tuple(refs), tuple(statements))


def seal_run_root(run: RunFacts, derived: DerivedRun, store: EvidenceStore) -> SealedBundle:
    """Seal the run's root over its cells and waves; every wave must already be sealed with the digest that the facts name."""
    waves = []
    for wave in sorted(run.waves):
        _require_sealed(store, paths.wave_prefix(run.run_id, wave), run.waves[wave])
        waves.append(ManifestRef(kind="wave", subject=wave, sha256=run.waves[wave]))
    summary = _run_summary(run, derived.cells)
    files: dict[str, Source] = {paths.RUN_LOCK: run.run_lock, paths.RUN_SUMMARY: summary.to_bytes()}
    for number, lines in enumerate(_statement_files(derived.statements), start=1):
        files[paths.evidence_statements(run.run_id, number).removeprefix(f"{paths.run_prefix(run.run_id)}/")] = lines
    order = SealOrder(subject=run.run_id, marker=_MARKER_OF_LABEL[summary.label], refs=(*derived.refs, *waves))
    reach(BEFORE_ROOT)
    sealed = seal_bundle(paths.run_prefix(run.run_id), files, order, store, is_verbatim=True)
    reach(AFTER_ROOT)
    return sealed


def _by_cell(run: RunFacts, trials: Iterable[TrialFacts]) -> dict[CellId, list[TrialFacts]]:
    """Group by cell in the order of trial ids, and require exactly the planned number of distinct trials in each."""
    grouped: dict[CellId, dict[TrialId, TrialFacts]] = {cell: {} for cell in run.planned}
    for trial in trials:
        cell = grouped.get(trial.cell_id)
        if cell is None or trial.trial_id in cell:
            raise Refused(
                "TRIALS_DIFFER",
                "the trial stands twice or its cell is not in the lock",
                field=trial.trial_id,
                way_out="Compare the run lock with the journal; `evidence verify RUN` says what else does not hold.",
            )
        cell[trial.trial_id] = trial
    for cell_id, found in grouped.items():
        if len(found) != run.planned[cell_id]:
            raise Refused(
                "TRIALS_DIFFER",
                f"the lock plans {run.planned[cell_id]} trials and {len(found)} were given",
                field=cell_id,
                way_out="Fold the journal again: a trial without an outcome still counts.",
            )
    return {cell: [found[trial] for trial in sorted(found)] for cell, found in grouped.items()}


def _statement(run_id: RunId, trial: TrialFacts, store: EvidenceStore) -> EvidenceStatement:
    manifest = None
    for attempt in trial.attempts:
        if attempt.checksums_sha256 is None:
            continue
        prefix = paths.attempt_prefix(run_id, trial.cell_id, trial.trial_id, attempt.attempt_id)
        sealed = _require_sealed(store, prefix, attempt.checksums_sha256)
        if attempt.attempt_id == trial.selected_attempt_id:
            manifest = sealed
    if manifest is None and (trial.selected_attempt_id or trial.outcome is Outcome.SCORED):
        raise Refused(
            "EVIDENCE_MISSING",
            "the attempt that decides the trial left no sealed bundle",
            field=trial.trial_id,
            way_out="Restore the evidence folder from a copy; `evidence verify RUN` names everything that is missing.",
        )
    return EvidenceStatement(
        trial_id=trial.trial_id,
        attempt_id=trial.selected_attempt_id,
        bundle_sha256=manifest.digest if manifest else None,
        reward=trial.reward,
        outcome=trial.outcome,
        files=len(manifest.files) if manifest else 0,
        bytes=sum(file.size for file in manifest.files) if manifest else 0,
    )


def _require_sealed(store: EvidenceStore, prefix: str, expected: Digest) -> Manifest:
    """Return the checksums under `prefix`, which must have the digest `expected` and a marker that names them."""
    path = f"{prefix}/{paths.CHECKSUMS}"
    data = read_small(store, path)
    if sha256(data) != expected:
        raise broken(path, "the bundle is not the one that the journal names")
    manifest = Manifest.from_bytes(data)
    marker = f"{prefix}/{manifest.meta['marker']}"
    if MarkerDocument.from_bytes(read_small(store, marker)).checksums_sha256 != expected:
        raise broken(marker, "the marker names other checksums")
    return manifest


def _seal_trial(run_id: RunId, trial: TrialFacts, store: EvidenceStore) -> SealedBundle:
    attempts = sorted(trial.attempts, key=lambda attempt: attempt.ordinal)
    summary = TrialSummary(
        run_id=run_id,
        cell_id=trial.cell_id,
        trial_id=trial.trial_id,
        task_name=trial.task_name,
        task_sha256=trial.task_sha256,
        repeat=trial.repeat,
        outcome=trial.outcome,
        reward=trial.reward,
        selected_attempt_id=trial.selected_attempt_id,
        attempts=tuple(_attempt_summary(attempt) for attempt in attempts),
    )
    refs = [
        ManifestRef(kind="attempt", subject=attempt.attempt_id, sha256=attempt.checksums_sha256)
        for attempt in attempts
        if attempt.checksums_sha256
    ]
    order = SealOrder(subject=trial.trial_id, marker=_marker_of_outcome(trial.outcome), refs=tuple(refs))
    prefix = paths.trial_prefix(run_id, trial.cell_id, trial.trial_id)
    return seal_bundle(prefix, {paths.TRIAL_SUMMARY: summary.to_bytes()}, order, store, is_verbatim=True)


def _attempt_summary(attempt: AttemptFacts) -> AttemptSummary:
    return AttemptSummary(
        attempt_id=attempt.attempt_id,
        ordinal=attempt.ordinal,
        end=attempt.end,
        category=attempt.category,
        checksums_sha256=attempt.checksums_sha256,
    )


def _cell_summary(run: RunFacts, cell: CellId, trials: list[TrialFacts]) -> CellSummary:
    outcomes = Counter(trial.outcome.value for trial in trials if trial.outcome)
    ended, scored = outcomes.total(), outcomes[Outcome.SCORED.value]
    return CellSummary(
        run_id=run.run_id,
        cell_id=cell,
        label=label_of(run.planned[cell], scored, ended, is_cancel_requested=run.is_cancel_requested),
        planned=run.planned[cell],
        ended=ended,
        attempts=sum(len(trial.attempts) for trial in trials),
        outcomes={outcome: count for outcome, count in outcomes.items() if count},
        reward_sum=fsum(trial.reward or 0 for trial in trials if trial.outcome is Outcome.SCORED),
    )


def _seal_cell(summary: CellSummary, refs: list[ManifestRef], store: EvidenceStore) -> SealedBundle:
    order = SealOrder(subject=summary.cell_id, marker=_MARKER_OF_LABEL[summary.label], refs=tuple(refs))
    prefix = paths.cell_prefix(RunId(summary.run_id), CellId(summary.cell_id))
    return seal_bundle(prefix, {paths.CELL_SUMMARY: summary.to_bytes()}, order, store, is_verbatim=True)


def _run_summary(run: RunFacts, cells: tuple[CellSummary, ...]) -> RunSummary:
    outcomes: Counter[str] = Counter()
    for cell in cells:
        outcomes.update(cell.outcomes)
    planned, ended, scored = sum(cell.planned for cell in cells), outcomes.total(), outcomes[Outcome.SCORED.value]
    return RunSummary(
        run_id=run.run_id,
        plan_sha256=run.plan_sha256,
        run_lock_sha256=sha256(run.run_lock),
        label=label_of(planned, scored, ended, is_cancel_requested=run.is_cancel_requested),
        is_cancel_requested=run.is_cancel_requested,
        cells=len(cells),
        planned=planned,
        ended=ended,
        attempts=sum(cell.attempts for cell in cells),
        outcomes=dict(outcomes),
    )


def _statement_files(statements: tuple[EvidenceStatement, ...]) -> Iterator[bytes]:
    for start in range(0, len(statements), LINES_PER_FILE):
        yield b"".join(statement.to_bytes() + b"\n" for statement in statements[start : start + LINES_PER_FILE])


def _ref(kind: str, sealed: SealedBundle) -> ManifestRef:
    return ManifestRef(kind=kind, subject=sealed.subject, sha256=sealed.checksums_sha256)


def _marker_of_outcome(outcome: Outcome | None) -> Marker:
    if outcome is None:
        return Marker.CANCELLED
    return Marker.SUCCESS if outcome is Outcome.SCORED else Marker.FAILED


_MARKER_OF_LABEL: Final[dict[Label, Marker]] = {
    Label.CLEAN: Marker.SUCCESS,
    Label.DEGRADED: Marker.SUCCESS,
    Label.PARTIAL: Marker.PARTIAL,
    Label.CANCELLED: Marker.CANCELLED,
    Label.FAILED: Marker.FAILED,
}
