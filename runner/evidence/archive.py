"""The deterministic archive of a tree: tar in PAX form, gzip without name or time, and how it is read again.

Owner, group and time are 0, modes are 644 or 755, members come in the order the caller gives. The tar bytes depend on the
members alone. The compressed bytes also depend on the deflate library (igzip where installed, zlib elsewhere), so they identify
nothing: the inventory does. Called by sealing and verification.
"""

import hashlib
import struct
import tarfile
import zlib
from collections import deque
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Any, BinaryIO, Final, NamedTuple, Self

from shared.digests import CHUNK_BYTES, Digest

_BLOCK: Final = tarfile.BLOCKSIZE
_BLOCKS_UNDER_WAY: Final = 4
_GZIP_HEAD: Final = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
_TAIL: Final = b"0" * 7 + b"\0"


class Member(NamedTuple):
    """One file that an archive must hold."""

    path: str
    size: int
    sha256: Digest


class ArchiveWriter:
    """Writes members one after another to a binary stream; as a context manager it waits for its thread, also after an error.

    Deflating takes as long as scanning, so it is done beside it in one thread, in blocks of a fixed size: the same tar bytes meet
    the deflate library in the same pieces and come out equal.
    """

    def __init__(self, stream: BinaryIO, *, level: int | None = None) -> None:
        self._deflated = _Deflated(stream, level)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="archive")
        self._under_way: deque[Future[None]] = deque()
        self._block = bytearray()
        self._open, self._padding = 0, 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._thread.shutdown(wait=True, cancel_futures=True)

    def begin(self, path: str, size: int, *, is_executable: bool) -> None:
        """Begin the member `path` of exactly `size` bytes, which `write` then gives."""
        self._end_member()
        self._add(header_bytes(path, size, 0o755 if is_executable else 0o644))
        self._open, self._padding = size, -size % _BLOCK

    def write(self, data: bytes) -> None:
        """Write bytes of the member begun last."""
        self._open -= len(data)
        self._add(data)

    def close(self) -> None:
        """Write the end of the archive, all of which is in the stream afterwards."""
        self._end_member()
        self._add(b"\0" * 2 * _BLOCK)
        while self._under_way:
            self._under_way.popleft().result()
        self._deflated.add(bytes(self._block))
        self._deflated.end()

    def _end_member(self) -> None:
        if self._open:
            raise ValueError(f"the member before is off by {self._open} bytes")
        self._add(b"\0" * self._padding)
        self._padding = 0

    def _add(self, data: bytes) -> None:
        self._block += data
        while len(self._block) >= CHUNK_BYTES:
            self._hand_over(bytes(self._block[:CHUNK_BYTES]))
            del self._block[:CHUNK_BYTES]

    def _hand_over(self, block: bytes) -> None:
        if len(self._under_way) == _BLOCKS_UNDER_WAY:
            self._under_way.popleft().result()
        self._under_way.append(self._thread.submit(self._deflated.add, block))


class _Deflated:
    """The gzip side: deflates blocks in the order they come."""

    def __init__(self, stream: BinaryIO, level: int | None) -> None:
        self._stream = stream
        self._deflate, self._crc32 = _codec(level)
        self._crc, self._size = 0, 0
        stream.write(_GZIP_HEAD)

    def add(self, block: bytes) -> None:
        self._crc = self._crc32(block, self._crc)
        self._size += len(block)
        self._stream.write(self._deflate.compress(block))

    def end(self) -> None:
        self._stream.write(self._deflate.flush())
        self._stream.write(struct.pack("<LL", self._crc, self._size & 0xFFFFFFFF))


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


def verify_members(stream: BinaryIO, expected: Iterable[Member]) -> int:
    """Check that the archive in `stream` is byte for byte an archive of `expected`; return how many members it has.

    Nothing of an untrusted archive is parsed: each header is compared with the one that the member must have, so memory stays
    bounded whatever the archive says of itself. Raises `ArchiveDamaged` naming the first member that differs.
    """
    reader, count, path = _Gunzip(stream), 0, ""
    try:
        for path, size, sha256 in expected:
            count += 1
            modes = [header_bytes(path, size, mode) for mode in (0o644, 0o755)]
            if reader.read(len(modes[0])) not in modes or reader.hash_next(size) != sha256 or any(reader.read(-size % _BLOCK)):
                raise ArchiveDamaged(path, "the member is not the file that the inventory lists")
        path = "<end>"
        if any(reader.read(2 * _BLOCK)) or not reader.is_at_end():
            raise ArchiveDamaged(path, "the archive goes on after the last member of the inventory")
    except (zlib.error, EOFError) as error:
        raise ArchiveDamaged(path, f"the archive cannot be read here: {error}") from None
    return count


class ArchiveDamaged(Exception):
    """An archive is not what the inventory lists; `path` is the first member that differs."""

    def __init__(self, path: str, because: str) -> None:
        super().__init__(because)
        self.path: Final = path
        self.because: Final = because


class _Gunzip:
    """Reads exactly as many plain bytes as asked for."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._inflate = zlib.decompressobj(31)
        self._packed = b""

    def read(self, size: int) -> bytes:
        """Return exactly `size` bytes, at most a few blocks."""
        pieces = []
        while size:
            pieces.append(self._some(size))
            size -= len(pieces[-1])
        return b"".join(pieces)

    def hash_next(self, size: int) -> Digest:
        """Return the digest of the next `size` bytes."""
        running = hashlib.sha256()
        while size:
            piece = self._some(min(size, CHUNK_BYTES))
            running.update(piece)
            size -= len(piece)
        return Digest(running.hexdigest())

    def is_at_end(self) -> bool:
        """Tell whether the compressed stream ends here, whole and with nothing after it."""
        try:
            self._some(1)
        except EOFError:
            return self._inflate.eof and not self._inflate.unused_data and not self._stream.read(1)
        return False

    def _some(self, size: int) -> bytes:
        while not self._inflate.eof:
            self._packed = self._inflate.unconsumed_tail or self._stream.read(CHUNK_BYTES)
            plain = self._inflate.decompress(self._packed, size)
            if plain:
                return plain
            if not self._packed:
                break
        raise EOFError("the archive ends before its last member")


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
