from collections.abc import Mapping

import pytest

from runner.domain.control import events
from runner.domain.control.admission import Caps, Spend, Use, Wanted, admit, committed_by_day, use_of
from tests.builders.journals import Journal
from tests.runner.domain.control.test_actions import ended, reserved

TODAY = "2026-01-31"
SCOPES = ("namespace", "user:u")


def caps(day: int | None = 1_000, month: int | None = 10_000, **levels: int) -> Caps:
    """Return caps that are equal for every scope."""
    return Caps(dict.fromkeys(SCOPES, day), dict.fromkeys(SCOPES, month), **levels)


def use(committed: Mapping[tuple[str, str], int] | None = None, waves: int = 0) -> Use:
    """Return what is in use."""
    return Use(waves, {}, {}, Spend(committed or {}))


def wanted(run: str, ceiling: int | None = 100, route: str = "", queued_at: str = "") -> Wanted:
    """Return a wave that asks."""
    return Wanted(run, route, ceiling, SCOPES, queued_at)


def admitted(verdicts: list) -> list[str]:
    """Return the runs whose waves were let in."""
    return [verdict.wanted.run_id for verdict in verdicts if verdict.is_admitted]


@pytest.mark.parametrize("fitting", [0, 1, 3, 7])
def test_a_cap_of_exactly_k_waves_admits_k(fitting: int) -> None:
    """Of a thousand that ask at once."""
    asking = [wanted(f"run-{number:04d}") for number in range(1000)]
    assert len(admitted(admit(asking, use(), caps(day=100 * fitting), TODAY))) == fitting


def test_a_pass_admits_at_most_eight() -> None:
    """However much room there is."""
    asking = [wanted(f"run-{number}") for number in range(20)]
    assert len(admitted(admit(asking, use(), caps(day=10**9, month=10**9), TODAY))) == 8


@pytest.mark.parametrize(
    ("levels", "held_by"),
    [
        ({"waves_namespace": 1}, "LIMIT_NAMESPACE"),
        ({"waves_run": 1}, "LIMIT_RUN"),
        ({"waves_route": 1}, "LIMIT_ROUTE"),
        ({"job_starts_per_hour": 1}, "LIMIT_JOB_STARTS"),
    ],
)
def test_each_concurrency_level_alone_holds_back(levels: dict[str, int], held_by: str) -> None:
    """And says which one it was."""
    verdicts = admit([wanted("run-1", route="r"), wanted("run-1", route="r")], use(), caps(**levels), TODAY)
    assert [verdict.held_by for verdict in verdicts] == ["", held_by]


def test_each_cap_alone_holds_back() -> None:
    """Day and month, of each scope."""
    for scope in SCOPES:
        for period in (TODAY, TODAY[:7]):
            limit = 1_000 if period == TODAY else 10_000
            verdict = admit([wanted("run-1")], use({(scope, period): limit - 99}), caps(), TODAY)[0]
            assert verdict.held_by == f"CAP_REACHED {scope} {period}"


def test_a_missing_cap_or_ceiling_admits_nothing() -> None:
    """Money without a bound is not spent."""
    assert admit([wanted("run-1")], use(), caps(day=None), TODAY)[0].held_by == "CAP_MISSING"
    assert admit([wanted("run-1", ceiling=None)], use(), caps(), TODAY)[0].held_by == "CAP_MISSING"


def test_the_run_with_the_fewest_open_waves_comes_first_then_the_oldest() -> None:
    """No run starves another."""
    busy = Use(1, {"run-a": 1}, {}, Spend({}))
    asking = [wanted("run-a", queued_at="1"), wanted("run-b", queued_at="3"), wanted("run-c", queued_at="2")]
    assert admitted(admit(asking, busy, caps(day=200), TODAY)) == ["run-c", "run-b"]


def test_use_is_what_the_journals_hold_open() -> None:
    """A killed owner frees nothing before the observed end; the settled cost stays on the day of its reservation."""
    journal = Journal().submit().acquire()
    action_id = reserved(journal, ceiling=500)
    found = use_of({"run-1": journal.state.run}, {"run-1": SCOPES}, "2023-11-14")
    assert (found.waves, found.waves_by_route, found.spend.committed[("namespace", "2023-11")]) == (1, {"pool": 1}, 500)
    ended(journal, action_id).end_wave()
    found = use_of({"run-1": journal.state.run}, {"run-1": SCOPES}, "2023-11-14")
    assert (found.waves, committed_by_day(journal.state.run, "2023-11-14")) == (0, {"2023-11-14": 500})


def test_the_next_month_frees_nothing_that_is_still_open() -> None:
    """An open ceiling holds back in the new day and month; once it is settled they are whole."""
    journal = Journal().submit().acquire()
    action_id = reserved(journal, ceiling=950)
    day = "2024-01-01"
    found = use_of({"run-1": journal.state.run}, {"run-1": SCOPES}, day)
    assert admit([wanted("run-2", route="else")], found, caps(), day)[0].held_by == f"CAP_REACHED {SCOPES[0]} {day}"
    settled = events.SpendSettled(action_id=action_id, settled_usd_micros=950, is_known=False)
    ended(journal.put("spend_settled", settled), action_id).end_wave()
    found = use_of({"run-1": journal.state.run}, {"run-1": SCOPES}, day)
    assert admit([wanted("run-2", route="else")], found, caps(), day)[0].is_admitted
