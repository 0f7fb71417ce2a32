"""Admitting waves: of all runs that want one, those for which caps and concurrency levels still have room, a wave at a time.

What is in use is derived anew from the journals each time, the waves that this pass has reserved included, and committed on the
version that it was derived from. So no number of passes, runs or requests at once exceeds a cap. Called by the pass.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from runner.domain.control.account import Account
from runner.domain.control.accounts import NAMESPACE, Accounts, account_of, scopes_of
from runner.domain.control.admission import Caps, Verdict, Wanted, admit, use_of
from runner.domain.control.decisions.draft import Draft
from runner.domain.control.decisions.seen import PlanShape
from runner.domain.control.decisions.waves import NextWave, next_wave, reserve_wave
from runner.domain.control.envelope import utc_text
from runner.domain.control.projection.state import Run
from runner.usecases.control.presume_run import ANY_ROUTE
from shared.documents.reviewed.limits import Limits
from shared.inbox.quotas import limits_of
from shared.inbox.rights import OWNER_OF_ANYONE


@dataclass(frozen=True, slots=True)
class Room:
    """What admission is judged by."""

    limits: Limits
    accounts: Accounts
    runs: Mapping[str, Run]
    """Every open run, whether this pass decides about it or not, and as presumed if its journal cannot be read."""
    now_ms: int


class Admission(NamedTuple):
    """By run: the limit that holds its next wave back, or what broke while one was looked for."""

    held: dict[str, str]
    broken: dict[str, Exception]


def admit_waves(drafts: Mapping[str, tuple[Draft, PlanShape]], room: Room) -> Admission:
    """Reserve what may start; return what may not, and why."""
    admitted, held, broken = 0, dict[str, str](), dict[str, Exception]()
    wanting = list(drafts)
    while asking := _asking(drafts, wanting, room.limits, broken):
        verdicts = judge(asking, {run_id: draft.state.run for run_id, (draft, _) in drafts.items()}, room, admitted)
        for verdict in verdicts:
            if verdict.is_admitted:
                reserve_wave(drafts[verdict.wanted.run_id][0], asking[verdict.wanted.run_id])
            else:
                held[verdict.wanted.run_id] = verdict.held_by
        admitted += sum(verdict.is_admitted for verdict in verdicts)
        wanting = [run_id for run_id in asking if run_id not in held]
    return Admission(held, broken)


def _asking(
    drafts: Mapping[str, tuple[Draft, PlanShape]], wanting: Sequence[str], limits: Limits, broken: dict[str, Exception]
) -> dict[str, NextWave]:
    found = {}
    for run_id in wanting:
        draft, shape = drafts[run_id]
        if len(draft.state.open_waves()) >= limits.concurrency.waves_per_run:
            continue
        try:
            wave = next_wave(draft, shape)
        except Exception as error:  # noqa: BLE001 - one run that breaks must not stop the others; its caller sets it aside
            broken[run_id] = error
            continue
        if wave is not None:
            found[run_id] = wave
    return found


def judge(asking: Mapping[str, NextWave], decided: Mapping[str, Run], room: Room, admitted: int) -> list[Verdict]:
    """Return a verdict for each wave that asks; `admitted` are those that this pass has let in already."""
    runs, today = {**room.runs, **decided}, utc_text(room.now_ms)[:10]
    known = ((run_id, account_of(run_id, run, room.now_ms)) for run_id, run in runs.items())
    accounts = {run_id: account for run_id, account in known if account is not None}
    scopes = {run_id: scopes_of(account) for run_id, account in accounts.items()}
    ended = room.accounts.without(runs)
    use = use_of(
        runs,
        scopes,
        today,
        job_starts=ended.job_starts(room.now_ms) + Accounts(accounts.values()).job_starts(room.now_ms),
        ended=ended.spend(),
    )
    wanted = [
        Wanted(run_id, wave.route, wave.ceiling_usd_micros, scopes[run_id], f"{runs[run_id].submitted_ms:020d}")
        for run_id, wave in asking.items()
    ]
    anywhere = use.waves_by_route.get(ANY_ROUTE, 0)
    by_route = {wave.route: use.waves_by_route.get(wave.route, 0) + anywhere for wave in asking.values()}
    use = replace(use, admitted=admitted, waves_by_route=by_route)
    return admit(wanted, use, _caps(room.limits, accounts.values()), today)


def _caps(limits: Limits, accounts: Iterable[Account]) -> Caps:
    day: dict[str, int | None] = {NAMESPACE: limits.namespace_day_usd_micros}
    month: dict[str, int | None] = {NAMESPACE: limits.namespace_month_usd_micros}
    for account in accounts:
        bounds = limits_of(limits, is_member=account.owner != OWNER_OF_ANYONE)
        user, owner, _ = scopes_of(account)
        day[user], day[owner] = bounds.day_user_usd_micros, bounds.day_owner_usd_micros
        month[user], month[owner] = bounds.month_user_usd_micros, bounds.month_owner_usd_micros
    levels = limits.concurrency
    return Caps(
        day,
        month,
        waves_namespace=levels.waves,
        waves_run=levels.waves_per_run,
        waves_route=levels.waves_per_route,
        job_starts_per_hour=levels.job_starts_per_hour,
    )
