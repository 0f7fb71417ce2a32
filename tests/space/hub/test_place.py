"""How a Dataset on the Hub is named by a setting, and that its token is shown nowhere."""

import pytest

from shared.errors import BadInput
from space.config import read_settings
from space.form_settings import read_form_settings
from space.hub.place import HUB, HubPlace
from tests.space.requests.test_form_settings import OPEN

ON_HUB = {
    **OPEN,
    "SEAWALL_SOURCE": "hub:example/catalog",
    "SEAWALL_INBOX": "hub:example/inbox",
    "SEAWALL_INBOX_TOKEN": "hf_inbox_canary",
    "SEAWALL_STATUS": "hub:example/control",
    "SEAWALL_READ_TOKEN": "hf_read_canary",
}


def test_a_space_on_the_hub_is_three_datasets_and_two_tokens() -> None:
    """Each token with its own Dataset, none in what is printed."""
    settings = read_settings(ON_HUB)
    assert settings.source == HubPlace("example/catalog", HUB, "hf_read_canary")
    assert settings.form.inbox == HubPlace("example/inbox", HUB, "hf_inbox_canary")
    assert settings.form.status == HubPlace("example/control", HUB, "hf_read_canary")
    assert (settings.form.closed, settings.is_sample, settings.space_id) == ("", False, "example/seawall")
    assert "canary" not in repr(settings)


def test_public_results_need_no_token() -> None:
    """And another Hub may be named."""
    settings = read_settings({"SEAWALL_SOURCE": "hub:example/catalog", "HF_ENDPOINT": "http://127.0.0.1:8000/"})
    assert settings.source == HubPlace("example/catalog", "http://127.0.0.1:8000", "")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SEAWALL_SOURCE", "hub:catalog"),
        ("SEAWALL_SOURCE", "hub:"),
        ("SEAWALL_SOURCE", "hub:a/b/c"),
        ("SEAWALL_SOURCE", "hub:../b"),
        ("SEAWALL_SOURCE", "hub:a/b?x"),
        ("SEAWALL_SOURCE", "hub:a/b..c"),
        ("SEAWALL_SOURCE", "dataset:a/b"),
        ("SEAWALL_INBOX", "hub:inbox"),
        ("SEAWALL_STATUS", "hub:a b/c"),
        ("SEAWALL_INBOX_TOKEN", ""),
        ("SEAWALL_INBOX_TOKEN", "two words"),
        ("SEAWALL_INBOX_TOKEN", "hf_\nx"),
        ("SEAWALL_READ_TOKEN", "hf_\x00"),
        ("HF_ENDPOINT", "http://hub.example"),
        ("HF_ENDPOINT", "https://hub.example/path"),
        ("HF_ENDPOINT", "https://user@hub.example"),
        ("HF_ENDPOINT", "http://127.0.0.1.evil.example"),
        ("SPACE_ID", "seawall"),
    ],
)
def test_a_bad_value_stops_the_start(name: str, value: str) -> None:
    """It is named, and a token is not repeated."""
    with pytest.raises(BadInput) as caught:
        read_settings({**ON_HUB, name: value})
    assert caught.value.field == name
    assert "TOKEN" not in name or not value or value not in str(caught.value)


def test_a_status_on_the_hub_needs_its_token() -> None:
    """It is private."""
    with pytest.raises(BadInput) as caught:
        read_form_settings({**OPEN, "SEAWALL_STATUS": "hub:example/control"})
    assert caught.value.field == "SEAWALL_READ_TOKEN"
