"""Markers: the last-written file of a bundle, of which there is exactly one; it names subject, checksums and fence."""

from runner.evidence.reading import broken, read_small
from runner.ports.stores.evidence_store import EvidenceStore
from shared.documents.evidence.bundle import Marker, MarkerDocument
from shared.errors import BadInput, Conflict, Refused


def markers_at(store: EvidenceStore, prefix: str) -> list[Marker]:
    """Return the markers that stand directly under `prefix`."""
    return [marker for marker in Marker if store.stat(f"{prefix}/{marker}") is not None]


def require_no_other_marker(store: EvidenceStore, prefix: str, marker: Marker) -> None:
    """Raise Conflict `BUNDLE_CONFLICT` when a marker other than `marker` stands under `prefix`."""
    for other in markers_at(store, prefix):
        if other is not marker:
            raise Conflict(
                "BUNDLE_CONFLICT",
                f"the bundle is already sealed as {other}, not {marker}",
                field=f"{prefix}/{other}",
                way_out="The first seal stands; look at what ended twice.",
            )


def read_marker(store: EvidenceStore, prefix: str) -> tuple[Marker, MarkerDocument]:
    """Return the one marker under `prefix`; raise Refused when there is none, or one that does not read back exactly."""
    found = markers_at(store, prefix)
    if not found:
        raise Refused(
            "BUNDLE_UNSEALED",
            "no marker stands here, so the bundle is not sealed",
            field=prefix,
            way_out="Wait until it is sealed; `run status RUN` says what the run waits for.",
        )
    require_no_other_marker(store, prefix, found[0])
    path = f"{prefix}/{found[0]}"
    data = read_small(store, path)
    try:
        document = MarkerDocument.from_bytes(data)
    except BadInput:
        raise broken(path, "the marker cannot be read") from None
    if document.to_bytes() != data:
        raise broken(path, "the marker is not in its canonical form")
    return found[0], document
