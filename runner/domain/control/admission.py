"""What new billable work may start: concurrency, job starts and money, all derived from open reservations.

There are no counters to leak: what is in use is what the journals hold open, so a kill frees nothing early and leaks nothing.
`admit` takes the requests for admission in order and lets in those for which settled + open ceilings + new stays within every
cap and every concurrency level within its limit; the result is committed in the same compare-and-swap that it was computed on.
Amounts are integer micro-USD; days and months are UTC. Called by the pass.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from runner.domain import limits
from runner.domain.control.projection.state import Run
from shared.states import WaveState


@dataclass(frozen=True, slots=True)
class Caps:
    """What may be spent and run at once; None for an amount is a missing cap, which admits nothing."""

    day_usd_micros: Mapping[str, int | None]
    """Per scope: `user:<id>`, `owner:<id>`, `namespace`."""
    month_usd_micros: Mapping[str, int | None]
    waves_namespace: int = limits.ACTIVE_WAVES_NAMESPACE
    waves_run: int = limits.ACTIVE_WAVES_RUN
    waves_route: int = limits.ACTIVE_WAVES_PROVIDER
    job_starts_per_hour: int = limits.JOB_STARTS_PER_HOUR


@dataclass(frozen=True, slots=True)
class Spend:
    """Micro-USD by (scope, period): what ended actions cost and what open ones may still cost."""

    committed: Mapping[tuple[str, str], int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Use:
    """What is in use in the whole installation."""

    waves: int
    waves_by_run: Mapping[str, int]
    waves_by_route: Mapping[str, int]
    spend: Spend
    job_starts: int = 0
    admitted: int = 0
    """Waves that this pass has let in already."""


class Wanted(NamedTuple):
    """One wave that asks to be admitted."""

    run_id: str
    route: str
    ceiling_usd_micros: int | None
    scopes: tuple[str, ...]
    """The scopes whose caps it counts against."""
    queued_at: str = ""


class Verdict(NamedTuple):
    """Whether a wave is admitted, and the limit that holds it back if not."""

    wanted: Wanted
    is_admitted: bool
    held_by: str = ""


def use_of(
    runs: Mapping[str, Run], scopes: Mapping[str, tuple[str, ...]], today: str, *, job_starts: int = 0, ended: Spend | None = None
) -> Use:
    """Return what `runs` use on the UTC day `today`; `scopes` names, per run, the scopes that its spend counts against.

    `ended` is what other, ended runs of this month cost.
    """
    open_waves = {name: [wave for wave in run.waves.values() if wave.state is not WaveState.CLOSED] for name, run in runs.items()}
    waves_by_run = {name: len(waves) for name, waves in open_waves.items()}
    routes = Counter(wave.route for waves in open_waves.values() for wave in waves if wave.route)
    committed: Counter[tuple[str, str]] = Counter(dict(ended.committed) if ended else {})
    for run_id, run in runs.items():
        for day, amount in committed_by_day(run, today).items():
            for scope in scopes.get(run_id, ()):
                committed[scope, day] += amount
                committed[scope, day[:7]] += amount
    return Use(sum(waves_by_run.values()), waves_by_run, routes, Spend(committed), job_starts)


def committed_by_day(run: Run, today: str) -> dict[str, int]:
    """Return what the run settled, by the UTC day of the reservation, and what its open actions may still cost, on `today`.

    An open ceiling counts whenever it is asked for: neither midnight nor a new month frees what is not settled.
    """
    found: Counter[str] = Counter()
    for key, amount in run.settled.items():
        found[key.rpartition(" ")[2]] += amount
    for action in run.actions.values():
        if not action.is_settled:
            found[today] += action.ceiling_usd_micros
    return dict(found)


def admit(wanted: Sequence[Wanted], use: Use, caps: Caps, today: str) -> list[Verdict]:
    """Return a verdict for each wave: runs with the fewest open waves first, then the oldest; at most 8 are admitted a pass."""
    open_by_run, open_by_route = Counter(use.waves_by_run), Counter(use.waves_by_route)
    committed, admitted = Counter(use.spend.committed), 0
    verdicts: list[Verdict] = []
    left = list(wanted)
    while left:
        one = min(left, key=lambda each: (open_by_run[each.run_id], each.queued_at, each.run_id))
        left.remove(one)
        held_by = _held_by_count(one, use, caps, (admitted, open_by_run, open_by_route)) or _held_by_money(
            one, committed, caps, today
        )
        if not held_by:
            admitted += 1
            open_by_run[one.run_id] += 1
            open_by_route[one.route] += 1
            for scope in one.scopes:
                committed[scope, today] += one.ceiling_usd_micros or 0
                committed[scope, today[:7]] += one.ceiling_usd_micros or 0
        verdicts.append(Verdict(one, not held_by, held_by))
    return verdicts


def _held_by_count(wanted: Wanted, use: Use, caps: Caps, taken: tuple[int, Counter[str], Counter[str]]) -> str:
    admitted, by_run, by_route = taken
    levels = (
        ("pass", use.admitted + admitted, limits.MAX_NEW_BILLABLE),
        ("namespace", use.waves + admitted, caps.waves_namespace),
        ("run", by_run[wanted.run_id], caps.waves_run),
        ("route", by_route[wanted.route] if wanted.route else 0, caps.waves_route),
        ("job_starts", use.job_starts + admitted, caps.job_starts_per_hour),
    )
    return next((f"LIMIT_{name.upper()}" for name, used, limit in levels if used >= limit), "")


def _held_by_money(wanted: Wanted, committed: Mapping[tuple[str, str], int], caps: Caps, today: str) -> str:
    if wanted.ceiling_usd_micros is None:
        return "CAP_MISSING"
    for amounts, period in ((caps.day_usd_micros, today), (caps.month_usd_micros, today[:7])):
        for scope in wanted.scopes:
            cap = amounts.get(scope)
            if cap is None:
                return "CAP_MISSING"
            if committed.get((scope, period), 0) + wanted.ceiling_usd_micros > cap:
                return f"CAP_REACHED {scope} {period}"
    return ""
