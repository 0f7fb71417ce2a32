"""Seal an import: its record first, then each trial's evidence, then what follows from it, then the root; safe to repeat.

Everything follows from the record that is stored and from the result files it names, so whoever repeats it after a kill writes
the same bytes; a trial that is sealed already is not read again. The folder that is imported is never written to. Called by
`results import`.
"""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from runner.domain.yields import declare, reach
from runner.evidence.bundle import SealedBundle, SealOrder, finish_bundle, seal_attempt, seal_bundle
from runner.evidence.inventory import RESULT
from runner.evidence.markers import markers_at
from runner.evidence.reading import read_small
from runner.evidence.summaries import RunFacts, derive_run, seal_run_root
from runner.harness.failures import classify, facts_of
from runner.harness.job_folders import FoundTrial
from runner.ports.stores.answers import Unknown
from runner.ports.stores.evidence_store import EvidenceStore
from runner.ports.stores.full_disk import store_full
from runner.usecases.imports.imported_trials import ImportedSlot, attempt_document, run_lock, slots, summary_facts
from runner.usecases.imports.plan_import import PlannedImport
from runner.usecases.imports.stage_trial import stage_trial
from shared import paths
from shared.digests import Digest, canonical_json
from shared.documents.evidence.attempt import AttemptEnding
from shared.documents.evidence.bundle import Marker
from shared.documents.evidence.import_record import ImportRecord
from shared.errors import Refused, StoreFault
from shared.ids import CellId, RunId, cell_id, wave_id
from shared.outcomes import AttemptEnd

BEFORE_RECORD: Final = declare("import.before_record", "importing, everything is read, nothing is written")
AFTER_RECORD: Final = declare("import.after_record", "importing, the record stands, no trial is sealed")
BEFORE_TRIAL: Final = declare("import.before_trial", "importing, before each trial is copied and sealed")
BEFORE_ROOT: Final = declare("import.before_root", "importing, every trial is sealed, nothing is derived")
_MARKERS: Final = {AttemptEnd.SUCCEEDED: Marker.SUCCESS, AttemptEnd.CANCELLED: Marker.CANCELLED}


@dataclass(frozen=True, slots=True)
class ImportWorld:
    """Where an import's evidence goes, and what must never be in it."""

    evidence: EvidenceStore
    work: Path
    """A folder of this process's own."""
    secrets: Mapping[str, str]


def seal_import(planned: PlannedImport, world: ImportWorld) -> tuple[ImportRecord, SealedBundle]:
    """Seal everything of the import that is not sealed yet; return the record that stands and the root."""
    reach(BEFORE_RECORD)
    record = _stored_record(planned.record, world.evidence)
    reach(AFTER_RECORD)
    try:
        for slot in slots(record):
            if slot.trial.result_sha256 is not None:
                _seal_trial(record, slot, planned.files, world)
    finally:
        shutil.rmtree(world.work, ignore_errors=True)
    reach(BEFORE_ROOT)
    run_id, size = RunId(record.run_id), record.repeats * len(record.tasks)
    planned_cells: dict[CellId, int] = {cell_id(run_id, cell.cell_digest): size for cell in record.cells}
    facts = RunFacts(
        run_id=run_id,
        plan_sha256=record.digest,
        run_lock=run_lock(record).to_bytes(),
        planned=planned_cells,
        waves={wave_id(run_id, 1): _seal_wave(record, world)},
    )
    derived = derive_run(facts, (summary_facts(record, slot, world.evidence) for slot in slots(record)), world.evidence)
    return record, seal_run_root(facts, derived, world.evidence)


def _stored_record(record: ImportRecord, evidence: EvidenceStore) -> ImportRecord:
    """Return the record that stands: `record`, or the one of an earlier import of the same results."""
    path = paths.import_record(RunId(record.run_id))
    if evidence.stat(path) is None:
        answer = evidence.put(path, record.to_bytes())
        if isinstance(answer, Unknown):
            if answer.is_full:
                raise store_full(path)
            raise StoreFault(
                "EVIDENCE_UNKNOWN",
                f"it is unknown whether the record was stored: {answer.because}",
                field=path,
                way_out="Run it again: the same bytes may be stored twice.",
            )
    return ImportRecord.from_bytes(read_small(evidence, path))


def _seal_trial(record: ImportRecord, slot: ImportedSlot, files: Mapping[Digest, FoundTrial], world: ImportWorld) -> None:
    if markers_at(world.evidence, slot.prefix):
        return
    if world.evidence.stat(f"{slot.prefix}/{paths.CHECKSUMS}") is not None:
        finish_bundle(slot.prefix, world.evidence)
        return
    found = files.get(Digest(str(slot.trial.result_sha256)))
    if found is None:
        message = f"the result {slot.trial.place} of an earlier import is not in this folder, and it is not sealed yet"
        way_out = "Import the folder that was imported before."
        raise Refused("SOURCE_MISSING", message, field="JOBS_DIR", way_out=way_out)
    reach(BEFORE_TRIAL)
    staging = world.work / slot.attempt_id
    shutil.rmtree(staging, ignore_errors=True)
    try:
        order = SealOrder(subject=slot.attempt_id, marker=Marker.FAILED, fence=1, secrets=world.secrets)
        left_out = stage_trial(found, staging, order.limits)
        (staging / paths.ATTEMPT).write_bytes(attempt_document(record, slot).to_bytes())
        (staging / paths.EVENTS).write_bytes(_ending(record).to_bytes() + b"\n")
        end = classify(facts_of(found.result)).attempt
        order = SealOrder(
            subject=slot.attempt_id,
            marker=_MARKERS.get(end, Marker.FAILED),
            fence=1,
            secrets=world.secrets,
            required=(RESULT,) if end is AttemptEnd.SUCCEEDED else (),
            left_out=left_out,
        )
        seal_attempt(staging, slot.prefix, order, world.evidence)
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _ending(record: ImportRecord) -> AttemptEnding:
    """Return what is known of how the trial's process ended: nothing but that Harbor wrote a result."""
    return AttemptEnding(
        at=record.imported_at, reason="finished", exit_code=None, signal=None, exception_type="", exception_message="", phase=""
    )


def _seal_wave(record: ImportRecord, world: ImportWorld) -> Digest:
    run_id = RunId(record.run_id)
    wave = wave_id(run_id, 1)
    prefix = paths.wave_prefix(run_id, wave)
    summary = canonical_json({"wave_id": wave, "because": "imported", "trials": len(record.trials)})
    order = SealOrder(subject=wave, marker=Marker.SUCCESS, fence=1)
    sealed = seal_bundle(prefix, {paths.WAVE_SUMMARY: summary}, order, world.evidence, present=(paths.IMPORT,), is_verbatim=True)
    return sealed.checksums_sha256
