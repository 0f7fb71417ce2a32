"""A status on the Hub says what the same documents in a file say, and stays silent where it may not be read."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from shared.documents.reviewed.limits import local_limits
from shared.errors import StoreFault
from space.hub.dataset import HubDataset
from space.hub.place import HubPlace
from space.readers.hub.status import LOOK_S, HubStatus
from space.readers.status import StatusReader
from tests.builders.houses import Place
from tests.builders.hub import CONTROL, READING, Hub, write_status
from tests.builders.requests import ALICE, ask_run, offered, rules, run_request
from tests.space.readers.test_refresh import Clock


class Both:
    """One installation whose status stands in a file and on the Hub."""

    def __init__(self, folder: Path) -> None:
        place = Place(folder)
        place.rules = rules(limits=local_limits())
        self.offer = offered(place)
        self.run_id = ask_run(place, ALICE, run_request(self.offer))
        place.settle()
        self.file = StatusReader(place.house.settings.home / "control.sqlite")
        self.hub = Hub(folder / "hub")
        self.documents = {tuple(about): each.data for about, each in place.house.status.list().items()}
        write_status(self.hub, self.documents)  # type: ignore[arg-type]
        self.clock = Clock()
        self.status = self.open(READING)

    def open(self, token: str) -> HubStatus:
        """Return the reader as after a restart."""
        return HubStatus(HubDataset(HubPlace(CONTROL, self.hub.address, token), 3.0), self.clock)


@pytest.fixture
def both(tmp_path: Path) -> Iterator[Both]:
    """A run that ended and waits for consent."""
    made = Both(tmp_path)
    yield made
    made.hub.close()


def test_both_answer_alike(both: Both) -> None:
    """Runs, what would be shown, offers, limits, lists."""
    status, file, run_id = both.status, both.file, both.run_id
    assert status.run(run_id) == file.run(run_id)
    assert status.run(run_id) is not None
    assert status.shown(run_id) == file.shown(run_id)
    assert status.installation() == file.installation()
    assert status.offers() == file.offers() == (both.offer,)
    assert status.offer("starter") == file.offer("starter")
    assert list(status.runs_of("alice")) == list(file.runs_of("alice"))
    assert [line.run_id for line in status.runs_of("alice")] == [run_id]
    assert list(status.runs_waiting()) == list(file.runs_waiting())
    assert (status.runs_of("bob"), status.runs_of("")) == ([], [])


@pytest.mark.parametrize("name", ["run-" + "0" * 32, "../index", "", "run-1", "a/b", "x" * 5_000])
def test_what_is_not_there_is_none(both: Both, name: str) -> None:
    """No name leads to another file."""
    before = len(both.hub.calls())
    assert (both.status.run(name), both.status.shown(name), both.status.offer(name)) == (None, None, None)
    assert not [call for call in both.hub.calls()[before:] if "index" in call.line or ".." in call.line]


def test_an_empty_control_dataset_has_no_offers_and_no_installation(both: Both) -> None:
    """Before the first pass."""
    both.hub.edit("example/other")
    status = HubStatus(HubDataset(HubPlace("example/other", both.hub.address, READING), 3.0), both.clock)
    assert (status.offers(), status.runs_of("alice")) == ((), [])
    with pytest.raises(StoreFault, match="no pass has written it yet"):
        status.installation()


def test_looking_often_asks_seldom_and_by_commit(both: Both) -> None:
    """One question in ten seconds, each document once a commit; then what is newer is seen."""
    for _ in range(20):
        both.status.run(both.run_id)
        both.status.offers()
    assert len(both.hub.calls("/api/")) == 1
    assert len(both.hub.calls("/resolve/")) == 3
    assert not both.hub.calls("main")
    write_status(both.hub, {("offer", "starter"): both.offer.to_bytes()})
    both.clock.now += LOOK_S
    assert both.status.runs_of("alice") == []


@pytest.mark.parametrize("kind", ["500_lost", "403", "404", "429_plain", "hang", "bit_flip", "short_body", "odd_json"])
def test_a_fault_is_told_and_not_remembered(both: Both, kind: str) -> None:
    """Nothing is shown instead, one request is made, and the next look is a new one."""
    route = "/resolve/" if kind in {"bit_flip", "short_body"} else "/api/"
    fault = both.hub.fail(route, kind)
    with pytest.raises(StoreFault, match=r"status\.unavailable"):
        both.status.installation()
    assert fault.fired == 1
    if kind == "bit_flip":
        both.hub.edit(CONTROL, {"x": b"another commit"})
        both.clock.now += LOOK_S
    assert both.status.installation() == both.file.installation()


def test_a_status_open_to_everybody_is_not_shown(both: Both) -> None:
    """It says who asked for what."""
    both.hub.edit(CONTROL, private=False)
    with pytest.raises(StoreFault, match="HUB_PUBLIC_STORE"):
        both.status.installation()


def test_without_the_right_it_is_not_read(both: Both) -> None:
    """Another token, and none."""
    both.hub.scope("hf_other", {"datasets/example/elsewhere": []})
    for token in ("hf_other", "", "hf_unknown"):
        with pytest.raises(StoreFault, match=r"status\.unavailable"):
            both.open(token).installation()
