"""One local sandbox: it starts its holder, runs commands inside, and leaves nothing behind.

Always true: the holder is a child of this process and dies with it; no command outlives the holder (it is process 1 of the
pid namespace); nothing inside can end the holder; `close` may be called at any time and twice. Imports no Harbor, so that it can
be tested alone. Called by `local_sandbox.py`. A command whose holder is gone raises `SandboxLost`, its effect is unknown, or
`SandboxFull` if the holder was ended because more was written than the quota allows.
"""

import asyncio
import contextlib
import json
import os
import shutil
import signal
import stat
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Final, NamedTuple

from runner.harness.environments.bubblewrap import (
    FOLDERS,
    FOLDERS_OPEN,
    LABEL,
    holder_arguments,
    inherited,
    join_arguments,
)
from runner.harness.environments.output import Outlet
from runner.harness.environments.quota import Quota, until_exceeded
from runner.harness.environments.settings import settings_files
from runner.harness.environments.tools import Tools, unavailable

START_SECONDS: Final = 20.0
_TOLD_BYTES: Final = 4096
_KILLED: Final = frozenset({-signal.SIGKILL, 128 + signal.SIGKILL})
_DYING_SECONDS: Final = 0.3
"""A command that was killed may be the first sign of a holder that dies; this long it is given to be seen."""


class SandboxLost(RuntimeError):
    """The sandbox ended while a command ran in it, so it is unknown what the command did."""


class SandboxFull(RuntimeError):
    """The programs of the sandbox wrote more than its quota allows, so it was ended."""


class SandboxCommandTimeout(RuntimeError):
    """A command ran longer than its caller allowed and was killed with its process group."""


class CommandOutput(NamedTuple):
    """What a command left: its exit code and the beginning of what it printed."""

    exit_code: int
    stdout: bytes
    stderr: bytes


