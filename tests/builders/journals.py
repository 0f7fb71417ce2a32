"""Journals for tests: events with short ids, folded one by one."""

from collections.abc import Sequence
from typing import Any

import msgspec

from runner.domain.control import events
from runner.domain.control.envelope import Event, Payload, Subject
from runner.domain.control.facts import Fact
from runner.domain.control.kinds import record
from runner.domain.control.projection.fold import fold
from runner.domain.control.projection.state import RunProjection

RUN = Subject("run", "run-1")
BUNDLE = "ab" * 32
START_MS = 1_700_000_000_000


def event(kind: str, payload: Payload, number: int = 1, *, about: Subject = RUN, at_ms: int = START_MS) -> Event:
    """Return an event whose id is made of `number`, without a seq."""
    return record(kind, payload, about=about, event_id=f"evt-{number:032x}", at_ms=at_ms, producer="test")


def note(number: int, text: str = "needed") -> Event:
    """Return one of many events that differ by `number` alone."""
    return event("attention", events.Attention(code=f"C{number}", message=text), number)


class Journal:
    """A run's journal as it grows, with its fold."""

    def __init__(self, trials: int = 4, max_attempts: int = 3) -> None:
        self.events: list[Event] = []
        self.state = RunProjection()
        self.trials = trials
        self.max_attempts = max_attempts

    def put(self, kind: str, payload: Payload) -> "Journal":
        """Append and fold one event."""
        seq = len(self.events) + 1
        self.events.append(msgspec.structs.replace(event(kind, payload, seq), seq=seq))
        fold(self.state, self.events[-1])
        return self

    def submit(self) -> "Journal":
        """Append a submit of one cell."""
        policy = events.Policy(max_attempts=self.max_attempts)
        return self.put(
            "submitted",
            events.Submitted(
                plan_digest="p",
                lock_sha256="l",
                trials=self.trials,
                shards=((0, 0, self.trials),),
                policy=policy,
                requested_by="user-1",
            ),
        )

    def acquire(self, number: int = 1, ranges: Sequence[events.TrialRange] | None = None) -> "Journal":
        """Append the reservation of wave `number`, of all trials once if `ranges` is not given."""
        held = tuple(ranges) if ranges is not None else ((0, self.trials, 1, 1),)
        wave = events.Acquired(
            wave_id=f"wave-{number}", number=number, ranges=held, assignment_sha256="a", deployment="d", route="pool"
        )
        return self.put("acquired", wave)

    def begin(self, number: int = 1) -> "Journal":
        """Bring an acquired wave to work."""
        for kind in ("provisioned", "ready"):
            self.put(kind, events.WaveMoved(wave_id=f"wave-{number}"))
        return self.put("started", events.WaveStarted(wave_id=f"wave-{number}", job=f"job-{number}"))

    def seal(self, *facts: Fact, number: int = 1, rejected: tuple[tuple[int, int, str], ...] = ()) -> "Journal":
        """Append the next progress segment of wave `number` with `facts`."""
        wave = self.state.run.waves.get(f"wave-{number}")
        sealed = events.ProgressSealed(
            wave_id=f"wave-{number}",
            k=wave.segments + 1 if wave else 1,
            sha256="0" * 64,
            count=len(facts),
            rejected=rejected,
            facts=facts,
        )
        return self.put("progress_sealed", sealed)

    def end_wave(self, number: int = 1, because: str = "done") -> "Journal":
        """Drain, clean and close wave `number`."""
        self.put("draining", events.Draining(wave_id=f"wave-{number}", because=because))
        for kind in ("cleaning", "cleanup_verified", "closed"):
            self.put(kind, events.WaveMoved(wave_id=f"wave-{number}"))
        return self

    def finish(self) -> "Journal":
        """Drain the run and end it as its trials say."""
        from runner.domain.control.projection.run_rules import end_of

        self.put("draining", events.Draining())
        label = self.state.label()
        return self.put("finished", events.Finished(state=end_of(label), label=label, counts={}))

    def states(self) -> list[str]:
        """Return the state of each trial."""
        return [str(self.state.trials.trial(index).state) for index in range(self.trials)]

    def anomalies(self) -> list[str]:
        """Return the kinds of the events that had no effect."""
        return [anomaly.kind for anomaly in self.state.run.anomalies]


def begun(trial: int, ordinal: int = 1) -> Fact:
    """Return the fact that an attempt started."""
    return Fact(trial, ordinal, "started", "2026-01-01T00:00:00.000Z")


def scored(trial: int, ordinal: int = 1, reward: float = 1.0, bundle: str = BUNDLE) -> Fact:
    """Return the fact that an attempt succeeded."""
    return Fact(trial, ordinal, "ended", "2026-01-01T00:01:00.000Z", "succeeded", bundle, reward)


def failed(trial: int, ordinal: int = 1, category: str = "transient", reason: str = "", **said: Any) -> Fact:
    """Return the fact that an attempt failed."""
    return Fact(trial, ordinal, "ended", "2026-01-01T00:01:00.000Z", "failed", BUNDLE, None, category, reason, **said)


def cancelled(trial: int, ordinal: int = 1) -> Fact:
    """Return the fact that an attempt was cancelled."""
    return Fact(trial, ordinal, "ended", "2026-01-01T00:01:00.000Z", "cancelled")
