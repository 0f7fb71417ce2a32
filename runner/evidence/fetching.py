"""Copying one sealed bundle out of the store, verified before, on the way and in place; used by `evidence fetch`.

The copy grows in a hidden folder beside its place and takes its name when it is whole, so a folder that is there is whole. What
a copy that was ended left behind is used again as far as its bytes are the sealed ones. A second fetch of the same bundle into
the same folder verifies the copy and changes nothing; any other folder with something in it is refused.
"""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from runner.evidence.bundle import SealedBundle
from runner.evidence.reading import broken
from runner.evidence.verification import verify_bundle
from runner.ports.stores.evidence_store import EvidenceStore
from shared import paths
from shared.digests import CHUNK_BYTES, sha256, sha256_stream
from shared.documents.evidence.bundle import MarkerDocument
from shared.errors import BadInput, Refused
from shared.ids import RunId

type Content = Mapping[str, tuple[str, int]]
"""Digest and size by path."""


class Fetched(NamedTuple):
    """A bundle that was copied; `is_new` if it was not there before."""

    bundle: SealedBundle
    is_new: bool


def find_attempt(store: EvidenceStore, run_id: RunId, name: str) -> str:
    """Return where the evidence of the run's attempt `name` (its id, or enough of its end) lies; raise Refused if nowhere."""
    found = set()
    for stored in store.list(paths.run_prefix(run_id)):
        before, is_below, rest = stored.path.partition("/attempts/")
        attempt = rest.partition("/")[0]
        if is_below and name and attempt.endswith(name):
            found.add(f"{before}/attempts/{attempt}")
    if len(found) == 1:
        return found.pop()
    if found:
        raise Refused("AMBIGUOUS", f"{len(found)} attempts end with {name}", field="--attempt", way_out="Give the whole id.")
    message = f"no evidence of an attempt {name} is stored for {run_id}"
    raise Refused("NOT_FOUND", message, field="--attempt", way_out="`run status RUN --json` names the attempts.")


def require_free(into: Path) -> None:
    """Raise BadInput unless `into` is not there, or is an empty folder."""
    if into.is_symlink() or (into.exists() and (not into.is_dir() or any(into.iterdir()))):
        message = f"{into} is there and is no copy of this bundle"
        raise BadInput("FOLDER_NOT_EMPTY", message, field="--into", way_out="Name a new folder.")


def fetch_bundle(store: EvidenceStore, prefix: str, into: Path) -> Fetched:
    """Verify the bundle under `prefix` and copy it to the folder `into`, unless a whole copy of it stands there."""
    sealed = verify_bundle(store, prefix)
    ours = _documents(sealed)
    files = {file.path: (str(file.sha256), file.size) for file in sealed.manifest.files}
    content = files | {path: (str(sha256(data)), len(data)) for path, data in ours.items()}
    if _is_copy(into, content):
        return Fetched(sealed, is_new=False)
    require_free(into)
    part = into.with_name(f".{into.name}.{sealed.checksums_sha256[:16]}.part")
    _require_own(part)
    part.mkdir(parents=True, exist_ok=True, mode=0o700)
    for path, expected in files.items():
        _copy(store, f"{prefix}/{path}", part / path, expected)
    for path, data in ours.items():
        (part / path).write_bytes(data)
    if not _is_copy(part, content):
        raise broken(str(part), "the copy holds something else than the bundle")
    if into.exists():
        into.rmdir()
    part.rename(into)
    return Fetched(sealed, is_new=True)


def _documents(sealed: SealedBundle) -> dict[str, bytes]:
    """Return the checksums and, last, the marker."""
    marker = MarkerDocument(subject=sealed.subject, checksums_sha256=sealed.checksums_sha256, fence=sealed.fence)
    return {paths.CHECKSUMS: sealed.manifest.to_bytes(), sealed.marker.value: marker.to_bytes()}


def _require_own(part: Path) -> None:
    """Remove what stands in the place of the growing copy and is no folder of plain files."""
    if part.is_symlink() or (part.exists() and not part.is_dir()):
        part.unlink()
    elif part.exists() and any(each.is_symlink() for each in part.rglob("*")):
        shutil.rmtree(part)


def _copy(store: EvidenceStore, path: str, target: Path, expected: tuple[str, int]) -> None:
    if target.is_file() and _hashed(target) == expected:
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    with store.open(path) as stream, target.open("wb") as copy:
        while chunk := stream.read(CHUNK_BYTES):
            copy.write(chunk)
    if _hashed(target) != expected:
        raise broken(path, "the file changed between verification and copy")


def _is_copy(folder: Path, content: Content) -> bool:
    if folder.is_symlink() or not folder.is_dir():
        return False
    found = [each for each in folder.rglob("*") if each.is_symlink() or not each.is_dir()]
    names = {each.relative_to(folder).as_posix() for each in found}
    if names != content.keys() or any(each.is_symlink() for each in found):
        return False
    return all(_hashed(folder / path) == expected for path, expected in content.items())


def _hashed(file: Path) -> tuple[str, int]:
    with file.open("rb") as stream:
        digest, size = sha256_stream(stream)
    return str(digest), size
