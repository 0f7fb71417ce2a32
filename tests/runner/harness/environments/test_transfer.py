import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from runner.harness.environments.transfer import fetch_file, fetch_folder, fetch_paths, send_file, send_folder
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
    """A link that an agent plants is followed inside, where it finds nothing of the host; pipes stay behind."""
    (tmp_path / "secret").write_text("secret", encoding="utf-8")

    async def check() -> None:
        async with make_sandbox("box") as sandbox:
            plant = f"cd /logs/agent && ln -s {tmp_path} host && ln -s /etc/hostname up && mkfifo pipe && echo fine > ok"
            assert (await sandbox.sh(plant))[0] == 0
            await fetch_folder(sandbox.holder, "/logs/agent", tmp_path / "out")
            await sandbox.sh(f"rm -rf /logs/verifier; ln -s {tmp_path} /logs/verifier")
            with pytest.raises(RuntimeError, match="copy /logs/verifier out"):
                await fetch_folder(sandbox.holder, "/logs/verifier", tmp_path / "out")
            with pytest.raises(RuntimeError, match="No such file"):
                await fetch_file(sandbox.holder, "/logs/agent/host/secret", tmp_path / "out" / "stolen")

    asyncio.run(check())
    assert [path.name for path in (tmp_path / "out").iterdir() if path.is_symlink() or path.name == "pipe"] == []
    assert (tmp_path / "out" / "ok").read_text(encoding="utf-8") == "fine\n"


def test_a_snapshot_takes_what_is_there(make_sandbox: Maker, tmp_path: Path) -> None:
    """Paths that do not exist are left out."""

    async def check() -> None:
        async with make_sandbox("box") as sandbox:
            await sandbox.sh("echo log > /logs/agent/a.log")
            await fetch_paths(sandbox.holder, ["/logs/agent", "/none"], tmp_path / "snap")

    asyncio.run(check())
    assert (tmp_path / "snap" / "logs" / "agent" / "a.log").read_text(encoding="utf-8") == "log\n"
