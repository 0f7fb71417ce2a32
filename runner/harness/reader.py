"""Reads Harbor's result file of one trial; imports no Harbor.

Takes schema 1 with unknown fields and the older layouts without a version; refuses an unknown major (`RESULT_VERSION`). Rewards
come from `verifier_result.rewards` alone, never from reward files. Times without a zone stay text and order nothing. Token
counts that are null are `not_reported`; counts that cannot be (0 output beside input, a negative, a boolean, more than any trial
could use) are `malformed` and never averaged. Pure: bytes in, a frozen value out. What the facts mean stands in `failures.py`.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_CEILING, Decimal
from enum import StrEnum
from typing import Any, Final, NamedTuple, TypeGuard

from shared.errors import BadInput
from shared.outcomes import Observation, Phase

RESULT_MAJOR: Final = 1
MAX_RESULT_BYTES: Final = 64 * 1024 * 1024
MAX_METRIC_NAME: Final = 200
MAX_TOKENS: Final = 10**12
MAX_COST_USD_MICROS: Final = 10**13
"""What one trial could not use; the sums of a hundred thousand trials at these bounds still fit a published column."""
_TIMES: Final = (
    ("environment_setup", Phase.ENVIRONMENT),
    ("agent_setup", Phase.AGENT_SETUP),
    ("agent_execution", Phase.AGENT),
    ("verifier", Phase.VERIFIER),
)


class RewardState(StrEnum):
    """Whether the primary reward can be scored: present, finite, a number and in range; present but not so; or not there."""

    VALID = "valid"
    INVALID = "invalid"
    ABSENT = "absent"


class RecordedException(NamedTuple):
    """An exception as Harbor recorded it, and the part of the trial (or of the step) that had begun."""

    type: str
    message: str
    phase: Phase
    step: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and cost as the agent reported them; the numbers are set only if `observation` is observed."""

    observation: Observation
    input_tokens: int | None = None
    """Input includes cached tokens."""
    cached_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd_micros: int | None = None


@dataclass(frozen=True, slots=True)
class TrialResult:
    """What one result file says, without what it means."""

    task_name: str
    trial_name: str
    task_checksum: str
    agent_name: str
    agent_version: str
    model_name: str
    phase: Phase
    """The part that began last; with steps, that of the step whose exception counts."""
    reward_state: RewardState
    reward: float | None
    """Set only if the state is valid."""
    rewards: Mapping[str, float]
    """Every finite number of the verifier that has a name to show, the primary one too."""
    exception: RecordedException | None
    """The one that counts: the earliest step's, else the trial's."""
    exceptions: tuple[RecordedException, ...]
    usage: Usage
    started_at: str | None
    finished_at: str | None
    has_naive_times: bool
    steps: int
    verifier_environment: str


def read_result(data: bytes, primary_reward: str, reward_range: tuple[float, float] = (0.0, 1.0)) -> TrialResult:
    """Return what the result file `data` says; raise RESULT_UNREADABLE or RESULT_VERSION."""
    document = _document(data)
    steps = [_object(step) for step in _list(document.get("step_results"))]
    rewards = _object(document.get("verifier_result")).get("rewards")
    state, reward = _primary(rewards, primary_reward, reward_range)
    exceptions = _exceptions(document, steps)
    exception = exceptions[0] if exceptions else None
    agent = _object(document.get("agent_info"))
    return TrialResult(
        task_name=_text(document.get("task_name")),
        trial_name=_text(document.get("trial_name")),
        task_checksum=_text(document.get("task_checksum")),
        agent_name=_text(agent.get("name")),
        agent_version=_text(agent.get("version")),
        model_name=_text(_object(agent.get("model_info")).get("name")),
        phase=exception.phase if exception is not None and exception.step else _phase(document, steps),
        reward_state=state,
        reward=reward,
        rewards={key: float(value) for key, value in _object(rewards).items() if _is_finite(value) and _is_metric(key)},
        exception=exception,
        exceptions=exceptions,
        usage=_usage(document, steps),
        started_at=_time(document.get("started_at")),
        finished_at=_time(document.get("finished_at")),
        has_naive_times=any(_is_naive(time) for time in _all_times(document)),
        steps=len(steps),
        verifier_environment=_text(document.get("verifier_environment_mode")),
    )


def _document(data: bytes) -> dict[str, Any]:
    if len(data) > MAX_RESULT_BYTES:
        raise _unreadable(f"is larger than {MAX_RESULT_BYTES} bytes")
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        raise _unreadable("is not JSON") from None
    if not isinstance(document, dict):
        raise _unreadable("is not a JSON object")
    version = document.get("schema_version", RESULT_MAJOR)
    major = str(version).partition(".")[0]
    if isinstance(version, bool) or major != str(RESULT_MAJOR):
        raise BadInput(
            "RESULT_VERSION",
            f"this result file has version {version!r}; version {RESULT_MAJOR} is read",
            field="schema_version",
            way_out="Use a Seawall whose Harbor wrote this file.",
        )
    if "task_name" not in document and "trial_name" not in document:
        raise _unreadable("names neither a task nor a trial")
    return document


