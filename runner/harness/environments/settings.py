"""What a sandbox sees of the host's `/etc`: an allow list, and a few files written for it.

The host's `/etc` holds tokens, private keys and scripts that export both, under names that nobody can list in advance. So only
what programs of `/usr` need to run is there; accounts and hosts are the sandbox's own. The whole lies in memory and is read-only.
What is read of the host is read once a process and its children. Called by `bubblewrap.py` and `sandbox.py`.
"""

import functools
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

_ETC: Final = Path("/etc")
_COPIED: Final = (
    "bash.bashrc", "ca-certificates.conf", "debian_version", "inputrc", "ld.so.cache", "ld.so.conf", "locale.alias", "localtime",
    "login.defs", "magic", "magic.mime", "mime.types", "networks", "nsswitch.conf", "pki/tls/cert.pem", "pki/tls/openssl.cnf",
    "protocols", "rpc", "services", "shells", "ssl/cert.pem", "ssl/openssl.cnf", "timezone",
)  # fmt: skip
_COPIED_WITH_NETWORK: Final = ("gai.conf", "host.conf", "resolv.conf")
_BOUND: Final = (
    "alternatives", "crypto-policies", "fonts", "java-*", "ld.so.conf.d", "perl", "pki/ca-trust/extracted", "pki/tls/certs",
    "python3*", "ssl/certs",
)  # fmt: skip
"""Folders, as patterns; each is a mount, which costs a start more than a copied file does."""
_LINKS: Final = {"mtab": "/proc/self/mounts", "os-release": "/usr/lib/os-release"}
_WRITTEN: Final = {
    "group": "root:x:0:\ndaemon:x:1:\nwww-data:x:33:\nnogroup:x:65534:\n",
    "hostname": "sandbox\n",
    "hosts": "127.0.0.1 localhost sandbox\n::1 localhost ip6-localhost ip6-loopback\n",
    "passwd": (
        "root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\n"
        "www-data:x:33:33:www-data:/var/www:/usr/sbin/nologin\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
    ),
}


def settings_files(*, has_network: bool) -> dict[str, bytes]:
    """Return the files that a sandbox's `/etc` holds: path below it -> content."""
    files = {**_unchanging(), **{name: text.encode() for name, text in _WRITTEN.items()}}
    return files | _read(_COPIED_WITH_NETWORK) if has_network else files


def settings_arguments(descriptors: Mapping[str, int]) -> list[str]:
    """Return bubblewrap's options for an `/etc` of `descriptors` (path below it -> open file) and the shared folders."""
    arguments = ["--tmpfs", "/etc"]
    for name, descriptor in descriptors.items():
        arguments += ["--file", str(descriptor), f"/etc/{name}"]
    for name, target in _LINKS.items():
        arguments += ["--symlink", target, f"/etc/{name}"]
    for folder in _bound():
        arguments += ["--ro-bind", folder, folder]
    return [*arguments, "--remount-ro", "/etc"]


@functools.cache
def _unchanging() -> Mapping[str, bytes]:
    return _read(_COPIED)


@functools.cache
def _bound() -> tuple[str, ...]:
    return tuple(str(found) for pattern in _BOUND for found in sorted(_ETC.glob(pattern)) if found.is_dir())


def _read(names: Iterable[str]) -> dict[str, bytes]:
    return {name: (_ETC / name).read_bytes() for name in names if (_ETC / name).is_file()}
