"""From an attempt's folder on disk to redacted loose files, an archive and an inventory, in one pass over the bytes.

Each file is read once: scanned for secrets, rewritten where there are any, hashed as written, and put into the archive or beside
it. Required files come first when the limits bind. Nothing found in the folder can make this fail: what cannot be stored is left
out with its reason, and only a missing requirement makes the evidence insufficient. Twice over the same folder gives the same
inventory to the byte. Called by runner/evidence/bundle.py, before anything is sent to a store.
"""

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from runner.evidence.archive import ArchiveWriter
from runner.evidence.inventory import HARBOR, RESERVED, RESULT, SealLimits, is_loose, kind_of
from runner.evidence.left_behind import read_left_behind
from runner.evidence.redaction import Redactor
from runner.evidence.tree import Found, OpenFile, Tree
from runner.ports.stores.evidence_store import Source
from shared import paths
from shared.digests import CHUNK_BYTES, Digest
from shared.documents.evidence.bundle import Inventory, InventoryFile, LeftOut, Requirement

_WHOLE_BYTES: Final = 2 * CHUNK_BYTES
_SMALL_BYTES: Final = 1 << 16
"""A file beside the archive that is no longer than this waits in memory; there are a handful of these in an attempt."""
_MAX_SHOWN_PATH: Final = 512
_MAX_REASON: Final = 64


@dataclass(frozen=True)
class Prepared:
    """What is ready to be sent: path in the bundle -> bytes or a file on disk, and the inventory of all of it."""

    files: Mapping[str, Source]
    inventory: Inventory


@dataclass(frozen=True)
class _Clean:
    """One file after redaction, in memory when small, else in the spool file."""

    data: bytes | None
    sha256: Digest
    size: int
    hits: Mapping[str, int]


def prepare_attempt(
    staging: Path,
    scratch: Path,
    *,
    subject: str,
    redactor: Redactor,
    required: tuple[str, ...],
    limits: SealLimits,
    left_out: tuple[LeftOut, ...] = (),
) -> Prepared:
    """Write all that an attempt's bundle will hold under the empty folder `scratch`; `left_out` never came into `staging`."""
    preparation = _Preparation(scratch, redactor, set(required))
    for each in left_out:
        preparation.leave(Found(each.path, each.size_bytes, each.reason), each.reason)
    with Tree(staging) as tree, (scratch / paths.ARCHIVE).open("wb") as stream, ArchiveWriter(stream) as archive:
        chosen = preparation.choose(tree.walk(), limits)
        preparation.leave_behind(staging / HARBOR)
        for path, found in chosen:
            preparation.take(tree, path, found, archive)
        archive.close()
    (scratch / preparation.SPOOL).unlink(missing_ok=True)
    inventory = preparation.inventory(subject)
    ours: dict[str, Source] = {paths.ARCHIVE: scratch / paths.ARCHIVE, paths.INVENTORY: inventory.to_bytes()}
    return Prepared({**preparation.loose, **ours}, inventory)


