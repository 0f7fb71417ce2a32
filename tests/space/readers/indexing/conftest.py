"""What the tests of checks share: a published folder of one's own, and the refusal that it meets."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from space.readers.source import SourceFault
from tests.space.publishing import mirror_of

type Refused = Callable[[], SourceFault]


@pytest.fixture
def root(published: Path, tmp_path: Path) -> Path:
    """A published folder of one's own, to be changed."""
    return Path(shutil.copytree(published, tmp_path / "results"))


@pytest.fixture
def refused(root: Path, tmp_path: Path) -> Refused:
    """Return why no mirror of `root` is built."""

    def build() -> SourceFault:
        with pytest.raises(SourceFault) as caught:
            mirror_of(root, tmp_path / "mirrors")
        return caught.value

    return build
