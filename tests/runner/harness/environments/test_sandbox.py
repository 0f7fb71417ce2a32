import asyncio
import contextlib
import gc
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from runner.harness.environments.sandbox import LocalHolder, SandboxCommandTimeout, SandboxLost, probe, remove_folder
from runner.harness.environments.tools import find_tools
from runner.harness.reaping import holders
from shared.errors import Refused
from tests.runner.harness.environments.conftest import Sandbox

type Maker = Callable[[str], Sandbox]


def test_a_command_runs_as_root_in_a_private_tree(make_sandbox: Maker) -> None:
    """Output, exit code and files are the sandbox's own."""

    async def check() -> None:
        async with make_sandbox("one") as sandbox:
            assert await sandbox.sh("id -u; echo no >&2; exit 3") == (3, "0\nno\n")
            assert await sandbox.sh("echo hi > /app/f && cat /app/f") == (0, "hi\n")
            assert (sandbox.holder.root / "app" / "f").read_text(encoding="utf-8") == "hi\n"

    asyncio.run(check())


ESCAPES = {
    "a host file": "cat {secret}",
    "a host folder": "ls /home/* /root/.ssh /work 2>&1 | grep -v 'No such' | grep .",
    "shadow": "test -s /etc/shadow",
    "the host's tokens": "ls /etc/machine-id /etc/pip.conf /etc/npmrc /etc/gitconfig /etc/environment 2>/dev/null | grep .",
    "the holder's memory": "head -c1 /proc/1/mem || cat /proc/1/environ | grep -q .",
    "the holder's files": "cat /proc/1/fd/0",
    "a tracer of the holder": "python3 -c 'import ctypes; exit(ctypes.CDLL(None).ptrace(16, 1, 0, 0) < 0)'",
    "another /bin": "mv /bin /tmp/bin || rm -r /bin",
    "another loader": "rm -rf /lib64 || mv /lib /tmp/lib",
    "a host process": "kill -0 {pid}",
    "the other sandbox": "ls {other}",
    "TCP to the host": "exec 3<>/dev/tcp/127.0.0.1/{port}",
    "TCP out": "exec 3<>/dev/tcp/192.0.2.1/80",
    "a disk": "ls /dev/sd* /dev/vd* /dev/nvme* /dev/mem 2>/dev/null | grep .",
    "a new device": "mknod /tmp/disk b 254 0 && head -c1 /tmp/disk",
    "a writable /usr": "touch /usr/x",
    "a writable /usr after a mount": "mount -o remount,rw,bind /usr && touch /usr/x",
    "a writable /usr in a namespace": "unshare -Urm sh -c 'mount -o remount,rw,bind /usr && touch /usr/x'",
    "a writable /etc": "touch /etc/x",
    "the host's kernel settings": "echo 1 > /proc/sys/kernel/printk",
    "the host's magic key": "echo h > /proc/sysrq-trigger",
    "the kernel's memory": "head -c1 /proc/kcore | grep -q .",
    "the host's name": "hostname changed",
}


@pytest.mark.parametrize("probe_name", ESCAPES)
def test_nothing_of_the_host_is_reached(probe_name: str, make_sandbox: Maker, tmp_path: Path) -> None:
    """Each probe fails inside, and what it looks for is really there outside."""
    secret = tmp_path / "secret"
    secret.write_text("secret", encoding="utf-8")

    async def check() -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            async with make_sandbox("one") as sandbox, make_sandbox("two") as other:
                port = server.getsockname()[1]
                command = ESCAPES[probe_name].format(secret=secret, pid=os.getpid(), other=other.holder.root, port=port)
                code, text = await sandbox.sh(command)
                assert code != 0, text

    asyncio.run(check())
    assert not Path("/usr/x").exists()


def test_loopback_works_and_background_programs_live(make_sandbox: Maker) -> None:
    """A server started by one command answers the next, and holds neither."""

    async def check() -> None:
        async with make_sandbox("one") as sandbox:
            code, _ = await sandbox.sh("cd /app && echo found > f && (python3 -m http.server 8080 --bind 127.0.0.1 &) ; true", 10)
            assert code == 0
            wait = "for _ in $(seq 100); do (exec 3<>/dev/tcp/127.0.0.1/8080) 2>/dev/null && break; sleep 0.05; done"
            fetch = "python3 -c \"import urllib.request as u; print(u.urlopen('http://127.0.0.1:8080/f').read())\""
            assert await sandbox.sh(f"{wait}; {fetch}") == (0, "b'found\\n'\n")

    asyncio.run(check())


