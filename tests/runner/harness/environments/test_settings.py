import asyncio
from pathlib import Path

import pytest

from runner.harness.environments.settings import settings_files
from tests.runner.harness.environments.conftest import Sandbox

NEEDS = {
    "accounts": "[ $(whoami) = root ] && getent passwd nobody && getent group root",
    "services": "getent services http || [ ! -e /etc/services ]",
    "its own name": "getent hosts sandbox && [ $(cat /etc/hostname) = sandbox ]",
    "the loader's cache": "ldconfig -p | grep libc.so || [ ! -e /etc/ld.so.cache ]",
    "certificates": 'python3 -c \'import ssl; assert not __import__("os").path.exists("/etc/ssl/certs") or '
    "ssl.create_default_context()'",
    "mounts": "grep ' / ' /etc/mtab",
    "the system's name": '. /etc/os-release && [ -n "$ID" ]',
    "a login shell": "bash -lc true && perl -e 1",
}


@pytest.mark.parametrize("need", NEEDS)
def test_programs_find_what_they_need(need: str, tmp_path: Path) -> None:
    """What the tools of `/usr` look up in `/etc` is there."""

    async def check() -> None:
        async with Sandbox(tmp_path / "box") as sandbox:
            code, text = await sandbox.sh(NEEDS[need])
            assert code == 0, text

    asyncio.run(check())


def test_only_a_sandbox_with_network_learns_of_name_servers(tmp_path: Path) -> None:
    """Without a network there is nobody to ask."""
    assert "resolv.conf" not in settings_files(has_network=False)
    resolver = settings_files(has_network=True).get("resolv.conf", b"").decode()

    async def check() -> None:
        async with Sandbox(tmp_path / "box", has_network=True) as sandbox:
            _, text = await sandbox.sh("cat /etc/resolv.conf 2>/dev/null")
            assert text == resolver

    asyncio.run(check())


def test_nothing_is_there_that_is_not_on_the_list(tmp_path: Path) -> None:
    """The names in a sandbox's `/etc` are those that are written or shared, whatever lies in the host's."""

    async def check() -> set[str]:
        async with Sandbox(tmp_path / "box") as sandbox:
            return set((await sandbox.sh("ls -A /etc"))[1].split())

    known = {name.split("/")[0] for name in settings_files(has_network=False)}
    shared = {"alternatives", "crypto-policies", "fonts", "ld.so.conf.d", "perl", "pki", "ssl", "mtab", "os-release"}
    found = {name for name in asyncio.run(check()) if not name.startswith(("java-", "python3"))}
    assert found <= known | shared
    assert {"passwd", "hosts", "mtab"} <= found
