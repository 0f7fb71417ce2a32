"""Verification: everything that a seal promises, re-read from the store or from a copy of it; the first break is named.

`verify_bundle` re-hashes one bundle: marker, checksums, each file, the exact set, the archive against the inventory.
`verify_run` follows the references from the run's root down to every attempt, and compares the published evidence statements
with what it found. Nothing here trusts a size, a name or a digest that it has not recomputed. Used by `evidence verify`, by
scoring and by publication.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from runner.evidence.bundle import SealedBundle, sealed_bundle
from runner.evidence.markers import read_marker
from runner.evidence.reading import broken, hash_stored, read_small, verify_archive
from runner.ports.stores.evidence_store import EvidenceStore
from shared import paths
from shared.documents.evidence.bundle import Inventory, Marker, MarkerDocument
from shared.documents.evidence.evidence_statement import EvidenceStatement
from shared.documents.evidence.trial_summary import TrialSummary
from shared.documents.manifest import Manifest, ManifestRef
from shared.errors import BadInput
from shared.ids import CellId, RunId

_NESTED: Final = frozenset({"attempts", "trials", "cells", "waves", "progress", "progress-evidence"})


@dataclass(frozen=True)
class RunVerification:
    """What `verify_run` read: all of it verified, or it would have raised."""

    run_id: RunId
    marker: Marker
    checksums_sha256: str
    bundles: int
    files: int
    bytes: int
    statements: int


def verify_bundle(store: EvidenceStore, prefix: str) -> SealedBundle:
    """Re-hash the bundle under `prefix`; raise Refused naming the first file that is missing, extra or not what was sealed."""
    marker, document = read_marker(store, prefix)
    manifest = _read_checksums(store, prefix, marker, document)
    for file in manifest.files:
        path = f"{prefix}/{file.path}"
        if hash_stored(store, path) != (file.sha256, file.size):
            raise broken(path, "the file is not the one that was sealed")
    _require_exact_set(store, prefix, manifest, marker)
    return sealed_bundle(prefix, marker, manifest, _read_inventory(store, prefix, manifest))


def verify_run(store: EvidenceStore, run_id: RunId) -> RunVerification:
    """Verify the run's root and every bundle below it; raise Refused naming the first broken link."""
    root = verify_bundle(store, paths.run_prefix(run_id))
    bundles = [root]
    proven: dict[str, tuple[str, TrialSummary]] = {}
    for ref in root.manifest.refs:
        child = _verify_child(store, f"{root.prefix}/{ref.kind}s/{ref.subject}", ref)
        bundles.append(child)
        for trial_ref in child.manifest.refs if ref.kind == "cell" else ():
            trial = _verify_child(store, f"{child.prefix}/trials/{trial_ref.subject}", trial_ref)
            summary = _trial_summary(store, trial)
            attempts = [_verify_child(store, f"{trial.prefix}/attempts/{r.subject}", r) for r in trial.manifest.refs]
            _require_selected(trial, summary, attempts)
            proven[trial.subject] = (CellId(child.subject), summary)
            bundles += [trial, *attempts]
    statements = _compare_statements(store, root, proven, {bundle.subject: bundle for bundle in bundles})
    return RunVerification(
        run_id=run_id,
        marker=root.marker,
        checksums_sha256=root.checksums_sha256,
        bundles=len(bundles),
        files=sum(bundle.files for bundle in bundles),
        bytes=sum(bundle.bytes for bundle in bundles),
        statements=statements,
    )


def _read_checksums(store: EvidenceStore, prefix: str, marker: Marker, document: MarkerDocument) -> Manifest:
    path = f"{prefix}/{paths.CHECKSUMS}"
    data = read_small(store, path)
    try:
        manifest = Manifest.from_bytes(data)
    except BadInput:
        raise broken(path, "the checksums cannot be read") from None
    if manifest.to_bytes() != data or manifest.digest != document.checksums_sha256:
        raise broken(path, "the checksums are not the ones that the marker names")
    said = {"subject": document.subject, "fence": document.fence, "marker": marker.value}
    if {key: manifest.meta.get(key) for key in said} != said:
        raise broken(f"{prefix}/{marker}", "the marker and the checksums differ on subject, fence or end")
    return manifest


