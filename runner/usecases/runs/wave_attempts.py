"""One attempt's files: named before it begins, sealed after it ended; each step is safe to repeat and leaves a marker last."""

import json
import shutil
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from runner.domain.control.envelope import utc_text
from runner.domain.control.facts import ENDED, STARTED, Fact
from runner.domain.yields import declare, reach
from runner.evidence.bundle import SealOrder, seal_attempt
from runner.ports.compute.harness import HarnessReport, ReportKind
from runner.ports.stores.answers import Conflict, Unknown
from runner.usecases.attempts.attempt_reading import LOST, read_attempt, scoring_of
from runner.usecases.attempts.sealed_attempts import StoredAttempt, read_sealed_attempt
from runner.usecases.runs.wave_orders import Attempt
from runner.usecases.runs.wave_world import WaveClaim, WaveWorld
from shared import paths
from shared.documents.evidence.attempt import AttemptEnding
from shared.documents.evidence.bundle import Marker
from shared.errors import StoreFault
from shared.outcomes import AttemptEnd, Category

BEFORE_BEGIN: Final = declare("wave.before_begin", "a wave worker, an attempt is due, nothing of it is written")
AFTER_BEGIN: Final = declare("wave.after_begin", "a wave worker, attempt.json is stored, the attempt has not begun")
AFTER_END: Final = declare("wave.after_end", "a wave worker, the attempt's process has ended, nothing is sealed")
AFTER_SEAL: Final = declare("wave.after_seal", "a wave worker, the attempt's bundle is sealed, no fact says so")
MESSAGE_CHARACTERS: Final = 500
HARBOR: Final = "harbor"
FAILURE: Final = "failure.json"


class SealedAttempt(NamedTuple):
    """An ended attempt, and what its sealed bundle says of it."""

    attempt: Attempt
    stored: StoredAttempt


def begin_attempt(attempt: Attempt, world: WaveWorld) -> bool:
    """Write attempt.json, the first trace of the try; False if another wave has begun the same try.

    Raises StoreFault EVIDENCE_UNKNOWN if nobody can say: the same bytes may be put again.
    """
    reach(BEFORE_BEGIN)
    data = attempt.document.to_bytes()
    answer = world.evidence.put(f"{attempt.prefix}/{paths.ATTEMPT}", data)
    if isinstance(answer, Unknown):
        message = f"it is unknown whether the attempt was written: {answer.because}"
        raise StoreFault("EVIDENCE_UNKNOWN", message, field=answer.path, way_out="Nothing: it is written again.")
    if isinstance(answer, Conflict):
        return False
    shutil.rmtree(attempt.folder, ignore_errors=True)
    attempt.folder.mkdir(parents=True, mode=0o700)
    (attempt.folder / paths.ATTEMPT).write_bytes(data)
    reach(AFTER_BEGIN)
    return True


def finish_attempt(
    attempt: Attempt, reports: Sequence[tuple[str, HarnessReport]], claim: WaveClaim, world: WaveWorld
) -> SealedAttempt:
    """Seal the ended attempt; `reports` are (time, report) in order, the last one its end."""
    reach(AFTER_END)
    folder = attempt.folder
    ending = _ending(attempt, reports)
    _write_events(attempt, reports, ending)
    harbor = folder / attempt.attempt_id
    if harbor.is_dir():
        harbor.rename(folder / HARBOR)
    result_file = folder / HARBOR / "result.json"
    result = result_file.read_bytes() if result_file.is_file() else None
    reading = read_attempt(attempt.document, ending, result, scoring_of(claim.head.benchmark))
    end = reading.classification.attempt
    order = SealOrder(
        subject=attempt.attempt_id,
        marker=_MARKERS.get(end, Marker.FAILED),
        fence=claim.number,
        secrets=world.secrets,
        required=(f"{HARBOR}/result.json",) if end is AttemptEnd.SUCCEEDED else (),
    )
    seal_attempt(folder, attempt.prefix, order, world.evidence)
    # What the end means is read from the sealed bytes, as everybody after us will read it.
    stored = read_sealed_attempt(world.evidence, attempt.prefix, scoring_of(claim.head.benchmark))
    reach(AFTER_SEAL)
    shutil.rmtree(folder, ignore_errors=True)
    return SealedAttempt(attempt, stored)


def started_fact(attempt: Attempt, world: WaveWorld) -> Fact:
    """Return the fact that `attempt` began."""
    return Fact(attempt.planned.index, attempt.ordinal, STARTED, utc_text(world.clock.now_ms()))


def lost_fact(attempt: Attempt, world: WaveWorld) -> Fact:
    """Return the fact that a try ended without a bundle: it is lost, and never repeated under its name."""
    at = utc_text(world.clock.now_ms())
    return Fact(attempt.planned.index, attempt.ordinal, ENDED, at, end="failed", category=Category.LOST.value, reason=LOST)


def _ending(attempt: Attempt, reports: Sequence[tuple[str, HarnessReport]]) -> AttemptEnding:
    at, last = reports[-1]
    phases = [report.phase for _, report in reports if report.phase is not None]
    message = ""
    failure = attempt.folder / FAILURE
    if failure.is_file():
        with suppress(ValueError, AttributeError):  # A child that was killed may have left half of it.
            message = _storable(str(json.loads(failure.read_bytes()).get("exception_message", "")))[:MESSAGE_CHARACTERS]
    reason = LOST if last.kind is ReportKind.LOST or last.reason is None else last.reason.value
    return AttemptEnding(
        at=at,
        reason=reason,
        exit_code=last.exit_code,
        signal=last.signal,
        exception_type=_storable(last.exception_type),
        exception_message=message,
        phase=phases[-1].value if phases else "",
    )


def _write_events(attempt: Attempt, reports: Sequence[tuple[str, HarnessReport]], ending: AttemptEnding) -> None:
    lines = [
        json.dumps({"event": "phase", "at": at, "phase": report.phase.value}, sort_keys=True)
        for at, report in reports
        if report.phase is not None
    ]
    text = "\n".join([*lines, ending.to_bytes().decode(), ""])
    (attempt.folder / paths.EVENTS).write_text(text, encoding="utf-8")


_MARKERS: Final = {AttemptEnd.SUCCEEDED: Marker.SUCCESS, AttemptEnd.CANCELLED: Marker.CANCELLED}


def _storable(text: str) -> str:
    """Return `text` as UTF-8 can hold it: a file's name that is no text stands in a message as half characters."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
