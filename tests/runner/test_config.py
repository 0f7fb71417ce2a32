"""Settings: read once, each bad value named, secrets found by name and never shown."""

from pathlib import Path

import pytest

from runner.config import CHECKOUT, SETTINGS, read_settings, secret_values
from shared.errors import BadInput


def test_an_empty_environment_gives_the_embedded_default() -> None:
    """Everything below .seawall of the current folder, no servers, no fault."""
    settings = read_settings({"USER": "someone"})
    assert (settings.home, settings.results) == (Path(".seawall").absolute(), Path(".seawall/results").absolute())
    assert (settings.servers, settings.fault, settings.actor, settings.checkout) == ({}, None, "someone", CHECKOUT)


def test_each_setting_is_read() -> None:
    """Paths become absolute, urls lose their last slash."""
    settings = read_settings(
        {
            "SEAWALL_HOME": "h",
            "SEAWALL_RESULTS": "/r",
            "SEAWALL_HARNESS": "p",
            "SEAWALL_SERVERS": "one=http://127.0.0.1:8000/v1/ , two=https://example.org",
            "SEAWALL_ACTOR": "me",
        }
    )
    assert (settings.home, settings.results, settings.harness) == (Path("h").absolute(), Path("/r"), Path("p").absolute())
    assert settings.servers == {"one": "http://127.0.0.1:8000/v1", "two": "https://example.org"}
    assert settings.actor == "me"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SEAWALL_SERVERS", "http://x"),
        ("SEAWALL_SERVERS", "a=ftp://x"),
        ("SEAWALL_SERVERS", "a=http://user:secret@x"),
        ("SEAWALL_SERVERS", "A=http://x"),
        ("SEAWALL_FAULT", "pass.head"),
        ("SEAWALL_FAULT", "pass.head:0"),
        ("SEAWALL_FAULT", ":1"),
        ("SEAWALL_PACE", "slow"),
    ],
)
def test_a_bad_value_names_its_setting(name: str, value: str) -> None:
    """And never repeats the value, which may hold a secret."""
    with pytest.raises(BadInput) as caught:
        read_settings({name: value})
    assert (caught.value.code, caught.value.field) == ("SETTING_INVALID", name)
    assert "secret" not in str(caught.value)


def test_settings_do_not_show_the_environment() -> None:
    """It may hold secrets."""
    assert "s3cr3t-value" not in repr(read_settings({"HF_TOKEN": "s3cr3t-value"}))


def test_values_that_are_named_like_secrets_are_found() -> None:
    """Long enough to be one; others are found by the names that a plan gives. Our own settings are none."""
    environment = {
        "HF_TOKEN": "x" * 8,
        "DB_PASSWORD": "y" * 20,
        "SHORT_TOKEN": "x" * 7,
        "SEAWALL_TOKEN": "z" * 20,
        "PROXY_AUTH": "a" * 9,
        "SIGNING_KEYS": "k" * 9,
        "GIT_AUTHOR_NAME": "a person",
        "MONKEY": "a whole animal",
        "PATH": "/usr/bin:/bin",
        "PLANNED": "planned-value",
        **dict.fromkeys(SETTINGS, "a setting's value"),
    }
    named = {"HF_TOKEN", "DB_PASSWORD", "SEAWALL_TOKEN", "PROXY_AUTH", "SIGNING_KEYS"}
    assert set(secret_values(environment)) == named
    assert set(secret_values(environment, frozenset({"PLANNED"}))) == {*named, "PLANNED"}


@pytest.mark.parametrize(
    ("url", "passwords"),
    [
        ("postgres://user:s3cr3t-pw@db:5432/x", {"s3cr3t-pw"}),
        ("http://user:p%40ss-w0rd@proxy:3128", {"p%40ss-w0rd", "p@ss-w0rd"}),
        ("one=http://:first-pw@a two=redis://u:second@pw@b/0", {"first-pw", "second@pw"}),
        ("https://user@example.org/a:b@c", set()),
        ("http://127.0.0.1:8000/v1", set()),
    ],
)
def test_the_password_in_a_url_is_a_secret(url: str, passwords: set[str]) -> None:
    """Whatever the variable is named: as it stands and as it is sent."""
    assert set(secret_values({"DATABASE_URL": url}).values()) == passwords
