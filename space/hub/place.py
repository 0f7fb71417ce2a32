"""Where a Dataset on the Hub is and by which token it is reached; how a setting `hub:OWNER/NAME` is read."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from shared.errors import BadInput

HUB: Final = "https://huggingface.co"
QUIET: Final = (
    "HF_HUB_DISABLE_TELEMETRY",
    "HF_HUB_DISABLE_PROGRESS_BARS",
    "HF_HUB_DISABLE_UPDATE_CHECK",
    "HF_HUB_DISABLE_IMPLICIT_TOKEN",
)
"""Switches that the client library reads once, when it is imported: on its own it then asks for nothing and sends no token."""
_NAME: Final = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)
_ENDPOINT: Final = re.compile(r"https://[A-Za-z0-9.-]+(:[0-9]{1,5})?|http://(127\.0\.0\.1|localhost)(:[0-9]{1,5})?")
_TOKEN: Final = re.compile(r"[\x21-\x7e]{1,512}")


@dataclass(frozen=True, slots=True)
class HubPlace:
    """One Dataset, named OWNER/NAME."""

    name: str
    endpoint: str = HUB
    token: str = field(default="", repr=False)


def is_dataset(name: str) -> bool:
    """Tell whether `name` can be the name of a Dataset."""
    return _NAME.fullmatch(name) is not None and ".." not in name and "--" not in name


def read_place(environment: Mapping[str, str], name: str, token_name: str) -> HubPlace | None:
    """Return the Dataset that the setting `name` says, None where it says something else; raise BadInput for a bad one."""
    kind, _, where = environment.get(name, "").partition(":")
    if kind != "hub":
        return None
    if not is_dataset(where):
        raise BadInput("SETTING_INVALID", f"expected hub:OWNER/NAME, got {environment[name]!r}", field=name)
    return HubPlace(where, read_endpoint(environment), read_token(environment, token_name))


def read_endpoint(environment: Mapping[str, str]) -> str:
    """Return the Hub's address: the platform's own unless `HF_ENDPOINT` names another."""
    found = environment.get("HF_ENDPOINT", "").rstrip("/") or HUB
    if not _ENDPOINT.fullmatch(found):
        raise BadInput("SETTING_INVALID", "expected an https address without a path", field="HF_ENDPOINT")
    return found


def read_token(environment: Mapping[str, str], name: str) -> str:
    """Return a token, empty where none is set; a bad one is never repeated in the error."""
    found = environment.get(name, "").strip()
    if found and not _TOKEN.fullmatch(found):
        raise BadInput("SETTING_INVALID", "expected a token of printable characters without spaces", field=name)
    return found
