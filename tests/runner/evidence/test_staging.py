import os
import random
import socket
from pathlib import Path

import pytest

from runner.adapters.local.stores.evidence import LocalEvidenceStore
from runner.evidence import archive
from runner.evidence.bundle import SealOrder, seal_attempt
from runner.evidence.inventory import SealLimits, is_loose, kind_of
from runner.evidence.left_behind import LEFT_BEHIND, LeftBehind, add_left_behind
from runner.evidence.verification import verify_bundle
from shared.documents.evidence.bundle import Inventory, Marker
from tests.runner.evidence.trees import ORDER, PREFIX, everything, make_attempt


def seal(work: Path, staging: Path, order: SealOrder = ORDER, store: str = "store") -> Inventory:
    """Seal, verify, and return the inventory as stored."""
    opened = LocalEvidenceStore(work / store)
    sealed = seal_attempt(staging, PREFIX, order, opened)
    assert verify_bundle(opened, PREFIX) == sealed
    return Inventory.from_bytes((work / store / PREFIX / "private-artifacts.json").read_bytes())


def reasons(inventory: Inventory) -> dict[str, str]:
    """Return path -> reason of what was left out."""
    return {left.path: left.reason for left in inventory.left_out}


def test_nothing_is_followed_out_of_the_tree(tmp_path: Path) -> None:
    """Links to files and folders, hard links, pipes and sockets are left out with their reason, and fail nothing."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/passwd").write_bytes(b"root:x:0:0")
    staging = make_attempt(tmp_path / "a")
    agent = staging / "harbor/agent"
    (agent / "link").symlink_to(tmp_path / "outside/passwd")
    (agent / "folder").symlink_to(tmp_path / "outside")
    (agent / "loop").symlink_to(agent)
    (agent / "hard").hardlink_to(tmp_path / "outside/passwd")
    os.mkfifo(agent / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        here = Path.cwd()
        os.chdir(agent)
        listener.bind("socket")
        os.chdir(here)
        inventory = seal(tmp_path, staging)
    assert reasons(inventory) == {
        "harbor/agent/link": "symbolic_link",
        "harbor/agent/folder": "symbolic_link",
        "harbor/agent/loop": "symbolic_link",
        "harbor/agent/hard": "hard_link",
        "harbor/agent/pipe": "not_a_regular_file",
        "harbor/agent/socket": "not_a_regular_file",
    }
    assert not any(b"root:x:0:0" in data for data in everything(tmp_path / "store").values())


def test_what_stayed_in_the_sandbox_is_listed(tmp_path: Path) -> None:
    """Each thing once, with its reason; lines that are not ours are passed over, names are shown as text."""
    staging = make_attempt(tmp_path / "a")
    pipe, huge = LeftBehind("agent/pipe\n", "not_a_regular_file", 0), LeftBehind("artifacts/huge", "file_too_big", 1 << 40)
    add_left_behind(staging / "harbor", [pipe, huge])
    add_left_behind(staging / "harbor", [pipe])
    with (staging / "harbor" / LEFT_BEHIND).open("ab") as stream:
        stream.write(b'{"a": 1}\n["a", "b", -1]\n["a", 2, 3]\n' + b"[" * 5000 + b"\n\xff\n")
    inventory = seal(tmp_path, staging)
    assert [(left.path, left.reason, left.size_bytes) for left in inventory.left_out] == [
        ("harbor/agent/pipe\\x0a", "not_a_regular_file", 0),
        ("harbor/artifacts/huge", "file_too_big", 1 << 40),
    ]
    assert f"harbor/{LEFT_BEHIND}" in {file.path for file in inventory.files}


def test_unsafe_and_colliding_names_are_left_out(tmp_path: Path) -> None:
    """Control characters, backslashes, bytes that are no text, decomposed letters and names that differ in case only."""
    staging = make_attempt(tmp_path / "a")
    agent = staging / "harbor/agent"
    for name in (b"a\nb", b"a\\b", b"\xff\xfe", "e\u0301".encode(), b"README", b"readme"):
        Path(os.fsdecode(os.fsencode(agent) + b"/" + name)).write_bytes(b"x")
    assert reasons(seal(tmp_path, staging)) == {
        "harbor/agent/a\\x0ab": "unsafe_path",
        "harbor/agent/a\\b": "unsafe_path",
        "harbor/agent/\\xff\\xfe": "unsafe_path",
        "harbor/agent/e\u0301": "unsafe_path",
        "harbor/agent/readme": "path_collision",
    }


def test_deep_folders_are_cut_off(tmp_path: Path) -> None:
    """Beyond 32 parts nothing is walked, however deep it goes."""
    staging = make_attempt(tmp_path / "a")
    deep = staging / "harbor/agent" / "/".join(["d"] * 60)
    deep.mkdir(parents=True)
    (deep / "f").write_bytes(b"x")
    ((_, reason),) = reasons(seal(tmp_path, staging)).items()
    assert reason == "folder_too_deep"


def test_a_file_over_the_limit_is_left_out_with_its_size(tmp_path: Path) -> None:
    """65 MiB in one file are not stored, and cost no retry unless the file is required."""
    staging = make_attempt(tmp_path / "a")
    with (staging / "harbor/agent/core").open("wb") as stream:
        stream.truncate(65 << 20)
    inventory = seal(tmp_path, staging)
    assert [(left.reason, left.size_bytes) for left in inventory.left_out] == [("file_too_big", 65 << 20)]
    assert inventory.is_sufficient


def test_names_of_the_bundle_itself_cannot_be_taken(tmp_path: Path) -> None:
    """A file or folder called like a marker, the checksums or the archive is left out."""
    extra = {"_SUCCESS": b"x", "checksums.json": b"{}", "artifacts.tar.gz/inner": b"x"}
    inventory = seal(tmp_path, make_attempt(tmp_path / "a", extra=extra))
    assert reasons(inventory) == dict.fromkeys(extra, "reserved_name")


def test_a_required_link_is_not_a_kept_requirement(tmp_path: Path) -> None:
    """A link in the place of the result does not satisfy the requirement."""
    staging = make_attempt(tmp_path / "a")
    (staging / "harbor/result.json").rename(staging / "harbor/real.json")
    (staging / "harbor/result.json").symlink_to("real.json")
    assert not seal(tmp_path, staging).is_sufficient


def test_folders_of_one_tree_give_equal_inventories(tmp_path: Path) -> None:
    """The order in which files were made, their times and their folder do not matter."""
    extra = {f"harbor/agent/{n}.txt": bytes([n]) * n for n in range(40)}
    one = make_attempt(tmp_path / "one", extra=extra)
    two = make_attempt(tmp_path / "two", extra=dict(reversed(extra.items())))
    os.utime(two / "harbor.log", (1, 1))
    assert seal(tmp_path, one, store="s1").digest == seal(tmp_path, two, store="s2").digest
    assert everything(tmp_path / "s1") == everything(tmp_path / "s2")


def test_another_deflate_level_gives_the_same_inventory_and_is_adopted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The archive of a first seal by another library is kept when its members are the inventory's, and the bundle verifies."""
    staging = make_attempt(tmp_path / "a", extra={"harbor/agent/long.txt": b"abc def " * 20_000})
    monkeypatch.setattr(archive, "_codec", lambda _level: REAL_CODEC(9))
    first = seal(tmp_path, staging)
    packed = (tmp_path / "store" / PREFIX / "artifacts.tar.gz").read_bytes()
    monkeypatch.undo()
    assert seal(tmp_path, staging).digest == first.digest == seal(tmp_path, staging, store="fresh").digest
    assert (tmp_path / "store" / PREFIX / "artifacts.tar.gz").read_bytes() == packed
    assert (tmp_path / "fresh" / PREFIX / "artifacts.tar.gz").read_bytes() != packed


