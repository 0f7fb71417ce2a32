"""Keeping the views that are no run's: the offers that stand, what requesters are shown, the installation's own status.

All of them are copies of what log and evidence say, for a Space that reads neither. A view that could not be written is written
by the next pass. Called at the end of a pass.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from math import ceil

from runner.domain.control.accounts import Accounts
from runner.domain.control.envelope import Subject, utc_ms, utc_text
from runner.domain.control.installation import INSTALLATION, Installation
from runner.domain.control.projection.state import RunProjection
from runner.evidence.reading import read_small
from runner.ports.state.control_log import Head
from runner.usecases.control.pass_world import PassWorld
from shared import paths
from shared.digests import parse_digest, sha256
from shared.documents.installation_status import InstallationStatus, UseLine
from shared.errors import BadInput, SeawallError
from shared.ids import RunId
from shared.inbox.offers import OFFER
from shared.inbox.quotas import Used
from shared.plural import counted

SHOWN = "shown"
"""The subject type under which a requester's rows are kept."""
RUN_UNREADABLE = "run_unreadable"
MAX_UNREAD = 10
MAX_WHY = 200
"""Of the runs that cannot be read, and of the words about each, that the installation's status has."""
TOLD_EVERY_S = 30
"""So often the time of a pass is told where there is nothing else to tell."""


def keep_offers(world: PassWorld, head: Head) -> None:
    """Write each offer that the log names, and an empty view of each that was taken back."""
    for name, pointer in head.pointers.items():
        kind, _, offer = name.partition("/")
        if kind != OFFER:
            continue
        subject = Subject(OFFER, offer)
        stored = world.status.read(subject)
        if stored is None or stored.seq < pointer.generation:
            data = world.log.document(parse_digest(pointer.target)) if pointer.target else b""
            world.status.write(subject, data or b"", pointer.generation)


def keep_shown(world: PassWorld, states: Mapping[str, RunProjection]) -> None:
    """Write what the requesters of `states` are shown, once their runs wait for consent."""
    for run_id, state in states.items():
        subject = Subject(SHOWN, run_id)
        if not state.run.shown_sha256 or world.status.read(subject) is not None:
            continue
        with suppress(SeawallError):  # One run's evidence that cannot be read hides no other view.
            data = read_small(world.evidence, paths.shown_run(RunId(run_id)))
            if sha256(data) == state.run.shown_sha256:
                world.status.write(subject, data, 1)


def keep_installation(
    world: PassWorld,
    head: Head,
    installation: Installation,
    accounts: Accounts,
    unread: Mapping[str, str],
    *,
    is_whole: bool = True,
) -> None:
    """Write the installation's status if it says something else than the stored one, or that one says an old time.

    `unread` are the open runs whose journals cannot be read, each with why.
    A pass over one run alone, not `is_whole`, leaves what is said of passes as it is.
    """
    users, owners = accounts.names()
    redact = world.redactor.redact_text
    asked = {**installation.attention, **_unread(unread)}
    status = InstallationStatus(
        is_held=installation.is_held,
        hold_because=redact(installation.hold_because),
        attention={code: redact(message) for code, message in sorted(asked.items())},
        limits=world.rules.limits,
        users=_lines(users, {name: accounts.used(name, "", head.now_ms) for name in users}, is_user=True),
        owners=_lines(owners, {name: accounts.used("", name, head.now_ms) for name in owners}, is_user=False),
        day=utc_text(head.now_ms)[:10],
    )
    stored = world.status.read(INSTALLATION)
    before = _read(stored.data) if stored else None
    if is_whole:
        status = status.model_copy(update={"passed_at": utc_text(world.clock.now_ms()), "repeats_s": ceil(world.repeats_s)})
    elif before is not None:
        status = status.model_copy(update={"passed_at": before.passed_at, "repeats_s": before.repeats_s})
    if stored is None or (stored.seq <= head.serial and (before is None or _says_more(status, before))):
        world.status.write(INSTALLATION, status.to_bytes(), head.serial)


def end_passes(world: PassWorld) -> None:
    """Take back that another pass follows: the loop of passes ends. Raises StoreFault if that cannot be written."""
    stored = world.status.read(INSTALLATION)
    status = _read(stored.data) if stored else None
    if stored is not None and status is not None and status.repeats_s:
        world.status.write(INSTALLATION, status.model_copy(update={"repeats_s": 0}).to_bytes(), stored.seq)


def _says_more(status: InstallationStatus, before: InstallationStatus) -> bool:
    if status != before.model_copy(update={"passed_at": status.passed_at}):
        return True
    if not (status.passed_at and before.passed_at):
        return status.passed_at != before.passed_at
    return abs(utc_ms(status.passed_at) - utc_ms(before.passed_at)) >= TOLD_EVERY_S * 1000


def _read(data: bytes) -> InstallationStatus | None:
    try:
        return InstallationStatus.from_bytes(data)
    except BadInput:
        return None


def _unread(runs: Mapping[str, str]) -> dict[str, str]:
    if not runs:
        return {}
    named = "; ".join(f"{run_id}: {why[:MAX_WHY]}" for run_id, why in sorted(runs.items())[:MAX_UNREAD])
    one, many = "run cannot be read and counts with its whole ceiling", "runs cannot be read and count with their whole ceilings"
    return {RUN_UNREADABLE: f"{counted(len(runs), one, many)}: {named}"}


def _lines(names: Iterable[str], used: Mapping[str, Used], *, is_user: bool) -> dict[str, UseLine]:
    lines = {}
    for name in sorted(names):
        one = used[name]
        values = (
            (one.open_user, one.day_user, one.day_user_usd_micros, one.month_user_usd_micros)
            if is_user
            else (one.open_owner, one.day_owner, one.day_owner_usd_micros, one.month_owner_usd_micros)
        )
        if any(values):
            lines[name] = UseLine(open=values[0], day=values[1], day_usd_micros=values[2], month_usd_micros=values[3])
    return lines
