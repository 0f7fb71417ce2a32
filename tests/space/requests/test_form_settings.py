"""When there is a form, why there is none, and which settings stop the start."""

import pytest

from shared.errors import BadInput
from space.form_settings import CLOSED, read_form_settings

OPEN = {
    "SPACE_ID": "example/seawall",
    "SPACE_HOST": "one.example, two.example",
    "OAUTH_CLIENT_ID": "id",
    "OAUTH_CLIENT_SECRET": "the-secret",
    "OAUTH_SCOPES": "openid profile",
    "OPENID_PROVIDER_URL": "https://hub.example/",
    "SEAWALL_INBOX": "sqlite:/x/inbox.sqlite",
    "SEAWALL_STATUS": "sqlite:/x/control.sqlite",
    "SEAWALL_MEMBER_ORG_IDS": "a, b",
}


def test_a_whole_set_of_settings_opens_the_form() -> None:
    """And the secret is shown nowhere."""
    settings = read_form_settings(OPEN)
    assert settings.closed == ""
    assert settings.origins == ("https://one.example", "https://two.example")
    assert settings.access.member_orgs == {"a", "b"}
    assert "the-secret" not in repr(settings)


@pytest.mark.parametrize(
    ("changes", "closed"),
    [
        *(({name: ""}, "form.no_oauth") for name in OPEN if name.startswith(("OAUTH", "SPACE", "OPENID"))),
        ({"SEAWALL_INBOX": ""}, "form.no_inbox"),
        ({"SEAWALL_STATUS": ""}, "form.no_inbox"),
        ({"SEAWALL_MEMBER_ORG_IDS": ""}, "form.no_orgs"),
        ({"SEAWALL_MEMBER_ORG_IDS": "", "SEAWALL_MAINTAINER_ORG_IDS": "k"}, ""),
        ({"SEAWALL_MEMBER_ORG_IDS": "", "SEAWALL_SUBMITTERS": "anyone"}, ""),
        ({"SEAWALL_SUBMITTERS": "nobody"}, "form.nobody"),
        ({"SEAWALL_SUBMITTERS": "nobody", "SEAWALL_MAINTAINER_ORG_IDS": "k"}, ""),
    ],
)
def test_why_there_is_no_form(changes: dict[str, str], closed: str) -> None:
    """One code with one sentence."""
    found = read_form_settings({**OPEN, **changes}).closed
    assert found == closed
    assert not closed or CLOSED[closed]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SEAWALL_INBOX", "folder:/x"),
        ("SEAWALL_INBOX", "sqlite:"),
        ("SEAWALL_STATUS", "/x/control.sqlite"),
        ("SEAWALL_SUBMITTERS", "everybody"),
        ("OPENID_PROVIDER_URL", "http://hub.example"),
        ("OPENID_PROVIDER_URL", "https://user@hub.example"),
        ("OPENID_PROVIDER_URL", "https://hub.example/?next=x"),
    ],
)
def test_a_bad_value_stops_the_start(name: str, value: str) -> None:
    """And is named."""
    with pytest.raises(BadInput) as caught:
        read_form_settings({**OPEN, name: value})
    assert caught.value.field == name
