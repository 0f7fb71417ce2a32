"""A Space that does not know what is published previews and confirms no submit; everything else goes on."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from space.readers.folder import FolderSource
from space.readers.refresh import Refresh
from space.requests.freshness import STALE_AFTER_S
from tests.space.requests.visits import CHOICE, House, Visitor, said


class Published:
    """A folder of results that the Space reads by the installation's clock."""

    def __init__(self, house: House, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.refresh = Refresh(FolderSource(folder), memory_mib=64, clock=house.now)
        self.app = house.open(refresh=self.refresh)

    def check(self, *, is_sound: bool) -> None:
        """Look at the folder, sound or with a pointer that cannot be read."""
        pointer = self.folder / "example" / "catalog" / "current.json"
        pointer.parent.mkdir(parents=True, exist_ok=True)
        if is_sound:
            pointer.unlink(missing_ok=True)
        else:
            pointer.write_bytes(b"{")
        self.refresh.refresh()
        assert self.refresh.standing.state == ("ready" if is_sound else "stale")


@pytest.fixture
def published(house: House, tmp_path: Path) -> Iterator[Published]:
    """A Space whose source was sound when it started."""
    found = Published(house, tmp_path / "published")
    found.check(is_sound=True)
    yield found
    found.refresh.close()


def visit(house: House, published: Published) -> Visitor:
    """Return alice at that Space."""
    return house.visitor("alice", published.app)


def test_a_source_unchecked_for_a_day_refuses_previews(house: House, published: Published) -> None:
    """With the reason, and with the form as it was filled; until then, and once it is checked again, they are given."""
    published.check(is_sound=False)
    house.later(STALE_AFTER_S - 1)
    alice = visit(house, published)
    assert alice.post("/request/preview", CHOICE).status_code == 200
    house.later(1)
    answer = alice.post("/request/preview", CHOICE)
    assert (answer.status_code, 'value="oracle" checked' in answer.text) == (409, True)
    assert "source.stale" in said(answer)
    assert "source.schema" in said(answer)
    published.check(is_sound=True)
    assert alice.post("/request/preview", CHOICE).status_code == 200


def test_a_source_that_went_stale_since_the_preview_refuses_the_confirm(house: House, published: Published) -> None:
    """Nothing is written; the same ticket is good once the source is checked again."""
    published.check(is_sound=False)
    house.later(STALE_AFTER_S - 60)
    alice = visit(house, published)
    form = alice.preview()
    house.later(60)
    answer = alice.confirm(form)
    assert (answer.status_code, "source.stale" in said(answer), house.waiting()) == (409, True, [])
    published.check(is_sound=True)
    assert alice.confirm(form).status_code == 303


def test_a_source_that_was_never_sound_is_stale_a_day_after_the_start(house: House, tmp_path: Path) -> None:
    """A Space that has just started, and has not looked yet, refuses nothing."""
    refresh = Refresh(FolderSource(tmp_path), memory_mib=64, clock=house.now)
    alice = house.visitor("alice", house.open(refresh=refresh))
    assert alice.post("/request/preview", CHOICE).status_code == 200
    house.later(STALE_AFTER_S)
    assert "source.stale" in said(house.visitor("alice", house.open(refresh=refresh)).post("/request/preview", CHOICE))
    refresh.close()


def test_a_run_can_be_cancelled_however_stale_the_source_is(house: House, published: Published) -> None:
    """What ends work is never held back."""
    run_id = visit(house, published).ask_run()
    house.place.reconcile()
    published.check(is_sound=False)
    house.later(STALE_AFTER_S)
    alice = visit(house, published)
    assert alice.post("/request/preview", CHOICE).status_code == 409
    assert alice.ask("cancel", run_id, reason="enough").status_code == 303
