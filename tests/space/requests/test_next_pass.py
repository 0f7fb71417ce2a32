"""When the next pass is due: as its loop promised, told as late when it does not come, nothing promised where nobody did."""

import re
from dataclasses import replace

import pytest

from runner.usecases.control.keep_views import TOLD_EVERY_S, end_passes
from shared.documents.installation_status import InstallationStatus
from space.requests import next_pass
from space.requests.next_pass import due
from tests.space.requests.visits import CHOICE, House, said


def installation(house: House, **changes: object) -> InstallationStatus:
    """Return what the pass told, with `changes`."""
    found = house.place.house.status.read(("installation", "installation"))  # type: ignore[arg-type]
    assert found is not None
    return InstallationStatus.from_bytes(found.data).model_copy(update=changes)


AT = "2026-03-01T12:00:00.000Z"
AT_S = 1_772_366_400.0


@pytest.mark.parametrize(
    ("changes", "later_s", "expected"),
    [
        ({"passed_at": ""}, 0, "not known: no pass has told of itself"),
        ({"repeats_s": 0}, 9e9, "when a maintainer starts it; the last one was at 2026-03-01 12:00:00 UTC"),
        ({"repeats_s": 2}, 59, "within 2 s: one follows the other"),
        ({"repeats_s": 2}, 61, "overdue since 2026-03-01 12:00:30 UTC: ask a maintainer whether passes still run"),
        ({"repeats_s": 300}, 10, "at 2026-03-01 12:05:00 UTC"),
        ({"repeats_s": 300}, 601, "overdue since 2026-03-01 12:05:00 UTC: ask a maintainer whether passes still run"),
    ],
)
def test_what_is_said_of_the_next_pass(house: House, changes: dict[str, object], later_s: float, expected: str) -> None:
    """A promise, its time, or that it was not kept."""
    assert due(installation(house, **{"passed_at": AT, **changes}), AT_S + later_s) == expected


def test_both_houses_mean_the_same_half_minute() -> None:
    """So often a pass tells its time."""
    assert next_pass.TOLD_EVERY_S == TOLD_EVERY_S


def test_preview_and_page_say_it(house: House) -> None:
    """Where a loop of passes runs, and after it has ended."""
    alice = house.visitor("alice")
    house.place.reconcile(repeats_s=1.5)
    preview = said(alice.post("/request/preview", CHOICE))
    assert "Next pass due within 2 s" in preview
    run_id = alice.ask_run()
    assert "It is due within 2 s" in said(alice.get(f"/request?run_id={run_id}"))
    end_passes(house.place.world())
    assert "It is due when a maintainer starts it" in said(alice.get(f"/request?run_id={run_id}"))
    house.place.settle()
    assert re.search("Next pass", said(alice.get(f"/request?run_id={run_id}"))) is None


def test_the_time_of_a_pass_is_told_every_half_minute(house: House) -> None:
    """Not with every pass, where nothing else has changed; a pass over one run alone tells no time."""
    house.place.reconcile(repeats_s=1.0)
    told = installation(house).passed_at
    for _ in range(3):
        house.place.reconcile(repeats_s=1.0)
    assert installation(house).passed_at == told
    house.later(TOLD_EVERY_S)
    from runner.usecases.control.reconcile import reconcile

    reconcile(replace(house.place.world(), repeats_s=0.0), "run-" + "1" * 32)
    assert (installation(house).passed_at, installation(house).repeats_s) == (told, 1)
    house.place.reconcile(repeats_s=1.0)
    assert installation(house).passed_at > told
