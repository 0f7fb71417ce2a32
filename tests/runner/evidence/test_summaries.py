import dataclasses
from pathlib import Path

import pytest

from runner.adapters.local.stores.evidence import LocalEvidenceStore
from runner.evidence.bundle import SealOrder, seal_bundle
from runner.evidence.summaries import derive_run, seal_run_root
from runner.evidence.verification import verify_run
from shared import ids, paths
from shared.digests import digest_of
from shared.documents.evidence.bundle import Marker
from shared.documents.evidence.cell_summary import CellSummary
from shared.documents.evidence.evidence_statement import LINES_PER_FILE
from shared.errors import Conflict, Refused
from shared.outcomes import Label
from tests.runner.evidence.trees import CELL, RUN, everything, lost_trial, run_of, seal_trial_attempt, untouched_trial


@pytest.fixture
def store(tmp_path: Path) -> LocalEvidenceStore:
    """Return an empty evidence store."""
    return LocalEvidenceStore(tmp_path / "store")


def test_deriving_twice_in_any_order_writes_equal_bytes(tmp_path: Path, store: LocalEvidenceStore) -> None:
    """The order in which trials are given does not matter, nor does a repeat."""
    trials = [*(seal_trial_attempt(tmp_path, store, n)[0] for n in (1, 2)), lost_trial(3)]
    run = run_of(3)
    first = seal_run_root(run, derive_run(run, trials, store), store)
    before = everything(tmp_path / "store")
    assert seal_run_root(run, derive_run(run, reversed(trials), store), store) == first
    assert everything(tmp_path / "store") == before


def test_the_cell_keeps_its_planned_count(tmp_path: Path, store: LocalEvidenceStore) -> None:
    """Trials without a score count in the denominator."""
    trials = [seal_trial_attempt(tmp_path, store, 1, reward=0.25)[0], lost_trial(2)]
    summary = derive_run(run_of(2), trials, store).cells[0]
    assert (summary.planned, summary.ended, summary.reward_sum, summary.label) == (2, 2, 0.25, Label.DEGRADED)
    stored = everything(tmp_path / "store")[f"{paths.cell_prefix(RUN, CELL)}/cell-summary.json"]
    assert CellSummary.from_bytes(stored) == summary


def test_a_trial_that_the_run_ended_without_still_counts(tmp_path: Path, store: LocalEvidenceStore) -> None:
    """An untouched trial of a cancelled run is planned, not ended, and sealed as cancelled."""
    run = dataclasses.replace(run_of(2), is_cancel_requested=True)
    trials = [seal_trial_attempt(tmp_path, store, 1)[0], untouched_trial(2)]
    derived = derive_run(run, trials, store)
    assert (derived.cells[0].planned, derived.cells[0].ended, derived.cells[0].label) == (2, 1, Label.PARTIAL)
    assert seal_run_root(run, derived, store).marker is Marker.PARTIAL
    assert any(path.endswith(f"{trials[1].trial_id}/_CANCELLED") for path in everything(tmp_path / "store"))
    assert verify_run(store, RUN).statements == 2


def test_a_missing_or_repeated_trial_is_refused_before_anything_is_written(tmp_path: Path, store: LocalEvidenceStore) -> None:
    """The facts must hold each planned trial exactly once."""
    for trials in ([lost_trial(1)], [lost_trial(1), lost_trial(1)]):
        with pytest.raises(Refused, match="TRIALS_DIFFER"):
            derive_run(run_of(2), trials, store)
    assert everything(tmp_path / "store") == {}


def test_a_bundle_that_the_journal_does_not_name_is_refused(tmp_path: Path, store: LocalEvidenceStore) -> None:
    """The sealed attempt must have the digest that the journal has."""
    trial, _ = seal_trial_attempt(tmp_path, store, 1)
    forged = dataclasses.replace(trial, attempts=(dataclasses.replace(trial.attempts[0], checksums_sha256=digest_of("other")),))
    with pytest.raises(Refused, match="EVIDENCE_BROKEN"):
        derive_run(run_of(1), [forged], store)


def test_a_score_without_a_sealed_attempt_is_refused(store: LocalEvidenceStore, tmp_path: Path) -> None:
    """No trial is scored without evidence."""
    trial, _ = seal_trial_attempt(tmp_path, store, 1)
    bare = dataclasses.replace(trial, attempts=(dataclasses.replace(trial.attempts[0], checksums_sha256=None),))
    with pytest.raises(Refused, match="EVIDENCE_MISSING"):
        derive_run(run_of(1), [bare], store)


def test_other_facts_about_a_sealed_run_are_a_conflict(store: LocalEvidenceStore, tmp_path: Path) -> None:
    """A derived summary cannot be rewritten."""
    run = run_of(1)
    seal_run_root(run, derive_run(run, [lost_trial(1)], store), store)
    with pytest.raises(Conflict, match="BUNDLE_CONFLICT"):
        derive_run(run, [dataclasses.replace(lost_trial(1), task_name="renamed")], store)


def test_the_root_needs_every_wave_sealed(store: LocalEvidenceStore) -> None:
    """A wave that left no checksums stops the root's seal."""
    run = dataclasses.replace(run_of(1), waves={ids.wave_id(RUN, 1): digest_of("wave")})
    with pytest.raises(Refused, match="EVIDENCE_MISSING"):
        seal_run_root(run, derive_run(run, [lost_trial(1)], store), store)
    assert not any(path.endswith("run-summary.json") for path in (file.path for file in store.list("runs")))


def test_the_root_needs_every_waves_marker(store: LocalEvidenceStore) -> None:
    """A wave whose checksums stand without a marker is not sealed."""
    wave = ids.wave_id(RUN, 1)
    order = SealOrder(subject=wave, marker=Marker.SUCCESS, fence=1)
    prefix = paths.wave_prefix(RUN, wave)
    copy = LocalEvidenceStore(Path(f"{store.root}-copy"))
    sealed = seal_bundle(prefix, {"events.jsonl": b""}, order, copy)
    for path, data in everything(copy.root).items():
        if not path.endswith("_SUCCESS"):
            store.put(path, data)
    run = dataclasses.replace(run_of(1), waves={wave: sealed.checksums_sha256})
    with pytest.raises(Refused, match="EVIDENCE_MISSING"):
        seal_run_root(run, derive_run(run, [lost_trial(1)], store), store)


def test_statements_are_split_into_files(store: LocalEvidenceStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file has a bounded number of lines and all files together verify."""
    assert LINES_PER_FILE == 10_000
    monkeypatch.setattr("runner.evidence.summaries.LINES_PER_FILE", 2)
    run = run_of(5)
    seal_run_root(run, derive_run(run, [lost_trial(n) for n in range(5)], store), store)
    files = [file.path for file in store.list(f"runs/{RUN}") if "evidence-statements" in file.path]
    assert files == [paths.evidence_statements(RUN, n) for n in (1, 2, 3)]
    assert verify_run(store, RUN).statements == 5
