import pytest

from shared.digests import sha256
from shared.documents.manifest import Manifest, ManifestFile, ManifestRef
from shared.errors import BadInput

ONE = ManifestFile(path="a/b", sha256=sha256(b"1"), size=1)
TWO = ManifestFile(path="a/c", sha256=sha256(b"2"), size=1)
REF = ManifestRef(kind="trial", subject="t", sha256=sha256(b"t"))


def test_the_bytes_of_a_manifest_are_stable() -> None:
    """Its canonical bytes, which name the artifact, never change by accident."""
    manifest = Manifest(kind="bundle", files=(ONE,), refs=(REF,), meta={"fence": 1, "subject": "s"})
    assert manifest.digest == "14b8e0218dd941a29d7be7eee015ae21e717a46a98c62181979aa0bb1f9fb8bf"
    assert Manifest.from_bytes(manifest.to_bytes()) == manifest


@pytest.mark.parametrize("files", [(TWO, ONE), (ONE, ONE)])
def test_files_stand_once_and_sorted(files: tuple[ManifestFile, ...]) -> None:
    """One set of files has one manifest."""
    with pytest.raises(ValueError, match="sorted by path"):
        Manifest(kind="bundle", files=files)


@pytest.mark.parametrize("path", ["", "/a", "a/../b", "a//b", "a\\b", "e\u0301", "/".join("x" * 33)])
def test_an_unsafe_path_is_refused_by_its_place(path: str) -> None:
    """A manifest from outside cannot lead out of its folder."""
    data = Manifest(kind="bundle", files=(ONE,)).to_bytes().replace(b"a/b", path.encode().replace(b"\\", b"\\\\"))
    with pytest.raises(BadInput) as caught:
        Manifest.from_bytes(data)
    assert caught.value.field == "files.0.path"
    assert caught.value.code == "MANIFEST_INVALID"


@pytest.mark.parametrize("digest", ["", "A" * 64, "0" * 63, "sha256:" + "0" * 57])
def test_a_digest_is_full_and_lowercase(digest: str) -> None:
    """Anything but 64 lowercase hexadecimal characters is refused."""
    data = Manifest(kind="bundle", files=(ONE,)).to_bytes().replace(sha256(b"1").encode(), digest.encode())
    with pytest.raises(BadInput) as caught:
        Manifest.from_bytes(data)
    assert caught.value.field == "files.0.sha256"
