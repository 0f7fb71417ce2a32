"""The settings of the Space, read once from the environment; a bad value stops the start and names its setting."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from shared.errors import BadInput
from space.form_settings import CLOSED_FORM, FormSettings, read_form_settings
from space.hub.place import HubPlace, is_dataset, read_place

SAMPLE: Final = Path(__file__).parent / "sample" / "results"
_HOST: Final = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(:[0-9]{1,5})?")

_LISTENING: Final = re.compile(r"[A-Za-z0-9.:-]{1,253}")


@dataclass(frozen=True, slots=True)
class Settings:
    """What may be set from outside."""

    source: Path | HubPlace
    """The root that holds results folders, each at OWNER/NAME; or the catalog on the Hub."""
    is_sample: bool
    """True while nothing was configured: synthetic rows under a permanent banner."""
    host: str
    port: int
    refresh_seconds: int
    memory_mib: int
    address: str = ""
    """Where visitors reach the Space, without a final slash; empty where the platform does not say: then as each one came."""
    form: FormSettings = CLOSED_FORM
    """The request form, and why there is none."""
    space_id: str = ""
    """OWNER/NAME of the Space that this runs as; empty elsewhere."""

    def reached_at(self, scheme: str, host: str) -> str:
        """Return the address of this Space: as it is set, else as a visitor came, else where this machine serves it."""
        if self.address:
            return self.address
        is_whole = scheme in {"http", "https"} and _HOST.fullmatch(host)
        return f"{scheme}://{host}" if is_whole else f"http://127.0.0.1:{self.port}"


def read_settings(environment: Mapping[str, str]) -> Settings:
    """Return the settings that `environment` holds; raise BadInput naming the first bad one."""
    source = environment.get("SEAWALL_SOURCE", "")
    port = "GRADIO_SERVER_PORT" if environment.get("GRADIO_SERVER_PORT") else "PORT"
    return Settings(
        source=_source(environment) if source else SAMPLE,
        is_sample=not source,
        host=_listening(environment.get("SEAWALL_HOST") or "0.0.0.0"),  # noqa: S104 - a Space is reached from outside its container
        port=_number(environment, port, 7860, (1, 65_535)),
        refresh_seconds=_number(environment, "SEAWALL_REFRESH_S", 60, (1, 86_400)),
        memory_mib=_number(environment, "SEAWALL_MEMORY_MIB", 1024, (128, 65_536)),
        address=_address(environment.get("SPACE_HOST", "")),
        form=read_form_settings(environment),
        space_id=_space_id(environment.get("SPACE_ID", "")),
    )


def _source(environment: Mapping[str, str]) -> Path | HubPlace:
    place = read_place(environment, "SEAWALL_SOURCE", "SEAWALL_READ_TOKEN")
    if place is not None:
        return place
    source = environment["SEAWALL_SOURCE"]
    kind, _, where = source.partition(":")
    if kind != "folder" or not where:
        raise BadInput("SETTING_INVALID", f"expected folder:PATH or hub:OWNER/CATALOG, got {source!r}", field="SEAWALL_SOURCE")
    path = Path(where).expanduser().resolve()
    if not path.is_dir():
        raise BadInput(
            "SETTING_INVALID", f"{where} is not a folder", field="SEAWALL_SOURCE", way_out="Give the root of published results."
        )
    return path


def _space_id(text: str) -> str:
    if text and not is_dataset(text):
        raise BadInput("SETTING_INVALID", f"expected OWNER/NAME, got {text!r}", field="SPACE_ID")
    return text


def _address(host: str) -> str:
    if not host:
        return ""
    hosts = [each.strip() for each in host.split(",")]
    if not all(_HOST.fullmatch(each) for each in hosts):
        raise BadInput("SETTING_INVALID", f"expected host names separated by commas, got {host!r}", field="SPACE_HOST")
    return f"https://{hosts[0]}"


def _listening(host: str) -> str:
    if not _LISTENING.fullmatch(host):
        raise BadInput("SETTING_INVALID", f"expected a host name or an address to listen on, got {host!r}", field="SEAWALL_HOST")
    return host


def _number(environment: Mapping[str, str], name: str, default: int, limits: tuple[int, int]) -> int:
    text = environment.get(name) or str(default)
    if not text.isascii() or not text.isdigit() or not limits[0] <= int(text) <= limits[1]:
        raise BadInput("SETTING_INVALID", f"expected a whole number from {limits[0]} to {limits[1]}, got {text!r}", field=name)
    return int(text)
