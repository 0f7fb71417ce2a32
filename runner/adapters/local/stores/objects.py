"""The object store as a folder: `objects/<first two digits>/<digest>`, written once and hashed again on every read."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from runner.adapters.local.stores.write_once import write_once
from runner.ports.stores.answers import Applied, PutAnswer, Unknown
from runner.ports.stores.evidence_store import Source
from runner.ports.stores.full_disk import is_full
from shared.digests import CHUNK_BYTES, Digest, parse_digest, sha256, sha256_stream
from shared.errors import Refused, StoreFault
from shared.paths import object_path


class LocalObjects:
    """Objects under `root`."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def put(self, source: Source) -> PutAnswer:
        """Store `source` under its digest; a source that changes while it is read is Unknown."""
        digest = _digest_of_source(source)
        path = object_path(digest)
        try:
            answer = write_once(self._root, path, source)
        except OSError as error:
            return Unknown(path, f"{type(error).__name__}: {os.strerror(error.errno or 0)}", is_full(error))
        if isinstance(answer, Applied) and answer.sha256 != digest:
            if answer.is_new:
                (self._root / path).unlink()
            return Unknown(path, "the source changed while it was read")
        return answer

    def has(self, digest: Digest) -> bool:
        """Tell whether the object's file is there."""
        return self._file(digest).is_file()

    def read(self, digest: Digest) -> Iterator[bytes]:
        """Yield the object in chunks of 1 MiB and check them at the end."""
        running = hashlib.sha256()
        try:
            stream = self._file(digest).open("rb")
        except FileNotFoundError:
            raise Refused(
                "OBJECT_MISSING",
                "the object is not in the store",
                field=digest,
                way_out="Restore SEAWALL_HOME/objects from a copy, or submit again.",
            ) from None
        with stream:
            while chunk := stream.read(CHUNK_BYTES):
                running.update(chunk)
                yield chunk
        if running.hexdigest() != digest:
            raise StoreFault(
                "OBJECT_CORRUPT",
                "the stored bytes do not hash to the object's name",
                field=digest,
                way_out="Restore the object from a copy; nothing that names it can be trusted until then.",
            )

    def fetch(self, digest: Digest, into: Path) -> None:
        """Write the object beside `into`, verify it, and only then give it that name."""
        partial = into.with_name(f".{into.name}.partial")
        try:
            with partial.open("wb") as stream:
                for chunk in self.read(digest):
                    stream.write(chunk)
                stream.flush()
                os.fsync(stream.fileno())
            partial.replace(into)
        finally:
            with suppress(FileNotFoundError):
                partial.unlink()

    def _file(self, digest: Digest) -> Path:
        return self._root / object_path(parse_digest(digest))


def _digest_of_source(source: Source) -> Digest:
    if isinstance(source, bytes):
        return sha256(source)
    with source.open("rb") as stream:
        return sha256_stream(stream)[0]
