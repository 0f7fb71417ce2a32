"""What of this machine can change an outcome."""

from runner.adapters.local.compute.host_facts import host_facts
from shared.digests import is_digest


def test_the_hosts_software_has_one_fingerprint() -> None:
    """The same twice, whole, and without a name of the machine or its owner."""
    facts = host_facts()
    assert facts == host_facts()
    assert is_digest(str(facts["host_packages_sha256"]))
    assert set(facts) == {"host_release", "host_packages_sha256", "machine", "kernel", "python"}
    assert all(facts.values())
