"""Accounts: what counts against which quota, for how long, and that nothing is counted twice."""

import msgspec

from runner.domain.control import events
from runner.domain.control.account import Account
from runner.domain.control.accounts import DAY_MS, Accounts, account_of, scopes_of, still_counting
from tests.builders.journals import Journal
from tests.runner.domain.control.test_actions import reserved

NOW = 1_767_225_600_000 + 14 * DAY_MS  # 2026-01-15
TODAY, YESTERDAY = "2026-01-15", "2026-01-14"


def account(number: int = 1, *, user: str = "u", owner: str = "o", at_ms: int = NOW, **given: object) -> Account:
    """Return an account of a run that has ended."""
    day = TODAY if at_ms >= NOW else YESTERDAY if at_ms >= NOW - DAY_MS else "2025-12-31"
    fields = {"run_id": f"run-{number}", "user_id": user, "owner": owner, "submitted_ms": at_ms, "submitted_on": day, **given}
    return msgspec.convert(fields, Account)


def test_an_open_run_uses_its_whole_ceiling_an_ended_one_what_it_cost() -> None:
    """Reserve first, settle later."""
    accounts = Accounts([account(1, is_open=True, ceiling_usd_micros=10), account(2, ceiling_usd_micros=10, spent={TODAY: 3})])
    used = accounts.used("u", "o", NOW)
    assert (used.open_user, used.day_user, used.day_user_usd_micros, used.month_owner_usd_micros) == (1, 2, 13, 13)


def test_an_open_run_that_cost_more_than_its_ceiling_uses_what_it_cost() -> None:
    """An overrun frees nothing."""
    assert account(is_open=True, ceiling_usd_micros=10, spent={TODAY: 12}).used_usd_micros == 12


def test_midnight_frees_nothing_of_a_run_that_is_open() -> None:
    """Yesterday's, last month's: its ceiling is in use until it has ended."""
    for at_ms in (NOW - 1, 0):
        used = Accounts([account(1, at_ms=at_ms, is_open=True, ceiling_usd_micros=10)]).used("u", "o", NOW)
        assert (used.day_user_usd_micros, used.month_owner_usd_micros) == (10, 10)


def test_users_of_one_owner_share_its_quota_alone() -> None:
    """Each has an own one beside it."""
    used = Accounts([account(1, user="u"), account(2, user="v")]).used("u", "o", NOW)
    assert (used.day_user, used.day_owner) == (1, 2)


def test_the_last_day_is_24_hours_and_the_days_amount_a_utc_day() -> None:
    """Yesterday's request counts until its hour, its money not after midnight."""
    accounts = Accounts([account(1, at_ms=NOW - 1, spent={YESTERDAY: 5}), account(2, at_ms=NOW - DAY_MS, spent={YESTERDAY: 7})])
    used = accounts.used("u", "o", NOW)
    assert (used.day_user, used.day_user_usd_micros, used.month_user_usd_micros) == (1, 0, 12)


def test_a_run_counts_once_however_often_its_account_is_put() -> None:
    """The newest account of a run takes the place of the one before."""
    accounts = Accounts([account(1, spent={TODAY: 5})])
    accounts.put(account(1, spent={TODAY: 6}))
    assert (accounts.used("u", "o", NOW).day_user, accounts.spend().committed["namespace", TODAY]) == (1, 6)


def test_what_no_quota_asks_for_any_more_is_left_out() -> None:
    """Ended, of an earlier month, more than a day ago."""
    kept = [account(1), account(2, at_ms=0, is_open=True), account(3, at_ms=0, spent={TODAY: 1})]
    assert list(still_counting([*kept, account(4, at_ms=0, spent={"2025-12-31": 1})], NOW)) == kept


def test_an_account_says_what_its_journal_does() -> None:
    """Who asked, what is open, and when its jobs were started."""
    journal = Journal().submit().acquire()
    reserved(journal, ceiling=500)
    found = account_of("run-1", journal.state.run, NOW)
    assert found is not None
    assert (found.user_id, found.is_open, found.spent, len(found.starts)) == ("user-1", True, {TODAY: 500}, 1)
    assert scopes_of(found) == ("user:user-1", "owner:", "namespace")


def test_starts_older_than_an_hour_are_forgotten() -> None:
    """The limit is of an hour; the list does not grow."""
    journal = Journal().submit().acquire()
    action = reserved(journal)
    for hour in (1, 3):
        at_ms = 1_700_000_000_000 + hour * 7_200_000
        retry = events.ActionRetried(action_id=action, try_number=hour // 2 + 2, performer="p", perform_by_ms=at_ms)
        journal.put("action_retried", retry)
    assert len(journal.state.run.starts) == 1


def test_a_run_that_was_never_accepted_has_none() -> None:
    """A refused submit uses nothing."""
    assert account_of("run-1", Journal().state.run, NOW) is None