def _require_exact_set(store: EvidenceStore, prefix: str, manifest: Manifest, marker: Marker) -> None:
    listed = {file.path for file in manifest.files} | {paths.CHECKSUMS, marker.value}
    for stored in store.list(prefix):
        below = stored.path.removeprefix(f"{prefix}/")
        if below not in listed and below.split("/", 1)[0] not in _NESTED:
            raise broken(stored.path, "the bundle holds a file that its checksums do not list")


def _read_inventory(store: EvidenceStore, prefix: str, manifest: Manifest) -> Inventory | None:
    listed = {file.path: file for file in manifest.files}
    if paths.INVENTORY not in listed:
        return None
    path = f"{prefix}/{paths.INVENTORY}"
    try:
        inventory = Inventory.from_bytes(read_small(store, path))
    except BadInput:
        raise broken(path, "the inventory cannot be read") from None
    loose = {file.path: (file.sha256, file.size_bytes) for file in inventory.files if file.stored == "loose"}
    ours = {paths.INVENTORY, paths.ARCHIVE}
    if loose != {file.path: (file.sha256, file.size) for file in manifest.files if file.path not in ours}:
        raise broken(path, "the inventory and the checksums list different loose files")
    if inventory.subject != manifest.meta["subject"]:
        raise broken(path, "the inventory is of another subject")
    verify_archive(store, f"{prefix}/{paths.ARCHIVE}", inventory)
    return inventory


def _verify_child(store: EvidenceStore, prefix: str, ref: ManifestRef) -> SealedBundle:
    child = verify_bundle(store, prefix)
    if child.checksums_sha256 != ref.sha256 or child.subject != ref.subject:
        raise broken(f"{prefix}/{paths.CHECKSUMS}", "the bundle is not the one that its parent names")
    return child


def _trial_summary(store: EvidenceStore, trial: SealedBundle) -> TrialSummary:
    path = f"{trial.prefix}/{paths.TRIAL_SUMMARY}"
    try:
        return TrialSummary.from_bytes(read_small(store, path))
    except BadInput:
        raise broken(path, "the trial's summary cannot be read") from None


def _require_selected(trial: SealedBundle, summary: TrialSummary, attempts: list[SealedBundle]) -> None:
    sealed = {attempt.subject: attempt.checksums_sha256 for attempt in attempts}
    if summary.trial_id != trial.subject or summary.selected_attempt_id not in {None, *sealed}:
        raise broken(f"{trial.prefix}/{paths.TRIAL_SUMMARY}", "the selected attempt is not among the trial's sealed attempts")


def _compare_statements(
    store: EvidenceStore,
    root: SealedBundle,
    proven: dict[str, tuple[str, TrialSummary]],
    bundles: dict[str, SealedBundle],
) -> int:
    """Require one statement a trial, in the order of trial ids, each equal to what the trial's own bundles say."""
    trials = iter(sorted(proven))
    count = 0
    for path, line in _statement_lines(store, root):
        trial = next(trials, None)
        try:
            statement = EvidenceStatement.from_bytes(line)
        except BadInput:
            raise broken(path, f"statement {count + 1} cannot be read") from None
        if trial is None or statement.to_bytes() != line or statement != _expected(proven[trial][1], bundles):
            raise broken(path, f"statement {count + 1} is not what the evidence of trial {statement.trial_id} says")
        count += 1
    if next(trials, None) is not None:
        raise broken(f"{root.prefix}/{paths.CHECKSUMS}", "a trial has no evidence statement")
    return count


def _expected(summary: TrialSummary, bundles: dict[str, SealedBundle]) -> EvidenceStatement:
    selected = bundles[summary.selected_attempt_id] if summary.selected_attempt_id else None
    return EvidenceStatement(
        trial_id=summary.trial_id,
        attempt_id=summary.selected_attempt_id,
        bundle_sha256=selected.checksums_sha256 if selected else None,
        reward=summary.reward,
        outcome=summary.outcome,
        files=selected.files if selected else 0,
        bytes=selected.bytes if selected else 0,
    )


def _statement_lines(store: EvidenceStore, root: SealedBundle) -> Iterator[tuple[str, bytes]]:
    for file in root.manifest.files:
        if file.path.startswith("evidence-statements-"):
            path = f"{root.prefix}/{file.path}"
            for line in read_small(store, path).splitlines():
                yield path, line
