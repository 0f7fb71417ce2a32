"""What the tests of the Space share: published folders, their mirrors, and the real app on a loopback port."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from space.config import SAMPLE
from space.readers.mirror import Mirror
from tests.builders.troubles import publish_troubles
from tests.space.browser import chromium
from tests.space.publishing import mirror_of, publish_sample
from tests.space.served import serving, settings_for
from tests.space.works import publish_works


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The root of a published folder: the sample's run, one cell withdrawn, and a second benchmark. Not to be changed."""
    root = tmp_path_factory.mktemp("published")
    publish_sample(root)
    return root


@pytest.fixture(scope="session")
def mirror(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Mirror:
    """A mirror of `published`."""
    return mirror_of(published, tmp_path_factory.mktemp("mirror"))


@pytest.fixture(scope="session")
def works(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The root of a published folder with one of each thing that choosing must tell apart. Not to be changed."""
    root = tmp_path_factory.mktemp("works")
    publish_works(root)
    return root


@pytest.fixture(scope="session")
def works_mirror(works: Path, tmp_path_factory: pytest.TempPathFactory) -> Mirror:
    """A mirror of `works`."""
    return mirror_of(works, tmp_path_factory.mktemp("works-mirror"))


@pytest.fixture(scope="session")
def sample_mirror(tmp_path_factory: pytest.TempPathFactory) -> Mirror:
    """A mirror of the sample."""
    return mirror_of(SAMPLE, tmp_path_factory.mktemp("sample-mirror"))


@pytest.fixture(scope="session")
def works_server(works: Path) -> Iterator[str]:
    """The address of the app over `works`."""
    yield from serving(settings_for(works))


@pytest.fixture(scope="session")
def sample_server() -> Iterator[str]:
    """The address of the app over the sample."""
    yield from serving(settings_for(SAMPLE, is_sample=True))


@pytest.fixture(scope="session")
def server(published: Path) -> Iterator[str]:
    """The address of the app over `published`."""
    yield from serving(settings_for(published))


@pytest.fixture(scope="session")
def troubles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The root of runs with much trouble. Not to be changed."""
    root = tmp_path_factory.mktemp("troubles")
    publish_troubles(root)
    return root


@pytest.fixture(scope="session")
def troubled(troubles: Path, tmp_path_factory: pytest.TempPathFactory) -> Mirror:
    """A mirror of `troubles`."""
    return mirror_of(troubles, tmp_path_factory.mktemp("troubles-mirror"))


@pytest.fixture(scope="session")
def troubled_server(troubles: Path) -> Iterator[str]:
    """The address of the app over `troubles`."""
    yield from serving(settings_for(troubles))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One Chromium for each module that asks."""
    with chromium() as opened:
        yield opened
