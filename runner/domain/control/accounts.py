"""Accounts: what each accepted submit uses of quotas and caps.

There is no counter to leak. An open run's account follows from its projection; when its journal closes, the same commit puts what
it cost into the installation's journal, where the month's caps and the last day's counts still find it. Called by the pass.
"""

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator
from typing import Final

from runner.domain.control.account import Account
from runner.domain.control.admission import Spend, committed_by_day
from runner.domain.control.envelope import utc_text
from runner.domain.control.projection.state import Run
from shared.inbox.quotas import Used
from shared.states import RUN_TERMINAL

DAY_MS: Final = 86_400_000
HOUR_MS: Final = 3_600_000
NAMESPACE: Final = "namespace"


def account_of(run_id: str, run: Run, now_ms: int) -> Account | None:
    """Return the account of the run at `now_ms` (store time), or None if its submit was never accepted."""
    if not run.requested_by:
        return None
    return Account(
        run_id=run_id,
        user_id=run.requested_by,
        owner=run.owner,
        submitted_ms=run.submitted_ms,
        submitted_on=utc_text(run.submitted_ms)[:10],
        ceiling_usd_micros=run.ceiling_usd_micros,
        is_open=run.state not in RUN_TERMINAL,
        spent=committed_by_day(run, utc_text(now_ms)[:10]),
        starts=run.starts,
    )


def scopes_of(account: Account) -> tuple[str, ...]:
    """Return the scopes whose caps the account counts against."""
    return (f"user:{account.user_id}", f"owner:{account.owner}", NAMESPACE)


class Accounts:
    """The accounts of one installation, as a pass goes on."""

    def __init__(self, accounts: Iterable[Account]) -> None:
        self._accounts: dict[str, Account] = {}
        self._by_user: defaultdict[str, dict[str, Account]] = defaultdict(dict)
        self._by_owner: defaultdict[str, dict[str, Account]] = defaultdict(dict)
        for account in accounts:
            self.put(account)

    def put(self, account: Account) -> None:
        """Take `account` in place of what was known of its run."""
        self._accounts[account.run_id] = account
        self._by_user[account.user_id][account.run_id] = account
        self._by_owner[account.owner][account.run_id] = account

    def names(self) -> tuple[list[str], list[str]]:
        """Return the users and the owners that have an account, sorted."""
        return sorted(self._by_user), sorted(self._by_owner)

    def used(self, user_id: str, owner: str, now_ms: int) -> Used:
        """Return what `user_id` and `owner` use at `now_ms` (store time)."""
        users = list(self._by_user.get(user_id, {}).values())
        owners = list(self._by_owner.get(owner, {}).values())
        day, month = utc_text(now_ms)[:10], utc_text(now_ms)[:7]
        return Used(
            open_user=_open(users),
            open_owner=_open(owners),
            day_user=_recent(users, now_ms),
            day_owner=_recent(owners, now_ms),
            day_user_usd_micros=_amount(users, day),
            day_owner_usd_micros=_amount(owners, day),
            month_user_usd_micros=_amount(users, month),
            month_owner_usd_micros=_amount(owners, month),
        )

    def without(self, run_ids: Container[str]) -> "Accounts":
        """Return the accounts of the other runs."""
        return Accounts(account for account in self._accounts.values() if account.run_id not in run_ids)

    def spend(self) -> Spend:
        """Return what the runs cost, by scope and period."""
        committed: Counter[tuple[str, str]] = Counter()
        for account in self._accounts.values():
            for day, amount in account.spent.items():
                for scope in scopes_of(account):
                    committed[scope, day] += amount
                    committed[scope, day[:7]] += amount
        return Spend(committed)

    def job_starts(self, now_ms: int) -> int:
        """Return how many jobs were started in the last hour."""
        return sum(now_ms - at_ms < HOUR_MS for account in self._accounts.values() for at_ms in account.starts)


def still_counting(accounts: Iterable[Account], now_ms: int) -> Iterator[Account]:
    """Yield those that any quota or cap can still ask for: of runs that have not ended, of this month, of the last day."""
    month = utc_text(now_ms)[:7]
    for account in accounts:
        newest = max(account.submitted_on, *account.spent) if account.spent else account.submitted_on
        if account.is_open or newest[:7] >= month or now_ms - account.submitted_ms < DAY_MS:
            yield account


def _open(accounts: list[Account]) -> int:
    return sum(account.is_open for account in accounts)


def _recent(accounts: list[Account], now_ms: int) -> int:
    return sum(now_ms - account.submitted_ms < DAY_MS for account in accounts)


def _amount(accounts: list[Account], period: str) -> int:
    """Return what counts in the day or month `period`, which is now: what was asked for in it, and whatever is still open."""
    return sum(each.used_usd_micros for each in accounts if each.is_open or each.submitted_on.startswith(period))
