import gzip
import io
import sys
import tarfile

import pytest

from runner.evidence.archive import ArchiveDamaged, ArchiveWriter, Member, header_bytes, verify_members
from shared.digests import sha256

MEMBERS = (
    ("a.txt", b"one", False),
    ("b/run.sh", b"#!/bin/sh\n", True),
    ("c/ü" + "x" * 120, bytes(100_000), False),
    ("d", b"", False),
)


def archive(*, level: int | None = None) -> bytes:
    """Return the archive of MEMBERS."""
    stream = io.BytesIO()
    with ArchiveWriter(stream, level=level) as writer:
        for path, data, is_executable in MEMBERS:
            writer.begin(path, len(data), is_executable=is_executable)
            writer.write(data)
        writer.close()
    return stream.getvalue()


@pytest.mark.parametrize(
    ("path", "size", "mode"),
    [("a", 0, 0o644), ("x" * 100, 8**11 - 1, 0o755), ("x" * 101, 1, 0o644), ("é/ü", 5, 0o644), ("y", 8**11, 0o644)],
)
def test_headers_are_those_of_the_standard_library(path: str, size: int, mode: int) -> None:
    """A header equals what Python's tarfile writes for the same member in PAX form."""
    member = tarfile.TarInfo(path)
    member.size, member.mode = size, mode
    assert header_bytes(path, size, mode) == member.tobuf(tarfile.PAX_FORMAT)


def test_any_deflate_library_and_level_gives_the_same_tar() -> None:
    """Only the compressed bytes differ; what they hold does not."""
    packed = [archive(level=level) for level in (None, 1, 9)]
    assert len({sha256(data) for data in packed}) > 1
    assert len({sha256(gzip.decompress(data)) for data in packed}) == 1


def test_the_gzip_head_has_neither_name_nor_time() -> None:
    """Flags and time are zero."""
    assert archive()[:10] == b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"


EXPECTED = [Member(path, len(data), sha256(data)) for path, data, _ in MEMBERS]


def test_an_archive_verifies_against_its_inventory() -> None:
    """Paths, sizes, digests and order are those that were written, whatever compressed them."""
    for level in (None, 1, 9):
        assert verify_members(io.BytesIO(archive(level=level)), EXPECTED) == len(MEMBERS)


def test_an_archive_of_other_members_is_refused_by_name() -> None:
    """A missing, added, renamed or changed member is named."""
    one, *rest = EXPECTED
    for expected, named in (
        (rest, "b/run.sh"),
        (EXPECTED[:-1], "<end>"),
        ([*EXPECTED, Member("e", 0, sha256(b""))], "e"),
        ([one._replace(path="renamed"), *rest], "renamed"),
        ([one._replace(sha256=sha256(b"two")), *rest], "a.txt"),
    ):
        with pytest.raises(ArchiveDamaged) as caught:
            verify_members(io.BytesIO(archive()), expected)
        assert caught.value.path == named


def test_owners_and_times_are_zero_and_modes_two() -> None:
    """Nothing of the machine is in a header."""
    with tarfile.open(fileobj=io.BytesIO(archive())) as opened:
        facts = {(m.uid, m.gid, m.mtime, m.uname, m.gname) for m in opened}
        assert facts == {(0, 0, 0, "", "")}
        assert [m.mode for m in opened] == [0o644, 0o755, 0o644, 0o644]


def test_a_damaged_archive_is_refused() -> None:
    """A cut anywhere, a flipped bit that changes the content, and bytes after the end are refused, each with the same error."""
    whole = archive(level=1)
    plain = gzip.decompress(whole)
    refused = 0
    for at in range(0, len(whole), 7):
        with pytest.raises(ArchiveDamaged):
            verify_members(io.BytesIO(whole[:at]), EXPECTED)
    for at in range(10, len(whole)):
        damaged = whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]
        try:
            verify_members(io.BytesIO(damaged), EXPECTED)
        except ArchiveDamaged:
            refused += 1
        else:
            assert gzip.decompress(damaged) == plain, "only an unused bit may change unseen"
    assert refused > 100
    for after in (b"\0", whole):
        with pytest.raises(ArchiveDamaged):
            verify_members(io.BytesIO(whole + after), EXPECTED)


def test_a_member_of_another_size_than_announced_is_our_own_mistake() -> None:
    """The writer refuses to end a member that is too short."""
    with ArchiveWriter(io.BytesIO()) as writer:
        writer.begin("a", 2, is_executable=False)
        writer.write(b"x")
        with pytest.raises(ValueError, match="off by 1"):
            writer.close()


def test_a_failing_stream_fails_the_archive() -> None:
    """An error while deflated bytes are written reaches the writer's caller."""

    class Full(io.BytesIO):
        def write(self, data: object) -> int:
            if self.tell() or len(data) > 10:  # type: ignore[arg-type]  # bytes
                raise OSError(28, "No space left on device")
            return super().write(data)  # type: ignore[arg-type]  # bytes

    def fill() -> None:
        with ArchiveWriter(Full()) as writer:
            for number in range(20):
                writer.begin(str(number), 1 << 20, is_executable=False)
                writer.write(b"x" * (1 << 20))
            writer.close()

    with pytest.raises(OSError, match="No space"):
        fill()


def test_without_the_fast_library_zlib_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where isal is not installed the archive holds the same tar."""
    monkeypatch.setitem(sys.modules, "isal", None)
    assert gzip.decompress(archive()) == gzip.decompress(archive(level=9))
