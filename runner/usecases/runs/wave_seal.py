"""A wave's own bundle: what it was given and where it runs, stored before its first attempt; how it went, sealed at its end.

So the place where an attempt ran is known even if the wave's worker is killed right after it.
"""

from collections.abc import Mapping
from typing import Final

from runner.domain.control.envelope import utc_text
from runner.domain.yields import declare, reach
from runner.evidence.bundle import SealedBundle, SealOrder, seal_bundle
from runner.ports.stores.answers import Applied
from runner.usecases.runs.wave_progress import Progress
from runner.usecases.runs.wave_world import WaveClaim, WaveWorld
from shared import paths
from shared.digests import Json, canonical_json
from shared.documents.evidence.bundle import Marker
from shared.errors import StoreFault

AFTER_OPEN: Final = declare("wave.after_open", "a wave worker, the wave's lock and place are stored, no attempt has begun")
BEFORE_SEAL: Final = declare("wave.before_wave_seal", "a wave worker, all facts are written, the wave is not sealed")
AFTER_SEAL: Final = declare("wave.after_wave_seal", "a wave worker, the wave's marker stands")
_CANCELLED: Final = frozenset({"cancelled", "stopped"})
_OPENING: Final = (paths.WAVE_LOCK, paths.RUNTIME_ENVIRONMENT)


def open_wave(claim: WaveClaim, world: WaveWorld) -> None:
    """Store what the wave of `claim` was given and where it runs."""
    prefix = paths.wave_prefix(claim.run_id, claim.wave_id)
    documents: dict[str, Json] = {paths.WAVE_LOCK: wave_lock(claim, world.job_id), paths.RUNTIME_ENVIRONMENT: dict(world.host)}
    for path, document in documents.items():
        if not isinstance(world.evidence.put(f"{prefix}/{path}", canonical_json(document)), Applied):
            raise StoreFault(
                "WAVE_NOT_OPENED", f"{path} of {claim.wave_id} was not stored", way_out="Nothing: a new wave follows."
            )
    reach(AFTER_OPEN)


def seal_wave(claim: WaveClaim, world: WaveWorld, progress: Progress, *, because: str, counts: Mapping[str, int]) -> SealedBundle:
    """Seal the wave of `claim`, which ended `because` (empty: its work is done)."""
    reach(BEFORE_SEAL)
    documents: dict[str, Json] = {
        paths.WAVE_SUMMARY: {
            "wave_id": claim.wave_id,
            "because": because,
            "counts": dict(counts),
            "ended_at": utc_text(world.clock.now_ms()),
        },
    }
    marker = Marker.SUCCESS if not because else Marker.CANCELLED if because in _CANCELLED else Marker.FAILED
    order = SealOrder(subject=claim.wave_id, marker=marker, fence=claim.number, secrets=world.secrets)
    prefix = paths.wave_prefix(claim.run_id, claim.wave_id)
    files = {path: canonical_json(document) for path, document in documents.items()}
    sealed = seal_bundle(prefix, files, order, world.evidence, present=(*_OPENING, *progress.paths))
    reach(AFTER_SEAL)
    return sealed


def wave_lock(claim: WaveClaim, job_id: str) -> dict[str, Json]:
    """Return what the wave was given: its trials, tries, plan and claim."""
    return {
        "run_id": claim.run_id,
        "wave_id": claim.wave_id,
        "number": claim.number,
        "action_id": claim.action_id,
        "job_id": job_id,
        "plan_digest": claim.lock.plan_digest,
        "assigned": [[each.trial, each.first_ordinal, each.attempts_allowed] for each in claim.assigned],
    }
