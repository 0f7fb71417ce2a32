"""The Harbor environment `local`: a trial's commands run in bubblewrap on this machine.

Harbor loads `LocalSandbox` by its import path. It gives what Harbor's container environment gives (a working folder from the
Dockerfile, `/logs`, `/tests`, `/solution`, background programs that live on, one root user) from the host's own `/usr`, with
loopback alone unless the task declares network. What may be written is bounded by the task's `storage_mb`, or 10 GiB; limits of
cpu and memory are not enforced and are recorded in `sandbox.json` beside the trial's result. A sandbox that ended before it was
stopped leaves `sandbox-fault.json` there, since Harbor passes on such an end under many names. The sandbox's folder lies under
the attempt's scratch folder and is removed on stop.
"""

import json
import os
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Any, Final, override

from harbor.environments.base import BaseEnvironment, ExecResult
from harbor.environments.capabilities import EnvironmentCapabilities, EnvironmentResourceCapabilities
from harbor.environments.options import EnvironmentOptions
from harbor.models.task.config import NetworkMode

from runner.evidence.left_behind import LeftBehind, add_left_behind
from runner.harness.environments.bubblewrap import PATH
from runner.harness.environments.dockerfile import Copy, Dockerfile, Env, Workdir, expand, parse_dockerfile
from runner.harness.environments.quota import DEFAULT_BYTES, Quota
from runner.harness.environments.sandbox import LocalHolder
from runner.harness.environments.shims import SHIMS, SHIMS_FOLDER, shim_binds
from runner.harness.environments.tools import find_tools
from runner.harness.environments.transfer import NotCopied, fetch_file, fetch_folder, fetch_paths, send_file, send_folder
from runner.harness.faults import write_fault
from shared.errors import BadInput

PYTHON_FOLDER: Final = "/opt/seawall-python"
_CHECKOUT: Final = Path(__file__).parents[3]
_USERS: Final = frozenset({"root", "0", "0:0", "root:root"})
_HAS_PYTHON: Final = Path("/usr/bin/python3").exists()
_BASE_ENVIRONMENT: Final = {"HOME": "/root", "LANG": "C.UTF-8", "HOSTNAME": "sandbox"}


class SandboxBuildFailedError(RuntimeError):
    """A step of the task's Dockerfile failed, so the agent never began."""


class LocalSandboxOptions(EnvironmentOptions):  # type: ignore[misc]  # Harbor is not installed where types are checked
    """What a manifest may say of a local sandbox."""

    shims: bool = False
    """Put offline stand-ins for apt-get, curl, uv and uvx on PATH."""


