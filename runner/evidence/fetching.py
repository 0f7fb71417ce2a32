"""Copying one sealed bundle into a new folder, verified on the way; used by `evidence fetch`."""

from pathlib import Path

from runner.evidence.bundle import SealedBundle
from runner.evidence.reading import broken
from runner.evidence.verification import verify_bundle
from runner.ports.stores.evidence_store import EvidenceStore
from shared import paths
from shared.digests import CHUNK_BYTES, sha256_stream
from shared.documents.evidence.bundle import MarkerDocument
from shared.errors import BadInput


def fetch_bundle(store: EvidenceStore, prefix: str, into: Path) -> SealedBundle:
    """Verify the bundle under `prefix` and copy it to the folder `into`, which must not exist; the marker is copied last."""
    if into.exists():
        raise BadInput("FOLDER_EXISTS", "the folder is already there", field=str(into), way_out="Name a new folder.")
    sealed = verify_bundle(store, prefix)
    for file in sealed.manifest.files:
        target = into / file.path
        _copy(store, f"{prefix}/{file.path}", target)
        with target.open("rb") as stream:
            if sha256_stream(stream) != (file.sha256, file.size):
                raise broken(f"{prefix}/{file.path}", "the file changed between verification and copy")
    (into / paths.CHECKSUMS).write_bytes(sealed.manifest.to_bytes())
    marker = MarkerDocument(subject=sealed.subject, checksums_sha256=sealed.checksums_sha256, fence=sealed.fence)
    (into / sealed.marker).write_bytes(marker.to_bytes())
    return sealed


def _copy(store: EvidenceStore, path: str, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with store.open(path) as stream, target.open("xb") as copy:
        while chunk := stream.read(CHUNK_BYTES):
            copy.write(chunk)
