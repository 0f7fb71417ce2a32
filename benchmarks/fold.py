"""fold: a run's journal of 1 M events is verified, decoded, checked and folded, against stdlib json parsing the same bytes.

The journal is that of a run of 500,000 trials in waves of 2,000: reservations, claims, steps of the waves, and one progress
segment of the worker per fact (its start and its end stand in one or two of them), inline, as a local journal carries them. One
attempt in ten fails and is tried again in the same wave. Memory is measured in a process of its own that reads the journal from
a file, segment by segment.
"""

import hashlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import batched
from pathlib import Path
from typing import Final

from benchmarks.measurement import Measurement, bare_interpreter_mb, compare, resident_mb
from runner.domain.control import events
from runner.domain.control.chain import GENESIS, StoredSegment, build_segment, verified
from runner.domain.control.envelope import Event, Payload, Subject, encode_body
from runner.domain.control.facts import Fact
from runner.domain.control.kinds import record
from runner.domain.control.projection.fold import fold_segments
from runner.domain.control.projection.state import RunProjection

EVENTS: Final = 1_000_000
_WAVE: Final = 2_000
_RUN: Final = Subject("run", "run-" + "0f" * 16)
_AT: Final = "2026-01-01T00:00:00.000Z"


def measure(count: int = EVENTS) -> Measurement:
    """Return the fold's time over the parser's."""
    stored = list(_segments(count))
    peak = _peak_mb(stored)
    return compare("fold", lambda: _fold(iter(stored)), lambda: _parse(stored), rounds=3, peak_mb=peak)


def _fold(stored: Iterator[StoredSegment]) -> RunProjection:
    state = fold_segments(RunProjection(), verified(_RUN, stored))
    if state.run.anomaly_count or not state.run.seq:
        raise AssertionError(f"the benchmark's journal is not legal: {state.run.anomalies[:3]}")
    return state


def _parse(stored: list[StoredSegment]) -> int:
    parsed = 0
    for segment in stored:
        for line in segment.data.splitlines():
            json.loads(line)
            parsed += 1
    return parsed


def _segments(count: int) -> Iterator[StoredSegment]:
    """Yield the journal in segments of 100 events, as passes append them."""
    seq, chain = 1, GENESIS
    for bodies in batched(_bodies(count), 100):
        segment = build_segment(bodies, seq, chain)
        seq, chain = seq + segment.count, segment.chain
        yield segment


def _bodies(count: int) -> Iterator[bytes]:
    for made, event in enumerate(_journal(count), 1):
        yield encode_body(event)
        if made == count:
            return


def _journal(count: int) -> Iterator[Event]:
    """Yield at least `count` events; a wave of 2,000 trials takes 4,000 and some."""
    waves = count // (2 * _WAVE) + 1
    trials = waves * _WAVE
    shards = tuple((0, first, 200) for first in range(0, trials, 200))
    policy = events.Policy(max_attempts=3)
    plan = events.Submitted(
        plan_digest=_digest(0), lock_sha256=_digest(1), trials=trials, shards=shards, policy=policy, requested_by="user-1"
    )
    yield _event("submitted", plan, _RUN, 0)
    for number in range(1, waves + 1):
        yield from _wave(number)


def _wave(number: int) -> Iterator[Event]:
    wave, first, job = f"wave-{_digest(number)[:32]}", (number - 1) * _WAVE, f"job-{number}"
    about, action, unique = Subject("wave", wave), f"act-{_digest(-number)[:32]}", number * 1_000_000
    held = ((first, _WAVE, 1, 3),)
    promise = events.ActionReserved(
        action_id=action, verb="job_submit", target=wave, generation=1, performer="reconciler", perform_by_ms=1, wave_id=wave
    )
    reserved = events.Acquired(wave_id=wave, number=number, ranges=held, assignment_sha256=_digest(2), deployment=_digest(3))
    begin: list[tuple[str, Payload]] = [
        ("action_reserved", promise),
        ("acquired", reserved),
        ("action_claimed", events.ActionClaimed(action_id=action, job=job)),
        ("provisioned", events.WaveMoved(wave_id=wave)),
        ("ready", events.WaveMoved(wave_id=wave)),
        ("started", events.WaveStarted(wave_id=wave, job=job)),
    ]
    end: list[tuple[str, Payload]] = [
        ("draining", events.Draining(wave_id=wave, because="done")),
        ("action_observed", events.ActionObserved(action_id=action, result="applied")),
        ("cleaning", events.WaveMoved(wave_id=wave)),
        ("cleanup_verified", events.WaveMoved(wave_id=wave)),
        ("action_closed", events.ActionClosed(action_id=action)),
        ("closed", events.WaveMoved(wave_id=wave)),
    ]
    work: list[tuple[str, Payload]] = [
        ("progress_sealed", events.ProgressSealed(wave_id=wave, k=k, sha256=_digest(unique + k), count=1, facts=(fact,)))
        for k, fact in enumerate(_facts(first), 1)
    ]
    for place, (kind, payload) in enumerate([*begin, *work, *end]):
        yield _event(kind, payload, about, unique + place)


def _facts(first: int) -> Iterator[Fact]:
    for trial in range(first, first + _WAVE):
        ordinal = 1
        yield Fact(trial, ordinal, "started", _AT)
        if trial % 10 == 0:
            yield Fact(trial, ordinal, "ended", _AT, "failed", _digest(trial), None, "transient", "sandbox_gone")
            ordinal = 2
            yield Fact(trial, ordinal, "started", _AT)
        yield Fact(trial, ordinal, "ended", _AT, "succeeded", _digest(trial), 0.5)


def _event(kind: str, payload: Payload, about: Subject, unique: int) -> Event:
    return record(
        kind, payload, about=about, event_id=f"evt-{_digest(unique)[:32]}", at_ms=1_767_225_600_000, producer="reconciler"
    )


def _digest(number: int) -> str:
    return hashlib.sha256(b"%d" % number).hexdigest()


def _peak_mb(stored: list[StoredSegment]) -> float:
    """Return what folding takes above the bare interpreter, in a process that reads the segments from a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal"
        with path.open("wb") as file:
            for segment in stored:
                file.write(b"%d %d %d %b\n" % (segment.first_seq, segment.count, len(segment.data), segment.chain.encode()))
                file.write(segment.data)
        finished = subprocess.run(
            [sys.executable, "-m", "benchmarks.fold", str(path)], check=True, capture_output=True, text=True, timeout=600
        )
    return float(finished.stdout)


def _from_file(path: Path) -> Iterator[StoredSegment]:
    with path.open("rb") as file:
        while head := file.readline():
            first, count, size, chain = head.split()
            yield StoredSegment(int(first), int(count), file.read(int(size)), chain.decode())


if __name__ == "__main__":
    _fold(_from_file(Path(sys.argv[1])))
    print(resident_mb() - bare_interpreter_mb())