class LocalSandbox(BaseEnvironment):  # type: ignore[misc]  # same
    """A task's environment made of bubblewrap, the host's `/usr` and a private folder."""

    options_model = LocalSandboxOptions

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._build = Dockerfile("", ())
        self._variables: dict[str, str] = {}
        self._workdir = "/"
        self._holder: LocalHolder | None = None
        super().__init__(*args, **kwargs)

    @staticmethod
    @override
    def type() -> str:
        """Return the sandbox kind."""
        return "local"

    @property
    @override
    def capabilities(self) -> EnvironmentCapabilities:
        """Return what this environment can do: it can switch the network off, and nothing else of the list."""
        return EnvironmentCapabilities(disable_internet=True)

    @classmethod
    @override
    def resource_capabilities(cls) -> EnvironmentResourceCapabilities | None:
        """Return None: no limit is enforced, and a task may still name its needs."""
        return None

    @property
    def has_network(self) -> bool:
        """Tell whether the task itself declares public network; Harbor's default does not count."""
        fields = self.task_env_config.model_fields_set
        is_declared = "network_mode" in fields or self.task_env_config.allow_internet is not None
        return is_declared and self.network_policy.network_mode == NetworkMode.PUBLIC

    @override
    async def start(self, force_build: bool) -> None:
        """Start the sandbox and carry out the task's Dockerfile in it."""
        tools = find_tools()
        folder = Path(tempfile.mkdtemp(prefix="sandbox-"))
        binds = {} if _HAS_PYTHON else {PYTHON_FOLDER: sys.base_prefix}
        if self._shims:
            binds |= shim_binds(_CHECKOUT)
        self._holder = LocalHolder(folder, tools, has_network=self.has_network, binds=binds, quota=self._quota)
        self._variables = {"PATH": self._path(binds), **_BASE_ENVIRONMENT}
        await self._holder.start()
        if self._shims:
            await self._put_shims()
        await self._carry_out()
        self._record()
        await self._upload_environment_dir_after_start()

    @override
    async def stop(self, delete: bool) -> None:
        """End the sandbox and remove its folder, whatever `delete` says: nothing of a local sandbox is kept."""
        holder, self._holder = self._holder, None
        if holder is not None:
            await holder.close()
            if holder.fault is not None:
                write_fault(self.trial_paths.trial_dir, holder.fault)

    @override
    async def exec(
        self,
        command: str,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        timeout_sec: int | None = None,
        user: str | int | None = None,
    ) -> ExecResult:
        """Run `command` with bash inside; raise SandboxCommandTimeout after `timeout_sec` seconds."""
        who = self._resolve_user(user)
        if who is not None and str(who) not in _USERS:
            raise _unsupported(f"the user {who!r}: a local sandbox has root alone")
        output = await self._up.run(
            ["/bin/bash", "-c", command],
            folder=cwd or self.task_env_config.workdir or self._workdir,
            environment={**self._variables, **(self._merge_env(env) or {})},
            seconds=timeout_sec or None,
        )
        return ExecResult(
            stdout=output.stdout.decode(errors="replace"),
            stderr=output.stderr.decode(errors="replace"),
            return_code=output.exit_code,
        )

    @override
    async def upload_file(self, source_path: Path | str, target_path: str) -> None:
        """Copy a host file in; a target that is a folder receives it under its own name."""
        await send_file(self._up, Path(source_path), self._absolute(target_path))

    @override
    async def upload_dir(self, source_dir: Path | str, target_dir: str) -> None:
        """Copy the contents of a host folder into a folder inside."""
        await send_folder(self._up, Path(source_dir), self._absolute(target_dir))

    @override
    async def download_file(self, source_path: str, target_path: Path | str) -> None:
        """Copy a file out; one that is too large, or no file, is told beside the result."""
        try:
            await fetch_file(self._up, self._absolute(source_path), Path(target_path))
        except NotCopied as error:
            if error.reason in {"file_too_big", "not_a_regular_file"}:
                self._tell([LeftBehind("", error.reason, 0)], Path(target_path))
            raise

    @override
    async def download_dir(self, source_dir: str, target_dir: Path | str) -> None:
        """Copy the contents of a folder out; links that leave it, devices and what is too large stay, and are told."""
        self._tell(await fetch_folder(self._up, self._absolute(source_dir), Path(target_dir)), Path(target_dir))

    async def snapshot(self, paths: Iterable[str], into: Path) -> None:
        """Copy the absolute `paths` that exist to the same places below `into`, while the trial goes on."""
        await fetch_paths(self._up, paths, into)

    @override
    def _validate_definition(self) -> None:
        file = self.environment_dir / "Dockerfile"
        if (self.environment_dir / "docker-compose.yaml").exists():
            raise _unsupported("docker-compose.yaml: a local sandbox is one machine")
        if file.is_file():
            self._build = parse_dockerfile(file.read_text(encoding="utf-8"))
        elif not self.task_env_config.docker_image:
            raise FileNotFoundError(f"{file} not found, and the task names no docker_image")

    @property
    def _up(self) -> LocalHolder:
        if self._holder is None:
            raise RuntimeError("the sandbox is not started, or is stopped")
        return self._holder

    @property
    def _quota(self) -> Quota:
        megabytes = self.task_env_config.storage_mb
        return Quota(bytes=megabytes << 20 if megabytes else DEFAULT_BYTES)

    @property
    def _shims(self) -> bool:
        return isinstance(self.options, LocalSandboxOptions) and self.options.shims

    def _path(self, binds: dict[str, str]) -> str:
        front = [SHIMS_FOLDER] if self._shims else []
        back = [f"{PYTHON_FOLDER}/bin"] if PYTHON_FOLDER in binds else []
        return ":".join([*front, PATH, *back])

    def _absolute(self, path: str) -> str:
        return str(PurePosixPath(self._workdir) / path) + ("/" if path.endswith("/") and path != "/" else "")

    async def _put_shims(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in SHIMS.items():
                shim = Path(folder) / name
                shim.write_text(text, encoding="utf-8")
                shim.chmod(0o755)
            await send_folder(self._up, Path(folder), SHIMS_FOLDER)

    async def _carry_out(self) -> None:
        arguments = dict[str, str]()
        for instruction in self._build.instructions:
            variables = {**arguments, **self._variables}
            if isinstance(instruction, Workdir):
                self._workdir = self._absolute(expand(instruction.path, variables))
                await self._build_step(["/bin/mkdir", "-p", "--", self._workdir], "/", variables)
            elif isinstance(instruction, Env):
                pairs = {name: expand(value, variables) for name, value in instruction.pairs}
                (arguments if instruction.is_argument else self._variables).update(pairs)
            elif isinstance(instruction, Copy):
                await self._copy(instruction, variables)
            else:
                await self._build_step(list(instruction.command), self._workdir, variables)
        if workdir := self.task_env_config.workdir:
            self._workdir = workdir
            await self._build_step(["/bin/mkdir", "-p", "--", workdir], "/", self._variables)

    async def _build_step(self, command: list[str], folder: str, variables: dict[str, str]) -> None:
        output = await self._up.run(command, folder=folder, environment=variables)
        if output.exit_code != 0:
            tail = (output.stdout + output.stderr)[-2000:].decode(errors="replace").strip()
            raise SandboxBuildFailedError(f"{' '.join(command)[:200]!r} ended with exit code {output.exit_code}: {tail}")

    async def _copy(self, copy: Copy, variables: dict[str, str]) -> None:
        target = self._absolute(expand(copy.target, variables))
        sources = [found for source in copy.sources for found in self._sources(expand(source, variables))]
        for source in sources:
            if source.is_dir():
                await send_folder(self._up, source, target)
            elif copy.unpacks and source.name.endswith((".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")):
                await self._unpack(source, target, variables)
            else:
                into = target if len(sources) == 1 else f"{target.rstrip('/')}/"
                await send_file(self._up, source, into)
        if copy.mode:
            await self._build_step(["/bin/chmod", "-R", copy.mode, target], "/", variables)

    async def _unpack(self, archive: Path, target: str, variables: dict[str, str]) -> None:
        inside = f"/tmp/.build-{archive.name}"  # noqa: S108 - a path inside the sandbox
        await send_file(self._up, archive, inside)
        await self._build_step(["/bin/mkdir", "-p", target], "/", variables)
        await self._build_step(["/bin/tar", "--no-same-owner", "-xf", inside, "-C", target], "/", variables)
        await self._build_step(["/bin/rm", inside], "/", variables)

    def _sources(self, pattern: str) -> list[Path]:
        """Return the files of the build folder that `pattern` names; none that lies outside it, and never no file."""
        relative = pattern.lstrip("/")
        base = self.environment_dir.resolve()
        found = sorted(base.glob(relative)) if any(mark in relative for mark in "*?[") else [base / relative]
        inside = [path for path in found if path.exists() and path.resolve().is_relative_to(base)]
        if not inside:
            raise SandboxBuildFailedError(f"COPY or ADD of {pattern!r}: no such file in the build folder environment/")
        return inside

    def _tell(self, left: list[LeftBehind], target: Path) -> None:
        """List what stayed behind by its path below the trial's folder; what is copied elsewhere is no evidence."""
        folder = self.trial_paths.trial_dir
        if target.is_relative_to(folder):
            below = target.relative_to(folder)
            add_left_behind(folder, (thing._replace(path=(below / thing.path).as_posix()) for thing in left))

    def _record(self) -> None:
        needs = {name: getattr(self.task_env_config, name) for name in ("cpus", "memory_mb")}
        facts = {
            "kind": "local",
            "base_image_not_used": self._build.base or self.task_env_config.docker_image,
            "has_network": self.has_network,
            "shims": self._shims,
            "enforced": {"storage_bytes": self._quota.bytes, "files": self._quota.files},
            "not_enforced": {name: value for name, value in needs.items() if value is not None},
        }
        text = json.dumps(facts, indent=1, sort_keys=True)
        (self.trial_paths.trial_dir / "sandbox.json").write_text(text + os.linesep, encoding="utf-8")


def _unsupported(what: str) -> BadInput:
    return BadInput("TASK_UNSUPPORTED", what, field="environment", way_out="Run this task in a sandbox that builds images.")
