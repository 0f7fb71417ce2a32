"""The settings: a bad value of each one ends the start and is named; where the Space is reached."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import app
from space.config import read_settings

ROOT = Path(__file__).parents[2]
BAD = {
    "SEAWALL_SOURCE": ["elsewhere:x", "folder:/no/such/folder", "folder:"],
    "SEAWALL_HOST": ["not a host", "a/b"],
    "SEAWALL_REFRESH_S": ["0", "sixty", "-1", "86401"],
    "SEAWALL_MEMORY_MIB": ["1", "1e3"],
    "SEAWALL_INBOX": ["folder:/x", "sqlite:"],
    "SEAWALL_STATUS": ["/x/control.sqlite", "sqlite:"],
    "SEAWALL_SUBMITTERS": ["everybody"],
    "SEAWALL_MEMBER_ORG_IDS": ["one, two words"],
    "SEAWALL_MAINTAINER_ORG_IDS": ["a;b", "https://hub.example/org"],
    "SEAWALL_CONTACT": ["x" * 201, "two\nlines"],
    "SEAWALL_REPOSITORY": ["http://example.org/seawall", "https://git/owner/name"],
    "SPACE_HOST": ["https://one.example", "one.example, two words"],
    "OPENID_PROVIDER_URL": ["http://hub.example", "https://hub.example/?next=x"],
    "PORT": ["http", "0"],
    "GRADIO_SERVER_PORT": ["70000"],
}
ANYTHING = {"SPACE_ID", "OAUTH_CLIENT_ID", "OAUTH_CLIENT_SECRET", "OAUTH_SCOPES", "SEAWALL_INBOX_TOKEN", "SEAWALL_READ_TOKEN"}
"""What is the platform's own, and secrets: whether a value is good only the other side can say."""


class Asked(dict[str, str]):
    """An environment that remembers what was asked of it."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def get(self, name: str, default: str | None = None) -> str | None:  # type: ignore[override]
        """Return nothing for any name, and remember it."""
        self.names.add(name)
        return default


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in BAD.items() for value in values])
def test_a_bad_setting_ends_the_start_and_is_named(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2 before anything is served, the setting's name on standard error."""
    for known in {*BAD, *ANYTHING} - {name}:
        monkeypatch.delenv(known, raising=False)
    monkeypatch.setenv(name, value)
    assert app.main() == 2
    assert name in capsys.readouterr().err


def test_every_setting_has_a_bad_value_above() -> None:
    """A setting that is read and can be wrong is among those that are tried."""
    asked = Asked()
    read_settings(asked)
    assert asked.names - ANYTHING - {"PORT"} == BAD.keys() - {"PORT"}


def test_the_process_exits_with_2() -> None:
    """As a platform sees it."""
    done = subprocess.run(
        [sys.executable, "app.py"],
        cwd=ROOT,
        env={**os.environ, "SEAWALL_REFRESH_S": "0"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, "SEAWALL_REFRESH_S" in done.stderr) == (2, True)


def test_the_defaults_serve_the_sample() -> None:
    """Nothing configured: the sample on port 7860, all interfaces."""
    settings = read_settings({})
    assert (settings.is_sample, settings.port, settings.host.split(".")) == (True, 7860, ["0"] * 4)


def test_the_address_is_as_set_else_as_asked_else_this_machine() -> None:
    """What a visitor's browser calls the host is taken over only if it is one."""
    assert read_settings({"SPACE_HOST": "one.example"}).reached_at("http", "10.0.0.1:7860") == "https://one.example"
    settings = read_settings({"PORT": "7000"})
    assert settings.reached_at("http", "localhost:7000") == "http://localhost:7000"
    for scheme, host in (("http", 'x")\nimport os'), ("file", "one.example"), ("", "")):
        assert settings.reached_at(scheme, host) == "http://127.0.0.1:7000"
