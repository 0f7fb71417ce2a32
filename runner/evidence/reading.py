"""Reading evidence back: hashing stored files, and comparing an archive with its inventory. Every break names its file."""

from typing import Final

from runner.evidence.archive import ArchiveDamaged, Member, verify_members
from runner.ports.stores.evidence_store import EvidenceStore
from shared.digests import Digest, sha256_stream
from shared.documents.evidence.bundle import Inventory
from shared.errors import Refused

MAX_DOCUMENT_BYTES: Final = 256 << 20


def hash_stored(store: EvidenceStore, path: str) -> tuple[Digest, int]:
    """Return digest and size of the stored file `path`, read through."""
    with store.open(path) as stream:
        return sha256_stream(stream)


def read_small(store: EvidenceStore, path: str) -> bytes:
    """Return the bytes of a stored document."""
    with store.open(path) as stream:
        data = stream.read(MAX_DOCUMENT_BYTES + 1)
    if len(data) > MAX_DOCUMENT_BYTES:
        raise broken(path, f"a document may have {MAX_DOCUMENT_BYTES} bytes")
    return data


def verify_archive(store: EvidenceStore, path: str, inventory: Inventory) -> int:
    """Check that the archive at `path` holds exactly the inventory's archived files, in order; return how many."""
    expected = (Member(file.path, file.size_bytes, file.sha256) for file in inventory.files if file.stored == "archive")
    with store.open(path) as stream:
        try:
            return verify_members(stream, expected)
        except ArchiveDamaged as damage:
            raise broken(f"{path}!{damage.path}", damage.because) from None


def broken(path: str, message: str) -> Refused:
    """Return the refusal of evidence that does not verify at `path`."""
    return Refused(
        "EVIDENCE_BROKEN",
        message,
        field=path,
        way_out="Do not score or publish it; restore the file from a copy or leave the trial unscored.",
    )
