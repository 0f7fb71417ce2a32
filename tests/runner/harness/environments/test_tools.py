import pytest

from runner.harness.environments.tools import find_tools
from shared.errors import Refused


def test_a_missing_program_is_told_with_the_way_out() -> None:
    """Without bubblewrap on PATH the command that installs it is named."""
    with pytest.raises(Refused) as caught:
        find_tools(lambda name: None if name == "bwrap" else f"/usr/bin/{name}")
    assert caught.value.code == "SANDBOX_UNAVAILABLE"
    assert caught.value.exit_code == 3
    assert "apt-get install bubblewrap" in caught.value.way_out


def test_the_package_of_the_other_programs_is_named() -> None:
    """nsenter, prlimit and setpriv come together."""
    with pytest.raises(Refused, match="prlimit") as caught:
        find_tools(lambda name: None if name == "prlimit" else f"/usr/bin/{name}")
    assert "util-linux" in caught.value.way_out