def test_a_command_out_of_time_is_killed_with_its_children(make_sandbox: Maker) -> None:
    """The timeout ends the command's process group; the sandbox goes on."""

    async def check() -> None:
        async with make_sandbox("one") as sandbox:
            with pytest.raises(SandboxCommandTimeout, match="timed out"):
                await sandbox.sh("sleep 60 & sleep 60", 0.2)
            _, text = await sandbox.sh("ps -A -o args | grep -c '[s]leep 60'")
            assert text.strip() == "0"

    asyncio.run(check())


def test_a_command_whose_sandbox_ends_is_of_unknown_effect(make_sandbox: Maker) -> None:
    """Killing the holder from outside ends what runs inside and says that the effect is unknown."""

    async def check() -> None:
        async with make_sandbox("one") as sandbox:
            call = asyncio.create_task(sandbox.sh("echo started > /app/mark; sleep 60"))
            await _until((sandbox.holder.root / "app" / "mark").exists)
            for pid in holders(sandbox.holder.folder.parent):
                os.kill(pid, signal.SIGKILL)
            with pytest.raises(SandboxLost):
                await call
            assert isinstance(sandbox.holder.fault, SandboxLost)

    asyncio.run(check())


async def _until(claim: Callable[[], bool]) -> None:
    for _ in range(2000):
        if claim():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("it never came true")


@pytest.mark.parametrize("attack", ["kill -9 -1", "kill -9 1", "kill -STOP 1", "kill -9 0", "prlimit --pid 1 --cpu=0 --nofile=0"])
def test_nothing_inside_ends_the_sandbox(attack: str, make_sandbox: Maker) -> None:
    """Whatever a command does to process 1 and to all others, the next command runs in the same sandbox."""

    async def check() -> None:
        async with make_sandbox("one") as sandbox:
            await sandbox.sh(f"echo kept > /app/mark; {attack}; true")
            assert await sandbox.sh("cat /app/mark") == (0, "kept\n")

    asyncio.run(check())


def test_orphans_are_buried(make_sandbox: Maker) -> None:
    """A program whose parent has gone leaves no zombie to the holder."""

    async def check() -> None:
        async with make_sandbox("one") as sandbox:
            _, pid = await sandbox.sh("(setsid true & echo $!)")
            wait = f"for _ in $(seq 200); do [ -e /proc/{pid.strip()} ] || exit 0; sleep 0.02; done; exit 1"
            assert (await sandbox.sh(wait))[0] == 0

    asyncio.run(check())


PARENT = """
import asyncio, pathlib, sys
from runner.harness.environments.sandbox import LocalHolder
from runner.harness.environments.tools import find_tools
folder, bwrap = pathlib.Path(sys.argv[1]), sys.argv[2]
asyncio.run(LocalHolder(folder, find_tools()._replace(bwrap=bwrap), has_network=False).start())
"""


def test_a_sandbox_whose_parent_dies_in_its_first_instants_ends(tmp_path: Path) -> None:
    """The parent is killed before bubblewrap runs, so no death signal is ever sent: the end of its input ends the holder."""
    gate, slow = tmp_path / "gate", tmp_path / "bwrap"
    os.mkfifo(gate)
    tools = find_tools()
    slow.write_text(f'#!/bin/sh\nread _ < {gate}\nexec {tools.bwrap} "$@"\n', encoding="utf-8")
    slow.chmod(0o755)
    parent = subprocess.Popen([sys.executable, "-c", PARENT, tmp_path / "box", slow], cwd=Path(__file__).parents[4])
    with gate.open("w", encoding="utf-8") as opened:  # Opens once the script waits.
        assert len(list(holders(tmp_path))) == 1
        parent.kill()
        parent.wait()
        opened.write("now\n")
    asyncio.run(_until(lambda: not list(holders(tmp_path))))


