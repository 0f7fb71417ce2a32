"""The settings of one installation, read once from the environment; a bad value is an error that names the setting.

    SEAWALL_HOME       where the embedded default keeps everything              .seawall
    SEAWALL_RESULTS    the results folder, which the Space reads                <home>/results
    SEAWALL_HARNESS    the interpreter of the harness environment               .venv-harness/bin/python
    SEAWALL_SERVERS    OpenAI-compatible servers: name=url, comma separated     none
    SEAWALL_ACTOR      who acts, in requests and locks                          the user's login name
    SEAWALL_SUBMITTERS members, anyone or nobody may ask for runs              members
    SEAWALL_MEMBER_ORG_IDS, SEAWALL_MAINTAINER_ORG_IDS    organisation ids, comma separated; maintainers write there
    SEAWALL_LIMITS     the reviewed limits document (YAML or JSON)              what one machine's person may do
    SEAWALL_PACE       local, or quick: shorter bounds, for tests               local
    SEAWALL_FAULT      [<process>/]<yield point>:<n>[:<file>[:stop]]            off; for tests, see `Fault`

Secrets are read by name where they are used and never stored here.
"""

import getpass
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from runner.domain.pace import LOCAL, PACES, Pace
from shared.errors import BadInput
from shared.ids import is_name
from shared.inbox.rights import Submitters

CHECKOUT: Final = Path(__file__).resolve().parent.parent
_SECRET_LIKE: Final = re.compile(
    r"TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|API_?KEY|(^|_)KEYS?(_|$)|AUTH(?!OR)|CANARY", re.IGNORECASE
)
_USERINFO: Final = re.compile(r"[a-z][a-z0-9+.-]*://[^\s/?#@:]*:([^\s/?#]+)@", re.IGNORECASE)
"""A URL with a password; it ends at the last @ before the path, as a password may hold one."""
SETTINGS: Final = frozenset(
    {
        "SEAWALL_HOME", "SEAWALL_RESULTS", "SEAWALL_HARNESS", "SEAWALL_SERVERS", "SEAWALL_ACTOR", "SEAWALL_PACE", "SEAWALL_FAULT",
        "SEAWALL_SUBMITTERS", "SEAWALL_MEMBER_ORG_IDS", "SEAWALL_MAINTAINER_ORG_IDS", "SEAWALL_LIMITS",
        "SEAWALL_SOURCE", "SEAWALL_HOST", "SEAWALL_INBOX", "SEAWALL_STATUS", "SEAWALL_REFRESH_S", "SEAWALL_MEMORY_MIB",
    }
)  # fmt: skip
"""Our own settings: no secrets, so their values may be stored."""
_MIN_SECRET: Final = 8


@dataclass(frozen=True, slots=True)
class Fault:
    """Where a process ends itself with SIGKILL (or stops with SIGSTOP), to prove that nothing is lost by it."""

    point: str
    """The name of a yield point (runner/domain/yields.py)."""
    count: int
    """At which passage in one process, from 1."""
    process: str = ""
    """In this kind of process alone: `cli`, `wave`, `sealing`, `publishing`; empty: in any."""
    once: Path | None = None
    """Created before the end; where it exists nobody ends, so of all processes that inherit the setting one dies."""
    is_stop: bool = False
    """Stop instead of ending: a process that wakes up long after."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Where things are and at which pace they move."""

    home: Path
    results: Path
    harness: Path
    servers: Mapping[str, str]
    actor: str
    fault: Fault | None
    checkout: Path = CHECKOUT
    pace: Pace = LOCAL
    submitters: Submitters = Submitters.MEMBERS
    member_orgs: frozenset[str] = frozenset()
    maintainer_orgs: frozenset[str] = frozenset()
    limits: Path | None = None
    """The reviewed limits document; None: the limits of one machine of one person."""
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    """What child processes inherit; may hold secrets, so it is never shown."""


