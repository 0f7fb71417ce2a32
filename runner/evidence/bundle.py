"""Sealing: files, read back; checksums, read back; the marker last. Safe to repeat after a kill at any of its steps.

What must always be true: a bundle whose marker is visible has every file that its checksums list; sealing the same folder again
writes the same bytes and changes nothing; a bundle with other bytes, or a second marker, is `BUNDLE_CONFLICT`; no secret is in
any byte that is sent. A put of unknown outcome is resolved by reading, and tried three times. Called by the use cases that end
an attempt, a wave and a run.
"""

import shutil
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from runner.domain.yields import declare, reach
from runner.evidence.inventory import SealLimits
from runner.evidence.markers import require_no_other_marker
from runner.evidence.reading import broken, hash_stored, read_small, verify_archive
from runner.evidence.redaction import Redactor
from runner.evidence.staging import prepare_attempt
from runner.ports.stores.answers import Applied
from runner.ports.stores.answers import Conflict as OtherBytes
from runner.ports.stores.evidence_store import EvidenceStore, Source
from runner.ports.stores.full_disk import store_full
from shared import paths
from shared.digests import Digest
from shared.documents.evidence.bundle import Inventory, LeftOut, Marker, MarkerDocument
from shared.documents.manifest import Manifest, ManifestFile, ManifestRef
from shared.errors import Conflict, Refused, StoreFault
from shared.outcomes import Category

PUT_TRIES: Final = 3

BEFORE_FILE: Final = declare("evidence.before_file", "sealing, before each file of a bundle is put")
AFTER_FILE: Final = declare("evidence.after_file", "sealing, after each file was put and read back")
BEFORE_CHECKSUMS: Final = declare("evidence.before_checksums", "sealing, all files stand, checksums.json does not")
BEFORE_MARKER: Final = declare("evidence.before_marker", "sealing, checksums.json was read back, the marker is not put")
AFTER_MARKER: Final = declare("evidence.after_marker", "sealing, the marker stands")