REAL_CODEC = archive._codec


@pytest.mark.parametrize("scenario", range(25))
def test_no_tree_makes_sealing_fail(tmp_path: Path, scenario: int) -> None:
    """Random hostile trees are sealed and verify; each thing in the tree is stored or has a reason."""
    chance = random.Random(scenario)  # noqa: S311 - a seeded tree
    staging = make_attempt(tmp_path / "a")
    things = 0
    folders = [staging / "harbor/agent"]
    for number in range(60):
        folder = chance.choice(folders)
        name = chance.choice(["f", "F", "ﬁ", "x" * 250, "a b", "ü", "-rf", "_SUCCESS", "..x", "\t", "\u017f"]) + chance.choice(
            ["", str(number)]
        )
        target = folder / name
        if target.is_symlink() or target.exists():
            continue
        match chance.randrange(6):
            case 0:
                target.mkdir()
                folders.append(target)
                continue
            case 1:
                target.symlink_to(chance.choice([".", "..", "/etc", "missing", "harbor"]))
            case 2:
                os.mkfifo(target)
            case 3:
                target.hardlink_to(staging / "harbor.log") if chance.random() < 0.1 else target.write_bytes(b"")
            case _:
                target.write_bytes(chance.randbytes(chance.randrange(3000)))
        things += 1
    inventory = seal(tmp_path, staging, SealOrder(subject="s", marker=Marker.SUCCESS, limits=SealLimits(2000, 20_000)))
    archived = sum(file.stored == "archive" for file in inventory.files)
    loose_only = sum(file.stored == "loose" and not file.path.startswith("harbor/") for file in inventory.files)
    assert archived + loose_only + len(inventory.left_out) == things + 10


@pytest.mark.parametrize(
    ("path", "kind", "loose"),
    [
        ("attempt.json", "attempt", True),
        ("harbor/result.json", "result", True),
        ("harbor/steps/one/result.json", "other", False),
        ("harbor/agent/trajectory.json", "trajectory", True),
        ("harbor/agent/sessions/p/1.jsonl", "session", True),
        ("harbor/verifier/trajectory.json", "verifier", False),
        ("harbor/artifacts/session.json", "artifact", False),
        ("harbor/agent/terminal.log", "log", False),
        ("harbor/agent/state", "agent", False),
    ],
)
def test_kinds_come_from_paths(path: str, kind: str, *, loose: bool) -> None:
    """Each path has one kind, and four kinds of Harbor's tree lie loose."""
    assert (kind_of(path), is_loose(path, kind_of(path))) == (kind, loose)
