"""Tests of sources on this machine: what is locked, what is refused, and that a kept source comes back to the byte."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from runner.adapters.local.stores.folder_reading import read_folder
from runner.adapters.local.stores.objects import LocalObjects
from runner.adapters.local.stores.sources import LocalSources
from runner.ports.stores.answers import PutAnswer
from runner.ports.stores.evidence_store import Source as Content
from shared.digests import Digest
from shared.documents.experiment.benchmark import DirectorySource, HubSource, TaskPackageSource
from shared.documents.task_package import TaskPackage
from shared.errors import Refused, StoreFault
from shared.paths import object_path

FOLDER = DirectorySource(type="directory", path="tasks")


def some_folder(root: Path) -> Path:
    """Make two small tasks below `root`/tasks."""
    for name in ("one", "two"):
        task = root / "tasks" / name
        (task / "tests").mkdir(parents=True)
        (task / "task.toml").write_text(f"# {name}\n")
        (task / "tests" / "test.sh").write_text("#!/bin/sh\n")
        (task / "tests" / "test.sh").chmod(0o755)
    return root / "tasks"


def sources(root: Path) -> LocalSources:
    return LocalSources(LocalObjects(root / "objects"), root / "scratch")


def refusal(folder: Path) -> Refused:
    with pytest.raises(Refused) as caught:
        read_folder(folder)
    assert caught.value.way_out
    return caught.value


def test_the_lock_does_not_know_the_place(tmp_path: Path) -> None:
    """Equal files elsewhere, written at another time, have an equal lock without a path in it."""
    some_folder(tmp_path / "a")
    os.utime(some_folder(tmp_path / "b") / "one" / "task.toml", (0, 0))
    one = sources(tmp_path).resolve(FOLDER, tmp_path / "a").lock
    assert one == sources(tmp_path).resolve(FOLDER, tmp_path / "b").lock
    assert set(one) == {"type", "digest"}


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "one" / "task.toml").write_text("# other\n"),
        lambda folder: (folder / "one" / "new").write_text(""),
        lambda folder: (folder / "one" / "task.toml").unlink(),
        lambda folder: (folder / "one" / "task.toml").rename(folder / "one" / "renamed"),
        lambda folder: (folder / "one" / "task.toml").chmod(0o755),
    ],
    ids=["byte", "added", "removed", "renamed", "executable"],
)
def test_every_change_changes_the_lock(tmp_path: Path, change: Callable[[Path], object]) -> None:
    """Bytes, names and the execute bit are in the lock."""
    folder = some_folder(tmp_path)
    before = read_folder(folder).digest
    change(folder)
    assert read_folder(folder).digest != before


def test_owner_rights_beyond_the_execute_bit_are_not_in_the_lock(tmp_path: Path) -> None:
    """Another umask gives the same lock."""
    folder = some_folder(tmp_path)
    before = read_folder(folder).digest
    (folder / "one" / "task.toml").chmod(0o600)
    assert read_folder(folder).digest == before


def make_case_twin(folder: Path) -> None:
    (folder / "one" / "TASK.toml").write_text("")


HOSTILE: dict[str, tuple[Callable[[Path], object], str]] = {
    "link to a file": (lambda f: (f / "one" / "l").symlink_to("/etc/passwd"), "SOURCE_UNSAFE"),
    "link to a folder": (lambda f: (f / "one" / "l").symlink_to("/etc"), "SOURCE_UNSAFE"),
    "link that points nowhere": (lambda f: (f / "one" / "l").symlink_to("nowhere"), "SOURCE_UNSAFE"),
    "hard link": (lambda f: (f / "one" / "l").hardlink_to(f / "one" / "task.toml"), "SOURCE_UNSAFE"),
    "pipe": (lambda f: os.mkfifo(f / "one" / "p"), "SOURCE_UNSAFE"),
    "git folder": (lambda f: (f / ".git").mkdir(), "SOURCE_UNSAFE"),
    "git file": (lambda f: (f / "one" / ".git").write_text("gitdir: x"), "SOURCE_UNSAFE"),
    "git in capitals": (lambda f: (f / "one" / ".GIT").mkdir(), "SOURCE_UNSAFE"),
    "decomposed name": (lambda f: (f / "one" / "e\u0301").write_text(""), "SOURCE_UNSAFE"),
    "backslash": (lambda f: (f / "one" / "a\\b").write_text(""), "SOURCE_UNSAFE"),
    "control character": (lambda f: (f / "one" / "a\nb").write_text(""), "SOURCE_UNSAFE"),
    "name that is no UTF-8": (lambda f: Path(os.fsdecode(os.fsencode(f / "one") + b"/\xff")).write_text(""), "SOURCE_UNSAFE"),
    "names that differ in case": (make_case_twin, "SOURCE_UNSAFE"),
    "33 parts": (lambda f: f.joinpath(*("d" * 32), "x").mkdir(parents=True), "SOURCE_UNSAFE"),
    "token": (lambda f: (f / "one" / "x").write_text("hf_" + "a1B2" * 9), "SOURCE_SECRET"),
    "token over a chunk edge": (lambda f: (f / "one" / "x").write_text(" " * (2**20 - 9) + "hf_" + "a1B2" * 9), "SOURCE_SECRET"),
    "private key": (lambda f: (f / "one" / "x").write_text("-----BEGIN RSA PRIVATE KEY-----\nMII"), "SOURCE_SECRET"),
    "file over 8 GiB": (lambda f: os.truncate(_touch(f / "one" / "x"), 8 * 1024**3 + 1), "SOURCE_TOO_LARGE"),
}  # fmt: skip


def _touch(path: Path) -> Path:
    path.write_bytes(b"")
    return path


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_hostile_trees_are_refused(tmp_path: Path, name: str) -> None:
    """Nothing is followed and nothing of the kind is stored."""
    plant, code = HOSTILE[name]
    folder = some_folder(tmp_path)
    plant(folder)
    assert refusal(folder).code == code
    with pytest.raises(Refused):
        sources(tmp_path).keep(FOLDER, tmp_path)
    assert not (tmp_path / "objects").exists()


def test_a_refused_secret_is_not_echoed(tmp_path: Path) -> None:
    """The rule and the file are named, the value is not."""
    folder = some_folder(tmp_path)
    (folder / "one" / "x").write_text("hf_" + "a1B2" * 9)
    error = refusal(folder)
    assert error.field == "one/x"
    assert "a1B2" not in str(error)


@pytest.mark.parametrize("kind", ["absent", "file", "link", "empty"])
def test_a_source_that_is_no_folder_of_files_is_missing(tmp_path: Path, kind: str) -> None:
    """A file, a link or an empty folder is no source."""
    place = tmp_path / "tasks"
    if kind == "file":
        place.write_text("")
    elif kind == "link":
        place.symlink_to(some_folder(tmp_path / "real"))
    elif kind == "empty":
        place.mkdir()
    assert refusal(place).code == "SOURCE_MISSING"


def test_a_kept_source_comes_back_to_the_byte(tmp_path: Path) -> None:
    """Files, modes and digest of the restored folder are those of the original, and keeping twice is keeping once."""
    some_folder(tmp_path)
    store = sources(tmp_path)
    kept = store.keep(FOLDER, tmp_path)
    assert store.keep(FOLDER, tmp_path).lock == kept.lock
    store.restore(kept.lock, tmp_path / "back")
    assert read_folder(tmp_path / "back") == read_folder(tmp_path / "tasks")
    package = TaskPackageSource(type="task_package", digest=str(kept.lock["digest"]))
    assert store.resolve(package, tmp_path).lock == kept.lock


def test_a_flipped_stored_bit_stops_the_restore(tmp_path: Path) -> None:
    """No folder appears under the asked name."""
    some_folder(tmp_path)
    store = sources(tmp_path)
    kept = store.keep(FOLDER, tmp_path)
    digest = read_folder(tmp_path / "tasks").files[0].sha256
    (tmp_path / "objects" / object_path(digest)).chmod(0o644)
    (tmp_path / "objects" / object_path(digest)).write_text("# owt\n")
    with pytest.raises(StoreFault, match="OBJECT_CORRUPT"):
        store.restore(kept.lock, tmp_path / "back")
    assert not (tmp_path / "back").exists()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_restoring_what_another_process_restored_is_no_error(tmp_path: Path) -> None:
    """The folder that is there stays, and nothing is left beside it."""
    some_folder(tmp_path)
    store = sources(tmp_path)
    kept = store.keep(FOLDER, tmp_path)
    for _ in range(2):
        store.restore(kept.lock, tmp_path / "back")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["back", "objects", "tasks"]


class Swapping(LocalObjects):
    """An object store during whose puts somebody rewrites a file of the source."""

    def __init__(self, root: Path, victim: Path) -> None:
        super().__init__(root)
        self._victim = victim

    def put(self, source: Content) -> PutAnswer:
        """Rewrite the victim just before it is read."""
        if source == self._victim:
            self._victim.write_text("# swapped\n")
        return super().put(source)


def test_a_swap_during_the_snapshot_is_caught(tmp_path: Path) -> None:
    """A file that changes between reading and storing is refused, and no manifest is written."""
    folder = some_folder(tmp_path)
    before = read_folder(folder).digest
    objects = Swapping(tmp_path / "objects", folder / "two" / "task.toml")
    with pytest.raises(Refused, match="SOURCE_CHANGED"):
        LocalSources(objects, tmp_path / "scratch").keep(FOLDER, tmp_path)
    assert not objects.has(Digest(before))


def test_what_needs_the_network_is_refused_here(tmp_path: Path) -> None:
    """This adapter never guesses at a remote source."""
    source = HubSource(type="hub", dataset="a/b", revision="0" * 40)
    with pytest.raises(Refused, match="SOURCE_UNSUPPORTED"):
        sources(tmp_path).resolve(source, tmp_path)


def test_a_package_document_reads_back(tmp_path: Path) -> None:
    """The stored manifest is the package."""
    package = read_folder(some_folder(tmp_path))
    assert TaskPackage.from_bytes(package.to_bytes()) == package
