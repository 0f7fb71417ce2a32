"""Looking at the world for one run: its jobs, the progress its workers wrote, its seals; reads, and one fence.

The fence: when the job of a claimed wave has ended without the wave's marker, attempts whose sealed bundle no segment names are
reported in the worker's stead, as its next segment. Evidence beats inference, and a worker that was only thought dead finds its
place taken and stops.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from runner.domain.control.decisions.seen import SeenJob, SeenRun, SeenSegment, Shown
from runner.domain.control.envelope import utc_text
from runner.domain.control.facts import ENDED, STARTED, Fact, SegmentHead, decode_segment, encode_segment
from runner.domain.control.projection.state import Action, RunProjection, Wave
from runner.evidence.markers import markers_at
from runner.evidence.reading import read_small
from runner.ports.compute.jobs import TERMINAL_STAGES, JobView
from runner.ports.stores.answers import Applied, Unknown
from runner.ports.stores.evidence_store import EvidenceStore
from runner.usecases.attempts.attempt_place import attempt_place
from runner.usecases.attempts.attempt_reading import scoring_of
from runner.usecases.attempts.ended_fact import ended_fact
from runner.usecases.attempts.sealed_attempts import is_sealed_as, read_sealed_attempt
from runner.usecases.results.publicity import ResultsSeen
from shared import paths
from shared.digests import sha256
from shared.documents.document import read_json
from shared.documents.plan import PlanHead
from shared.documents.shown import ShownRun
from shared.errors import BadInput, Refused, StoreFault
from shared.ids import RunId, WaveId
from shared.states import RUN_TERMINAL, ActionState, AttemptState

MAX_SEGMENTS = 100
MAX_BYTES = 1 << 18
"""Read of one wave in one pass; the rest waits for the next, and the wave with it."""
RECOVERED = "recovered"
MAX_BECAUSE = 300


@dataclass(frozen=True, slots=True)
class Looking:
    """What looking at one run needs."""

    run_id: RunId
    state: RunProjection
    head: PlanHead
    jobs: Sequence[JobView]
    evidence: EvidenceStore
    now_ms: int
    is_dry: bool = False
    """What an ended job did not report is looked at, and not stored."""


def observe_run(looking: Looking, results: ResultsSeen) -> SeenRun:
    """Return what is seen of the run now."""
    jobs: dict[str, tuple[SeenJob, ...]] = {}
    for job in looking.jobs:
        if job.run_id == looking.run_id:
            seen = SeenJob(job.job_id, job.stage in TERMINAL_STAGES, _is_overdue(looking, job))
            jobs[job.action_id] = (*jobs.get(job.action_id, ()), seen)
    segments, unread, endings = {}, set(), {}
    for wave in looking.state.open_waves():
        action = next((each for each in looking.state.open_actions() if each.wave_id == wave.wave_id), None)
        if action is not None and action.state is ActionState.CLAIMED:
            found = _segments(looking, wave, action, jobs.get(action.action_id, ()))
            segments[wave.wave_id] = found
            endings[wave.wave_id] = _ending(looking, wave)
            if looking.evidence.stat(_segment_path(looking, wave, wave.segments + len(found) + 1)) is not None:
                unread.add(wave.wave_id)
    return SeenRun(
        jobs=jobs,
        segments=segments,
        unread=frozenset(unread),
        endings=endings,
        is_root_sealed=_is_root_sealed(looking),
        publication_id=results.publication_id,
        shown=_shown(looking),
        is_kept_private=results.is_kept_private,
        is_withdrawn=results.is_withdrawn,
    )


def _shown(looking: Looking) -> Shown | None:
    """Return what stands to be shown to the requester, while that is waited for."""
    run, path = looking.state.run, paths.shown_run(looking.run_id)
    if not run.needs_consent or run.shown_sha256 or run.state not in RUN_TERMINAL or looking.evidence.stat(path) is None:
        return None
    shown = ShownRun.from_bytes(read_small(looking.evidence, path))
    return Shown(shown.digest, shown.publication_id)


def _is_overdue(looking: Looking, job: JobView) -> bool:
    return looking.now_ms - job.created_ms > job.timeout_s * 1000


def _ending(looking: Looking, wave: Wave) -> str:
    """Return why a worker that sealed its wave says it ended; a wave without its seal says nothing."""
    prefix = paths.wave_prefix(looking.run_id, WaveId(wave.wave_id))
    path = f"{prefix}/{paths.WAVE_SUMMARY}"
    if not _is_wave_sealed(looking, wave) or looking.evidence.stat(path) is None:
        return ""
    with looking.evidence.open(path) as stream:
        summary = read_json(stream.read(), what=paths.WAVE_SUMMARY)
    because = summary.get("because") if isinstance(summary, dict) else ""
    return because[:MAX_BECAUSE] if isinstance(because, str) else ""


def _segments(looking: Looking, wave: Wave, action: Action, jobs: tuple[SeenJob, ...]) -> tuple[SeenSegment, ...]:
    found = _written_segments(looking, wave, action)
    is_gone = all(job.is_ended for job in jobs if job.job_id == action.job)
    is_whole = looking.evidence.stat(_segment_path(looking, wave, wave.segments + len(found) + 1)) is None
    if is_gone and is_whole and not _is_wave_sealed(looking, wave):
        found += _recover(looking, wave, action, found)
    return tuple(found)


def _segment_path(looking: Looking, wave: Wave, number: int) -> str:
    return paths.progress_segment(looking.run_id, WaveId(wave.wave_id), number)


def _written_segments(looking: Looking, wave: Wave, action: Action) -> list[SeenSegment]:
    found: list[SeenSegment] = []
    size = 0
    while len(found) < MAX_SEGMENTS and size < MAX_BYTES:
        number = wave.segments + len(found) + 1
        path = _segment_path(looking, wave, number)
        if looking.evidence.stat(path) is None:
            break
        with looking.evidence.open(path) as stream:
            data = stream.read()
        head, facts = decode_segment(data)
        if (head.wave_id, head.action_id, head.k) != (wave.wave_id, action.action_id, number):
            message, way_out = (
                "a progress segment does not belong to its wave and claim",
                "Look who else writes there, and remove it.",
            )
            raise BadInput("SEGMENT_INVALID", message, field=path, way_out=way_out)
        found.append(SeenSegment(number, sha256(data), facts, tuple(_rejected(looking, facts))))
        size += len(data)
    return found


def _rejected(looking: Looking, facts: Sequence[Fact]) -> Iterator[tuple[int, int, str]]:
    """Yield the facts whose bundle is not sealed as they say."""
    for fact in facts:
        if fact.event == ENDED and fact.bundle_sha256:
            try:
                prefix = attempt_place(looking.run_id, looking.head, fact.trial, fact.ordinal)
                is_sealed = is_sealed_as(looking.evidence, prefix, fact.bundle_sha256)
            except (Refused, IndexError):
                is_sealed = False
            if not is_sealed:
                yield fact.trial, fact.ordinal, "BUNDLE_UNVERIFIED"


def _recover(looking: Looking, wave: Wave, action: Action, found: Sequence[SeenSegment]) -> list[SeenSegment]:
    """Report, as the next segment, what the ended job had begun or sealed and did not report.

    Another pass may do the same at the same time; then its segment counts, which is read by the next pass.
    """
    at = utc_text(looking.now_ms)
    facts = [
        fact for trial, ordinal in _unended(looking, wave, found) for fact in _read_facts(looking, trial, ordinal, found, at)
    ]
    if not facts:
        return []
    number = wave.segments + len(found) + 1
    head = SegmentHead(wave_id=wave.wave_id, action_id=action.action_id, job=RECOVERED, k=number, at=at)
    data = encode_segment(head, facts)
    if looking.is_dry:
        return [SeenSegment(number, sha256(data), tuple(facts))]
    answer = looking.evidence.put(_segment_path(looking, wave, number), data)
    if isinstance(answer, Unknown):
        raise StoreFault(
            "EVIDENCE_UNKNOWN", "it is unknown whether the recovered facts are stored", way_out="A later pass reads."
        )
    return [SeenSegment(number, answer.sha256, tuple(facts))] if isinstance(answer, Applied) else []


def _unended(looking: Looking, wave: Wave, found: Sequence[SeenSegment]) -> Iterator[tuple[int, int]]:
    """Yield the tries of `wave` that neither journal nor segments know as ended."""
    ended = {(fact.trial, fact.ordinal) for segment in found for fact in segment.facts if fact.event == ENDED}
    for first, count, ordinal, allowed in wave.ranges:
        for index in range(first, first + count):
            attempts = looking.state.trials.trial(index).attempts
            for one in range(ordinal, ordinal + allowed):
                known = attempts[one - 1] if one <= len(attempts) else AttemptState.RESERVED
                if known in {AttemptState.RESERVED, AttemptState.STARTED} and (index, one) not in ended:
                    yield index, one


def _read_facts(looking: Looking, trial: int, ordinal: int, found: Sequence[SeenSegment], at: str) -> list[Fact]:
    prefix = attempt_place(looking.run_id, looking.head, trial, ordinal)
    if looking.evidence.stat(f"{prefix}/{paths.ATTEMPT}") is None:
        return []
    facts = []
    attempts = looking.state.trials.trial(trial).attempts
    is_known = ordinal <= len(attempts) and attempts[ordinal - 1] is AttemptState.STARTED
    if not is_known and not any((fact.trial, fact.ordinal) == (trial, ordinal) for each in found for fact in each.facts):
        facts.append(Fact(trial, ordinal, STARTED, at))
    try:
        stored = read_sealed_attempt(looking.evidence, prefix, scoring_of(looking.head.benchmark))
    except (Refused, BadInput):
        return facts  # It began and left no whole bundle.
    return [*facts, ended_fact(stored, trial, at)]


def _is_wave_sealed(looking: Looking, wave: Wave) -> bool:
    prefix = paths.wave_prefix(looking.run_id, WaveId(wave.wave_id))
    return bool(markers_at(looking.evidence, prefix))


def _is_root_sealed(looking: Looking) -> bool:
    return bool(markers_at(looking.evidence, paths.run_prefix(looking.run_id)))