def read_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """Return the settings that `environment` (default: the process's own) gives."""
    found = dict(os.environ if environment is None else environment)
    home = Path(found.get("SEAWALL_HOME") or ".seawall").absolute()
    return Settings(
        home=home,
        results=Path(found.get("SEAWALL_RESULTS") or home / "results").absolute(),
        harness=Path(found.get("SEAWALL_HARNESS") or CHECKOUT / ".venv-harness/bin/python").absolute(),
        servers=_servers(found.get("SEAWALL_SERVERS", "")),
        actor=found.get("SEAWALL_ACTOR") or _login(found),
        fault=_fault(found.get("SEAWALL_FAULT", "")),
        pace=_pace(found.get("SEAWALL_PACE") or "local"),
        submitters=_submitters(found.get("SEAWALL_SUBMITTERS") or "members"),
        member_orgs=_names(found.get("SEAWALL_MEMBER_ORG_IDS", "")),
        maintainer_orgs=_names(found.get("SEAWALL_MAINTAINER_ORG_IDS", "")),
        limits=Path(found["SEAWALL_LIMITS"]).absolute() if found.get("SEAWALL_LIMITS") else None,
        environment=found,
    )


def secret_values(environment: Mapping[str, str], names: frozenset[str] = frozenset()) -> dict[str, str]:
    """Return what must never be stored: the values of `names` and of variables named like secrets, and passwords in URLs."""
    found = {}
    for name, value in environment.items():
        if name in names or (_SECRET_LIKE.search(name) and name not in SETTINGS):
            found[name] = value
        for place, match in enumerate(_USERINFO.finditer(value)):
            found[f"{name}_URL_PASSWORD_{place}"] = match[1]
            if (plain := unquote(match[1])) != match[1]:
                found[f"{name}_URL_PASSWORD_{place}_PLAIN"] = plain
    return {name: value for name, value in found.items() if len(value) >= _MIN_SECRET}


def _servers(text: str) -> dict[str, str]:
    servers = {}
    for entry in filter(None, (part.strip() for part in text.split(","))):
        name, _, url = entry.partition("=")
        parts = urlsplit(url)
        if not is_name(name) or parts.scheme not in {"http", "https"} or not parts.hostname or parts.username:
            raise BadInput(
                "SETTING_INVALID",
                "expected name=url entries separated by commas, the url http(s) and without credentials",
                field="SEAWALL_SERVERS",
                way_out="For example SEAWALL_SERVERS=local=http://127.0.0.1:8000/v1",
            )
        servers[name] = url.rstrip("/")
    return servers


def _fault(text: str) -> Fault | None:
    if not text:
        return None
    where, _, rest = text.partition(":")
    count, _, rest = rest.partition(":")
    once, _, stop = rest.partition(":")
    process, _, name = where.rpartition("/")
    if not name or not count.isdecimal() or int(count) < 1 or stop not in {"", "stop"}:
        message = "expected [<process>/]<yield point>:<n>[:<file>[:stop]] with n from 1"
        raise BadInput("SETTING_INVALID", message, field="SEAWALL_FAULT", way_out="Unset it; it is for tests.")
    return Fault(name, int(count), process, Path(once) if once else None, is_stop=bool(stop))


def _pace(text: str) -> Pace:
    if text not in PACES:
        raise BadInput(
            "SETTING_INVALID", f"expected one of {', '.join(PACES)}", field="SEAWALL_PACE", way_out="Unset it for `local`."
        )
    return PACES[text]


def _submitters(text: str) -> Submitters:
    if text not in set(Submitters):
        raise BadInput(
            "SETTING_INVALID",
            f"expected one of {', '.join(Submitters)}",
            field="SEAWALL_SUBMITTERS",
            way_out="Unset it for `members`.",
        )
    return Submitters(text)


def _names(text: str) -> frozenset[str]:
    return frozenset(filter(None, (part.strip() for part in text.split(","))))


def _login(environment: Mapping[str, str]) -> str:
    for name in ("LOGNAME", "USER"):
        if environment.get(name):
            return environment[name]
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "operator"
