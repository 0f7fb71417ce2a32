import asyncio
import contextlib
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from runner.harness.environments.quota import Quota, Use, count_use
from runner.harness.environments.sandbox import SandboxFull
from runner.harness.environments.tools import find_tools
from tests.runner.harness.environments.conftest import Sandbox

MIB = 1 << 20
SMALL = Quota(bytes=24 * MIB, files=1000)
FILLERS = {
    "many files": "for n in $(seq 30); do head -c 1M /dev/urandom > /app/$n; done; sleep 60",
    "removed files": "cd /app; exec 3>a 4>b; rm a b; for f in 3 4; do head -c 15M /dev/urandom >&$f; done; sleep 60",
    "empty files": "mkdir /app/d; cd /app/d; seq 1500 | xargs touch; sleep 60",
}


@pytest.mark.parametrize("filler", FILLERS)
def test_a_sandbox_past_its_quota_is_ended(filler: str, tmp_path: Path) -> None:
    """The command ends, says why, and so does each one after it."""

    async def check() -> None:
        async with Sandbox(tmp_path / "box", quota=SMALL) as sandbox:
            with pytest.raises(SandboxFull, match="was ended"):
                await sandbox.sh(FILLERS[filler], 30)
            with pytest.raises(SandboxFull):
                await sandbox.sh("true")
            assert isinstance(sandbox.holder.fault, SandboxFull)

    asyncio.run(check())


def test_one_file_gets_no_longer_than_the_quota(tmp_path: Path) -> None:
    """The kernel stops the writer at once; what it wrote stays, and the sandbox too."""

    async def check() -> None:
        async with Sandbox(tmp_path / "box", quota=Quota(MIB, 1000)) as sandbox:
            code, _ = await sandbox.sh("head -c 2M /dev/zero > /app/f")
            assert code != 0
            assert await sandbox.sh("stat -c %s /app/f; ulimit -f unlimited 2>/dev/null || echo kept") == (0, f"{MIB}\nkept\n")

    asyncio.run(check())


def test_use_counts_blocks_and_what_is_held(tmp_path: Path) -> None:
    """A hole takes nothing, a removed file that a program holds open counts, a link is not followed."""

    async def check() -> None:
        async with Sandbox(tmp_path / "box") as sandbox:
            before = await _count(sandbox)
            await sandbox.sh("truncate -s 8G /app/hole; ln -s /usr /app/link")
            assert (await _count(sandbox)).bytes - before.bytes < MIB
            await sandbox.sh("(exec 3>/app/gone; rm /app/gone; head -c 5M /dev/urandom >&3; touch /app/ready; exec sleep 60) &")
            with contextlib.suppress(TimeoutError):
                await _until(lambda: _grown(sandbox, before, 5 * MIB))
            assert (await _count(sandbox)).bytes - before.bytes >= 5 * MIB

    asyncio.run(check())


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything anyway")
def test_what_was_made_unreadable_counts_too(tmp_path: Path) -> None:
    """The sandbox's root reads it, although its owner on the host may not."""

    async def check() -> None:
        async with Sandbox(tmp_path / "box") as sandbox:
            before = await _count(sandbox)
            await sandbox.sh("mkdir /app/d; head -c 5M /dev/urandom > /app/d/f; chmod 0 /app/d")
            assert await _grown(sandbox, before, 5 * MIB)

    asyncio.run(check())


async def _count(sandbox: Sandbox) -> Use:
    return await count_use(sandbox.holder.root, sandbox.holder.pid, find_tools().nsenter)


async def _grown(sandbox: Sandbox, before: Use, by: int) -> bool:
    return (await _count(sandbox)).bytes - before.bytes >= by


async def _until(claim: Callable[[], Awaitable[bool]]) -> None:
    for _ in range(200):
        if await claim():
            return
        await asyncio.sleep(0.02)
