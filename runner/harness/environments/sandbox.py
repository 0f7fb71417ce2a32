"""One local sandbox: it starts its holder, runs commands inside, and leaves nothing behind.

Always true: the holder is a child of this process and dies with it; no command outlives the holder (it is process 1 of the
pid namespace); `close` may be called at any time and twice. Imports no Harbor, so that it can be tested alone. Called by
`local_sandbox.py`. A command whose holder is gone raises `SandboxLost`: its effect is unknown.
"""

import asyncio
import contextlib
import json
import os
import shutil
import signal
import stat
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Final, NamedTuple

from runner.harness.environments.bubblewrap import (
    FOLDERS,
    FOLDERS_OPEN,
    LABEL,
    Tools,
    holder_arguments,
    inherited,
    join_arguments,
)
from shared.errors import Refused

START_SECONDS: Final = 20.0
MAX_OUTPUT_BYTES: Final = 16 * 1024 * 1024
"""Of a command's output this much is kept, from its beginning."""

CONTAINER_USERS: Final = frozenset({"root", "0", "0:0", "root:root"})
_KILLED: Final = frozenset({-signal.SIGKILL, 128 + signal.SIGKILL})
_DYING_SECONDS: Final = 0.3
"""A command that was killed may be the first sign of a holder that dies; this long it is given to be seen."""
_INSTALL: Final = "Install it with `apt-get install bubblewrap` (Debian, Ubuntu) or `dnf install bubblewrap` (Fedora)"
_ALLOW: Final = (
    "Allow unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone=1, and on Ubuntu an AppArmor profile for bwrap),"
    " or run on a machine or in a container that has them"
)


class SandboxLost(RuntimeError):
    """The sandbox ended while a command ran in it, so it is unknown what the command did."""


class SandboxCommandTimeout(RuntimeError):
    """A command ran longer than its caller allowed and was killed with its process group."""


class CommandOutput(NamedTuple):
    """What a command left: its exit code and the beginning of what it printed."""

    exit_code: int
    stdout: bytes
    stderr: bytes


def find_tools(which: Callable[[str], str | None] = shutil.which) -> Tools:
    """Return the programs a sandbox needs, or raise SANDBOX_UNAVAILABLE naming the one that is missing."""
    found = {name: which(name) for name in ("bwrap", "nsenter", "setpriv")}
    for name, path in found.items():
        if path is None:
            way_out = f"{_INSTALL}." if name == "bwrap" else "Install the package util-linux."
            raise Refused("SANDBOX_UNAVAILABLE", f"the program {name!r} is not on PATH", field="job.environment", way_out=way_out)
    return Tools(*(str(found[name]) for name in ("bwrap", "nsenter", "setpriv")))