class LocalHolder:
    """A sandbox that is up: a folder, a bubblewrap process, and the pid through which commands join it."""

    def __init__(
        self,
        folder: Path,
        tools: Tools,
        *,
        has_network: bool,
        binds: Mapping[str, str] | None = None,
        quota: Quota = Quota(),  # noqa: B008 - a frozen value
    ) -> None:
        self.folder: Final = folder
        self.root: Final = folder / "root"
        self._tools = tools
        self._has_network = has_network
        self._binds = dict(binds or {})
        self._quota = quota
        self._fault: SandboxLost | SandboxFull | None = None
        self._outlets: list[Outlet] = []
        self._watch: asyncio.Task[None] | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._pid = 0

    @property
    def pid(self) -> int:
        """Return the number on the host of the process that is process 1 inside."""
        return self._pid

    @property
    def fault(self) -> SandboxLost | SandboxFull | None:
        """Return why the sandbox ended before it was closed, or None."""
        if self._fault is None and self._process is not None and self._process.returncode is not None:
            self._fault = SandboxLost("The sandbox is not running; it is unknown what the last command did")
        return self._fault

    async def start(self) -> None:
        """Make the folder and start the holder; raise SANDBOX_UNAVAILABLE with bubblewrap's own words if it cannot start."""
        for name in (*FOLDERS, *FOLDERS_OPEN):
            (self.root / name).mkdir(parents=True, exist_ok=True)
        for name in FOLDERS_OPEN:
            (self.root / name).chmod(0o1777)
        for name in ("agent", "verifier", "artifacts"):
            (self.root / "logs" / name).chmod(0o777)
        with contextlib.ExitStack() as stack:
            files = settings_files(has_network=self._has_network)
            settings = {name: stack.enter_context(_in_memory(content)).fileno() for name, content in files.items()}
            arguments = holder_arguments(self.root, has_network=self._has_network, binds=self._binds, settings=settings)
            options = stack.enter_context(_in_memory(b"".join(argument.encode() + b"\0" for argument in arguments)))
            complaints = stack.enter_context(_in_memory(b""))
            await self._launch(options.fileno(), tuple(settings.values()), complaints)
        self._watch = asyncio.create_task(self._end_when_full())

    async def run(
        self,
        command: Sequence[str],
        *,
        folder: str = "/",
        environment: Mapping[str, str],
        seconds: float | None = None,
        stdin: IO[bytes] | None = None,
        stdout: IO[bytes] | None = None,
        file_bytes: int | None = None,
    ) -> CommandOutput:
        """Run `command` inside and return what it printed (nothing of stdout when it goes to the file `stdout`).

        No file that it writes gets longer than `file_bytes`, the whole quota unless told. A background program that keeps its
        stdout open does not hold the caller. Raises SandboxCommandTimeout after `seconds`, SandboxLost or SandboxFull if the
        holder is gone.
        """
        self._require_alive()
        limit = self._quota.bytes if file_bytes is None else file_bytes
        line = join_arguments(self._tools, self._pid, command, folder=folder, environment=environment, file_bytes=limit)
        outlets = out, err = Outlet(), Outlet()
        self._outlets = [outlet for outlet in self._outlets if outlet.is_open] + [*outlets]
        try:
            async with self._joined(line, inherited(environment), stdin, stdout or out.write_end, err.write_end) as process:
                for outlet in outlets:
                    outlet.hand_over()
                try:
                    exit_code = await asyncio.wait_for(process.wait(), seconds)
                except TimeoutError:
                    raise SandboxCommandTimeout(f"Command timed out after {seconds} seconds") from None
        finally:
            printed = [outlet.take() for outlet in outlets]
        if exit_code in _KILLED and self._process is not None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._process.wait(), _DYING_SECONDS)
        self._require_alive()
        return CommandOutput(exit_code, *printed)

    async def close(self) -> None:
        """End every process of the sandbox and remove its folder; a second call does nothing."""
        self._fault = self.fault
        if self._watch is not None:
            self._watch.cancel()
        process, self._process = self._process, None
        if process is not None:
            self._kill(process)
            await process.wait()
        self._pid = 0
        for outlet in self._outlets:
            outlet.close()
        await asyncio.get_running_loop().run_in_executor(None, remove_folder, self.folder)

    async def _end_when_full(self) -> None:
        use = await until_exceeded(self.root, self._pid, self._quota, self._tools.nsenter)
        if self._process is not None and self.fault is None:
            self._fault = SandboxFull(f"The sandbox was ended: it held {use.bytes} bytes in {use.files} files")
            self._kill(self._process)

    def _kill(self, process: asyncio.subprocess.Process) -> None:
        if process.returncode is None:  # Else the numbers may be another's by now.
            for pid in (self._pid, process.pid):
                with contextlib.suppress(ProcessLookupError):
                    if pid:
                        os.kill(pid, signal.SIGKILL)

    async def _launch(self, options: int, settings: tuple[int, ...], complaints: IO[bytes]) -> None:
        """Start the holder, which reads from us until we are gone and lets the kernel bury the orphans that it inherits.

        A parent that is killed before bubblewrap has asked for its death signal would otherwise leave it behind. For the same
        reason bubblewrap tells its child's number into a file: a pipe that nobody reads any more would end it half way, and
        the child, which waits for its word, never.
        """
        with _in_memory(b"") as facts:
            try:
                self._process = await asyncio.create_subprocess_exec(
                    self._tools.bwrap, "--args", str(options), "--info-fd", str(facts.fileno()), "--",
                    "/bin/sh", "-c", "echo ready; exec env --ignore-signal=CHLD cat > /dev/null",
                    stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=complaints,
                    pass_fds=(options, facts.fileno(), *settings), start_new_session=True,
                    env={LABEL: str(self.folder), "PATH": os.defpath},
                )  # fmt: skip
                await self._wait_ready(complaints)
                self._pid = int(json.loads(os.pread(facts.fileno(), _TOLD_BYTES, 0))["child-pid"])
            except BaseException:
                await self.close()
                raise

    async def _wait_ready(self, complaints: IO[bytes]) -> None:
        line = b""
        if self._process is not None and self._process.stdout is not None:
            with contextlib.suppress(TimeoutError):
                line = await asyncio.wait_for(self._process.stdout.readline(), START_SECONDS)
        if line != b"ready\n":
            raise unavailable(os.pread(complaints.fileno(), _TOLD_BYTES, 0))

    def _require_alive(self) -> None:
        if self.fault is not None:
            raise self.fault
        if self._process is None:
            raise SandboxLost("The sandbox is not running")

    @contextlib.asynccontextmanager
    async def _joined(
        self, line: list[str], variables: dict[str, str], stdin: IO[bytes] | None, stdout: IO[bytes] | int, stderr: int
    ) -> AsyncIterator[asyncio.subprocess.Process]:
        process = await asyncio.create_subprocess_exec(
            *line, stdin=stdin or asyncio.subprocess.DEVNULL, stdout=stdout, stderr=stderr, env=variables, start_new_session=True
        )
        try:
            yield process
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                await process.wait()


async def probe(tools: Tools, folder: Path) -> None:
    """Run `true` in a sandbox made in `folder`; raise SANDBOX_UNAVAILABLE if this machine cannot."""
    holder = LocalHolder(folder, tools, has_network=False)
    await holder.start()
    try:
        output = await holder.run(["/bin/true"], environment={})
    finally:
        await holder.close()
    if output.exit_code != 0:
        raise unavailable(output.stderr)


def _in_memory(content: bytes) -> IO[bytes]:
    """Return an open file with `content`, to be read from its beginning, that lies on no disk."""
    file = os.fdopen(os.memfd_create("sandbox"), "r+b", buffering=0)
    os.pwrite(file.fileno(), content, 0)
    return file


def remove_folder(folder: Path) -> None:
    """Remove `folder` whole, also what was made unreadable; links in it are removed, never followed."""
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        folder.chmod(stat.S_IRWXU)
        for place, names, _files in os.walk(folder):
            for name in names:
                if not (Path(place) / name).is_symlink():
                    (Path(place) / name).chmod(stat.S_IRWXU)
        shutil.rmtree(folder)