@dataclass(frozen=True)
class SealOrder:
    """Whose bundle this is and how it ended; `secrets` (name -> value) stay in memory."""

    subject: str
    marker: Marker
    fence: int = 0
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    required: tuple[str, ...] = ()
    limits: SealLimits = field(default_factory=SealLimits)
    refs: tuple[ManifestRef, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    """What whoever filled the folder left out of it, and why; listed with what sealing leaves out."""


@dataclass(frozen=True)
class SealedBundle:
    """A bundle whose every byte was read back; the only thing that scoring and publication take."""

    prefix: str
    subject: str
    marker: Marker
    fence: int
    checksums_sha256: Digest
    inventory_sha256: Digest | None
    files: int
    bytes: int
    left_out: tuple[LeftOut, ...]
    redactions: Mapping[str, int]
    category: Category | None
    manifest: Manifest = field(repr=False)


def seal_attempt(staging: Path, prefix: str, order: SealOrder, store: EvidenceStore) -> SealedBundle:
    """Redact and seal the attempt's folder `staging` under `prefix`.

    A success whose requirements are not all stored is sealed as `_FAILED`, and the result carries the category `evidence`.
    """
    scratch = staging.with_name(f"{staging.name}.sealing")
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(mode=0o700)
    try:
        prepared = prepare_attempt(
            staging,
            scratch,
            subject=order.subject,
            redactor=Redactor(order.secrets),
            required=order.required,
            limits=order.limits,
            left_out=order.left_out,
        )
        return _seal(prefix, prepared.files, order, store, inventory=prepared.inventory)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def seal_bundle(
    prefix: str,
    files: Mapping[str, Source],
    order: SealOrder,
    store: EvidenceStore,
    *,
    present: tuple[str, ...] = (),
    is_verbatim: bool = False,
) -> SealedBundle:
    """Redact and seal small `files` (path -> bytes or file); `present` ones already stand in the store and are only listed.

    `is_verbatim` is for documents that were written from ids and digests alone: their bytes are their identity.
    """
    redactor = Redactor(order.secrets)
    hits: Counter[str] = Counter()
    clean: dict[str, Source] = dict(files) if is_verbatim else {}
    for path in () if is_verbatim else sorted(files):
        source = files[path]
        data, found = redactor.redact(source if isinstance(source, bytes) else source.read_bytes())
        if found and not redactor.is_clean(data):
            raise Refused(
                "SECRET_SURVIVES",
                "a secret is part of its own redaction; nothing was stored",
                field=path,
                way_out="Give the secret another value.",
            )
        clean[path] = data
        hits.update(found)
    return _seal(prefix, clean, order, store, present=present, redactions=hits)


def finish_bundle(prefix: str, store: EvidenceStore) -> SealedBundle:
    """Put the marker that the checksums under `prefix` name: their writer was killed before it could; every file is re-read."""
    manifest = Manifest.from_bytes(read_small(store, f"{prefix}/{paths.CHECKSUMS}"))
    for file in manifest.files:
        if hash_stored(store, f"{prefix}/{file.path}") != (file.sha256, file.size):
            raise broken(f"{prefix}/{file.path}", "the file is not the one that the checksums list")
    return _mark(prefix, Marker(str(manifest.meta["marker"])), manifest, store, None)


def sealed_bundle(prefix: str, marker: Marker, manifest: Manifest, inventory: Inventory | None) -> SealedBundle:
    """Return what the two documents of a bundle say of it."""
    redactions = {key.removeprefix("redacted:"): v for key, v in manifest.meta.items() if key.startswith("redacted:")}
    return SealedBundle(
        prefix=prefix,
        subject=str(manifest.meta["subject"]),
        marker=marker,
        fence=int(manifest.meta["fence"] or 0),
        checksums_sha256=manifest.digest,
        inventory_sha256=inventory.digest if inventory else None,
        files=len(manifest.files),
        bytes=sum(file.size for file in manifest.files),
        left_out=inventory.left_out if inventory else (),
        redactions=inventory.redactions if inventory else {rule: int(count or 0) for rule, count in redactions.items()},
        category=None if inventory is None or inventory.is_sufficient else Category.EVIDENCE,
        manifest=manifest,
    )


def _seal(
    prefix: str,
    files: Mapping[str, Source],
    order: SealOrder,
    store: EvidenceStore,
    *,
    inventory: Inventory | None = None,
    present: tuple[str, ...] = (),
    redactions: Mapping[str, int] | None = None,
) -> SealedBundle:
    marker = order.marker
    if marker is Marker.SUCCESS and inventory and not inventory.is_sufficient:
        marker = Marker.FAILED
    require_no_other_marker(store, prefix, marker)
    entries = [_entry(path, *hash_stored(store, f"{prefix}/{path}")) for path in present]
    for path in sorted(files):
        reach(BEFORE_FILE)
        entries.append(_entry(path, *_put(store, f"{prefix}/{path}", files[path], inventory)))
        reach(AFTER_FILE)
    manifest = Manifest(
        kind="bundle",
        files=tuple(sorted(entries, key=lambda entry: entry.path)),
        refs=tuple(sorted(order.refs, key=lambda ref: (ref.kind, ref.subject))),
        meta={
            "subject": order.subject,
            "fence": order.fence,
            "marker": marker.value,
            **{f"redacted:{rule}": count for rule, count in (redactions or {}).items()},
        },
    )
    reach(BEFORE_CHECKSUMS)
    _put(store, f"{prefix}/{paths.CHECKSUMS}", manifest.to_bytes(), None)
    return _mark(prefix, marker, manifest, store, inventory)


def _mark(prefix: str, marker: Marker, manifest: Manifest, store: EvidenceStore, inventory: Inventory | None) -> SealedBundle:
    reach(BEFORE_MARKER)
    document = MarkerDocument(
        subject=str(manifest.meta["subject"]), checksums_sha256=manifest.digest, fence=int(manifest.meta["fence"] or 0)
    )
    require_no_other_marker(store, prefix, marker)
    _put(store, f"{prefix}/{marker}", document.to_bytes(), None)
    reach(AFTER_MARKER)
    require_no_other_marker(store, prefix, marker)
    return sealed_bundle(prefix, marker, manifest, inventory)


def _entry(path: str, sha256: Digest, size: int) -> ManifestFile:
    return ManifestFile(path=path, sha256=sha256, size=size)


def _put(store: EvidenceStore, path: str, source: Source, inventory: Inventory | None) -> tuple[Digest, int]:
    """Put `source`, read it back, and return what stands there."""
    because = ""
    for _ in range(PUT_TRIES):
        answer = store.put(path, source)
        if isinstance(answer, Applied):
            found = hash_stored(store, path)
            if found == (answer.sha256, answer.size):
                return found
            because = "what was read back is not what was written"
        elif isinstance(answer, OtherBytes):
            return _adopt_archive(store, path, answer, inventory)
        elif answer.is_full:
            raise store_full(path)
        else:
            because = answer.because
    raise StoreFault(
        "EVIDENCE_UNKNOWN",
        f"the store did not confirm the file in {PUT_TRIES} tries: {because}",
        field=path,
        way_out="Seal again: what is stored is found and kept.",
    )


def _adopt_archive(store: EvidenceStore, path: str, answer: OtherBytes, inventory: Inventory | None) -> tuple[Digest, int]:
    """Keep an archive that another deflate library wrote, when its members are exactly those of the inventory."""
    if inventory is None or not path.endswith(f"/{paths.ARCHIVE}"):
        raise conflict(path)
    found = hash_stored(store, path)
    try:
        verify_archive(store, path, inventory)
    except Refused:
        raise conflict(path) from None
    if found[0] != answer.sha256:
        raise StoreFault(
            "EVIDENCE_UNSTABLE",
            "the stored file changed between two reads",
            field=path,
            way_out="Nothing: what was not stored is sealed again.",
        )
    return found


def conflict(path: str) -> Conflict:
    """Return the error of a bundle that already stands with other bytes."""
    return Conflict(
        "BUNDLE_CONFLICT",
        "other bytes already stand at this path of the bundle; nothing was changed",
        field=path,
        way_out="Run `evidence verify` on the run and find who sealed it first.",
    )
