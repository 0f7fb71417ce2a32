"""Bubblewrap's command lines: what a local sandbox sees, and how a command joins one that is up.

A sandbox is one *holder*: process 1 of its own user, mount, pid, network, ipc and uts namespaces, which dies with its parent.
Commands join those namespaces, so a background program lives on between commands as it would in a container. The host's `/usr`
is read-only, of `/etc` a part is seen (`settings.py`), everything else below `/` is a private folder. A joined command keeps the
capabilities that a container has by default and no others: without that, root of the user namespace could remount `/usr`
writable. The holder has all of them, so that no command may trace it or look into it, and a signal from inside does not reach
process 1: the sandbox ends when its parent ends it, never by what runs in it. Pure functions; called by `sandbox.py`.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from runner.harness.environments.settings import settings_arguments
from runner.harness.environments.tools import Tools

LABEL: Final = "SEAWALL_SANDBOX"
"""The variable that marks every holder with its folder, so that a reaper finds it."""

PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
CAPABILITIES: Final = "-all,+chown,+dac_override,+fowner,+fsetid,+kill,+setgid,+setuid,+net_bind_service"
NAMESPACES: Final = ("--user", "--mount", "--pid", "--net", "--ipc", "--uts")
FOLDERS: Final = ("app", "home", "logs/agent", "logs/artifacts", "logs/verifier", "media", "mnt", "opt", "root", "run", "srv")
FOLDERS_OPEN: Final = ("tmp", "var/tmp")
_SYSTEM_LINKS: Final = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_PROC_READ_ONLY: Final = ("/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/acpi", "/proc/scsi")
_PROC_HIDDEN: Final = ("/proc/kcore", "/proc/keys", "/proc/timer_list", "/proc/sched_debug", "/proc/latency_stats")


def holder_arguments(root: Path, *, has_network: bool, binds: Mapping[str, str], settings: Mapping[str, int]) -> list[str]:
    """Return bubblewrap's options for a sandbox whose private files lie in `root`.

    `settings` maps paths below `/etc` to open files, which become its content; `binds` maps paths inside the sandbox to host
    folders that are bound read-only. With `has_network` the sandbox shares the host's network, otherwise it has a loopback of
    its own and nothing else.
    """
    arguments = [
        "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--uid", "0", "--gid", "0",
        "--hostname", "sandbox", "--die-with-parent", "--new-session", "--as-pid-1", "--cap-add", "ALL",
        "--bind", str(root), "/", "--ro-bind", "/usr", "/usr",
    ]  # fmt: skip
    if not has_network:
        arguments.append("--unshare-net")
    for name in _SYSTEM_LINKS:
        arguments += _system_path(Path("/") / name)
    arguments += settings_arguments(settings)
    arguments += ["--proc", "/proc", "--dev", "/dev", *_guarded_proc()]
    for inside, outside in binds.items():
        arguments += ["--ro-bind", outside, inside]
    return [*arguments, "--chdir", "/"]


def join_arguments(
    tools: Tools, pid: int, command: Sequence[str], *, folder: str, environment: Mapping[str, str], file_bytes: int
) -> list[str]:
    """Return the command line that runs `command` inside the namespaces of `pid`, in `folder`; no file it writes is longer.

    `environment` is the process's own (`inherited`), so that no other user reads a secret from a command line; only what would
    change how our programs load is given to the command alone.
    """
    pairs = [f"{name}={value}" for name, value in environment.items() if _is_loaders(name)]
    return [
        tools.nsenter, "--target", str(pid), *NAMESPACES, "--preserve-credentials", "--",
        tools.prlimit, f"--fsize={file_bytes}", "--core=0", "--",
        tools.setpriv, "--no-new-privs", f"--bounding-set={CAPABILITIES}", "--inh-caps=-all", "--",
        "/usr/bin/env", f"--chdir={folder}", *pairs, *command,
    ]  # fmt: skip


def inherited(environment: Mapping[str, str]) -> dict[str, str]:
    """Return what of `environment` the joining process itself starts with."""
    return {name: value for name, value in environment.items() if not _is_loaders(name)}


def _is_loaders(name: str) -> bool:
    return name.startswith("LD_") or name in {"GLIBC_TUNABLES", "GCONV_PATH", "LOCPATH"}


def _guarded_proc() -> list[str]:
    """Return what keeps the kernel's switches from a sandbox of real root, as container runtimes do: its files check the uid."""
    read_only = [word for name in _PROC_READ_ONLY if Path(name).exists() for word in ("--ro-bind", name, name)]
    return read_only + [word for name in _PROC_HIDDEN if Path(name).exists() for word in ("--ro-bind", "/dev/null", name)]


def _system_path(path: Path) -> list[str]:
    """Return what puts `path` there as a mount, which nothing inside can rename: a link to `/usr` could be removed."""
    return ["--ro-bind", str(path.resolve()), str(path)] if path.is_dir() else []