def test_closing_leaves_nothing(make_sandbox: Maker, tmp_path: Path) -> None:
    """No process and no folder is left, whatever the sandbox left in it; a second close does nothing."""

    async def check() -> None:
        sandbox = make_sandbox("one")
        async with sandbox:
            await sandbox.sh(
                "mkdir -p /app/a/b && touch /app/a/b/c && chmod 000 /app/a/b /app/a; nohup setsid sleep 60 >/dev/null 2>&1 &"
            )
        await sandbox.holder.close()

    asyncio.run(check())
    assert list(holders(tmp_path)) == []
    assert list(tmp_path.iterdir()) == []


def test_bubblewraps_own_words_are_passed_on(tmp_path: Path) -> None:
    """Where user namespaces are denied, what bubblewrap said is in the message."""
    denied = tmp_path / "bwrap"
    denied.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n", encoding="utf-8")
    denied.chmod(0o755)
    with pytest.raises(Refused, match="No permissions to create new namespace"):
        asyncio.run(probe(find_tools()._replace(bwrap=str(denied)), tmp_path / "box"))
    assert not (tmp_path / "box").exists()


def test_the_probe_passes_on_this_machine(tmp_path: Path) -> None:
    """`true` runs in a sandbox and leaves nothing."""
    asyncio.run(probe(find_tools(), tmp_path / "box"))
    assert not (tmp_path / "box").exists()


def test_removing_follows_no_link(tmp_path: Path) -> None:
    """A link to a folder outside is removed, what it points to is not."""
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "file").write_text("x", encoding="utf-8")
    (tmp_path / "gone").mkdir()
    (tmp_path / "gone" / "link").symlink_to(tmp_path / "kept")
    remove_folder(tmp_path / "gone")
    assert [path.name for path in tmp_path.rglob("*")] == ["kept", "file"]


@pytest.mark.long
def test_two_hundred_starts_leave_nothing(tmp_path: Path) -> None:
    """No mount, folder, process or open file is left, eight at a time."""

    async def one(number: int) -> None:
        async with Sandbox(tmp_path / f"box-{number}") as sandbox:
            assert (await sandbox.sh("true"))[0] == 0

    async def all_of_them() -> None:
        for start in range(0, 200, 8):
            await asyncio.gather(*(one(start + offset) for offset in range(8)))

    def left() -> tuple[int, int]:
        return len(Path("/proc/self/mounts").read_bytes().splitlines()), len(list(Path("/proc/self/fd").iterdir()))

    gc.collect()  # What tests before this one left open is not ours to count.
    before = left()
    asyncio.run(all_of_them())
    assert left() == before
    assert list(tmp_path.iterdir()) == []
    assert list(holders(tmp_path)) == []


def test_a_folder_that_an_agent_closed_is_removed_by_an_ordinary_user_too(tmp_path: Path) -> None:
    """Nested folders without any right go as well."""
    (tmp_path / "gone" / "a" / "b").mkdir(parents=True)
    (tmp_path / "gone" / "a" / "b" / "file").write_text("x", encoding="utf-8")
    for name in ("gone/a/b", "gone/a"):
        (tmp_path / name).chmod(0)
    remove_folder(tmp_path / "gone")
    assert not (tmp_path / "gone").exists()


def test_a_variables_value_stands_on_no_command_line(tmp_path: Path) -> None:
    """Command lines are readable by every user of the machine; the environment of a process is not."""

    async def look() -> tuple[bytes, list[str]]:
        holder = LocalHolder(tmp_path / "box", find_tools(), has_network=False)
        await holder.start()
        try:
            running = asyncio.create_task(
                holder.run(
                    ["/bin/sh", "-c", "echo $PLANTED; sleep 1"], environment={"PLANTED": "canary-5b1d", "PATH": "/usr/bin:/bin"}
                )
            )
            await asyncio.sleep(0.4)
            lines = await asyncio.to_thread(command_lines)
            return (await running).stdout.strip(), lines
        finally:
            await holder.close()

    printed, lines = asyncio.run(look())
    assert printed == b"canary-5b1d"
    assert not [line for line in lines if "canary-5b1d" in line]


def command_lines() -> list[str]:
    """Return the command line of every process of this machine."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            found.append(path.read_bytes().decode(errors="replace"))
    return found
