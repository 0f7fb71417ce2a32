import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from runner.evidence.left_behind import LeftBehind
from runner.harness.environments import transfer
from runner.harness.environments.transfer import (
    MAX_FILE_BYTES,
    NotCopied,
    fetch_file,
    fetch_folder,
    fetch_paths,
    send_file,
    send_folder,
)
from tests.runner.harness.environments.conftest import Sandbox

type Maker = Callable[[str], Sandbox]


def test_folders_go_in_and_come_out_with_their_modes(make_sandbox: Maker, tmp_path: Path) -> None:
    """What was sent is there, and comes back the same."""
    source = tmp_path / "source"
    (source / "deep").mkdir(parents=True)
    (source / "deep" / "run.sh").write_text("echo ran", encoding="utf-8")
    (source / "deep" / "run.sh").chmod(0o755)

    async def check() -> None:
        async with make_sandbox("box") as sandbox:
            await send_folder(sandbox.holder, source, "/tests")
            assert await sandbox.sh("/tests/deep/run.sh; stat -c %u:%g /tests/deep") == (0, "ran0:0\n".replace("ran", "ran\n"))
            await fetch_folder(sandbox.holder, "/tests", tmp_path / "back")

    asyncio.run(check())
    assert (tmp_path / "back" / "deep" / "run.sh").read_text(encoding="utf-8") == "echo ran"


def test_a_file_goes_to_a_name_or_into_a_folder(make_sandbox: Maker, tmp_path: Path) -> None:
    """A target that is a folder, or ends in a slash, receives the file under its own name."""
    (tmp_path / "a.txt").write_text("a", encoding="utf-8")

    async def check() -> None:
        async with make_sandbox("box") as sandbox:
            for target in ("/app/new/b.txt", "/app", "/app/other/"):
                await send_file(sandbox.holder, tmp_path / "a.txt", target)
            _, text = await sandbox.sh("cd /app && find . -type f | sort")
            assert text.split() == ["./a.txt", "./new/b.txt", "./other/a.txt"]
            await fetch_file(sandbox.holder, "/app/new/b.txt", tmp_path / "out" / "c.txt")

    asyncio.run(check())
    assert (tmp_path / "out" / "c.txt").read_text(encoding="utf-8") == "a"


def test_links_and_devices_do_not_reach_the_host(make_sandbox: Maker, tmp_path: Path) -> None:
    """A link that an agent plants is followed inside, where it finds nothing of the host; what stays behind is told."""
    (tmp_path / "secret").write_text("secret", encoding="utf-8")
    plant = (
        f"cd /logs/agent && ln -s {tmp_path} host && ln -s /etc/hostname up && mkfifo pipe $'odd\n name' && echo fine > ok && "
        "mkdir deep && ln -s ../ok deep/link && python3 -c 'import socket as s; s.socket(s.AF_UNIX).bind(\"deep/socket\")'"
    )

    async def check() -> list[LeftBehind]:
        async with make_sandbox("box") as sandbox:
            assert await sandbox.sh(plant) == (0, "")
            left = await fetch_folder(sandbox.holder, "/logs/agent", tmp_path / "out")
            await sandbox.sh(f"rm -rf /logs/verifier; ln -s {tmp_path} /logs/verifier")
            with pytest.raises(NotCopied, match="copy /logs/verifier out"):
                await fetch_folder(sandbox.holder, "/logs/verifier", tmp_path / "out")
            with pytest.raises(NotCopied, match="missing"):
                await fetch_file(sandbox.holder, "/logs/agent/host/secret", tmp_path / "out" / "stolen")
            with pytest.raises(NotCopied, match="not_a_regular_file"):
                await fetch_file(sandbox.holder, "/logs/agent/pipe", tmp_path / "out" / "stolen")
            return left

    assert sorted((thing.path, thing.reason) for thing in asyncio.run(check())) == [
        ("deep/socket", "not_a_regular_file"),
        ("host", "symbolic_link"),
        ("odd\n name", "not_a_regular_file"),
        ("pipe", "not_a_regular_file"),
        ("up", "symbolic_link"),
    ]
    assert sorted(path.name for path in (tmp_path / "out").rglob("*")) == ["deep", "link", "ok"]
    assert (tmp_path / "out" / "deep" / "link").read_text(encoding="utf-8") == "fine\n"


def test_a_file_beyond_the_bound_stays(make_sandbox: Maker, tmp_path: Path) -> None:
    """A hole of nine gigabytes and a file one byte too long are told; what is just within comes, hard links twice."""
    plant = f"cd /app && truncate -s 9G hole && truncate -s {MAX_FILE_BYTES + 1} over && truncate -s {MAX_FILE_BYTES} edge && "

    async def check() -> list[LeftBehind]:
        async with make_sandbox("box") as sandbox:
            assert await sandbox.sh(plant + "echo x > one && ln one two") == (0, "")
            with pytest.raises(NotCopied, match="file_too_big"):
                await fetch_file(sandbox.holder, "/app/over", tmp_path / "over")
            await fetch_file(sandbox.holder, "/app/edge", tmp_path / "edge")
            return await fetch_folder(sandbox.holder, "/app", tmp_path / "out")

    left = asyncio.run(check())
    assert sorted(left) == [("hole", "file_too_big", 9 << 30), ("over", "file_too_big", MAX_FILE_BYTES + 1)]
    assert {path.name: path.stat().st_nlink for path in (tmp_path / "out").iterdir()} == {"edge": 1, "one": 1, "two": 1}
    assert not (tmp_path / "over").exists()


def test_a_copy_is_bounded_as_a_whole(make_sandbox: Maker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An archive that reaches the bound is cut there: the files before come, and that it was cut is told."""
    monkeypatch.setattr(transfer, "MAX_COPY_BYTES", 3 << 20)

    async def check() -> list[LeftBehind]:
        async with make_sandbox("box") as sandbox:
            await sandbox.sh("cd /app && for n in 1 2 3 4 5 6; do head -c 1M /dev/zero > $n; done")
            return await fetch_folder(sandbox.holder, "/app", tmp_path / "out")

    (left,) = asyncio.run(check())
    assert (left.reason, left.size_bytes) == ("copy_too_big", 3 << 20)
    assert 1 <= len(list((tmp_path / "out").iterdir())) <= 3


def test_entries_are_bounded(make_sandbox: Maker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any number of empty files is cut at the bound."""
    monkeypatch.setattr(transfer, "MAX_COPY_ENTRIES", 50)

    async def check() -> list[LeftBehind]:
        async with make_sandbox("box") as sandbox:
            await sandbox.sh("cd /app && seq 60 | xargs touch")
            return await fetch_folder(sandbox.holder, "/app", tmp_path / "out")

    assert [left.reason for left in asyncio.run(check())] == ["too_many_entries"]
    assert len(list((tmp_path / "out").iterdir())) == 50


def test_a_snapshot_takes_what_is_there(make_sandbox: Maker, tmp_path: Path) -> None:
    """Paths that do not exist are left out."""

    async def check() -> None:
        async with make_sandbox("box") as sandbox:
            await sandbox.sh("echo log > /logs/agent/a.log")
            await fetch_paths(sandbox.holder, ["/logs/agent", "/none"], tmp_path / "snap")

    asyncio.run(check())
    assert (tmp_path / "snap" / "logs" / "agent" / "a.log").read_text(encoding="utf-8") == "log\n"
