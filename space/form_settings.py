"""The settings of the request form, and why it is closed where they leave no way to ask.

The form exists only where the platform runs this as a Space with sign-in, and where an inbox to write and a status to read are
named: without the client secret, cookies would be signed with a key that anybody knows. Read once, with the other settings.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from shared.errors import BadInput
from shared.inbox.rights import Access, Submitters
from space.hub.place import HUB, HubPlace, read_place
from space.keeper import NOBODY, Keeper, is_plain_address

CLOSED: Final = {
    "form.no_oauth": "This address has no sign-in: it is not run as a Space with OAuth.",
    "form.no_inbox": "No inbox and no status are connected, so a request would reach nobody.",
    "form.no_orgs": "Only members of named organisations may ask, and none is named.",
    "form.nobody": "Nobody may ask for runs here.",
    "HUB_TOKEN_WIDE": "The token of the inbox reaches more than the inbox, so it is not used.",
}
_PLATFORM: Final = ("SPACE_ID", "SPACE_HOST", "OAUTH_CLIENT_ID", "OAUTH_CLIENT_SECRET", "OAUTH_SCOPES", "OPENID_PROVIDER_URL")
_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_PROGRAM: Final = Path(__file__).parents[1] / "runner"
_CONTACT_MOST: Final = 200
_PROVIDER: Final = re.compile(r"https://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~/-]*)?")


@dataclass(frozen=True, slots=True)
class ProviderSettings:
    """The OpenID provider, and this app as its client."""

    url: str
    client_id: str
    client_secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class FormSettings:
    """What the form is made of."""

    closed: str
    """Why there is no form, a key of CLOSED; empty where there is one."""
    access: Access
    inbox: Path | HubPlace | None = None
    status: Path | HubPlace | None = None
    provider: ProviderSettings | None = None
    origins: tuple[str, ...] = ()
    """Where forms may be sent from; the first is where the provider sends people back to."""
    keeper: Keeper = NOBODY
    """Whom to ask, and where the program is: what a visitor needs most where there is no form."""


CLOSED_FORM: Final = FormSettings("form.no_oauth", Access(Submitters.MEMBERS, frozenset(), frozenset()))
"""No form, as where nothing is set."""


def read_form_settings(environment: Mapping[str, str]) -> FormSettings:
    """Return the form's settings; raise BadInput naming the first bad one."""
    submitters = environment.get("SEAWALL_SUBMITTERS") or Submitters.MEMBERS
    if submitters not in set(Submitters):
        raise BadInput("SETTING_INVALID", f"expected one of {', '.join(Submitters)}", field="SEAWALL_SUBMITTERS")
    access = Access(
        Submitters(submitters), _names(environment, "SEAWALL_MEMBER_ORG_IDS"), _names(environment, "SEAWALL_MAINTAINER_ORG_IDS")
    )
    inbox = _store(environment, "SEAWALL_INBOX", "SEAWALL_INBOX_TOKEN")
    status = _store(environment, "SEAWALL_STATUS", "SEAWALL_READ_TOKEN")
    provider = _provider(environment)
    hosts = [host.strip() for host in environment.get("SPACE_HOST", "").split(",") if host.strip()]
    return FormSettings(
        closed=_closed(environment, access, has_stores=bool(inbox and status)),
        access=access,
        inbox=inbox,
        status=status,
        provider=provider,
        origins=tuple(f"https://{host}" for host in hosts),
        keeper=_keeper(environment),
    )


def _closed(environment: Mapping[str, str], access: Access, *, has_stores: bool) -> str:
    if not all(environment.get(name) for name in _PLATFORM):
        return "form.no_oauth"
    if not has_stores:
        return "form.no_inbox"
    if access.submitters is Submitters.NOBODY and not access.maintainer_orgs:
        return "form.nobody"
    if access.submitters is Submitters.MEMBERS and not (access.member_orgs or access.maintainer_orgs):
        return "form.no_orgs"
    return ""


def _provider(environment: Mapping[str, str]) -> ProviderSettings | None:
    url = environment.get("OPENID_PROVIDER_URL", "").rstrip("/")
    if url and not _PROVIDER.fullmatch(url):
        raise BadInput("SETTING_INVALID", "expected an https address without query", field="OPENID_PROVIDER_URL")
    client, secret = environment.get("OAUTH_CLIENT_ID", ""), environment.get("OAUTH_CLIENT_SECRET", "")
    return ProviderSettings(url, client, secret) if url and client and secret else None


def _keeper(environment: Mapping[str, str]) -> Keeper:
    """Return who keeps the Space; on the Hub its own Community tab, or the catalog's, is there without any setting."""
    repository, space = environment.get("SEAWALL_REPOSITORY", "").strip(), environment.get("SPACE_ID", "")
    if repository and not is_plain_address(repository):
        raise BadInput("SETTING_INVALID", "expected an https address with a plain path", field="SEAWALL_REPOSITORY")
    kind, _, catalog = environment.get("SEAWALL_SOURCE", "").partition(":")
    tab = f"spaces/{space}" if space else f"datasets/{catalog}" if kind == "hub" else ""
    community = f"{HUB}/{tab}/discussions" if tab else ""
    return Keeper(_contact(environment), repository, community if is_plain_address(community) else "", _PROGRAM.is_dir())


def _contact(environment: Mapping[str, str]) -> str:
    text = environment.get("SEAWALL_CONTACT", "").strip()
    if len(text) > _CONTACT_MOST or not text.isprintable():
        raise BadInput(
            "SETTING_INVALID", f"expected one printable line of at most {_CONTACT_MOST} characters", field="SEAWALL_CONTACT"
        )
    return text


def _store(environment: Mapping[str, str], name: str, token_name: str) -> Path | HubPlace | None:
    place = read_place(environment, name, token_name)
    if place is not None:
        if not place.token:
            raise BadInput("SETTING_INVALID", f"{name} on the Hub needs a token", field=token_name)
        return place
    text = environment.get(name, "")
    kind, _, where = text.partition(":")
    if text and (kind != "sqlite" or not where):
        raise BadInput("SETTING_INVALID", f"expected sqlite:PATH or hub:OWNER/NAME, got {text!r}", field=name)
    return Path(where).expanduser().absolute() if text else None


def _names(environment: Mapping[str, str], name: str) -> frozenset[str]:
    found = [part for part in (part.strip() for part in environment.get(name, "").split(",")) if part]
    if not all(_ID.fullmatch(part) for part in found):
        raise BadInput("SETTING_INVALID", "expected ids of organisations separated by commas, never their names", field=name)
    return frozenset(found)
