"""The pace of the inbox on the Hub keeps its bounds however people ask."""

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from space.requests.hub.pace import HOUR_S, Pace

GAPS = st.lists(st.floats(0, 400), min_size=1, max_size=120)


def commits(gaps: list[float], *, is_urgent: bool) -> list[float]:
    """Return when commits are made where somebody asks after each gap and each is made as soon as it may be."""
    pace, now, made = Pace(), 0.0, []
    for gap in gaps:
        asked = now + gap
        now = max(asked, pace.due_at(asked, asked, is_urgent=is_urgent))
        while (due := pace.due_at(asked, now, is_urgent=is_urgent)) > now:
            now = due
        pace.note(now, is_urgent=is_urgent)
        made.append(now)
    return made


@settings(deadline=None, max_examples=60)
@given(GAPS)
def test_no_hour_holds_more_than_twenty_commits_and_none_follows_within_half_a_minute(gaps: list[float]) -> None:
    """Wherever the hour begins."""
    made = commits(gaps, is_urgent=False)
    assert all(sum(start <= at < start + HOUR_S for at in made) <= 20 for start in made)
    assert all(later - earlier >= 30 - 1e-6 for earlier, later in itertools.pairwise(made))


@settings(deadline=None, max_examples=60)
@given(GAPS)
def test_cancels_leave_the_account_most_of_its_commits(gaps: list[float]) -> None:
    """At once for thirty in an hour, then one a minute: at most ninety."""
    made = commits(gaps, is_urgent=True)
    assert all(sum(start <= at < start + HOUR_S for at in made) <= 90 for start in made)
    assert made[:1] == gaps[:1]


def test_a_steady_hour_never_waits_longer_than_five_minutes() -> None:
    """Someone asks every minute: the last ones of the hour wait no longer than that."""
    pace, waits, asked = Pace(), [], 0.0
    queue: list[float] = []
    for second in range(2 * 3_600):
        now = float(second)
        if second % 60 == 0:
            queue.append(now)
        if queue and pace.due_at(queue[0], now, is_urgent=False) <= now:
            waits += [now - each for each in queue]
            queue, asked = [], now
            pace.note(now, is_urgent=False)
    assert asked
    assert max(waits) <= 305
