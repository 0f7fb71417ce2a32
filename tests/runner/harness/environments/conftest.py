"""Sandboxes for tests: real ones, each in its own folder."""

from collections.abc import Callable
from pathlib import Path
from typing import Self

import pytest

from runner.harness.environments.quota import Quota
from runner.harness.environments.sandbox import LocalHolder
from runner.harness.environments.tools import find_tools

ENVIRONMENT = {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "HOME": "/root"}


class Sandbox:
    """An async context manager around a holder, with a shell."""

    def __init__(self, folder: Path, *, has_network: bool = False, quota: Quota | None = None) -> None:
        self.holder = LocalHolder(folder, find_tools(), has_network=has_network, quota=quota or Quota())

    async def __aenter__(self) -> Self:
        await self.holder.start()
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.holder.close()

    async def sh(self, command: str, seconds: float | None = 20) -> tuple[int, str]:
        """Return the exit code of `command` and all that it printed."""
        output = await self.holder.run(["/bin/bash", "-c", command], environment=ENVIRONMENT, seconds=seconds)
        return output.exit_code, (output.stdout + output.stderr).decode(errors="replace")


@pytest.fixture
def make_sandbox(tmp_path: Path) -> Callable[[str], Sandbox]:
    """Return a maker of sandboxes, each in the folder of its name."""
    return lambda name: Sandbox(tmp_path / name)