class LocalHolder:
    """A sandbox that is up: a folder, a bubblewrap process, and the pid through which commands join it."""

    def __init__(self, folder: Path, tools: Tools, *, has_network: bool, binds: Mapping[str, str] | None = None) -> None:
        self.folder: Final = folder
        self.root: Final = folder / "root"
        self._tools = tools
        self._has_network = has_network
        self._binds = dict(binds or {})
        self._process: asyncio.subprocess.Process | None = None
        self._pid = 0

    async def start(self) -> None:
        """Make the folder and start the holder; raise SANDBOX_UNAVAILABLE with bubblewrap's own words if it cannot start."""
        for name in (*FOLDERS, *FOLDERS_OPEN):
            (self.root / name).mkdir(parents=True, exist_ok=True)
        for name in FOLDERS_OPEN:
            (self.root / name).chmod(0o1777)
        for name in ("agent", "verifier", "artifacts"):
            (self.root / "logs" / name).chmod(0o777)
        with tempfile.TemporaryFile() as options, tempfile.TemporaryFile() as complaints:
            arguments = holder_arguments(self.root, has_network=self._has_network, binds=self._binds)
            options.write(b"\0".join(argument.encode() for argument in arguments) + b"\0")
            options.seek(0)
            await self._launch(options, complaints)

    async def run(
        self,
        command: Sequence[str],
        *,
        folder: str = "/",
        environment: Mapping[str, str],
        seconds: float | None = None,
        stdin: IO[bytes] | None = None,
        stdout: IO[bytes] | None = None,
    ) -> CommandOutput:
        """Run `command` inside and return what it printed (nothing of stdout when it goes to the file `stdout`).

        Output goes through files, so a background program that keeps its stdout open does not hold the caller.
        Raises SandboxCommandTimeout after `seconds`, SandboxLost if the holder is gone.
        """
        self._require_alive()
        line = join_arguments(self._tools, self._pid, command, folder=folder, environment=environment)
        with tempfile.TemporaryFile() as own_stdout, tempfile.TemporaryFile() as stderr:
            async with self._joined(line, inherited(environment), stdin, stdout or own_stdout, stderr) as process:
                try:
                    exit_code = await asyncio.wait_for(process.wait(), seconds)
                except TimeoutError:
                    raise SandboxCommandTimeout(f"Command timed out after {seconds} seconds") from None
            if exit_code in _KILLED and self._process is not None:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._process.wait(), _DYING_SECONDS)
            self._require_alive()
            return CommandOutput(exit_code, _beginning(own_stdout), _beginning(stderr))

    async def close(self) -> None:
        """End every process of the sandbox and remove its folder; a second call does nothing."""
        process, self._process = self._process, None
        if process is not None:
            for pid in (self._pid, process.pid):
                with contextlib.suppress(ProcessLookupError):
                    if pid:
                        os.kill(pid, signal.SIGKILL)
            await process.wait()
        self._pid = 0
        await asyncio.get_running_loop().run_in_executor(None, remove_folder, self.folder)

    async def _launch(self, options: IO[bytes], complaints: IO[bytes]) -> None:
        """Start the holder, which reads from us until we are gone.

        A parent that is killed before bubblewrap has asked for its death signal would otherwise leave it behind.
        """
        read_end, write_end = os.pipe()
        try:
            self._process = await asyncio.create_subprocess_exec(
                self._tools.bwrap, "--args", str(options.fileno()), "--info-fd", str(write_end), "--",
                "/bin/sh", "-c", "echo ready; exec cat > /dev/null",
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=complaints,
                pass_fds=(options.fileno(), write_end), env={LABEL: str(self.folder), "PATH": os.defpath}, start_new_session=True,
            )  # fmt: skip
            os.close(write_end)
            write_end = -1
            await self._wait_ready(complaints)
            self._pid = int(json.loads(os.read(read_end, 4096))["child-pid"])
        except BaseException:
            await self.close()
            raise
        finally:
            os.close(read_end)
            if write_end >= 0:
                os.close(write_end)

    async def _wait_ready(self, complaints: IO[bytes]) -> None:
        line = b""
        if self._process is not None and self._process.stdout is not None:
            with contextlib.suppress(TimeoutError):
                line = await asyncio.wait_for(self._process.stdout.readline(), START_SECONDS)
        if line != b"ready\n":
            raise _unavailable(_beginning(complaints))

    def _require_alive(self) -> None:
        if self._process is None or self._process.returncode is not None:
            raise SandboxLost("The sandbox is not running; it is unknown what the last command did")

    @contextlib.asynccontextmanager
    async def _joined(
        self, line: list[str], variables: dict[str, str], stdin: IO[bytes] | None, stdout: IO[bytes], stderr: IO[bytes]
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
        raise _unavailable(output.stderr)


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


def _beginning(file: IO[bytes]) -> bytes:
    return os.pread(file.fileno(), MAX_OUTPUT_BYTES, 0)


def _unavailable(complaint: bytes) -> Refused:
    text = complaint.decode(errors="replace").strip() or "it gave no reason"
    return Refused(
        "SANDBOX_UNAVAILABLE", f"bubblewrap cannot make a sandbox here: {text}", field="job.environment", way_out=f"{_ALLOW}."
    )
