"""The deterministic archive of a tree: tar in PAX form, gzip without name or time, and how it is read again.

Owner, group and time are 0, modes are 644 or 755, members come in the order the caller gives. The tar bytes depend on the
members alone. The compressed bytes also depend on the deflate library (igzip where installed, zlib elsewhere), so they identify
nothing: the inventory does. Called by sealing and verification.
"""

import hashlib
import struct
import tarfile
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO, Final, NamedTuple

from shared.digests import CHUNK_BYTES, Digest
from shared.errors import Refused

_BLOCK: Final = tarfile.BLOCKSIZE
_GZIP_HEAD: Final = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
_TAIL: Final = b"0" * 7 + b"\0"


class Member(NamedTuple):
    """One file read back from an archive."""

    path: str
    size: int
    sha256: Digest


class ArchiveWriter:
    """Writes members one after another to a binary stream; `close` ends the archive, not the stream."""

    def __init__(self, stream: BinaryIO, *, level: int | None = None) -> None:
        self._stream = stream
        self._deflate, self._crc32 = _codec(level)
        self._crc, self._size, self._open = 0, 0, 0
        stream.write(_GZIP_HEAD)

    def begin(self, path: str, size: int, *, is_executable: bool) -> None:
        """Begin the member `path` of exactly `size` bytes, which `write` then gives."""
        self._end_member()
        self._write(header_bytes(path, size, 0o755 if is_executable else 0o644))
        self._open = size
        self._padding = -size % _BLOCK

    def write(self, data: bytes) -> None:
        """Write bytes of the member begun last."""
        self._open -= len(data)
        self._write(data)

    def close(self) -> None:
        """Write the end of the archive."""
        self._end_member()
        self._write(b"\0" * 2 * _BLOCK)
        self._stream.write(self._deflate.flush())
        self._stream.write(struct.pack("<LL", self._crc, self._size & 0xFFFFFFFF))

    _padding: int = 0

    def _end_member(self) -> None:
        if self._open:
            raise ValueError(f"the member before is off by {self._open} bytes")
        if self._padding:
            self._write(b"\0" * self._padding)
            self._padding = 0

    def _write(self, data: bytes) -> None:
        self._crc = self._crc32(data, self._crc)
        self._size += len(data)
        self._stream.write(self._deflate.compress(data))


def header_bytes(path: str, size: int, mode: int) -> bytes:
    """Return the tar header of a regular file: the plain form where it fits, else PAX, as Python's tarfile writes it."""
    name = path.encode("utf-8")
    if len(name) > 100 or not name.isascii() or size >= 8**11:
        member = tarfile.TarInfo(path)
        member.size, member.mode = size, mode
        return member.tobuf(tarfile.PAX_FORMAT)
    head = b"%b%07o\0%b%b%011o\0%011o\0" % (name.ljust(100, b"\0"), mode, _TAIL, _TAIL, size, 0)
    rest = b"0" + b"\0" * 100 + b"ustar\x0000" + b"\0" * 247
    return b"%b%06o\0 %b" % (head, sum(head) + sum(rest) + 8 * 32, rest)


def read_members(stream: BinaryIO, name: str) -> Iterator[Member]:
    """Yield every member of the archive in `stream` with its digest; raise Refused when it is damaged or holds anything else."""
    try:
        with tarfile.open(fileobj=stream, mode="r|gz") as archive:
            for member in archive:
                yield _read_member(archive, member)
    except (tarfile.TarError, zlib.error, EOFError, OSError, ValueError, struct.error) as error:
        raise Refused("EVIDENCE_BROKEN", f"the archive cannot be read: {type(error).__name__}", field=name) from None


def _read_member(archive: tarfile.TarFile, member: tarfile.TarInfo) -> Member:
    content = archive.extractfile(member) if member.isreg() else None
    if content is None:
        raise ValueError("a member is not a regular file")
    running, size = hashlib.sha256(), 0
    while chunk := content.read(CHUNK_BYTES):
        running.update(chunk)
        size += len(chunk)
    return Member(member.name, size, Digest(running.hexdigest()))


def _codec(level: int | None) -> tuple[Any, Any]:
    """Return a raw-deflate compressor and a CRC function; level None is the fast library's, or zlib's fastest."""
    if level is None:
        try:
            from isal import isal_zlib
        except ImportError:
            level = 1
        else:
            return isal_zlib.compressobj(1, isal_zlib.DEFLATED, -15), isal_zlib.crc32
    return zlib.compressobj(level, zlib.DEFLATED, -15), zlib.crc32
