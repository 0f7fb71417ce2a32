"""Side effects as promises: reserve, perform, observe, close; and who may act when.

An action's id follows from its subject, verb, target and generation, so the same decision is the same action however often it is
made. Its performer acts only until `perform_by`; everybody else holds the outcome unknown until then plus the time that a call
and a listing may take, reads the world, and only then commits the next try. Called by decisions, workers and the pass.
"""

from typing import Final, NamedTuple

from runner.domain import limits
from runner.domain.control.envelope import Subject
from runner.domain.control.events import ActionReserved
from shared.ids import action_id

VERBS: Final = frozenset(
    {"endpoint_create", "endpoint_resume", "endpoint_pause", "endpoint_delete", "job_submit", "job_cancel", "publish"}
)


class Promise(NamedTuple):
    """What a decision wants done."""

    verb: str
    target: str
    ceiling_usd_micros: int = 0
    owner: str = ""
    wave_id: str = ""


def reserve(
    subject: Subject,
    generations: dict[str, int],
    wanted: Promise,
    *,
    performer: str,
    now_ms: int,
    perform_s: float = limits.PASS_DEADLINE_S,
    lease_generation: int = 0,
) -> ActionReserved:
    """Return the reservation of the next generation of `wanted`; `now_ms` is the store's time."""
    if wanted.verb not in VERBS:
        raise ValueError(f"unknown verb {wanted.verb!r}; it is one of {', '.join(sorted(VERBS))}")
    generation = generations.get(f"{wanted.verb} {wanted.target}", 0) + 1
    return ActionReserved(
        action_id=action_id(subject.id, wanted.verb, wanted.target, generation),
        verb=wanted.verb,
        target=wanted.target,
        generation=generation,
        performer=performer,
        perform_by_ms=now_ms + int(perform_s * 1000),
        ceiling_usd_micros=wanted.ceiling_usd_micros,
        lease_generation=lease_generation,
        wave_id=wanted.wave_id,
        owner=wanted.owner,
    )
