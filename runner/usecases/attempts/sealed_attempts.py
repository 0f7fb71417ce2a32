"""Reading sealed attempts back from the evidence store: what recovery, publication and verification all start from."""

from typing import NamedTuple

from runner.evidence.bundle import SealedBundle, sealed_bundle
from runner.evidence.markers import markers_at, read_marker
from runner.evidence.reading import broken, hash_stored, read_small
from runner.ports.stores.evidence_store import EvidenceStore
from runner.usecases.attempts.attempt_reading import AttemptReading, Scoring, read_attempt
from shared import paths
from shared.digests import sha256
from shared.documents.evidence.attempt import AttemptDocument, AttemptEnding
from shared.documents.evidence.bundle import Inventory
from shared.documents.manifest import Manifest
from shared.outcomes import Category

RESULT = "harbor/result.json"


class StoredAttempt(NamedTuple):
    """A sealed attempt with what its bundle says."""

    document: AttemptDocument
    ending: AttemptEnding
    reading: AttemptReading
    bundle: SealedBundle
    inventory: Inventory


def read_sealed_attempt(store: EvidenceStore, prefix: str, scoring: Scoring) -> StoredAttempt:
    """Return the sealed attempt under `prefix`; each file read is checked against the checksums that the marker names."""
    bundle, inventory = read_seal(store, prefix)
    listed = {file.path: file for file in bundle.manifest.files}

    def read(path: str) -> bytes:
        data = read_small(store, f"{prefix}/{path}")
        if path not in listed or (sha256(data), len(data)) != (listed[path].sha256, listed[path].size):
            raise broken(f"{prefix}/{path}", "the file is not the one that was sealed")
        return data

    document = AttemptDocument.from_bytes(read(paths.ATTEMPT))
    ending = AttemptEnding.from_bytes(read(paths.EVENTS).rstrip(b"\n").rpartition(b"\n")[2])
    result = read(RESULT) if RESULT in listed else None
    reading = read_attempt(document, ending, result, scoring, has_secret_left=bundle.category is Category.EVIDENCE)
    return StoredAttempt(document, ending, reading, bundle, inventory)


def read_seal(store: EvidenceStore, prefix: str) -> tuple[SealedBundle, Inventory]:
    """Return what marker, checksums and inventory of an attempt say; raise Refused where one does not follow from the other."""
    marker, named = read_marker(store, prefix)
    manifest = Manifest.from_bytes(read_small(store, f"{prefix}/{paths.CHECKSUMS}"))
    if manifest.digest != named.checksums_sha256:
        raise broken(f"{prefix}/{paths.CHECKSUMS}", "the checksums are not the ones that the marker names")
    inventory = Inventory.from_bytes(read_small(store, f"{prefix}/{paths.INVENTORY}"))
    if inventory.digest != next((file.sha256 for file in manifest.files if file.path == paths.INVENTORY), None):
        raise broken(f"{prefix}/{paths.INVENTORY}", "the inventory is not the one that was sealed")
    return sealed_bundle(prefix, marker, manifest, inventory), inventory


def is_sealed_as(store: EvidenceStore, prefix: str, checksums_sha256: str) -> bool:
    """Tell whether a bundle with exactly these checksums is sealed under `prefix`."""
    if not markers_at(store, prefix):
        return False
    _, named = read_marker(store, prefix)
    return named.checksums_sha256 == checksums_sha256 == hash_stored(store, f"{prefix}/{paths.CHECKSUMS}")[0]
