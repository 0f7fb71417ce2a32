"""A Space with a form over a real installation: passes take what it writes, a provider on loopback says who asks."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.doubles.oidc import OidcDouble, serve_oidc, write_certificate
from tests.space.requests.visits import House


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for loopback, its own authority."""
    return write_certificate(tmp_path_factory.mktemp("tls"))


@pytest.fixture
def provider(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[OidcDouble]:
    """A provider that knows alice and bob (members), mia and max (maintainers), rea (reads there) and sam."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    double = OidcDouble()
    member, maintainer = ("org-members", "members"), ("org-maintainers", "maintainers")
    double.add("alice", "alice-at-sea", (*member, "read"))
    double.add("bob", "bob", (*member, "contributor"))
    double.add("mia", "mia", (*member, "read"), (*maintainer, "write"))
    double.add("max", "max", (*maintainer, "admin"))
    double.add("rea", "rea", (*maintainer, "read"))
    double.add("sam", "sam", ("org-elsewhere", "members", "admin"))
    server = serve_oidc(double, certificate)
    yield double
    server.shutdown()
    server.server_close()


@pytest.fixture
def house(provider: OidcDouble, tmp_path: Path) -> House:
    """An installation that offers the starter tasks, and its Space."""
    return House(tmp_path, provider)