@dataclass
class _Preparation:
    SPOOL = "spool.partial"

    scratch: Path
    redactor: Redactor
    required: set[str]
    loose: dict[str, Source] = field(default_factory=dict)
    _files: list[InventoryFile] = field(default_factory=list)
    _left_out: list[LeftOut] = field(default_factory=list)
    _hits: Counter[str] = field(default_factory=Counter)
    _folded: set[str] = field(default_factory=set)
    _folders: set[str] = field(default_factory=set)
    _stored: set[str] = field(default_factory=set)

    def choose(self, walked: Iterator[Found], limits: SealLimits) -> list[tuple[str, Found]]:
        """Return path to store -> file for those within the limits, sorted; requirements and our own files have first claim."""
        candidates = []
        for found in walked:
            reason = found.reason or ("reserved_name" if found.path.split("/", 1)[0] in RESERVED else "")
            if not reason and found.size > limits.max_file_bytes:
                reason = "file_too_big"
            if reason:
                self.leave(found, reason)
            else:
                candidates.append(found)
        left, chosen = limits.max_attempt_bytes, []
        for found in sorted(candidates, key=lambda f: (f.path not in self.required, f.path.startswith(HARBOR), f.path)):
            if found.size > left:
                self.leave(found, "attempt_too_big")
            else:
                left -= found.size
                chosen.append((self.redactor.redact_text(found.path), found))
        return sorted(chosen)

    def leave_behind(self, harbor: Path) -> None:
        """List what stayed in the sandbox, so that nothing is left out unseen."""
        for thing in read_left_behind(harbor):
            self.leave(Found(HARBOR + thing.path, thing.size_bytes, ""), thing.reason[:_MAX_REASON])

    def take(self, tree: Tree, path: str, found: Found, archive: ArchiveWriter) -> None:
        """Read one file and store it under `path`, or leave it out with the reason."""
        reason = self._path_reason(found.path, path)
        opened = reason or tree.open(found.path)
        if isinstance(opened, str):
            self.leave(found, opened)
            return
        try:
            clean = self._read(opened, found)
            if isinstance(clean, str):
                self.leave(found, clean)
            else:
                self._store(found.path, path, clean, archive, is_executable=opened.is_executable)
        finally:
            os.close(opened.descriptor)

    def inventory(self, subject: str) -> Inventory:
        """Return the inventory of what was taken and left."""
        return Inventory(
            subject=subject,
            files=tuple(sorted(self._files, key=lambda file: (file.path, file.stored))),
            requirements=tuple(Requirement(path=path, is_met=path in self._stored) for path in sorted(self.required)),
            left_out=tuple(sorted(self._left_out, key=lambda left: (left.path, left.reason, left.size_bytes))),
            redactions=dict(self._hits),
        )

    def _path_reason(self, before: str, path: str) -> str:
        if path != before:
            try:
                paths.check_relative(path)
            except ValueError:
                return "unsafe_path"
            if not self.redactor.is_clean(path.encode()):
                return "secret_survives_redaction"
        return "" if self._claim(path.casefold()) else "path_collision"

    def _claim(self, folded: str) -> bool:
        """Take the name for one file, unless a file or a folder has it, or a file has the name of a folder above."""
        folders, at = [], folded.find("/")
        while at >= 0:
            folders.append(folded[:at])
            at = folded.find("/", at + 1)
        if folded in self._folded or folded in self._folders or not self._folded.isdisjoint(folders):
            return False
        self._folded.add(folded)
        self._folders.update(folders)
        return True

    def _read(self, opened: OpenFile, found: Found) -> _Clean | str:
        if found.size > _WHOLE_BYTES:
            return self._read_long(opened.descriptor, found)
        try:
            data = _read_whole(opened.descriptor, found.size + 1)
        except OSError:
            return "unreadable"
        if len(data) != found.size:
            return "changed_while_read"
        redacted, hits = self.redactor.redact(data)
        if hits:
            reason = self._hit_reason(found.path, data, redacted)
            if reason:
                return reason
        return _Clean(redacted, Digest(hashlib.sha256(redacted).hexdigest()), len(redacted), hits)

    def _hit_reason(self, path: str, before: bytes, after: bytes) -> str:
        if b"\0" in before:
            return "secret_in_binary"
        if not self.redactor.is_clean(after):
            return "secret_survives_redaction"
        if path == RESULT and _rewards(before) != _rewards(after):
            self.required.add(RESULT)
            return "redaction_changes_reward"
        return ""

    def _read_long(self, descriptor: int, found: Found) -> _Clean | str:
        """Redact a long file through the spool; only the spool's bytes go on from here."""
        stream, running, read, written, has_nul = self.redactor.stream(), hashlib.sha256(), 0, 0, False
        with (self.scratch / self.SPOOL).open("wb") as spool:
            while True:
                try:
                    chunk = os.read(descriptor, min(CHUNK_BYTES, found.size + 1 - read))
                except OSError:
                    return "unreadable"
                read += len(chunk)
                has_nul = has_nul or b"\0" in chunk
                redacted = stream.feed(chunk) if chunk else stream.finish()
                running.update(redacted)
                written += spool.write(redacted)
                if not chunk:
                    break
                if read > found.size:
                    return "changed_while_read"
        if read != found.size:
            return "changed_while_read"
        if stream.hits and has_nul:
            return "secret_in_binary"
        if stream.hits and (found.path == RESULT or not self._spool_is_clean()):
            self.required |= {RESULT} & {found.path}
            return "redaction_changes_reward" if found.path == RESULT else "secret_survives_redaction"
        return _Clean(None, Digest(running.hexdigest()), written, stream.hits)

    def _spool_is_clean(self) -> bool:
        again = self.redactor.stream()
        for chunk in self._spooled():
            again.feed(chunk)
        again.finish()
        return not again.hits

    def _spooled(self) -> Iterator[bytes]:
        with (self.scratch / self.SPOOL).open("rb") as spool:
            while chunk := spool.read(CHUNK_BYTES):
                yield chunk

    def _store(self, before: str, path: str, clean: _Clean, archive: ArchiveWriter, *, is_executable: bool) -> None:
        kind = kind_of(path)
        if is_loose(path, kind):
            self.loose[path] = self._aside(clean)
            self._list(path, kind, clean, "loose", is_changed=path != before)
        if path.startswith(HARBOR):
            archive.begin(path, clean.size, is_executable=is_executable)
            for piece in [clean.data] if clean.data is not None else self._spooled():
                archive.write(piece)
            self._list(path, kind, clean, "archive", is_changed=path != before)
        self._hits.update(clean.hits)
        if path != before:
            self._hits.update(self.redactor.redact(before.encode()).hits)
        self._stored.add(before)

    def _aside(self, clean: _Clean) -> Source:
        """Keep what lies beside the archive until it is put."""
        if clean.data is not None and clean.size <= _SMALL_BYTES:
            return clean.data
        target = self.scratch / f"loose-{len(self.loose):06d}"
        with target.open("xb") as stream:
            stream.writelines([clean.data] if clean.data is not None else self._spooled())
        return target

    def _list(self, path: str, kind: str, clean: _Clean, stored: Literal["loose", "archive"], *, is_changed: bool) -> None:
        self._files.append(
            InventoryFile(
                path=path,
                kind=kind,
                size_bytes=clean.size,
                sha256=clean.sha256,
                stored=stored,
                classification="redacted" if clean.hits or is_changed else "verbatim",
            )
        )

    def leave(self, found: Found, reason: str) -> None:
        """List one thing as left out."""
        shown = self.redactor.redact(os.fsencode(found.path)).data
        self._left_out.append(LeftOut(path=_printable(shown), reason=reason, size_bytes=found.size))


def _read_whole(descriptor: int, size: int) -> bytes:
    """Return at most `size` bytes from the start of the file."""
    data = os.read(descriptor, size)
    if len(data) in {0, size}:
        return data
    pieces = [data]
    left = size - len(data)
    while left and (chunk := os.read(descriptor, left)):
        pieces.append(chunk)
        left -= len(chunk)
    return b"".join(pieces) if len(pieces) > 1 else data


def _rewards(data: bytes) -> Any:
    """Return the rewards that a result file states, or None where it states none that can be read."""
    try:
        result = json.loads(data)
        return result["verifier_result"]["rewards"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


def _printable(name: bytes) -> str:
    text = name.decode("utf-8", "backslashreplace")
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)[:_MAX_SHOWN_PATH]
