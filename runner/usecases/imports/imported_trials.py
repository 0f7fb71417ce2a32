"""What an import's record means: its slots with their ids and places, the documents that follow from it, and each slot's end.

Pure reading of record and sealed bundles, shared by sealing and by gathering, so that a row cannot say anything else than the
evidence does.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from runner.domain.retries import POLICY
from runner.evidence.summaries import AttemptFacts, TrialFacts
from runner.harness.reader import TrialResult
from runner.ports.stores.evidence_store import EvidenceStore
from runner.usecases.attempts.attempt_reading import Scoring
from runner.usecases.attempts.sealed_attempts import StoredAttempt, read_sealed_attempt
from shared import paths
from shared.digests import Digest, digest_of
from shared.documents.evidence.attempt import AttemptDocument
from shared.documents.evidence.import_record import ImportedCell, ImportedTask, ImportedTrial, ImportRecord
from shared.documents.run_lock import HarborLock, RunLock
from shared.ids import AttemptId, CellId, RunId, TrialId, attempt_id, cell_id, trial_id, wave_id
from shared.outcomes import Outcome

NO_MODEL: Final = "none"


class ImportedSlot(NamedTuple):
    """One trial of the record with its ids and where its bundle lies."""

    number: int
    trial: ImportedTrial
    cell: ImportedCell
    task: ImportedTask
    cell_id: CellId
    trial_id: TrialId
    attempt_id: AttemptId
    prefix: str


def slots(record: ImportRecord) -> Iterator[ImportedSlot]:
    """Yield every slot of the record in its order."""
    run_id = RunId(record.run_id)
    for number, trial in enumerate(record.trials):
        cell, task = record.cells[trial.cell], record.tasks[trial.task]
        owner = cell_id(run_id, cell.cell_digest)
        name = trial_id(run_id, digest_of([cell.cell_digest, task.name, trial.repeat]))
        attempt = attempt_id(name, 1)
        yield ImportedSlot(number, trial, cell, task, owner, name, attempt, paths.attempt_prefix(run_id, owner, name, attempt))


def read_slot(record: ImportRecord, slot: ImportedSlot, evidence: EvidenceStore) -> tuple[StoredAttempt, Outcome | None]:
    """Return the sealed attempt of a slot that has one, and the trial's outcome: there is one try and no other."""
    low, high = record.reward_range
    stored = read_sealed_attempt(evidence, slot.prefix, Scoring(record.primary_reward, float(low), float(high)))
    category = stored.reading.classification.category
    return stored, Outcome.SCORED if category is None else POLICY[category].outcome


def reward_of(result: TrialResult | None, outcome: Outcome | None) -> float | None:
    """Return the reward of a trial that is scored."""
    return result.reward if result is not None and outcome is Outcome.SCORED else None


def summary_facts(record: ImportRecord, slot: ImportedSlot, evidence: EvidenceStore) -> TrialFacts:
    """Return what the trial's summary and its evidence statement will say."""
    if slot.trial.result_sha256 is None:
        return _summary(slot, None, None, ())
    stored, outcome = read_slot(record, slot, evidence)
    meaning = stored.reading.classification
    attempt = AttemptFacts(slot.attempt_id, 1, meaning.attempt, meaning.category, stored.bundle.checksums_sha256)
    return _summary(slot, outcome, reward_of(stored.reading.result, outcome), (attempt,))


def _summary(slot: ImportedSlot, outcome: Outcome | None, reward: float | None, attempts: tuple[AttemptFacts, ...]) -> TrialFacts:
    return TrialFacts(
        cell_id=slot.cell_id,
        trial_id=slot.trial_id,
        task_name=slot.task.name,
        task_sha256=Digest(slot.task.task_digest),
        repeat=slot.trial.repeat,
        outcome=outcome,
        reward=reward,
        selected_attempt_id=slot.attempt_id if outcome is Outcome.SCORED else None,
        attempts=attempts,
    )


def attempt_document(record: ImportRecord, slot: ImportedSlot) -> AttemptDocument:
    """Return whose try the imported trial is."""
    run_id = RunId(record.run_id)
    return AttemptDocument(
        attempt_id=slot.attempt_id,
        run_id=run_id,
        cell_id=slot.cell_id,
        trial_id=slot.trial_id,
        trial_index=slot.number,
        ordinal=1,
        wave_id=wave_id(run_id, 1),
        action_id="",
        job_id="",
        runtime=slot.cell.sandbox,
        task_name=slot.task.name,
        task_digest=slot.task.task_digest,
        agent_id=word(slot.cell.agent_name),
        agent_revision=slot.cell.agent_version,
        model_id=word(slot.cell.model_name or NO_MODEL),
        served_model=slot.cell.model_name,
        primary_reward=record.primary_reward,
        secret_names=(),
        retry_reason=None,
    )


def run_lock(record: ImportRecord) -> RunLock:
    """Return the lock that the import's rows hang on: every digest in it is one of the record or of a part of it."""
    return RunLock(
        run_id=RunId(record.run_id),
        plan_digest=record.digest,
        manifest_sha256=record.source_sha256,
        source_lock_sha256=digest_of({task.name: task.task_digest for task in record.tasks}),
        prices_sha256=digest_of("no prices"),
        build=record.build,
        harbor=HarborLock(version=record.harbor_version, lock_sha256=digest_of(record.harbor_version)),
        requested_by=record.imported_by,
        submitted_at=record.imported_at,
    )


def word(text: str) -> str:
    """Return `text` as the short name of a thing: lower-case words and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:63] or "x"
