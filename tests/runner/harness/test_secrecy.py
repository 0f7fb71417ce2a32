from pathlib import Path

import pytest

from runner.harness.secrecy import child_environment, host_environment
from shared.errors import BadInput

TAKEN = {"PYTHONPATH": "/checkout", "FIRST": "first-secret", "SECOND": "second-secret", "SHORT": "k", "LD_PRELOAD": "/x.so"}


def test_a_child_gets_what_its_order_names_and_the_hosts_own_settings() -> None:
    """Nothing else of the host's environment passes."""
    seen = child_environment(TAKEN, ["FIRST"], Path("/home"), Path("/scratch"))
    assert set(seen) - set(host_environment(TAKEN, Path("/home"))) == {"FIRST", "TMPDIR"}
    assert (seen["HOME"], seen["HARBOR_TELEMETRY"], seen["PYTHONPATH"]) == ("/home", "off", "/checkout")


@pytest.mark.parametrize(("name", "code"), [("NONE", "SECRET_MISSING"), ("SHORT", "SECRET_TOO_SHORT")])
def test_a_secret_that_cannot_be_used_is_refused_without_its_value(name: str, code: str) -> None:
    """A missing one, and one so short that blotting it out would ruin every result."""
    with pytest.raises(BadInput) as caught:
        child_environment(TAKEN, [name], Path("/home"), Path("/scratch"))
    assert caught.value.code == code
    assert name in caught.value.message
