"""Harbor agents that misbehave on purpose; loaded by the trial host through their import path, in the harness environment."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

from harbor.agents.base import BaseAgent


class _Quiet(BaseAgent):  # type: ignore[misc]  # Harbor is not installed where types are checked
    def version(self) -> str:
        """Return a version."""
        return "1"

    async def setup(self, environment: Any) -> None:
        """Need nothing."""


class EnvironmentReader(_Quiet):
    """Writes all that it can read of environments: its own, and the blocks of every process it may look into."""

    @staticmethod
    def name() -> str:
        """Return the name."""
        return "environment-reader"

    async def run(self, instruction: str, environment: Any, context: Any) -> None:  # noqa: ARG002 - Harbor calls it so
        """Write `seen.json` beside the trajectory."""
        seen = {"own": dict(os.environ), "blocks": [_block(pid) for pid in ("self", os.getpid(), os.getppid())]}
        (self.logs_dir / "seen.json").write_text(json.dumps(seen), encoding="utf-8")


def _block(pid: int | str) -> str:
    return Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace")


class Raiser(_Quiet):
    """Raises."""

    @staticmethod
    def name() -> str:
        """Return the name."""
        return "raiser"

    async def run(self, instruction: str, environment: Any, context: Any) -> None:  # noqa: ARG002 - Harbor calls it so
        """Raise."""
        raise OSError("the agent broke")


class Sleeper(_Quiet):
    """Starts a command in its sandbox, says so, and waits until it is ended."""

    @staticmethod
    def name() -> str:
        """Return the name."""
        return "sleeper"

    async def run(self, instruction: str, environment: Any, context: Any) -> None:  # noqa: ARG002 - Harbor calls it so
        """Wait for ever."""
        await environment.exec("nohup setsid sleep 600 > /dev/null 2>&1 &")
        (self.logs_dir / "asleep").write_text(str(os.getpid()), encoding="utf-8")
        await asyncio.sleep(600)


class Commander(_Quiet):
    """Runs the one command that it is given, and says that it did."""

    def __init__(self, *args: Any, command: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._command = command

    @staticmethod
    def name() -> str:
        """Return the name."""
        return "commander"

    async def run(self, instruction: str, environment: Any, context: Any) -> None:  # noqa: ARG002 - Harbor calls it so
        """Run it."""
        (self.logs_dir / "asleep").write_text(str(os.getpid()), encoding="utf-8")
        await environment.exec(self._command)
