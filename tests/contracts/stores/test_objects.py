from pathlib import Path

import pytest

from runner.adapters.local.stores.objects import LocalObjects
from runner.ports.stores.answers import Applied
from runner.ports.stores.objects import Objects
from shared.digests import sha256
from shared.errors import Refused, StoreFault
from shared.paths import object_path


@pytest.fixture(params=["local"])
def root(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Return where each kind of store keeps its files."""
    return tmp_path / request.param


@pytest.fixture
def objects(root: Path) -> Objects:
    """Return an empty store."""
    return LocalObjects(root)


def test_an_object_is_named_by_its_bytes(objects: Objects) -> None:
    """Put answers the digest, and the digest gives the bytes back."""
    assert objects.put(b"abc") == Applied(sha256(b"abc"), 3, is_new=True)
    assert b"".join(objects.read(sha256(b"abc"))) == b"abc"


def test_putting_again_is_no_effect(objects: Objects) -> None:
    """The second put is Applied and not new."""
    objects.put(b"")
    assert objects.put(b"") == Applied(sha256(b""), 0, is_new=False)


def test_a_missing_object_is_said_so(objects: Objects) -> None:
    """Reading what was never put is refused by name."""
    assert not objects.has(sha256(b"x"))
    with pytest.raises(Refused, match="OBJECT_MISSING"):
        list(objects.read(sha256(b"x")))


def test_a_flipped_byte_is_found_on_reading(objects: Objects, root: Path) -> None:
    """Corrupt bytes raise, and fetch leaves nothing behind."""
    objects.put(b"abcdef")
    (root / object_path(sha256(b"abcdef"))).write_bytes(b"abcdeg")
    with pytest.raises(StoreFault, match="OBJECT_CORRUPT"):
        list(objects.read(sha256(b"abcdef")))
    into = root / "fetched"
    with pytest.raises(StoreFault, match="OBJECT_CORRUPT"):
        objects.fetch(sha256(b"abcdef"), into)
    assert [file for file in root.iterdir() if "fetched" in file.name] == []


def test_fetch_writes_verified_bytes(objects: Objects, tmp_path: Path) -> None:
    """A fetched file holds the object."""
    data = bytes(range(256)) * 10_000
    objects.put(data)
    objects.fetch(sha256(data), tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == data
