"""The wave's progress: facts gathered in memory, written as one segment a heartbeat, under the wave's own prefix.

A segment is written once. If another segment already stands at its number, the pass has closed the wave's progress in this
worker's name: the worker has been judged lost and must stop (`CLAIM_LOST`). An empty segment is still a heartbeat.
"""

from collections.abc import Sequence
from typing import Final

from runner.domain.control.envelope import utc_text
from runner.domain.control.facts import Fact, SegmentHead, encode_segment
from runner.domain.yields import declare, reach
from runner.ports.stores.answers import Applied, Conflict
from runner.usecases.runs.wave_world import WaveClaim, WaveWorld
from shared import paths
from shared.errors import Conflict as ClaimConflict

FULL_SEGMENT: Final = 200
BEFORE_SEGMENT: Final = declare("wave.before_segment", "a wave worker, facts are known, their segment is not written")
AFTER_SEGMENT: Final = declare("wave.after_segment", "a wave worker, the segment of its facts is written")


class Progress:
    """The facts of one wave that are not written yet, and the number of segments that are."""

    def __init__(self, claim: WaveClaim, world: WaveWorld) -> None:
        self._claim = claim
        self._world = world
        self._waiting: list[Fact] = []
        self._written = 0
        self._last_s = world.clock.monotonic_s()

    @property
    def paths(self) -> tuple[str, ...]:
        """The segments written so far, relative to the wave's prefix."""
        prefix = paths.wave_prefix(self._claim.run_id, self._claim.wave_id)
        segments = (paths.progress_segment(self._claim.run_id, self._claim.wave_id, k) for k in range(1, self._written + 1))
        return tuple(path.removeprefix(f"{prefix}/") for path in segments)

    def add(self, facts: Sequence[Fact]) -> None:
        """Remember `facts` for the next segment."""
        self._waiting.extend(facts)

    def is_due(self) -> bool:
        """Tell whether a segment should be written now."""
        is_time = self._world.clock.monotonic_s() - self._last_s >= self._world.pace.heartbeat_s
        return is_time or len(self._waiting) >= FULL_SEGMENT

    def silent_s(self) -> float:
        """Return the seconds since the last segment stood."""
        return self._world.clock.monotonic_s() - self._last_s

    def flush(self, running: int) -> bool:
        """Write what waits as the next segment; False if the store did not confirm it (the facts are kept)."""
        claim, number = self._claim, self._written + 1
        head = SegmentHead(
            wave_id=claim.wave_id,
            action_id=claim.action_id,
            job=self._world.job_id,
            k=number,
            at=utc_text(self._world.clock.now_ms()),
            running=running,
        )
        reach(BEFORE_SEGMENT)
        data = encode_segment(head, self._waiting)
        answer = self._world.evidence.put(paths.progress_segment(claim.run_id, claim.wave_id, number), data)
        if isinstance(answer, Conflict):
            raise ClaimConflict("CLAIM_LOST", "this wave's progress was closed by a pass", way_out="Nothing: a new wave follows.")
        if not isinstance(answer, Applied):
            return False
        reach(AFTER_SEGMENT)
        self._waiting.clear()
        self._written, self._last_s = number, self._world.clock.monotonic_s()
        return True