def _primary(rewards: Any, key: str, bounds: tuple[float, float]) -> tuple[RewardState, float | None]:
    if rewards is None:
        return RewardState.ABSENT, None
    value = _object(rewards).get(key)
    if _is_finite(value) and bounds[0] <= value <= bounds[1]:
        return RewardState.VALID, float(value)
    return RewardState.INVALID, None


def _is_finite(value: Any) -> TypeGuard[int | float]:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False


def _is_metric(name: str) -> bool:
    return 0 < len(name) <= MAX_METRIC_NAME and name.isprintable()


def _exceptions(document: dict[str, Any], steps: list[dict[str, Any]]) -> tuple[RecordedException, ...]:
    found = [_exception(step.get("exception_info"), _step_phase(step), _text(step.get("step_name")) or "step") for step in steps]
    found.append(_exception(document.get("exception_info"), _phase(document, steps), ""))
    return tuple(exception for exception in found if exception is not None)


def _exception(body: Any, phase: Phase, step: str) -> RecordedException | None:
    if not isinstance(body, dict) or not body:
        return None
    name = _text(body.get("exception_type")).rpartition(".")[2]
    return RecordedException(name or "Exception", _text(body.get("exception_message")), phase, step)


def _phase(document: dict[str, Any], steps: list[dict[str, Any]]) -> Phase:
    """Return the last part that began: the trial's own, or what its steps tell."""
    phases = [Phase.CREATE, *(phase for key, phase in _TIMES if _has_begun(document.get(key)))]
    if document.get("verifier_result") is not None:
        phases.append(Phase.VERIFIER)
    phases += [_step_phase(step) for step in steps]
    return max(phases, key=list(Phase).index)


def _step_phase(step: dict[str, Any]) -> Phase:
    if step.get("verifier_result") is not None or _has_begun(step.get("verifier")):
        return Phase.VERIFIER
    return Phase.AGENT


def _has_begun(timing: Any) -> bool:
    return isinstance(timing, dict) and timing.get("started_at") is not None


def _usage(document: dict[str, Any], steps: list[dict[str, Any]]) -> Usage:
    contexts = [_object(document.get("agent_result"))] if document.get("agent_result") else []
    contexts = contexts or [_object(step.get("agent_result")) for step in steps]
    try:
        tokens = {key: _sum(contexts, key) for key in ("n_input_tokens", "n_cache_tokens", "n_output_tokens")}
        cost = _cost(contexts)
    except ValueError:
        return Usage(Observation.MALFORMED)
    taken, cached, given = tokens.values()
    if (taken, given, cost) == (None, None, None):
        return Usage(Observation.NOT_REPORTED)
    if (given == 0 and taken) or (cached or 0) > (taken if taken is not None else cached or 0):
        return Usage(Observation.MALFORMED)
    return Usage(Observation.OBSERVED, taken, cached, given, cost)


def _sum(contexts: list[dict[str, Any]], key: str) -> int | None:
    values = [context[key] for context in contexts if context.get(key) is not None]
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise ValueError(f"{key} is not a count")
    if sum(values) > MAX_TOKENS:
        raise ValueError(f"{key} is more than a trial could use")
    return sum(values) if values else None


def _cost(contexts: list[dict[str, Any]]) -> int | None:
    values = [context["cost_usd"] for context in contexts if context.get("cost_usd") is not None]
    for value in values:
        if not _is_finite(value) or value < 0:
            raise ValueError("cost_usd is not an amount")
    if not values:
        return None
    micros = sum((Decimal(str(value)) for value in values), Decimal(0)) * 1_000_000
    if micros > MAX_COST_USD_MICROS:
        raise ValueError("cost_usd is more than a trial could cost")
    return int(micros.to_integral_value(ROUND_CEILING))


def _all_times(document: dict[str, Any]) -> list[str]:
    places = [document, *(_object(document.get(key)) for key, _phase_of in _TIMES)]
    return [time for place in places for key in ("started_at", "finished_at") if (time := _time(place.get(key)))]


def _is_naive(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).tzinfo is None
    except ValueError:
        return False


def _time(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str:
    """Return a text that can be stored: JSON may hold half a character, UTF-8 may not."""
    return value.encode("utf-8", "backslashreplace").decode("utf-8") if isinstance(value, str) else ""


def _unreadable(why: str) -> BadInput:
    return BadInput("RESULT_UNREADABLE", f"the result file {why}", way_out="Name a result.json that Harbor wrote.")
