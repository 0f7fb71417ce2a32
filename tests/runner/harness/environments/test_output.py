import asyncio
import os
from collections.abc import Callable
from pathlib import Path

from runner.harness.environments.output import MAX_OUTPUT_BYTES, Outlet
from tests.runner.harness.environments.conftest import Sandbox

type Maker = Callable[[str], Sandbox]


def test_the_beginning_of_a_flood_is_kept(make_sandbox: Maker) -> None:
    """A command may print any amount: it ends as it would, and what is kept is bounded."""

    async def check() -> None:
        async with make_sandbox("one") as sandbox:
            code, text = await sandbox.sh("echo first; head -c 40M /dev/zero; exit 5")
            assert (code, len(text), text[:6]) == (5, MAX_OUTPUT_BYTES, "first\n")

    asyncio.run(check())


def test_a_background_program_goes_on_printing(make_sandbox: Maker) -> None:
    """Its command's pipe stays open and read: the program neither waits nor is ended, however much it prints."""

    async def check() -> None:
        async with make_sandbox("one") as sandbox:
            assert await sandbox.sh("(sleep 0.2; head -c 1M /dev/zero && touch /app/printed) & echo started") == (0, "started\n")
            assert (await sandbox.sh("for _ in $(seq 100); do [ -e /app/printed ] && exit 0; sleep 0.05; done; exit 1"))[0] == 0

    asyncio.run(check())


def test_no_descriptor_is_left(make_sandbox: Maker) -> None:
    """Pipes are closed with their writers, and the rest with the sandbox."""

    async def check() -> tuple[int, int]:
        before = _descriptors()
        async with make_sandbox("one") as sandbox:
            for _ in range(5):
                await sandbox.sh("sleep 60 & true")
        return before, _descriptors()

    before, after = asyncio.run(check())
    assert after == before


def _descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_what_was_written_before_is_taken_whole() -> None:
    """What waits in the pipe when the command has ended belongs to its output, what comes later does not."""

    async def check() -> bytes:
        outlet = Outlet()
        os.write(outlet.write_end, b"x" * 60_000)
        try:
            return outlet.take() + outlet.take()
        finally:
            outlet.close()

    assert asyncio.run(check()) == b"x" * 60_000
