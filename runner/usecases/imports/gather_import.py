"""Gathering the facts of a sealed import: everything its rows will say, from record and sealed evidence alone.

Its kind is `manual`: it has scores where its trials are whole, and is never ranked. What nobody observed is `not_observed`.
Whoever gathers gets equal facts, so an import is published, rebuilt and verified like a run of ours.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from runner.domain.control.envelope import utc_ms
from runner.evidence.markers import read_marker
from runner.evidence.reading import broken, read_small
from runner.harness.trial_setting import NOT_OBSERVED
from runner.ports.stores.evidence_store import EvidenceStore
from runner.ports.stores.result_store import ResultStore
from runner.usecases.attempts.attempt_reading import is_passed
from runner.usecases.imports.imported_trials import (
    NO_MODEL,
    ImportedSlot,
    read_slot,
    reward_of,
    run_lock,
    slots,
    word,
)
from runner.usecases.results.gather_run import attempt_facts
from shared import paths
from shared.digests import Digest, digest_of
from shared.documents.evidence.import_record import ImportedCell, ImportRecord
from shared.documents.run_lock import RunLock
from shared.ids import RunId, cell_id
from shared.outcomes import Label, Outcome, label_of
from shared.tables.published import AttemptFacts, CellFacts, Identity, PublishedRun, Scope, Trace, TrialFacts
from shared.tables.score import MANUAL

ELSEWHERE: Final = "elsewhere"


@dataclass(frozen=True, slots=True)
class GatheredImport:
    """The facts of an import and what its publication needs beside them."""

    facts: PublishedRun
    lock: RunLock
    record: ImportRecord


def is_import(run_id: RunId, evidence: EvidenceStore) -> bool:
    """Tell whether the run was brought in from elsewhere."""
    return evidence.stat(paths.import_record(run_id)) is not None


def earlier_imports(dataset: str, store: ResultStore, evidence: EvidenceStore) -> dict[str, frozenset[str]]:
    """Return the result digests of every import that is published in `dataset`, by run."""
    head = store.head(dataset)
    found = {}
    for run_id in head.runs if head else ():
        if is_import(RunId(run_id), evidence):
            record = ImportRecord.from_bytes(read_small(evidence, paths.import_record(RunId(run_id))))
            found[run_id] = frozenset(str(trial.result_sha256) for trial in record.trials if trial.result_sha256)
    return found


def gather_import(run_id: RunId, evidence: EvidenceStore) -> GatheredImport:
    """Return the facts of the sealed import; raise Refused if its root is not sealed or is of another record."""
    _, marker = read_marker(evidence, paths.run_prefix(run_id))
    record = ImportRecord.from_bytes(read_small(evidence, paths.import_record(run_id)))
    lock = run_lock(record)
    if read_small(evidence, f"{paths.run_prefix(run_id)}/{paths.RUN_LOCK}") != lock.to_bytes() or record.run_id != run_id:
        raise broken(paths.import_record(run_id), "the record is not the one that the run lock names")
    trials = list(_trials(record, evidence))
    label = _label(record, [trial.outcome for _, trial in trials])
    ends = [trial.selected.finished_at for _, trial in trials if trial.selected and trial.selected.finished_at]
    moment = utc_ms(record.imported_at) * 1000
    facts = PublishedRun(
        trace=Trace(
            benchmark=record.benchmark,
            run_id=run_id,
            evidence_prefix=paths.run_prefix(run_id),
            evidence_sha256=marker.checksums_sha256,
            run_lock_sha256=lock.digest,
            control_commit="imported",
        ),
        scope=_scope(record, label),
        cells=tuple(_cell(record, cell, [trial for slot, trial in trials if slot.cell is cell]) for cell in record.cells),
        experiment=record.benchmark,
        plan_digest=lock.plan_digest,
        manifest_sha256=lock.manifest_sha256,
        prices_sha256=lock.prices_sha256,
        requested_by=lock.requested_by,
        source_type="imported",
        waves=1,
        build_digest=lock.build,
        harbor_version=lock.harbor.version,
        harbor_lock_sha256=lock.harbor.lock_sha256,
        submitted_at=moment,
        completed_at=max(ends, default=moment),
    )
    return GatheredImport(facts, lock, record)


def _trials(record: ImportRecord, evidence: EvidenceStore) -> Iterator[tuple[ImportedSlot, TrialFacts]]:
    for slot in slots(record):
        if slot.trial.result_sha256 is None:
            yield slot, _trial(record, slot, None, None, ())
            continue
        stored, outcome = read_slot(record, slot, evidence)
        attempt = attempt_facts(stored, stored.reading.classification.attempt)
        yield slot, _trial(record, slot, outcome, reward_of(stored.reading.result, outcome), (attempt,))


def _trial(
    record: ImportRecord, slot: ImportedSlot, outcome: Outcome | None, reward: float | None, attempts: tuple[AttemptFacts, ...]
) -> TrialFacts:
    return TrialFacts(
        trial_id=slot.trial_id,
        task_name=slot.task.name,
        task_digest=slot.task.task_digest,
        repeat=slot.trial.repeat,
        outcome=outcome,
        reward=reward,
        is_passed=None if reward is None else is_passed(reward, record.pass_threshold),
        selected=attempts[0] if outcome is Outcome.SCORED else None,
        attempts=attempts,
    )


def _label(record: ImportRecord, outcomes: list[Outcome | None]) -> Label:
    """Return the label of these trials; what is not whole is partial, however its trials ended."""
    ended, scored = sum(each is not None for each in outcomes), outcomes.count(Outcome.SCORED)
    label = label_of(len(outcomes), scored, ended, is_cancel_requested=False)
    return Label.PARTIAL if scored and not record.is_whole else label


def _benchmark_digest(record: ImportRecord) -> Digest:
    scoring = [record.primary_reward, list(record.reward_range), record.pass_threshold]
    return digest_of(["imported", record.benchmark, _tasks_sha256(record), scoring])


def _tasks_sha256(record: ImportRecord) -> Digest:
    return digest_of({task.name: task.task_digest for task in record.tasks})


def _scope(record: ImportRecord, label: Label) -> Scope:
    sandboxes = {cell.sandbox for cell in record.cells}
    return Scope(
        kind=MANUAL,
        quality=label.value,
        role="diagnostic",
        series=record.series,
        benchmark_digest=_benchmark_digest(record),
        tasks_sha256=_tasks_sha256(record),
        tasks=len(record.tasks),
        repeats=record.repeats,
        sandbox=sandboxes.pop() if len(sandboxes) == 1 else "harbor:mixed",
        trial_seconds=0,
        agent_setup_multiplier=record.agent_setup_multiplier,
    )


def _cell(record: ImportRecord, cell: ImportedCell, trials: list[TrialFacts]) -> CellFacts:
    low, high = record.reward_range
    return CellFacts(
        identity=_identity(record, cell),
        quality=_label(record, [trial.outcome for trial in trials]).value,
        trials=tuple(trials),
        weights_format=NOT_OBSERVED,
        deployment_digest=NOT_OBSERVED,
        deployment_spec_digest=NOT_OBSERVED,
        agent_import_path=cell.agent_import_path,
        concurrency=0,
        primary_reward=record.primary_reward,
        pass_threshold=float(record.pass_threshold),
        reward_range=(float(low), float(high)),
        needs_model=cell.model_name is not None,
    )


def _identity(record: ImportRecord, cell: ImportedCell) -> Identity:
    model = cell.model_name or NO_MODEL
    return Identity(
        cell_id=cell_id(RunId(record.run_id), cell.cell_digest),
        cell_digest=cell.cell_digest,
        # Of its own kind, so that no reader could rank it with results that were made here.
        edition=digest_of([MANUAL, _benchmark_digest(record), record.repeats, cell.sandbox]),
        model_id=word(model),
        model_repo=f"{cell.model_provider}/{model}" if cell.model_provider else model,
        model_revision=NOT_OBSERVED if cell.model_name else NO_MODEL,
        deployment_id=ELSEWHERE,
        deployment_kind=ELSEWHERE,
        agent_id=word(cell.agent_name),
        agent_name=cell.agent_name,
        agent_revision=cell.agent_version,
        provider=cell.model_provider,
    )
