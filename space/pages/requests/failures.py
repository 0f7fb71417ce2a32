"""The progress and failures of a run, as its requester sees them: totals by category, then the trials, failures first.

Session content, logs and task text stay in the evidence. Beside each failed trial stands the command that a maintainer can run
to copy its evidence, to be sent along with a question.
"""

from typing import Final

from shared.documents.status import MAX_TRIAL_LINES, RunStatus, TrialLine
from shared.money import format_usd
from space.components.html import Child, Markup, tag
from space.components.table import Column, table
from space.pages.requests.frame import lines

_FAILED: Final = frozenset(
    {"agent_failed", "benchmark_failed", "infrastructure_exhausted", "exhausted", "cancelled", "retry_wait"}
)
_COLUMNS: Final = (
    Column("Task"), Column("Repeat", is_number=True), Column("State"), Column("Attempts", is_number=True), Column("Category"),
    Column("Reason"), Column("Phase"), Column("Exception"), Column("Retry"), Column("Reward", is_number=True),
    Column("Cost", is_number=True, hint="Of all tries together, where each of them reported it"), Column("Evidence"),
)  # fmt: skip


def failures(status: RunStatus) -> Markup | None:
    """Return the section, or nothing while no trial is known."""
    if not status.trials:
        return None
    caption = f"Trials, failures first ({len(status.trials):,} of {status.planned:,})"
    rows = [_trial(line, status.run_id) for line in status.trials]
    is_cut = len(status.trials) >= MAX_TRIAL_LINES and status.planned > MAX_TRIAL_LINES
    more = tag("p", f"The other {status.planned - len(status.trials):,} are counted above.", class_="muted") if is_cut else None
    return tag(
        "section",
        tag("h2", "Progress and failures"),
        _totals(status),
        table(caption, _COLUMNS, rows, name="Trials"),
        more,
    )


def _totals(status: RunStatus) -> Markup:
    if not status.failures:
        return tag("p", "No trial has failed.")
    ordered = sorted(status.failures.items(), key=lambda each: (-each[1], each[0]))
    pairs: list[tuple[str, Child]] = [(_words(category), f"{count:,}") for category, count in ordered]
    return tag("div", tag("p", "Trials without a score, by the category of their newest failure:"), lines(pairs))


def _trial(line: TrialLine, run_id: str) -> list[Child]:
    command: Child = "-"
    if line.attempt_id and (line.category or line.state in _FAILED):
        said = f"python -m runner evidence fetch {run_id} --attempt {line.attempt_id} --into {line.attempt_id}"
        command = tag("code", said, class_="digest")
    retry = ("yes" if line.retry_follows else "no") if line.category else "-"
    return [
        line.task, line.repeat, _words(line.state), line.attempts, _words(line.category), _words(line.reason_code),
        _words(line.phase), line.exception_type or "-", retry, line.reward or "-",
        "-" if line.cost_usd_micros is None else format_usd(line.cost_usd_micros), command,
    ]  # fmt: skip


def _words(name: str | None) -> str:
    return name.replace("_", " ") if name else "-"
